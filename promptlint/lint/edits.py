"""What a fix does: edits of values in a JSON text, or of ranges in a template, that leave all other bytes alone."""

import json
from collections.abc import Iterable
from typing import NamedTuple

from promptlint.prompt import Document, Json, Number, Path
from promptlint.read.spans import Node, Span, escapes, find, lookup
from promptlint.template import SourceRange


class Remove(NamedTuple):
    """Take a member out of its object, or an entry out of its array."""

    path: Path


class Put(NamedTuple):
    """Write a value: in place of the one at the path, or as a new last member of the object that should hold it."""

    path: Path
    value: Json


class Replace(NamedTuple):
    """Other characters in a decoded string, or in a file of a template."""

    at: "Path | SourceRange"
    start: int  # characters of the string; of the file for a SourceRange, where both are those of the range
    end: int
    text: str


Edit = Remove | Put | Replace


class Splice(NamedTuple):
    """Characters `start:end` of a text become `text`."""

    start: int
    end: int
    text: str


def splices(document: Document, edits: Iterable[Edit]) -> list[Splice]:
    """The edits as changes of the document's text; what leads nowhere, or into a decoded string, is left out."""
    edits = list(edits)
    paths = [edit.path for edit in edits if not isinstance(edit, Replace)]
    wanted = [path for edit in edits for path in ([edit.at] if isinstance(edit, Replace) else [edit.path])]
    parents = [path[:-1] for path in paths]
    root = find(document.text, [*(path for path in wanted if isinstance(path, tuple)), *parents], {})
    done: list[Splice] = []
    for edit in edits:
        if isinstance(edit, Replace):
            done += _replaced(document.text, edit, root)
        elif isinstance(edit, Remove):
            done += _removed(document.text, edit.path, root)
        else:
            done += _put(document.text, edit, root)
    return done


def applied(text: str, changes: Iterable[Splice]) -> tuple[str, int]:
    """The text with all changes that do not overlap an earlier one, and how many were left out."""
    parts: list[str] = []
    done = left = 0
    for change in sorted(set(changes)):
        if change.start < done:
            left += 1
            continue
        parts += [text[done : change.start], change.text]
        done = change.end
    return "".join([*parts, text[done:]]), left


def _span(root: Node, path: Path, *, key: bool = False) -> Span | None:
    node, exists = lookup(root, path)
    span = node.key if key else node.value
    return span if exists and span is not None and span.layer.outer is None else None


def _replaced(text: str, edit: Replace, root: Node) -> list[Splice]:
    if isinstance(edit.at, SourceRange):
        return [Splice(edit.at.start, edit.at.end, edit.text)]
    span = _span(root, edit.at)
    if span is None or text[span.start] != '"':
        return []
    table = escapes(text, span.start + 1, span.end - 1)
    begin, end = (span.start + 1 + table.raw(char) for char in (edit.start, edit.end))
    return [Splice(begin, end, written(edit.text, text)[1:-1])]


def _removed(text: str, path: Path, root: Node) -> list[Splice]:
    """A member with its comma and the white space that it leaves: the one in front of it, or behind the first."""
    span, key = _span(root, path), _span(root, path, key=True)
    if span is None:
        return []
    begin, end = (key or span).start, span.end
    before, behind = _back(text, begin), _ahead(text, end)
    if text[before - 1] == ",":
        return [Splice(_back(text, before - 1), end, "")]
    if text[behind : behind + 1] == ",":
        return [Splice(begin, _ahead(text, behind + 1), "")]
    return [Splice(before, behind, "")]


def _put(text: str, edit: Put, root: Node) -> list[Splice]:
    span = _span(root, edit.path)
    if span is not None:
        return [Splice(span.start, span.end, written(edit.value, text))]
    holder = _span(root, edit.path[:-1])
    if holder is None or text[holder.start] != "{" or not isinstance(edit.path[-1], str):
        return []
    inside = text[holder.start + 1 : holder.end - 1]
    member = f"{written(edit.path[-1], text)}:{_gap(text)}{written(edit.value, text)}"
    if not inside.strip():
        return [Splice(holder.start + 1, holder.end - 1, member)]
    end = holder.start + 1 + len(inside.rstrip())
    first = len(inside) - len(inside.lstrip())
    lead = inside[:first] if "\n" in inside[:first] else _separator(text)
    return [Splice(end, end, f",{lead}{member}")]


def written(value: Json, like: str) -> str:
    """A value as JSON text, with spaces as the text around it has them; other characters than ASCII as there, too."""
    gap = _gap(like)
    return json.dumps(
        _plain(value), ensure_ascii=like.isascii(), separators=(f",{gap}" if gap else ",", f":{gap}"), allow_nan=False
    )


def _plain(value: Json) -> object:
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, Number):
        return json.loads(value.text)
    return value


def _gap(text: str) -> str:
    """Whether a space follows a colon: as behind the first one of the text that follows a key."""
    place = text.find('":')
    return " " if place < 0 or text[place + 2 : place + 3].isspace() else ""


def _separator(text: str) -> str:
    return " " if _gap(text) else ""


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
