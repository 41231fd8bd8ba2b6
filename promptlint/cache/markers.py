"""Explicit markers: entries exist only where the author set one, and only near a marker are they found.

Rule (data/providers.yaml, Anthropic and Bedrock): a request writes one entry at each marker. A later request tests
each of its own markers and up to `lookback` positions back from it, the marker's own position counted as the first.
"""

from bisect import bisect_right
from collections.abc import Container, Sequence
from typing import NamedTuple

from promptlint.facts.providers import Provider
from promptlint.prompt import Kind, Marker, Path, Rendered


class Position(NamedTuple):
    """One block of a prompt, in reading order."""

    end: int  # characters of the prompt up to its end
    kind: Kind
    path: Path
    empty: bool  # holds no text
    marker: Marker | None
    number: int = 0  # its place in the count of positions; blocks of a run share one


def positions(rendered: Rendered, provider: Provider) -> list[Position]:
    """Every block of the prompt; an automatic marker stands on the last block that can carry one."""
    found = [
        Position(item.char + end, segment.kind, segment.path, segment.content == "", segment.marker)
        for item in rendered.items
        for segment, end in zip(item.item.segments, item.segment_ends, strict=True)
    ]
    if rendered.request.automatic is not None:
        last = next((i for i in range(len(found) - 1, -1, -1) if can_carry(found[i], provider)), None)
        if last is not None and found[last].marker is None:
            found[last] = found[last]._replace(marker=rendered.request.automatic)
    return _numbered(found, provider)


def _numbered(found: list[Position], provider: Provider) -> list[Position]:
    number, before, done = -1, "", []
    for position in found:
        number += position.kind not in provider.runs or position.kind != before
        before = position.kind
        done.append(position._replace(number=number))
    return done


def can_carry(position: Position, provider: Provider) -> bool:
    """Whether a block may be marked."""
    return position.kind not in provider.unmarkable and not position.empty


def reachable(entries: Container[int], new: Sequence[Position], provider: Provider) -> list[int]:
    """The ends, of those in `entries`, that lie within the lookback of a marker of `new`, rising.

    Such an entry is read if both prompts are equal up to its end.
    """
    found: list[int] = []
    marker: int | None = None  # number of the nearest marker at or behind the position
    for position in reversed(new):
        if position.marker is not None:
            marker = position.number
        if marker is not None and marker - position.number < provider.lookback and position.end in entries:
            found.append(position.end)
    return found[::-1]


def last_before(ends: Sequence[int], limit: int) -> int:
    """The last of rising ends that is not behind `limit`; 0 if there is none."""
    number = bisect_right(ends, limit)
    return ends[number - 1] if number else 0


def distance(new: Sequence[Position], end: int) -> int | None:
    """Positions from the one that ends at `end` to the next marker; None if there is no marker at or behind it."""
    behind = [position for position in new if position.end >= end]
    if not behind or behind[0].end != end:
        return None
    return next((position.number - behind[0].number for position in behind if position.marker is not None), None)
