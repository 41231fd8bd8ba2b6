"""What a request holds anywhere and what keys the cache: images, citations. As differences of settings."""

from collections.abc import Callable, Iterator, Mapping

from promptlint.boundary.divergence import Divergence
from promptlint.boundary.forms import ordered
from promptlint.facts.providers import Provider
from promptlint.prompt import CharIndex, Item, Json, Path, Rendered, Request, Spot
from promptlint.render import is_late

_BROUGHT = ("web_search", "web_fetch")  # they change the system prompt, not the tools


def trait_differences(a: Request, b: Request, provider: Provider) -> Iterator[Divergence]:
    """Each trait that the provider's row names and that one of two requests has and the other has not."""
    if (late := _late_tools(a, b)) is not None:
        yield late
    rows = {setting.field for setting in provider.settings}
    for name, holds in _TRAITS.items():
        if name in rows:
            at_a, at_b = _first(a, holds), _first(b, holds)
            if (at_a is None) != (at_b is None):
                yield _difference(name, at_a, at_b, a, b)


def traits(request: Request, provider: Provider) -> Iterator[tuple[str, Path | None]]:
    """Each trait that the provider's row names, and where the request has it."""
    rows = {setting.field for setting in provider.settings}
    yield from ((name, _first(request, holds)) for name, holds in _TRAITS.items() if name in rows)


def _late_tools(a: Request, b: Request) -> Divergence | None:
    """Tools that are searched for and loaded later, if they differ; None if both requests bring the same."""
    old, new = ([item for item in request.items if is_late(item)] for request in (a, b))
    if [_contents(item) for item in old] == [_contents(item) for item in new]:
        return None
    first_a = next((item.path for item in old if _contents(item) not in map(_contents, new)), None)
    first_b = next((item.path for item in new if _contents(item) not in map(_contents, old)), None)
    return _difference("deferred tools", first_a, first_b, a, b)


def _contents(item: Item) -> str:
    return "\n".join(repr(ordered(segment.content)) for segment in item.segments)


def other_tools(a: Rendered, b: Rendered) -> bool:
    """Whether the tools differ by more than those that search or fetch, which the provider itself brings."""
    return _own_tools(a) != _own_tools(b)


def _own_tools(prompt: Rendered) -> list[str]:
    return [item.text for item in prompt.items if item.item.level == "tools" and not _brought(item.item)]


def _brought(tool: Item) -> bool:
    content = tool.segments[0].content if tool.segments else None
    kind = content.get("type") if isinstance(content, dict) else None
    return isinstance(kind, str) and kind.startswith(_BROUGHT)


def _difference(name: str, at_a: Path | None, at_b: Path | None, a: Request, b: Request) -> Divergence:
    old, new = ("present" if at is not None else "absent" for at in (at_a, at_b))
    return Divergence(
        cause="setting-changed",
        level="settings",
        a_start=0,
        a_end=0,
        b_start=0,
        b_end=0,
        within=at_b or at_a or (),
        message=_WORDS[name].format(old, new),
        a=Spot(at_a or a.path, "value", CharIndex(0), CharIndex(0)),
        b=Spot(at_b or b.path, "value", CharIndex(0), CharIndex(0)),
        a_present=False,  # the place is named, an image is not printed
        b_present=False,
        old=old,
        new=new,
        field=name,
    )


def _first(request: Request, holds: Callable[[Mapping[str, Json]], bool]) -> Path | None:
    """The first block of a message, or inside one, that has the trait."""
    for item in request.items:
        for segment in item.segments:
            if item.level == "messages" and not isinstance(segment.content, str):
                found = next((path for path, held in _objects(segment.content, segment.path) if holds(held)), None)
                if found is not None:
                    return found
    return None


def _objects(value: Json, path: Path) -> Iterator[tuple[Path, Mapping[str, Json]]]:
    """An object and the blocks in its content, however deep; arguments of calls are no blocks."""
    if isinstance(value, dict):
        yield path, value
        for name in ("content", "toolResult"):
            yield from _objects(value.get(name), (*path, name))
    elif isinstance(value, list):
        for index, entry in enumerate(value):
            yield from _objects(entry, (*path, index))


def _is_image(block: Mapping[str, Json]) -> bool:
    return block.get("type") == "image" or ("type" not in block and isinstance(block.get("image"), dict))


def _has_citations(block: Mapping[str, Json]) -> bool:
    asked = block.get("citations")
    return isinstance(asked, dict) and asked.get("enabled") is True


_TRAITS: dict[str, Callable[[Mapping[str, Json]], bool]] = {
    "any images": _is_image,
    "any citations": _has_citations,
}
_WORDS = {
    "any images": "images anywhere: {} became {}",
    "any citations": "citations: {} became {}",
    "deferred tools": "tools with defer_loading differ: they are loaded behind the prompt, if ever",
}
