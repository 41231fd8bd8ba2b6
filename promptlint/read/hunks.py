"""The lines in which two texts differ, as `git diff -U0` has them, in time that grows with their size only."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from promptlint.check_facts import Hunk

SHOWN = 12
"""Lines of a hunk that are kept."""
_LONGEST = 400  # characters of a line that are kept
_DEEPEST = 40  # how often a stretch is looked at again between lines that are unique in it
_TABLE = 4_000  # cells: the product of lines up to which the best match is looked for

_LINE = re.compile(r"[^\r\n]*(?:\r\n?|\n)|[^\r\n]+")


class _Stretch(NamedTuple):
    """Lines `a:b` of the old text are lines `c:d` of the new one."""

    a: int
    b: int
    c: int
    d: int


def hunks(old: str | None, new: str | None, path: str, *, shown: int = SHOWN) -> tuple[Hunk, ...]:
    """Where two decoded texts differ, in order. None: there is no such file.

    Lines end as everywhere in reports: with LF, CR LF or a lone CR; where only that differs, the line differs. `shown`:
    how many lines each hunk keeps, cut if they are long, and of both sides if there are.
    """
    before, after = _lines(old or ""), _lines(new or "")
    found = []
    for a, b, c, d in _joined(_differences(before, after)):
        lines = _kept(before[a:b], after[c:d], shown)
        found.append(Hunk(path, a + (b > a), b - a, c + (d > c), d - c, lines))
    return tuple(found)


def at_line(found: Sequence[Hunk], line: int) -> Hunk | None:
    """The hunk that holds a line of the new text; else the one whose lines were deleted in front of it or behind it."""
    near = [each for each in found if each.new_start - 1 <= line <= each.new_start + max(each.new_lines, 1)]
    for each in near:
        if each.new_start <= line < each.new_start + each.new_lines:
            return each
    deletions = [each for each in near if not each.new_lines]
    in_front = (each for each in deletions if each.new_start == line - 1)
    behind = (each for each in deletions if each.new_start == line)
    return next(in_front, None) or next(behind, None)


def nearest(found: Sequence[Hunk], line: int) -> Hunk | None:
    """The hunk that is the fewest lines away from a line of the new text; the first of two; None if there is none."""

    def lines_away(each: Hunk) -> float:
        if not each.new_lines:  # between two lines
            return abs(each.new_start + 0.5 - line)
        return max(each.new_start - line, line - each.new_start - each.new_lines + 1, 0)

    return min(found, key=lines_away, default=None)


def _lines(text: str) -> list[str]:
    """With their ends."""
    if "\r" in text:
        return _LINE.findall(text)
    lines = text.split("\n")
    return [*(f"{line}\n" for line in lines[:-1]), *(line for line in lines[-1:] if line)]


def _kept(old: Sequence[str], new: Sequence[str], shown: int) -> tuple[str, ...]:
    of_old = min(len(old), max(shown // 2, shown - len(new)))
    return (
        *(f"-{_cut(line)}" for line in old[:of_old]),
        *(f"+{_cut(line)}" for line in new[: shown - of_old]),
    )


def _cut(line: str) -> str:
    line = line.removesuffix("\n")  # a CR is kept: it may be what differs
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…"


def _joined(stretches: Iterator[_Stretch]) -> Iterator[_Stretch]:
    """In order; those that touch are one."""
    last: _Stretch | None = None
    for each in stretches:
        if last is not None and last.b == each.a and last.d == each.c:
            last = _Stretch(last.a, each.b, last.c, each.d)
            continue
        if last is not None:
            yield last
        last = each
    if last is not None:
        yield last


def _differences(old: Sequence[str], new: Sequence[str]) -> Iterator[_Stretch]:
    """The stretches that differ, in order: between lines that both texts have once, and so on between these."""
    waiting = [(_Stretch(0, len(old), 0, len(new)), 0)]
    while waiting:
        whole, depth = waiting.pop()
        a, b, c, d = _trimmed(old, new, whole)
        if a == b or c == d:
            if a < b or c < d:
                yield _Stretch(a, b, c, d)
            continue
        pairs = _unique_pairs(old, new, _Stretch(a, b, c, d)) if depth < _DEEPEST else []
        if not pairs and (b - a) * (d - c) <= _TABLE:
            pairs = _best_pairs(old[a:b], new[c:d], a, c)
        if not pairs:
            yield _Stretch(a, b, c, d)
            continue
        parts = []
        for old_at, new_at in [*pairs, (b, d)]:
            parts.append((_Stretch(a, old_at, c, new_at), depth + 1))
            a, c = old_at + 1, new_at + 1
        waiting += reversed(parts)


def _trimmed(old: Sequence[str], new: Sequence[str], whole: _Stretch) -> _Stretch:
    """Without the lines that both have at its beginning and its end."""
    a, b, c, d = whole
    while a < b and c < d and old[a] == new[c]:
        a, c = a + 1, c + 1
    while a < b and c < d and old[b - 1] == new[d - 1]:
        b, d = b - 1, d - 1
    return _Stretch(a, b, c, d)


def _unique_pairs(old: Sequence[str], new: Sequence[str], of: _Stretch) -> list[tuple[int, int]]:
    """Lines that stand once in either stretch, as many of them as have the same order in both."""
    in_old, in_new = Counter(old[of.a : of.b]), Counter(new[of.c : of.d])
    places = {new[at]: at for at in range(of.c, of.d) if in_new[new[at]] == 1}
    pairs = [(at, places[old[at]]) for at in range(of.a, of.b) if in_old[old[at]] == 1 and old[at] in places]
    return _ascending(pairs)


def _ascending(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest series of pairs, ordered by their first, in which the second ascends."""
    from bisect import bisect_left

    ends: list[int] = []  # of the best series of each length: its second
    last: list[int] = []  # and the number of its last pair
    before: list[int] = []
    for number, (_, second) in enumerate(pairs):
        length = bisect_left(ends, second)
        before.append(last[length - 1] if length else -1)
        ends[length : length + 1] = [second]
        last[length : length + 1] = [number]
    series = []
    number = last[-1] if last else -1
    while number >= 0:
        series.append(pairs[number])
        number = before[number]
    return series[::-1]


def _best_pairs(old: Sequence[str], new: Sequence[str], a: int, c: int) -> list[tuple[int, int]]:
    """Lines of two short stretches that begin at `a` and `c`: as many equal ones as go together."""
    table = [[0] * (len(new) + 1) for _ in range(len(old) + 1)]
    for i in range(len(old) - 1, -1, -1):
        for j in range(len(new) - 1, -1, -1):
            longer = max(table[i + 1][j], table[i][j + 1])
            table[i][j] = table[i + 1][j + 1] + 1 if old[i] == new[j] else longer
    pairs = []
    i = j = 0
    while i < len(old) and j < len(new):
        if old[i] == new[j]:
            pairs.append((a + i, c + j))
            i, j = i + 1, j + 1
        elif table[i + 1][j] >= table[i][j + 1]:
            i += 1
        else:
            j += 1
    return pairs
