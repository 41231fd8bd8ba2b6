"""What a change takes from every request, in tokens: worked out on the texts, or on the segments of a lock."""

from collections.abc import Iterator, Sequence

from promptlint.boundary.align import common_head, gaps
from promptlint.boundary.divergence import shared_chars
from promptlint.boundary.texts import stretches
from promptlint.cache.reuse import written
from promptlint.commands.check.measure import Compared
from promptlint.commands.single import counted
from promptlint.gate.lock import LockedRendering
from promptlint.gate.lost import LEAST, SLACK, Equal, stranded


def lost_tokens(before: Compared, after: Compared) -> int | None:
    """Of the second request: tokens that it could reuse before the change, still sends, and cannot reuse after it.

    None: who serves it does not say how much is cached.
    """
    was, now = before.diff.boundary.usable_tokens, after.diff.boundary.usable_tokens
    if was is None or now is None:
        return None
    old, new = before.second.prompt, after.second.prompt
    if now >= was:
        return 0
    if old is None or new is None:
        kept = common_head(before.second.request.token_ids or (), after.second.request.token_ids or ())
        return _more_than_slack(min(was, kept) - now)
    count = after.options.tokenizer.count
    parts = (part for part in _equal(old.text, new.text) if part.length >= LEAST)
    ranges = stranded(parts, _reusable(before), _reusable(after))
    return _more_than_slack(sum(count(new.text[start:end]) for start, end in ranges))


def _more_than_slack(tokens: int) -> int:
    return tokens if tokens > SLACK else 0


def _reusable(found: Compared) -> int:
    """Characters of the second request that it can reuse; what only rounding to units takes away is among them."""
    a, b, usable = found.first.prompt, found.second.prompt, found.diff.boundary.usable_tokens
    if a is None or b is None or not usable:
        return 0
    equal = shared_chars(a, b)
    if found.rule is None or not found.rule.by_entries:
        return equal
    count = counted(a, found.options.tokenizer).in_a
    ends = [entry.end for entry in written(a, found.rule)[1] if entry.end <= equal]
    return min(ends, key=lambda end: abs(count(end) - usable), default=0)


def _equal(old: str, new: str) -> Iterator[Equal]:
    """What two texts have in common."""
    return _between([(part.a0, part.a1, part.b0, part.b1) for part in stretches(old, new)], len(old), len(new))


def _between(differ: Sequence[tuple[int, int, int, int]], old: int, new: int) -> Iterator[Equal]:
    """What lies between the stretches that differ, in the order of both sides, which are so long."""
    a = b = 0
    for a0, a1, b0, b1 in (*differ, (old, old, new, new)):
        if a0 > a and b0 > b:
            yield Equal(a, b, min(a0 - a, b0 - b))
        a, b = a1, b1


def lost_segments(
    before: tuple[LockedRendering, LockedRendering], after: tuple[LockedRendering, LockedRendering]
) -> int:
    """The same for what a lock keeps: of the second request of both states, in whole segments."""
    (_, old), (_, new) = before, after
    if new.usable_tokens >= old.usable_tokens:
        return 0
    a, b = ([segment.hash for segment in each.segments] for each in (old, new))
    parts = _between([(gap.a0, gap.a1, gap.b0, gap.b1) for gap in gaps(a, b)], len(a), len(b))
    ranges = stranded(parts, _segments(old), _segments(new))
    return _more_than_slack(sum(segment.tokens for start, end in ranges for segment in new.segments[start:end]))


def _segments(one: LockedRendering) -> int:
    """Whole segments within what can be reused; of a unit that ends inside one, that one as well."""
    ends = _ends([segment.tokens for segment in one.segments])
    return sum(end <= one.usable_tokens for end in ends)


def _ends(tokens: Sequence[int]) -> list[int]:
    total, ends = 0, []
    for each in tokens:
        total += each
        ends.append(total)
    return ends
