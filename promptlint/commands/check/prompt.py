"""One prompt before and after the change -> what is to be said of it."""

from collections.abc import Callable, Iterator, Sequence
from datetime import date, datetime
from decimal import Decimal
from fnmatch import fnmatchcase
from functools import partial
from typing import NamedTuple

from promptlint.check_facts import Allowed, CheckCause, CheckedPrompt, Often, PromptChange
from promptlint.commands.check.both import Both, Once, both_states, doubt, too_short, weighed, why_refused, worst_once
from promptlint.commands.check.causes import Teller, costly, drops_markers, in_order, new_costly
from promptlint.commands.check.changed import Lines
from promptlint.commands.check.found import Candidate, Source, rendered_alike
from promptlint.commands.check.measure import CLOCKS, Asked, Compared, compared, followed, pairs_of, price
from promptlint.commands.check.parts import text_of
from promptlint.commands.check.sent import (
    Counting,
    Memos,
    Prompt,
    Setting,
    files_of,
    prompt_of,
    variable_files,
)
from promptlint.commands.check.templated import says_breakpoints, unmarked
from promptlint.commands.check.trees import Sides
from promptlint.commands.loss import as_text
from promptlint.config.prompts import Markers
from promptlint.errors import PromptlintError
from promptlint.facts.models import model_of
from promptlint.facts.own import Overrides
from promptlint.finding import Change
from promptlint.gate.verdict import Figures, Judgement, band_of, judged, lost_tokens, times_a_day

_UNCOUNTED = Figures(None, None, None, None, None, None)


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


class Judged(NamedTuple):
    """A prompt, and why it could not be rendered."""

    prompt: CheckedPrompt
    error: str = ""


def judge(candidate: Candidate, how: How) -> Judged:
    """What a change does to one prompt."""
    source = candidate.source
    if candidate.after is None:
        return Judged(_bare(candidate, how, "deleted"))
    try:
        if candidate.before is not None and _is_unchanged(candidate.before, candidate.after, how):
            return Judged(_bare(candidate, how, "unchanged"))
        if source.entry.kind == "command" and not how.allow_exec:
            note = "its command runs only with --allow-exec"
            return Judged(_bare(candidate, how, "unrendered")._replace(verdict="unknown", notes=(note,)))
        return Judged(_judged(candidate, candidate.after, how))
    except PromptlintError as error:
        bare = _bare(candidate, how, "unrendered")._replace(verdict="unknown", certainty="unknown", notes=(str(error),))
        return Judged(bare, f"{source.name}: {error}" if source.name not in str(error) else str(error))


def _bare(candidate: Candidate, how: How, change: PromptChange) -> CheckedPrompt:
    source, old = candidate.source, candidate.before
    shown = how.sides.after.shown
    found = bare(source, shown(source.path), change)
    is_renamed = old is not None and old.path != source.path and candidate.after is not None
    return found._replace(old_path=shown(old.path)) if old is not None and is_renamed else found


def bare(source: Source, path: str, change: PromptChange) -> CheckedPrompt:
    """A prompt of which nothing is counted. `path`: as the user knows it."""
    return CheckedPrompt(
        name=source.name,
        path=path,
        old_path=None,
        change=change,
        verdict="pass",
        certainty="certain",
        provider=source.entry.provider or source.entry.engine,
        model=source.entry.model,
        exact=False,
        prompt_tokens_before=None,
        prompt_tokens_after=None,
        usable_tokens_before=None,
        usable_tokens_after=None,
        lost_tokens_per_request=None,
        lost_tokens_once=None,
        lost_usd_per_day=None,
        lost_usd_once=None,
        often="request",
        price="",
    )


def _is_unchanged(before: Source, after: Source, how: How) -> bool:
    """Whether nothing that the prompt is made of differs: then it is not rendered."""
    sides = how.sides
    if after.entry.kind == "command":
        return not sides.touched and not sides.gone and rendered_alike(before, after)
    if not rendered_alike(before, after) or tuple(map(sides.old, after.paths)) != before.paths:
        return False
    files = files_of(after, sides.after, variable_files(after, sides.after))
    if any(file in sides.touched for file in files):
        return False
    return not sides.gone or {*variable_files(before, sides.before)} == {
        *map(sides.old, variable_files(after, sides.after))
    }


def _judged(candidate: Candidate, source: Source, how: How) -> CheckedPrompt:
    old, notes = candidate.before, list[str]()
    prompt, before = _prompts(source, old, how, notes)
    both = weighed([both_states(asked, prompt, before, how) for asked in pairs_of(prompt)])
    worst = max(both, key=lambda one: one.lost or 0)
    once = None if before is None else worst_once(prompt, before, both, how)
    teller = Teller(prompt, _files(prompt, before, how), how.lines, how.top, partial(text_of, how.sides.after))
    changes = new_costly(worst.after, worst.before)
    payers = _payers(worst, changes, teller, prompt, how)
    often = payers.often
    figures, bill = _figures(worst, once, payers, source, how)
    verdict = judged(figures, source.entry.budget.over(source.config.budget))
    causes = tuple(_told_once((*_each_request(worst, changes, often, teller), *_at_once(once, teller))))
    allowed, said = allowed_by(source, verdict, how.today)
    first = worst.before or worst.after
    texts = (*prompt_notes(worst), *notes, *bill.notes, *said)
    return _bare(candidate, how, "changed" if old is not None else "new")._replace(
        verdict="pass" if allowed else verdict.verdict,
        certainty=verdict.certainty,
        provider=worst.after.diff.b.provider,
        model=worst.after.diff.b.model,
        exact=worst.after.diff.boundary.exact,
        prompt_tokens_before=first.diff.b.prompt_tokens if worst.before else None,
        prompt_tokens_after=worst.after.diff.b.prompt_tokens,
        usable_tokens_before=figures.usable_before,
        usable_tokens_after=figures.usable_after,
        lost_tokens_per_request=figures.lost_per_request,
        lost_tokens_once=figures.lost_once,
        lost_usd_per_day=as_text(figures.usd_per_day),
        lost_usd_once=as_text(bill.once),
        often=often,
        price=bill.price,
        causes=causes,
        reasons=verdict.reasons,
        allowed=allowed,
        notes=tuple(dict.fromkeys(texts)),
    )


def prompt_notes(worst: Both) -> Iterator[str]:
    """What is to be known of a rendering."""
    yield from worst.after.first.notes


def _prompts(source: Source, old: Source | None, how: How, notes: list[str]) -> tuple[Prompt, Prompt | None]:
    """The prompt after the change, and before it."""
    after, before = how.sides.after, how.sides.before
    marked = says_breakpoints(source, after) or (old is not None and says_breakpoints(old, before))
    markers: Markers | None = "comments" if marked else None
    prompt = prompt_of(source, Setting(after, after, lambda path: path, how.renderer, how.own, markers, how.memos))
    if old is None:
        return prompt, None
    setting = Setting(before, after, how.sides.old, how.renderer, how.own, markers, how.memos)
    if source.entry.kind == "command":  # it may read any file
        before.fetch(before.paths)
    try:
        found = prompt_of(old, setting)
        if found.labels:
            found.at(found.labels[0], how.now)
    except PromptlintError as error:
        notes.append(f"before the change it could not be rendered: {error}")
        return prompt, None
    return prompt, found


class _Bill(NamedTuple):
    """Dollars, and what they rest on."""

    once: Decimal | None
    price: str
    notes: tuple[str, ...] = ()


def _figures(worst: Both, once: Once | None, payers: "_Payers", source: Source, how: How) -> tuple[Figures, _Bill]:
    after, before, lost = worst.after, worst.before, worst.lost
    of_once = once.lost if once is not None else None
    traffic = source.entry.traffic
    usd, note, notes = None, "", list[str]()
    if lost:
        each = price(lost, after, after.options)
        times, said = times_a_day(payers.often, traffic, lifetime_of(before or after), payers.most)
        usd = None if each.usd is None or times is None else each.usd * times
        note = each.note
        notes += [said] if said else []
        if each.usd is not None and times is None:
            notes += [
                "dollars a day: say in the configuration how many requests there are, traffic: {requests-per-day: N}"
            ]
    usd_once = None
    if of_once and once is not None and once.found is not None:
        cold = price(of_once, once.found, after.options)
        usd_once, note = cold.usd, note or cold.note
    refused = after.diff.verdict == "refused" and (before is None or before.diff.verdict != "refused")
    model = model_of(after.diff.b.model or "", after.diff.b.provider, how.own)
    figures = Figures(
        usable_before=None if before is None else before.diff.boundary.usable_tokens,
        usable_after=after.diff.boundary.usable_tokens,
        prompt_after=after.diff.b.prompt_tokens,
        lost_per_request=lost,
        lost_once=of_once,
        usd_per_day=usd if lost else (Decimal(0) if lost == 0 else None),
        band=band_of(model.count_factor if model is not None else None, exact=after.diff.boundary.exact),
        refused=why_refused(after) if refused else "",
        doubt=doubt(worst),
    )
    return figures, _Bill(usd_once, note, tuple(notes))


def lifetime_of(found: Compared) -> int | None:
    """How long what is cached lives, in seconds; None if that is not known."""
    rule = found.rule
    if rule is None or found.first.prompt is None:
        return None
    marks = [segment.marker for item in found.first.request.items for segment in item.segments if segment.marker]
    text = (marks[-1].ttl if marks else None) or rule.provider.default_lifetime
    unit = {"s": 1, "m": 60, "h": 3600, "d": 86400}.get(text[-1:])
    return int(text[:-1]) * unit if unit and text[:-1].isdigit() else None


class _Payers(NamedTuple):
    """Which requests lose, and how many of them a day at most; None: no clock limits it."""

    often: Often
    most: int | None = None


def _payers(worst: Both, changes: Sequence[Change], teller: Teller, prompt: Prompt, how: How) -> _Payers:
    """Who loses: all requests, the first of each session, the first behind each step of a clock."""
    ordered = in_order(changes, worst.before, asked=worst.asked.how == "question")
    if not worst.lost or not ordered or worst.before is None or worst.before.pair is None:
        return _Payers("request")
    if not teller.is_by_clock(ordered[0], worst.after.second):
        return _Payers(teller.often(ordered[0], worst.after.second))
    again = Asked(worst.asked.first, worst.asked.first, "clock")
    for step, most in CLOCKS:
        found = followed(prompt, again, how.now, how.renderer, after=step)
        if found.pair is None or lost_tokens(worst.before.pair, found.pair):
            return _Payers("request", most)
    return _Payers("day")


def _each_request(worst: Both, changes: Sequence[Change], often: Often, teller: Teller) -> Iterator[CheckCause]:
    short = too_short(worst)
    if not worst.lost and not doubt(worst) and worst.after.diff.verdict != "refused":
        return
    first: CheckCause | None = None
    if worst.before is not None and drops_markers(worst.after, worst.before):
        first = teller.dropped_marker(worst.lost or 0)
    elif short is not None:
        first = teller.too_short(short.message, short.certainty, worst.lost)
    elif not changes and worst.lost:
        first = teller.marker_ahead(worst.lost)
    if first is not None:
        yield first
    leading = first
    for change in in_order(changes, worst.before, asked=worst.asked.how == "question"):
        if first is None or change.cause not in ("marker-missing", "below-minimum"):
            made = teller.cause(change, worst.after.second, often, worst.lost if leading is None else None, leading)
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


def _at_once(once: Once | None, teller: Teller) -> Iterator[CheckCause]:
    """What the first request behind the deploy finds changed."""
    if once is None or not once.lost or once.found is None:
        return
    found, first, second = once.found, once.found.first.printed, once.found.second.printed
    if first is not None and second is not None and first.marks != second.marks:
        if first.text == second.text:
            yield teller.marker_moved(once.lost)
            return
        options = found.options._replace(provider=None, block_size=None)  # blocks were cut otherwise, not edited
        found = compared(unmarked(found.first), unmarked(found.second), options, {})
    for change in costly(found):
        yield teller.cause(change, found.second, "once", once.lost)


def _files(prompt: Prompt, before: Prompt | None, how: How) -> tuple[str, ...]:
    """All files that may have brought a change: those of both states, and the configuration."""
    source = prompt.source
    path = (source.config.path or "").rpartition("/")[2]
    own = f"{source.folder}/{path}" if source.folder else path
    gone = () if before is None else tuple(file for file in before.files if file in how.sides.gone)
    return (*prompt.files, *gone, own)


def allowed_by(source: Source, verdict: Judgement, today: date) -> tuple[Allowed | None, tuple[str, ...]]:
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
