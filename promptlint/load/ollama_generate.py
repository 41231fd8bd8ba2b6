"""Ollama's generate endpoint: one prompt, which the model's template wraps."""

from promptlint.errors import PromptlintError
from promptlint.load.blocks import Body, pointer, text_or_none, wrong
from promptlint.load.ollama_chat import images
from promptlint.prompt import Item, Json, Path, Segment


def load(value: Json, path: Path) -> Body:
    """A request to `/api/generate`. The ids of the earlier turns come before everything else."""
    if not isinstance(value, dict):
        raise wrong(path, value, "a generate request (an object)")
    if value.get("prompt") is None:
        raise PromptlintError(f"a request without `prompt`: {pointer(path)} has no such field")
    items = []
    context = value.get("context")
    if isinstance(context, list) and context:
        items.append(Item("system", None, None, (*path, "context"), (Segment("other", (*path, "context"), context),)))
    for name in ("system", "prompt", "suffix"):
        items += _text(value.get(name), (*path, name), "system" if name == "system" else "user")
    pictures = images(value.get("images"), (*path, "images"))
    if pictures:
        items.append(Item("messages", None, None, (*path, "images"), pictures))
    consumed = frozenset({"context", "system", "prompt", "suffix", "images", "model"})
    return Body(tuple(items), consumed, text_or_none(value.get("model")))


def _text(value: Json, path: Path, role: str) -> list[Item]:
    if value is None or value == "":
        return []
    if not isinstance(value, str):
        raise wrong(path, value, "a text")
    if role == "system":
        return [Item("system", None, None, path, (Segment("text", path, value),))]
    return [Item("messages", None, None, path, (Segment("text", path, value),))]
