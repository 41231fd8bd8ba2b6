"""Dated prices: which row holds when and where, what modifies it, and what is not known."""

import re
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

import pytest

from conftest import ROOT
from promptlint import facts
from promptlint.errors import PromptlintError
from promptlint.facts.models import model_of
from promptlint.facts.overrides import overrides
from promptlint.facts.own import NONE, Overrides
from promptlint.facts.prices import Prices, modifiers_of, prices_of, write_price
from promptlint.facts.providers import Cache
from promptlint.prompt import Number

DAY = date(2026, 11, 29)


def prices(
    name: str, on: date = DAY, *modifiers: str, kind: Cache | None = None, own: Overrides = NONE
) -> Prices | None:
    model = model_of(name, own=own)
    assert model is not None
    return prices_of(model, on, kind=kind, modifiers=modifiers, own=own)


def figures(found: Prices | None) -> tuple[str | None, ...]:
    """Input, read, writes, output."""
    assert found is not None
    known = (found.input, found.read, *found.write.values(), found.output)
    return tuple(None if price is None else f"{price.normalize():f}" for price in known)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("claude-opus-5-5", ("4", "0.2", "5", "8", "20")),
        ("claude-sonnet-5-5", ("2", "0.1", "2.5", "4", "10")),
        ("claude-haiku-5-5", ("0.1", "0.01", "0.125", "0.2", "0.5")),
        ("claude-fable-5-1", ("10", "0.25", "12.5", "20", "50")),
        ("claude-fable-5-2", ("8", "0.2", "10", "16", "40")),
        ("claude-sonnet-4-6", ("3", "0.3", "3.75", "6", "15")),
        ("claude-haiku-4-5", ("1", "0.1", "1.25", "2", "5")),
        ("gpt-5.6-sol", ("4", "0.4", "5", "10", "20")),
        ("gpt-6.1-sol", ("2", "0.1", "2.5", "5", "10")),
        ("gpt-6-astra", ("10", "1", "12.5", "25", "50")),
        ("gpt-5.5", ("5", "0.5", "30")),
        ("gpt-4.1", ("2", "0.5", "8")),
        ("gemini-3.8-flash", ("0.75", "0.075", "3.75")),
        ("gemini-4-argon", ("2", "0.1", "10")),
        ("deepseek-v4-pro", ("0.66", "0.022", "1.98")),
        ("kimi-k3", ("3", "0.3", "3", "6", "15")),
        ("grok-4.7", ("2", "0.5", "6")),
        ("mistral-large-4", ("0.7", "0.07", "2.1")),
        ("glm-5.3", ("1.4", "0.26", "4.4")),
    ],
)
def test_prices_that_several_sources_agree_on(name: str, expected: tuple[str, ...]) -> None:
    """The cross-check of the vendor's pages, genai-prices and litellm, of 2026-11-29."""
    assert figures(prices(name)) == expected


@pytest.mark.parametrize(
    ("name", "day", "price"),
    [
        ("gpt-5.6-sol", "2026-08-20", "5"),
        ("gpt-5.6-sol", "2026-08-21", "4"),
        ("gemini-4-argon", "2026-11-30", "2"),
        ("gemini-4-argon", "2026-12-01", "4"),
        ("gemini-3.8-flash", "2026-12-31", "0.75"),
        ("gemini-3.8-flash", "2027-01-01", "1.5"),
        ("mistral-large-4", "2026-10-19", "0.68"),
        ("mistral-large-4", "2026-10-25", "1.36"),
        ("deepseek-v4-flash", "2026-08-20", "0.22"),
    ],
)
def test_the_row_of_the_day_holds(name: str, day: str, price: str) -> None:
    found = prices(name, date.fromisoformat(day))
    assert figures(found)[0] == price
    assert found is not None
    assert found.start is None or found.start <= date.fromisoformat(day)
    assert found.until is None or found.until >= date.fromisoformat(day)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("global.anthropic.claude-opus-5-5", "4"),
        ("us.anthropic.claude-opus-5-5", "4.4"),
        ("anthropic.claude-opus-5-5", "4.4"),  # the region's own
        ("us.anthropic.claude-opus-4-1-20250805-v1:0", "15"),  # before the premium
        ("openrouter/anthropic/claude-opus-5.5", "4"),
        ("global.openai.gpt-6-sol", "2"),
        ("eu.openai.gpt-6-sol", "2.2"),
        ("amazon.nova-lite-v1:0", "0.06"),
        ("us.amazon.nova-2-lite-v1:0", "0.33"),
    ],
)
def test_the_id_tells_where(name: str, expected: str) -> None:
    assert figures(prices(name))[0] == expected


@pytest.mark.parametrize(
    "name", ["azure/gpt-4.1", "eu.amazon.nova-lite-v1:0", "openrouter/moonshotai/kimi-k3", "gpt-6.2-sol"]
)
def test_no_price_is_known(name: str) -> None:
    """Another platform's, a region's, a new model's: never that of a neighbour."""
    assert prices(name) is None


def test_modifiers_multiply() -> None:
    assert figures(prices("claude-opus-5", DAY, "batch")) == ("2.5", "0.25", "3.125", "5", "12.5")
    assert figures(prices("claude-opus-5", DAY, "fast")) == ("10", "1", "12.5", "20", "50")
    assert figures(prices("claude-opus-5", DAY, "us")) == ("5.5", "0.55", "6.875", "11", "27.5")
    assert figures(prices("claude-opus-5", DAY, "us", "batch"))[0] == "2.75"
    both = prices("us.anthropic.claude-opus-5", DAY, "batch")
    assert both is not None
    assert sorted(both.modifiers) == ["batch", "regional"]
    assert figures(both)[0] == "2.75"


@pytest.mark.parametrize(
    ("name", "modifier"), [("claude-opus-5", "bach"), ("claude-sonnet-4", "us"), ("glm-5", "flex")]
)
def test_a_modifier_that_a_model_does_not_have_is_refused(name: str, modifier: str) -> None:
    with pytest.raises(PromptlintError, match=f"no price is known for {modifier}"):
        prices(name, DAY, modifier)


@pytest.mark.parametrize(
    ("name", "settings", "expected"),
    [
        ("claude-opus-5", {}, ()),
        ("claude-opus-5", {"speed": "standard", "service_tier": "auto"}, ()),
        ("claude-opus-5", {"speed": "fast", "inference_geo": "us"}, ("fast", "us")),
        ("claude-sonnet-5", {"speed": "fast"}, None),  # no price of it
        ("gpt-5.5", {"service_tier": "flex"}, ("flex",)),
        ("gpt-5.5", {"service_tier": "priority"}, ("priority",)),
        ("gpt-4.1", {"service_tier": "flex"}, None),
        ("gpt-5.5", {"service_tier": "scale"}, None),
    ],
)
def test_what_a_request_asks_for(name: str, settings: dict[str, str], expected: tuple[str, ...] | None) -> None:
    model = model_of(name)
    assert model is not None
    found = modifiers_of(model, settings)
    assert (None if found is None else tuple(sorted(found))) == expected
    if found is not None:
        assert prices_of(model, DAY, modifiers=found) is not None


PEAK = datetime.fromisoformat("2026-11-26T03:59+00:00")  # a Thursday


@pytest.mark.parametrize(
    ("moment", "price"),
    [
        (PEAK, "0.3"),
        (PEAK + timedelta(minutes=1), "0.15"),
        (PEAK.replace(hour=6, minute=0), "0.3"),
        (PEAK.replace(hour=12), "0.15"),
        (PEAK + timedelta(days=2), "0.15"),  # a Saturday
        (PEAK.astimezone(timezone(timedelta(hours=8))), "0.3"),  # the same moment in Beijing
        (PEAK.replace(tzinfo=None), "0.3"),  # without a zone: UTC
    ],
)
def test_peak_hours(moment: datetime, price: str) -> None:
    found = prices("deepseek-flash", moment)
    assert figures(found)[0] == price
    assert found is not None
    assert found.peak is None


def test_of_a_day_the_price_outside_peak_hours_is_given_and_peak_hours_told() -> None:
    found = prices("deepseek-flash")
    assert figures(found)[0] == "0.15"
    assert found is not None
    assert found.peak is not None
    assert found.peak.times == 2


def test_prices_by_kind_of_cache() -> None:
    """Qwen: 0.2 of the input price without markers, 0.1 with them, where writing costs 1.25."""
    plain, marked = prices("qwen3.7-max"), prices("qwen3.7-max", kind="markers")
    assert figures(plain) == ("2.5", "0.5", "7.5")
    assert figures(marked) == ("2.5", "0.25", "3.125", "7.5")
    assert plain is not None
    assert marked is not None
    assert (write_price(plain, "5m"), write_price(marked, "5m")) == (Decimal("2.5"), Decimal("3.125"))
    assert write_price(marked, "1h") is None


def test_prices_of_the_users_own_hold_instead_of_ours() -> None:
    row: dict[str, Any] = {"input": Number("3.2"), "read": Number("0.16"), "write": {"5m": Number("4")}}
    own = overrides({"prices": {"claude-opus-5.5": row}}, "mine.yaml")
    found = prices("claude-opus-5-5", own=own)
    assert figures(found) == ("3.2", "0.16", "4", None)
    assert found is not None
    assert found.source == ("mine.yaml",)
    assert figures(prices("us.anthropic.claude-opus-5-5", own=own))[0] == "3.52"
    assert figures(prices("claude-opus-5", own=own))[0] == "5"


@pytest.mark.parametrize(
    ("day", "expected"),
    [
        (date(2026, 11, 29), ("2", "0.2", "2.5", "4", "10")),
        (date(2026, 11, 30), ("2", "0.2", "2.5", "4", "10")),
        (date(2026, 12, 1), ("1.8", "0.18", "2.25", "9")),
        (date(2026, 12, 31), ("1.8", "0.18", "2.25", "9")),
        (date(2027, 1, 1), ("2", "0.2", "2.5", "4", "10")),
    ],
)
def test_before_and_after_a_row_of_the_users_own_ours_hold(day: date, expected: tuple[str, ...]) -> None:
    row: dict[str, Any] = {"from": "2026-12-01", "until": "2026-12-31", "output": Number("9")}
    row |= {"input": Number("1.80"), "read": Number("0.18"), "write": {"5m": Number("2.25")}}
    own = overrides({"prices": {"claude-sonnet-5": row}}, "mine.yaml")
    assert figures(prices("claude-sonnet-5", day, own=own)) == expected
    assert figures(prices("claude-sonnet-5", day, own=own)) == figures(
        prices("claude-sonnet-5", day, own=overrides({"prices": {"claude-sonnet-5": [row]}}, "mine.yaml"))
    )


def test_rows_cite_what_they_rest_on() -> None:
    known = facts.table("sources")
    table = facts.table("prices")
    rows = [row for found in table["models"].values() for row in found]
    for row in (*rows, *table["modifiers"]):
        assert row["source"]
        assert set(row["source"]) <= set(known), row
        assert row["confidence"] in ("high", "medium", "low")
        date.fromisoformat(row["checked"])
    for row in rows:
        assert "input" in row
        assert all(row.get(name, 1) >= 0 for name in ("input", "read", "output", "storage"))
        assert row.get("from", "") <= row.get("until", "9999")
    assert set(table["models"]) <= set(facts.table("models")["models"])
    for modifier in table["modifiers"]:
        assert any(re.fullmatch(modifier["models"], name) for name in table["models"]), modifier


def test_no_two_rows_hold_at_once() -> None:
    """In one place, for one kind of cache, no two rows begin on one day."""
    for name, rows in facts.table("prices")["models"].items():
        seen: set[tuple[str, str, str, str]] = set()
        for row in rows:
            for place in row.get("platforms", ["own"]):
                for endpoint in row.get("endpoints", ["any"]):
                    key = (place, endpoint, row.get("cache", ""), row.get("from", ""))
                    assert key not in seen, (name, key)
                    seen.add(key)


def test_the_table_agrees_with_genai_prices() -> None:
    import subprocess
    import sys

    command = [sys.executable, str(ROOT / "scripts/compare_prices.py"), DAY.isoformat()]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
