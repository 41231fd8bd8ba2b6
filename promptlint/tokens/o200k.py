"""The embedded o200k_base behind the Tokenizer interface: the table for little text, a library for much."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING

from promptlint.errors import PromptlintError
from promptlint.tokens.blank import has_long_blank, too_blank
from promptlint.tokens.cuts import is_boundary
from promptlint.tokens.interface import WRONG_IDS
from promptlint.tokens.patterns import O200K, O200K_PATTERN
from promptlint.tokens.pretokens import pieces
from promptlint.tokens.small import SmallEncoder
from promptlint.tokens.table import SHA256, Table

if TYPE_CHECKING:
    from tiktoken import Encoding

# Work (see `_work`) that the table does in the time in which the library loads: tiktoken 0.2 s, rs-bpe 0.06 s.
SWITCH = 600_000
FAST_SWITCH = 170_000

MANY_IDS = 1000  # from here on it is quicker to read all tokens than to look each up
FIRST_SPECIAL = 199_998


class O200k:
    """Exact, offline, without a cache of its own. Special tokens spelled out in a text are ordinary text."""

    name = "o200k_base"
    digest = SHA256
    size = 200_000
    added_tokens: frozenset[str] = frozenset()
    has_cuts = True

    def __init__(self, *, fast: bool = True) -> None:
        self.notes: tuple[str, ...] = ()
        self._table = Table()
        self._small = SmallEncoder(self._table)
        self._done = 0  # work of the table so far
        self._large: Encoding | None = None
        self._try_fast = fast
        self._fast: Callable[[str], int] | None = None

    def encode(self, text: str) -> Sequence[int]:
        if self._is_little(text):
            ids = self._small.encode(text)
            if ids is not None:
                return ids
        return self._encode_large(text)

    def count(self, text: str, *, ahead: int = 0) -> int:
        fast = self._fast_counter(text, ahead)
        if fast is not None:
            return fast(text)
        if self._is_little(text, ahead):
            count = self._small.count(text)
            if count is not None:
                return count
        return len(self._encode_large(text))  # tiktoken itself has no count, and its buffer is slower

    def is_cut(self, text: str, c: int) -> bool:
        return is_boundary(text, c, O200K)

    def decode(self, ids: Sequence[int]) -> bytes:
        token = self._table.token if len(ids) < MANY_IDS else self._table.tokens.__getitem__
        return b"".join(token(number) if 0 <= number < FIRST_SPECIAL else _special(number) for number in ids)

    def start(self, text: str, index: int) -> int:
        return len(self.decode(self.encode(text)[:index]))

    def _is_little(self, text: str, ahead: int = 0) -> bool:
        """Can the table still do this text, and what lies ahead, before it has cost more than loading tiktoken?"""
        if self._large is not None:
            return False
        work = _work(text)
        if self._done + max(work, ahead) > SWITCH:
            return False
        self._done += work
        return True

    def _fast_counter(self, text: str, ahead: int) -> Callable[[str], int] | None:
        if self._try_fast and self._done + max(_work(text), ahead) > FAST_SWITCH:
            from promptlint.tokens.fast import fast_counter

            self._try_fast = False
            self._fast, note = fast_counter()
            self.notes = (note,) if note else ()
        return self._fast

    def _encode_large(self, text: str) -> Sequence[int]:
        encoding = self._tiktoken()
        if not has_long_blank(text):
            return encoding.encode_ordinary(text)
        parts = pieces(text)
        if parts is None:
            raise too_blank(self.name)
        return [number for part in parts for number in encoding._encode_single_piece(part.encode())]

    def _tiktoken(self) -> "Encoding":
        if self._large is None:
            from tiktoken import Encoding

            ranks = self._table.to_dict()
            self._large = Encoding(self.name, pat_str=O200K_PATTERN, mergeable_ranks=ranks, special_tokens={})
        return self._large


def _special(number: int) -> bytes:
    name = _special_names().get(number)
    if name is None:
        raise PromptlintError(f"o200k_base: no token has the id {number}", WRONG_IDS)
    return name.encode()


@cache
def _special_names() -> dict[int, str]:
    """Those of o200k_harmony, since ids that a user gives may be of either."""
    from promptlint.tokens.encodings import O200K_HARMONY

    return {number: name for name, number in O200K_HARMONY.special.items()}


def _work(text: str) -> int:
    """What a text costs the table, in bytes of ASCII: other text has more pretokens that are no tokens."""
    size = len(text) if text.isascii() else len(text.encode())
    return 5 * size - 4 * len(text)
