"""From the text of `--tokenizer` to a tokenizer."""

import os
from functools import cache

from promptlint.errors import PromptlintError
from promptlint.tokens.interface import Tokenizer

_HINT = "give o200k_base, bytes, or the path of a tokenizer.json or *.tiktoken file"


def open_tokenizer(spec: str | None, *, fast: bool = True) -> Tokenizer:
    """`o200k_base` (also None), `bytes`, or the path of a tokenizer.json or *.tiktoken file.

    `fast` lets o200k_base count with rs-bpe where that is installed and agrees with tiktoken. PromptlintError if
    there is no such file, or if it is not a vocabulary that can be used exactly.
    """
    if spec is None or spec == "o200k_base":
        return _embedded(fast)
    if spec == "bytes":
        from promptlint.tokens.raw_bytes import RawBytes

        return RawBytes()
    return _open_file(spec)


@cache
def _embedded(fast: bool) -> Tokenizer:
    """One for a process: what it loads is loaded once, and never freed piece by piece."""
    from promptlint.tokens.o200k import O200k

    return O200k(fast=fast)


def _open_file(path: str) -> Tokenizer:
    data = _read(path)
    if path.endswith(".tiktoken"):
        from promptlint.tokens.tiktoken_file import TiktokenFile

        return TiktokenFile(path, data)
    from promptlint.tokens.tokenizer_json import TokenizerJson

    return TokenizerJson(path, data)


def _read(path: str) -> bytes:
    if not os.path.exists(path):
        raise PromptlintError(f"{path}: neither a known tokenizer nor a file", _HINT)
    if not os.path.isfile(path):
        raise PromptlintError(f"{path}: not a regular file", _HINT)
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        raise PromptlintError(f"{path}: {error.strerror}", _HINT) from None
