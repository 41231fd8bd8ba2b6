"""Messages that are not replayed as they were sent: appended, dropped, compacted, rewritten."""

from collections.abc import Iterator
from typing import NamedTuple

from promptlint.boundary.align import Gap, common_prefix, common_suffix, gaps
from promptlint.boundary.blocks import message_differences
from promptlint.boundary.divergence import Divergence
from promptlint.boundary.items import Entries, at_items
from promptlint.finding import ChangeLevel
from promptlint.prompt import Rendered, RenderedItem

_LOOK_AHEAD = 8  # messages; further away nothing is taken for the same message edited
_KIN = 0.3  # share of equal characters at both ends above which two messages are one message edited


class History(NamedTuple):
    """The messages of two requests."""

    a: Rendered
    b: Rendered
    old: Entries
    new: Entries
    level: ChangeLevel = "messages"


def history_differences(history: History) -> Iterator[Divergence]:
    """Every difference of two histories, in order."""
    texts_a, texts_b = [item.text for item in history.old], [item.text for item in history.new]
    found = gaps(texts_a, texts_b)
    for gap in found:
        yield from _gap(history, gap, found)


def _gap(history: History, gap: Gap, found: list[Gap]) -> Iterator[Divergence]:
    at_end = gap.a1 == len(history.old) and gap.b1 == len(history.new)
    if gap.a0 == gap.a1:
        yield _appended(history, gap) if at_end else _inserted(history, gap.a0, gap.b0, gap.b1)
    elif gap.b0 == gap.b1:
        yield _shorter(history, gap) if at_end and len(found) == 1 else _dropped(history, gap, found)
    elif _is_compaction(history, gap):
        yield _compacted(history, gap)
    else:
        yield from _pairs(history, gap, at_end)


def _plural(count: int) -> str:
    return f"{count} message" + ("s" if count != 1 else "")


def _appended(history: History, gap: Gap) -> Divergence:
    found = at_items(history.a, history.b, history.old, history.new, gap.a0, gap.b0, history.level)
    message = f"{_plural(gap.b1 - gap.b0)} appended; everything before is equal"
    within = history.new[gap.b0].item.path
    return found._replace(cause="turn-appended", message=message, within=within, a_present=False, a_end=found.a_start)


def _shorter(history: History, gap: Gap) -> Divergence:
    found = at_items(history.a, history.b, history.old, history.new, gap.a0, gap.b0, history.level)
    message = f"the second prompt is the first without its last {_plural(gap.a1 - gap.a0)}"
    return found._replace(cause="turn-appended", message=message, within=history.old[gap.a0].item.path, b_present=False)


def _inserted(history: History, i: int, j: int, stop: int) -> Divergence:
    found = at_items(history.a, history.b, history.old, history.new, i, j, history.level)
    message = f"{_plural(stop - j)} inserted into the history"
    return found._replace(cause="history-rewritten", message=message, within=history.new[j].item.path, a_present=False)


def _dropped(history: History, gap: Gap, found: list[Gap]) -> Divergence:
    """Messages that only A has, with equal ones behind them."""
    at = at_items(history.a, history.b, history.old, history.new, gap.a0, gap.b0, history.level)
    count = gap.a1 - gap.a0
    oldest = gap.a0 <= 1 and all(other is gap or other.a0 == len(history.old) for other in found)
    if oldest and gap.a1 < len(history.old):
        kept = len(history.old) - count
        message = f"the oldest {_plural(count)} dropped; the other {kept} are equal and moved forward"
        return at._replace(
            cause="history-trimmed", message=message, within=history.old[gap.a0].item.path, b_present=False
        )
    message = f"{_plural(count)} taken out of the history"
    return at._replace(
        cause="history-rewritten", message=message, within=history.old[gap.a0].item.path, b_present=False
    )


def _is_compaction(history: History, gap: Gap) -> bool:
    """A stretch of at least two messages gave way to fewer, shorter ones, and other messages are kept."""
    old, new = history.old[gap.a0 : gap.a1], history.new[gap.b0 : gap.b1]
    kept = len(history.old) > len(old)
    if len(old) < 2 or len(new) >= len(old) or len(new) > 2 or not kept:
        return False
    if any(_kin(x, y) for x in old for y in new):
        return False
    return sum(len(item.text) for item in new) < sum(len(item.text) for item in old)


def _compacted(history: History, gap: Gap) -> Divergence:
    found = at_items(history.a, history.b, history.old, history.new, gap.a0, gap.b0, history.level)
    message = f"{_plural(gap.a1 - gap.a0)} gave way to {_plural(gap.b1 - gap.b0)}"
    return found._replace(cause="history-compacted", message=message, within=history.new[gap.b0].item.path)


def _pairs(history: History, gap: Gap, at_end: bool) -> Iterator[Divergence]:
    """Messages of a gap taken together where they are one message edited; the rest came or went."""
    i, j = gap.a0, gap.b0
    while i < gap.a1 and j < gap.b1:
        skip_a, skip_b = _next_kin(history, gap, i, j)
        if skip_a:
            yield _dropped(history, Gap(i, i + skip_a, j, j), [])
        if skip_b:
            yield _inserted(history, i, j, j + skip_b)
        i, j = i + skip_a, j + skip_b
        yield from message_differences(history.old[i], history.new[j], history.a, history.b)
        i, j = i + 1, j + 1
    if i < gap.a1:
        yield _dropped(history, Gap(i, gap.a1, j, j), [])
    elif j < gap.b1:
        rest = Gap(i, i, j, gap.b1)
        yield _appended(history, rest) if at_end else _inserted(history, i, j, gap.b1)


def _next_kin(history: History, gap: Gap, i: int, j: int) -> tuple[int, int]:
    """How many messages to pass over on each side to come to two that are one message edited."""
    old, new = history.old, history.new
    if _kin(old[i], new[j]):
        return 0, 0
    for skip in range(1, _LOOK_AHEAD + 1):
        if i + skip < gap.a1 and _kin(old[i + skip], new[j]):
            return skip, 0
        if j + skip < gap.b1 and _kin(old[i], new[j + skip]):
            return 0, skip
    return 0, 0


def _kin(x: RenderedItem, y: RenderedItem) -> bool:
    """Whether two messages are likely one message edited: the same role, and much or a whole block in common."""
    if x.item.role != y.item.role or [s.kind for s in x.item.segments[:1]] != [s.kind for s in y.item.segments[:1]]:
        return _content(x) == _content(y)
    old, new = _content(x), _content(y)
    shorter = min(len(old), len(new))
    if shorter < 12:
        return old == new or (shorter > 0 and (old in new or new in old))
    head = common_prefix(old, new)
    tail = common_suffix(old, new, shorter - head)
    return head + tail >= _KIN * shorter or old in new or new in old or _same_call(x, y)


def _content(item: RenderedItem) -> str:
    role = item.item.role
    return item.text[len(role) + 1 :] if role and item.text.startswith(f"{role}\n") else item.text


def _same_call(x: RenderedItem, y: RenderedItem) -> bool:
    """Both carry the result of the same call, or the same call again."""
    return bool(_ids(x) & _ids(y))


def _ids(item: RenderedItem) -> set[str]:
    fields = ("id", "call_id", "tool_call_id", "tool_use_id", "toolUseId")
    return {
        piece.text for piece in item.pieces if piece.atom == "value" and piece.path[-1:] and piece.path[-1] in fields
    }
