"""When caching pays: requests, share of hits, pings against a longer lifetime, reads of a stored object."""

import math
from decimal import Decimal
from typing import NamedTuple

from promptlint.facts.prices import Prices, write_price
from promptlint.money.cost import MILLION


class BreakEven(NamedTuple):
    """When writing for one lifetime pays. Multipliers are of the input price."""

    ttl: str | None  # None: writing costs no more than the input price
    write_multiplier: Decimal
    read_multiplier: Decimal
    bound: Decimal | None  # it is cheaper with more requests than this; None: never
    requests: int | None  # the first number of requests with which it is cheaper; None: never
    hit_share: Decimal | None  # it is cheaper with a larger share of hits; None: never


class KeepAlive(NamedTuple):
    """Reading an entry again and again before it expires, against writing it for longer."""

    bound: Decimal  # it is cheaper with fewer pings than this
    pings: int  # the most with which it is cheaper
    minutes: int  # that so many pings bridge, one a lifetime, with the lifetime of the entry itself left out


def break_even(write: Decimal, read: Decimal, ttl: str | None = None) -> BreakEven:
    """`write` and `read`: multipliers of the input price."""
    if read >= 1:
        return BreakEven(ttl, write, read, None, None, None)
    bound = (write - read) / (1 - read)
    share = (write - 1) / (write - read) if write > 1 else Decimal(0)
    return BreakEven(ttl, write, read, bound, math.floor(bound) + 1, share)


def break_evens(prices: Prices) -> tuple[BreakEven, ...]:
    """One for each lifetime whose price is known; none where a price that it takes is not."""
    if not prices.input or prices.read is None:
        return ()
    read = prices.read / prices.input
    if prices.write_is_input:
        return (break_even(Decimal(1), read),)
    return tuple(break_even(price / prices.input, read, ttl) for ttl, price in prices.write.items())


def keep_alive(short_write: Decimal, long_write: Decimal, read: Decimal, minutes: int = 5) -> KeepAlive | None:
    """Pings of an entry that lives so many minutes, against the longer lifetime. None: reads are free.

    The arguments are multipliers of the input price.
    """
    if not read:
        return None
    bound = (long_write - short_write) / read
    pings = max(0, math.ceil(bound) - 1)
    return KeepAlive(bound, pings, pings * minutes)


def reads_per_hour(prices: Prices) -> Decimal | None:
    """So many reads an hour pay for the storage of an explicit object. None: a price is not known, or never."""
    if prices.input is None or prices.read is None or prices.storage is None or prices.input <= prices.read:
        return None
    return prices.storage / (prices.input - prices.read)


def expected(prefix_tokens: int, hit_share: Decimal, prices: Prices, ttl: str | None) -> Decimal | None:
    """What a prefix costs a request on average: hits read it, misses write it. `prices`: of the request's length.

    None: a price is not known.
    """
    write = write_price(prices, ttl)
    if prices.read is None or write is None:
        return None
    return prefix_tokens * (hit_share * prices.read + (1 - hit_share) * write) / MILLION


def padding_bound(minimum_tokens: int, requests: int, write: Decimal, read: Decimal) -> Decimal:
    """A prefix with more tokens than this is cheaper if it is made as long as the minimum, and cached.

    Source: developers.openai.com/api/docs/guides/prompt-caching, after 2026-09-10.
    """
    return minimum_tokens * (read + (write - read) / requests)
