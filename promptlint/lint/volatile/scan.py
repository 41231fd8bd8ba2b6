"""Searches that look closely only where a cheap sign stands, so that plain text costs little."""

import re
from collections.abc import Iterator
from functools import cache


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """Compiled when first used: many patterns here take milliseconds."""
    return re.compile(pattern)


def near(sign: str, pattern: str, text: str, before: int, after: int) -> Iterator[re.Match[str]]:
    """Matches of `pattern` that lie within so many characters before and after a match of `sign`.

    Linear in the text, as windows that touch are joined.
    """
    start, end = -1, -1
    for match in compiled(sign).finditer(text):
        low, high = max(match.start() - before, 0), min(match.end() + after, len(text))
        if low <= end:
            end = high
            continue
        if start >= 0:
            yield from compiled(pattern).finditer(text, start, end)
        start, end = max(low, end), high
    if start >= 0:
        yield from compiled(pattern).finditer(text, start, end)


def line_of(text: str, at: int, most: int = 160) -> tuple[int, int]:
    """Start and end of the line around a character, at most so far away."""
    start = text.rfind("\n", max(at - most, 0), at) + 1 or max(at - most, 0)
    end = text.find("\n", at, at + most)
    return start, min(at + most, len(text)) if end < 0 else end
