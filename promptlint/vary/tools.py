"""Variations of the tools: another order, one more, a schema that another encoder wrote."""

from collections.abc import Iterator

from promptlint.load.blocks import marker_names
from promptlint.prompt import Item, Json, Path
from promptlint.vary.edit import changed, inserted, put, without
from promptlint.vary.variation import Source, Variation, is_entry

_SCHEMAS = (
    *("input_schema", "inputSchema", "parameters", "function", "toolSpec"),
    *("parametersJsonSchema", "parameters_json_schema"),
)
_LONGEST = 60  # characters of a name, to which a few are added: providers take 64


def variations(source: Source) -> Iterator[Variation]:
    """The tools of one list; of several lists the one that holds the first tool."""
    tools = [item for item in source.items("tools") if is_entry(item.path)]
    if not tools:
        return
    holder = tools[0].path[:-1]
    tools = [tool for tool in tools if tool.path[:-1] == holder]
    yield from _written_again(source, tools)
    if len(tools) > 1:
        value = source.value
        for tool, other in zip(tools, reversed(tools), strict=True):
            value = put(value, tool.path, source.at(other.path))
        yield Variation("tools-reversed", "tools", "the tools in reverse order", value, holder)
    # Tools of the provider itself cannot be made up.
    own = [tool for tool in tools if tool.name and _has_schema(source.at(tool.path))]
    if own:
        behind = (*holder, _index(tools[-1].path) + 1)
        yield _added(source, own[-1], behind, "tool-added-last", "a tool added at the end")
        yield _added(source, own[-1], tools[0].path, "tool-added-first", "a tool added in front")


def _index(path: Path) -> int:
    index = path[-1]
    assert isinstance(index, int)
    return index


def _written_again(source: Source, tools: list[Item]) -> Iterator[Variation]:
    """Keys in alphabetical order, as an encoder that sorts writes them; in reverse where they are sorted already."""
    for does, backwards in (("keys sorted", False), ("keys in reverse order", True)):
        value = source.value
        for tool in tools:
            value = changed(value, tool.path, lambda held, backwards=backwards: _sorted(held, backwards))  # type: ignore[misc]
        if any(
            _order(held.segments[0].content) != _order(_sorted(held.segments[0].content, backwards)) for held in tools
        ):
            yield Variation(
                "tools-reserialised", "tools", f"tools and schemas written again, {does}", value, tools[0].path
            )
            return


def _sorted(value: Json, backwards: bool) -> Json:
    if isinstance(value, dict):
        return {name: _sorted(value[name], backwards) for name in sorted(value, reverse=backwards)}
    return [_sorted(held, backwards) for held in value] if isinstance(value, list) else value


def _order(value: Json) -> list[str]:
    """All keys in the order in which they stand."""
    if isinstance(value, dict):
        return [key for name, held in value.items() for key in (name, *_order(held))]
    return [key for held in value for key in _order(held)] if isinstance(value, list) else []


def _has_schema(tool: Json) -> bool:
    return isinstance(tool, dict) and any(name in tool for name in _SCHEMAS)


def _added(source: Source, like: Item, path: Path, name: str, does: str) -> Variation:
    """A tool like another one, under a name of its own and without a marker."""
    tool = without(source.at(like.path), marker_names())
    taken = {item.name for item in source.items("tools")}
    base = (like.name or "")[:_LONGEST]
    new = next(made for number in range(2, len(taken) + 3) if (made := f"{base}_v{number}") not in taken)
    return Variation(name, "tools", does, inserted(source.value, path, _renamed(tool, like.name or "", new)), path)


def _renamed(value: Json, name: str, new: str) -> Json:
    if isinstance(value, dict):
        return {
            key: new if key == "name" and held == name else _renamed(held, name, new) for key, held in value.items()
        }
    return value
