"""Gemini generateContent, in the names of the wire (camelCase) or of Python dumps (snake_case)."""

from promptlint.load.blocks import Body, content, objects, required_array, rest, role_of, text_or_none, wrong
from promptlint.load.tools import tool_items
from promptlint.prompt import Item, Json, Kind, Path, Segment

_SYSTEM = ("systemInstruction", "system_instruction")
_DATA = ("inlineData", "inline_data", "fileData", "file_data")


def load(value: Json, path: Path) -> Body:
    """A generateContent request."""
    if not isinstance(value, dict):
        raise wrong(path, value, "a generateContent request (an object)")
    required_array(value, "contents", path)
    items = tool_items(value.get("tools"), (*path, "tools"))
    for name in _SYSTEM:
        items += _system_items(value.get(name), (*path, name))
    items += message_items(value["contents"], (*path, "contents"))
    consumed = frozenset({"tools", "contents", "model", *_SYSTEM})
    return Body(tuple(items), consumed, text_or_none(value.get("model")))


def _system_items(value: Json, path: Path) -> list[Item]:
    segments = _parts(value, path) if isinstance(value, dict) else content(value, path, "gemini")
    return [Item("system", None, None, path, tuple(segments))] if segments else []


def message_items(value: Json, path: Path) -> list[Item]:
    """One item a content."""
    items = []
    for at, entry in objects(value, path):
        segments = _parts(entry, at) + rest(entry, at, frozenset({"role", "parts"}))
        items.append(Item("messages", role_of(entry, at), None, at, tuple(segments)))
    return items


def _parts(holder: dict[str, Json], path: Path) -> list[Segment]:
    return [
        segment._replace(kind=_media(segment.content, segment.kind))
        for segment in content(holder.get("parts"), (*path, "parts"), "gemini")
    ]


def _media(part: Json, kind: Kind) -> Kind:
    """Inline data and files are images or documents by their MIME type."""
    held = next((part[name] for name in _DATA if name in part), None) if isinstance(part, dict) else None
    mime = (held.get("mimeType") or held.get("mime_type")) if isinstance(held, dict) else None
    if not isinstance(mime, str):
        return kind
    return "image" if mime.startswith("image/") else "document"
