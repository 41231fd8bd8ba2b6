"""`promptlint lint PATH...`: what will break the prefix of a request, a tool schema or a template."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from promptlint.commands.lint_answers import answered
from promptlint.commands.lint_files import (
    DATA,
    SOURCES,
    TEMPLATES,
    Linted,
    is_template,
    lint_file,
)
from promptlint.commands.lint_met import PROMPTS, why_left_alone
from promptlint.commands.lint_rendering import Stages
from promptlint.commands.lint_results import Results
from promptlint.commands.lint_settings import LintOptions, Settings, SettingsError
from promptlint.errors import PromptlintError
from promptlint.finding import Finding, Report, Severity
from promptlint.lint.rule import Rule, RuleFault
from promptlint.lint.suppressions import FAULTS
from promptlint.lint_facts import CheckedFile, FixFacts, LintFacts, RuleFacts, Suppressed
from promptlint.read.names import shown
from promptlint.read.walk import walk

Progress = Callable[[int, int], None]
_KeptPlace = tuple[str, str, object]
"""What stays of a finding's place while its file is put right: lines move, pointers do not."""

SUFFIXES = (*TEMPLATES, *DATA, *SOURCES, *PROMPTS)
"""Files that are looked into where a folder is named."""

_BROKEN = "no Python that can be parsed"
_NEEDS_EXTRA = "TypeScript needs an extra that is not installed"
_RANK: tuple[Severity, ...] = ("error", "warning", "info")
_THRESHOLDS = ("never", *_RANK)
_DEFAULT = LintOptions()


class _Outcome(NamedTuple):
    """What the files gave that were named or met."""

    done: list[Linted]
    skipped: list[tuple[str, str]]  # path and reason
    errors: list[str]
    notes: list[str]


def lint(paths: Sequence[str], options: LintOptions = _DEFAULT, progress: Progress | None = None) -> Report:
    """Check files and folders; `progress` is told how many of how many files are done.

    Raises PromptlintError for a configuration that is not in order and for rules that are not known; a file that was
    named and cannot be read, or is no prompt, is an entry of `errors` of the report's body.
    """
    with Stages() as stages:
        settings = Settings(options, stages if options.render else None)
        outcome = _renderings(paths, settings, progress) if options.renderings else _files(paths, settings, progress)
        fixes = _fixed(outcome, settings) if options.fix and not options.renderings else []
        return _report(outcome, settings, tuple(fixes))


def _files(paths: Sequence[str], settings: Settings, progress: Progress | None) -> _Outcome:
    options = settings.options
    walked = walk(paths, suffixes=SUFFIXES, exclusion_of=settings.exclusion_of, as_walked=options.as_walked)
    outcome = _Outcome([], [], [str(error) for error in walked.errors], list(walked.notes))
    results = Results(kept=settings.results_are_kept)
    for number, found in enumerate(walked.files):
        if progress is not None:
            progress(number, len(walked.files))
        named = found.named and not options.as_walked
        if not named and (reason := why_left_alone(found.path)) is not None:
            outcome.skipped.append((found.path, reason))
            continue
        try:
            one = _linted(found.path, settings, results)
        except (SettingsError, RuleFault) as error:
            outcome.errors.append(str(error))
            continue
        except PromptlintError as error:
            one = Linted(found.path, "", reason=str(error))
        if one.what:
            outcome.done.append(one)
        else:
            if named or (is_template(one.path) and "unknown tag" not in one.reason):
                outcome.errors.append(one.reason)
            elif is_template(one.path):  # of an extension of Jinja's
                outcome.notes.append(one.reason)
            if not named:
                outcome.skipped.append((one.path, one.reason.removeprefix(f"{shown(one.path)}: ")))
    if unread := sum(_NEEDS_EXTRA in reason for _, reason in outcome.skipped):
        files = "1 file was" if unread == 1 else f"{unread} files were"
        outcome.notes.append(f"{files} not looked at: {_NEEDS_EXTRA} (pip install 'promptlint-cache[ts]')")
    if broken := [f"{shown(path)}: {reason}" for path, reason in outcome.skipped if _BROKEN in reason]:
        more = f", and {len(broken) - 1} more" if len(broken) > 1 else ""
        outcome.notes.append(f"not looked at, for it cannot be parsed: {broken[0]}{more}")
    results.save()
    if progress is not None:
        progress(len(walked.files), len(walked.files))
    return outcome


def _linted(path: str, settings: Settings, results: Results) -> Linted:
    """What a file gives, or gave when it was last looked at and nothing has changed since."""
    state = settings.state_of(path)
    key = results.key(path, state)
    if (kept := results.get(key)) is not None:
        return kept
    one = lint_file(path, settings.how_of(path))
    if results.key(path, state) == key:  # nobody has written to it meanwhile
        results.put(key, one)
    return one


def _renderings(folders: Sequence[str], settings: Settings, progress: Progress | None) -> _Outcome:
    from promptlint.commands.lint_pairs import lint_renderings

    outcome = _Outcome([], [], [], [])
    for folder in sorted(set(folders)):
        try:
            outcome.done.append(lint_renderings(folder, settings.how_of(folder), progress))
        except PromptlintError as error:
            outcome.errors.append(str(error))
    return outcome


def _fixed(outcome: _Outcome, settings: Settings) -> Iterator[FixFacts]:
    """Put right what can be: files are written (and looked at again) unless only the difference is wanted."""
    numbers = {file.path: number for number, file in enumerate(outcome.done)}
    for project in settings.projects(outcome.done):
        answers = answered(project, about_pardons=False)
        spared = frozenset(_kept_place(one.finding) for one in answers.suppressed)
        fixable = frozenset(rule.id for rule in settings.known(project.config) if rule.fixable)
        for path in sorted({one.location.path for one in answers.findings if one.rule in fixable} & numbers.keys()):
            if path == "-":
                outcome.notes.append("standard input is not edited: name a file")
                continue
            try:
                made = _fixed_file(path, spared, settings)
                if isinstance(made, str):
                    outcome.notes.append(made)
                elif made is not None:
                    yield made
                    if made.written:
                        outcome.done[numbers[path]] = lint_file(path, settings.how_of(path))
            except PromptlintError as error:
                outcome.errors.append(str(error))


def _fixed_file(path: str, spared: frozenset[_KeptPlace], settings: Settings) -> FixFacts | str | None:
    from promptlint.commands.lint_fix import fixed, write

    made = fixed(
        path,
        settings.how_of(path),
        unsafe=settings.options.unsafe_fixes,
        spared=lambda finding: _kept_place(finding) in spared,
    )
    if made is None or isinstance(made, str):
        return made
    return made.facts if settings.options.diff else write(made)


def _kept_place(finding: Finding) -> _KeptPlace:
    return finding.location.path, finding.rule, finding.pointer or finding.location.line


def _report(outcome: _Outcome, settings: Settings, fixes: tuple[FixFacts, ...]) -> Report:
    options = settings.options
    findings: list[Finding] = []
    suppressed: list[Suppressed] = []
    notes = [*outcome.notes, *(note for one in outcome.done for note in one.notes)]
    failed, thresholds, rules = False, [], faults_of_comments()
    for project in settings.projects(outcome.done):
        answers = answered(project, about_pardons="unused-suppression" in settings.chosen(project.files[0].path))
        threshold = options.fail_on or project.config.fail_on
        failed |= any(reaches(finding, threshold) for finding in answers.findings)
        thresholds.append(threshold)
        rules |= {rule.id: rule_facts(rule) for rule in settings.known(project.config) if rule.id in project.ran}
        findings += answers.findings
        suppressed += answers.suppressed
        notes += answers.notes
    facts = LintFacts(
        files=tuple(sorted(CheckedFile(one.path, one.what) for one in outcome.done)),
        skipped=tuple(sorted(outcome.skipped)),
        suppressed=tuple(sorted(suppressed, key=lambda one: _order(one.finding))),
        rules=tuple(rules[name] for name in sorted(rules)),
        fail_on=max(thresholds, key=_THRESHOLDS.index, default=options.fail_on or "warning"),
        errors=tuple(sorted({*outcome.errors})),
        statistics=options.statistics,
        suggestions=tuple(suggestion for one in outcome.done for suggestion in one.suggestions),
        fixes=fixes,
        exact=options.tokenizer is not None and all(one.what.endswith("template") for one in outcome.done),
        rendered=tuple(sorted(table for one in outcome.done for table in one.rendered)),
    )
    findings.sort(key=_order)
    return Report(
        "lint",
        "fail" if failed or facts.errors else "pass",
        tuple(findings),
        notes=tuple(dict.fromkeys(notes)),
        lint=facts,
    )


def reaches(finding: Finding, threshold: str) -> bool:
    """Whether a finding is as bad as --fail-on says, or worse."""
    return threshold != "never" and _RANK.index(finding.severity) <= _RANK.index(threshold)


def _order(finding: Finding) -> tuple[object, ...]:
    """By file, the worst and dearest first, then by place."""
    where = finding.location
    return where.path, _RANK.index(finding.severity), -(finding.lost_tokens or 0), where.start, finding.rule


def rule_facts(rule: Rule) -> RuleFacts:
    """A rule as reports show it."""
    return RuleFacts(
        rule.id,
        rule.cause,
        rule.summary,
        rule.severity,
        rule.confidence,
        rule.scope,
        rule.since,
        rule.why,
        rule.fix,
        rule.references,
    )


def faults_of_comments() -> dict[str, RuleFacts]:
    """What is said of comments that answer findings, as rules."""
    why = "A comment that is meant to answer a finding and does not is worse than none: whoever reads it relies on it."
    fix = "Write `promptlint: ignore[RULE] -- reason` in a comment of this kind of file, or remove it."
    return {
        name: RuleFacts(name, "", summary, "warning", "certain", "file", "0.2", why, fix, ())
        for name, summary in FAULTS.items()
    }
