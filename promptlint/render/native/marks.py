"""Where the values of a request stand in a prompt that a library made of it.

The request is rendered a second time with a mark, a text found nowhere else, in place of each value. Where both prompts
have the same control tokens, and the same text up to and behind a mark, the value that the mark stood for is claimed,
if it is there. So equal values are told apart, and what the library changed is not claimed.
"""

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from promptlint.prompt import CharIndex, Origin, OriginKind, Path
from promptlint.render.native.prompt import Stretches

_MARK = re.compile(r'\{"promptlint-(\d{6})": 0\}|promptlint-(\d{6})')
_TEXTS = ("content", "reasoning_content", "reasoning", "text", "thinking", "instructions")


class Mark(NamedTuple):
    """One value of the request."""

    path: Path
    shown: str  # how the mark stands in the text
    forms: tuple[tuple[str, OriginKind], ...]  # how the value may stand there


def plant(body: dict[str, Any], *, schemas: bool) -> tuple[dict[str, Any], list[Mark]]:
    """A Chat request with a mark in place of each text, name, call and (with `schemas`) parameters of a tool."""
    marks: list[Mark] = []
    marked = dict(body)
    marked["messages"] = [_message(m, ("messages", i), marks) for i, m in enumerate(body["messages"])]
    if isinstance(body.get("tools"), list):
        marked["tools"] = [_tool(tool, ("tools", i), marks, schemas) for i, tool in enumerate(body["tools"])]
    return marked, marks


def _message(message: dict[str, Any], path: Path, marks: list[Mark]) -> dict[str, Any]:
    marked = dict(message)
    for name in message.keys() & set(_TEXTS):
        plant_one = _json if message.get("role") == "tool" else _text
        marked[name] = _content(message[name], (*path, name), marks, plant_one)
    if isinstance(message.get("tool_calls"), list):
        marked["tool_calls"] = [
            _function(call, (*path, "tool_calls", i), marks, ("name",), "arguments")
            for i, call in enumerate(message["tool_calls"])
        ]
    return marked


def _content(content: Any, path: Path, marks: list[Mark], plant_one: Any) -> Any:
    if not isinstance(content, list):
        return plant_one(content, path, marks)
    return [_part(part, (*path, i), marks) for i, part in enumerate(content)]


def _part(part: Any, path: Path, marks: list[Mark]) -> Any:
    if not isinstance(part, dict):
        return part
    texts = {name: _text(part[name], (*path, name), marks) for name in _TEXTS if isinstance(part.get(name), str)}
    return part | texts


def _tool(tool: Any, path: Path, marks: list[Mark], schemas: bool) -> Any:
    return _function(tool, path, marks, ("name", "description"), "parameters" if schemas else None)


def _function(holder: Any, path: Path, marks: list[Mark], texts: tuple[str, ...], value: str | None) -> Any:
    """A tool or a call: `texts` and `value` are fields of its `function`."""
    if not isinstance(holder, dict) or not isinstance(holder.get("function"), dict):
        return holder
    function = dict(holder["function"])
    for name in texts:
        if name in function:
            function[name] = _text(function[name], (*path, "function", name), marks)
    if value in function:
        function[value] = _json(function[value], (*path, "function", value), marks)
    return holder | {"function": function}


def _text(value: Any, path: Path, marks: list[Mark]) -> Any:
    if not isinstance(value, str) or not value.strip():
        return value  # what is empty may be left out with all that belongs to it, so it must stay empty
    mark = f"promptlint-{len(marks):06}"
    forms: list[tuple[str, OriginKind]] = [(value, "value"), (value.rstrip(" "), "value")]
    marks.append(Mark(path, mark, tuple(forms)))
    return mark


def _json(value: Any, path: Path, marks: list[Mark]) -> Any:
    """Marks an object, or a string that is itself JSON, with an object, so that the library takes the same way."""
    try:
        held = json.loads(value) if isinstance(value, str) else value
    except (ValueError, RecursionError):
        return _text(value, path, marks)
    if not isinstance(value, str | dict):
        return value
    mark = {f"promptlint-{len(marks):06}": 0}
    forms: list[tuple[str, OriginKind]] = [(value, "value")] if isinstance(value, str) else []
    marks.append(Mark(path, json.dumps(mark), (*forms, (json.dumps(held, ensure_ascii=False), "serialised"))))
    return json.dumps(mark) if isinstance(value, str) else mark


def claims(real: Stretches, marked: Stretches, marks: list[Mark]) -> list[Origin]:
    """The origins that can be shown, in the order of the text."""
    if real.controls != marked.controls:
        return []
    pairs = zip(real.starts, real.texts, marked.texts, strict=True)
    return [
        origin._replace(start=start + origin.start, end=start + origin.end)
        for start, text, with_marks in pairs
        for origin in _found(text, with_marks, marks)
    ]


def _found(text: str, with_marks: str, marks: list[Mark]) -> Iterator[Origin]:
    """Goes on from mark to mark until something differs."""
    spots = list(_MARK.finditer(with_marks))
    if not spots or not text.startswith(with_marks[: spots[0].start()]):
        return
    at = spots[0].start()
    for spot, following in zip(spots, [*spots[1:], None], strict=True):
        mark = marks[int(spot[1] or spot[2])]
        behind = with_marks[spot.end() : following.start() if following else None]
        for form, kind in mark.forms if spot[0] == mark.shown else ():
            end = at + len(form) + len(behind)
            if text.startswith(form + behind, at) and (following or end == len(text)):
                if form:
                    char = CharIndex(0) if kind == "value" else None
                    yield Origin(at, at + len(form), kind, mark.path, char)
                at = end
                break
        else:
            return
