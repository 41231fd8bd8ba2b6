"""`promptlint lock write`, and a check against what it has written: no history is needed, and no text is kept."""

import os
from collections.abc import Callable, Iterator, Sequence
from datetime import date, datetime
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from promptlint.check_facts import CheckCause, CheckedPrompt, CheckFacts
from promptlint.commands.check.causes import Teller, costly
from promptlint.commands.check.changed import Lines
from promptlint.commands.check.findings import findings_of
from promptlint.commands.check.found import Source, configurations, sources
from promptlint.commands.check.links import linked
from promptlint.commands.check.measure import Asked, Compared, followed, pairs_of, price
from promptlint.commands.check.parts import text_of
from promptlint.commands.check.prompt import allowed_by, bare, lifetime_of
from promptlint.commands.check.segments import cuts, key_of, locked
from promptlint.commands.check.sent import Counting, Memos, Prompt, Setting, prompt_of
from promptlint.commands.check.sides import working_tree
from promptlint.commands.check.templated import says_breakpoints
from promptlint.commands.check.trees import Sides, Tree
from promptlint.commands.loss import as_text
from promptlint.commands.own_facts import own_facts
from promptlint.errors import PromptlintError
from promptlint.facts.causes import cause
from promptlint.facts.models import model_of
from promptlint.facts.own import Overrides
from promptlint.finding import Report, Verdict
from promptlint.gate.lock import (
    NAME,
    LockedPrompt,
    LockedRendering,
    Shared,
    ordered,
    read_lock,
    renewable,
    shared,
    write_lock,
)
from promptlint.gate.verdict import Figures, Pair, band_of, judged, lost_tokens, times_a_day
from promptlint.read.names import shown

if TYPE_CHECKING:
    from promptlint.commands.check.run import CheckOptions

Progress = Callable[[int, int], None]


class Written(NamedTuple):
    """What `lock write` did."""

    lines: tuple[str, ...]
    errors: tuple[str, ...]


class _Here(NamedTuple):
    """A prompt as it is now."""

    source: Source
    prompt: Prompt
    pairs: tuple[tuple[Asked, Compared], ...]
    lock: LockedPrompt


class _Project(NamedTuple):
    """All prompts as they are now."""

    tree: Tree
    renderer: Counting
    now: datetime
    own: Overrides
    allow_exec: bool
    memos: Memos

    def sources(self) -> list[Source]:
        from promptlint.commands.check.run import start_of

        sides = Sides(self.tree, self.tree, {}, frozenset(), frozenset())
        found = configurations(self.tree, start_of(sides))
        return [source for config, folder in found for source in sources(self.tree, config, folder)]

    def here(self, source: Source) -> _Here:
        """Raises PromptlintError for what cannot be rendered."""
        marked = says_breakpoints(source, self.tree)
        setting = Setting(
            self.tree, self.tree, lambda path: path, self.renderer, self.own, "comments" if marked else None, self.memos
        )
        prompt = prompt_of(source, setting)
        pairs = tuple((asked, followed(prompt, asked, self.now, self.renderer)) for asked in pairs_of(prompt))
        side = pairs[0][1].diff.b
        renderings = tuple(
            locked(variant, sent, found)
            for number, (asked, found) in enumerate(pairs)
            for variant, sent in zip(variants(prompt, asked, number), (found.first, found.second), strict=True)
        )
        exact = pairs[0][1].diff.boundary.exact
        kept = LockedPrompt(
            source.name,
            self.tree.shown(source.path),
            side.provider,
            side.model,
            side.tokenizer,
            exact,
            key_of(pairs[0][1]),
            renderings,
        )
        return _Here(source, prompt, pairs, kept)


def variants(prompt: Prompt, asked: Asked, number: int) -> tuple[str, str]:
    """Under which names the lock keeps the two requests of a pair."""
    first, second = prompt.labels[asked.first], prompt.labels[asked.second]
    return f"{number} {first}", f"{number} {second}, next {asked.how}"


def write(
    path: str | None,
    allow_exec: bool,
    now: datetime | None,
    facts: str | None,
    progress: Progress | None = None,
) -> Written:
    """Write the lock of all prompts, those that cannot be rendered apart: these keep what the lock said of them."""
    from promptlint.commands.check.run import STEADY

    target = path or NAME
    kept = _kept(target)
    done: list[LockedPrompt] = []
    errors: list[str] = []
    with Counting() as renderer:
        project = _Project(working_tree(), renderer, now or STEADY, own_facts(os.curdir, facts), allow_exec, {})
        found = project.sources()
        for number, source in enumerate(found):
            if progress is not None:
                progress(number, len(found))
            if source.entry.kind == "command" and not allow_exec:
                done += [kept[source.name]] if source.name in kept else []
                errors.append(f"{shown(source.name)} is not locked: its command runs only with --allow-exec")
                continue
            try:
                done.append(project.here(source).lock)
            except PromptlintError as error:
                done += [kept[source.name]] if source.name in kept else []
                errors.append(f"{shown(source.name)} is not locked: {error}")
    if progress is not None:
        progress(len(found), len(found))
    if not found:
        raise PromptlintError("no prompts are configured", "`promptlint init` proposes some")
    write_lock(target, done)
    return Written((f"{target}: {len(done)} {'prompt' if len(done) == 1 else 'prompts'}",), tuple(errors))


def _kept(path: str) -> dict[str, LockedPrompt]:
    """What the lock said until now; nothing where it is damaged, for it is written anew."""
    return {one.name: one for one in renewable(path)}


def check_lock(options: "CheckOptions", progress: Progress | None) -> Report:
    """The prompts as they are now against the lock."""
    from promptlint.commands.check.run import STEADY, from_top, top_of, verdict_of

    lock = options.lock or NAME
    before = {one.name: one for one in read_lock(lock)}
    prompts: list[CheckedPrompt] = []
    errors: list[str] = []
    with Counting() as renderer:
        tree = working_tree()
        project = _Project(
            tree, renderer, options.now or STEADY, own_facts(os.curdir, options.facts), options.allow_exec, {}
        )
        found = project.sources()
        sides = Sides(tree, tree, {}, frozenset(), frozenset())
        judging = _Judging(project, Lines(sides), from_top(top_of(sides)), date.today())
        for number, source in enumerate(found):
            if progress is not None:
                progress(number, len(found))
            if source.entry.kind == "command" and not options.allow_exec:
                note = "its command runs only with --allow-exec"
                plain = bare(source, tree.shown(source.path), "unrendered")
                prompts.append(plain._replace(verdict="unknown", notes=(note,)))
                continue
            try:
                prompts.append(judging.judged(source, before.get(source.name)))
            except PromptlintError as error:
                plain = bare(source, tree.shown(source.path), "unrendered")
                prompts.append(plain._replace(verdict="unknown", certainty="unknown", notes=(str(error),)))
                errors.append(f"{shown(source.name)}: {error}")
        count = renderer.count
    if progress is not None:
        progress(len(found), len(found))
    known = {source.name for source in found}
    prompts += [_gone(one) for name, one in before.items() if name not in known]
    told = linked(prompts)
    facts = CheckFacts(lock, tree.name, told, True, options.strict, 0, count, tuple(errors))
    notes = ("against a lock, places are no more exact than a segment, and promptlint lint is not asked",)
    verdict: Verdict = verdict_of(told, fails=False)
    return Report("check", verdict, findings_of(told), notes=notes, check=facts)


def _gone(one: LockedPrompt) -> CheckedPrompt:
    from promptlint.config.prompts import PromptEntry

    entry = PromptEntry("request", (), provider=one.provider, model=one.model)
    from promptlint.config import Config

    return bare(Source(one.name, entry, Config(), "", (one.path,)), one.path, "deleted")


class _Judging(NamedTuple):
    """How prompts are held against the lock."""

    project: _Project
    lines: Lines
    top: Callable[[str], str | None]
    today: date

    def judged(self, source: Source, old: LockedPrompt | None) -> CheckedPrompt:
        """One prompt against what was kept of it; None: nothing was."""
        here = self.project.here(source)
        shown_path = self.project.tree.shown(source.path)
        if old is not None and old == ordered(here.lock):
            return bare(source, shown_path, "unchanged")
        held = [_Held(asked, found, *_both(here, old, number)) for number, (asked, found) in enumerate(here.pairs)]
        worst = max(held, key=lambda one: one.lost or 0)
        once = max((_once(one, old, here) for one in held), key=lambda one: one.lost if one else 0, default=None)
        teller = Teller(here.prompt, here.prompt.files, self.lines, self.top, partial(text_of, self.project.tree))
        figures, price_note, usd_once = self._figures(worst, once, old, here)
        verdict = judged(figures, source.entry.budget.over(source.config.budget))
        allowed, said = allowed_by(source, verdict, self.today)
        causes = (*_each(worst, teller), *_first(once, worst, teller, here, old))
        return bare(source, shown_path, "new" if old is None else "changed")._replace(
            old_path=old.path if old is not None and old.path != shown_path else None,
            verdict="pass" if allowed else verdict.verdict,
            certainty=verdict.certainty,
            provider=here.lock.provider,
            model=here.lock.model,
            exact=here.lock.exact,
            prompt_tokens_before=worst.old[1].prompt_tokens if worst.old else None,
            prompt_tokens_after=worst.new[1].prompt_tokens,
            usable_tokens_before=figures.usable_before,
            usable_tokens_after=figures.usable_after,
            lost_tokens_per_request=figures.lost_per_request,
            lost_tokens_once=figures.lost_once,
            lost_usd_per_day=as_text(figures.usd_per_day),
            lost_usd_once=usd_once,
            price=price_note,
            causes=causes,
            reasons=verdict.reasons,
            allowed=allowed,
            notes=said,
        )

    def _figures(
        self, worst: "_Held", once: Shared | None, old: LockedPrompt | None, here: _Here
    ) -> tuple[Figures, str, str | None]:
        usd, note, usd_once = None, "", None
        traffic = here.source.entry.traffic
        if worst.lost:
            each = price(worst.lost, worst.found, worst.found.options)
            times, _ = times_a_day("request", traffic, lifetime_of(worst.found))
            usd, note = None if each.usd is None or times is None else each.usd * times, each.note
        if once is not None and once.lost:
            cold = price(once.lost, worst.found, worst.found.options)
            usd_once, note = as_text(cold.usd), note or cold.note
        model = model_of(here.lock.model or "", here.lock.provider, self.project.own)
        figures = Figures(
            usable_before=worst.old[1].usable_tokens if worst.old else None,
            usable_after=worst.new[1].usable_tokens,
            prompt_after=worst.new[1].prompt_tokens,
            lost_per_request=worst.lost,
            lost_once=once.lost if once is not None else None if old is None else 0,
            usd_per_day=usd,
            band=band_of(model.count_factor if model is not None else None, exact=here.lock.exact),
        )
        return figures, note, usd_once


class _Held(NamedTuple):
    """Two requests as they are now, and as the lock keeps them."""

    asked: Asked
    found: Compared
    old: tuple[LockedRendering, LockedRendering] | None
    new: tuple[LockedRendering, LockedRendering]

    @property
    def lost(self) -> int | None:
        """Tokens that every request loses; None if the lock does not have both."""
        if self.old is None:
            return None
        unit = self.found.pair.unit_tokens if self.found.pair is not None else 1
        return lost_tokens(_pair(self.old[1], unit), _pair(self.new[1], unit))


def _pair(second: LockedRendering, unit: int) -> Pair:
    """What the second of two kept renderings shares with the first."""
    return Pair(second.prompt_tokens, second.usable_tokens, second.varying_tokens, second.stretches, unit)


def _both(
    here: _Here, old: LockedPrompt | None, number: int
) -> tuple[tuple[LockedRendering, LockedRendering] | None, tuple[LockedRendering, LockedRendering]]:
    """The two renderings of a pair, as kept and as they are."""
    now = {one.variant: one for one in here.lock.renderings}
    names = variants(here.prompt, here.pairs[number][0], number)
    new = now[names[0]], now[names[1]]
    if old is None:
        return None, new
    kept = {one.variant.partition(" ")[0] + ("b" if ", next " in one.variant else "a"): one for one in old.renderings}
    first, second = kept.get(f"{number}a"), kept.get(f"{number}b")
    return (None if first is None or second is None else (first, second)), new


def _once(held: _Held, old: LockedPrompt | None, here: _Here) -> Shared | None:
    """What the deploy takes of what requests shared before."""
    if held.old is None or old is None:
        return None
    found = shared(held.old[0], held.new[0], same_key=old.key == here.lock.key)
    lost = max(min(held.old[1].usable_tokens, found.usable + found.lost) - found.usable, 0)
    return found._replace(lost=lost)


def _each(worst: _Held, teller: Teller) -> Iterator[CheckCause]:
    if worst.lost:
        for number, change in enumerate(costly(worst.found)):
            yield teller.cause(change, worst.found.second, "request", worst.lost if number == 0 else None)


def _first(
    once: Shared | None, worst: _Held, teller: Teller, here: _Here, old: LockedPrompt | None
) -> Sequence[CheckCause]:
    """The segment that the deploy finds changed: what is in it was not kept, so nothing says how."""
    if once is None or not once.lost or old is None:
        return ()
    sent = worst.found.first
    at, column, found = 1, 1, ""
    if sent.prompt is not None and once.segments < len(cuts(sent.prompt)):
        at, column, found = teller.place_of(cuts(sent.prompt)[once.segments], sent)
    row = cause("model-changed" if old.model != here.lock.model else "unseen-change")
    what = f"the segment {once.first_changed} is another one" if once.first_changed else "a setting is another one"
    path = teller.lines.shown(here.prompt.template or here.source.path)
    return (CheckCause(row.label, what, "once", "certain", path, at, column, found, once.lost, row.fix, None),)
