"""Two large JSON documents that are mostly equal: the second is parsed only where its bytes are its own.

A value is parsed by looking at its own characters alone. So where both texts are equal, from the start of the
documents or from some place to their ends, what the first document holds there the second one holds too.
"""

import re
from collections.abc import Mapping
from functools import cache
from json import JSONDecoder
from typing import NamedTuple

from promptlint.prompt import Document, Json, Number
from promptlint.read.json_text import too_deep
from promptlint.read.surrogates import escapes_surrogates

_DEEPEST = 3  # objects within objects that are walked; an entry of a list is parsed at one stroke

_ESCAPE = 6  # characters of an escape, which may lie across the border of what is shared

_number = cache(Number)
_space = re.compile(r"[ \t\n\r]*").match


class NotPlain(Exception):
    """Something that the plain parser has to tell about: duplicate keys, NaN, bad syntax."""


Outline = dict[int, tuple[Json, int]]
"""Where an entry of an outer container begins -> its value, and where it ends (characters)."""


class Equal(NamedTuple):
    """Where a second text equals that of `outline`: its first `head` characters, and all from `tail` on."""

    outline: Outline
    head: int
    tail: int
    shift: int  # from a place in the equal end to the same place in the first text

    def entry(self, begin: int) -> tuple[Json, int] | None:
        """The entry that begins here, if the first document has the same."""
        if begin >= self.tail:
            found = self.outline.get(begin + self.shift)
            return (found[0], found[1] - self.shift) if found else None
        found = self.outline.get(begin)
        return found if found and found[1] < self.head else None


class Parsed(NamedTuple):
    """A parsed document."""

    value: Json
    ends: Mapping[int, int]  # where an entry of an outer container begins -> where it ends (characters)


def parse_pair(a: Document, b: Document) -> tuple[Parsed, Parsed] | tuple[None, None]:
    """Both values, sharing what is equal in both documents; nothing where the plain parser has something to tell."""
    try:
        value_a, outline_a = outline(a.text)
        value_b, outline_b = outline(b.text, _equal(outline_a, a, b))
    except (NotPlain, ValueError, RecursionError):
        return None, None
    start, end = (place for place, _ in b.anchors) if b.anchors else (0, len(b.text))
    own = max(start - _ESCAPE, 0), min(end + _ESCAPE, len(b.text))
    if too_deep(value_a) or too_deep(value_b) or escapes_surrogates(a.text) or escapes_surrogates(b.text, *own):
        return None, None
    return Parsed(value_a, _ends(outline_a)), Parsed(value_b, _ends(outline_b))


def _equal(first: Outline, a: Document, b: Document) -> Equal | None:
    if len(b.anchors) != 2:
        return None
    (head, _), (tail, _) = b.anchors
    return Equal(first, head, tail, len(a.text) - len(b.text))


def _ends(found: Outline) -> Mapping[int, int]:
    return {begin: end for begin, (_, end) in found.items()}


def outline(text: str, equal: Equal | None = None) -> tuple[Json, Outline]:
    """The value of a JSON text and its outline; what `equal` holds is taken over, not parsed.

    Raises NotPlain, ValueError or RecursionError for anything out of the ordinary; the plain parser then says what.
    """
    walk = _Walk(text, equal)
    root, end = walk.value(_after_space(text, 0), 0)
    if _after_space(text, end) != len(text):
        raise NotPlain
    return root, walk.entries


class _Walk:
    """One pass over a text."""

    def __init__(self, text: str, equal: Equal | None) -> None:
        self.text = text
        self.equal = equal
        self.entries: Outline = {}

    def value(self, begin: int, depth: int) -> tuple[Json, int]:
        """The value that begins here, and where it ends."""
        known = self.equal.entry(begin) if self.equal is not None else None
        if known is None:
            opening = self.text[begin : begin + 1]
            if depth < _DEEPEST and opening == "{":
                known = self._members(begin, depth)
            elif depth < _DEEPEST and opening == "[" and self.text.startswith("{", _after_space(self.text, begin + 1)):
                known = self._elements(begin)
            else:
                known = _scan(self.text, begin)
        self.entries[begin] = known
        return known

    def _members(self, begin: int, depth: int) -> tuple[Json, int]:
        held: dict[str, Json] = {}
        place = _after_space(self.text, begin + 1)
        while not self.text.startswith("}", place):
            key, colon = _scan(self.text, place)
            if not isinstance(key, str) or key in held:
                raise NotPlain
            place = _after_space(self.text, self._sign(_after_space(self.text, colon), ":"))
            held[key], end = self.value(place, depth + 1)
            place = self._next(end, "}")
        return held, place + 1

    def _elements(self, begin: int) -> tuple[Json, int]:
        held: list[Json] = []
        place = _after_space(self.text, begin + 1)
        while not self.text.startswith("]", place):
            entry, end = self.value(place, _DEEPEST)
            held.append(entry)
            place = self._next(end, "]")
        return held, place + 1

    def _sign(self, place: int, sign: str) -> int:
        if not self.text.startswith(sign, place):
            raise NotPlain
        return place + 1

    def _next(self, end: int, bracket: str) -> int:
        """The place of the next entry, or of the closing bracket."""
        place = _after_space(self.text, end)
        if self.text.startswith(bracket, place):
            return place
        after = _after_space(self.text, self._sign(place, ","))
        if self.text.startswith(bracket, after):
            raise NotPlain
        return after


def _after_space(text: str, place: int) -> int:
    if text[place : place + 1] > " ":
        return place
    found = _space(text, place)
    return found.end() if found else place


def _no_duplicates(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise NotPlain
    return found


def _no_constant(_: str) -> Json:
    raise NotPlain


_scan = JSONDecoder(
    object_pairs_hook=_no_duplicates, parse_int=_number, parse_float=_number, parse_constant=_no_constant
).raw_decode
