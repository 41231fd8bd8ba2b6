"""What tokens cost: data/prices.yaml as typed rows. Money is Decimal; what is not known is None, never 0."""

import re
from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any, NamedTuple

from promptlint import facts
from promptlint.errors import PromptlintError
from promptlint.facts.models import Confidence, Model
from promptlint.facts.own import NONE, Overrides
from promptlint.facts.providers import Cache
from promptlint.facts.sources import references
from promptlint.read.names import nearest, shown


class Tier(NamedTuple):
    """What a long prompt does to all its prices."""

    above: int  # tokens of the whole prompt, read and written ones among them
    input_times: Decimal | None  # input, reads and writes; None: not known
    output_times: Decimal | None


class Peak(NamedTuple):
    """Hours of weekdays, UTC, in which everything costs `times` as much."""

    times: Decimal
    hours: tuple[tuple[time, time], ...]


class Prices(NamedTuple):
    """USD for a million tokens, on one day. None, and a lifetime without an entry: not known."""

    input: Decimal | None  # neither read nor written
    read: Decimal | None
    write: Mapping[str, Decimal]  # by lifetime
    write_is_input: bool  # writing costs no more than the input price
    output: Decimal | None
    storage: Decimal | None  # for an hour
    tiers: tuple[Tier, ...]  # by length, shortest first
    peak: Peak | None  # None also where it is applied already
    start: date | None  # None: before `checked`, and it is not known since when
    until: date | None
    modifiers: tuple[str, ...]  # that are applied
    source: tuple[str, ...]
    checked: date
    confidence: Confidence
    note: str


def prices_of(
    model: Model, on: date, *, kind: Cache | None = None, modifiers: Iterable[str] = (), own: Overrides = NONE
) -> Prices | None:
    """The prices of a model where it runs, on a day, or at a moment (a datetime; with a time zone, else UTC).

    None where no row holds. `kind`: of the cache that is used, if not the model's default. `modifiers`: names of
    data/prices.yaml, such as `batch`; what the model's id itself tells (a region of Bedrock) is applied without being
    named. Raises PromptlintError for a modifier that the model does not have.
    """
    moment = _utc(on)
    row = _row(model, moment.date() if moment else on, kind, own)
    if row is None:
        return None
    prices = _prices(row)
    for modifier in _applied(model, tuple(modifiers)):
        prices = _modified(prices, modifier)
    if moment and prices.peak:
        times = prices.peak.times if _is_peak(prices.peak, moment) else Decimal(1)
        prices = _scaled(prices, times, times, times)._replace(peak=None)
    return prices


def first_day(model: Model, own: Overrides = NONE) -> date | None:
    """The first day from which a price is known where the model runs; None: no row begins on a known day."""
    rows = (*own.prices.get(model.name, ()), *facts.table("prices")["models"].get(model.name, ()))
    starts = [row["from"] for row in rows if "from" in row and model.platform in row.get("platforms", [model.platform])]
    return _date(min(starts, default=None))


def at_length(prices: Prices, prompt_tokens: int) -> Prices:
    """The prices of a prompt of this length: its tier holds for every token of it. The tiers are used up."""
    tier = next((tier for tier in reversed(prices.tiers) if prompt_tokens > tier.above), None)
    plain = prices._replace(tiers=())
    return plain if tier is None else _scaled(plain, tier.input_times, tier.input_times, tier.output_times)


def write_price(prices: Prices, ttl: str | None) -> Decimal | None:
    """What a token costs that is written for `ttl`; None: not known."""
    return prices.input if prices.write_is_input else prices.write.get(ttl or "")


def modifiers_of(model: Model, settings: Mapping[str, str], *, batch: bool = False) -> tuple[str, ...] | None:
    """The modifiers that a request's fields (`service_tier`, `speed`, `inference_geo`) or a batch ask for.

    None if the price of one of them is not known, or that of a batch at another tier or speed.
    """
    found = ["batch"] if batch else []
    if batch and "batch" not in [row["name"] for row in _modifiers(model)]:
        return None
    for field, neutral in facts.table("prices")["neutral"].items():
        value = settings.get(field)
        if value is None or value in neutral:
            continue
        asked = [row["name"] for row in _modifiers(model) if row.get("when") == {field: value}]
        if not asked or (batch and field != "inference_geo"):
            return None
        found += asked
    return tuple(found)


def _utc(on: date) -> datetime | None:
    if not isinstance(on, datetime):
        return None
    return on.astimezone(UTC) if on.tzinfo else on.replace(tzinfo=UTC)


def _row(model: Model, day: date, kind: Cache | None, own: Overrides) -> dict[str, Any] | None:
    """The user's row that holds on the day; where none does, ours."""
    mine = _holding(own.prices.get(model.name, ()), model, day, kind, anywhere=model.platform)
    ours = facts.table("prices")["models"].get(model.name, ())
    return mine or _holding(ours, model, day, kind, anywhere=model.provider)


def _holding(
    rows: Iterable[dict[str, Any]], model: Model, day: date, kind: Cache | None, *, anywhere: str
) -> dict[str, Any] | None:
    """The row with the latest start on or before the day, among those of this platform and kind of cache.

    `anywhere`: the platform of a row that names none.
    """
    fitting = [
        row
        for row in rows
        if model.platform in row.get("platforms", [anywhere])
        and model.endpoint in row.get("endpoints", [model.endpoint])
        and row.get("from", "") <= day.isoformat() <= row.get("until", "9999")
    ]
    special = [row for row in fitting if "cache" in row and row["cache"] == kind]
    return max(
        special or [row for row in fitting if "cache" not in row], key=lambda row: row.get("from", ""), default=None
    )


def _prices(row: dict[str, Any]) -> Prices:
    write = row.get("write", {})
    return Prices(
        input=_decimal(row.get("input")),
        read=_decimal(row.get("read")),
        write={} if write == "input" else {ttl: Decimal(str(price)) for ttl, price in write.items()},
        write_is_input=write == "input",
        output=_decimal(row.get("output")),
        storage=_decimal(row.get("storage")),
        tiers=tuple(
            Tier(tier["above"], Decimal(str(tier["input_times"])), Decimal(str(tier["output_times"])))
            for tier in sorted(row.get("tiers", ()), key=lambda tier: int(tier["above"]))
        ),
        peak=_peak(row["peak"]) if "peak" in row else None,
        start=_date(row.get("from")),
        until=_date(row.get("until")),
        modifiers=(),
        source=references(row["source"]),
        checked=date.fromisoformat(row["checked"]),
        confidence=row["confidence"],
        note=row.get("note", ""),
    )


def _decimal(value: float | Decimal | None) -> Decimal | None:
    return None if value is None else Decimal(str(value))


def _date(text: str | None) -> date | None:
    return None if text is None else date.fromisoformat(text)


def _peak(row: dict[str, Any]) -> Peak:
    hours = tuple((time.fromisoformat(start), time.fromisoformat(end)) for start, end in row["hours"])
    return Peak(Decimal(str(row["times"])), hours)


def _is_peak(peak: Peak, moment: datetime) -> bool:
    return moment.weekday() < 5 and any(start <= moment.time() < end for start, end in peak.hours)


def _modifiers(model: Model) -> list[dict[str, Any]]:
    return [
        row
        for row in facts.table("prices")["modifiers"]
        if row["provider"] == model.provider
        and model.platform in row.get("platforms", [model.platform])
        and re.fullmatch(row["models"], model.name)
    ]


def _applied(model: Model, named: tuple[str, ...]) -> list[dict[str, Any]]:
    known = _modifiers(model)
    for name in named:
        options = sorted({row["name"] for row in known})
        if name not in options:
            close = nearest(name, options)
            hint = f"did you mean {close}?" if close else f"it has {', '.join(options) or 'none'}"
            raise PromptlintError(f"{model.name}: no price is known for {shown(name)}", hint)
    implied = {row["name"] for row in known if "unless_endpoint" in row and row["unless_endpoint"] != model.endpoint}
    return [row for row in known if row["name"] in (*named, *implied)]


def _modified(prices: Prices, modifier: dict[str, Any]) -> Prices:
    times = Decimal(str(modifier["times"]))
    for_reads = modifier.get("read_times", modifier["times"])
    scaled = _scaled(prices, times, None if for_reads == "unknown" else Decimal(str(for_reads)), times)
    if modifier.get("short_only", False):
        scaled = scaled._replace(tiers=tuple(Tier(tier.above, None, None) for tier in prices.tiers[:1]))
    return scaled._replace(modifiers=(*prices.modifiers, modifier["name"]))


def _scaled(
    prices: Prices, input_times: Decimal | None, read_times: Decimal | None, output_times: Decimal | None
) -> Prices:
    """With a factor of None, a price is not known."""
    written = ((ttl, _times(price, input_times)) for ttl, price in prices.write.items())
    return prices._replace(
        input=_times(prices.input, input_times),
        read=_times(prices.read, read_times),
        write={ttl: price for ttl, price in written if price is not None},
        output=_times(prices.output, output_times),
    )


def _times(price: Decimal | None, factor: Decimal | None) -> Decimal | None:
    return None if price is None or factor is None else price * factor
