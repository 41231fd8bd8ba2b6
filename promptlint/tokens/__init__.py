"""Tokenizers behind one interface, safe cuts, counts that are made once. Exact, offline, loaded when needed."""

from promptlint.tokens.interface import Tokenizer
from promptlint.tokens.open import open_tokenizer

__all__ = ["Tokenizer", "open_tokenizer"]
