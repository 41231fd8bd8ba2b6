"""Two items that are one item edited: what happened to its blocks."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from promptlint.boundary.align import Gap, gaps
from promptlint.boundary.divergence import Divergence
from promptlint.boundary.media import describe, is_media
from promptlint.boundary.sections import is_context_section, unwrapped
from promptlint.boundary.tree import Index, Node, index, segment_node
from promptlint.boundary.values import Pair, Range, came, differences, gone, placed, reshaped, whole
from promptlint.prompt import Path, Rendered, RenderedItem, Segment
from promptlint.read.raw import common_prefix


class Block(NamedTuple):
    """A segment that is printed, as a value, and its characters of the prompt without the last separator."""

    segment: Segment
    node: Node
    start: int
    end: int


Blocks = Sequence[Block]


def item_pair(x: RenderedItem, y: RenderedItem, a: Rendered, b: Rendered, fallback: str) -> Pair:
    """What the comparison of two items needs to know."""
    names: dict[object, int] = {}
    at_a, at_b = index(x, a.separator, names), index(y, a.separator, names)
    return Pair(a, b, at_a, at_b, x.item.level, fallback, y.item.path if x.item.level == "tools" else None)


def blocks(places: Index) -> Blocks:
    """The printed segments of an item, in order."""
    found = []
    for segment in places.item.item.segments:
        block = segment_node(segment, places)
        if block is not None:
            found.append(Block(segment, block, places.first[segment.path], places.last[segment.path]))
    return found


def item_differences(pair: Pair) -> Iterator[Divergence]:
    """Every difference of two items that are paired."""
    if pair.at_a.item.item.role != pair.at_b.item.item.role:
        yield _role_changed(pair)
    old, new = blocks(pair.at_a), blocks(pair.at_b)
    if len(old) != len(new) and (joined := _joined(old)) is not None and joined == _joined(new):
        within = pair.at_b.item.item.path
        yield reshaped("the same text in other blocks", _range(old), _range(new), within, pair)
        return
    keys_a, keys_b = [block.node.key for block in old], [block.node.key for block in new]
    if keys_a != keys_b and Counter(keys_a) == Counter(keys_b):
        yield _reordered(old, new, pair)
        return
    for gap in gaps(keys_a, keys_b):
        yield from _gap(pair, old, new, gap)


def _role_changed(pair: Pair) -> Divergence:
    """The same message or block under another role."""
    x, y = pair.at_a.item, pair.at_b.item
    old, new = x.item.role or "", y.item.role or ""
    head = common_prefix(old, new)
    a, b = (x.char + head, x.char + len(old)), (y.char + head, y.char + len(new))
    found = placed("role-changed", f"the role “{old}” became “{new}”", a, b, y.item.path, pair)
    return found._replace(old=old, new=new)


def _joined(found: Blocks) -> str | None:
    """The text of an item that is nothing but text."""
    texts = [block.node.text for block in found if block.node.text is not None]
    return "".join(texts) if texts and len(texts) == len(found) else None


def _reordered(old: Blocks, new: Blocks, pair: Pair) -> Divergence:
    a, b = _range(old), _range(new)
    message = f"the same {len(old)} blocks in another order"
    head = min(common_prefix(pair.a.text, pair.b.text, a[0], b[0]), a[1] - a[0], b[1] - b[0])
    return placed("list-order", message, (a[0] + head, a[1]), (b[0] + head, b[1]), pair.at_b.item.item.path, pair)


def _range(found: Blocks) -> Range:
    return found[0].start, found[-1].end


def _gap(pair: Pair, old: Blocks, new: Blocks, gap: Gap) -> Iterator[Divergence]:
    left, right = old[gap.a0 : gap.a1], new[gap.b0 : gap.b1]
    if pair.level == "messages" and not any(block.segment.kind == "thinking" for block in right):
        if thinking := [block for block in left if block.segment.kind == "thinking"]:
            at = _start_of(right or new[gap.b1 :], pair.at_b)
            message = "the thinking of an earlier turn is gone"
            yield gone("reasoning-dropped", message, _range(thinking), at, _within(thinking), pair)
        left = [block for block in left if block.segment.kind != "thinking"]
    lost, won = _spare(left, right), _spare(right, left)
    left_pairs, right_pairs = _without(left, lost), _without(right, won)
    for before, after in zip(left_pairs, right_pairs, strict=True):
        yield from _edited(before, after, pair)
    if lost:
        at = _start_of(right_pairs[left.index(lost[0]) :] or new[gap.b1 :], pair.at_b)
        yield gone(*_what(lost, "removed", pair), _range(lost), at, _within(lost), pair)
    if won:
        at = _start_of(left_pairs[right.index(won[0]) :] or old[gap.a1 :], pair.at_a)
        yield came(*_what(won, "added", pair), at, _range(won), _within(won), pair)


def _start_of(found: Blocks, places: Index) -> int:
    """Where the first of these blocks starts, or the item ends."""
    return found[0].start if found else places.item.char + len(places.item.text)


def _spare(found: Blocks, others: Blocks) -> Blocks:
    """The blocks that have no partner: tagged sections first, then the last ones, as many as the other side lacks."""
    spare = max(0, len(found) - len(others))
    apart = [block for block in found if block.node.text is not None and is_context_section(block.node.text)][:spare]
    rest = _without(found, apart)
    last = rest[len(rest) - (spare - len(apart)) :]
    return _without(found, _without(rest, last))


def _without(found: Blocks, some: Blocks) -> Blocks:
    paths = {block.segment.path for block in some}
    return [block for block in found if block.segment.path not in paths]


def _what(found: Blocks, verb: str, pair: Pair) -> tuple[str, str]:
    """The label for blocks that came or went as a whole."""
    if all(block.segment.kind == "other" and isinstance(block.node.value, dict) for block in found):
        fields = [f"“{name}”" for block in found if isinstance(block.node.value, dict) for name in block.node.value]
        return pair.fallback, f"{', '.join(fields)} {'were' if len(fields) > 1 else 'was'} {verb}"
    count = f"{len(found)} block" + ("s were" if len(found) != 1 else " was")
    if all(is_media(block.node.value) for block in found):
        return "image-changed", f"{describe(found[0].node.value)} was {verb}"
    if pair.level == "messages" and all(block.node.text is not None for block in found):
        return "history-rewrapped", f"{count} {verb} around the text of this message"
    return pair.fallback, f"{count} {verb}"


def _within(found: Blocks) -> Path:
    """One block, or the list that holds several."""
    path = found[0].segment.path
    return path if len(found) == 1 else path[:-1]


def _edited(before: Block, after: Block, pair: Pair) -> Iterator[Divergence]:
    old, new = before.node, after.node
    found = list(differences(old, new, pair))
    said = before.segment.kind == "text" and pair.at_a.item.item.role not in ("tool", "function")  # not a result
    unnamed = pair.level == "messages" and said and any(divergence.cause == pair.fallback for divergence in found)
    if unnamed and (wrapped := unwrapped(old.text or "", new.text or "")) is not None:
        yield whole(*wrapped, old, new, pair)
    else:
        yield from found
