"""Equal text that hides a difference: another JSON shape, or values that print alike (`1` and `"1"`)."""

from collections.abc import Iterator
from itertools import zip_longest

from promptlint.boundary.blocks import blocks, item_pair
from promptlint.boundary.divergence import Divergence
from promptlint.boundary.items import Entries
from promptlint.boundary.values import differences
from promptlint.prompt import CharIndex, Path, Piece, Rendered, RenderedItem, Spot

_FALLBACK = {"tools": "item-edited", "system": "text-edited", "messages": "history-rewritten"}


def hidden_differences(a: Rendered, b: Rendered) -> Iterator[Divergence]:
    """Differences of items whose text is equal."""
    for x, y in _equal_pairs(a.items, b.items):
        if x.item.segments == y.item.segments and x.item.role == y.item.role:
            continue
        found = list(_values(x, y, a, b))
        yield from found
        if not found and (shape := _shape(x, y, len(a.separator))) is not None:
            yield shape


def _equal_pairs(old: Entries, new: Entries) -> Iterator[tuple[RenderedItem, RenderedItem]]:
    """Items of equal text and level: those that lead, those that end, then the others wherever they stand, in order.

    What leads and what ends is compared in place: to hash the text of every item would cost more than all the rest.
    """
    lead = _equal(old, new)
    tail = _equal(old[lead:][::-1], new[lead:][::-1])
    yield from zip(old[:lead], new[:lead], strict=True)
    yield from zip(old[len(old) - tail :], new[len(new) - tail :], strict=True)
    rest: dict[object, list[RenderedItem]] = {}
    for x in reversed(old[lead : len(old) - tail]):
        rest.setdefault((x.item.level, x.text), []).append(x)
    for y in new[lead : len(new) - tail]:
        if found := rest.get((y.item.level, y.text)):
            yield found.pop(), y


def _equal(old: Entries, new: Entries) -> int:
    """How many items at the start have the same text and level."""
    pairs = enumerate(zip(old, new, strict=False))
    unlike = (i for i, (x, y) in pairs if x.item.level != y.item.level or x.text != y.text)
    return next(unlike, min(len(old), len(new)))


def _values(x: RenderedItem, y: RenderedItem, a: Rendered, b: Rendered) -> Iterator[Divergence]:
    """Values that print alike and are not, in blocks that begin and end at the same places."""
    if not any(
        s is None or t is None or s.content != t.content for s, t in zip_longest(x.item.segments, y.item.segments)
    ):
        return
    pair = item_pair(x, y, a, b, _FALLBACK[x.item.level])
    old, new = blocks(pair.at_a), blocks(pair.at_b)
    if [block.end - x.char for block in old] == [block.end - y.char for block in new]:
        for before, after in zip(old, new, strict=True):
            yield from differences(before.node, after.node, pair)


def _shape(x: RenderedItem, y: RenderedItem, separator: int) -> Divergence | None:
    """The first atom that stands at another path inside its item, or ends elsewhere."""
    at = x.char
    for old, new in zip(x.pieces, y.pieces, strict=False):
        if _below(x, old) != _below(y, new):
            return _reshaped(x, y, (old, new), at)
        at += len(old.text) + separator
    return None


def _below(item: RenderedItem, piece: Piece) -> tuple[Path, str, str]:
    return piece.path[len(item.item.path) :], piece.atom, piece.text


def _reshaped(x: RenderedItem, y: RenderedItem, first: tuple[Piece, Piece], at: int) -> Divergence:
    """Atoms that are equal one by one are the same text in another shape; it may also be divided otherwise."""
    old, new = first
    alike = _atoms(x) == _atoms(y) and _kinds(x) == _kinds(y)
    start = y.char + at - x.char
    return Divergence(
        cause="content-shape",
        level=x.item.level,
        a_start=at,
        a_end=at if alike else x.char + len(x.text),
        b_start=start,
        b_end=start if alike else y.char + len(y.text),
        within=y.item.path,
        message=_message(_below(x, old)[0], _below(y, new)[0]) if alike else "the same text in other blocks",
        a=Spot(old.path, old.atom, CharIndex(0), CharIndex(0)),
        b=Spot(new.path, new.atom, CharIndex(0), CharIndex(0)),
    )


def _atoms(item: RenderedItem) -> list[tuple[str, str]]:
    return [(piece.atom, piece.text) for piece in item.pieces]


def _kinds(item: RenderedItem) -> list[str]:
    return [segment.kind for segment in item.item.segments if segment.kind != "other"]


def _message(old: Path, new: Path) -> str:
    shorter, longer = sorted((old, new), key=len)
    if longer[: len(shorter)] != shorter or longer[-1:] != ("text",):
        return "the same text in another JSON shape"
    string, block = "a string", "a list with one text block"
    before, after = (string, block) if shorter is old else (block, string)
    return f"the same text as {after} instead of {before}; documented as equal, one model was measured to miss"
