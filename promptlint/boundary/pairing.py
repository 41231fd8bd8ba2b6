"""Which entry of one request is which entry of the other: the same, moved, or edited in its place."""

from collections.abc import Iterator
from typing import NamedTuple

from promptlint.boundary.align import gaps, pairs
from promptlint.prompt import Level, Path, Rendered, RenderedItem

_LEVELS: tuple[Level, ...] = ("tools", "system", "messages")


class Pairing(NamedTuple):
    """Paths of entries, from each side to the other."""

    to_b: dict[Path, Path]
    to_a: dict[Path, Path]
    items_a: frozenset[Path]  # all of them
    items_b: frozenset[Path]
    reordered: frozenset[Level] = frozenset()  # levels whose entries stand in another order


def paired(form_a: Rendered, form_b: Rendered) -> Pairing:
    """The entries of two requests in their documented forms, paired."""
    to_b: dict[Path, Path] = {}
    reordered: set[Level] = set()
    for level in _LEVELS:
        a = [item for item in form_a.items if item.item.level == level]
        b = [item for item in form_b.items if item.item.level == level]
        found = {x.item.path: y for x, y in _pairs(a, b)}
        places = [found[item.item.path].char for item in a if item.item.path in found]
        if places != sorted(places):
            reordered.add(level)
        to_b |= {path: item.item.path for path, item in found.items()}
    items_a, items_b = (frozenset(item.item.path for item in form.items) for form in (form_a, form_b))
    return Pairing(to_b, {b: a for a, b in to_b.items()}, items_a, items_b, frozenset(reordered))


def _pairs(a: list[RenderedItem], b: list[RenderedItem]) -> Iterator[tuple[RenderedItem, RenderedItem]]:
    """Equal entries in order; then equal ones that changed their order; then what stands in the place of another."""
    texts_a, texts_b = [item.text for item in a], [item.text for item in b]
    for i, j in pairs(texts_a, texts_b):
        yield a[i], b[j]
    rest_a: dict[str, list[int]] = {}
    moved_b: set[int] = set()
    moved_a: set[int] = set()
    found = gaps(texts_a, texts_b)
    for gap in found:
        for i in range(gap.a0, gap.a1):
            rest_a.setdefault(texts_a[i], []).append(i)
    for gap in found:
        for j in range(gap.b0, gap.b1):
            if rest_a.get(texts_b[j]):
                i = rest_a[texts_b[j]].pop(0)
                moved_a.add(i)
                moved_b.add(j)
                yield a[i], b[j]
    for gap in found:
        left = [a[i] for i in range(gap.a0, gap.a1) if i not in moved_a]
        right = [b[j] for j in range(gap.b0, gap.b1) if j not in moved_b]
        yield from _edited(left, right)


def _edited(a: list[RenderedItem], b: list[RenderedItem]) -> Iterator[tuple[RenderedItem, RenderedItem]]:
    """Entries of one gap that are not equal: those of one name, else as many as there are, if of one role."""
    by_name = {item.item.name: item for item in b if item.item.name is not None}
    for x, y in zip(a, b, strict=False):
        if x.item.name is not None:
            if x.item.name in by_name:
                yield x, by_name[x.item.name]
        elif x.item.role == y.item.role:
            yield x, y


def counterpart(path: Path, items: frozenset[Path], ways: dict[Path, Path]) -> Path | None:
    """The place in the other request that `path` is paired with; None if its entry has none there."""
    for depth in range(len(path), 0, -1):
        if path[:depth] in items:
            other = ways.get(path[:depth])
            return None if other is None else (*other, *path[depth:])
    return None


def entry_of(path: Path, items: frozenset[Path]) -> Path | None:
    """The entry that a place lies in."""
    return next((path[:depth] for depth in range(len(path), 0, -1) if path[:depth] in items), None)
