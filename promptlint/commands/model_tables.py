"""The tables of `promptlint models`."""

from collections.abc import Iterable, Sequence
from datetime import date
from decimal import Decimal
from itertools import groupby

from promptlint.finding import Table
from promptlint.model_facts import CurvePoint, ModelFacts, PriceRow

_BAR = 36  # columns of the longest bar
_UNKNOWN = "unknown"
_LISTED = ("model", "minimum", "lifetimes", "input", "read", "write", "output", "from")


def listings(found: Iterable[ModelFacts]) -> tuple[Table, ...]:
    """One table for each provider, one line a model."""
    by_provider = groupby(sorted(found, key=lambda each: each.provider), key=lambda each: each.provider)
    return tuple(_listing(provider, list(group)) for provider, group in by_provider)


def tables(facts: ModelFacts, marker_limit: int, lookback: int, day: date) -> tuple[Table, ...]:
    """All about one model. Limits of 0 do not apply."""
    about = [
        ("provider", facts.provider if facts.platform == facts.provider else f"{facts.provider}, on {facts.platform}"),
        ("cache", ", ".join(facts.caches) or _UNKNOWN),
        ("lifetimes", _lifetimes(facts) or "none to ask for"),
        *([("markers", f"at most {marker_limit} a request")] if marker_limit and "markers" in facts.caches else []),
        *([("lookback", f"{lookback} positions")] if lookback and "markers" in facts.caches else []),
    ]
    done = [Table(facts.name, ("fact", "value"), tuple(about)), _minimums(facts)]
    rows = [row for row in (facts.prices, *facts.other_prices) if row is not None]
    if rows:
        done.append(_prices(rows, day))
    if facts.breakeven:
        done.append(_break_evens(facts))
    if facts.prefix_tokens and facts.prices:
        done += _curves(facts, rows)
    return tuple(done)


def _listing(provider: str, found: list[ModelFacts]) -> Table:
    checked = max((each.prices.checked for each in found if each.prices is not None), default=None)
    title = f"{provider}: USD for a million tokens{f', checked {checked}' if checked else ''}"
    return Table(title, _LISTED, tuple(map(_listed, found)))


def _listed(facts: ModelFacts) -> tuple[str | int | None, ...]:
    row = facts.prices
    minimum = _UNKNOWN if facts.minimum_tokens is None else f"{facts.minimum_tokens:,}"
    if row is None:
        return (facts.name, minimum, ", ".join(facts.ttls), *[_UNKNOWN] * 4, "")
    prices = (_known(row.input), _known(row.read), _writes(row), _known(row.output))
    return (facts.name, minimum, ", ".join(facts.ttls), *prices, row.start or "")


def _lifetimes(facts: ModelFacts) -> str:
    return ", ".join(f"{ttl} (default)" if ttl == facts.default_ttl else ttl for ttl in facts.ttls)


def _known(price: str | None) -> str:
    return _UNKNOWN if price is None else price


def _writes(row: PriceRow) -> str:
    if row.write_is_input:
        return "as input"
    return " / ".join(price for _, price in row.write) or _UNKNOWN


def _minimums(facts: ModelFacts) -> Table:
    rows = [
        (
            f"{each.tokens:,}",
            ", ".join(each.platforms) or "all",
            each.cache or "all",
            "observed" if each.observed else "assumed" if each.assumed else "stated",
            each.confidence,
            each.checked,
        )
        for each in facts.minimums
    ]
    columns = ("tokens", "platforms", "cache", "basis", "confidence", "checked")
    return Table("Minimum", columns, tuple(rows) or ((_UNKNOWN, facts.platform, "", "", "", ""),))


def _prices(rows: Sequence[PriceRow], day: date) -> Table:
    """One line for each kind of cache, with its tiers below it."""
    ttls = list(dict.fromkeys(ttl for row in rows for ttl, _ in row.write)) or [""]
    stored = any(row.storage is not None for row in rows)
    ending = any(row.until is not None for row in rows)
    heads = [f"write {ttl}".strip() for ttl in ttls]
    columns = (
        "for",
        "input",
        "read",
        *heads,
        "output",
        *(["storage, hour"] if stored else []),
        "from",
        *(["until"] if ending else []),
    )
    lines: list[tuple[str | int | None, ...]] = []
    for row in rows:
        for above, input_times, output_times in ((0, "1", "1"), *row.tiers):
            label = f"prompts > {above:,}" if above else (row.cache or "all") if len(rows) > 1 else "all"
            writes = dict(row.write)
            lines.append(
                (
                    label,
                    _scaled(row.input, input_times),
                    _scaled(row.read, input_times),
                    *("as input" if row.write_is_input else _scaled(writes.get(ttl), input_times) for ttl in ttls),
                    _scaled(row.output, output_times),
                    *([_known(row.storage)] if stored else []),
                    row.start or f"seen {row.checked}",
                    *([row.until or ""] if ending else []),
                )
            )
    return Table(f"Prices on {day}, USD for a million tokens", columns, tuple(lines))


def _scaled(price: str | None, times: str | None) -> str:
    return _UNKNOWN if price is None or times is None else f"{(Decimal(price) * Decimal(times)).normalize():f}"


def _break_evens(facts: ModelFacts) -> Table:
    several = len({found.cache for found in facts.breakeven}) > 1
    rows = tuple(
        (
            f"{found.cache} {found.ttl or ''}".strip() if several else found.ttl or "any",
            found.write_multiplier,
            found.read_multiplier,
            "never" if found.requests is None else str(found.requests),
            "never" if found.hit_share is None else f"{Decimal(found.hit_share) * 100:.1f} %",
        )
        for found in facts.breakeven
    )
    columns = ("lifetime", "write, x input", "read, x input", "cheaper from requests", "or from hits")
    return Table("Break-even", columns, rows)


def _curves(facts: ModelFacts, rows: Sequence[PriceRow]) -> list[Table]:
    done = []
    for (kind, ttl), points in groupby(facts.curve, key=lambda point: (point.cache, point.ttl)):
        row = next(row for row in rows if row.cache == kind)
        done.append(_chart(facts, row, ttl, list(points)))
    return done


def _chart(facts: ModelFacts, row: PriceRow, ttl: str | None, points: list[CurvePoint]) -> Table:
    """A bar for each share of hits; a line where the prefix would cost as much without a cache."""
    assert facts.prefix_tokens is not None
    assert row.input is not None
    times = next((Decimal(tier[1] or 1) for tier in reversed(row.tiers) if facts.prefix_tokens > tier[0]), Decimal(1))
    without = facts.prefix_tokens * Decimal(row.input) * times / 1000  # for a thousand requests
    costs = [Decimal(point.usd) * 1000 for point in points]
    longest = max(without, *costs) or Decimal(1)
    line = max(1, round(without / longest * _BAR))
    places = 2 if min(cost for cost in (without, *costs)) >= Decimal("0.1") else 4
    rows = tuple(
        (f"{Decimal(point.hit_share) * 100:.0f} %", f"{cost:,.{places}f}", _bar(round(cost / longest * _BAR), line))
        for point, cost in zip(points, costs, strict=True)
    )
    kind = f" {ttl or row.cache or ''}".rstrip()
    title = f"{facts.prefix_tokens:,} tokens of prefix,{kind}: {without:,.{places}f} without a cache (the line)"
    return Table(title, ("hits", "USD, 1,000 requests", "cost"), rows)


def _bar(length: int, line: int) -> str:
    cells = "█" * length + "░" * (max(line, length) - length)
    return f"{cells[: line - 1]}│{cells[line:]}"
