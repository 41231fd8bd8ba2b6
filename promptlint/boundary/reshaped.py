"""Equal text in another JSON shape: a string, or a list with one text block."""

from collections.abc import Iterator

from promptlint.boundary.divergence import Divergence
from promptlint.prompt import CharIndex, Rendered, RenderedItem, Spot


def shape_differences(a: Rendered, b: Rendered) -> Iterator[Divergence]:
    """Items whose text is equal while their values stand at other relative paths."""
    by_text: dict[tuple[str, str], RenderedItem] = {}
    for item in a.items:
        by_text.setdefault((item.item.level, item.text), item)
    for item in b.items:
        old = by_text.get((item.item.level, item.text))
        if old is not None and (found := _shape(old, item)) is not None:
            yield found


def _shape(x: RenderedItem, y: RenderedItem) -> Divergence | None:
    depth_a, depth_b = len(x.item.path), len(y.item.path)
    at = x.char
    for i, (old, new) in enumerate(zip(x.pieces, y.pieces, strict=False)):
        if old.path[depth_a:] != new.path[depth_b:]:
            end = y.char + (at - x.char)
            return Divergence(
                cause="content-shape",
                level=x.item.level,
                a_start=at,
                a_end=at,
                b_start=end,
                b_end=end,
                within=y.item.path,
                message=_message(x, y, i),
                a=Spot(old.path, old.atom, CharIndex(0), CharIndex(0)),
                b=Spot(new.path, new.atom, CharIndex(0), CharIndex(0)),
            )
        at += len(old.text) + 1
    return None


def _message(x: RenderedItem, y: RenderedItem, i: int) -> str:
    to_list = len(x.pieces[i].path) < len(y.pieces[i].path)
    forms = ("a string", "a list with one text block") if to_list else ("a list with one text block", "a string")
    return f"the same text as {forms[1]} instead of {forms[0]}; documented as equal, one model was measured to miss"
