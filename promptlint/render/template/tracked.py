"""A str that knows where its characters come from.

Every method takes its text from Python and only adds pieces to it; where it cannot, the answer is a plain str, whose
origin is unknown. So a fault here can lose an origin, but never change a text.
"""

import operator
from collections.abc import Callable, Iterable, Iterator
from typing import Any, SupportsIndex

from promptlint.render.template.pieces import SLIDING, Pieces, cut, joined

MOST = 200_000
"""Past so many pieces, or characters to take apart, a result is a plain str: tracking stays linear where Python is."""


class Tracked(str):
    """A str with pieces. It adds no public name to those of str, so a template cannot tell them apart."""

    __slots__ = ("_pieces",)
    _pieces: Pieces

    def __new__(cls, text: str = "", pieces: Pieces | None = None) -> "Tracked":
        self = str.__new__(cls, text)
        self._pieces = pieces_of(text) if pieces is None else pieces
        return self

    def __str__(self) -> str:
        return self

    def __getitem__(self, key: SupportsIndex | slice) -> str:
        text = str.__getitem__(self, key)
        if not isinstance(key, slice):
            at = operator.index(key) % len(self)
            return Tracked(text, cut(self._pieces, ((at, at + 1),))[0])
        start, end, step = key.indices(len(self))
        if step == 1:
            return (
                self if len(text) == len(self) else Tracked(text, cut(self._pieces, ((start, start + len(text)),))[0])
            )
        characters = list(self)
        return checked(text, lambda: concat([characters[at] for at in range(start, end, step)]))

    def __iter__(self) -> Iterator[str]:
        return str.__iter__(self) if len(self) > MOST else _characters(self)

    def __add__(self, other: object) -> Any:
        # Markup escapes what it is added to: its own __radd__ has to answer.
        return _sum(self, other) if isinstance(other, str) and not hasattr(other, "__html__") else NotImplemented

    def __radd__(self, other: object) -> Any:
        return _sum(other, self) if isinstance(other, str) and not hasattr(other, "__html__") else NotImplemented

    def __mul__(self, count: SupportsIndex) -> str:
        text = str.__mul__(self, count)
        few = len(self._pieces) * max(operator.index(count), 0) <= MOST
        return Tracked(text, joined([self._pieces] * operator.index(count))) if few else text

    __rmul__ = __mul__

    def __mod__(self, values: object) -> str:
        from promptlint.render.template.formats import percent

        return checked(str.__mod__(self, values), lambda: percent(self, values))

    def lstrip(self, characters: str | None = None, /) -> str:
        return self[len(self) - len(str.lstrip(self, characters)) :]

    def rstrip(self, characters: str | None = None, /) -> str:
        return self[: len(str.rstrip(self, characters))]

    def strip(self, characters: str | None = None, /) -> str:
        return self.lstrip(characters).rstrip(characters)

    def removeprefix(self, prefix: str, /) -> str:
        return self[len(self) - len(str.removeprefix(self, prefix)) :]

    def removesuffix(self, suffix: str, /) -> str:
        return self[: len(str.removesuffix(self, suffix))]

    def split(self, sep: str | None = None, maxsplit: SupportsIndex = -1) -> list[str]:
        return _between(self, str.split(self, sep, maxsplit), sep)

    def rsplit(self, sep: str | None = None, maxsplit: SupportsIndex = -1) -> list[str]:
        return _between(self, str.rsplit(self, sep, maxsplit), sep)

    def splitlines(self, keepends: bool = False) -> list[str]:
        whole = _between(self, str.splitlines(self, True), "")
        return (
            whole if keepends else [line[: len(bare)] for line, bare in zip(whole, str.splitlines(self), strict=True)]
        )

    def partition(self, sep: str, /) -> tuple[str, str, str]:
        head, found, tail = _between(self, str.partition(self, sep), "")
        return head, found, tail

    def rpartition(self, sep: str, /) -> tuple[str, str, str]:
        head, found, tail = _between(self, str.rpartition(self, sep), "")
        return head, found, tail

    def replace(self, old: str, new: str, count: SupportsIndex = -1, /) -> str:
        text = str.replace(self, old, new, count)
        if not old:
            return text
        return checked(text, lambda: _with_separator(new, _between(self, str.split(self, old, count), old)))

    def join(self, parts: Iterable[str], /) -> str:
        parts = list(parts)
        text = str.join(self, parts)
        return (
            text
            if any(hasattr(part, "__html__") for part in parts)
            else checked(text, lambda: _with_separator(self, parts))
        )

    def upper(self) -> str:
        return _recased(self, str.upper(self))

    def lower(self) -> str:
        return _recased(self, str.lower(self))

    def capitalize(self) -> str:
        return _recased(self, str.capitalize(self))

    def title(self) -> str:
        return _recased(self, str.title(self))

    def swapcase(self) -> str:
        return _recased(self, str.swapcase(self))

    def casefold(self) -> str:
        return _recased(self, str.casefold(self))


# In messages that name the type, such as those of a failed addition, it is what the template's author knows.
Tracked.__name__, Tracked.__module__ = "str", "builtins"


def pieces_of(text: str) -> Pieces:
    """The pieces of any string; those of a plain one are unknown."""
    if type(text) is Tracked:
        return text._pieces
    return ((len(text), "unknown", None, None, None),) if text else ()


def concat(parts: Iterable[str], most: int = MOST) -> str:
    """The strings joined, with their pieces if these are no more than `most`."""
    parts = list(parts)
    pieces = joined([pieces_of(part) for part in parts])
    text = "".join(parts)
    return Tracked(text, pieces) if len(pieces) <= most else text


def _sum(left: str, right: str) -> str:
    """As `concat` of two, which templates do most."""
    text, before, behind = str.__add__(left, right), pieces_of(left), pieces_of(right)
    if len(before) + len(behind) > MOST:
        return text
    apart = not before or not behind or before[-1][1] != behind[0][1]
    return Tracked(text, before + behind if apart else joined((before, behind)))


def slices(text: Tracked, spans: Iterable[tuple[int, int]]) -> list[str]:
    """The parts of `text` at ascending spans that do not overlap."""
    spans = list(spans)
    return [
        Tracked(str.__getitem__(text, slice(*span)), pieces)
        for span, pieces in zip(spans, cut(text._pieces, spans), strict=True)
    ]


def _characters(text: Tracked) -> Iterator[str]:
    place = 0
    for length, kind, source, char, line in text._pieces:
        for ahead in range(length):
            own = char + ahead if char is not None and kind in SLIDING else char
            yield Tracked(str.__getitem__(text, place + ahead), ((1, kind, source, own, line),))
        place += length


def checked(text: str, build: Callable[[], str]) -> str:
    """`build`'s tracked answer if it says the same as `text`, which is Python's own; else `text`."""
    try:
        tracked = build()
    except Exception:  # a form that is not understood is no fault: only the origin is lost
        return text
    return tracked if tracked == text else text


def _between(text: Tracked, parts: Iterable[str], separator: str | None) -> list[str]:
    """The parts that Python made of `text`, as slices. Without a separator only white space lies between them."""
    spans: list[tuple[int, int]] = []
    place = 0
    for part in parts:
        start = str.index(text, part, place) if separator is None else place
        spans.append((start, start + len(part)))
        place = start + len(part) + len(separator or "")
    return slices(text, spans)


def _with_separator(separator: str, parts: Iterable[str]) -> str:
    spaced: list[str] = []
    for part in parts:
        spaced += (separator, part)
    return concat(spaced[1:])


def _recased(before: Tracked, after: str) -> str:
    """`after` with the pieces of `before`, whose characters it spells in another case."""
    if len(before) != len(after):  # one character became two: the places are lost
        return after
    pieces = []
    start = 0
    for length, kind, source, char, line in before._pieces:
        if str.__getitem__(before, slice(start, start + length)) == after[start : start + length]:
            pieces.append((length, kind, source, char, line))
        elif kind in ("value", "changed"):
            pieces.append((length, "changed", source, char, line))
        else:
            pieces.append((length, "unknown", None, None, line))
        start += length
    return Tracked(after, tuple(pieces))
