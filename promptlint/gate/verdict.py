"""Figures of one prompt before and after a change, against its budget -> verdict. A pure function.

What a change takes from every request is told from what its deploy takes once: two renderings of the same revision,
with other variables and another clock, show how much requests share before it, and how much after it.
"""

from collections.abc import Iterator
from decimal import Decimal
from typing import NamedTuple

from promptlint.cache.minimum import EITHER_WAY
from promptlint.check_facts import BudgetReason, Often, PromptVerdict
from promptlint.config.prompts import Budget, Traffic
from promptlint.side import Certainty


class Band(NamedTuple):
    """How many times as many tokens there may really be, at least and at most."""

    low: float = 1.0
    high: float = 1.0


class Figures(NamedTuple):
    """What is known of a prompt. None: it is not known, or there is nothing to compare with."""

    usable_before: int | None
    usable_after: int | None
    prompt_after: int | None
    lost_per_request: int | None
    lost_once: int | None
    usd_per_day: Decimal | None
    band: Band = Band()
    refused: str = ""  # why the provider takes no such request, if it took it before
    doubt: str = ""  # what may be lost, if a rule that is not published decides


class Judgement(NamedTuple):
    """Whether a change may be merged, as far as one prompt goes."""

    verdict: PromptVerdict
    certainty: Certainty
    reasons: tuple[BudgetReason, ...]


def band_of(factor: str | None, *, exact: bool) -> Band:
    """`factor`: how many times as many tokens the model counts, as far as that is known."""
    middle = float(factor or 1)
    return Band() if exact else Band(middle * (1 - EITHER_WAY), middle * (1 + EITHER_WAY))


def times_a_day(
    often: Often, traffic: Traffic, lifetime_s: int | None, most: int | None = None
) -> tuple[Decimal | None, str]:
    """How often in a day something is lost, None if the traffic is not said; and what to say about it.

    `most`: a clock makes it differ no more often than that.
    """
    if traffic.gap_s is not None and lifetime_s is not None and traffic.gap_s > lifetime_s:
        return Decimal(0), f"requests come {traffic.gap_s} s apart, and what is cached lives for {lifetime_s} s"
    if often == "day":
        return Decimal(1), ""
    if traffic.requests_per_day is None:
        return None, ""
    requests = Decimal(traffic.requests_per_day)
    times = requests / (traffic.turns or 1) if often == "session" else requests
    if most is not None and times > most:
        return Decimal(most), f"the clock makes it another text {most:,} times a day at most"
    return times, ""


def judged(figures: Figures, budget: Budget) -> Judgement:
    """The verdict: a no where a line of the budget is certainly broken, unknown where one may be."""
    reasons = tuple(_reasons(figures, budget))
    verdicts = {reason.verdict for reason in reasons}
    verdict: PromptVerdict = "fail" if "fail" in verdicts else "unknown" if "unknown" in verdicts else "pass"
    certainty: Certainty = "unknown" if verdict == "unknown" else "possible" if figures.doubt else "certain"
    return Judgement(verdict, certainty, reasons)


def _reasons(figures: Figures, budget: Budget) -> Iterator[BudgetReason]:
    if figures.refused:
        yield BudgetReason("refused", "fail", figures.refused)
    band = figures.band
    most = budget.max_lost_tokens_per_request or 0
    lost = figures.lost_per_request
    if lost and (verdict := _above(lost, most, band)):
        allowed = f"{most:,} are allowed" if most else "none may be"
        yield BudgetReason("max-lost-tokens-per-request", verdict, f"{_about(lost, band)} tokens are lost, {allowed}")
    elif figures.doubt:
        yield BudgetReason("max-lost-tokens-per-request", "unknown", figures.doubt)
    if figures.lost_once and budget.max_lost_tokens_once is not None:
        most = budget.max_lost_tokens_once
        if verdict := _above(figures.lost_once, most, band):
            told = f"the deploy loses {_about(figures.lost_once, band)} tokens, {most:,} are allowed"
            yield BudgetReason("max-lost-tokens-once", verdict, told)
    yield from _share(figures, budget)
    yield from _growth(figures, budget)
    usd, ceiling = figures.usd_per_day, budget.max_usd_per_day
    if usd is not None and ceiling is not None and (verdict := _above(float(usd), ceiling, _of_price(band))):
        about = "" if band == Band() else "about "
        told = f"{about}${usd:,.2f} a day are lost, ${ceiling:,.2f} are allowed"
        yield BudgetReason("max-usd-per-day", verdict, told)


def _share(figures: Figures, budget: Budget) -> Iterator[BudgetReason]:
    usable, whole, least = figures.usable_after, figures.prompt_after, budget.min_cacheable_share
    if least is None or usable is None or not whole:
        return
    band = figures.band
    low, high = (_part(usable * one, (whole - usable) * two) for one, two in ((band.low, band.high), band[::-1]))
    if low < least:
        verdict: PromptVerdict = "fail" if high < least else "unknown"
        told = f"{_about(usable, band)} of {_about(whole, band)} tokens can be reused, {usable / whole:.0%}"
        yield BudgetReason("min-cacheable-share", verdict, f"{told}; at least {least:.0%} is due")


def _part(some: float, others: float) -> float:
    return some / (some + others) if some + others else 0.0


def _growth(figures: Figures, budget: Budget) -> Iterator[BudgetReason]:
    before, after, most = figures.usable_before, figures.usable_after, budget.max_prefix_growth
    if most is None or not before or after is None or after <= before:
        return
    grown, band = after - before, figures.band
    told = f"the cached prefix grows from {_about(before, band)} to {_about(after, band)} tokens"
    if budget.growth_is_share:  # both are counted alike, so the share is not about
        if grown / before > most:
            yield BudgetReason("max-prefix-growth", "fail", f"{told}, by {grown / before:.0%}; {most:.0%} is allowed")
    elif verdict := _above(grown, most, band):
        yield BudgetReason("max-prefix-growth", verdict, f"{told}; {most:,.0f} more are allowed")


def _above(value: float, most: float, band: Band) -> PromptVerdict | None:
    """Whether a count is above a limit, with all that it may be off; above nothing every count is."""
    if value * band.high <= most:
        return None
    return "fail" if value * band.low > most else "unknown"


def _of_price(band: Band) -> Band:
    """Prices rest on our own counts; the model may count more."""
    return Band(min(band.low, 1 - EITHER_WAY), band.high) if band != Band() else band


def _about(count: int, band: Band) -> str:
    return f"{count:,}" if band == Band() else f"about {count:,}"
