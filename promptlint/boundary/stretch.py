"""A stretch in which two texts differ, and what its surroundings say."""

import re
from typing import NamedTuple

_WINDOW = 120  # characters on both sides, inside the line, in which a pattern may cover a stretch


class Shape(NamedTuple):
    """A label for a differing stretch, and the words on both sides; the label "" says that none holds."""

    cause: str
    message: str
    old: str
    new: str


class Stretch(NamedTuple):
    """`old[a0:a1]` became `new[b0:b1]`; the text around is equal."""

    old: str
    a0: int
    a1: int
    new: str
    b0: int
    b1: int


def both(pattern: str, s: Stretch) -> tuple[re.Match[str], re.Match[str]] | None:
    """What the pattern matches around the stretch on both sides; None where it does not cover all of it."""
    x = _covering(pattern, s.old, s.a0, s.a1)
    y = _covering(pattern, s.new, s.b0, s.b1) if x else None
    return (x, y) if x and y and x[0] != y[0] else None


def _covering(pattern: str, text: str, start: int, end: int) -> re.Match[str] | None:
    """The match on the line of `start` that covers `start:end`."""
    if end - start > _WINDOW:
        return None
    low, high = _window(text, start, end)
    for match in re.compile(pattern).finditer(text, low, high):
        if match.start() <= start and end <= match.end():
            return match
        if match.start() > start:
            break
    return None


def _window(text: str, start: int, end: int) -> tuple[int, int]:
    """The part of the line in which a pattern may cover `start:end`."""
    low = max(text.rfind("\n", max(0, start - _WINDOW), start) + 1, start - _WINDOW)
    stop = text.find("\n", end, end + _WINDOW)
    return low, min(len(text) if stop < 0 else stop, end + _WINDOW)


def surroundings(text: str, start: int, end: int) -> str:
    """What a pattern that may cover `start:end` can see; nothing if the stretch is too long for one."""
    low, high = _window(text, start, end)
    return text[low:high] if end - start <= _WINDOW else ""


def ahead(match: re.Match[str], size: int = 48) -> str:
    """The text in front of a match, on its line."""
    text, start = match.string, match.start()
    return text[max(0, start - size) : start].rpartition("\n")[2]


def behind(match: re.Match[str], size: int = 48) -> str:
    """The text behind a match, on its line."""
    return match.string[match.end() : match.end() + size].partition("\n")[0]
