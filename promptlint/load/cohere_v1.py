"""Cohere chat, version 1: a message, the history before it, a preamble."""

from promptlint.errors import PromptlintError
from promptlint.load.blocks import Body, array, objects, pointer, rest, text_or_none, wrong
from promptlint.load.cohere_chat import document_items
from promptlint.load.tools import tool_items
from promptlint.prompt import Item, Json, Path, Segment

_ROLES = {"USER": "user", "CHATBOT": "assistant", "SYSTEM": "system", "TOOL": "tool"}


def load(value: Json, path: Path) -> Body:
    """A version 1 chat request."""
    if not isinstance(value, dict):
        raise wrong(path, value, "a chat request (an object)")
    message = value.get("message")
    if not isinstance(message, str):
        raise PromptlintError(f"a request without `message`: {pointer(path)} has no such text")
    items = tool_items(value.get("tools"), (*path, "tools"))
    preamble = value.get("preamble")
    if isinstance(preamble, str) and preamble:
        at = (*path, "preamble")
        items.append(Item("system", None, None, at, (Segment("text", at, preamble),)))
    items += document_items(value.get("documents"), (*path, "documents"))
    items += _history(value.get("chat_history"), (*path, "chat_history"))
    at = (*path, "message")
    items.append(Item("messages", "user", None, at, (Segment("text", at, message),), at))
    results = (*path, "tool_results")
    for index, entry in enumerate(array(value.get("tool_results"), results)):
        items.append(
            Item("messages", None, None, (*results, index), (Segment("tool_result", (*results, index), entry),))
        )
    consumed = frozenset({"tools", "preamble", "documents", "chat_history", "message", "tool_results", "model"})
    return Body(tuple(items), consumed, text_or_none(value.get("model")))


def _history(value: Json, path: Path) -> list[Item]:
    items = []
    for at, turn in objects(value, path):
        said = turn.get("role")
        role = _ROLES.get(said, said) if isinstance(said, str) else None
        text = turn.get("message")
        segments = [Segment("text", (*at, "message"), text)] if isinstance(text, str) else []
        covered = frozenset({"role", "message"} if segments else {"role"})
        items.append(Item("messages", role, None, at, tuple(segments + rest(turn, at, covered))))
    return items
