"""Tools and system blocks that differ: order, entries that came and went, entries that changed."""

from collections import Counter
from collections.abc import Iterator, Sequence

from promptlint.boundary.align import common_prefix, gaps
from promptlint.boundary.divergence import Divergence, spot_at
from promptlint.boundary.tree import index, node
from promptlint.boundary.values import Pair, differences
from promptlint.finding import ChangeLevel
from promptlint.prompt import CharIndex, Path, Rendered, RenderedItem, Spot

Entries = Sequence[RenderedItem]


def item_pair(x: RenderedItem, y: RenderedItem, a: Rendered, b: Rendered, fallback: str, within: Path | None) -> Pair:
    """What the comparison of two items needs to know."""
    separator = a.separator
    return Pair(a, b, index(x, separator), index(y, separator), x.item.level, fallback, within)


def tool_differences(a: Rendered, b: Rendered, tools_a: Entries, tools_b: Entries) -> Iterator[Divergence]:
    """Differences of two tool lists; tools are matched by name."""
    names_a, names_b = _names(tools_a), _names(tools_b)
    by_name = dict(zip(names_b, tools_b, strict=True))
    matched = {name for name in names_a if name in by_name}
    yield from entries_changed(a, b, tools_a, tools_b, names_a, names_b, "tools")
    kept_a, kept_b = [name for name in names_a if name in matched], [name for name in names_b if name in matched]
    if kept_a != kept_b:
        yield _reordered(a, b, tools_a, tools_b, (names_a, names_b), (kept_a, kept_b))
    for name, tool in zip(names_a, tools_a, strict=True):
        other = by_name.get(name)
        if other is not None and tool.text != other.text:
            yield from segment_differences(item_pair(tool, other, a, b, "item-edited", other.item.path), tool, other)


def _names(tools: Entries) -> list[tuple[str, int]]:
    """A name for each tool that is unique in its list; a tool without a name is named by its text."""
    seen: Counter[str] = Counter()
    names = []
    for tool in tools:
        name = tool.item.name if tool.item.name is not None else tool.text
        names.append((name, seen[name]))
        seen[name] += 1
    return names


def segment_differences(pair: Pair, x: RenderedItem, y: RenderedItem) -> Iterator[Divergence]:
    """Differences of two items segment by segment, as far as both have them."""
    for old, new in zip(x.item.segments, y.item.segments, strict=False):
        one, other = node(old.content, old.path, pair.at_a), node(new.content, new.path, pair.at_b)
        if one and other:
            yield from differences(one, other, pair)


def entries_changed(
    a: Rendered,
    b: Rendered,
    items_a: Entries,
    items_b: Entries,
    keys_a: Sequence[object],
    keys_b: Sequence[object],
    level: ChangeLevel,
) -> Iterator[Divergence]:
    """One divergence for all entries that came or went; its place is the first of them in the prompt."""
    gone = [i for i, key in enumerate(keys_a) if key not in set(keys_b)]
    new = [j for j, key in enumerate(keys_b) if key not in set(keys_a)]
    if not gone and not new:
        return
    message = "; ".join(
        f"{what} {_list([_title(entry) for entry in entries])}"
        for what, entries in (("added", [items_b[j] for j in new]), ("removed", [items_a[i] for i in gone]))
        if entries
    )
    kept_before_gone = gone[0] - sum(i < gone[0] for i in gone) if gone else len(keys_a) + len(keys_b)
    kept_before_new = new[0] - sum(j < new[0] for j in new) if new else len(keys_a) + len(keys_b)
    i = gone[0] if gone and kept_before_gone <= kept_before_new else min(kept_before_new, len(items_a))
    j = new[0] if new and kept_before_new <= kept_before_gone else min(kept_before_gone, len(items_b))
    within = items_b[new[0]].item.path if new and len(new) + len(gone) == 1 else None
    found = at_items(a, b, items_a, items_b, i, j, level)
    yield found._replace(
        cause="items-changed",
        message=message,
        within=within or found.within,
        a_present=i in gone,
        b_present=j in new,
    )


def _title(entry: RenderedItem) -> str:
    return entry.item.name or entry.text.split("\n", 1)[0][:40]


def _list(names: list[str]) -> str:
    shown = names if len(names) <= 6 else [*names[:5], f"{len(names) - 5} more"]
    return ", ".join(shown)


def _reordered(
    a: Rendered,
    b: Rendered,
    tools_a: Entries,
    tools_b: Entries,
    names: tuple[list[tuple[str, int]], list[tuple[str, int]]],
    kept: tuple[list[tuple[str, int]], list[tuple[str, int]]],
) -> Divergence:
    first = next(k for k, (x, y) in enumerate(zip(*kept, strict=True)) if x != y)
    i, j = names[0].index(kept[0][first]), names[1].index(kept[1][first])
    stays = {kept[0][k] for gap in _equal_runs(*kept) for k in gap}
    moved = [name for name, _ in kept[0] if (name, _) not in stays]
    found = at_items(a, b, tools_a, tools_b, i, j, "tools")
    message = f"the same {len(kept[0])} tools in another order; moved: {_list(moved)}"
    return found._replace(cause="list-order", message=message, within=parent(tools_b[j].item.path))


def _equal_runs(a: list[tuple[str, int]], b: list[tuple[str, int]]) -> Iterator[range]:
    last = 0
    for gap in gaps(a, b):
        yield range(last, gap.a0)
        last = gap.a1
    yield range(last, len(a))


def parent(path: Path) -> Path:
    """The list that holds the entry at `path`."""
    return path[:-1]


def at_items(
    a: Rendered, b: Rendered, items_a: Entries, items_b: Entries, i: int, j: int, level: ChangeLevel
) -> Divergence:
    """A divergence at entry `i` of A and entry `j` of B: where the text from there on first differs.

    An index behind the last entry means the end of the list.
    """
    a0, a1 = _range(a, items_a, i)
    b0, b1 = _range(b, items_b, j)
    head = common_prefix(a.text[a0:a1], b.text[b0:b1]) if i < len(items_a) and j < len(items_b) else 0
    return Divergence(
        cause="",
        level=level,
        a_start=a0 + head,
        a_end=a1,
        b_start=b0 + head,
        b_end=b1,
        within=parent(items_b[0].item.path) if items_b else parent(items_a[0].item.path),
        message="",
        a=_spot(a, items_a, i, a0 + head, a1, items_b),
        b=_spot(b, items_b, j, b0 + head, b1, items_a),
    )


def _range(rendered: Rendered, items: Entries, i: int) -> tuple[int, int]:
    if i < len(items):
        return items[i].char, items[i].char + len(items[i].text)
    end = items[-1].char + len(items[-1].text) if items else 0
    return end, end


def _spot(rendered: Rendered, items: Entries, i: int, start: int, end: int, others: Entries) -> Spot:
    if i < len(items):
        return spot_at(rendered, start, end)
    path = (*parent(items[-1].item.path), "-") if items else _missing_list(rendered, others)
    return Spot(path, "value", CharIndex(0), CharIndex(0))


def _missing_list(rendered: Rendered, others: Entries) -> Path:
    """A list that this side lacks altogether would be a field of the request."""
    return (*rendered.request.path, "-") if others else rendered.request.path


def system_differences(a: Rendered, b: Rendered, blocks_a: Entries, blocks_b: Entries) -> Iterator[Divergence]:
    """Differences of two lists of system blocks; blocks are matched by text, the rest in order."""
    texts_a, texts_b = [block.text for block in blocks_a], [block.text for block in blocks_b]
    if texts_a == texts_b:
        return
    if Counter(texts_a) == Counter(texts_b):
        first = next(k for k, (x, y) in enumerate(zip(texts_a, texts_b, strict=True)) if x != y)
        found = at_items(a, b, blocks_a, blocks_b, first, first, "system")
        yield found._replace(cause="list-order", message=f"the same {len(texts_a)} system blocks in another order")
        return
    for gap in gaps(texts_a, texts_b):
        paired = min(gap.a1 - gap.a0, gap.b1 - gap.b0)
        for k in range(paired):
            x, y = blocks_a[gap.a0 + k], blocks_b[gap.b0 + k]
            yield from segment_differences(item_pair(x, y, a, b, "text-edited", None), x, y)
        i, j = gap.a0 + paired, gap.b0 + paired
        if i < gap.a1 or j < gap.b1:
            found = at_items(a, b, blocks_a, blocks_b, i, j, "system")
            what = (
                f"{gap.b1 - j} system blocks were added" if j < gap.b1 else f"{gap.a1 - i} system blocks were removed"
            )
            yield found._replace(cause="text-edited", message=what, a_present=i < gap.a1, b_present=j < gap.b1)
