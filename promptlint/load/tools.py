"""Tool definitions: an array of tools or one tool, in any provider's shape; also an MCP `tools/list` result."""

from promptlint.load.blocks import Body, array, marker, objects, text_or_none, wrong
from promptlint.prompt import Item, Json, Path, Segment

_DECLARATIONS = ("functionDeclarations", "function_declarations")
_NESTED = ("function", "toolSpec")
_SHAPES = {
    "input_schema": "anthropic",
    "toolSpec": "bedrock",
    "functionDeclarations": "google",
    "function_declarations": "google",
    "parametersJsonSchema": "google",
}


def tool_items(value: Json, path: Path) -> list[Item]:
    """One item for each tool; for Gemini one for each function declaration."""
    items: list[Item] = []
    for at, tool in objects(value, path):
        declarations = next((name for name in _DECLARATIONS if isinstance(tool.get(name), list)), None)
        if "cachePoint" in tool and len(tool) == 1:
            _mark_last(items, tool, at)
        elif declarations is None:
            items.append(tool_item(tool, at))
        else:
            items += [tool_item(entry, inner) for inner, entry in objects(tool[declarations], (*at, declarations))]
            others = frozenset(name for name, held in tool.items() if name == declarations or held is None)
            if len(others) < len(tool):
                items.append(Item("tools", None, None, at, (Segment("tool", at, tool, None, others),)))
    return items


def tool_item(tool: dict[str, Json], path: Path) -> Item:
    """One tool as an item of one segment."""
    named = next((tool[name] for name in _NESTED if isinstance(tool.get(name), dict)), tool)
    name = text_or_none(named.get("name")) if isinstance(named, dict) else None
    found = marker(tool, path) or next((m for n in _NESTED if (m := marker(tool.get(n), (*path, n)))), None)
    return Item("tools", None, name, path, (Segment("tool", path, tool, found),))


def _mark_last(items: list[Item], point: dict[str, Json], path: Path) -> None:
    if items:
        last = items[-1]
        items[-1] = last._replace(segments=(last.segments[0]._replace(marker=marker(point, path)),))


def load(value: Json, path: Path) -> Body:
    """A tools array, `{"tools": [...]}`, or one tool."""
    if isinstance(value, list):
        return _body(value, path, frozenset())
    if not isinstance(value, dict):
        raise wrong(path, value, "an array of tools or one tool")
    if "tools" in value:
        return _body(array(value["tools"], (*path, "tools")), (*path, "tools"), frozenset(value))
    return Body((tool_item(value, path),), frozenset(value), provider=provider([value]))


def _body(tools: list[Json], path: Path, consumed: frozenset[str]) -> Body:
    return Body(tuple(tool_items(tools, path)), consumed, provider=provider(tools))


def provider(tools: list[Json]) -> str | None:
    """The provider whose shape the tools have; None where several use that shape."""
    for tool in tools:
        for field, name in _SHAPES.items():
            if isinstance(tool, dict) and field in tool:
                return name
    return None
