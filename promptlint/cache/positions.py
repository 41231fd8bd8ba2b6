"""The blocks of a prompt in reading order: where entries may end, and where a provider looks for them."""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from typing import NamedTuple

from promptlint.facts.providers import Provider
from promptlint.prompt import Item, Kind, Level, Marker, Path, Rendered, Segment


class Position(NamedTuple):
    """One block of a prompt."""

    end: int  # characters of the prompt up to its end; tokens after `in_tokens`
    kind: Kind
    path: Path
    unfit: str  # what it is, if that can carry no marker whoever serves it: "an empty text block"
    marker: Marker | None
    level: Level = "messages"
    role: str | None = None  # of its message
    last: bool = True  # nothing of its message (tool, system text) stands behind it
    number: int = 0  # its place in the count of positions; blocks of a run share one


def blocks(rendered: Rendered) -> list[Position]:
    """Every block of a prompt, as it was sent."""
    return [
        Position(
            end=item.char + end,
            kind=segment.kind,
            path=segment.path,
            unfit=_unfit(item.item, segment),
            marker=segment.marker,
            level=item.item.level,
            role=item.item.role,
            last=segment is item.item.segments[-1],
        )
        for item in rendered.items
        for segment, end in zip(item.item.segments, item.segment_ends, strict=True)
    ]


def _unfit(item: Item, segment: Segment) -> str:
    if segment.content == "":
        return "an empty text block"
    if isinstance(segment.content, dict) and segment.content.get("defer_loading") is True:
        return "a tool that is loaded later"
    if "instructions" in item.path:
        return "the field `instructions`"
    if item.role == "system" and any(isinstance(s.content, dict) and s.content.get("clear_at") for s in item.segments):
        return "a message that is cleared"
    return ""


def numbered(found: Sequence[Position], provider: Provider) -> list[Position]:
    """The positions counted as the provider counts them, from 0."""
    number, before, done = -1, "", []
    for position in found:
        number += position.kind not in provider.runs or position.kind != before
        before = position.kind
        done.append(position._replace(number=number))
    return done


def in_tokens(found: Sequence[Position], tokens: Callable[[int], int]) -> list[Position]:
    """The positions with their ends in tokens; `tokens` counts those of so many characters."""
    return [position._replace(end=tokens(position.end)) for position in found]


def can_carry(position: Position, provider: Provider) -> bool:
    """Whether a block may be marked."""
    return position.kind not in provider.unmarkable and not position.unfit


def last_before(ends: Sequence[int], limit: int) -> int:
    """The last of rising ends that is not behind `limit`; 0 if there is none."""
    number = bisect_right(ends, limit)
    return ends[number - 1] if number else 0
