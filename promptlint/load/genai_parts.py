"""Messages of the GenAI conventions: a role and typed parts."""

from promptlint.load.blocks import kinds, objects, rest, role_of
from promptlint.prompt import Item, Json, Level, Path, Segment


def message_items(value: Json, path: Path) -> list[Item]:
    """One item a message; the system messages at the front are the system text."""
    items = []
    level: Level = "system"
    for at, message in objects(value, path):
        role = role_of(message, at)
        if role not in ("system", "developer"):
            level = "messages"
        segments = parts(message.get("parts"), (*at, "parts")) + rest(message, at, frozenset({"role", "parts"}))
        items.append(Item(level, role, None, at, tuple(segments)))
    return items


def parts(value: Json, path: Path) -> list[Segment]:
    """The segments of a list of parts: of a text part its text alone."""
    return [_part(part, at) for at, part in objects(value, path)]


def _part(part: dict[str, Json], path: Path) -> Segment:
    kind = part.get("type")
    if kind == "text" and isinstance(part.get("content"), str):
        return Segment("text", (*path, "content"), part["content"])
    return Segment(kinds("otel").get(kind, "other") if isinstance(kind, str) else "other", path, part)
