"""Ollama's own chat endpoint: Chat messages with images beside the text and arguments as objects."""

from promptlint.load import openai_chat
from promptlint.load.blocks import Body, objects, required_array, text_or_none, wrong
from promptlint.load.tools import tool_items
from promptlint.prompt import Item, Json, Path, Segment


def load(value: Json, path: Path) -> Body:
    """A request to `/api/chat`."""
    if not isinstance(value, dict):
        raise wrong(path, value, "a chat request (an object)")
    required_array(value, "messages", path)
    messages = openai_chat.message_items(value["messages"], (*path, "messages"), apart=frozenset({"images"}))
    with_images = zip(messages, objects(value["messages"], (*path, "messages")), strict=True)
    items = [
        *tool_items(value.get("tools"), (*path, "tools")),
        *(_with_images(item, message) for item, (_, message) in with_images),
    ]
    return Body(tuple(items), frozenset({"tools", "messages", "model"}), text_or_none(value.get("model")))


def _with_images(item: Item, message: dict[str, Json]) -> Item:
    if item.role in openai_chat.RESULT_ROLES:  # one segment holds the whole message
        return item
    return item._replace(segments=item.segments + images(message.get("images"), (*item.path, "images")))


def images(value: Json, path: Path) -> tuple[Segment, ...]:
    """The images of a message or prompt: one segment for the list, nothing where there is none."""
    if not value:
        return ()
    if not isinstance(value, list):
        raise wrong(path, value, "an array of images")
    return (Segment("image", path, value),)
