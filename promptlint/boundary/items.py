"""Tools and system blocks that differ: order, entries that came and went, entries that changed."""

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from typing import NamedTuple

from promptlint.boundary.align import Gap, gaps
from promptlint.boundary.blocks import item_differences, item_pair
from promptlint.boundary.divergence import Divergence, spot_at
from promptlint.prompt import CharIndex, Path, Rendered, RenderedItem, Spot
from promptlint.prompt import Level as LevelName
from promptlint.read.raw import common_prefix
from promptlint.render.form import form_of

Entries = Sequence[RenderedItem]


class Level(NamedTuple):
    """The tools, the system blocks or the messages of two prompts."""

    a: Rendered
    b: Rendered
    old: Entries
    new: Entries
    name: LevelName = "messages"


def tool_differences(a: Rendered, b: Rendered, tools_a: Entries, tools_b: Entries) -> Iterator[Divergence]:
    """Differences of two tool lists; tools are matched by name."""
    level = Level(a, b, tools_a, tools_b, "tools")
    names_a, names_b = _names(tools_a), _names(tools_b)
    by_name = dict(zip(names_b, tools_b, strict=True))
    matched = by_name.keys() & set(names_a)
    yield from _came_and_went(level, names_a, names_b, matched)
    kept_a, kept_b = [name for name in names_a if name in matched], [name for name in names_b if name in matched]
    if kept_a != kept_b:
        yield _reordered(level, (names_a, names_b), (kept_a, kept_b))
    for name, tool in zip(names_a, tools_a, strict=True):
        other = by_name.get(name)
        if other is not None and tool.text != other.text:
            yield from item_differences(item_pair(tool, other, a, b, "item-edited"))


def _names(tools: Entries) -> list[tuple[str, int]]:
    """A name for each tool that is unique in its list; a tool without a name is named by its text."""
    seen: Counter[str] = Counter()
    names = []
    for tool in tools:
        name = tool.item.name if tool.item.name is not None else tool.text
        names.append((name, seen[name]))
        seen[name] += 1
    return names


def _came_and_went(
    level: Level, names_a: Sequence[Hashable], names_b: Sequence[Hashable], matched: set[tuple[str, int]]
) -> Iterator[Divergence]:
    """One divergence for all entries that came or went; its place is the first of them in the prompt."""
    gone = [i for i, name in enumerate(names_a) if name not in matched]
    new = [j for j, name in enumerate(names_b) if name not in matched]
    if not gone and not new:
        return
    message = "; ".join(
        f"{what} {_list([_title(entry) for entry in entries])}"
        for what, entries in (("added", [level.new[j] for j in new]), ("removed", [level.old[i] for i in gone]))
        if entries
    )
    before_gone = gone[0] if gone else len(names_a) + len(names_b)  # all in front of it are kept
    before_new = new[0] if new else len(names_a) + len(names_b)
    i = gone[0] if before_gone <= before_new else min(before_new, len(names_a))
    j = new[0] if before_new <= before_gone else min(before_gone, len(names_b))
    found = at_items(level, i, j)
    within = level.new[new[0]].item.path if len(new) == 1 and not gone else found.within
    yield found._replace(
        cause="items-changed", message=message, within=within, a_present=i in gone[:1], b_present=j in new[:1]
    )


def _title(entry: RenderedItem) -> str:
    return entry.item.name or entry.text.split("\n", 1)[0][:40] or "an unnamed tool"


def _list(names: list[str]) -> str:
    shown = names if len(names) <= 6 else [*names[:5], f"{len(names) - 5} more"]
    return ", ".join(shown)


Names = tuple[list[tuple[str, int]], list[tuple[str, int]]]


def _reordered(level: Level, names: Names, kept: Names) -> Divergence:
    """The tools that both lists hold stand in another order; `names` are all tools, `kept` the common ones."""
    first = next(k for k, (x, y) in enumerate(zip(*kept, strict=True)) if x != y)
    i, j = names[0].index(kept[0][first]), names[1].index(kept[1][first])
    moved = [name for gap in gaps(*kept) for name, _ in kept[0][gap.a0 : gap.a1]]
    message = f"the same {len(kept[0])} tools in another order; moved: {_list(moved)}"
    return at_items(level, i, j)._replace(cause="list-order", message=message)


def at_items(level: Level, i: int, j: int) -> Divergence:
    """A divergence at entry `i` of A and entry `j` of B: where the text from there on first differs.

    An index behind the last entry means the end of the list.
    """
    (a0, a1), (b0, b1) = _range(level.a, level.old, i, level.name), _range(level.b, level.new, j, level.name)
    head = common_prefix(level.a.text, level.b.text, a0, b0)
    a_start, b_start = a0 + head, b0 + head
    a1, b1 = max(a1, a_start), max(b1, b_start)
    return Divergence(
        cause="",
        level=level.name,
        a_start=a_start,
        a_end=a1,
        b_start=b_start,
        b_end=b1,
        within=_list_path(level),
        message="",
        a=_spot(level.a, level.old, i, a_start, a1),
        b=_spot(level.b, level.new, j, b_start, b1),
    )


def _list_path(level: Level) -> Path:
    """The list in B, or in A if B has none; a lone string is its own list."""
    rendered, items = (level.b, level.new) if level.new else (level.a, level.old)
    path = items[0].item.path[:-1]
    return path if len(path) > len(rendered.request.path) else items[0].item.path


def _range(rendered: Rendered, items: Entries, i: int, level: LevelName) -> tuple[int, int]:
    """Where entry `i` of a level stands, or where the level ends; an empty one stands behind the levels before it."""
    if i < len(items):
        return items[i].char, items[i].char + len(items[i].text)
    order = form_of(rendered.request.format).order
    before = order[: order.index(level) + 1]
    last = next((item for item in reversed(rendered.items) if item.item.level in before), None)
    end = last.char + len(last.text) if last else 0
    return end, end


def _spot(rendered: Rendered, items: Entries, i: int, start: int, end: int) -> Spot:
    """Where entry `i` differs, or the end of the list; a list that is missing would be a field of the request."""
    if i < len(items):
        return spot_at(rendered, start, end)
    path = items[-1].item.path[:-1] if items else rendered.request.path
    last = items[-1].item.path[-1] if items else None
    if isinstance(last, int):  # the next entry of the list, if another level goes on there
        behind = (*path, last + 1)
        if any(item.item.path == behind for item in rendered.items):
            return Spot(behind, "value", CharIndex(0), CharIndex(0))
    return Spot((*path, "-"), "value", CharIndex(0), CharIndex(0))


def system_differences(a: Rendered, b: Rendered, blocks_a: Entries, blocks_b: Entries) -> Iterator[Divergence]:
    """Differences of two lists of system blocks; blocks are matched by text, the rest in order."""
    level = Level(a, b, blocks_a, blocks_b, "system")
    texts_a, texts_b = [block.text for block in blocks_a], [block.text for block in blocks_b]
    if texts_a == texts_b:
        return
    if not a.separator and blocks_a and blocks_b and (a.text.startswith(b.text) or b.text.startswith(a.text)):
        yield _text_goes_on(level)
        return
    if Counter(texts_a) == Counter(texts_b):
        first = next(k for k, (x, y) in enumerate(zip(texts_a, texts_b, strict=True)) if x != y)
        message = f"the same {len(texts_a)} system blocks in another order"
        yield at_items(level, first, first)._replace(cause="list-order", message=message)
        return
    for gap in gaps(texts_a, texts_b):
        yield from _system_gap(level, gap)


def _system_gap(level: Level, gap: Gap) -> Iterator[Divergence]:
    if (found := divided(level, gap)) is not None:
        yield found
        return
    paired = min(gap.a1 - gap.a0, gap.b1 - gap.b0)
    for x, y in zip(level.old[gap.a0 : gap.a0 + paired], level.new[gap.b0 : gap.b0 + paired], strict=True):
        yield from item_differences(item_pair(x, y, level.a, level.b, "text-edited"))
    i, j = gap.a0 + paired, gap.b0 + paired
    if i < gap.a1 or j < gap.b1:
        count, verb = (gap.b1 - j, "added") if j < gap.b1 else (gap.a1 - i, "removed")
        message = f"{count} system block{'s were' if count != 1 else ' was'} {verb}"
        found = at_items(level, i, j)
        yield found._replace(cause="text-edited", message=message, a_present=i < gap.a1, b_present=j < gap.b1)


def _text_goes_on(level: Level) -> Divergence:
    """Plain text, one side of which is the start of the other."""
    size, more = min(len(level.a.text), len(level.b.text)), len(level.b.text) - len(level.a.text)
    message = (
        f"{more:,} characters appended" if more > 0 else f"the second text is the first without its last {-more:,}"
    )
    a_end, b_end = len(level.a.text), len(level.b.text)
    return Divergence(
        cause="turn-appended",
        level="system",
        a_start=size,
        a_end=a_end,
        b_start=size,
        b_end=b_end,
        within=level.new[0].item.path,
        message=message,
        a=spot_at(level.a, size, a_end),
        b=spot_at(level.b, size, b_end),
        a_present=more < 0,
        b_present=more > 0,
    )


def divided(level: Level, gap: Gap) -> Divergence | None:
    """Entries of one role that hold the same text, divided in another way."""
    old, new = level.old[gap.a0 : gap.a1], level.new[gap.b0 : gap.b1]
    if len(old) == len(new) or len({item.item.role for item in (*old, *new)}) != 1:
        return None
    texts = _texts(old), _texts(new)
    if not all(texts) or not any(glue.join(texts[0]) == glue.join(texts[1]) for glue in ("", "\n")):
        return None
    what = "block" if level.name == "system" else "message"
    message = f"the same text in {len(new)} {what}{'s' if len(new) != 1 else ''} instead of {len(old)}"
    found = at_items(level, gap.a0, gap.b0)
    # Both may print alike here, with a line feed in the text where the other side has two entries: what a provider
    # puts between entries is not published, so the range is never empty.
    a_end, b_end = old[-1].char + len(old[-1].text), new[-1].char + len(new[-1].text)
    first = min(len(old[0].text), len(new[0].text))
    back = max(found.a_start - min(a_end - 1, old[0].char + first), 0)
    a_start, b_start = found.a_start - back, found.b_start - back
    return found._replace(
        cause="content-shape",
        message=message,
        a_start=a_start,
        a_end=a_end,
        b_start=b_start,
        b_end=max(b_start, b_end),
        a=spot_at(level.a, a_start, a_end),
        b=spot_at(level.b, b_start, b_end),
    )


def _texts(items: Entries) -> list[str]:
    """The texts of entries that are nothing but text; nothing if one is more than that."""
    texts = []
    for item in items:
        for segment in item.item.segments:
            content = segment.content
            text = content.get("text") if isinstance(content, dict) else content
            if segment.kind != "text" or not isinstance(text, str):
                return []
            texts.append(text)
    return texts
