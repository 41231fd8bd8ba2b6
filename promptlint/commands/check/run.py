"""The whole check: two states of a project, every prompt judged, new findings in changed lines."""

import os
from collections.abc import Callable, Sequence
from datetime import date, datetime
from typing import NamedTuple

from promptlint.check_facts import CheckedPrompt, CheckFacts
from promptlint.commands.check.changed import Lines
from promptlint.commands.check.findings import findings_of
from promptlint.commands.check.found import candidates, configurations, unmatched
from promptlint.commands.check.links import linked
from promptlint.commands.check.new_findings import new_findings
from promptlint.commands.check.prompt import How, judge
from promptlint.commands.check.sent import Counting
from promptlint.commands.check.sides import State, against_index, against_revision, of_folders
from promptlint.commands.check.trees import Sides
from promptlint.commands.own_facts import own_facts
from promptlint.config import relative
from promptlint.errors import PromptlintError
from promptlint.finding import Finding, Report, Verdict
from promptlint.read.names import shown

Progress = Callable[[int, int], None]

STEADY = datetime(2026, 1, 10, 10, 20, 30)
"""The clock that templates see, unless the user says otherwise: two runs say the same."""


class CheckOptions(NamedTuple):
    """What the command line says. One of `base` (or `staged`), `folders`, `lock` says against what."""

    base: str | None = None  # a revision: the merge base of it and HEAD counts
    staged: bool = False  # what is staged, not the working tree
    folders: tuple[str, str] | None = None
    lock: str | None = None
    allow_exec: bool = False
    strict: bool = False
    now: datetime | None = None
    facts: str | None = None


def check(options: CheckOptions, progress: Progress | None = None) -> Report:
    """Judge every prompt of a project. `progress` is told how many of how many prompts are done.

    Raises PromptlintError for states that cannot be had, and for a configuration that is not in order; a prompt that
    cannot be rendered is an entry of `errors` of the report's body.
    """
    if options.lock is not None:
        from promptlint.commands.check.locked import check_lock

        return check_lock(options, progress)
    with State() as state, Counting() as renderer:
        sides = _sides(options, state)
        return _report(sides, options, renderer, progress)


def _sides(options: CheckOptions, state: State) -> Sides:
    if options.folders is not None:
        return of_folders(*options.folders)
    if options.staged:
        return against_index(options.base, state)
    if options.base is None:
        raise PromptlintError(
            "against what?", "give --base REF, --staged, --lock FILE, or two folders: promptlint check OLD NEW"
        )
    return against_revision(options.base, state)


def _report(sides: Sides, options: CheckOptions, renderer: Counting, progress: Progress | None) -> Report:
    start = start_of(sides) if options.folders is None else ""
    how = How(
        sides,
        Lines(sides),
        renderer,
        options.now or STEADY,
        own_facts(os.curdir, options.facts),
        options.allow_exec,
        date.today(),
        from_top(sides.after.folder if options.folders is not None else top_of(sides)),
        {},
    )
    found = candidates(sides, start)
    judged = []
    for done, candidate in enumerate(found):
        if progress is not None:
            progress(done, len(found))
        judged.append(judge(candidate, how))
    if progress is not None:
        progress(len(found), len(found))
    templates = {one.after.path for one in found if one.after is not None and one.after.entry.kind == "template"}
    fresh = new_findings(sides, how.lines, how.top, options.facts, templates)
    prompts = linked([one.prompt for one in judged])
    new = _apart(fresh.findings, prompts)
    facts = CheckFacts(
        sides.before.name,
        sides.after.name,
        prompts,
        strict=options.strict,
        changed_files=len(sides.touched) + len(sides.gone),
        renderings=renderer.count,
        errors=(*_missing(sides, start), *(one.error for one in judged if one.error)),
    )
    notes = (*sides.notes, *_unmatched(sides, start, found=bool(found)))
    return Report(
        "check",
        verdict_of(prompts, fails=any(map(fresh.fails, new))),
        (*findings_of(prompts), *new),
        notes=tuple(dict.fromkeys(notes)),
        check=facts,
    )


def verdict_of(prompts: Sequence[CheckedPrompt], *, fails: bool) -> Verdict:
    """A no of one is a no of all."""
    verdicts = {prompt.verdict for prompt in prompts}
    if fails or "fail" in verdicts:
        return "fail"
    return "unknown" if "unknown" in verdicts else "pass"


def _apart(fresh: Sequence[Finding], prompts: Sequence[CheckedPrompt]) -> list[Finding]:
    """New findings, but for those in lines of which a prompt has shown what they really cost: that is judged."""
    shown = [cause.hunk for prompt in prompts for cause in prompt.causes if cause.often != "once" and cause.hunk]

    def is_judged(one: Finding) -> bool:
        line = one.location.line
        return any(
            hunk.path == one.location.path and hunk.new_start <= line < hunk.new_start + hunk.new_lines
            for hunk in shown
        )

    return [one for one in fresh if not is_judged(one)]


def _unmatched(sides: Sides, start: str, *, found: bool) -> list[str]:
    """Entries that name nothing, and that there are none."""
    notes = []
    known = configurations(sides.after, start)
    for config, folder in known:
        notes += [
            f"{shown(config.path or '')}: no file is named {shown(each)}"
            for each in unmatched(sides.after, config, folder, wild=True)
        ]
    if not known and not found:
        notes.append("no prompts are configured, so only changed lines were looked at: `promptlint init` proposes some")
    return notes


def _missing(sides: Sides, start: str) -> list[str]:
    """Files that an entry names and that are not there: else a prompt that moves would be checked no more."""
    return [
        f"{shown(config.path or '')}: there is no {shown(each)}; correct the entry"
        for config, folder in configurations(sides.after, start)
        for each in unmatched(sides.after, config, folder, wild=False)
    ]


def start_of(sides: Sides) -> str:
    """The current folder, from the top."""
    inside = relative(os.curdir, top_of(sides))
    return "" if inside == "." else inside


def top_of(sides: Sides) -> str:
    """The folder of the project on disk."""
    return os.path.abspath(sides.after.shown(""))


def from_top(folder: str) -> Callable[[str], str | None]:
    """A path as the current folder sees it -> as the top does; None for one that lies outside."""

    def inside(path: str) -> str | None:
        found = relative(path, folder)
        return None if found.startswith("../") or os.path.isabs(found) else found

    return inside
