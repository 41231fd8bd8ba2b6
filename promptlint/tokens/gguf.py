"""The vocabulary inside a GGUF, as llama.cpp uses it: its own regular expressions, its own rule for special tokens.

The reference is llama.cpp's src/llama-vocab.cpp. What it does differently for single models, and what has no exact
counterpart here, is refused. Two things may differ: characters newer than the Unicode tables of one side, and special
tokens that overlap in a text (no vocabulary is known that has such): here the leftmost is taken, there the longest.
"""

from typing import Any, NamedTuple

from promptlint.errors import PromptlintError
from promptlint.facts.tokenizers import split_of
from promptlint.read.gguf import metadata
from promptlint.tokens.interface import Tokenizer

_NORMAL, _UNKNOWN, _CONTROL, _USER_DEFINED = 1, 2, 3, 4  # kinds of tokens
_PREFIX = "tokenizer.ggml."
_NAMES = ("model", "pre", "tokens", "token_type", "scores", "merges", "add_space_prefix")

# Ends of a turn or a text: special tokens whatever kind a GGUF gives them.
_ENDS = frozenset(
    (
        *("<|eot_id|>", "<|im_end|>", "<|end|>", "<|return|>", "<|call|>", "<|flush|>", "<|calls|>", "<end_of_turn>"),
        *("<|endoftext|>", "</s>", "<|eom_id|>", "<EOT>", "_<EOT>", "[EOT]", "[EOS]", "<|end_of_text|>", "<eos>"),
        *("<end_of_utterance>", "<turn|>", "<|tool_response>", "[e~[", "<\uff5cend\u2581of\u2581sentence\uff5c>"),
    )
)


class Vocabulary(NamedTuple):
    """What a GGUF says of its vocabulary."""

    path: str
    tokens: list[str]
    special: dict[str, int]  # spelled out in a text they are one token
    merges: list[str]
    scores: list[float]
    pre: str
    space_prefix: bool


def open_gguf(path: str) -> Tokenizer:
    """PromptlintError if the file is damaged, or its vocabulary is of a kind that is not supported."""
    found = metadata(path, [*(_PREFIX + name for name in _NAMES), "general.name"])
    kind = found.get(_PREFIX + "model")
    if kind is None:
        raise PromptlintError(f"{path}: a GGUF without a vocabulary", _HINT)
    if kind not in ("gpt2", "llama"):
        raise PromptlintError(f"{path}: a vocabulary of the kind {kind!r}, which is not supported", _HINT)
    if "phi-3" in str(found.get("general.name")).lower() or "phi3" in str(found.get("general.name")).lower():
        raise PromptlintError(f"{path}: the special tokens of Phi 3 swallow white space, which is not supported", _HINT)
    vocabulary = _vocabulary(path, found)
    if kind == "llama":
        return _scored(vocabulary)
    return _byte_pairs(vocabulary)


def _vocabulary(path: str, found: dict[str, Any]) -> Vocabulary:
    def values(name: str, kind: type | tuple[type, ...]) -> list[Any]:
        value = found.get(_PREFIX + name, [])
        if not isinstance(value, list) or not all(isinstance(entry, kind) for entry in value):
            raise PromptlintError(f"{path}: {_PREFIX}{name} is not a list of the right kind", _HINT)
        return value

    tokens = [token or f"[EMPTY_{number}]" for number, token in enumerate(values("tokens", str))]
    kinds, scores = values("token_type", int), values("scores", (int, float))
    if not tokens or len(set(tokens)) < len(tokens):
        raise PromptlintError(f"{path}: its tokens are not unique" if tokens else f"{path}: it has no tokens", _HINT)
    if any(entries and len(entries) < len(tokens) for entries in (kinds, scores)):
        raise PromptlintError(f"{path}: fewer scores or kinds than tokens", _HINT)
    special = {
        token: number
        for number, (token, kind) in enumerate(zip(tokens, kinds or [_NORMAL] * len(tokens), strict=False))
        if kind in (_UNKNOWN, _CONTROL, _USER_DEFINED) or token in _ENDS
    }
    prefix, pre = found.get(_PREFIX + "add_space_prefix"), found.get(_PREFIX + "pre", "")
    return Vocabulary(path, tokens, special, values("merges", str), scores, str(pre), prefix is not False)


def _scored(vocabulary: Vocabulary) -> Tokenizer:
    from hashlib import sha256

    from promptlint.tokens.scored import Scored
    from promptlint.tokens.special import WithSpecial

    path, tokens = vocabulary.path, vocabulary.tokens
    digest = sha256(repr(vocabulary[1:]).encode()).hexdigest()
    scores = vocabulary.scores[: len(tokens)] or [0.0] * len(tokens)
    inner = Scored(path, digest, tokens, scores, space=vocabulary.space_prefix)
    return WithSpecial(inner, path, vocabulary.special, size=inner.size, nfc=False) if vocabulary.special else inner


def _byte_pairs(vocabulary: Vocabulary) -> Tokenizer:
    """By way of the tokenizer.json that says the same."""
    import json

    from promptlint.tokens.splits import SPLITS
    from promptlint.tokens.tokenizer_json import TokenizerJson

    split = SPLITS.get(split_of(vocabulary.pre) or "")
    if split is None:
        name = f"splits texts as {vocabulary.pre!r}" if vocabulary.pre else "does not say how it splits texts"
        raise PromptlintError(f"{vocabulary.path}: it {name}, which is not supported", _HINT)
    merges = dict.fromkeys(tuple(merge.split(" ", 1)) for merge in vocabulary.merges)
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    config = {
        "version": "1.0",
        "added_tokens": [
            {"id": number, "content": token, "special": True, **flags} for token, number in vocabulary.special.items()
        ],
        "normalizer": None,
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": split.steps},
        "post_processor": None,
        "decoder": {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False, "use_regex": False},
        "model": {
            "type": "BPE",
            "vocab": {token: number for number, token in enumerate(vocabulary.tokens)},
            "merges": list(merges),
            "ignore_merges": split.whole_words,
        },
    }
    return TokenizerJson(vocabulary.path, json.dumps(config).encode(), config)


_HINT = "give the tokenizer.json of the same model"
