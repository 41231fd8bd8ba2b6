"""What requests cost: worked examples from the sources, and laws."""

from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptlint.facts.models import model_of
from promptlint.facts.prices import Prices, at_length, prices_of
from promptlint.money.cost import Split, cost, lost, saving, split_by_ttl

DAY = date(2026, 11, 29)


def prices(name: str, *modifiers: str) -> Prices:
    model = model_of(name)
    assert model is not None
    found = prices_of(model, DAY, modifiers=modifiers)
    assert found is not None
    return found


def test_the_example_of_genai_prices() -> None:
    """10,000 tokens in, 8,000 of them read, 1,500 written, 500 of these for an hour: 0.0126 for Opus 5.5."""
    bill = cost(Split(read=8000, written={"5m": 1000, "1h": 500}, uncached=500), prices("claude-opus-5-5"))
    assert bill.input == bill.total == Decimal("0.0126")
    assert [(part.name, part.ttl, part.tokens, part.usd) for part in bill.parts] == [
        ("read", None, 8000, Decimal("0.0016")),
        ("written", "5m", 1000, Decimal("0.005")),
        ("written", "1h", 500, Decimal("0.004")),
        ("uncached", None, 500, Decimal("0.002")),
    ]


def test_the_answer_is_no_part_of_the_input() -> None:
    bill = cost(Split(uncached=1_000_000, output=1_000_000), prices("claude-opus-5"))
    assert (bill.input, bill.total) == (Decimal(5), Decimal(30))


@pytest.mark.parametrize(
    ("read", "split"),
    [
        (0, Split(0, {"1h": 6000, "5m": 3000}, 500)),  # A = 0
        (2000, Split(2000, {"1h": 4000, "5m": 3000}, 500)),  # A before the last marker of an hour: B - A, C - B
        (6000, Split(6000, {"5m": 3000}, 500)),  # A = B
        (7000, Split(7000, {"5m": 2000}, 500)),  # no marker of an hour behind A: B = A
        (9000, Split(9000, {}, 500)),  # A = C
    ],
)
def test_mixed_lifetimes_are_billed_from_hit_to_hour_to_the_last_marker(read: int, split: Split) -> None:
    """Read A, an hour B - A, five minutes C - B, with two markers of an hour and one of five minutes."""
    assert split_by_ttl(9500, read, [(2000, "1h"), (6000, "1h"), (9000, "5m")]) == split
    assert split.prompt == 9500


def test_the_length_of_the_whole_prompt_decides_the_price_of_every_token() -> None:
    """Haiku 5.5 costs five times as much above 100,000 tokens of prompt; reads count to the length."""
    haiku = prices("claude-haiku-5-5")
    assert cost(Split(read=99_000, uncached=1000), haiku).total == Decimal("0.00109")
    assert cost(Split(read=99_000, uncached=1001), haiku).total == 5 * Decimal("0.0010901")
    assert cost(Split(uncached=100_001, output=1000), haiku).total == Decimal("0.0500005") + Decimal("0.0025")
    assert cost(Split(uncached=100_000, output=200_000), haiku).total == Decimal("0.11")  # the answer does not count


def test_openai_doubles_above_272k() -> None:
    sol = prices("gpt-6-sol")
    split = Split(read=200_000, written={"30m": 72_000}, output=1000)
    short = cost(split, sol)
    long = cost(split._replace(uncached=1), sol)
    assert short.total == Decimal("0.04") + Decimal("0.18") + Decimal("0.01")
    assert long.total == 2 * (Decimal("0.22") + Decimal("0.000002")) + Decimal("0.015")


def test_the_boundary_of_xai_is_inclusive() -> None:
    """Its tables read "at or above 200k"."""
    grok = prices("grok-4.7")
    assert (at_length(grok, 199_999).input, at_length(grok, 200_000).input) == (Decimal(2), Decimal(4))


def test_what_has_no_price_is_unknown_and_never_0() -> None:
    pro = prices("gpt-5.5-pro")  # no price of a read
    bill = cost(Split(read=1000, uncached=1000), pro)
    assert bill.total is bill.input is None
    assert {part.name: part.usd for part in bill.parts} == {"read": None, "uncached": Decimal("0.03")}
    assert cost(Split(uncached=1000), pro).total == Decimal("0.03")
    assert cost(Split(written={"12h": 1}), prices("openrouter/openai/gpt-6-sol")).total is None
    assert lost(1000, pro, 5000) is None
    assert saving(Decimal(1), pro) is None


def test_a_batch_of_old_models_has_no_price_of_reads() -> None:
    batch = prices("gpt-4.1", "batch")
    assert (batch.input, batch.read, batch.output) == (Decimal(1), None, Decimal(4))


def test_what_faster_processing_of_a_long_prompt_costs_is_not_known() -> None:
    fast = prices("gpt-5.5", "fast")
    assert cost(Split(uncached=272_000), fast).total == Decimal("3.4")
    assert cost(Split(uncached=272_001), fast).total is None


def test_a_lost_read_costs_the_difference() -> None:
    opus = prices("claude-opus-5")
    assert lost(10_000, opus, 20_000) == Decimal("0.045")  # 5 instead of 0.5
    assert lost(10_000, opus, 20_000, "5m") == Decimal("0.0575")  # and written again
    assert lost(10_000, opus, 20_000, "1h") == Decimal("0.095")
    assert lost(10_000, opus, 20_000, "30m") is None  # not offered
    assert lost(10_000, prices("claude-haiku-5-5"), 100_001) == 5 * Decimal("0.0009")
    assert lost(10_000, prices("gpt-5.5"), 20_000, "24h") == Decimal("0.045")  # writes cost no more than input


def test_what_a_reusable_share_saves() -> None:
    assert saving(Decimal("0.9"), prices("claude-opus-5")) == Decimal("0.81")
    assert saving(Decimal("0.9"), prices("claude-opus-5-5")) == Decimal("0.855")
    assert saving(Decimal("0.9"), prices("claude-fable-5-1")) == Decimal("0.8775")
    assert saving(Decimal("0.9"), prices("gpt-4o")) == Decimal("0.45")


def test_documents_in_front_of_the_system_prompt_against_behind_it() -> None:
    """9,000 stable tokens and 3,000 of other documents in each request; the marker stands after what is in front."""
    sonnet = prices("claude-sonnet-5")
    behind = cost(Split(read=9000, uncached=3000), sonnet).input
    in_front = cost(Split(written={"5m": 12_000}), sonnet).input
    assert behind is not None
    assert in_front is not None
    assert in_front / behind == Decimal("0.03") / Decimal("0.0078")  # 3.8 times as much
    assert round(in_front / behind, 1) == Decimal("3.8")


tokens = st.integers(0, 10**6)
priced = st.sampled_from(["claude-opus-5-5", "claude-haiku-5-5", "claude-sonnet-4-5", "kimi-k3"])


@given(priced, tokens, tokens, tokens, tokens, tokens)
def test_a_bill_adds_up(name: str, read: int, short: int, long: int, uncached: int, output: int) -> None:
    found = prices(name)
    split = Split(read, {"5m": short, "1h": long}, uncached, output)
    bill = cost(split, found)
    assert sum(part.tokens for part in bill.parts) == split.prompt + output
    assert bill.total == sum(part.usd or 0 for part in bill.parts)
    here = at_length(found, split.prompt)
    assert here.input is not None
    assert bill.input is not None
    assert bill.input <= split.prompt * max(here.input, *here.write.values()) / 1_000_000


@given(
    st.integers(0, 10**6), st.integers(0, 10**6), st.lists(st.tuples(st.integers(0, 10**6), st.just("5m")), max_size=4)
)
def test_each_token_is_billed_once(prompt: int, read: int, markers: list[tuple[int, str]]) -> None:
    read = min(read, prompt)
    split = split_by_ttl(prompt, read, [(min(end, prompt), ttl) for end, ttl in markers])
    assert split.prompt == prompt
    assert split.uncached >= 0
