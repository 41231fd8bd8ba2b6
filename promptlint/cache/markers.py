"""Explicit markers: entries exist only where the author set one, and only near a marker are they found.

Rule (data/providers.yaml, Anthropic and Bedrock): a request writes one entry at each marker. A later request tests
each of its own markers and up to `lookback` positions back from it, the marker's own position counted as the first.
"""

from bisect import bisect_right
from collections.abc import Sequence
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
    return found


def can_carry(position: Position, provider: Provider) -> bool:
    """Whether a block may be marked."""
    return position.kind not in provider.unmarkable and not position.empty


def written_ends(found: Sequence[Position], provider: Provider) -> set[int]:
    """Where entries are written: the ends of the marked positions."""
    return {position.end for position in found if position.marker is not None and can_carry(position, provider)}


def reachable(old: Sequence[Position], new: Sequence[Position], provider: Provider) -> list[int]:
    """Ends of the entries of `old` that lie within the lookback of a marker of `new`, rising.

    Such an entry is read if both prompts are equal up to its end.
    """
    entries = written_ends(old, provider)
    found: set[int] = set()
    tested = len(new)  # positions from here on are done
    for marker in reversed([i for i, position in enumerate(new) if position.marker is not None]):
        first = max(marker - provider.lookback + 1, 0)
        found.update(position.end for position in new[first : min(marker + 1, tested)] if position.end in entries)
        tested = min(tested, first)
    return sorted(found)


def last_before(ends: Sequence[int], limit: int) -> int:
    """The last of rising ends that is not behind `limit`; 0 if there is none."""
    number = bisect_right(ends, limit)
    return ends[number - 1] if number else 0


def distance(new: Sequence[Position], end: int) -> int | None:
    """Positions from the one that ends at `end` to the next marker; None if there is no marker at or behind it."""
    at = next((i for i, position in enumerate(new) if position.end == end), None)
    if at is None:
        return None
    return next((i - at for i in range(at, len(new)) if new[i].marker is not None), None)
