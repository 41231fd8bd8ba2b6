"""Markers that a provider refuses together with the request."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from promptlint.cache.markers import Position, can_carry
from promptlint.facts.providers import Provider
from promptlint.prompt import Path
from promptlint.read.places import pointer


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
        fix = _fewer(paths)
        yield MarkerFault("marker-limit", over, None, paths[provider.marker_limit], fix, refused=True, extra=paths)
    yield from _rising_lifetimes(legal, provider)


def _fewer(paths: Sequence[Path]) -> str:
    """Of the markers of the last message the last one is enough; "" for the fix of the cause itself."""
    last = paths[-1]
    spare = [name(path) for path in paths[:-1] if path[:2] == last[:2]]
    return f"Keep {name(last)}, drop {', '.join(spare)}." if spare else ""


def name(path: Path) -> str:
    """A block, as a sentence names it."""
    found = pointer(path)
    return found if isinstance(found, str) else " ".join(found)


def _rising_lifetimes(legal: Sequence[Position], provider: Provider) -> Iterator[MarkerFault]:
    shortest: Position | None = None
    for position in legal:
        if shortest is not None and _rank(position, provider) < _rank(shortest, provider):
            default = "" if shortest.marker and shortest.marker.ttl else " (no ttl field means that)"
            long, short = lifetime(position, provider), lifetime(shortest, provider)
            message = f"a {long} marker follows a {short} marker{default}: the request is refused"
            paths = (shortest.path, position.path)
            yield MarkerFault("marker-ttl-order", message, None, position.path, refused=True, extra=paths)
            return
        if shortest is None or _rank(position, provider) > _rank(shortest, provider):
            shortest = position


def lifetime(position: Position, provider: Provider) -> str:
    """Of the entry that the marker of this position writes."""
    return (position.marker.ttl if position.marker else None) or provider.default_lifetime


def _rank(position: Position, provider: Provider) -> int:
    """0 for the longest lifetime; an unknown one ranks as the default."""
    known = lifetime(position, provider)
    return provider.lifetimes.index(known if known in provider.lifetimes else provider.default_lifetime)
