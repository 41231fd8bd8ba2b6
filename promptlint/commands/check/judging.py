"""What is known of a prompt before and after a change -> figures, verdict, causes. A lock tells less than a state."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date, datetime, timedelta
from decimal import Decimal
from fnmatch import fnmatchcase
from typing import NamedTuple

from promptlint.cache.entries import seconds
from promptlint.check_facts import Allowed, CheckCause, CheckedPrompt, Often
from promptlint.commands.check.both import Both, Once, doubt, drops_markers, news, too_short, why_refused
from promptlint.commands.check.causes import Teller, costly, in_order
from promptlint.commands.check.changed import Lines
from promptlint.commands.check.found import Source
from promptlint.commands.check.measure import CLOCKS, Asked, Compared, compared, followed, price
from promptlint.commands.check.sent import Counting, Memos, Prompt
from promptlint.commands.check.templated import unmarked
from promptlint.commands.check.trees import Sides
from promptlint.commands.loss import as_text
from promptlint.facts.models import model_of
from promptlint.facts.own import Overrides
from promptlint.gate.verdict import Figures, Judgement, band_of, judged, times_a_day
from promptlint.read.names import shown


class How(NamedTuple):
    """How prompts are judged."""

    sides: Sides
    lines: Lines
    renderer: Counting
    now: datetime
    own: Overrides
    allow_exec: bool
    today: date
    top: Callable[[str], str | None]  # a path as the user knows it -> from the top
    memos: Memos


class _Bill(NamedTuple):
    """Dollars, and what they rest on."""

    once: Decimal | None
    price: str
    notes: tuple[str, ...] = ()


class Told(NamedTuple):
    """What is judged of one prompt."""

    source: Source
    prompt: Prompt  # after the change
    both: Sequence[Both]
    once: Once | None
    teller: Teller
    at_once: Callable[[Once], Iterable[CheckCause]]  # what the deploy finds changed
    unsure: str = ""  # why nothing can be said of the time before


class _Weighed(NamedTuple):
    """Two requests with their verdict."""

    both: Both
    payers: "_Payers"
    figures: Figures
    bill: "_Bill"
    judgement: Judgement

    @property
    def rank(self) -> tuple[int, int, int]:
        """The worst last."""
        verdict = ("pass", "unknown", "fail").index(self.judgement.verdict)
        return verdict, self.both.lost or 0, -(self.both.after.diff.boundary.usable_tokens or 0)


def finished(bare: CheckedPrompt, told: Told, how: How) -> CheckedPrompt:
    """The prompt with its figures, its verdict and its causes: those of the two requests that fare worst."""
    source, once = told.source, told.once
    worst = max((_weighed(one, told, how) for one in told.both), key=lambda one: one.rank)
    one, figures, bill, judgement = worst.both, worst.figures, worst.bill, worst.judgement
    causes = [*_each_request(one, worst.payers.often, told.teller)]
    causes += told.at_once(once) if once is not None and once.lost else ()
    allowed, said = _allowed_by(source, judgement, how.today)
    diff = one.after.diff
    notes = (*one.after.first.notes, *bare.notes, *bill.notes, *_unknown_model(one, how), *said)
    return bare._replace(
        verdict="pass" if allowed else judgement.verdict,
        certainty=judgement.certainty,
        provider=diff.b.provider,
        model=diff.b.model,
        exact=diff.boundary.exact,
        prompt_tokens_before=None if one.before is None else one.before.prompt_tokens,
        prompt_tokens_after=diff.b.prompt_tokens,
        usable_tokens_before=figures.usable_before,
        usable_tokens_after=figures.usable_after,
        lost_tokens_per_request=figures.lost_per_request,
        lost_tokens_once=figures.lost_once,
        lost_usd_per_day=as_text(figures.usd_per_day),
        lost_usd_once=as_text(bill.once),
        often=worst.payers.often,
        price=bill.price,
        causes=tuple(_told_once(causes)),
        reasons=judgement.reasons,
        allowed=allowed,
        notes=tuple(dict.fromkeys(notes)),
    )


def _unknown_model(one: Both, how: How) -> Iterator[str]:
    side = one.after.diff.b
    rule = one.after.rule
    if side.model and rule is not None and not rule.minimum.known and model_of(side.model, None, how.own) is None:
        yield f"{shown(side.model)} is not known: neither its minimum nor its prices (`promptlint models` lists them)"


def _weighed(one: Both, told: Told, how: How) -> _Weighed:
    payers = _payers(one, told.teller, told.prompt, how)
    figures, bill = _figures(one, told, payers, how)
    return _Weighed(
        one, payers, figures, bill, judged(figures, told.source.entry.budget.over(told.source.config.budget))
    )


def _figures(one: Both, told: Told, payers: "_Payers", how: How) -> tuple[Figures, _Bill]:
    after, before, lost, once = one.after, one.before, one.lost, told.once
    of_once = once.lost if once is not None else None
    usd, note, notes = None, "", list[str]()
    if lost:
        each = price(lost, after)
        times, said = times_a_day(payers.often, told.source.entry.traffic, _lifetime_of(_first(one)), payers.most)
        usd = None if each.usd is None or times is None else each.usd * times
        note = each.note
        notes += [said] if said else []
        if each.usd is not None and times is None:
            notes += ["dollars a day need the traffic: say in the configuration, traffic: {requests-per-day: N}"]
    usd_once = None
    if of_once:
        cold = price(of_once, after if once is None or once.found is None else once.found)
        usd_once, note = cold.usd, note or cold.note
    model = model_of(after.diff.b.model or "", after.diff.b.provider, how.own)
    figures = Figures(
        usable_before=None if before is None else before.usable_tokens,
        usable_after=after.diff.boundary.usable_tokens,
        prompt_after=after.diff.b.prompt_tokens,
        lost_per_request=lost,
        lost_once=of_once,
        usd_per_day=usd if lost else (Decimal(0) if lost == 0 else None),
        band=band_of(model.count_factor if model is not None else None, exact=after.diff.boundary.exact),
        refused=why_refused(one),
        doubt=told.unsure or doubt(one),
    )
    return figures, _Bill(usd_once, note, tuple(notes))


def _first(one: Both) -> Compared:
    """The requests as they were, or as they are."""
    return one.before.found if one.before is not None and one.before.found is not None else one.after


def _lifetime_of(found: Compared) -> int | None:
    """How long what is cached lives, in seconds; None if that is not known."""
    rule = found.rule
    if rule is None or found.first.prompt is None:
        return None
    marks = [segment.marker for item in found.first.request.items for segment in item.segments if segment.marker]
    text = (marks[-1].ttl if marks else None) or rule.provider.default_lifetime
    return seconds(text)


class _Payers(NamedTuple):
    """Which requests lose, and how many of them a day at most; None: no clock limits it."""

    often: Often
    most: int | None = None


def _payers(one: Both, teller: Teller, prompt: Prompt, how: How) -> _Payers:
    """Who loses: all requests, the first of each session, the first behind each step of a clock."""
    if not one.lost:
        return _Payers("request")
    ordered = in_order(news(one), _found_before(one), asked=one.asked.how == "question")
    if not ordered or not teller.is_by_clock(ordered[0], one.after.second):
        return _Payers(teller.often(ordered[0], one.after.second) if ordered else "request")
    again = Asked(one.asked.first, one.asked.first, "clock")
    still = _usable(followed(prompt, again, how.now, how.renderer, after=timedelta(0)))
    for step, most in CLOCKS:
        if _usable(followed(prompt, again, how.now, how.renderer, after=step)) < still:
            return _Payers("request", most)
    return _Payers("day")


def _usable(found: Compared) -> int:
    return found.diff.boundary.usable_tokens or 0


def _found_before(one: Both) -> Compared | None:
    return None if one.before is None else one.before.found


def _each_request(one: Both, often: Often, teller: Teller) -> Iterator[CheckCause]:
    """What every request finds otherwise than the one before it."""
    changes, short = news(one), too_short(one)
    if not one.lost and not doubt(one) and not why_refused(one):
        return
    first: CheckCause | None = None
    if drops_markers(one):
        first = teller.dropped_marker(one.lost or 0)
    elif short is not None:
        first = teller.too_short(short.message, short.certainty, one.lost)
    elif not changes and one.lost:
        first = teller.marker_ahead(one.lost)
    if first is not None:
        yield first
    leading = first
    for change in in_order(changes, _found_before(one), asked=one.asked.how == "question"):
        if first is None or change.cause not in ("marker-missing", "below-minimum"):
            made = teller.cause(change, one.after.second, often, one.lost if leading is None else None, leading)
            leading = leading or made
            yield made


def _told_once(causes: Sequence[CheckCause]) -> Iterator[CheckCause]:
    """Without what the deploy finds in lines that cost every request as well; one cause at one line once."""
    known = {cause.hunk for cause in causes if cause.often != "once" and cause.hunk is not None}
    told: set[tuple[str, str, int]] = set()
    for cause in causes:
        place = cause.cause, cause.path, cause.line
        if place not in told and (cause.often != "once" or cause.hunk not in known):
            told.add(place)
            yield cause


def changed_at_once(once: Once, teller: Teller) -> Iterator[CheckCause]:
    """What the first request behind the deploy finds changed."""
    if once.found is None:
        return
    found, first, second = once.found, once.found.first.printed, once.found.second.printed
    if first is not None and second is not None and first.marks != second.marks:
        if first.text == second.text:
            yield teller.marker_moved(once.lost or 0)
            return
        options = found.options._replace(provider=None, block_size=None)  # blocks were cut otherwise, not edited
        found = compared(unmarked(found.first), unmarked(found.second), options, {})
    for change in costly(found):
        if change.cause != "marker-after-volatile":  # nothing varies between the two
            yield teller.cause(change, found.second, "once", once.lost)


def _allowed_by(source: Source, verdict: Judgement, today: date) -> tuple[Allowed | None, tuple[str, ...]]:
    """The declaration that lets a loss pass; and what is to be said of one that has run out."""
    if verdict.verdict == "pass":
        return None, ()
    notes = []
    for one in source.config.allow:
        if fnmatchcase(source.name, one.prompt):
            if one.until >= today.isoformat():
                return Allowed(one.reason, one.until), ()
            notes.append(f"it was allowed until {one.until}: {one.reason}")
    return None, tuple(notes)
