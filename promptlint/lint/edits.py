"""What a fix does: edits of values in a JSON text, or of ranges in a template, that leave all other bytes alone."""

import json
from bisect import bisect_left, insort
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from promptlint.prompt import Document, Json, Number, Path
from promptlint.read.spans import Escapes, Node, Span, escapes, find, lookup
from promptlint.template import SourceRange


class Remove(NamedTuple):
    """Take a member out of its object, or an entry out of its array."""

    path: Path


class Put(NamedTuple):
    """Write a value: in place of the one at the path, or as a new last member of the object that should hold it."""

    path: Path
    value: Json


class Add(NamedTuple):
    """Write a new entry of an array, behind the one at the path."""

    path: Path
    value: Json


class Wrap(NamedTuple):
    """Make an array of one block of a string, which stays as it is written: `[{**front, key: STRING, **behind}]`."""

    path: Path
    front: Mapping[str, Json]
    key: str
    behind: Mapping[str, Json]


class Replace(NamedTuple):
    """Other characters in a decoded string, or in the text of a file."""

    at: "Path | SourceRange"
    start: int  # characters of the string; of the file for a SourceRange, where both are those of the range
    end: int
    text: str


Edit = Remove | Put | Add | Wrap | Replace


class Splice(NamedTuple):
    """Characters `start:end` of a text become `text`."""

    start: int
    end: int
    text: str


def splices(document: Document, fixes: Iterable[Sequence[Edit]]) -> list[tuple[Splice, ...]]:
    """Each fix as changes of the document's text, in order; () for one that cannot be made as a whole.

    That is one with an edit that leads nowhere or into a string that is JSON itself, or whose edits are in each
    other's way.
    """
    fixes = list(fixes)
    paths = [path for fix in fixes for edit in fix if (path := _path(edit)) is not None]
    root = find(document.text, [*paths, *(path[:-1] for path in paths)], {})
    text = _Text(document.text, root)
    done = []
    for fix in fixes:
        found = [text.splices(edit) for edit in fix]
        changes = sorted({change for part in found for change in part})
        fits = all(found) and not any(_meet(one, other) for one, other in pairwise(changes))
        done.append(tuple(changes) if fits else ())
    return done


def applied(text: str, fixes: Iterable[Sequence[Splice]]) -> tuple[str, list[bool]]:
    """The text with the fixes, and which of them are in it: one that touches an earlier one is left out."""
    taken: list[Splice] = []
    made: dict[tuple[Splice, ...], bool] = {}
    which = []
    for fix in fixes:
        key = tuple(fix)
        if key not in made:
            made[key] = bool(key) and not any(_touches(change, taken) for change in key)
            if made[key]:
                for change in key:
                    insort(taken, change)
        which.append(made[key])
    parts, done = [], 0
    for change in taken:
        parts += [text[done : change.start], change.text]
        done = change.end
    return "".join([*parts, text[done:]]), which


def _path(edit: Edit) -> Path | None:
    if isinstance(edit, Replace):
        return None if isinstance(edit.at, SourceRange) else edit.at
    return edit.path


def _meet(one: Splice, other: Splice) -> bool:
    """Whether two changes of one fix, in order, cannot both be made: what is new needs a place of its own."""
    if one.start == one.end or other.start == other.end:
        return other.start <= one.end
    return other.start < one.end


def _touches(change: Splice, taken: list[Splice]) -> bool:
    """Whether it overlaps or borders on one of these, which do not overlap."""
    number = bisect_left(taken, change)
    near = taken[max(number - 1, 0) : number + 1]
    return any(other.start <= change.end and change.start <= other.end for other in near)


class _Text:
    """A JSON text with the spans of what is to be edited."""

    def __init__(self, text: str, root: Node) -> None:
        self.text = text
        self.root = root
        self.escapes = cache(self._escapes)  # a string may be edited in many places

    def splices(self, edit: Edit) -> list[Splice]:
        """Nothing where the edit leads nowhere."""
        if isinstance(edit, Replace):
            return list(self._replaced(edit))
        if isinstance(edit, Remove):
            return list(self._removed(edit.path))
        if isinstance(edit, Put):
            return list(self._put(edit))
        return list(self._added(edit) if isinstance(edit, Add) else self._wrapped(edit))

    def _span(self, path: Path, *, key: bool = False) -> Span | None:
        node, exists = lookup(self.root, path)
        span = node.key if key else node.value
        return span if exists and span is not None and span.layer.outer is None else None

    def _string(self, path: Path) -> Span | None:
        span = self._span(path)
        return span if span is not None and self.text[span.start] == '"' else None

    def _escapes(self, start: int, end: int) -> Escapes:
        return escapes(self.text, start, end)

    def _replaced(self, edit: Replace) -> Iterator[Splice]:
        if isinstance(edit.at, SourceRange):
            yield Splice(edit.at.start, edit.at.end, edit.text)
        elif (span := self._string(edit.at)) is not None:
            table = self.escapes(span.start + 1, span.end - 1)
            begin, end = (span.start + 1 + table.raw(char) for char in (edit.start, edit.end))
            yield Splice(begin, end, written(edit.text, self.text)[1:-1])

    def _removed(self, path: Path) -> Iterator[Splice]:
        """With its comma and the white space that it leaves: the one in front of it, or behind the first."""
        span, key = self._span(path), self._span(path, key=True)
        if span is None or not path:
            return
        text, begin, end = self.text, (key or span).start, span.end
        before, behind = _back(text, begin), _ahead(text, end)
        if text[before - 1] == ",":
            yield Splice(_back(text, before - 1), end, "")
        elif text[behind : behind + 1] == ",":
            yield Splice(begin, _ahead(text, behind + 1), "")
        else:
            yield Splice(before, behind, "")

    def _put(self, edit: Put) -> Iterator[Splice]:
        text, span = self.text, self._span(edit.path)
        if span is not None:
            yield Splice(span.start, span.end, written(edit.value, text))
            return
        holder = self._span(edit.path[:-1]) if edit.path else None
        if holder is None or text[holder.start] != "{" or not isinstance(edit.path[-1], str):
            return
        member = _members({edit.path[-1]: edit.value}, text)
        end = _back(text, holder.end - 1)
        if end == holder.start + 1:
            yield Splice(end, holder.end - 1, member)
        else:
            yield Splice(end, end, f",{_lead(text, holder.start + 1)}{member}")

    def _added(self, edit: Add) -> Iterator[Splice]:
        span, holder = self._span(edit.path), self._span(edit.path[:-1]) if edit.path else None
        if span is not None and holder is not None and self.text[holder.start] == "[":
            lead = _lead(self.text, holder.start + 1)
            yield Splice(span.end, span.end, f",{lead}{written(edit.value, self.text)}")

    def _wrapped(self, edit: Wrap) -> Iterator[Splice]:
        span = self._string(edit.path)
        if span is None:
            return
        text = self.text
        comma = "," + (" " if _gap(text) else "")
        front = "".join(f"{member}{comma}" for member in (_members(edit.front, text),) if member)
        behind = "".join(f"{comma}{member}" for member in (_members(edit.behind, text),) if member)
        opening = f"[{{{front}{written(edit.key, text)}:{_gap(text)}"
        yield Splice(span.start, span.start, opening)
        yield Splice(span.end, span.end, f"{behind}}}]")


def written(value: Json, like: str) -> str:
    """A value as JSON text, with spaces as the text around it has them; other characters than ASCII as there, too."""
    gap = _gap(like)
    return json.dumps(
        _plain(value), ensure_ascii=like.isascii(), separators=(f",{gap}" if gap else ",", f":{gap}"), allow_nan=False
    )


def _members(held: Mapping[str, Json], like: str) -> str:
    return written(dict(held), like)[1:-1]


def _plain(value: Json) -> object:
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, Number):
        return json.loads(value.text)
    return value


def _gap(text: str) -> str:
    """The space behind a colon: as behind the first one of the text that follows a key."""
    place = text.find('":')
    return " " if place < 0 or text[place + 2 : place + 3].isspace() else ""


def _lead(text: str, inside: int) -> str:
    """What stands between a comma and an entry: the line feed and the indent of the first one, or a space."""
    first = text[inside : _ahead(text, inside)]
    return first if "\n" in first else _gap(text)


def _back(text: str, place: int) -> int:
    """The place behind the last character in front that is no white space."""
    while place and text[place - 1] in " \t\r\n":
        place -= 1
    return place


def _ahead(text: str, place: int) -> int:
    """The first place that is no white space."""
    while text[place : place + 1] and text[place] in " \t\r\n":
        place += 1
    return place
