"""Two messages that are one message edited: what happened to its blocks."""

from collections import Counter
from collections.abc import Iterator, Sequence

from promptlint.boundary.align import Gap, gaps
from promptlint.boundary.divergence import Divergence
from promptlint.boundary.items import item_pair, role_changed
from promptlint.boundary.media import describe, is_media
from promptlint.boundary.sections import is_context_section, unwrapped
from promptlint.boundary.tree import Index, Node, node
from promptlint.boundary.values import Pair, Range, came, differences, gone, placed, whole
from promptlint.prompt import Path, Rendered, RenderedItem, Segment
from promptlint.read.raw import common_prefix

Blocks = Sequence[tuple[Segment, Node]]


def message_differences(x: RenderedItem, y: RenderedItem, a: Rendered, b: Rendered) -> Iterator[Divergence]:
    """Every difference of two messages that are paired."""
    pair = item_pair(x, y, a, b, "history-rewritten", None)
    if x.item.role != y.item.role:
        yield role_changed(pair)
    old, new = _blocks(x, pair.at_a), _blocks(y, pair.at_b)
    if len(old) != len(new) and (joined := _joined(old)) is not None and joined == _joined(new):
        yield _at_message("content-shape", "the same text in other blocks", old, new, pair)
        return
    keys_a, keys_b = [block.key for _, block in old], [block.key for _, block in new]
    if keys_a != keys_b and Counter(keys_a) == Counter(keys_b):
        yield _at_message("list-order", f"the same {len(old)} blocks in another order", old, new, pair)
        return
    for gap in gaps(keys_a, keys_b):
        yield from _gap(pair, old, new, gap)


def _blocks(item: RenderedItem, places: Index) -> Blocks:
    shown = ((segment, node(segment.content, segment.path, places)) for segment in item.item.segments)
    return [(segment, block) for segment, block in shown if block is not None]


def _joined(blocks: Blocks) -> str | None:
    """The text of a message that is nothing but text."""
    texts = [block.text for _, block in blocks if block.text is not None]
    return "".join(texts) if len(texts) == len(blocks) else None


def _at_message(cause: str, message: str, old: Blocks, new: Blocks, pair: Pair) -> Divergence:
    a, b = _range(old, pair.at_a), _range(new, pair.at_b)
    head = common_prefix(pair.a.text, pair.b.text, a[0], b[0])
    return placed(cause, message, (a[0] + head, a[1]), (b[0] + head, b[1]), pair.at_b.item.item.path, pair)


def _range(blocks: Blocks, places: Index) -> Range:
    return places.first[blocks[0][1].path], places.last[blocks[-1][1].path]


def _gap(pair: Pair, old: Blocks, new: Blocks, gap: Gap) -> Iterator[Divergence]:
    left, right = old[gap.a0 : gap.a1], new[gap.b0 : gap.b1]
    if not any(segment.kind == "thinking" for segment, _ in right):
        if thinking := [entry for entry in left if entry[0].kind == "thinking"]:
            at = _start_of(right or new[gap.b1 :], pair.at_b)
            message = "the thinking of an earlier turn is gone"
            yield gone("reasoning-dropped", message, _range(thinking, pair.at_a), at, _within(thinking), pair)
        left = [entry for entry in left if entry[0].kind != "thinking"]
    lost, won = _spare(left, right), _spare(right, left)
    left_pairs, right_pairs = _without(left, lost), _without(right, won)
    for before, after in zip(left_pairs, right_pairs, strict=True):
        yield from _edited(before, after, pair)
    if lost:
        at = _start_of(right_pairs[left.index(lost[0]) :] or new[gap.b1 :], pair.at_b)
        yield gone(*_what(lost, "removed"), _range(lost, pair.at_a), at, _within(lost), pair)
    if won:
        at = _start_of(left_pairs[right.index(won[0]) :] or old[gap.a1 :], pair.at_a)
        yield came(*_what(won, "added"), at, _range(won, pair.at_b), _within(won), pair)


def _start_of(blocks: Blocks, places: Index) -> int:
    """Where the first of these blocks starts, or the message ends."""
    return places.first[blocks[0][1].path] if blocks else places.item.char + len(places.item.text)


def _spare(blocks: Blocks, others: Blocks) -> Blocks:
    """The blocks that have no partner: tagged sections first, then the last ones, as many as the other side lacks."""
    spare = max(0, len(blocks) - len(others))
    apart = [entry for entry in blocks if entry[1].text is not None and is_context_section(entry[1].text)][:spare]
    rest = _without(blocks, apart)
    last = rest[len(rest) - (spare - len(apart)) :]
    return _without(blocks, _without(rest, last))


def _without(blocks: Blocks, some: Blocks) -> Blocks:
    paths = {segment.path for segment, _ in some}
    return [entry for entry in blocks if entry[0].path not in paths]


def _what(blocks: Blocks, verb: str) -> tuple[str, str]:
    """The label for blocks that came or went as a whole."""
    count = f"{len(blocks)} block" + ("s were" if len(blocks) != 1 else " was")
    if all(block.text is not None for _, block in blocks):
        return "history-rewrapped", f"{count} {verb} around the text of this message"
    if all(is_media(block.value) for _, block in blocks):
        return "image-changed", f"{describe(blocks[0][1].value)} was {verb}"
    return "history-rewritten", f"{count} {verb}"


def _within(blocks: Blocks) -> Path:
    """One block, or the list that holds several."""
    path = blocks[0][0].path
    return path if len(blocks) == 1 else path[:-1]


def _edited(before: tuple[Segment, Node], after: tuple[Segment, Node], pair: Pair) -> Iterator[Divergence]:
    old, new = before[1], after[1]
    found = list(differences(old, new, pair))
    said = before[0].kind == "text" and pair.at_a.item.item.role not in ("tool", "function")  # a result has no wrapper
    unnamed = said and any(divergence.cause == pair.fallback for divergence in found)
    if unnamed and (wrapped := unwrapped(old.text or "", new.text or "")) is not None:
        yield whole(*wrapped, old, new, pair)
    else:
        yield from found
