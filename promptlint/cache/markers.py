"""Explicit markers: entries exist only where the author set one, and only near a marker are they found.

Rule (data/providers.yaml; Anthropic, Bedrock, Qwen, MiniMax): a request writes one entry at each marker. A later
request tests each of its own markers and up to `lookback` positions back from it, the marker's own the first of them.
"""

from collections.abc import Iterable, Sequence

from promptlint.cache.entries import Entry, Lookups
from promptlint.cache.positions import Position, blocks, can_carry, numbered
from promptlint.facts.providers import Provider
from promptlint.prompt import Rendered


def positions(rendered: Rendered, provider: Provider) -> list[Position]:
    """Every block of the prompt; an automatic marker stands on the last block that can carry one."""
    found = blocks(rendered)
    if rendered.request.automatic is not None:
        last = next((i for i in range(len(found) - 1, -1, -1) if can_carry(found[i], provider)), None)
        if last is not None and found[last].marker is None:
            found[last] = found[last]._replace(marker=rendered.request.automatic)
    if not provider.refuses:
        found = [p if can_carry(p, provider) else p._replace(marker=None) for p in found]
    return numbered(found, provider)


def entries(found: Iterable[Position], provider: Provider) -> list[Entry]:
    """What a request that is not refused writes: one entry for each marked position, for the latest if there are more
    than the provider takes."""
    written = [Entry(position.end, lifetime(position, provider)) for position in found if position.marker is not None]
    return written[-provider.marker_limit :]


def lookups(found: Sequence[Position], provider: Provider) -> Lookups:
    """Where a request looks for entries: each marker and the positions before it, as far as the lookback goes."""
    ends = []
    marker: int | None = None  # number of the nearest marker at or behind the position
    for position in reversed(found):
        if position.marker is not None:
            marker = position.number
        if marker is not None and marker - position.number < provider.lookback:
            ends.append(position.end)
    return dict.fromkeys(reversed(ends), "certain")


def distance(found: Sequence[Position], end: int) -> int | None:
    """Positions from the one that ends at `end` to the next marker; None if there is no marker at or behind it."""
    behind = [position for position in found if position.end >= end]
    if not behind or behind[0].end != end:
        return None
    return next((position.number - behind[0].number for position in behind if position.marker is not None), None)


def lifetime(position: Position, provider: Provider) -> str:
    """Of the entry that the marker of this position writes."""
    return (position.marker.ttl if position.marker else None) or provider.default_lifetime


def rank(name: str, provider: Provider) -> int:
    """0 for the longest lifetime; an unknown one ranks as the default."""
    known = name if name in provider.lifetimes else provider.default_lifetime
    return provider.lifetimes.index(known) if known in provider.lifetimes else 0
