"""From the text of `--tokenizer` to a tokenizer."""

import os
from functools import cache
from typing import TYPE_CHECKING

from promptlint.errors import PromptlintError
from promptlint.tokens.interface import Tokenizer

if TYPE_CHECKING:
    from promptlint.tokens.recognise import Kind

_HINT = "give one of the names that `promptlint tokenizers` lists, or the path of a vocabulary"


def open_tokenizer(spec: str | None, *, fast: bool = True) -> Tokenizer:
    """`o200k_base` (also None), `bytes`, another name, or the path of a vocabulary or of a folder with one.

    Files are recognised by their content: tokenizer.json, ranks of tiktoken, tekken.json, SentencePiece, GGUF.
    `fast` lets o200k_base count with rs-bpe where that is installed and agrees with tiktoken. PromptlintError if
    there is no such file, or if it is not a vocabulary that can be used exactly.
    """
    if spec is None or spec == "o200k_base":
        return _embedded(fast)
    if spec == "bytes":
        from promptlint.tokens.raw_bytes import RawBytes

        return RawBytes()
    return _named(spec, fast) or _open_path(spec)


@cache
def _embedded(fast: bool) -> Tokenizer:
    """One for a process: what it loads is loaded once, and never freed piece by piece."""
    from promptlint.tokens.o200k import O200k

    return O200k(fast=fast)


@cache
def _named(name: str, fast: bool) -> Tokenizer | None:
    """None if it is no name. PromptlintError if nothing on this machine has its vocabulary, unharmed."""
    if name == "o200k_harmony":
        from promptlint.tokens.encodings import O200K_HARMONY
        from promptlint.tokens.special import WithSpecial

        return WithSpecial(_embedded(fast), name, O200K_HARMONY.special, size=O200K_HARMONY.size, nfc=False)
    from promptlint.facts.tokenizers import whereabouts
    from promptlint.tokens.installed import find, read_checked

    known = whereabouts(name)
    if known is None:
        return None
    found = find(name)
    if found is None:
        raise PromptlintError(f"{name}: its vocabulary is not on this machine", f"to get it: {known.get}")
    from promptlint.tokens.encodings import ENCODINGS

    data = read_checked(name, found)
    if name in ENCODINGS:
        from promptlint.tokens.tiktoken_file import open_ranks

        return open_ranks(name, data, ENCODINGS[name])
    from promptlint.tokens.recognise import HEAD, kind_of

    return _from_bytes(name, data, kind_of(name, data[:HEAD]))


def _open_path(path: str) -> Tokenizer:
    if os.path.isdir(path):
        from promptlint.tokens.folder import vocabulary_in

        path = vocabulary_in(path)
    if not os.path.exists(path):
        raise PromptlintError(f"{path}: neither a known tokenizer nor a file", _HINT)
    if not os.path.isfile(path):
        raise PromptlintError(f"{path}: neither a regular file nor a folder", _HINT)
    try:
        return _open_file(path)
    except OSError as error:
        raise PromptlintError(f"{path}: {error.strerror}", _HINT) from None


def _open_file(path: str) -> Tokenizer:
    from promptlint.tokens.recognise import HEAD, LARGEST, kind_of

    with open(path, "rb") as file:
        head = file.read(HEAD)
        kind = kind_of(path, head)
        if kind == "GGUF":
            from promptlint.tokens.gguf import open_gguf

            return open_gguf(path)
        data = head + file.read(LARGEST)
    if len(data) > LARGEST:
        raise PromptlintError(f"{path}: more than {LARGEST >> 20} MiB, larger than any vocabulary", _HINT)
    return _from_bytes(path, data, kind)


def _from_bytes(name: str, data: bytes, kind: "Kind") -> Tokenizer:
    if kind == "tokenizer.json":
        from promptlint.tokens.tokenizer_json import TokenizerJson

        return TokenizerJson(name, data)
    if kind == "tiktoken":
        from promptlint.tokens.tiktoken_file import open_ranks

        return open_ranks(name, data)
    from promptlint.tokens.mistral import open_mistral

    return open_mistral(name, data)
