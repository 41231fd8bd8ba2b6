"""Which tokens a change takes from every request: text that was cached before, is still sent, and is cached no more."""

from collections.abc import Iterable
from typing import NamedTuple

SLACK = 8
"""Tokens by which counts of parts differ from those of a whole: so few are no loss."""
LEAST = 40
"""Characters: of shorter stretches it is chance that two texts have them in common."""


class Equal(NamedTuple):
    """Text that two prompts have in common, in characters (or segments)."""

    old: int  # where it begins in the old one
    new: int
    length: int


def stranded(equal: Iterable[Equal], old_end: int, new_end: int) -> list[tuple[int, int]]:
    """The ranges of the new prompt with text that could be reused before and cannot be now.

    `old_end`, `new_end`: how far requests of the same state could reuse each other's prompt. Text that was removed is
    not lost, nor is text that moved in from where it was never cached.
    """
    found = []
    for part in equal:
        kept = min(part.length, old_end - part.old)  # of what was cached
        start, end = max(part.new, new_end), part.new + kept
        if kept > 0 and end > start:
            found.append((start, end))
    return found
