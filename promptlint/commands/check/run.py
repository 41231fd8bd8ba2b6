"""The whole check: two states of a project, every prompt judged, new findings in changed lines."""

import os
from collections.abc import Callable, Sequence
from datetime import date, datetime
from fnmatch import fnmatchcase
from typing import NamedTuple

from promptlint.check_facts import CheckedPrompt, CheckFacts
from promptlint.commands.check.changed import Lines
from promptlint.commands.check.findings import findings_of
from promptlint.commands.check.found import Candidate, candidates, configurations, unmatched
from promptlint.commands.check.judging import How
from promptlint.commands.check.links import linked
from promptlint.commands.check.new_findings import new_findings
from promptlint.commands.check.prompt import judge
from promptlint.commands.check.sent import Counting
from promptlint.commands.check.sides import State, against_index, against_revision, of_folders
from promptlint.commands.check.trees import Sides
from promptlint.commands.own_facts import own_facts
from promptlint.config import Config, leads_out, relative
from promptlint.errors import PromptlintError
from promptlint.finding import Finding, Report, Verdict
from promptlint.read.names import shown

Progress = Callable[[int, int], None]
Configured = Sequence[tuple[Config, str]]

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
    today: date | None = None  # on which losses are allowed; None: the day of the call


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
        options.today or date.today(),
        from_top(sides.after.folder if options.folders is not None else top_of(sides)),
        {},
    )
    configured = configurations(sides.after, start)
    found = candidates(sides, configured)
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
    errors = (*_missing(sides, configured), *(one.error for one in judged if one.error))
    facts = CheckFacts(
        sides.before.name,
        sides.after.name,
        prompts,
        strict=options.strict,
        changed_files=len(sides.touched) + len(sides.gone),
        renderings=renderer.count,
        lint_findings=len(new),
        errors=errors,
    )
    notes = (
        *sides.notes,
        *_unmatched(sides, configured, found=bool(found)),
        *_renamed(prompts),
        *_allowed_nobody(found, configured),
    )
    return Report(
        "check",
        verdict_of(prompts, fails=any(map(fresh.fails, new)), errors=bool(errors)),
        (*findings_of(prompts), *new),
        notes=tuple(dict.fromkeys(notes)),
        check=facts,
    )


def verdict_of(prompts: Sequence[CheckedPrompt], *, fails: bool, errors: bool) -> Verdict:
    """A no of one is a no of all. `errors`: something could not be read."""
    verdicts = {prompt.verdict for prompt in prompts}
    if fails or "fail" in verdicts:
        return "fail"
    return "unknown" if errors or "unknown" in verdicts else "pass"


def _apart(fresh: Sequence[Finding], prompts: Sequence[CheckedPrompt]) -> list[Finding]:
    """New findings, but for those in a line of which a prompt has shown what it really costs: that is judged."""
    shown = {(cause.path, cause.line) for prompt in prompts for cause in prompt.causes if cause.often != "once"}
    return [one for one in fresh if (one.location.path, one.location.line) not in shown]


def _allowed_nobody(found: Sequence[Candidate], configured: Configured) -> list[str]:
    """Declared losses of prompts that there are not."""
    names = [one.source.name for one in found]
    return [
        f"{shown(config.path or '')}: allow: no prompt is called {shown(each.prompt)}"
        for config, _ in configured
        for each in config.allow
        if not any(fnmatchcase(name, each.prompt) for name in names)
    ]


def _renamed(prompts: Sequence[CheckedPrompt]) -> list[str]:
    """A file that was renamed and rewritten at once is another file to git."""
    new, gone = ([one.path for one in prompts if one.change == change] for change in ("new", "deleted"))
    if not new or not gone:
        return []
    return [f"{shown(gone[0])} is gone and {shown(new[0])} is new: if it was renamed, rename it in a change of its own"]


def _unmatched(sides: Sides, configured: Configured, *, found: bool) -> list[str]:
    """Entries that name nothing, and that there are none."""
    notes = []
    for config, folder in configured:
        notes += [
            f"{shown(config.path or '')}: no file is named {shown(each)}"
            for each in unmatched(sides.after, config, folder, wild=True)
        ]
    if not configured and not found:
        notes.append("no prompts are configured, so only changed lines were looked at: `promptlint init` proposes some")
    return notes


def _missing(sides: Sides, configured: Configured) -> list[str]:
    """Files that an entry names and that are not there: else a prompt that moves would be checked no more."""
    return [
        f"{shown(config.path or '')}: there is no {shown(each)} (links, and what git ignores, do not count); "
        "correct the entry"
        for config, folder in configured
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
        return None if leads_out(found) else found

    return inside
