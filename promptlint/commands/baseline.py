"""`promptlint baseline write|prune|check`: the list of findings that are known."""

import os
from collections.abc import Callable, Iterator, Sequence
from typing import Literal, NamedTuple

from promptlint.commands.lint import lint
from promptlint.commands.lint_answers import baseline_of
from promptlint.commands.lint_settings import LintOptions, Settings
from promptlint.config import beside
from promptlint.errors import PromptlintError
from promptlint.finding import Finding, Report
from promptlint.lint import baseline as known
from promptlint.lint.suppressions import FAULTS
from promptlint.read.names import shown

Action = Literal["write", "prune", "check"]

_DEFAULT = LintOptions()


class Outcome(NamedTuple):
    """What to print, and the exit code."""

    text: str
    code: int  # 1: check has found something new, or something gone; 2: an input could not be read
    errors: tuple[str, ...]


class _Listed(NamedTuple):
    """One baseline, and what was found in the files that it is about."""

    path: str
    before: tuple[known.Known, ...]
    findings: tuple[Finding, ...]
    current: tuple[known.Known, ...]  # the same as a baseline keeps them
    looked_at: frozenset[str]  # files, as a baseline keeps them
    ran: frozenset[str]  # rules
    configured: bool  # a configuration or the command line names it


def baseline(
    action: Action,
    paths: Sequence[str],
    options: LintOptions = _DEFAULT,
    progress: Callable[[int, int], None] | None = None,
) -> Outcome:
    """Compare what is found in files and folders with the baselines of their configurations; `write` and `prune` renew
    them.

    Raises PromptlintError for a configuration or a baseline that is not in order, and where there is no baseline to
    prune or to check.
    """
    report = lint(paths, options._replace(no_baseline=False), progress)
    assert report.lint is not None
    lists = list(_lists(action, report, paths, Settings(options)))
    if not lists:
        raise PromptlintError("no configuration names a baseline", "promptlint baseline write makes one")
    told = {"write": _written, "prune": _pruned, "check": _checked}[action]
    lines = [line for one in lists for line in told(one)]
    failed = action == "check" and any(_is_off(one) for one in lists)
    return Outcome("".join(f"{line}\n" for line in lines), 2 if report.lint.errors else int(failed), report.lint.errors)


def _lists(action: Action, report: Report, paths: Sequence[str], settings: Settings) -> Iterator[_Listed]:
    """The baselines of the files that were looked at, and of the arguments: all of their files may be gone."""
    assert report.lint is not None
    groups: dict[str, list[str]] = {}
    configured = set()
    files = {file.path for file in report.lint.files}
    for path in (*sorted(files), *paths):
        config = settings.config_of(path)
        where = baseline_of(config, settings.options.baseline)
        if where is not None:
            configured.add(where)
        elif action == "write" or os.path.isfile(beside(config, known.NAME)):
            where = beside(config, known.NAME).replace(os.sep, "/")
        if where is not None:
            groups.setdefault(where, []).append(path)
    by_baseline = [one.finding for one in report.lint.suppressed if one.how == "baseline"]
    for where, members in sorted(groups.items()):
        before = known.read_baseline(where)
        folders = {settings.config_of(path).path for path in members}
        findings = tuple(
            one for one in (*report.findings, *by_baseline) if settings.config_of(one.location.path).path in folders
        )
        current = tuple(
            known.Known(known.relative(one.location.path, where), one.rule, one.fingerprint) for one in findings
        )
        looked_at = _looked_at(where, before, [*files.intersection(members), *filter(None, folders)], report, paths)
        ran = _ran(before, members, settings)
        yield _Listed(where, before, findings, current, looked_at, ran, where in configured)


def _looked_at(
    where: str, before: Sequence[known.Known], files: Sequence[str], report: Report, paths: Sequence[str]
) -> frozenset[str]:
    """The `files` that were looked at, those that are gone, and those that a walk does not offer any more."""
    assert report.lint is not None
    walked = [os.path.join(os.path.abspath(path), "") for path in paths if os.path.isdir(path)]
    unread = {os.path.abspath(path) for path, _ in report.lint.skipped}
    found = {known.relative(path, where) for path in files}
    for name in {entry.path for entry in before} - found:
        path = os.path.abspath(os.path.join(os.path.dirname(where), name))
        if not os.path.lexists(path) or (path not in unread and path.startswith(tuple(walked))):
            found.add(name)
    return frozenset(found)


def _ran(before: Sequence[known.Known], members: Sequence[str], settings: Settings) -> frozenset[str]:
    """The rules that were looked for, and those of the baseline that there are no more."""
    there = {*FAULTS, *(rule.id for path in members for rule in settings.known(settings.config_of(path)))}
    wanted = {rule for path in members for rule in settings.chosen(path)}
    return frozenset(wanted | ({entry.rule for entry in before} - there))


def _written(one: _Listed) -> Iterator[str]:
    entries = known.renewed(one.before, one.current, one.looked_at, one.ran)
    if not entries and not os.path.lexists(one.path):
        yield f"{shown(one.path)} is not needed: nothing was found"
        return
    known.write_baseline(one.path, entries)
    added, gone = len({*entries} - {*one.before}), len({*one.before} - {*entries})
    yield f"{shown(one.path)}: {_findings(len(entries))} known; {added} added, {gone} taken out"
    if not one.configured:
        yield f"To use it, put `baseline: {known.NAME}` into the promptlint.yaml beside it."


def _pruned(one: _Listed) -> Iterator[str]:
    entries = known.pruned(one.before, one.current, one.looked_at, one.ran)
    gone = len(one.before) - len(entries)
    if gone:
        known.write_baseline(one.path, entries)
    yield f"{shown(one.path)}: {_findings(len(entries))} known; {gone} taken out"


def _checked(one: _Listed) -> Iterator[str]:
    outcome = _compared(one)
    new = [finding for finding, is_known in zip(one.findings, outcome.known, strict=True) if not is_known]
    yield f"{shown(one.path)}: {_findings(len(one.before))} known; {len(new)} new, {len(outcome.stale)} gone"
    for finding in new:
        where = finding.location
        yield f"  new: {shown(where.path)}:{where.line}:{where.column} {finding.rule}"
    for entry in outcome.stale:
        yield f"  gone: {shown(entry.path)} {shown(entry.rule)}"


def _is_off(one: _Listed) -> bool:
    outcome = _compared(one)
    return bool(outcome.stale) or not all(outcome.known)


def _compared(one: _Listed) -> known.Compared:
    return known.compared(one.before, one.current, one.looked_at, one.ran)


def _findings(count: int) -> str:
    return "1 finding" if count == 1 else f"{count:,} findings"
