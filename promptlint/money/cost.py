"""The cost of one request: tokens by what is billed for them, times the prices of its length. All Decimal, in USD."""

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import NamedTuple

from promptlint.facts.prices import Prices, at_length, write_price

MILLION = Decimal(1_000_000)


class Split(NamedTuple):
    """The tokens of a request; each is billed at exactly one rate."""

    read: int = 0
    written: Mapping[str, int] = {}  # by lifetime
    uncached: int = 0
    output: int = 0

    @property
    def prompt(self) -> int:
        """All but the answer: what decides the tier."""
        return self.read + sum(self.written.values()) + self.uncached


class Part(NamedTuple):
    """One line of a bill."""

    name: str  # read, written, uncached or output
    ttl: str | None  # of what is written
    tokens: int
    price: Decimal | None  # for a million tokens, at this length; None: not known
    usd: Decimal | None


class Cost(NamedTuple):
    """A bill. What contains a price that is not known is None."""

    parts: tuple[Part, ...]  # those with tokens
    input: Decimal | None  # all but the answer
    total: Decimal | None


def cost(split: Split, prices: Prices) -> Cost:
    """What a request costs: the length of its whole prompt decides the tier of every token."""
    here = at_length(prices, split.prompt)
    lines = [
        ("read", None, split.read, here.read),
        *(("written", ttl, tokens, write_price(here, ttl)) for ttl, tokens in split.written.items()),
        ("uncached", None, split.uncached, here.input),
        ("output", None, split.output, here.output),
    ]
    parts = tuple(
        Part(name, ttl, tokens, price, None if price is None else tokens * price / MILLION)
        for name, ttl, tokens, price in lines
        if tokens
    )
    return Cost(parts, _sum(part for part in parts if part.name != "output"), _sum(parts))


def split_by_ttl(prompt_tokens: int, read_tokens: int, markers: Iterable[tuple[int, str]], output: int = 0) -> Split:
    """How a prompt with markers is billed: up to the highest hit it is read, from there to each marker it is written
    for the lifetime of that marker, and behind the last one it is neither.

    `markers`: tokens in front of each, and its lifetime; those that end within what is read cost nothing.
    Source: platform.claude.com/docs/en/build-with-claude/prompt-caching, mixing lifetimes.
    """
    written: dict[str, int] = {}
    end = read_tokens
    for tokens, ttl in sorted(markers):
        if tokens > end:
            written[ttl] = written.get(ttl, 0) + tokens - end
            end = tokens
    return Split(read_tokens, written, prompt_tokens - end, output)


def lost(tokens: int, prices: Prices, prompt_tokens: int, rewritten: str | None = None) -> Decimal | None:
    """What it costs that so many tokens of a prompt are not read: their price instead, less that of a read.

    `rewritten`: the lifetime for which the request writes them again, if it does; else they cost the input price.
    None: a price is not known.
    """
    here = at_length(prices, prompt_tokens)
    instead = here.input if rewritten is None else write_price(here, rewritten)
    if instead is None or here.read is None:
        return None
    return tokens * (instead - here.read) / MILLION


def saving(reusable_share: Decimal, prices: Prices) -> Decimal | None:
    """The share of the input cost that is really saved if this share of a prompt is read from the cache.

    A read has its price: 0.9 of a prompt at a tenth of the price saves 0.81. None: a price is not known.
    """
    if prices.input is None or prices.read is None or not prices.input:
        return None
    return reusable_share * (1 - prices.read / prices.input)


def _sum(parts: Iterable[Part]) -> Decimal | None:
    total = Decimal(0)
    for part in parts:
        if part.usd is None:
            return None
        total += part.usd
    return total
