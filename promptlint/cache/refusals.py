"""Faults of markers, and those that a provider refuses together with the request."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from promptlint.cache.markers import lifetime, rank
from promptlint.cache.positions import Position, can_carry
from promptlint.facts.providers import Provider, fits
from promptlint.finding import Affects, Certainty, Severity
from promptlint.prompt import Path, Request
from promptlint.read.names import shown
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
    severity: Severity = "error"
    affects: Affects = "prefix"
    certainty: Certainty = "certain"


def refusals(new: Sequence[Position], request: Request, provider: Provider) -> Iterator[MarkerFault]:
    """What makes the provider reject the request. Source: data/providers.yaml, marker_limit and lifetimes."""
    if not provider.refuses:
        return
    yield from _automatic(new, request, provider)
    carriers = [position for position in new if position.marker is not None]
    for position in carriers:
        if not can_carry(position, provider):
            what = position.unfit or f"a {position.kind} block"
            yield _refused("marker-illegal-block", f"a cache marker on {what} is refused", position.path)
    legal = [position for position in carriers if can_carry(position, provider)]
    if provider.marker_limit and len(legal) > provider.marker_limit:
        over = f"{len(legal)} cache markers, the limit is {provider.marker_limit}: the request is refused"
        paths = tuple(position.path for position in legal)
        yield _refused("marker-limit", over, paths[provider.marker_limit], paths, fewer(paths))
    yield from _unknown_lifetimes(legal, provider)
    yield from _rising_lifetimes(legal, provider)


def _refused(cause: str, message: str, at: Path, extra: tuple[Path, ...] = (), fix: str = "") -> MarkerFault:
    return MarkerFault(cause, message, None, at, fix, refused=True, extra=extra)


def _automatic(new: Sequence[Position], request: Request, provider: Provider) -> Iterator[MarkerFault]:
    """The marker at the top of a request: a model may not take it, and the block where it falls may have its own."""
    if request.automatic is None:
        return
    last = next((position for position in reversed(new) if can_carry(position, provider)), None)
    if last is None:
        return
    paths = (last.path, request.automatic.path)
    own, asked = lifetime(last, provider), request.automatic.ttl or provider.default_lifetime
    if fits(provider.no_automatic, request.model):
        message = "this model refuses a marker at the top of a request"
        yield _refused("marker-illegal-block", message, last.path, paths, f"Mark {name(last.path)} instead.")
    elif own != asked:
        message = f"the last block asks for {own}, the marker at the top for {asked}: the request is refused"
        yield _refused("marker-ttl-order", message, last.path, paths, "Ask for one lifetime in both places.")


def fewer(paths: Sequence[Path]) -> str:
    """Of the markers of the last message the last one is enough; "" for the fix of the cause itself."""
    last = paths[-1]
    spare = [name(path) for path in paths[:-1] if path[:2] == last[:2]]
    return f"Keep {name(last)}, drop {', '.join(spare)}." if spare else ""


def name(path: Path) -> str:
    """A block, as a sentence names it."""
    found = pointer(path)
    return found if isinstance(found, str) else " ".join(found)


def _unknown_lifetimes(legal: Sequence[Position], provider: Provider) -> Iterator[MarkerFault]:
    for position in legal:
        asked = position.marker.ttl if position.marker else None
        if asked is not None and asked not in provider.lifetimes:
            known = " or ".join(reversed(provider.lifetimes))
            message = f"a marker asks for {shown(asked)}, and the lifetimes are {known}: the request is refused"
            yield _refused("marker-ttl-order", message, position.path, fix=f"Ask for {known}.")


def _rising_lifetimes(legal: Sequence[Position], provider: Provider) -> Iterator[MarkerFault]:
    shortest: Position | None = None
    for position in legal:
        if shortest is not None and _rank(position, provider) < _rank(shortest, provider):
            default = "" if shortest.marker and shortest.marker.ttl else " (no ttl field means that)"
            long, short = lifetime(position, provider), lifetime(shortest, provider)
            message = f"a {long} marker follows a {short} marker{default}: the request is refused"
            yield _refused("marker-ttl-order", message, position.path, (shortest.path, position.path))
            return
        if shortest is None or _rank(position, provider) > _rank(shortest, provider):
            shortest = position


def _rank(position: Position, provider: Provider) -> int:
    return rank(lifetime(position, provider), provider)
