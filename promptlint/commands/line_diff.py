"""A unified diff of two texts that differ in few lines here and there, in time that grows with their size only."""

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

_CONTEXT = 3  # lines
_SEARCHED = 60  # lines behind a difference in which both texts go on alike, or else difflib has to look
_NO_END = "\\ No newline at end of file\n"


class Stretch(NamedTuple):
    """Lines `a:b` of the old text are lines `c:d` of the new one."""

    a: int
    b: int
    c: int
    d: int


def unified(old: str, new: str, path: str) -> str:
    """What `patch -p1` takes; "" for equal texts. Lines end at line feeds alone, as `patch` reads them."""
    first, second = _lines(old), _lines(new)
    parts = list(_hunks(list(_changes(first, second)), first, second))
    tab = "\t" if any(char.isspace() for char in path) else ""  # so that a name may hold spaces
    return "".join([f"--- a/{path}{tab}\n+++ b/{path}{tab}\n", *parts]) if parts else ""


def _lines(text: str) -> list[str]:
    lines = text.split("\n")
    return [*(f"{line}\n" for line in lines[:-1]), *(line for line in lines[-1:] if line)]


def _changes(old: Sequence[str], new: Sequence[str]) -> Iterator[Stretch]:
    a = c = 0
    while a < len(old) or c < len(new):
        if a < len(old) and c < len(new) and old[a] == new[c]:
            a, c = a + 1, c + 1
            continue
        ahead = _next_alike(old, new, a, c)
        if ahead is None:
            yield from _rest(old, new, a, c)
            return
        yield Stretch(a, ahead[0], c, ahead[1])
        a, c = ahead


def _next_alike(old: Sequence[str], new: Sequence[str], a: int, c: int) -> tuple[int, int] | None:
    """The nearest lines behind these from which on both texts are alike, for two lines or to their ends."""
    for far in range(1, _SEARCHED):
        for more in range(far + 1):
            b, d = a + far - more, c + more
            if b <= len(old) and d <= len(new) and old[b : b + 2] == new[d : d + 2]:
                return b, d
    return None


def _rest(old: Sequence[str], new: Sequence[str], a: int, c: int) -> Iterator[Stretch]:
    for tag, begin, end, first, last in SequenceMatcher(None, old[a:], new[c:]).get_opcodes():
        if tag != "equal":
            yield Stretch(a + begin, a + end, c + first, c + last)


def _hunks(changes: list[Stretch], old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    begin = 0
    for number, change in enumerate(changes):
        if number + 1 == len(changes) or changes[number + 1].a - change.b > 2 * _CONTEXT:
            yield "".join(_hunk(changes[begin : number + 1], old, new))
            begin = number + 1


def _hunk(changes: list[Stretch], old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    first, last = changes[0], changes[-1]
    before = min(_CONTEXT, first.a)
    behind = min(_CONTEXT, len(old) - last.b)
    spans = _span(first.a - before, last.b + behind), _span(first.c - before, last.d + behind)
    yield f"@@ -{spans[0]} +{spans[1]} @@\n"
    place = first.a - before
    for change in changes:
        yield from _rows(" ", old, place, change.a)
        yield from _rows("-", old, change.a, change.b)
        yield from _rows("+", new, change.c, change.d)
        place = change.b
    yield from _rows(" ", old, place, last.b + behind)


def _span(begin: int, end: int) -> str:
    """Line and count; of no lines the line in front."""
    return f"{begin + (end > begin)},{end - begin}"


def _rows(sign: str, lines: Sequence[str], begin: int, end: int) -> Iterator[str]:
    for line in lines[begin:end]:
        yield f"{sign}{line}" if line.endswith("\n") else f"{sign}{line}\n{_NO_END}"
