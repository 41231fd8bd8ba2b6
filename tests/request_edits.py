"""One request, edits of it, and what a divergence says in short."""

import copy
from collections.abc import Callable
from typing import Any

from documents import rendered
from promptlint.boundary import Divergence, text_divergences
from promptlint.prompt import Path
from promptlint.read.places import pointer

Edit = Callable[[Any], object]
Seen = tuple[str, str, str, str]  # cause, place in A, place in B, within
USER = "Please look at the files in the project."
RESULT = "line one of the result\nline two of the result\nline three of the result"


def tool(name: str, description: str = "does things well") -> dict[str, Any]:
    properties = {"q": {"type": "string"}, "n": {"type": "integer", "default": 1}}
    schema = {"type": "object", "properties": properties, "required": ["q", "n"]}
    return {"name": name, "description": description, "input_schema": schema}


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


BASE: dict[str, Any] = {
    "model": "claude-sonnet-4-5",
    "max_tokens": 10,
    "tools": [tool("read"), tool("write"), tool("find")],
    "system": [text("You are a helpful assistant."), text("Second block about the style of answers.")],
    "messages": [
        {"role": "user", "content": USER},
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "Let me look at this", "signature": "abc"},
                text("I will look."),
                {"type": "tool_use", "id": "toolu_01AbCdEf9", "name": "read", "input": {"q": "a", "n": 1}},
            ],
        },
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_01AbCdEf9", "content": RESULT}]},
        {"role": "assistant", "content": [text("There are three lines in that result.")]},
        {"role": "user", "content": "Now what about the weather in Rome?"},
    ],
}


def place(path: Path, atom: str, char: int) -> str:
    found = pointer(path)
    assert isinstance(found, str)
    return f"{found}{'#' if atom == 'key' else ':'}{char}"


def seen(found: list[Divergence]) -> list[Seen]:
    """Places as `pointer:char`, or `pointer#char` inside a key."""
    rows = []
    for d in found:
        within = pointer(d.within)
        assert isinstance(within, str)
        rows.append((d.cause, place(d.a.path, d.a.atom, d.a.char), place(d.b.path, d.b.atom, d.b.char), within))
    return rows


def same(cause: str, found: str, within: str) -> Seen:
    """A change that stands at one place in both."""
    return cause, found, found, within


def edit(*path: Any, to: Any) -> Edit:
    def change(request: Any) -> None:
        for step in path[:-1]:
            request = request[step]
        request[path[-1]] = to

    return change


def at(*path: Any, do: str, args: tuple[Any, ...] = ()) -> Edit:
    def change(request: Any) -> None:
        for step in path:
            request = request[step]
        getattr(request, do)(*args)

    return change


def both(*edits: Edit) -> Edit:
    return lambda request: [change(request) for change in edits]


def edited(change: Edit) -> dict[str, Any]:
    request = copy.deepcopy(BASE)
    change(request)
    return request


def divergences(change: Edit) -> list[Divergence]:
    return text_divergences(rendered(BASE), rendered(edited(change)))


def messages(change: Edit) -> list[str]:
    return [d.message for d in divergences(change)]
