"""Equal text that hides a difference: another JSON shape, or values that print alike (`1` and `"1"`)."""

from collections.abc import Iterator

from promptlint.boundary.divergence import Divergence
from promptlint.boundary.items import Entries, item_pair, segment_differences
from promptlint.prompt import CharIndex, Rendered, RenderedItem, Spot

_FALLBACK = {"tools": "item-edited", "system": "text-edited", "messages": "history-rewritten"}


def hidden_differences(a: Rendered, b: Rendered) -> Iterator[Divergence]:
    """Differences of items whose text is equal."""
    for x, y in _equal_pairs(a.items, b.items):
        if x.item.segments == y.item.segments:
            continue
        found = list(_values(x, y, a, b))
        yield from found
        if not found and (shape := _shape(x, y)) is not None:
            yield shape


def _equal_pairs(old: Entries, new: Entries) -> Iterator[tuple[RenderedItem, RenderedItem]]:
    """Items of equal text and level: those that lead, then the others wherever they stand."""
    lead = 0
    for x, y in zip(old, new, strict=False):
        if x.item.level != y.item.level or x.text != y.text:
            break
        yield x, y
        lead += 1
    if lead == len(old):
        return
    rest = {(x.item.level, x.text): x for x in reversed(old[lead:])}
    for y in new[lead:]:
        if (found := rest.get((y.item.level, y.text))) is not None:
            yield found, y


def _values(x: RenderedItem, y: RenderedItem, a: Rendered, b: Rendered) -> Iterator[Divergence]:
    fallback = _FALLBACK[x.item.level]
    if any(s.content != t.content for s, t in zip(x.item.segments, y.item.segments, strict=False)):
        pair = item_pair(x, y, a, b, fallback, y.item.path if fallback == "item-edited" else None)
        yield from segment_differences(pair, x, y)


def _shape(x: RenderedItem, y: RenderedItem) -> Divergence | None:
    """The first atom that stands at another path inside its item."""
    depth_a, depth_b = len(x.item.path), len(y.item.path)
    at = x.char
    for old, new in zip(x.pieces, y.pieces, strict=False):
        if old.path[depth_a:] != new.path[depth_b:]:
            split = len(x.item.segments) != len(y.item.segments)
            start = y.char + at - x.char
            return Divergence(
                cause="content-shape",
                level=x.item.level,
                a_start=at,
                a_end=x.char + len(x.text) if split else at,
                b_start=start,
                b_end=y.char + len(y.text) if split else start,
                within=y.item.path,
                message="the same text in other blocks" if split else _message(len(old.path) < len(new.path)),
                a=Spot(old.path, old.atom, CharIndex(0), CharIndex(0)),
                b=Spot(new.path, new.atom, CharIndex(0), CharIndex(0)),
            )
        at += len(old.text) + 1
    return None


def _message(to_list: bool) -> str:
    before, after = (
        ("a string", "a list with one text block") if to_list else ("a list with one text block", "a string")
    )
    return f"the same text as {after} instead of {before}; documented as equal, one model was measured to miss"
