"""When caching pays: the table that the reference figures give, to the digit."""

from datetime import date
from decimal import Decimal

import pytest

from promptlint.facts.models import model_of
from promptlint.facts.prices import Prices, prices_of
from promptlint.money.breakeven import (
    break_even,
    break_evens,
    expected,
    keep_alive,
    padding_bound,
    reads_per_hour,
)


def prices(name: str) -> Prices:
    model = model_of(name)
    assert model is not None
    found = prices_of(model, date(2026, 11, 29))
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("write", "read", "requests", "bound", "share", "example", "ttl"),
    [
        ("1.25", "0.1", 2, "1.28", "21.7", "claude-opus-5", "5m"),
        ("1.25", "0.1", 2, "1.28", "21.7", "gpt-6-sol", "30m"),
        ("2", "0.1", 3, "2.11", "52.6", "claude-opus-5", "1h"),
        ("2", "0.1", 3, "2.11", "52.6", "kimi-k3", "1h"),
        ("1.25", "0.05", 2, "1.26", "20.8", "claude-sonnet-5-5", "5m"),
        ("1.25", "0.05", 2, "1.26", "20.8", "gpt-6.1-sol", "30m"),
        ("2", "0.05", 3, "2.05", "51.3", "claude-opus-5-5", "1h"),
        ("1.25", "0.025", 2, "1.26", "20.4", "claude-fable-5-1", "5m"),
        ("2", "0.025", 3, "2.03", "50.6", "claude-fable-5-1", "1h"),
        ("2.5", "0.1", 3, "2.67", "62.5", "gpt-6-astra", "12h"),
        ("2.5", "0.05", 3, "2.58", "61.2", "gpt-6.1-terra", "12h"),
        ("1", "0.1", 2, "1.00", "0.0", "kimi-k3", "5m"),
        ("1", "0.1", 2, "1.00", "0.0", "gpt-5.5", None),
    ],
)
def test_break_even(
    write: str, read: str, requests: int, bound: str, share: str, example: str, ttl: str | None
) -> None:
    """More requests than (w - r) / (1 - r), a larger share of hits than (w - 1) / (w - r)."""
    found = break_even(Decimal(write), Decimal(read), ttl)
    assert found.requests == requests
    assert f"{found.bound:.2f}" == bound
    assert found.hit_share is not None
    assert f"{found.hit_share * 100:.1f}" == share
    assert found in break_evens(prices(example))


@pytest.mark.parametrize(("write", "read", "without", "requests"), [("1.25", "0.1", 2, 2), ("2", "0.1", 3, 3)])
def test_break_even_is_where_the_sums_cross(write: str, read: str, without: int, requests: int) -> None:
    """One write and reads, against no cache: 1.35 against 2, 2.2 against 3; one request less is dearer."""

    def with_cache(number: int) -> Decimal:
        return Decimal(write) + (number - 1) * Decimal(read)

    assert break_even(Decimal(write), Decimal(read)).requests == requests
    assert with_cache(requests) < without == requests
    assert with_cache(requests - 1) >= requests - 1


@pytest.mark.parametrize("name", ["claude-opus-5", "gpt-6.1-sol", "kimi-k3", "claude-haiku-5-5"])
def test_the_share_of_hits_is_where_the_expected_costs_cross(name: str) -> None:
    found = prices(name)
    assert found.input is not None
    for row in break_evens(found):
        assert row.hit_share is not None
        at = expected(1_000_000, row.hit_share, found, row.ttl)
        assert at is not None
        assert abs(at - found.input) < Decimal("1e-20")


@pytest.mark.parametrize(
    ("read", "bound", "pings", "minutes"), [("0.1", 7, 7, 35), ("0.05", 15, 14, 70), ("0.025", 30, 29, 145)]
)
def test_keeping_alive_against_the_longer_lifetime(read: str, bound: int, pings: int, minutes: int) -> None:
    """0.75 / r pings cost as much as the premium of an hour: about 35 minutes, 70 minutes, 2.4 hours of idling."""
    found = keep_alive(Decimal("1.25"), Decimal(2), Decimal(read))
    assert found is not None
    assert (int(found.bound), found.pings, found.minutes) == (bound, pings, minutes)


@pytest.mark.parametrize(("name", "reads"), [("gemini-2.5-pro", "4.00"), ("gemini-3.8-flash", "0.74")])
def test_reads_that_pay_for_the_storage_of_an_object(name: str, reads: str) -> None:
    assert f"{reads_per_hour(prices(name)):.2f}" == reads


def test_what_never_pays_and_what_is_not_known() -> None:
    never = break_even(Decimal("1.25"), Decimal(1))
    assert (never.requests, never.hit_share, never.bound) == (None, None, None)
    assert break_evens(prices("cerebras/gpt-oss-120b"))[0].requests is None  # a read costs as much as input
    assert break_evens(prices("gpt-5.5-pro")) == ()
    assert reads_per_hour(prices("claude-opus-5")) is None
    assert expected(1000, Decimal(1), prices("gpt-5.5-pro"), None) is None
    assert keep_alive(Decimal("1.25"), Decimal(2), Decimal(0)) is None


def test_a_prefix_just_below_the_minimum() -> None:
    """1,024 tokens, ten requests: to fill up pays from 221 tokens on."""
    bound = padding_bound(1024, 10, Decimal("1.25"), Decimal("0.1"))
    assert 220 < bound < 221
