"""Markers that a provider refuses, that no longer reach the old entry, or that do not follow the growth."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from promptlint.cache.markers import Position, can_carry, distance
from promptlint.cache.reuse import Reuse
from promptlint.facts.providers import Provider
from promptlint.prompt import Path

_TAIL = 4096  # characters behind the last marker (about 1,000 tokens) from which a marker that stays behind matters


class MarkerFault(NamedTuple):
    """A finding about markers: the block that has it, in the old or the new request, and what to do."""

    cause: str
    message: str
    old: Path | None
    new: Path | None
    fix: str = ""
    refused: bool = False
    extra: tuple[Path, ...] = ()


def refusals(new: Sequence[Position], provider: Provider) -> Iterator[MarkerFault]:
    """What makes the provider reject the request. Source: data/providers.yaml, marker_limit and lifetimes."""
    carriers = [position for position in new if position.marker is not None]
    for position in carriers:
        if not can_carry(position, provider):
            what = "an empty text block" if position.empty else f"a {position.kind} block"
            yield MarkerFault(
                "marker-illegal-block", f"a cache marker on {what} is refused", None, position.path, refused=True
            )
    legal = [position for position in carriers if can_carry(position, provider)]
    if provider.marker_limit and len(legal) > provider.marker_limit:
        over = f"{len(legal)} cache markers, the limit is {provider.marker_limit}: the request is refused"
        paths = tuple(position.path for position in legal)
        yield MarkerFault("marker-limit", over, None, paths[provider.marker_limit], refused=True, extra=paths)
    yield from _rising_lifetimes(legal, provider)


def _rising_lifetimes(legal: Sequence[Position], provider: Provider) -> Iterator[MarkerFault]:
    shortest: Position | None = None
    for position in legal:
        if shortest is not None and _rank(position, provider) < _rank(shortest, provider):
            default = "" if shortest.marker and shortest.marker.ttl else " (no ttl field means that)"
            long, short = _lifetime(position, provider), _lifetime(shortest, provider)
            message = f"a {long} marker follows a {short} marker{default}: the request is refused"
            paths = (shortest.path, position.path)
            yield MarkerFault("marker-ttl-order", message, None, position.path, refused=True, extra=paths)
            return
        if shortest is None or _rank(position, provider) > _rank(shortest, provider):
            shortest = position


def _lifetime(position: Position, provider: Provider) -> str:
    return (position.marker.ttl if position.marker else None) or provider.default_lifetime


def _rank(position: Position, provider: Provider) -> int:
    """0 for the longest lifetime; an unknown one ranks as the default."""
    lifetime = _lifetime(position, provider)
    return provider.lifetimes.index(lifetime if lifetime in provider.lifetimes else provider.default_lifetime)


def out_of_reach(reuse: Reuse, provider: Provider, shared: int) -> MarkerFault | None:
    """Equal text up to an old entry, but no new marker is near enough to find it."""
    entry = _last_entry(reuse, shared)
    if reuse.usable >= reuse.readable or entry is None or entry.end <= reuse.usable:
        return None
    far = distance(reuse.new, entry.end)
    if far is None:
        message = "the text is equal up to the old entry, but the second request sets no marker at or behind it"
    else:
        message = (
            f"the text is equal up to the old entry, but it lies {far} positions before the next marker; "
            f"{provider.lookback - 1} can be passed over"
        )
    fix = "Keep a marker where the old one stood, or set one more inside long turns."
    new = next((position.path for position in reuse.new if position.end == entry.end), None)
    return MarkerFault("marker-out-of-reach", message, entry.path, new, fix)


def _last_entry(reuse: Reuse, shared: int) -> Position | None:
    entries = [position for position in reuse.old if position.marker is not None and position.end <= shared]
    return entries[-1] if entries else None


def standing_still(reuse: Reuse, size_old: int, size_new: int, shared: int) -> MarkerFault | None:
    """The marked entry is read, but the last marker stays while the conversation grows behind it."""
    last_old = max((position.end for position in reuse.old if position.marker), default=0)
    last_new = max((position.end for position in reuse.new if position.marker), default=0)
    grown = shared >= size_old - 1 and size_new > size_old
    if not (grown and last_old == last_new == reuse.usable > 0) or size_old - last_old < _TAIL:
        return None
    behind = [position for position in reuse.new if position.end > last_new]
    marker = next(position for position in reuse.new if position.end == last_new)
    message = f"the last marker stays where it was; {len(behind)} blocks behind it are computed anew by each request"
    return MarkerFault("marker-not-advancing", message, marker.path, marker.path)


def moved_forward(reuse: Reuse) -> MarkerFault | None:
    """The same text is marked further on, and the old entry is still read: nothing to report."""
    old = [position for position in reuse.old if position.marker]
    new = [position for position in reuse.new if position.marker]
    if not old or not new or reuse.usable < reuse.readable or new[-1].end <= old[-1].end:
        return None
    return MarkerFault(
        "marker-moved-forward", "the last marker moved forward with the conversation", old[-1].path, new[-1].path
    )
