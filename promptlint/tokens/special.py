"""Special tokens that a rendered prompt spells out, in front of a tokenizer to which they are ordinary text."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from promptlint.tokens.interface import Tokenizer


class WithSpecial:
    """Special tokens are found first, the leftmost and of these the longest; what stands between them is ordinary.

    With `nfc` that is brought to Unicode's NFC, as Qwen does.
    """

    def __init__(self, inner: Tokenizer, name: str, special: Mapping[str, int], *, size: int, nfc: bool) -> None:
        self.name = name
        self.digest = inner.digest
        self.size = size
        self.has_cuts = inner.has_cuts
        self.added_tokens = frozenset(special)
        self._inner = inner
        self._special = special
        self._nfc = nfc
        # A pattern of thousands of alternatives would take 0.1 s to compile: it has their first two characters only.
        heads = sorted({token[:2] for token in special}, key=len, reverse=True)
        self._head = re.compile("|".join(map(re.escape, heads)))
        self._lengths = {
            first: sorted({len(token) for token in special if token[0] == first}, reverse=True)
            for first in {token[0] for token in special}
        }
        self._inside = frozenset(pair for token in special for pair in pairwise(token))

    @property
    def notes(self) -> tuple[str, ...]:
        return self._inner.notes

    def encode(self, text: str) -> Sequence[int]:
        ids: list[int] = []
        for part in self._parts(text):
            ids += self._inner.encode(part.text) if part.special is None else (part.special,)
        return ids

    def count(self, text: str, *, ahead: int = 0) -> int:
        return sum(
            self._inner.count(part.text, ahead=ahead) if part.special is None else 1 for part in self._parts(text)
        )

    def is_cut(self, text: str, c: int) -> bool:
        """The rule for added tokens stands in cuts.py, that for NFC as well."""
        if not self._inner.is_cut(text, c) or (text[c - 1], text[c]) in self._inside:
            return False
        return not self._nfc or is_stable(text[c - 1])

    def decode(self, ids: Sequence[int]) -> bytes:
        return self._inner.decode(ids)

    def start(self, text: str, index: int) -> int:
        """As declared; a token that begins inside a character counts from the begin of that character."""
        byte = 0
        for part in self._parts(text):
            ids = self._inner.encode(part.text) if part.special is None else (part.special,)
            if index < len(ids):
                start = self._inner.start(part.text, index) if index else 0
                return byte + (start if part.source == part.text else _before_nfc(part.source, start))
            index -= len(ids)
            byte += len(part.source.encode())
        return byte

    def _parts(self, text: str) -> Iterator["_Part"]:
        place = 0
        for start, end in self._found(text):
            if place < start:
                yield self._ordinary(text[place:start])
            yield _Part(text[start:end], text[start:end], self._special[text[start:end]])
            place = end
        if place < len(text):
            yield self._ordinary(text[place:])

    def _found(self, text: str) -> Iterator[tuple[int, int]]:
        place = 0
        while head := self._head.search(text, place):
            start = head.start()
            lengths = self._lengths[text[start]]
            size = next((size for size in lengths if text[start : start + size] in self._special), 0)
            place = start + (size or 1)
            if size:
                yield start, place

    def _ordinary(self, source: str) -> "_Part":
        if not self._nfc or source.isascii():
            return _Part(source, source, None)
        from unicodedata import normalize

        return _Part(source, normalize("NFC", source), None)


class _Part(NamedTuple):
    source: str
    text: str  # normalized
    special: int | None  # the id, where the part is a special token


def is_stable(character: str) -> bool:
    """NFC leaves the character as it is; U+0958, a letter, it makes a letter and a mark."""
    if character.isascii():
        return True
    from unicodedata import is_normalized

    return is_normalized("NFC", character)


def _before_nfc(source: str, byte: int) -> int:
    """The byte of `source` that byte `byte` of its NFC comes from, or the begin of the character that it lies in."""
    from bisect import bisect_right
    from unicodedata import normalize

    def size(end: int) -> int:
        return len(normalize("NFC", source[:end]).encode())

    end = bisect_right(range(len(source) + 1), byte, key=size) - 1
    whole = normalize("NFC", source)
    while not whole.startswith(normalize("NFC", source[:end])):
        end -= 1
    return len(source[:end].encode())
