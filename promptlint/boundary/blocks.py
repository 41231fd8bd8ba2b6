"""Two messages that are one message edited: what happened to its blocks."""

from collections import Counter
from collections.abc import Iterator, Sequence

from promptlint.boundary.align import Gap, common_prefix, gaps
from promptlint.boundary.divergence import Divergence, spot_at
from promptlint.boundary.items import item_pair
from promptlint.boundary.media import describe, is_media
from promptlint.boundary.sections import is_context_section, unwrapped
from promptlint.boundary.tree import Node, identity, node
from promptlint.boundary.values import Pair, differences, placed, whole
from promptlint.prompt import Rendered, RenderedItem, Segment

Blocks = Sequence[tuple[Segment, Node]]


def message_differences(x: RenderedItem, y: RenderedItem, a: Rendered, b: Rendered) -> Iterator[Divergence]:
    """Every difference of two messages that are paired."""
    pair = item_pair(x, y, a, b, "history-rewritten", None)
    if x.item.role != y.item.role:
        yield _role_changed(x, y, pair)
    old, new = _blocks(x, pair, first=True), _blocks(y, pair, first=False)
    texts_a, texts_b = _texts(old), _texts(new)
    if len(old) != len(new) and texts_a is not None and texts_b is not None and "".join(texts_a) == "".join(texts_b):
        yield _at_message("content-shape", "the same text in other blocks", old, new, pair)
        return
    keys_a, keys_b = [identity(block.value) for _, block in old], [identity(block.value) for _, block in new]
    if keys_a != keys_b and Counter(keys_a) == Counter(keys_b):
        yield _at_message("list-order", f"the same {len(old)} blocks in another order", old, new, pair)
        return
    for gap in gaps(keys_a, keys_b):
        yield from _gap(old, new, gap, pair, x, y)


def _blocks(item: RenderedItem, pair: Pair, *, first: bool) -> Blocks:
    places = pair.at_a if first else pair.at_b
    shown = ((segment, node(segment.content, segment.path, places)) for segment in item.item.segments)
    return [(segment, block) for segment, block in shown if block is not None]


def _texts(blocks: Blocks) -> list[str] | None:
    texts = [block.text for _, block in blocks]
    return [text for text in texts if text is not None] if None not in texts else None


def _role_changed(x: RenderedItem, y: RenderedItem, pair: Pair) -> Divergence:
    old, new = x.item.role or "", y.item.role or ""
    head = common_prefix(old, new)
    a, b = (x.char + head, x.char + len(old)), (y.char + head, y.char + len(new))
    return placed("role-changed", f"the role “{old}” became “{new}”", a, b, y.item.path, pair, old, new)


def _at_message(cause: str, message: str, old: Blocks, new: Blocks, pair: Pair) -> Divergence:
    a = pair.at_a.first[old[0][1].path], pair.at_a.last[old[-1][1].path]
    b = pair.at_b.first[new[0][1].path], pair.at_b.last[new[-1][1].path]
    head = common_prefix(pair.a.text[a[0] : a[1]], pair.b.text[b[0] : b[1]])
    return placed(cause, message, (a[0] + head, a[1]), (b[0] + head, b[1]), new[0][1].path[:-1], pair)


def _gap(old: Blocks, new: Blocks, gap: Gap, pair: Pair, x: RenderedItem, y: RenderedItem) -> Iterator[Divergence]:
    gone, came = old[gap.a0 : gap.a1], new[gap.b0 : gap.b1]
    thinking = [entry for entry in gone if entry[0].kind == "thinking"]
    if thinking and not any(segment.kind == "thinking" for segment, _ in came):
        yield _removed(
            "reasoning-dropped", "the thinking of an earlier turn is gone", thinking, came, gap, new, pair, y
        )
        gone = [entry for entry in gone if entry[0].kind != "thinking"]
    gone, came, sections = _without_sections(gone, came)
    for (_, before), (_, after) in zip(gone, came, strict=False):
        yield from _edited(before, after, pair)
    paired = min(len(gone), len(came))
    if sections[0] or gone[paired:]:
        lost = [*sections[0], *gone[paired:]]
        yield _removed(*_what(lost, "removed"), lost, came, gap, new, pair, y)
    if sections[1] or came[paired:]:
        won = [*sections[1], *came[paired:]]
        yield _added(*_what(won, "added"), won, gap, old, pair, x)


def _without_sections(gone: Blocks, came: Blocks) -> tuple[Blocks, Blocks, tuple[Blocks, Blocks]]:
    """Where the sides have unequally many blocks, whole tagged sections are set apart before the rest is paired."""
    if len(gone) == len(came):
        return gone, came, ([], [])
    longer = gone if len(gone) > len(came) else came
    spare = abs(len(gone) - len(came))
    apart = [entry for entry in longer if entry[1].text is not None and is_context_section(entry[1].text)][:spare]
    rest = [entry for entry in longer if entry not in apart]
    return (rest, came, (apart, [])) if longer is gone else (gone, rest, ([], apart))


def _what(blocks: Blocks, verb: str) -> tuple[str, str]:
    """The label for blocks that came or went as a whole."""
    count = f"{len(blocks)} block" + ("s were" if len(blocks) != 1 else " was")
    if all(block.text is not None for _, block in blocks):
        return "history-rewrapped", f"{count} {verb} around the text of this message"
    if all(is_media(block.value) for _, block in blocks):
        return "image-changed", f"{describe(blocks[0][1].value)} was {verb}"
    return "history-rewritten", f"{count} {verb}"


def _edited(before: Node, after: Node, pair: Pair) -> Iterator[Divergence]:
    if before.text is not None and after.text is not None:
        if kept := unwrapped(before.text, after.text):
            found = whole("history-rewrapped", kept, before, after, pair)
            yield found
            return
    yield from differences(before, after, pair)


def _removed(
    cause: str, message: str, gone: Blocks, came: Blocks, gap: Gap, new: Blocks, pair: Pair, y: RenderedItem
) -> Divergence:
    start, end = pair.at_a.first[gone[0][1].path], pair.at_a.last[gone[-1][1].path]
    follows = came[0] if came else new[gap.b1] if gap.b1 < len(new) else None
    at = pair.at_b.first[follows[1].path] if follows else y.char + len(y.text)
    return _one_sided(cause, message, (start, end), (at, at), pair, b_present=False)


def _added(cause: str, message: str, came: Blocks, gap: Gap, old: Blocks, pair: Pair, x: RenderedItem) -> Divergence:
    start, end = pair.at_b.first[came[0][1].path], pair.at_b.last[came[-1][1].path]
    at = pair.at_a.first[old[gap.a1][1].path] if gap.a1 < len(old) else x.char + len(x.text)
    return _one_sided(cause, message, (at, at), (start, end), pair, a_present=False)


def _one_sided(
    cause: str,
    message: str,
    a: tuple[int, int],
    b: tuple[int, int],
    pair: Pair,
    *,
    a_present: bool = True,
    b_present: bool = True,
) -> Divergence:
    """Blocks that one side lacks; the place is where the texts from there on first differ."""
    head = common_prefix(pair.a.text[a[0] :], pair.b.text[b[0] :])
    start_a, start_b = a[0] + head, b[0] + head
    a, b = (start_a, max(a[1], start_a)), (start_b, max(b[1], start_b))
    within = spot_at(pair.b if b_present else pair.a, *(b if b_present else a)).path
    found = placed(cause, message, a, b, within, pair)
    return found._replace(a_present=a_present, b_present=b_present)
