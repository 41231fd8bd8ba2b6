"""What kind of vocabulary a file holds, by its content."""

from typing import Any, Literal

from promptlint.errors import PromptlintError

Kind = Literal["GGUF", "tokenizer.json", "tekken", "tiktoken", "SentencePiece"]

HEAD = 4096  # bytes that are enough to tell
LARGEST = 256 << 20  # bytes of a file that holds nothing else; the largest that is known has 35 million


def kind_of(path: str, head: bytes) -> Kind:
    """`head`: the first HEAD bytes of the file. PromptlintError if no vocabulary begins so."""
    if head[:4] == b"GGUF":
        return "GGUF"
    if head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"["):
        return "tekken" if _is_tekken(head) else "tokenizer.json"
    if _is_ranks(head):
        return "tiktoken"
    if _is_sentencepiece(head):
        return "SentencePiece"
    raise PromptlintError(f"{path}: no vocabulary that promptlint knows", HINT)


def _is_tekken(head: bytes) -> bool:
    """`"vocab"`, a list of ranks, stands beside `"config"`, which has the pattern."""
    return head.lstrip()[1:].lstrip()[:8] == b'"config"' and b'"pattern"' in head


def _is_ranks(head: bytes) -> bool:
    import re

    first, newline, _ = head.partition(b"\n")
    return bool(newline) and re.fullmatch(rb"[A-Za-z0-9+/]+={0,2} \d+\r?", first) is not None


def _is_sentencepiece(head: bytes) -> bool:
    """Protocol buffers: field 1, the length of a piece, and in it field 1, its text."""
    return len(head) > 3 and head[0] == 0x0A and head[1] < 0x80 and head[2] == 0x0A


def mistaken(config: Any) -> str:
    """A hint for a JSON file of a model that holds no vocabulary."""
    if isinstance(config, dict):
        if "tokenizer_class" in config or "chat_template" in config:
            return "this is a tokenizer_config.json: give the tokenizer.json beside it"
        if "model_type" in config or "architectures" in config:
            return "this is a model's config.json: give the tokenizer.json beside it"
        if config and all(type(value) is int for value in config.values()):
            return "this is a vocab.json, without the merges: give the tokenizer.json beside it"
    return HINT


HINT = "give a tokenizer.json, a .tiktoken file, a tekken.json, a tokenizer.model, a GGUF, or a folder with one of them"
