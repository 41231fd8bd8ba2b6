"""What `promptlint models` knows, as JSON: every field is written out by hand (schemas/report.schema.json)."""

from typing import Any

from promptlint.model_facts import BreakEven, CurvePoint, Minimum, ModelFacts, PriceRow

Object = dict[str, Any]


def model(facts: ModelFacts) -> Object:
    """One model. Money and multipliers are decimal strings."""
    return {
        "name": facts.name,
        "provider": facts.provider,
        "platform": facts.platform,
        "caches": list(facts.caches),
        "minimum_tokens": facts.minimum_tokens,
        "minimums": [_minimum(each) for each in facts.minimums],
        "ttls": list(facts.ttls),
        "default_ttl": facts.default_ttl,
        "lifetime": facts.lifetime,
        "prices": None if facts.prices is None else _prices(facts.prices),
        "other_prices": [_prices(each) for each in facts.other_prices],
        "breakeven": [_break_even(each) for each in facts.breakeven],
        "prefix_tokens": facts.prefix_tokens,
        "curve": [_point(each) for each in facts.curve],
        "confidence": facts.confidence,
        "checked": facts.checked,
        "source": list(facts.source),
    }


def _minimum(minimum: Minimum) -> Object:
    return {
        "tokens": minimum.tokens,
        "platforms": list(minimum.platforms),
        "cache": minimum.cache,
        "observed": minimum.observed,
        "assumed": minimum.assumed,
        "confidence": minimum.confidence,
        "checked": minimum.checked,
        "source": list(minimum.source),
    }


def _prices(prices: PriceRow) -> Object:
    return {
        "cache": prices.cache,
        "from": prices.start,
        "until": prices.until,
        "input": prices.input,
        "read": prices.read,
        "write": dict(prices.write),
        "write_is_input": prices.write_is_input,
        "output": prices.output,
        "storage": prices.storage,
        "tiers": [
            {"above": above, "input_times": input_times, "output_times": output_times}
            for above, input_times, output_times in prices.tiers
        ],
        "peak_times": prices.peak_times,
        "modifiers": list(prices.modifiers),
        "note": prices.note,
        "confidence": prices.confidence,
        "checked": prices.checked,
        "source": list(prices.source),
    }


def _break_even(found: BreakEven) -> Object:
    return {
        "cache": found.cache,
        "ttl": found.ttl,
        "write_multiplier": found.write_multiplier,
        "read_multiplier": found.read_multiplier,
        "requests": found.requests,
        "hit_share": found.hit_share,
    }


def _point(point: CurvePoint) -> Object:
    return {"cache": point.cache, "ttl": point.ttl, "hit_share": point.hit_share, "usd": point.usd}
