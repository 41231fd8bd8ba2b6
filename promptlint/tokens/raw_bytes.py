"""One token a byte: for models without a known tokenizer, and for byte-level questions."""

from collections.abc import Sequence
from hashlib import sha256

from promptlint.errors import PromptlintError
from promptlint.tokens.interface import WRONG_IDS


class RawBytes:
    """Every position is a safe cut."""

    name = "bytes"
    digest = sha256(bytes(range(256))).hexdigest()
    notes: tuple[str, ...] = ()
    size = 256
    added_tokens: frozenset[str] = frozenset()
    has_cuts = True

    def encode(self, text: str) -> Sequence[int]:
        return text.encode()

    def count(self, text: str, *, ahead: int = 0) -> int:
        return len(text) if text.isascii() else len(text.encode())

    def is_cut(self, text: str, c: int) -> bool:
        return 0 < c < len(text)

    def decode(self, ids: Sequence[int]) -> bytes:
        try:
            return bytes(ids)
        except ValueError:
            raise PromptlintError("a token id is no byte", WRONG_IDS) from None

    def start(self, text: str, index: int) -> int:
        return index
