"""What every tokenizer offers, whatever engine is behind it."""

from collections.abc import Collection, Sequence
from typing import Protocol

WRONG_IDS = "name the tokenizer that made the ids with --tokenizer"  # hint where `decode` meets an unknown id


class Tokenizer(Protocol):
    """A vocabulary with its rules. Texts hold no lone surrogates; ids carry no markers of begin or end."""

    @property
    def name(self) -> str:
        """`o200k_base`, `bytes`, or the path as given."""

    @property
    def digest(self) -> str:
        """SHA-256 of the vocabulary file, in hexadecimal."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What a user may want to know about the engine: why a faster one, or a shorter way, is not taken."""

    @property
    def size(self) -> int:
        """How many tokens the vocabulary has, special ones among them."""

    @property
    def added_tokens(self) -> Collection[str]:
        """What `encode` takes as one token wherever a text spells it. Empty: such a spelling is ordinary text."""

    @property
    def has_cuts(self) -> bool:
        """False: no rule is proved for this vocabulary, and `is_cut` is never true."""

    def encode(self, text: str) -> Sequence[int]:
        """The token ids of `text`, exact."""

    def count(self, text: str, *, ahead: int = 0) -> int:
        """`len(encode(text))`, cheaper. `ahead`: characters that will be counted next, `text` among them."""

    def is_cut(self, text: str, c: int) -> bool:
        """Is `c` a safe cut: encode(text) = encode(text[:c]) + encode(text[c:]), whatever follows text[c]?"""

    def decode(self, ids: Sequence[int]) -> bytes:
        """The bytes that `ids` stand for, after the tokenizer's own normalization. PromptlintError: an unknown id."""

    def start(self, text: str, index: int) -> int:
        """The byte of `text`, in UTF-8, where token `index` of encode(text) begins; behind the last, its size."""
