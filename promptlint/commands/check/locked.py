"""`promptlint lock write`, and a check against what it has written: no history is needed, and no text is kept."""

import os
from collections.abc import Callable, Iterator
from datetime import date
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from promptlint.check_facts import CheckCause, CheckFacts
from promptlint.commands.check.both import Before, Both, Once, weighed
from promptlint.commands.check.causes import Teller
from promptlint.commands.check.changed import Lines
from promptlint.commands.check.findings import findings_of
from promptlint.commands.check.found import Source, configurations, named_apart, sources
from promptlint.commands.check.judging import How, Told, finished
from promptlint.commands.check.links import linked
from promptlint.commands.check.lost import kept_segments, locked_segments, lost_segments
from promptlint.commands.check.measure import Asked, Compared, followed, pairs_of
from promptlint.commands.check.parts import text_of
from promptlint.commands.check.prompt import Judged, bare, failed, nothing_counted, unrendered
from promptlint.commands.check.segments import cuts, key_of, locked
from promptlint.commands.check.sent import Counting, Prompt, Setting, as_it_is, prompt_of
from promptlint.commands.check.sides import working_tree
from promptlint.commands.check.templated import says_breakpoints
from promptlint.commands.check.trees import Sides, Tree
from promptlint.commands.own_facts import own_facts
from promptlint.errors import PromptlintError
from promptlint.facts.causes import cause
from promptlint.finding import Report
from promptlint.gate.lock import NAME, LockedPrompt, ordered, read_lock, renewable, shared, write_lock
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

    prompt: Prompt
    pairs: tuple[tuple[Asked, Compared], ...]
    lock: LockedPrompt


def _how(options: "CheckOptions", tree: Tree, renderer: Counting) -> How:
    """What holds for all prompts of a project of which there is one state."""
    from promptlint.commands.check.run import STEADY, from_top, top_of

    sides = Sides(tree, tree, {}, frozenset(), frozenset())
    return How(
        sides,
        Lines(sides),
        renderer,
        options.now or STEADY,
        own_facts(os.curdir, options.facts),
        options.allow_exec,
        options.today or date.today(),
        from_top(top_of(sides)),
        {},
    )


def _sources(how: How) -> list[Source]:
    from promptlint.commands.check.run import start_of

    tree = how.sides.after
    found = configurations(tree, start_of(how.sides))
    return named_apart([source for config, folder in found for source in sources(tree, config, folder)])


def _here(source: Source, how: How, old: LockedPrompt | None = None) -> _Here:
    """Raises PromptlintError for what cannot be rendered. `old`: what the lock says of it."""
    tree = how.sides.after
    marked = says_breakpoints(source, tree) or (old is not None and _had_breakpoints(old))
    setting = Setting(tree, tree, as_it_is, as_it_is, how.renderer, how.own, "comments" if marked else None, how.memos)
    prompt = prompt_of(source, setting)
    pairs = tuple((asked, followed(prompt, asked, how.now, how.renderer)) for asked in pairs_of(prompt))
    first = pairs[0][1]
    renderings = {  # a single request is the first of two pairs
        variant: locked(variant, sent, found)
        for asked, found in pairs
        for variant, sent in zip(_variants(asked), (found.first, found.second), strict=True)
    }
    side = first.diff.b
    kept = LockedPrompt(
        source.name,
        tree.shown(source.path),
        side.provider,
        side.model,
        side.tokenizer,
        first.diff.boundary.exact,
        key_of(first),
        tuple(renderings.values()),
    )
    return _Here(prompt, pairs, kept)


def _had_breakpoints(old: LockedPrompt) -> bool:
    """Whether a cached part ended elsewhere than at the end."""
    return any(number < len(one.segments) - 1 for one in old.renderings for number in one.boundaries or ())


def _variants(asked: Asked) -> tuple[str, str]:
    """Under which names the lock keeps the two requests of a pair."""
    return asked.first, f"{asked.second}, {_AFTER[asked.how]} {asked.first}"


_AFTER = {
    "variables": "after",
    "record": "after",
    "clock": "later than",
    "question": "with another question than",
    "turn": "a turn behind",
}


def write(options: "CheckOptions", path: str, progress: Progress | None = None) -> Written:
    """Write the lock of all prompts; those that cannot be rendered keep what the lock said of them."""
    kept = _kept(path)
    done: list[LockedPrompt] = []
    errors: list[str] = []
    with Counting() as renderer:
        how = _how(options, working_tree(), renderer)
        found = _sources(how)
        for number, source in enumerate(found):
            if progress is not None:
                progress(number, len(found))
            try:
                _refuse_command(source, how)
                done.append(_here(source, how).lock)
            except PromptlintError as error:
                done += [kept[source.name]] if source.name in kept else []
                errors.append(f"{shown(source.name)} is not locked: {error}")
    if progress is not None:
        progress(len(found), len(found))
    if not found:
        raise PromptlintError("no prompts are configured", "`promptlint init` proposes some")
    write_lock(path, done)
    return Written((f"{path}: {len(done)} {'prompt' if len(done) == 1 else 'prompts'}",), tuple(errors))


def _refuse_command(source: Source, how: How) -> None:
    if source.entry.kind == "command" and not how.allow_exec:
        raise PromptlintError("its command runs only with --allow-exec", "add it if you trust the configuration")


def _kept(path: str) -> dict[str, LockedPrompt]:
    """What the lock said until now; nothing where it is damaged, for it is written anew."""
    return {one.name: one for one in renewable(path)}


def check_lock(options: "CheckOptions", progress: Progress | None) -> Report:
    """The prompts as they are now against the lock."""
    from promptlint.commands.check.run import verdict_of

    lock = options.lock or NAME
    before = {one.name: one for one in read_lock(lock)}
    done: list[Judged] = []
    with Counting() as renderer:
        tree = working_tree()
        how = _how(options, tree, renderer)
        found = _sources(how)
        for number, source in enumerate(found):
            if progress is not None:
                progress(number, len(found))
            done.append(_judged(source, before.get(source.name), how))
    if progress is not None:
        progress(len(found), len(found))
    known = {source.name for source in found}
    prompts = [one.prompt for one in done]
    prompts += [
        nothing_counted(name, one.path, "deleted", one.provider, one.model)
        for name, one in before.items()
        if name not in known
    ]
    told = linked(prompts)
    errors = tuple(one.error for one in done if one.error)
    facts = CheckFacts(lock, tree.name, told, True, options.strict, 0, renderer.count, errors)
    notes = ("against a lock, places are no more exact than a segment, and promptlint lint is not asked",)
    return Report(
        "check", verdict_of(told, fails=False, errors=bool(errors)), findings_of(told), notes=notes, check=facts
    )


def _judged(source: Source, old: LockedPrompt | None, how: How) -> Judged:
    """One prompt against what was kept of it; None: nothing was."""
    path = how.sides.after.shown(source.path)
    if source.entry.kind == "command" and not how.allow_exec:
        return unrendered(bare(source, path, "unrendered"), "its command runs only with --allow-exec")
    try:
        here = _here(source, how, old)
    except PromptlintError as error:
        return failed(bare(source, path, "unrendered"), error)
    if old is not None and old == ordered(here.lock):
        return Judged(bare(source, path, "unchanged"))
    both = weighed([_both(asked, found, old, here) for asked, found in here.pairs])
    once = None if old is None else _worst_once(old, here)
    teller = Teller(here.prompt, here.prompt.files, how.lines, how.top, partial(text_of, how.sides.after))
    told = Told(source, here.prompt, both, once, teller, partial(_first_changed, here=here, old=old, teller=teller))
    plain = bare(source, path, "new" if old is None else "changed")
    if old is not None and old.path != path:
        plain = plain._replace(old_path=old.path)
    return Judged(finished(plain, told, how))


def _both(asked: Asked, found: Compared, old: LockedPrompt | None, here: _Here) -> Both:
    kept = {} if old is None else {one.variant: one for one in old.renderings}
    now = {one.variant: one for one in here.lock.renderings}
    names = _variants(asked)
    if any(name not in kept for name in names):
        return Both(None, found, asked, None)
    was, new = kept[names[1]], now[names[1]]
    before = Before(was.prompt_tokens, was.usable_tokens, False, True, bool(kept[names[0]].boundaries), None)
    lost, won = lost_segments(was, new, kept_segments(found, new)), lost_segments(new, was, locked_segments(was))
    return Both(before, found, asked, lost, won)


def _worst_once(old: LockedPrompt, here: _Here) -> Once | None:
    """What the deploy takes of what requests shared before."""
    kept = {one.variant: one for one in old.renderings}
    now = {one.variant: one for one in here.lock.renderings}
    found = []
    for asked, _ in here.pairs:
        first, second = _variants(asked)
        if first in kept and second in kept:
            parts = shared(kept[first], now[first], same_key=old.key == here.lock.key)
            lost = max(kept[second].usable_tokens - parts.usable, 0)
            found.append(Once(None, min(lost, parts.lost), parts.segments))
    return max(found, key=lambda one: one.lost or 0, default=None)


def _first_changed(once: Once, here: _Here, old: LockedPrompt | None, teller: Teller) -> Iterator[CheckCause]:
    """The segment that the deploy finds changed: what is in it was not kept, so nothing says how."""
    sent = here.pairs[0][1].first
    line, column, place, what = 1, 1, "", "a setting that is part of the key is another one"
    parts = cuts(sent.prompt) if sent.prompt is not None else []
    if once.segment is not None and once.segment < len(parts):
        line, column, place = teller.place_of(parts[once.segment], sent)
        what = f"the segment {parts[once.segment].name} is another one"
    row = cause("model-changed" if old is not None and old.model != here.lock.model else "unseen-change")
    path = teller.lines.shown(here.prompt.template or here.prompt.source.path)
    yield CheckCause(row.label, what, "once", "certain", path, line, column, place, once.lost, row.fix, None)
