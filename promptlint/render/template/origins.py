"""Pieces as they travel from the child to the parent, and there become origins.

A part is JSON: {"sources": [sources not told before], "rows": [[length, kind, source, character, line, column], ...]}.
In a row, `source` is the number of a source, counted from 0 over all parts: a path into the variables, or a name.
"""

import json
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from itertools import accumulate
from typing import Any

from promptlint.prompt import Origin
from promptlint.render.template.pieces import OWN_TEXT, Piece

MOST = 100_000  # of one rendering; what is behind them is one more, unknown
_PART = 64 * 1024  # about so many characters of JSON
_LONGEST = 16 * 1024  # characters of a source; keys that are longer than that are no help
_KINDS = {"spelled": "changed", "escape": "template"}
_KNOWN = frozenset(("value", "key", "changed", "serialised", "template", "call", "computed", "unknown"))


def told(pieces: Iterable[Piece], sources: dict[str | None, str]) -> Iterator[bytes]:
    """The parts that tell of these pieces; `sources` are the templates, as the lexer reads them."""
    starts = {
        name: list(accumulate(map(len, text.split("\n")), lambda at, length: at + length + 1, initial=0))
        for name, text in sources.items()
    }
    numbers: dict[Any, int] = {}
    fresh: list[Any] = []
    rows: list[list[Any]] = []
    size = 0
    for length, kind, source, at, printed_by in _first(pieces):
        char, line, column = at, printed_by or None, None
        if kind in OWN_TEXT and at is not None:
            line = bisect_right(starts[source], at)
            char, column = None, at - starts[source][line - 1] + 1
        if source is not None and source not in numbers:
            told_as = sum([len(step) if isinstance(step, str) else 4 for step in source])
            if told_as > _LONGEST:
                kind, source, char = "unknown", None, None
            else:
                numbers[source] = len(numbers)
                fresh.append(source)
                size += told_as
        rows.append([length, _KINDS.get(kind, kind), numbers.get(source), char, line, column])
        size += 40
        if size > _PART:
            yield json.dumps({"sources": fresh, "rows": rows}).encode()
            fresh, rows, size = [], [], 0
    if rows:
        yield json.dumps({"sources": fresh, "rows": rows}).encode()


class Origins:
    """Collects the origins of a text of `length` characters; refuses with ValueError what cannot be."""

    def __init__(self, length: int) -> None:
        self.found: list[Origin] = []
        self._length = length
        self._end = 0
        self._sources: list[Any] = []
        self._steps: dict[Any, Any] = {}  # one object for equal steps of paths

    def add(self, part: bytes) -> None:
        """Take one part."""
        told = json.loads(part)
        for source in told["sources"]:
            self._sources.append(source if isinstance(source, str) else tuple([self._step(step) for step in source]))
        for length, kind, number, char, line, column in told["rows"]:
            source = None if number is None else self._sources[number]
            path = source if isinstance(source, tuple) else None
            start, self._end = self._end, self._end + length
            name = source if isinstance(source, str) else ""
            numbers = all(each is None or type(each) is int for each in (char, line, column))
            if not numbers or length <= 0 or self._end > self._length or kind not in _KNOWN or len(self.found) > MOST:
                raise ValueError("origins that cannot be")
            self.found.append(Origin(start, self._end, kind, path, char, line, column, name))

    def all(self) -> tuple[Origin, ...]:
        """The origins, if they cover the text."""
        if self.found and self._end != self._length:
            raise ValueError("origins that do not cover the text")
        return tuple(self.found)

    def _step(self, step: Any) -> Any:
        if step is not None and type(step) not in (str, int):
            raise ValueError("a path that cannot be")
        return self._steps.setdefault((type(step), step), step)


def _first(pieces: Iterable[Piece]) -> Iterator[Piece]:
    """The pieces, as far as they are told."""
    rest = 0
    for number, piece in enumerate(pieces):
        if number < MOST:
            yield piece
        else:
            rest += piece[0]
    if rest:
        yield rest, "unknown", None, None, None
