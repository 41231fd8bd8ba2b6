"""ShareGPT rows: a conversation of `from` and `value`, with `system` and `tools` beside it."""

from promptlint import facts
from promptlint.load.blocks import Body, content, objects, required_array, rest, wrong
from promptlint.load.envelope import entered
from promptlint.load.tools import tool_items
from promptlint.prompt import Item, Json, Kind, Level, Path, Segment

_KINDS: dict[str, Kind] = {"function_call": "tool_call", "observation": "tool_result", "tool": "tool_result"}


def load(value: Json, path: Path) -> Body:
    """One row."""
    if not isinstance(value, dict):
        raise wrong(path, value, "a ShareGPT row (an object)")
    required_array(value, "conversations", path)
    items = _tools(value.get("tools"), (*path, "tools"))
    system = content(value.get("system"), (*path, "system"), "openai")
    items += [Item("system", None, None, (*path, "system"), tuple(system))] if system else []
    items += _turns(value["conversations"], (*path, "conversations"))
    return Body(tuple(items), frozenset({"conversations", "system", "tools"}))


def _tools(value: Json, path: Path) -> list[Item]:
    """A list of tools, most often as JSON text; any other text is one tool."""
    if not isinstance(value, str):
        return tool_items(value, path)
    inner = entered(value)
    if isinstance(inner, list):
        return tool_items(inner, (*path, None))
    return [Item("tools", None, None, path, (Segment("text", path, value),))] if value.strip() else []


def _turns(value: Json, path: Path) -> list[Item]:
    items = []
    level: Level = "system"
    for at, turn in objects(value, path):
        speaker = "from" if "from" in turn else "role"
        text = "value" if "value" in turn else "content"
        said = turn.get(speaker)
        if said is not None and not isinstance(said, str):
            raise wrong((*at, speaker), said, "a string")
        role = facts.table("formats")["speakers"]["roles"].get(said, said)
        if role != "system":
            level = "messages"
        kind = _KINDS.get(said or "", "text")
        segments = [part._replace(kind=kind) for part in content(turn.get(text), (*at, text), "openai")]
        segments += rest(turn, at, frozenset({speaker, text}))
        items.append(Item(level, role, None, at, tuple(segments), (*at, speaker)))
    return items
