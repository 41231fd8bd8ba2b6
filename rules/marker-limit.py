"""Counts the markers that the provider would read, the automatic one among them."""

from collections.abc import Iterator

from promptlint.cache.positions import Position, can_carry
from promptlint.cache.reuse import written
from promptlint.cache.unread import ignored
from promptlint.lint.edits import Edit
from promptlint.lint.hit import Hit
from promptlint.lint.marker_edits import unmarked
from promptlint.lint.markers import faults, hit_of, positions
from promptlint.lint.subject import RequestSubject


def check(subject: RequestSubject) -> Iterator[Hit]:
    """The first marker above the limit, the others as related places."""
    yield from faults(subject, "marker-limit")
    fault = ignored(subject.prompt, subject.rule)
    if fault is not None:
        yield hit_of(fault)


def fix(subject: RequestSubject, hit: Hit) -> Iterator[Edit]:
    """As many stay as are taken: the last one of the system text, of the messages and of the tools, then the latest.

    The first three are what other conversations, the next turn and a request with another system text read.
    """
    provider = subject.provider
    carriers = [p for p in positions(subject) if p.marker is not None and can_carry(p, provider)]
    last = {position.level: position for position in carriers}
    first = [last[level] for level in ("system", "messages", "tools") if level in last]
    ranked = [*first, *(position for position in reversed(carriers) if position not in first)]
    for position in ranked[_taken(subject, carriers) :]:
        if position.marker is not None:
            yield unmarked(subject, position.marker)


def _taken(subject: RequestSubject, carriers: list[Position]) -> int:
    """How many of these markers the provider takes."""
    if subject.provider.refuses:
        return subject.provider.marker_limit
    ends = {entry.end for entry in written(subject.prompt, subject.rule)[1]}
    return sum(position.end in ends for position in carriers)
