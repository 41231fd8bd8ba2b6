"""`promptlint models [NAME]`: what is known about models' caches and prices, from when, and when caching pays."""

from collections.abc import Iterator
from datetime import date
from decimal import Context, Decimal

from promptlint.commands.model_tables import listings, tables
from promptlint.errors import PromptlintError
from promptlint.facts import models as known
from promptlint.facts.models import Figure, Model, model_of
from promptlint.facts.overrides import with_overrides
from promptlint.facts.own import NONE, Overrides
from promptlint.facts.prices import Prices, at_length, first_day, prices_of
from promptlint.facts.providers import Cache, provider
from promptlint.finding import Report
from promptlint.model_facts import BreakEven, CurvePoint, Minimum, ModelFacts, PriceRow
from promptlint.money.breakeven import break_evens, expected, keep_alive, reads_per_hour
from promptlint.read.names import shown

_LIST = "promptlint models lists those that are known"
_LARGEST = 10**9  # tokens of a prefix
_EXACT = 6  # digits of a multiplier that are shown as they are
_SHARES = [Decimal(tenths) / 10 for tenths in range(11)]  # of hits: the points of the curve


def models(
    name: str | None = None, *, prefix_tokens: int | None = None, on: date | None = None, own: Overrides = NONE
) -> Report:
    """What is known about all models, or about one; prices are those of a day (today).

    `prefix_tokens`: what a prefix of this length costs. Raises PromptlintError for a model that is not known.
    """
    day = on or date.today()
    if prefix_tokens is not None and name is None:
        raise PromptlintError("--prefix-tokens without a model", "name one: promptlint models NAME --prefix-tokens N")
    if prefix_tokens is not None and not 0 < prefix_tokens <= _LARGEST:
        raise PromptlintError(f"a prefix of {prefix_tokens} tokens", f"give a number from 1 to {_LARGEST:,}")
    if name is None:
        every = [model_of(each, own=own) for each in known.names(own)]
        found = tuple(_facts(model, day, None, own) for model in every if model is not None)
        undated = any(each.prices and each.prices.start is None and f"{day}" < each.prices.checked for each in found)
        notes = (f"prices: of those without a first day it is not known whether they held on {day}",) if undated else ()
        return Report("models", None, tables=listings(found), notes=notes, models=found)
    if not name.strip():
        raise PromptlintError(
            "a model without a name", "write promptlint models NAME, or leave it out to list them all"
        )
    model = model_of(name, own=own)
    if model is None:
        close = known.nearest(name, own)
        raise PromptlintError(f"unknown model {shown(name)}", f"nearest: {', '.join(close)}" if close else _LIST)
    facts = _facts(model, day, prefix_tokens, own)
    row = with_overrides(provider(model.provider), own)
    return Report(
        "models",
        None,
        tables=tables(facts, row.marker_limit, row.lookback, day),
        notes=tuple(_notes(facts, model, day, own)),
        models=(facts,),
        one_model=True,
    )


def _facts(model: Model, day: date, prefix_tokens: int | None, own: Overrides) -> ModelFacts:
    priced = _priced(model, day, own)
    rows = [_price_row(prices, kind) for kind, prices in priced]
    minimum = known.minimum(model)
    return ModelFacts(
        name=model.name,
        provider=model.provider,
        platform=model.platform,
        caches=model.caches,
        minimum_tokens=None if minimum is None else minimum.tokens,
        minimums=tuple(map(_minimum, model.minimums)),
        ttls=model.ttls,
        default_ttl=model.default_ttl,
        lifetime=model.lifetime,
        prices=rows[0] if rows else None,
        other_prices=tuple(rows[1:]),
        breakeven=tuple(found for kind, prices in priced for found in _break_evens(prices, kind)),
        prefix_tokens=prefix_tokens,
        curve=tuple(_curve(priced, prefix_tokens)) if prefix_tokens else (),
        confidence=model.confidence,
        checked=model.checked,
        source=model.source,
    )


def _priced(model: Model, day: date, own: Overrides) -> list[tuple[Cache | None, Prices]]:
    """The prices of each kind of cache, the default kind first; the same ones only once."""
    found: list[tuple[Cache | None, Prices]] = []
    for kind in model.caches or (None,):
        prices = prices_of(model, day, kind=kind, own=own)
        if prices is not None and prices not in [each for _, each in found]:
            found.append((kind, prices))
    return found


def _curve(priced: list[tuple[Cache | None, Prices]], prefix_tokens: int) -> Iterator[CurvePoint]:
    for kind, prices in priced:
        here = at_length(prices, prefix_tokens)
        for ttl in [None] if here.write_is_input else list(here.write):
            for share in _SHARES:
                usd = expected(prefix_tokens, share, here, ttl)
                if usd is not None:
                    yield CurvePoint(kind, ttl, _plain(share), _plain(usd))


def _notes(facts: ModelFacts, model: Model, day: date, own: Overrides) -> Iterator[str]:
    if facts.lifetime:
        yield f"lifetime: {facts.lifetime}"
    if facts.prefix_tokens is not None and (facts.minimum_tokens or 0) > facts.prefix_tokens:
        yield f"{facts.prefix_tokens:,} tokens are below the minimum of {facts.minimum_tokens:,}: nothing is cached"
    priced = _priced(model, day, own)
    for kind, prices in priced:
        yield from _notes_on_prices(prices, kind if len(priced) > 1 else None, model.read_renews)
    if any(prices.start is None and day < prices.checked for _, prices in priced):
        yield f"prices: since when they hold is not known; on {day} they may have been others"
    if facts.prices is None:
        first = first_day(model, own)
        later = f"; the first one that is known begins {first}" if first and day < first else ""
        yield f"no price is known on {facts.platform} for {day}{later}"
    yield f"cache rules: {'; '.join(facts.source)} (checked {facts.checked}, confidence {facts.confidence})"


def _notes_on_prices(prices: Prices, kind: Cache | None, read_renews: bool) -> Iterator[str]:
    if prices.note:
        yield f"prices: {prices.note}"
    if prices.peak:
        hours = ", ".join(f"{start:%H:%M} to {end:%H:%M}" for start, end in prices.peak.hours)
        yield f"prices: {_plain(prices.peak.times)} times as high on weekdays from {hours} UTC"
    if prices.modifiers:
        yield f"prices: with the modifiers {', '.join(prices.modifiers)}"
    yield from _advice(prices, read_renews)
    sources = f"{'; '.join(prices.source)} (checked {prices.checked}, confidence {prices.confidence})"
    yield f"prices{f' of {kind}' if kind else ''}: {sources}"


def _advice(prices: Prices, read_renews: bool) -> Iterator[str]:
    per_hour = reads_per_hour(prices)
    if per_hour is not None:
        yield f"an explicit object pays for its storage from {per_hour:.2f} reads an hour on"
    if not read_renews or not prices.input or prices.read is None or not {"5m", "1h"} <= set(prices.write):
        return
    short, long, read = (price / prices.input for price in (prices.write["5m"], prices.write["1h"], prices.read))
    kept = keep_alive(short, long, read)
    if kept is not None and kept.pings:
        yield (
            f"an idle 5m entry is kept alive more cheaply than a 1h entry is written with up to {kept.pings} pings "
            f"(about {kept.minutes} minutes)"
        )


def _break_evens(prices: Prices, kind: Cache | None) -> list[BreakEven]:
    return [
        BreakEven(
            cache=kind,
            ttl=found.ttl,
            write_multiplier=_ratio(found.write_multiplier),
            read_multiplier=_ratio(found.read_multiplier),
            requests=found.requests,
            hit_share=None if found.hit_share is None else f"{found.hit_share:.4f}",
        )
        for found in break_evens(prices)
    ]


def _minimum(figure: Figure) -> Minimum:
    return Minimum(
        tokens=figure.tokens,
        platforms=figure.platforms,
        cache=figure.cache,
        observed=figure.observed,
        assumed=figure.assumed,
        confidence=figure.confidence,
        checked=figure.checked,
        source=figure.source,
    )


def _price_row(prices: Prices, kind: Cache | None) -> PriceRow:
    return PriceRow(
        cache=kind,
        start=_day(prices.start),
        until=_day(prices.until),
        input=_money(prices.input),
        read=_money(prices.read),
        write=tuple((ttl, _plain(price)) for ttl, price in prices.write.items()),
        write_is_input=prices.write_is_input,
        output=_money(prices.output),
        storage=_money(prices.storage),
        tiers=tuple((tier.above, _money(tier.input_times), _money(tier.output_times)) for tier in prices.tiers),
        peak_times=None if prices.peak is None else _plain(prices.peak.times),
        modifiers=prices.modifiers,
        note=prices.note,
        confidence=prices.confidence,
        checked=prices.checked.isoformat(),
        source=prices.source,
    )


def _day(day: date | None) -> str | None:
    return None if day is None else day.isoformat()


def _money(price: Decimal | None) -> str | None:
    return None if price is None else _plain(price)


def _ratio(value: Decimal) -> str:
    """Exact where it is short, else four significant digits."""
    short = value.normalize()
    return _plain(short if len(short.as_tuple().digits) <= _EXACT else Context(prec=4).plus(value))


def _plain(value: Decimal) -> str:
    """Without an exponent or trailing zeros."""
    text = f"{value:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
