"""Align two sequences: patience matching with a limit to its work, so that the time stays near linear.

difflib is quadratic on repetitive input; a prompt with 100,000 equal short messages must not hang.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from typing import NamedTuple

_WORK = 8  # entries looked at for each entry given; where anchors never divide a range well, the rest is one gap
_LEAST_WORK = 1 << 14  # short sequences are always aligned to the end


class Gap(NamedTuple):
    """`a[a0:a1]` became `b[b0:b1]`; what lies between two gaps is equal."""

    a0: int
    a1: int
    b0: int
    b1: int


def common_head(a: Sequence[Hashable], b: Sequence[Hashable]) -> int:
    """Number of equal entries at the start."""
    n = 0
    for x, y in zip(a, b, strict=False):
        if x != y:
            break
        n += 1
    return n


def pairs(a: Sequence[Hashable], b: Sequence[Hashable]) -> Iterator[tuple[int, int]]:
    """Pairs of equal entries, rising on both sides: what lies between the gaps."""
    i = j = 0
    for gap in [*gaps(a, b), Gap(len(a), len(a), len(b), len(b))]:
        yield from zip(range(i, gap.a0), range(j, gap.b0), strict=True)
        i, j = gap.a1, gap.b1


def gaps(a: Sequence[Hashable], b: Sequence[Hashable]) -> list[Gap]:
    """Where `a` and `b` differ, in order. Entries that are unique on both sides anchor the alignment."""
    found: list[Gap] = []
    last_a = last_b = 0
    for i, j in [*_matches(a, b), (len(a), len(b))]:
        if i > last_a or j > last_b:
            found.append(Gap(last_a, i, last_b, j))
        last_a, last_b = i + 1, j + 1
    return found


def _matches(a: Sequence[Hashable], b: Sequence[Hashable]) -> list[tuple[int, int]]:
    """Pairs of equal entries, rising on both sides."""
    pairs: list[tuple[int, int]] = []
    ranges = [(0, len(a), 0, len(b))]
    work = _LEAST_WORK + _WORK * (len(a) + len(b))
    while ranges:
        a0, a1, b0, b1 = ranges.pop()
        while a0 < a1 and b0 < b1 and a[a0] == b[b0]:
            pairs.append((a0, b0))
            a0, b0 = a0 + 1, b0 + 1
        while a0 < a1 and b0 < b1 and a[a1 - 1] == b[b1 - 1]:
            a1, b1 = a1 - 1, b1 - 1
            pairs.append((a1, b1))
        work -= a1 - a0 + b1 - b0
        if a0 == a1 or b0 == b1 or work < 0:
            continue
        start_a, start_b = a0, b0
        for i, j in _anchors(a, b, a0, a1, b0, b1):
            pairs.append((i, j))
            ranges.append((start_a, i, start_b, j))
            start_a, start_b = i + 1, j + 1
        if start_a > a0 or start_b > b0:
            ranges.append((start_a, a1, start_b, b1))
    return sorted(pairs)


def _anchors(
    a: Sequence[Hashable], b: Sequence[Hashable], a0: int, a1: int, b0: int, b1: int
) -> Iterator[tuple[int, int]]:
    """The longest rising chain of entries that occur once in each range."""
    count_a, count_b = Counter(a[a0:a1]), Counter(b[b0:b1])
    where = {b[j]: j for j in range(b0, b1) if count_b[b[j]] == 1}
    pairs = [(i, where[a[i]]) for i in range(a0, a1) if a[i] in where and count_a[a[i]] == 1]
    tops: list[int] = []  # smallest last j of a chain of each length
    piles: list[int] = []  # index of that pair
    before: list[int] = []
    for index, (_, j) in enumerate(pairs):
        pile = bisect_left(tops, j)
        before.append(piles[pile - 1] if pile else -1)
        tops[pile : pile + 1] = [j]
        piles[pile : pile + 1] = [index]
    chain: list[tuple[int, int]] = []
    at = piles[-1] if piles else -1
    while at >= 0:
        chain.append(pairs[at])
        at = before[at]
    return reversed(chain)
