"""The lines that a change touches, file by file."""

from collections.abc import Iterable
from typing import NamedTuple

from promptlint.check_facts import Hunk
from promptlint.commands.check.trees import Sides, Tree
from promptlint.read.hunks import at_line, hunks, nearest


class Spot(NamedTuple):
    """A line of a file after the change."""

    path: str  # from the top
    line: int
    column: int = 1
    pointer: str | tuple[str, ...] = ""


class Placed(NamedTuple):
    """A spot as the user knows it, with the changed lines that it stands in, or that brought it."""

    path: str
    line: int
    column: int
    pointer: str | tuple[str, ...]
    hunk: Hunk | None


class Lines:
    """The changed lines of two states; those of each file are worked out once."""

    def __init__(self, sides: Sides) -> None:
        self._sides = sides
        self._there = frozenset(sides.before.paths), frozenset(sides.after.paths)
        self._known: dict[str, tuple[Hunk, ...]] = {}

    def of(self, path: str) -> tuple[Hunk, ...]:
        """The hunks of a file, named as it is after the change, or before it if it is gone."""
        if path not in self._known:
            self._known[path] = self._worked_out(path)
        return self._known[path]

    def _worked_out(self, path: str) -> tuple[Hunk, ...]:
        sides, (before, after) = self._sides, self._there
        if path not in sides.touched and path not in sides.gone:
            return ()
        old = sides.old(path)
        was = _text(sides.before, old) if old in before else None
        now = _text(sides.after, path) if path in after else None
        return hunks(was, now, sides.after.shown(path))

    def shown(self, path: str) -> str:
        """A path from the top as the user knows it."""
        return self._sides.after.shown(path)

    def placed(self, spots: Iterable[Spot], files: Iterable[str]) -> Placed:
        """The first of some spots that stands in a changed line; else the changed line next to one of them, else any
        of these files, that of the first spot in front."""
        spots = list(spots)
        for spot in spots:
            found = at_line(self.of(spot.path), spot.line)
            if found is not None:
                return self._as_known(spot, found)
        first = spots[0] if spots else None
        for path in (*(spot.path for spot in spots), *files):
            line = next((spot.line for spot in spots if spot.path == path), 1)
            near = nearest(self.of(path), line)
            if near is not None:
                return self._as_known(Spot(path, max(near.new_start, 1)), near)
        return self._as_known(first or Spot(next(iter(files), ""), 1), None)

    def _as_known(self, spot: Spot, found: Hunk | None) -> Placed:
        return Placed(self._sides.after.shown(spot.path), spot.line, spot.column, spot.pointer, found)


def _text(tree: Tree, path: str) -> str | None:
    tree.fetch((path,))
    try:
        with open(tree.path(path), "rb") as file:
            data = file.read(64 << 20)
    except OSError:
        return None
    return data.decode("utf-8-sig", "replace")
