"""Messages of the Vercel AI SDK, as its spans hold them: parts in camelCase, cache markers among provider options."""

from typing import Any

from promptlint import facts
from promptlint.load.blocks import kinds, objects, rest, role_of, text_or_none, with_marker
from promptlint.prompt import Item, Json, Level, Marker, Path, Segment


def message_items(value: Json, path: Path) -> list[Item]:
    """One item a message; the system messages at the front are the system text."""
    items = []
    level: Level = "system"
    silent = frozenset(_dialect()["silent"])
    for at, message in objects(value, path):
        role = role_of(message, at)
        if role != "system":
            level = "messages"
        held, inside = message.get("content"), (*at, "content")
        if isinstance(held, str):
            segments = [Segment("text", inside, held)]
        else:
            segments = [_part(part, place, silent) for place, part in objects(held, inside)]
        segments += rest(message, at, silent | {"role", "content"})
        items.append(Item(level, role, None, at, tuple(with_marker(segments, _marker(message, at)))))
    return items


def _dialect() -> Any:
    return facts.table("formats")["dialects"]["ai-sdk"]


def _part(part: dict[str, Json], path: Path, silent: frozenset[str]) -> Segment:
    kind, found = part.get("type"), _marker(part, path)
    if kind == "text" and isinstance(part.get("text"), str):
        return Segment("text", (*path, "text"), part["text"], found)
    return Segment(kinds("ai-sdk").get(kind, "other") if isinstance(kind, str) else "other", path, part, found, silent)


def _marker(holder: dict[str, Json], path: Path) -> Marker | None:
    """A marker among the options for a provider."""
    for name in _dialect()["silent"]:
        options = holder.get(name)
        for vendor, held in options.items() if isinstance(options, dict) else ():
            for mark in _dialect()["markers"]:
                said = held.get(mark) if isinstance(held, dict) else None
                if isinstance(said, dict):
                    return Marker((*path, name, vendor, mark), text_or_none(said.get("ttl")))
    return None
