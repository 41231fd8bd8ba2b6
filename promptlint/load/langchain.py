"""Messages that LangChain has written down: constructors (`lc`, `kwargs`), `{type, data}`, or their fields alone."""

from typing import Any

from promptlint import facts
from promptlint.load.blocks import content, objects, wrong
from promptlint.prompt import Item, Json, Level, Path, Segment

_TOOL_ROLES = frozenset({"tool", "function"})


def message_items(value: Json, path: Path) -> list[Item]:
    """One item a message; the system messages at the front are the system text."""
    items = []
    level: Level = "system"
    for at, message in objects(value, path):
        holder, inside = next(((message[n], (*at, n)) for n in ("kwargs", "data") if n in message), (message, at))
        if not isinstance(holder, dict):
            raise wrong(inside, holder, "the fields of a message (an object)")
        role, said_at = _role(message, holder, at, inside)
        if role != "system":
            level = "messages"
        items.append(Item(level, role, None, at, tuple(_segments(holder, role, inside)), said_at))
    return items


def _dialect() -> Any:
    return facts.table("formats")["dialects"]["langchain"]


def _role(message: dict[str, Json], holder: dict[str, Json], path: Path, inside: Path) -> tuple[str | None, Path]:
    """The role and where it is said: by the class that is constructed, or by the type."""
    if isinstance(holder.get("role"), str):  # a ChatMessage
        return str(holder["role"]), (*inside, "role")
    names = message.get("id")
    if "kwargs" in message and isinstance(names, list) and names and isinstance(names[-1], str):
        said, at = names[-1].removesuffix("Chunk"), (*path, "id", len(names) - 1)
    else:
        holds = message if isinstance(message.get("type"), str) else holder
        kind = holds.get("type")
        said = kind.removesuffix("MessageChunk") if isinstance(kind, str) else ""
        at = (*(path if holds is message else inside), "type")
    roles: dict[str, str] = _dialect()["roles"]
    return roles.get(said, roles.get(said.lower(), said)) or None, at


def _segments(holder: dict[str, Json], role: str | None, path: Path) -> list[Segment]:
    silent = frozenset(_dialect()["silent"]) | {"role"}
    if role in _TOOL_ROLES:
        return [Segment("tool_result", path, holder, None, silent)]
    segments = content(holder.get("content"), (*path, "content"), "openai")
    if not any(segment.kind == "tool_call" for segment in segments):
        segments += _calls(holder, path)
    left = frozenset(holder) - silent - {"content", "tool_calls"}
    if any(holder[name] not in (None, [], {}) for name in left):
        segments.append(Segment("other", path, holder, None, frozenset(holder) - left))
    return segments


def _calls(holder: dict[str, Json], path: Path) -> list[Segment]:
    """LangChain's own calls, or the provider's where it kept only these."""
    extra = holder.get("additional_kwargs")
    for calls, at in ((holder.get("tool_calls"), path), (extra, (*path, "additional_kwargs"))):
        held = calls.get("tool_calls") if isinstance(calls, dict) else calls
        if isinstance(held, list) and held:
            return [Segment("tool_call", inner, call) for inner, call in objects(held, (*at, "tool_calls"))]
    return []
