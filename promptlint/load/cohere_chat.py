"""Cohere chat, version 2: Chat messages, and documents that the server renders."""

from promptlint.load import openai_chat
from promptlint.load.blocks import Body, array, required_array, text_or_none, wrong
from promptlint.load.tools import tool_items
from promptlint.prompt import Item, Json, Path, Segment


def load(value: Json, path: Path) -> Body:
    """A version 2 chat request."""
    if not isinstance(value, dict):
        raise wrong(path, value, "a chat request (an object)")
    required_array(value, "messages", path)
    items = [
        *tool_items(value.get("tools"), (*path, "tools")),
        *openai_chat.message_items(value["messages"], (*path, "messages"), dialect="cohere"),
    ]
    first = next((at for at, item in enumerate(items) if item.level == "messages"), len(items))
    items[first:first] = document_items(value.get("documents"), (*path, "documents"))
    consumed = frozenset({"tools", "messages", "documents", "model"})
    return Body(tuple(items), consumed, text_or_none(value.get("model")))


def document_items(value: Json, path: Path) -> list[Item]:
    """One item a document: a text, or an object."""
    items = []
    for index, entry in enumerate(array(value, path)):
        at = (*path, index)
        if not isinstance(entry, str | dict):
            raise wrong(at, entry, "a document (a text or an object)")
        items.append(Item("messages", None, None, at, (Segment("document", at, entry),)))
    return items
