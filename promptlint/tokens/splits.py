"""How llama.cpp splits texts before it merges byte pairs, as the pretokenizer steps of a tokenizer.json."""

from typing import Any, NamedTuple

from promptlint.tokens.patterns import (
    DEEPSEEK_PATTERNS,
    LLAMA_CPP_LLAMA3,
    LLAMA_CPP_O200K,
    LLAMA_CPP_QWEN2,
    LLAMA_CPP_QWEN35,
    LLAMA_CPP_TEKKEN,
)


class Split(NamedTuple):
    """One way."""

    steps: list[dict[str, Any]]
    whole_words: bool = False  # a piece that is a token is not made by merging


def _by_patterns(*patterns: str, whole_words: bool = False) -> Split:
    splits = [{"type": "Split", "pattern": {"Regex": p}, "behavior": "Isolated", "invert": False} for p in patterns]
    return Split([*splits, _byte_level(use_regex=False)], whole_words)


def _byte_level(*, use_regex: bool) -> dict[str, Any]:
    return {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False, "use_regex": use_regex}


_GPT2 = _byte_level(use_regex=True)

SPLITS = {  # by the names of data/tokenizers.yaml
    "gpt-2": Split([_GPT2]),
    "digits": Split([{"type": "Digits", "individual_digits": True}, _GPT2]),
    "llama-3": _by_patterns(LLAMA_CPP_LLAMA3, whole_words=True),
    "cl100k": _by_patterns(LLAMA_CPP_LLAMA3),
    "qwen-2": _by_patterns(LLAMA_CPP_QWEN2),
    "qwen-3.5": _by_patterns(LLAMA_CPP_QWEN35),
    "deepseek-3": _by_patterns(*DEEPSEEK_PATTERNS),
    "o200k": _by_patterns(LLAMA_CPP_O200K),
    "tekken": _by_patterns(LLAMA_CPP_TEKKEN, whole_words=True),
}
