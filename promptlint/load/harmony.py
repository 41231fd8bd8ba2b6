"""Harmony conversations, as openai-harmony writes them: channels, recipients, typed content."""

from promptlint.load.blocks import Body, content, objects, required_array, rest, role_of, wrong
from promptlint.prompt import Item, Json, Kind, Level, Path, Segment

_HEAD = frozenset({"role", "content"})
_INSTRUCTIONS = frozenset({"type", "instructions", "tools"})


def load(value: Json, path: Path) -> Body:
    """A conversation: an object with `messages`, or the array itself."""
    if isinstance(value, dict):
        required_array(value, "messages", path)
        return Body(tuple(message_items(value["messages"], (*path, "messages"))), frozenset({"messages"}))
    return Body(tuple(message_items(value, path)), frozenset())


def message_items(value: Json, path: Path) -> list[Item]:
    """One item a message; the system and developer messages at the front are the system text."""
    items = []
    level: Level = "system"
    for at, message in objects(value, path):
        role = role_of(message, at)
        if role not in ("system", "developer"):
            level = "messages"
        items.append(Item(level, role, None, at, (*rest(message, at, _HEAD), *_content(message, role, at))))
    return items


def _content(message: dict[str, Json], role: str | None, path: Path) -> list[Segment]:
    held, at = message.get("content"), (*path, "content")
    if not isinstance(held, list):
        return [segment._replace(kind=_kind(message, role)) for segment in content(held, at, "harmony")]
    segments: list[Segment] = []
    for index, entry in enumerate(held):
        if isinstance(entry, dict) and entry.get("type") == "developer_content":
            segments += _developer(entry, (*at, index))
        elif isinstance(entry, dict) and isinstance(entry.get("text"), str):
            segments.append(Segment(_kind(message, role), (*at, index, "text"), entry["text"]))
        else:
            segments.append(Segment("other", (*at, index), entry))
    return segments


def _developer(entry: dict[str, Json], path: Path) -> list[Segment]:
    """Instructions, then the tools of each namespace."""
    text = entry.get("instructions")
    segments = [Segment("text", (*path, "instructions"), text)] if isinstance(text, str) else []
    spaces = entry.get("tools")
    if spaces is None:
        return segments + rest(entry, path, _INSTRUCTIONS)
    if not isinstance(spaces, dict):
        raise wrong((*path, "tools"), spaces, "an object of namespaces")
    for name, space in spaces.items():
        at = (*path, "tools", name)
        if not isinstance(space, dict):
            raise wrong(at, space, "a namespace (an object)")
        segments += rest(space, at, frozenset({"tools"}))
        segments += [Segment("tool", inner, tool) for inner, tool in objects(space.get("tools"), (*at, "tools"))]
    return segments + rest(entry, path, _INSTRUCTIONS)


def _kind(message: dict[str, Json], role: str | None) -> Kind:
    if role == "tool":
        return "tool_result"
    if role == "assistant" and isinstance(message.get("recipient"), str) and message["recipient"] != "all":
        return "tool_call"
    return "thinking" if message.get("channel") == "analysis" else "text"
