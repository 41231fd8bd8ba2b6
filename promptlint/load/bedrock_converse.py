"""Bedrock Converse: blocks without a type, markers as blocks of their own."""

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
from promptlint.prompt import Item, Json, Marker, Path, Segment


def load(value: Json, path: Path) -> Body:
    """A Converse request."""
    if not isinstance(value, dict):
        raise wrong(path, value, "a Converse request (an object)")
    required_array(value, "messages", path)
    config = value.get("toolConfig")
    if config is not None and not isinstance(config, dict):
        raise wrong((*path, "toolConfig"), config, "an object")
    system, lost_system = _system_items(value.get("system"), (*path, "system"))
    messages, lost = message_items(value["messages"], (*path, "messages"))
    items = [*tool_items((config or {}).get("tools"), (*path, "toolConfig", "tools")), *system, *messages]
    settings = {(*path, "toolConfig", name): held for name, held in (config or {}).items() if name != "tools"}
    consumed = frozenset({"toolConfig", "system", "messages", "modelId"})
    return Body(tuple(items), consumed, text_or_none(value.get("modelId")), None, settings, notes=lost_system + lost)


def _point(entry: Json, path: Path) -> Marker | None:
    """The marker of a block that is nothing but a marker."""
    return marker(entry, path) if isinstance(entry, dict) and set(entry) == {"cachePoint"} else None


def _system_items(value: Json, path: Path) -> tuple[list[Item], tuple[str, ...]]:
    segments, lost = _blocks(value, path)
    items = []
    for segment in segments:
        at = segment.path[: len(path) + 1]
        items.append(Item("system", None, None, at, (segment,)))
    return items, lost


def _blocks(value: Json, path: Path) -> tuple[list[Segment], tuple[str, ...]]:
    """The segments of an array of blocks; a marker belongs to the block before it."""
    if not isinstance(value, list):
        return content(value, path, "bedrock"), ()
    segments: list[Segment] = []
    lost: tuple[str, ...] = ()
    for index, entry in enumerate(value):
        point = _point(entry, (*path, index))
        if point is None:
            segments.append(block(entry, (*path, index), "bedrock"))
        elif segments:
            segments[-1] = segments[-1]._replace(marker=point)
        else:
            lost = ("a cachePoint with no block before it in its list is not counted",)
    return segments, lost


def message_items(value: Json, path: Path) -> tuple[list[Item], tuple[str, ...]]:
    """One item a message, and notes."""
    items = []
    notes: tuple[str, ...] = ()
    for at, message in objects(value, path):
        segments, lost = _blocks(message.get("content"), (*at, "content"))
        segments += rest(message, at, frozenset({"role", "content"}))
        items.append(Item("messages", role_of(message, at), None, at, tuple(segments)))
        notes = notes or lost
    return items, notes
