"""Mistral's two kinds of vocabulary file: tekken.json, and SentencePiece models as Llama 2 and Gemma have them too."""

from promptlint.errors import PromptlintError
from promptlint.tokens.interface import Tokenizer

LARGEST = 100_000_000  # bytes; the largest that is known, a tekken.json, has 20 million


def open_mistral(path: str, data: bytes) -> Tokenizer:
    """The vocabulary in `data`, the bytes of a tekken.json or a SentencePiece model; `path` is its name.

    PromptlintError if it is neither, or too large, or if the library that reads it is not installed.
    """
    if len(data) > LARGEST:
        raise PromptlintError(f"{path}: {len(data):,} bytes, more than any vocabulary", HINT)
    if path.endswith(".json") or data[:100].lstrip()[:1] == b"{":
        from promptlint.tokens.tekken import Tekken

        return Tekken(path, data)
    from promptlint.tokens.sentence_piece import SentencePiece

    return SentencePiece(path, data)


HINT = "give the tekken.json or the tokenizer.model of a model"
