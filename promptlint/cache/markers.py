"""Explicit markers: entries exist only where the author set one, and only near a marker are they found.

Rule (data/providers.yaml, Anthropic and Bedrock): a request writes one entry at each marker. A later request tests
each of its own markers and up to `lookback` positions back from it, the marker's own position counted as the first.
"""

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


def written_ends(found: list[Position], provider: Provider) -> set[int]:
    """Where entries are written: the ends of the marked positions."""
    return {position.end for position in found if position.marker is not None and can_carry(position, provider)}


class Reach(NamedTuple):
    """What the second request can read of what the first one wrote. Characters of the prompt."""

    written: int  # end of the last entry of the first request
    usable: int  # end of the last entry that the second one reads
    distance: int | None  # positions from the last shared entry to the next marker, if it is out of reach


def reach(old: list[Position], new: list[Position], shared: int, provider: Provider) -> Reach:
    """Entries of `old` that `new` finds, given that both prompts are equal up to `shared` characters."""
    entries = written_ends(old, provider)
    tests = [i for i, position in enumerate(new) if position.marker is not None]
    usable = 0
    for marker in tests:
        for i in range(marker, max(marker - provider.lookback, -1), -1):
            if new[i].end <= shared and new[i].end in entries:
                usable = max(usable, new[i].end)
                break
    last_shared = max((end for end in entries if end <= shared), default=0)
    distance = _distance(new, tests, last_shared) if last_shared > usable else None
    return Reach(max(entries, default=0), usable, distance)


def _distance(new: list[Position], tests: list[int], end: int) -> int | None:
    at = next((i for i, position in enumerate(new) if position.end == end), None)
    later = [marker for marker in tests if at is not None and marker >= at]
    return later[0] - at if later and at is not None else None
