"""What `promptlint models` returns, as the report writers know it. Apart from finding.py: no other command loads it."""

from typing import NamedTuple


class Minimum(NamedTuple):
    """The shortest prefix that is cached."""

    tokens: int
    platforms: tuple[str, ...]  # empty: wherever the model runs
    cache: str | None  # kind of cache; None: all
    observed: bool  # seen in recorded calls, not documented
    assumed: bool  # documented for the release before, or for the model at its own provider
    confidence: str
    checked: str
    source: tuple[str, ...]


class PriceRow(NamedTuple):
    """USD for a million tokens, decimal; None: not known."""

    cache: str | None  # kind of cache for which it holds
    start: str | None  # first day; None: not known
    until: str | None
    input: str | None
    read: str | None
    write: tuple[tuple[str, str], ...]  # lifetime, price
    write_is_input: bool  # writing costs no more than the input price
    output: str | None
    storage: str | None  # for an hour
    tiers: tuple[tuple[int, str | None, str | None], ...]  # above so many tokens; factor of input, of output
    peak_times: str | None  # factor of peak hours
    modifiers: tuple[str, ...]  # that are applied
    note: str
    confidence: str
    checked: str
    source: tuple[str, ...]


class BreakEven(NamedTuple):
    """When writing to a cache pays. Multipliers are of the input price, decimal."""

    cache: str | None  # kind of cache
    ttl: str | None  # None: writing costs no more than input
    write_multiplier: str
    read_multiplier: str
    requests: int | None  # the first number with which it is cheaper; None: never
    hit_share: str | None  # it is cheaper with a larger one


class CurvePoint(NamedTuple):
    """What a prefix costs a request on average: hits read it, misses write it."""

    cache: str | None
    ttl: str | None
    hit_share: str
    usd: str


class ModelFacts(NamedTuple):
    """What `promptlint models` knows about one."""

    name: str
    provider: str
    platform: str
    caches: tuple[str, ...]
    minimum_tokens: int | None  # documented, for the default cache on this platform
    minimums: tuple[Minimum, ...]
    ttls: tuple[str, ...]
    default_ttl: str | None
    lifetime: str
    prices: PriceRow | None  # of the default kind of cache; None: not known on that day and platform
    other_prices: tuple[PriceRow, ...]  # of other kinds, where they are others
    breakeven: tuple[BreakEven, ...]
    prefix_tokens: int | None
    curve: tuple[CurvePoint, ...]
    confidence: str
    checked: str
    source: tuple[str, ...]
