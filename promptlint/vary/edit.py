"""Edits of a JSON document: each returns a new one, and leaves the old one as it is."""

from collections.abc import Callable

from promptlint.boundary.settings import json_text
from promptlint.prompt import Json, Path
from promptlint.read.json_text import parse_string

Change = Callable[[Json], Json]


def changed(value: Json, path: Path, change: Change) -> Json:
    """The document with `change` of what stands at `path`. A step None enters JSON in a text, which stays a text.

    Fields that are not there are made on the way, as objects.
    """
    if not path:
        return change(value)
    step, rest = path[0], path[1:]
    if value is None and isinstance(step, str):
        value = {}
    if step is None and isinstance(value, str):
        return json_text(changed(parse_string(value), rest, change))
    if isinstance(value, dict) and isinstance(step, str):
        return {**value, step: changed(value.get(step), rest, change)}
    if isinstance(value, list) and isinstance(step, int):
        return [changed(held, rest, change) if index == step else held for index, held in enumerate(value)]
    return value


def put(value: Json, path: Path, new: Json) -> Json:
    """The document with `new` at `path`; a field that is not there is added."""
    return changed(value, path, lambda _: new)


def inserted(value: Json, path: Path, *new: Json) -> Json:
    """The document with entries in front of the one at `path`, which ends in an index (that of the end: behind all)."""
    *holder, index = path

    def insert(held: Json) -> Json:
        return [*held[:index], *new, *held[index:]] if isinstance(held, list) and isinstance(index, int) else held

    return changed(value, tuple(holder), insert)


def removed(value: Json, path: Path) -> Json:
    """The document without the field or entry at `path`."""
    *holder, last = path

    def remove(held: Json) -> Json:
        if isinstance(held, dict):
            return {name: inner for name, inner in held.items() if name != last}
        return [inner for index, inner in enumerate(held) if index != last] if isinstance(held, list) else held

    return changed(value, tuple(holder), remove)


def without(value: Json, names: frozenset[str]) -> Json:
    """A value without the fields of these names, however deep they stand."""
    if isinstance(value, dict):
        return {name: without(held, names) for name, held in value.items() if name not in names}
    return [without(held, names) for held in value] if isinstance(value, list) else value
