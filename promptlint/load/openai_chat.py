"""OpenAI Chat Completions, and what other servers take in the same shape."""

from promptlint.load.blocks import (
    Body,
    content,
    lifted_marker,
    marker,
    objects,
    reasoning_names,
    required_array,
    rest,
    role_of,
    text_or_none,
    with_marker,
    wrong,
)
from promptlint.load.tools import tool_items
from promptlint.prompt import Item, Json, Level, Path, Segment

SYSTEM_ROLES = frozenset({"system", "developer"})
RESULT_ROLES = frozenset({"tool", "function"})


def load(value: Json, path: Path) -> Body:
    """A Chat Completions request."""
    if not isinstance(value, dict):
        raise wrong(path, value, "a Chat Completions request (an object)")
    required_array(value, "messages", path)
    items = [
        *tool_items(value.get("tools"), (*path, "tools")),
        *tool_items(value.get("functions"), (*path, "functions")),
        *message_items(value["messages"], (*path, "messages")),
    ]
    consumed = frozenset({"tools", "functions", "messages", "model", "cache_control"})
    return Body(tuple(items), consumed, text_or_none(value.get("model")), marker(value, path))


def message_items(value: Json, path: Path, dialect: str = "openai", apart: frozenset[str] = frozenset()) -> list[Item]:
    """One item a message; the system and developer messages at the front are the system text.

    `apart`: fields of a message that the caller reads.
    """
    items = []
    level: Level = "system"
    for at, message in objects(value, path):
        role = role_of(message, at)
        if role not in SYSTEM_ROLES:
            level = "messages"
        items.append(Item(level, role, None, at, tuple(_segments(message, role, at, dialect, apart))))
    return items


def _segments(
    message: dict[str, Json], role: str | None, path: Path, dialect: str, apart: frozenset[str]
) -> list[Segment]:
    if role in RESULT_ROLES:
        return [Segment("tool_result", path, message, lifted_marker(message, path), frozenset({"role"}))]
    reasoning = [name for name in message if name in reasoning_names() and message[name] is not None]
    segments = [Segment("thinking", (*path, name), message[name]) for name in reasoning]
    segments += content(message.get("content"), (*path, "content"), dialect)
    covered = {"role", "content", *reasoning, *apart}
    calls: list[Segment] = []
    if isinstance(message.get("tool_calls"), list):
        covered.add("tool_calls")
        calls += [_call(call, at) for at, call in objects(message["tool_calls"], (*path, "tool_calls"))]
    if isinstance(message.get("function_call"), dict):
        covered.add("function_call")
        calls.append(Segment("tool_call", (*path, "function_call"), message["function_call"]))
    segments += rest(message, path, frozenset(covered))
    return with_marker(segments + calls, marker(message, path))


def _call(call: dict[str, Json], path: Path) -> Segment:
    return Segment("tool_call", path, call, marker(call, path))
