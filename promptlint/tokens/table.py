"""The embedded o200k_base: a memory-mapped table of tokens. scripts/make_o200k.py makes it and describes its form."""

import os
import struct
from bisect import bisect_left
from functools import cached_property
from itertools import accumulate, chain

from promptlint.errors import PromptlintError

ABSENT = 1 << 32  # above every rank
SHA256 = "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"  # of the official file, o200k_base.tiktoken

_FILE = os.path.join(os.path.dirname(os.path.dirname(__file__)), "data", "o200k_base.ranks")
_ENTRY_BITS = 18
_ENTRY = (1 << _ENTRY_BITS) - 1


class Table:
    """Opens in 0.1 ms; `find` looks one token up, `to_dict` reads all of them for tiktoken."""

    def __init__(self) -> None:
        import mmap
        from zlib import crc32

        try:
            with open(_FILE, "rb") as file:
                data = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
        except (OSError, ValueError) as error:
            raise PromptlintError(f"cannot read the embedded vocabulary: {error}", _REINSTALL) from None
        magic, size, slots, longest = data[:16].cast("I") if len(data) > 16 else (0, 0, 0, 0)
        words = 4 + longest + size + slots
        if magic != int.from_bytes(b"PLR1", "little") or len(data) <= 4 * words:
            raise PromptlintError("the embedded vocabulary is damaged", _REINSTALL)
        numbers = data[: 4 * words].cast("I")
        self._counts = numbers[4 : 4 + longest].tolist()
        self._ranks = numbers[4 + longest : 4 + longest + size]
        self._slots = numbers[4 + longest + size :]
        self._data = data
        # The entries of one length begin at entry firsts[length - 1], their tokens at byte begins[length - 1].
        self._firsts = list(accumulate(self._counts, initial=0))
        sizes = (count * length for length, count in enumerate(self._counts, start=1))
        self._begins = list(accumulate(sizes, initial=4 * words))
        self._crc32 = crc32

    def find(self, token: bytes) -> int:
        """The rank of `token`, ABSENT if it is no token."""
        slots, length = self._slots, len(token)
        if length > len(self._counts):
            return ABSENT
        first, begin = self._firsts[length - 1], self._begins[length - 1]
        checksum = self._crc32(token)
        place = checksum % len(slots)
        while slot := slots[place]:
            if (slot ^ checksum) >> _ENTRY_BITS == 0:
                entry = (slot & _ENTRY) - 1
                start = begin + (entry - first) * length
                # An entry of another length gives a place outside its own tokens, so the entry is checked as well.
                if first <= entry < self._firsts[length] and self._data[start : start + length] == token:
                    return self._ranks[entry]
            place = (place + 1) % len(slots)
        return ABSENT

    def token(self, rank: int) -> bytes:
        """The bytes of one token; KeyError if there is no such rank."""
        for length, count in enumerate(self._counts, start=1):
            first = self._firsts[length - 1]
            entry = bisect_left(self._ranks, rank, first, first + count)
            if entry < first + count and self._ranks[entry] == rank:
                start = self._begins[length - 1] + (entry - first) * length
                return bytes(self._data[start : start + length])
        raise KeyError(rank)

    @cached_property
    def tokens(self) -> list[bytes]:
        """All tokens in rank order, in about 0.1 s."""
        return sorted(ranks := self.to_dict(), key=ranks.__getitem__)

    def to_dict(self) -> dict[bytes, int]:
        """All tokens with their ranks, in about 50 ms."""
        ranks: dict[bytes, int] = {}
        for length, count in enumerate(self._counts, start=1):
            first, begin = self._firsts[length - 1], self._begins[length - 1]
            tokens = struct.iter_unpack(f"{length}s", self._data[begin : begin + count * length])
            ranks.update(zip(chain.from_iterable(tokens), self._ranks[first : first + count].tolist(), strict=True))
        return ranks


_REINSTALL = "install promptlint-cache again"
