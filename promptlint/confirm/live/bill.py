"""What asking may cost, before anything is sent, and what it did cost, at the prices of a day."""

import math
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Any, NamedTuple

from promptlint import facts
from promptlint.confirm.live.calls import Reported
from promptlint.errors import PromptlintError
from promptlint.facts.models import Model
from promptlint.facts.own import Overrides
from promptlint.facts.prices import Prices, at_length, prices_of
from promptlint.money.cost import MILLION, Split, cost

DEFAULT_CAP = Decimal(1)
_MARGIN = Decimal("1.2")  # counts are about
_OUTPUT_TIMES = 10  # no known price of an answer is more times that of a prompt


class Line(NamedTuple):
    """One request that would be sent."""

    name: str
    prompt_tokens: int  # about
    output_tokens: int  # at most
    usd: Decimal  # at most, about: nothing is read, all is written
    rate: str = ""  # how it is worked out


class Bill(NamedTuple):
    """All that would be sent."""

    lines: tuple[Line, ...]
    note: str  # which prices

    @property
    def reckoning(self) -> str:
        """How the dollars of the lines are worked out."""
        return ", or for longer prompts ".join(dict.fromkeys(line.rate for line in self.lines if line.rate))

    @property
    def usd(self) -> Decimal:
        return sum((line.usd for line in self.lines), Decimal(0))


class Tariff(NamedTuple):
    """The prices that hold. `prices` None: nobody is paid, or no price is known."""

    prices: Prices | None
    ceiling: Decimal | None  # USD a million tokens, where no price is known and the user takes the dearest
    factor: Decimal  # tokens that the provider counts for one of ours, at most
    note: str


def tariff(
    model_name: str, model: Model | None, modifiers: Sequence[str] | None, *, free: str, day: date,
    has_cap: bool, exact: bool, own: Overrides,
) -> Tariff:  # fmt: skip
    """The prices for a model at an address.

    `free`: why nothing is paid, or "". `modifiers`: None if what the request asks for has no known price. `has_cap`:
    the user has named an amount. Raises PromptlintError where no price is known and no amount is named: nothing is
    spent in the dark.
    """
    if free:
        return Tariff(None, None, Decimal(1), free)
    factor = Decimal(1) if exact else Decimal((model.count_factor if model else None) or 1) * _MARGIN
    prices = None
    if model is not None and modifiers is not None:
        prices = prices_of(model, day, modifiers=modifiers, own=own)
    if prices is not None and prices.input is not None and prices.output is not None:
        since = f"since {prices.start}" if prices.start else f"checked {prices.checked}"
        return Tariff(prices, None, factor, f"prices of {model_name} {since}; at most: nothing read, all written")
    if not has_cap:
        raise PromptlintError(
            f"no price is known for {model_name} there",
            "say what may be spent with --max-usd (the dearest known price is assumed), or its price with --facts",
        )
    dearest = _dearest()
    said = f"no price is known for {model_name}: the dearest known one is assumed, ${dearest:f} for a million tokens"
    return Tariff(None, dearest, factor, said)


def line(name: str, prompt_tokens: int, output_tokens: int, at: Tariff) -> Line:
    """The most that one request can cost."""
    tokens = math.ceil(prompt_tokens * at.factor)
    times = Decimal(1)
    if at.ceiling is not None:
        prompt, answer = at.ceiling, _OUTPUT_TIMES * at.ceiling
    elif at.prices is None:
        return Line(name, prompt_tokens, output_tokens, Decimal(0))
    else:
        here = at_length(at.prices, tokens)
        written = [price for price in here.write.values() if price is not None]
        prompt, answer = max([here.input or Decimal(0), *written]), here.output or Decimal(0)
        times = here.peak.times if here.peak is not None else times
    usd = (tokens * prompt + output_tokens * answer) / MILLION * times
    margin = f" x {_plain(at.factor)} (a margin: they are estimates)" if at.factor != 1 else ""
    rate = f"prompt tokens{margin} x ${_plain(prompt)} + output tokens x ${_plain(answer)}, for a million"
    return Line(name, prompt_tokens, output_tokens, usd, rate + (f", x {_plain(times)} (peak)" if times != 1 else ""))


def _plain(number: Decimal) -> str:
    return f"{number.normalize():,f}"


def charged(said: Reported, at: Tariff, planned: Line) -> Decimal:
    """What a request did cost, by what the server reports; what was planned, where it does not report enough."""
    if at.prices is None or said.prompt_tokens is None or said.output_tokens is None:
        return planned.usd
    read, written = said.cached_tokens or 0, dict(said.written)
    rest = max(said.prompt_tokens - read - sum(written.values()), 0)
    total = cost(Split(read, written, rest, said.output_tokens), at.prices).total
    peak = (
        at.prices.peak.times if at.prices.peak is not None else 1
    )  # the dearer hours: rather too much than too little
    return planned.usd if total is None else total * peak


def within(usd: Decimal, cap: Decimal, spent: Decimal = Decimal(0)) -> bool:
    """Whether so much more may be spent."""
    return spent + usd <= cap


def refuse_above(bill: Bill, cap: Decimal) -> None:
    """Raise PromptlintError if all that would be sent costs more than the cap."""
    if not within(bill.usd, cap):
        raise PromptlintError(
            f"asking may cost about ${shown_usd(bill.usd)}, and ${shown_usd(cap)} is the limit; nothing was sent",
            "see what with --dry-run, or raise --max-usd",
        )


def shown_usd(usd: Decimal, places: int = 4) -> str:
    """Dollars to so many figures behind the point, or as few as say it."""
    least = Decimal(1).scaleb(-places)
    return _plain(max(usd.quantize(least), least)) if usd else "0"


def _dearest() -> Decimal:
    """The dearest known price of a million input tokens, written ones among them."""
    rows: Iterable[Mapping[str, Any]] = (row for rows in facts.table("prices")["models"].values() for row in rows)
    return max(_prices(row) for row in rows)


def _prices(row: Mapping[str, Any]) -> Decimal:
    write = row.get("write")
    written = list(write.values()) if isinstance(write, dict) else []
    times = [tier["input_times"] for tier in row.get("tiers", ())]
    found = [Decimal(str(price)) for price in (row.get("input", 0), *written)]
    return max(found) * max([Decimal(str(each)) for each in times] or [Decimal(1)])
