"""Messages that are not replayed as they were sent: appended, dropped, compacted, rewritten."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from promptlint.boundary.align import Gap, gaps
from promptlint.boundary.blocks import item_differences, item_pair
from promptlint.boundary.divergence import ID_FIELDS, Divergence
from promptlint.boundary.items import Level, at_items, divided
from promptlint.prompt import RenderedItem
from promptlint.read.raw import common_prefix, common_suffix

_LOOK_AHEAD = 8  # messages; further away nothing is taken for the same message edited
_KIN = 0.3  # share of equal characters at both ends above which two messages are one message edited
_SUMMARY = (
    r"(?i)summar|compact|condensed|recap|so far|earlier conversation|previous conversation|zusammenfass|résum|resum|"
    r"概要|摘要|总结|要約"
)


def history_differences(history: Level) -> Iterator[Divergence]:
    """Every difference of two histories, in order."""
    texts_a, texts_b = [item.text for item in history.old], [item.text for item in history.new]
    if (moved := _reordered(history, texts_a, texts_b)) is not None:
        yield moved
        if len(texts_b) > len(texts_a):
            yield _appended(history, len(texts_a), len(texts_a))
        return
    found = gaps(texts_a, texts_b)
    for gap in found:
        yield from _gap(history, gap, found)


def _reordered(history: Level, texts_a: list[str], texts_b: list[str]) -> Divergence | None:
    """The same messages in another order; others may follow."""
    again = texts_b[: len(texts_a)]
    if texts_a == again or Counter(texts_a) != Counter(again):
        return None
    first = next(k for k, (x, y) in enumerate(zip(texts_a, again, strict=True)) if x != y)
    message = f"the same {len(texts_a)} messages in another order"
    return at_items(history, first, first)._replace(cause="list-order", message=message)


def _gap(history: Level, gap: Gap, found: list[Gap]) -> Iterator[Divergence]:
    at_end = gap.a1 == len(history.old) and gap.b1 == len(history.new)
    if gap.a0 == gap.a1:
        yield (_appended(history, gap.a0, gap.b0) if at_end else _inserted(history, gap.a0, slice(gap.b0, gap.b1)))
    elif gap.b0 == gap.b1:
        yield (
            _shorter(history, gap)
            if at_end and len(found) == 1
            else _dropped(history, gap, _is_oldest(history, gap, found))
        )
    elif _is_compaction(history, gap):
        yield _compacted(history, gap)
    elif (shape := divided(history, gap)) is not None:
        yield shape
    else:
        yield from _pairs(history, gap, at_end)


def _plural(count: int) -> str:
    return f"{count} message" + ("s" if count != 1 else "")


def _were(count: int) -> str:
    return f"{count} message" + ("s were" if count != 1 else " was")


def _appended(history: Level, i: int, j: int) -> Divergence:
    found = at_items(history, i, j)
    before = "; everything before is equal" if history.b.text.startswith(history.a.text) else ""
    return found._replace(
        cause="turn-appended",
        message=f"{_plural(len(history.new) - j)} appended{before}",
        within=history.new[j].item.path,
        a_present=False,
        a_end=found.a_start,
    )


def _shorter(history: Level, gap: Gap) -> Divergence:
    found = at_items(history, gap.a0, gap.b0)
    what = "prompt" if history.a.text.startswith(history.b.text) else "history"
    message = f"the second {what} is the first without its last {_plural(gap.a1 - gap.a0)}"
    within = history.old[gap.a0].item.path
    return found._replace(cause="turn-appended", message=message, within=within, b_present=False)


def _inserted(history: Level, i: int, new: slice) -> Divergence:
    items = history.new[new]
    message = f"{_were(len(items))} inserted into the history"
    found = at_items(history, i, new.start)
    return found._replace(cause="history-rewritten", message=message, within=items[0].item.path, a_present=False)


def _is_oldest(history: Level, gap: Gap, found: Sequence[Gap]) -> bool:
    """Whether a gap holds the oldest messages (the first may be kept), and all others stay as they were."""
    rest_is_equal = all(other is gap or other.a0 == len(history.old) for other in found)
    return gap.a0 <= 1 and gap.a1 < len(history.old) and rest_is_equal


def _dropped(history: Level, gap: Gap, oldest: bool) -> Divergence:
    """Messages that only A has."""
    count = gap.a1 - gap.a0
    message, cause = f"{_were(count)} taken out of the history", "history-rewritten"
    if all(segment.kind == "thinking" for item in history.old[gap.a0 : gap.a1] for segment in item.item.segments):
        cause, message = "reasoning-dropped", "the thinking of an earlier turn is gone"
    elif oldest:
        cause = "history-trimmed"
        which = "oldest" if gap.a0 == 0 else "oldest behind the first"
        moved = len(history.old) - gap.a1
        message = f"{_were(count)} dropped, the {which}; the {moved} behind are equal and moved forward"
    found = at_items(history, gap.a0, gap.b0)
    return found._replace(cause=cause, message=message, within=history.old[gap.a0].item.path, b_present=False)


def _is_compaction(history: Level, gap: Gap) -> bool:
    """A stretch of at least two messages gave way to fewer, shorter ones: other messages are kept, or it says so."""
    old, new = history.old[gap.a0 : gap.a1], history.new[gap.b0 : gap.b1]
    kept = len(history.old) > len(old)
    if len(old) < 2 or len(new) >= len(old) or len(new) > 2:
        return False
    if not kept and not re.search(_SUMMARY, new[0].text[:400]):
        return False
    if any(_kin(x, y) for x in old for y in new):
        return False
    return sum(len(item.text) for item in new) < sum(len(item.text) for item in old)


def _compacted(history: Level, gap: Gap) -> Divergence:
    message = f"{_plural(gap.a1 - gap.a0)} gave way to {_plural(gap.b1 - gap.b0)}"
    within = history.new[gap.b0].item.path
    return at_items(history, gap.a0, gap.b0)._replace(cause="history-compacted", message=message, within=within)


def _pairs(history: Level, gap: Gap, at_end: bool) -> Iterator[Divergence]:
    """Messages of a gap taken together where they are one message edited; the rest came or went."""
    i, j = gap.a0, gap.b0
    while i < gap.a1 and j < gap.b1:
        skip_a, skip_b = _next_kin(history, gap, i, j)
        if skip_a:
            yield _dropped(history, Gap(i, i + skip_a, j, j), False)
        if skip_b:
            yield _inserted(history, i, slice(j, j + skip_b))
        i, j = i + skip_a, j + skip_b
        run = _strangers(history, Gap(i, gap.a1, j, gap.b1))
        if run is not None:
            yield _replaced(history, run)
            i, j = run.a1, run.b1
        else:
            x, y = history.old[i], history.new[j]
            yield from item_differences(item_pair(x, y, history.a, history.b, "history-rewritten"))
            i, j = i + 1, j + 1
    if i < gap.a1:
        yield _dropped(history, Gap(i, gap.a1, j, j), False)
    elif j < gap.b1:
        yield _appended(history, i, j) if at_end else _inserted(history, i, slice(j, gap.b1))


def _strangers(history: Level, gap: Gap) -> Gap | None:
    """The start of a gap in which messages have nothing in common: all of it if none has; not for one lone pair."""
    count, most = 0, min(gap.a1 - gap.a0, gap.b1 - gap.b0)
    while count < most:
        i, j = gap.a0 + count, gap.b0 + count
        if _kin(history.old[i], history.new[j]) or any(_next_kin(history, gap, i, j)):
            break
        count += 1
    if count < 2 and not (count == most == 1 < gap.a1 - gap.a0):
        return None
    return gap if count == most else Gap(gap.a0, gap.a0 + count, gap.b0, gap.b0 + count)


def _replaced(history: Level, run: Gap) -> Divergence:
    """Other messages stand in the place of several."""
    found = at_items(history, run.a0, run.b0)
    last_a, last_b = history.old[run.a1 - 1], history.new[run.b1 - 1]
    return found._replace(
        cause="history-rewritten",
        message=f"{_plural(run.a1 - run.a0)} gave way to {_others(run.b1 - run.b0)}",
        within=history.new[run.b0].item.path,
        a_end=max(found.a_start, last_a.char + len(last_a.text)),
        b_end=max(found.b_start, last_b.char + len(last_b.text)),
    )


def _others(count: int) -> str:
    return f"{count} others" if count != 1 else "another one"


def _next_kin(history: Level, gap: Gap, i: int, j: int) -> tuple[int, int]:
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
    return {p.text for p in item.pieces if p.atom == "value" and p.path[-1:] and p.path[-1] in ID_FIELDS}
