"""OpenAI Responses."""

from promptlint.errors import PromptlintError
from promptlint.load.blocks import (
    Body,
    content,
    kind_of,
    lifted_marker,
    marker,
    objects,
    pointer,
    rest,
    role_of,
    text_or_none,
    with_marker,
    wrong,
)
from promptlint.load.openai_chat import SYSTEM_ROLES
from promptlint.load.tools import tool_items
from promptlint.prompt import Item, Json, Level, Path, Segment

_MESSAGE = frozenset({"type", "role", "content"})


def load(value: Json, path: Path) -> Body:
    """A Responses request."""
    if not isinstance(value, dict):
        raise wrong(path, value, "a Responses request (an object)")
    if value.get("input") is None and value.get("instructions") is None and value.get("prompt") is None:
        raise PromptlintError(f"a request without `input`: {pointer(path)} has no such field")
    items = [
        *tool_items(value.get("tools"), (*path, "tools")),
        *_instructions(value.get("instructions"), (*path, "instructions")),
        *input_items(value.get("input"), (*path, "input")),
    ]
    consumed = frozenset({"tools", "instructions", "input", "model"})
    return Body(tuple(items), consumed, text_or_none(value.get("model")))


def _instructions(value: Json, path: Path) -> list[Item]:
    if isinstance(value, list):
        return input_items(value, path, only="system")
    segments = content(value, path, "openai")
    return [Item("system", None, None, path, tuple(segments))] if segments else []


def input_items(value: Json, path: Path, only: Level | None = None) -> list[Item]:
    """A string, or one item for each input item; system and developer messages at the front are the system text."""
    if isinstance(value, str):
        return [Item(only or "messages", "user", None, path, (Segment("text", path, value),))]
    items = []
    level: Level = "system"
    for at, entry in objects(value, path):
        role = role_of(entry, at)
        if role not in SYSTEM_ROLES:
            level = "messages"
        items.append(Item(only or level, role, None, at, tuple(_segments(entry, role, at))))
    return items


def _segments(entry: dict[str, Json], role: str | None, path: Path) -> list[Segment]:
    if role is None:
        return [Segment(kind_of(entry, "openai"), path, entry, lifted_marker(entry, path))]
    segments = content(entry.get("content"), (*path, "content"), "openai")
    return with_marker(segments + rest(entry, path, _MESSAGE), marker(entry, path))
