"""Anthropic Messages, first party and as the body of a Bedrock InvokeModel call."""

from promptlint.load.blocks import (
    Body,
    block,
    content,
    marker,
    objects,
    required_array,
    rest,
    role_of,
    text_or_none,
    wrong,
)
from promptlint.load.tools import tool_items
from promptlint.prompt import Item, Json, Path

DIALECT = "anthropic"


def load(value: Json, path: Path) -> Body:
    """A Messages request."""
    if not isinstance(value, dict):
        raise wrong(path, value, "a Messages request (an object)")
    required_array(value, "messages", path)
    items = [
        *tool_items(value.get("tools"), (*path, "tools")),
        *system_items(value.get("system"), (*path, "system")),
        *message_items(value["messages"], (*path, "messages")),
    ]
    consumed = frozenset({"tools", "system", "messages", "model", "cache_control"})
    automatic = marker(value, path)
    return Body(tuple(items), consumed, text_or_none(value.get("model")), automatic)


def system_items(value: Json, path: Path) -> list[Item]:
    """A string is one item, an array one item a block."""
    if isinstance(value, list):
        return [
            Item("system", None, None, (*path, index), (block(entry, (*path, index), DIALECT),))
            for index, entry in enumerate(value)
        ]
    segments = content(value, path, DIALECT)
    return [Item("system", None, None, path, tuple(segments))] if segments else []


def message_items(value: Json, path: Path) -> list[Item]:
    """One item a message."""
    items = []
    for at, message in objects(value, path):
        segments = content(message.get("content"), (*at, "content"), DIALECT)
        segments += rest(message, at, frozenset({"role", "content"}))
        items.append(Item("messages", role_of(message, at), None, at, tuple(segments)))
    return items
