"""Messages and tools that are spread over attributes, one a field: `NAME.0.role`, `NAME.0.content`, …"""

import re

from promptlint.load.attributes import Attribute, Attributes, attributes
from promptlint.load.tools import tool_item
from promptlint.prompt import Item, Json, Kind, Level, Path, Segment

_SYSTEM = ("system", "developer")
_EVENTS = ("gen_ai.system.message", "gen_ai.user.message", "gen_ai.assistant.message", "gen_ai.tool.message")
_ORDER = ("role", "name", "reasoning", "content", "contents", "parts", "tool_call_id", "tool_calls")
_SILENT = frozenset({"type", "mime_type", "modality"})
_LAYERS = frozenset({"message", "message_content", "tool_call", "tool"})  # OpenInference names the kind of each object

_Field = tuple[tuple[str, ...], Attribute]


def holds(held: Attributes, prefix: str | None) -> bool:
    """Whether any attribute is a field of an entry of `prefix`."""
    return prefix is not None and any(name.startswith(f"{prefix}.0.") for name in held)


def message_items(held: Attributes, prefix: str | None) -> list[Item]:
    """One item a message, in the order of their numbers; the system messages at the front are the system text."""
    items: list[Item] = []
    level: Level = "system"
    for fields in _entries(held, prefix):
        role = next((found for way, found in fields if way == ("role",)), None)
        said = role.value if role is not None and isinstance(role.value, str) else None
        if said not in _SYSTEM:
            level = "messages"
        segments = [_segment(way, found, said) for way, found in fields if way != ("role",)]
        place = role.path if role is not None else fields[0][1].path
        items.append(Item(level, said, None, place, tuple(segments), place))
    return items


def tool_items(held: Attributes, prefix: str | None) -> list[Item]:
    """One item a tool: its definition as JSON text, or its fields."""
    items = []
    for fields in _entries(held, prefix):
        whole = next((found.entered() for way, found in fields if way[-1] == "json_schema"), None)
        if whole is not None and isinstance(whole.value, dict):
            items.append(tool_item(whole.value, whole.path))
            continue
        name = next((found.value for way, found in fields if way[-1] == "name"), None)
        segments = tuple(Segment("tool", found.path, found.value) for _, found in fields)
        items.append(Item("tools", None, name if isinstance(name, str) else None, fields[0][1].path, segments))
    return items


def events(span: dict[str, Json], path: Path) -> list[Item]:
    """Messages that older emitters wrote as events of a span, one each."""
    items: list[Item] = []
    level: Level = "system"
    held = span.get("events")
    for index, event in enumerate(held) if isinstance(held, list) else ():
        name = event.get("name") if isinstance(event, dict) else None
        if name not in _EVENTS or not isinstance(event, dict):
            continue
        at = (*path, "events", index)
        found = attributes(event, at)
        role = name.split(".")[1]
        if role != "system":
            level = "messages"
        fields = [
            (tuple(key.split(".")), found[key])
            for key in ("content", "gen_ai.event.content", "tool_calls", "id")
            if key in found
        ]
        segments = [_segment(way, attribute, role) for way, attribute in fields]
        items.append(Item(level, role, None, at, tuple(segments), (*at, "name")))
    return items


def _entries(held: Attributes, prefix: str | None) -> list[list[_Field]]:
    """The fields of each entry that hold a scalar, in one order whatever the order of the attributes."""
    if prefix is None:
        return []
    found: dict[int, list[_Field]] = {}
    lead = re.compile(rf"{re.escape(prefix)}\.(\d{{1,9}})\.(.+)", re.DOTALL).fullmatch
    for name, attribute in held.items():
        match = lead(name)
        if match and not isinstance(attribute.value, dict | list) and attribute.value is not None:
            way = tuple(step for step in match[2].split(".") if step not in _LAYERS)
            if way and way[-1] not in _SILENT:
                found.setdefault(int(match[1]), []).append((way, attribute))
    return [sorted(found[number], key=lambda field: _rank(field[0])) for number in sorted(found)]


def _rank(way: tuple[str, ...]) -> tuple[tuple[int, int, str], ...]:
    """Known fields first, numbers by their value."""
    return tuple(
        (_ORDER.index(step) if step in _ORDER else len(_ORDER), int(step) if step.isdecimal() else 0, step)
        for step in way
    )


def _segment(way: tuple[str, ...], found: Attribute, role: str | None) -> Segment:
    kind: Kind = "text"
    if role in ("tool", "function"):
        kind = "tool_result"
    elif "tool_calls" in way or "function_call" in way[0]:
        kind = "tool_call"
    elif "image" in way[-2:] or "url" in way[-1:]:
        kind = "image"
    return Segment(kind, found.path, found.value)
