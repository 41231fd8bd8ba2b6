"""What a change takes from every request, in tokens: worked out on the texts, or on the segments of a lock."""

import re
from collections.abc import Iterator, Sequence
from itertools import accumulate

from promptlint.boundary.divergence import shared_chars
from promptlint.cache.reuse import written
from promptlint.commands.check.measure import Compared
from promptlint.commands.check.segments import cuts
from promptlint.commands.single import counted
from promptlint.gate.lock import LockedRendering
from promptlint.gate.lost import SLACK, covered, still_sent

_WORD = re.compile(r"\S+\s*|\s+")


def lost_tokens(before: Compared, after: Compared) -> int | None:
    """Of the second request: tokens that it could reuse before the change, still sends, and cannot reuse after it.

    None: who serves it does not say how much is cached.
    """
    was, now = before.diff.boundary.usable_tokens, after.diff.boundary.usable_tokens
    if was is None or now is None:
        return None
    old, new = before.second.prompt, after.second.prompt
    if not was:
        return 0
    if old is None or new is None:
        ids, others = (one.second.request.token_ids or () for one in (before, after))
        return _more_than_slack(sum(covered(ids[:was], others[:now], others[now:])))
    end = _reusable(after)
    words = [_WORD.findall(text) for text in (old.text[: _reusable(before)], new.text[:end], new.text[end:])]
    count = after.options.tokenizer.count
    lost = sum(count(stretch) for stretch in _stretches(words[2], covered(*words)))
    return min(_more_than_slack(lost), was)


def _stretches(words: Sequence[str], flags: Sequence[bool]) -> Iterator[str]:
    """The words that are flagged, joined where they follow each other."""
    run: list[str] = []
    for word, flag in zip(words, flags, strict=True):
        if flag:
            run.append(word)
        elif run:
            yield "".join(run)
            run = []
    if run:
        yield "".join(run)


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


def lost_segments(old: LockedRendering, new: LockedRendering, kept: int) -> int:
    """The same for what a lock keeps of the second request, in whole segments: `new` can reuse `kept` of them."""
    hashes = [segment.hash for segment in new.segments]
    flags = still_sent([segment.hash for segment in old.segments[: locked_segments(old)]], hashes[:kept], hashes[kept:])
    lost = sum(segment.tokens for segment, flag in zip(new.segments[kept:], flags, strict=True) if flag)
    return min(_more_than_slack(lost), old.usable_tokens)


def kept_segments(found: Compared, new: LockedRendering) -> int:
    """Whole segments that the second request can reuse; those that only rounding to units takes away are among them."""
    prompt, end = found.second.prompt, _reusable(found)
    return locked_segments(new) if prompt is None else sum(cut.end <= end for cut in cuts(prompt))


def locked_segments(one: LockedRendering) -> int:
    """The same as far as a lock tells: rounded."""
    return sum(end <= one.usable_tokens for end in accumulate(segment.tokens for segment in one.segments))
