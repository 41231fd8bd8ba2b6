"""Random tiny models, saved as any other model is: configuration, safetensors, vocabulary, chat template."""

import json
from functools import cache
from pathlib import Path
from typing import Any

from promptlint.confirm.device import transformers_or_error

WINDOW = 32
TEMPLATE = """{%- if tools %}<|im_start|>system
Tools:
{% for tool in tools %}{{ tool | tojson }}
{% endfor %}<|im_end|>
{% endif %}
{%- for message in messages %}<|im_start|>{{ message.role }}
{{ message.content }}<|im_end|>
{% endfor %}
{%- if add_generation_prompt %}<|im_start|>assistant
{% endif %}"""
_TEXT = """You are a helpful assistant for a shop. Today is Sunday. Answer in short sentences. The weather in Paris is
mild in November. What is the price of a ticket to Paris? {"type": "function", "function": {"name": "get_weather",
"description": "The weather in a city.", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}}}
"""


@cache
def vocabulary() -> str:
    """A byte-level tokenizer.json of a few hundred tokens, trained on two sentences, always the same."""
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, trainers

    made: Any = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer: Any = trainers.BpeTrainer(vocab_size=400, initial_alphabet=alphabet, show_progress=False)
    made.train_from_iterator([_TEXT], trainer)
    made.add_special_tokens([AddedToken(name, special=True) for name in ("<|im_start|>", "<|im_end|>")])
    text: str = made.to_str()
    return text


def configuration(kind: str, **changes: Any) -> Any:
    """The settings of a model of two layers that is made in a few milliseconds."""
    import transformers

    size = {
        "vocab_size": 512, "hidden_size": 64, "intermediate_size": 96, "num_hidden_layers": 2, "num_attention_heads": 4,
        "num_key_value_heads": 2, "max_position_embeddings": 1024, "initializer_range": 0.1, "bos_token_id": None,
        "eos_token_id": None, "pad_token_id": None,
    }  # fmt: skip
    small = {"vocab_size": 512, "n_embd": 64, "n_layer": 2, "n_head": 4, "n_positions": 1024, "initializer_range": 0.1}
    window = {"sliding_window": WINDOW, "layer_types": ["sliding_attention", "full_attention"]}
    known: dict[str, tuple[str, dict[str, Any]]] = {
        "llama": ("LlamaConfig", size),
        "qwen3": ("Qwen3Config", {**size, "head_dim": 16}),
        "gpt2": ("GPT2Config", {**small, "bos_token_id": None, "eos_token_id": None}),
        "gemma3": ("Gemma3TextConfig", {**size, "head_dim": 16, **window}),
        "mistral": ("MistralConfig", {**size, "sliding_window": WINDOW}),
        "mamba": ("MambaConfig", {"vocab_size": 512, "hidden_size": 64, "num_hidden_layers": 2, "state_size": 4}),
        "qwen3_next": ("Qwen3NextConfig", {
            **size, "head_dim": 16, "layer_types": ["linear_attention", "full_attention"], "num_experts": 2,
            "num_experts_per_tok": 1, "moe_intermediate_size": 32, "shared_expert_intermediate_size": 32,
            "linear_key_head_dim": 16, "linear_value_head_dim": 16, "linear_num_key_heads": 2,
            "linear_num_value_heads": 2,
        }),
    }  # fmt: skip
    name, settings = known[kind]
    return getattr(transformers, name)(**{**settings, **changes})


def tiny(kind: str, folder: Path, *, shard: str = "5GB", **changes: Any) -> Path:
    """Save a random model of a kind, seeded, with a vocabulary and a template. `shard`: the largest file."""
    import torch

    transformers = transformers_or_error()
    torch.manual_seed(0)
    torch.set_num_threads(1)
    transformers.AutoModelForCausalLM.from_config(configuration(kind, **changes)).save_pretrained(
        folder, max_shard_size=shard
    )
    (folder / "tokenizer.json").write_text(vocabulary(), "utf-8")
    (folder / "tokenizer_config.json").write_text(json.dumps({"chat_template": TEMPLATE}), "utf-8")
    return folder


def edit(path: Path, **fields: Any) -> None:
    """Change fields of a JSON object; None removes one."""
    held = json.loads(path.read_text("utf-8")) | fields
    path.write_text(json.dumps({name: value for name, value in held.items() if value is not None}), "utf-8")


def weather(city: str = "The weather in a city.") -> dict[str, Any]:
    """A tool."""
    properties = {"city": {"type": "string"}}
    function = {"name": "get_weather", "description": city, "parameters": {"type": "object", "properties": properties}}
    return {"type": "function", "function": function}


def chat(*texts: str, system: str | None = "You are a helpful assistant.", tools: Any = None) -> dict[str, Any]:
    """A request of turns that take turns: user, assistant, user."""
    messages = [] if system is None else [{"role": "system", "content": system}]
    messages += [{"role": ("user", "assistant")[n % 2], "content": text} for n, text in enumerate(texts)]
    return {"model": "tiny", "messages": messages} | ({"tools": tools} if tools else {})


_QUESTION = "What is the price of a ticket to Paris? Answer in short sentences."

PAIRS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "appended turn": (chat(_QUESTION), chat(_QUESTION, "Forty.", "And to Rome?")),
    "date in front": (
        chat(_QUESTION, system="Today is 2026-11-29. You are a helpful assistant."),
        chat(_QUESTION, system="Today is 2026-11-30. You are a helpful assistant."),
    ),
    "changed tool": (
        chat(_QUESTION, tools=[weather(), weather("The weather in a town.")]),
        chat(_QUESTION, tools=[weather(), weather("The weather in a village.")]),
    ),
    "identical repeat": (chat(_QUESTION, tools=[weather()]), chat(_QUESTION, tools=[weather()])),
    "below one block": (chat("Paris?", system=None), chat("Rome?", system=None)),
    "nothing shared": (chat("Paris?", system=None), chat("Paris?", tools=[weather()])),
}
"""Edits whose effect on a cache is known."""
