"""o200k_base without loading anything: exact byte-pair encoding in Python over the memory-mapped table.

It wins until what it is slower by adds up to the time that tiktoken takes to load (SWITCH in o200k.py).
"""

from collections.abc import Callable
from itertools import chain

from promptlint.tokens.pretokens import pieces
from promptlint.tokens.table import ABSENT, Table

LONGEST = 1000  # bytes of one pretoken; `_merge` is quadratic, and this length takes 20 ms


class _TooLong(Exception):
    """A pretoken of more than LONGEST bytes that is not one token."""


class _Ranks(dict[bytes, int]):
    """Token -> rank, kept from the table: four look-ups in five repeat."""

    def __init__(self, find: Callable[[bytes], int]) -> None:
        super().__init__()
        self._find = find

    def __missing__(self, token: bytes) -> int:
        rank = self[token] = self._find(token)
        return rank


class _Memo(dict[str, tuple[int, ...]]):
    """Pretoken -> its ids."""

    def __init__(self, rank: Callable[[bytes], int]) -> None:
        super().__init__()
        self._rank = rank

    def __missing__(self, piece: str) -> tuple[int, ...]:
        ids = self[piece] = _merge(self._rank, piece.encode())
        return ids


class SmallEncoder:
    """Answers None where a text is beyond it: a code point newer than this Python, or a run that is too long."""

    def __init__(self, table: Table) -> None:
        self._memo = _Memo(_Ranks(table.find).__getitem__)

    def encode(self, text: str) -> list[int] | None:
        parts = pieces(text)
        if parts is None:
            return None
        try:
            return list(chain.from_iterable(map(self._memo.__getitem__, parts)))
        except _TooLong:
            return None

    def count(self, text: str) -> int | None:
        parts = pieces(text)
        if parts is None:
            return None
        try:
            return sum(map(len, map(self._memo.__getitem__, parts)))
        except _TooLong:
            return None


def _merge(rank: Callable[[bytes], int], piece: bytes) -> tuple[int, ...]:
    """Join the neighbours whose joint rank is lowest, the leftmost of equals, until no joint is a token."""
    whole = rank(piece)
    if whole != ABSENT:
        return (whole,)
    if len(piece) > LONGEST:
        raise _TooLong
    parts = [piece[i : i + 1] for i in range(len(piece))]
    joints = [rank(piece[i : i + 2]) for i in range(len(piece) - 1)]
    while joints and (lowest := min(joints)) != ABSENT:
        i = joints.index(lowest)
        parts[i] += parts.pop(i + 1)
        del joints[i]
        if i < len(joints):
            joints[i] = rank(parts[i] + parts[i + 1])
        if i:
            joints[i - 1] = rank(parts[i - 1] + parts[i])
    return tuple(map(rank, parts))
