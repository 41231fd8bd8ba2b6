"""Which difference of what the authors sent explains a stretch of the rendered prompts."""

from bisect import bisect_right
from collections.abc import Iterable
from typing import NamedTuple

from promptlint.boundary.divergence import Divergence
from promptlint.boundary.pairing import Pairing, entry_of
from promptlint.boundary.shown import Shown, printed_in
from promptlint.boundary.template_causes import Hunk
from promptlint.facts.causes import cause
from promptlint.prompt import Path, Rendered

_Index = dict[Path, set[int]]


class Covered(NamedTuple):
    """What the differences cover on one side: numbers of differences by place, by what contains it, by entry."""

    at: _Index
    within: _Index
    entries: _Index


class Reasons(NamedTuple):
    """The differences of two requests, and where the prompts could show them."""

    sent: list[Divergence]
    a: Covered
    b: Covered

    def of(self, hunk: Hunk, a: Shown, b: Shown) -> set[int]:
        """Numbers of the differences of which a place is printed in a hunk."""
        found = _touched(self.a, a.prompt, hunk.a0, hunk.a1)
        return found | _touched(self.b, b.prompt, hunk.b0, hunk.b1)

    def beside(self, hunk: Hunk, a: Shown, b: Shown, pairing: Pairing) -> set[int]:
        """Numbers of the differences of the entries whose text stands in a hunk or next to it."""
        entries_a = _entries_around(a, hunk.a0, hunk.a1, pairing.items_a)
        entries_b = _entries_around(b, hunk.b0, hunk.b1, pairing.items_b)
        found = [self.a.entries.get(entry, set()) for entry in entries_a]
        return set().union(*found, *(self.b.entries.get(entry, set()) for entry in entries_b))

    def costly(self, numbers: Iterable[int]) -> list[int]:
        """Those that are more than an appended turn or another form of the same, in their order."""
        return sorted(number for number in numbers if not cause(self.sent[number].cause).benign)


def reasons(sent: list[Divergence], form_a: Rendered, form_b: Rendered, pairing: Pairing) -> Reasons:
    """The index of differences of two documented forms; those that repeat cover the places of their repeats, too."""
    a, b = Covered({}, {}, {}), Covered({}, {}, {})
    for number, first in enumerate(sent):
        for d in (first, *first.repeats):
            _enter(a, number, _paths(form_a, d.a_start, d.a_end), pairing.items_a)
            _enter(b, number, _paths(form_b, d.b_start, d.b_end), pairing.items_b)
    return Reasons(sent, a, b)


def _enter(covered: Covered, number: int, paths: set[Path], items: frozenset[Path]) -> None:
    for path in paths:
        covered.at.setdefault(path, set()).add(number)
        for depth in range(len(path) + 1):
            covered.within.setdefault(path[:depth], set()).add(number)
        if (entry := entry_of(path, items)) is not None:
            covered.entries.setdefault(entry, set()).add(number)


def _paths(form: Rendered, start: int, end: int) -> set[Path]:
    """The atoms of a documented form that stand in a range of it."""
    found: set[Path] = set()
    first = max(bisect_right(form.items, start, key=lambda item: item.char) - 1, 0)
    for item in form.items[first:]:
        if item.char >= end:
            break
        at = item.char
        for piece in item.pieces:
            if at < end and at + len(piece.text) + len(form.separator) > start:
                found.add(piece.path)
            at += len(piece.text) + len(form.separator)
    return found


def _touched(covered: Covered, prompt: Rendered, start: int, end: int) -> set[int]:
    found: set[int] = set()
    for origin in printed_in(prompt, start, end):
        path = origin.path or ()
        if None in path:  # a template was given the value of a string that holds JSON: the string is what was sent
            path = path[: path.index(None)]
        index = covered.within if origin.kind == "serialised" else covered.at
        found |= index.get(path, set())
    return found


def _entries_around(side: Shown, start: int, end: int, items: frozenset[Path]) -> set[Path]:
    first = bisect_right(side.ends, start) - 1
    last = first + 1
    while last < len(side.values) and side.values[last].start < end:
        last += 1
    near = side.values[max(first, 0) : last + 1]
    return {entry for origin in near if (entry := entry_of(origin.path or (), items)) is not None}
