"""`promptlint lint PATH...`: what will break the prefix of a request, a tool schema or a template."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import NamedTuple

from promptlint.commands.lint_files import How, lint_file
from promptlint.commands.options import Options
from promptlint.commands.own_facts import own_facts
from promptlint.errors import PromptlintError
from promptlint.finding import Finding, Report, Severity
from promptlint.lint.rule import Rule, built_in
from promptlint.lint_facts import CheckedFile, LintFacts, RuleFacts
from promptlint.tokens import open_tokenizer

Progress = Callable[[int, int], None]

_RANK: tuple[Severity, ...] = ("error", "warning", "info")


class LintOptions(NamedTuple):
    """What the command line says; None: the configuration decides."""

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    fail_on: str | None = None
    render: bool = True
    provider: str | None = None
    tokenizer: str | None = None
    facts: str | None = None
    now: datetime | None = None


def lint(paths: Sequence[str], options: LintOptions = LintOptions(), progress: Progress | None = None) -> Report:
    """Check files and folders; `progress` is told how many of how many files are done."""
    how = _how(paths[0], options)
    done, errors, skipped = [], [], []
    for path in sorted(paths):
        try:
            one = lint_file(path, how)
        except PromptlintError as error:
            errors.append(str(error))
            continue
        if one.what:
            done.append(one)
        else:
            errors.append(one.reason)
    findings = tuple(sorted((finding for one in done for finding in one.findings), key=_order))
    fail_on = options.fail_on or "warning"
    failed = fail_on != "never" and any(_RANK.index(f.severity) <= _RANK.index(fail_on) for f in findings)
    facts = LintFacts(
        files=tuple(CheckedFile(one.path, one.what) for one in done),
        skipped=tuple(skipped),
        suppressed=(),
        rules=tuple(map(rule_facts, how.rules)),
        fail_on=fail_on,
        errors=tuple(errors),
    )
    notes = tuple(dict.fromkeys(note for one in done for note in one.notes))
    return Report("lint", "fail" if failed else "pass", findings, notes=notes, lint=facts)


def _how(near: str, options: LintOptions) -> How:
    chosen = options.tokenizer is not None
    own = own_facts(near, options.facts)
    reading = Options(open_tokenizer(options.tokenizer), provider=options.provider, chosen=chosen, own=own)
    rules = tuple(rule for rule in built_in() if _wanted(rule, options))
    return How(rules, reading, {}, None, options.now or datetime.now())


def _wanted(rule: Rule, options: LintOptions) -> bool:
    from fnmatch import fnmatchcase

    if options.select and not any(fnmatchcase(rule.id, pattern) for pattern in options.select):
        return False
    return not any(fnmatchcase(rule.id, pattern) for pattern in options.ignore)


def _order(finding: Finding) -> tuple[object, ...]:
    """By file, the dearest first, then by place."""
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
