"""Which text a change takes from every request: what was cached before, is still sent, and is cached no more."""

from collections import Counter
from collections.abc import Hashable, Sequence

SLACK = 8
"""Tokens by which counts of parts differ from those of a whole: so few are no loss."""
RUN = 8
"""Words (or token ids) in a row that two texts have in common; of fewer it is chance."""


def still_sent(old: Sequence[Hashable], kept: Sequence[Hashable], rest: Sequence[Hashable]) -> list[bool]:
    """For each part of `rest`, what the new prompt cannot reuse: whether it is one of `old`, what the old prompt could.

    `kept`: the parts that the new prompt can reuse. Each part of `old` counts once, wherever it stands now: text may be
    repetitive, and it may move. What was removed is not lost, nor is what was never cached.
    """
    left = Counter(old)
    left.subtract(kept)
    found = []
    for part in rest:
        found.append(left[part] > 0)
        left[part] -= found[-1]
    return found


def covered(old: Sequence[Hashable], kept: Sequence[Hashable], rest: Sequence[Hashable]) -> list[bool]:
    """The same for words: whether a word of `rest` belongs to a run of words that `old` has as well."""
    size = max(min(RUN, len(old), len(rest)), 1)
    flags = still_sent(_runs(old, size), _runs(kept, size), _runs(rest, size))
    found = [False] * len(rest)
    end = 0
    for start, is_there in enumerate(flags):
        if is_there:
            low, end = max(start, end), start + size
            found[low:end] = [True] * (end - low)
    return found


def _runs(words: Sequence[Hashable], size: int) -> list[tuple[Hashable, ...]]:
    return [tuple(words[start : start + size]) for start in range(len(words) - size + 1)]
