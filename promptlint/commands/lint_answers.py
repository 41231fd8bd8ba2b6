"""Findings that a project has answered: in its configuration, or in its baseline."""

import os
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from promptlint.commands.lint_files import Linted
from promptlint.config import Config, beside
from promptlint.config.places import pardon_line
from promptlint.finding import Finding, Severity
from promptlint.lint import baseline
from promptlint.lint.pardons import pardoned, unused
from promptlint.lint_facts import Suppressed
from promptlint.prompt import Location, SourceByte
from promptlint.read.names import shown

_WEIGHTS: tuple[Severity, ...] = ("info", "warning", "error")


class Project(NamedTuple):
    """The files for which one configuration is the nearest."""

    config: Config
    files: tuple[Linted, ...]
    ran: frozenset[str]  # rules that have looked at any of them
    baseline: str | None  # path


class Answered(NamedTuple):
    """The findings of a project, each with its fingerprint."""

    findings: tuple[Finding, ...]  # nobody has answered
    suppressed: tuple[Suppressed, ...]
    notes: tuple[str, ...] = ()


def answered(project: Project, *, about_pardons: bool) -> Answered:
    """What is left of a project's findings. `about_pardons`: unused ones of the configuration are findings, too."""
    config = project.config
    found = _once(finding for file in project.files for finding in file.findings)
    answers = pardoned([(one.rule, one.location.path, one.pointer) for one in found], config)
    pardons = [
        (finding, config.suppress[answer].reason)
        for finding, answer in zip(found, answers, strict=True)
        if answer is not None
    ]
    left = [finding for finding, answer in zip(found, answers, strict=True) if answer is None]
    if about_pardons:
        paths = [file.path for file in project.files]
        left += [_unused(number, message, config) for number, message in unused(answers, config, paths, project.ran)]
    left = _fingerprinted(left, project)
    known, notes = _known(left, project)
    pardoned_ones = _fingerprinted([finding for finding, _ in pardons], project)
    suppressed = (
        *(one for file in project.files for one in file.suppressed),
        *(Suppressed(one, "configuration", reason) for one, (_, reason) in zip(pardoned_ones, pardons, strict=True)),
        *(Suppressed(one, "baseline", "") for one, is_known in zip(left, known, strict=True) if is_known),
    )
    return Answered(tuple(one for one, is_known in zip(left, known, strict=True) if not is_known), suppressed, notes)


def _once(findings: Iterable[Finding]) -> list[Finding]:
    """What several files say of one that each of them brings in is told once: the worst, or what loses the most."""
    dearest: dict[object, Finding] = {}
    for one in findings:
        key = one.rule, one.location, one.pointer
        known = dearest.get(key)
        if known is None or _weight(known) < _weight(one):
            dearest[key] = one
    return list(dearest.values())


def _weight(finding: Finding) -> tuple[int, int]:
    return _WEIGHTS.index(finding.severity), finding.lost_tokens or 0


def _fingerprinted(findings: Sequence[Finding], project: Project) -> list[Finding]:
    """The findings, each with what identifies it wherever its line moves; equal ones are counted through."""
    near = project.baseline or os.path.join(project.config.folder, baseline.NAME)
    entries = baseline.entries_of([_spotted(finding, near) for finding in findings])
    return [one._replace(fingerprint=entry.fingerprint) for one, entry in zip(findings, entries, strict=True)]


def _spotted(finding: Finding, near: str) -> baseline.Spotted:
    where = finding.location
    text = finding.fingerprint or finding.excerpt or ""  # of what is no text: its content
    return baseline.Spotted(finding.rule, baseline.relative(where.path, near), text, where.line)


def _known(findings: Sequence[Finding], project: Project) -> tuple[Sequence[bool], tuple[str, ...]]:
    """Which findings the baseline knows, and a note about entries whose finding is gone."""
    path = project.baseline
    if path is None:
        return [False] * len(findings), ()
    if not os.path.lexists(path):
        return [False] * len(findings), (f"{shown(path)} is not there yet: promptlint baseline write makes it",)
    entries = baseline.read_baseline(path)
    current = [baseline.Known(baseline.relative(f.location.path, path), f.rule, f.fingerprint) for f in findings]
    looked_at = {baseline.relative(file.path, path) for file in project.files}
    outcome = baseline.compared(entries, current, looked_at, project.ran)
    stale = len(outcome.stale)
    found = "1 known finding is" if stale == 1 else f"{stale} known findings are"
    note = f"{shown(path)}: {found} gone: promptlint baseline prune takes out what is gone"
    return outcome.known, (note,) if stale else ()


def baseline_of(config: Config, given: str | None) -> str | None:
    """The path of the baseline that holds for the files of a configuration."""
    if given is not None:
        return given
    return None if config.baseline is None else beside(config, config.baseline).replace(os.sep, "/")


def _unused(number: int, message: str, config: Config) -> Finding:
    nowhere = SourceByte(0)
    line = pardon_line(config, number)
    return Finding(
        rule="unused-suppression",
        severity="warning",
        confidence="certain",
        message=message,
        location=Location(config.path or "", nowhere, nowhere, line, 1),
        pointer="",
        related=(),
        lost_tokens=None,
        lost_usd=None,
        fix="Remove the entry of `suppress`.",
    )
