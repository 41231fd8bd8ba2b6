"""What a request holds anywhere and what keys the cache: images, citations. As differences of settings."""

from collections.abc import Callable, Iterator, Mapping

from promptlint.boundary.divergence import Divergence
from promptlint.facts.providers import Provider
from promptlint.prompt import CharIndex, Item, Json, Path, Rendered, Request, Spot

_BROUGHT = ("web_search", "web_fetch")  # they change the system prompt, not the tools


def trait_differences(a: Request, b: Request, provider: Provider) -> Iterator[Divergence]:
    """Each trait that the provider's row names and that one of two requests has and the other has not."""
    rows = {setting.field for setting in provider.settings}
    for name, holds in _TRAITS.items():
        if name in rows:
            at_a, at_b = _first(a, holds), _first(b, holds)
            if (at_a is None) != (at_b is None):
                yield _difference(name, at_a, at_b, a, b)


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
        message=f"{_WORDS[name]}: {old} became {new}",
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
_WORDS = {"any images": "images anywhere", "any citations": "citations"}
