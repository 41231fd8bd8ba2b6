"""The vocabulary for a model, when the user has named none."""

from promptlint.errors import PromptlintError
from promptlint.facts.tokenizers import family_of
from promptlint.tokens.interface import Tokenizer
from promptlint.tokens.open import open_tokenizer


def tokenizer_for(model: str | None, *, fast: bool = True) -> tuple[Tokenizer, str]:
    """The model's own vocabulary if a public source names it and this machine has it, else o200k_base; and a note.

    The note says which it is and who says so, or that it is a guess, and then what would be exact and how to get it.
    """
    family = family_of(model) if model else None
    if family is None:
        why = f"no public source names the vocabulary of {model}" if model else "the request names no model"
        return open_tokenizer(None, fast=fast), f"tokenizer o200k_base, a guess: {why}"
    if not family.tokenizer:
        return open_tokenizer(None, fast=fast), _guess(f"{model} has a vocabulary of its own", family.get)
    try:
        tokenizer = open_tokenizer(family.tokenizer, fast=fast)
    except PromptlintError as error:
        why = f"{model} uses {family.tokenizer} ({family.source}), but {error.message}"
        return open_tokenizer(None, fast=fast), _guess(why, family.get)
    return tokenizer, f"tokenizer {tokenizer.name}: {family.source} names it for {model}"


def _guess(why: str, get: str) -> str:
    return f"tokenizer o200k_base, a guess: {why}; to count exactly: {get}"
