"""The concise report, for agents, grep and editors: the verdict, then one line for each change that costs reuse."""

from promptlint.finding import Change, Diff, Finding, Report
from promptlint.lint_facts import LintFacts
from promptlint.report import phrases
from promptlint.report.escape import guard, line
from promptlint.report.findings import place, statistics, tokens, totals


def write(report: Report) -> str:
    """Lines `path:line:column: severity cause: message`, the place being that of side B, after one of the verdict; of a
    check also what could not be rendered."""
    lines = [verdict(report)] if report.verdict is not None else []
    lines += [_change(change) for diff in report.diffs for change in _told(diff)]
    if report.lint is not None and report.lint.statistics:
        lines += _counts(report, exact=report.lint.exact)
    else:
        lines += [_finding(report.findings[index]) for index in phrases.uncovered(report)]
    lines += [] if report.lint is None else _rewritten(report.lint)
    lines += [] if report.check is None else [f"error: {line(error)}" for error in report.check.errors]
    return guard("".join(f"{each}\n" for each in lines))


def _told(diff: Diff) -> list[Change]:
    """What costs reuse; where only the cache's rule is unknown, what may cost it."""
    told = [change for change in diff.changes if phrases.breaks(change)]
    return told or [change for change in diff.changes if diff.verdict == "unknown" and change.affects == "prefix"]


def verdict(report: Report) -> str:
    """The verdict and what it means, in one visible line."""
    if report.check is not None:
        from promptlint.report.checked import totals as checked_totals

        return f"{report.verdict}: {checked_totals(report)}"
    if report.lint is not None:
        return f"{report.verdict}: {totals(report)}"
    if report.folders or not report.diffs:
        return f"{report.verdict}: {phrases.totals(report)}"
    diff = report.diffs[0]
    return f"{report.verdict}: {phrases.source(diff.a)} -> {phrases.source(diff.b)}: {phrases.outcome(diff)}"


def _rewritten(facts: LintFacts) -> list[str]:
    """What was put right or can be, and which templates have a better order: the other formats show it."""
    fixed = [
        f"{line(fix.path)}: {'fixed' if fix.written else 'can be fixed'}: {', '.join(map(line, fix.rules))}"
        for fix in facts.fixes
    ]
    ordered = [
        f"{line(each.path)}: in another order {tokens(each.saved_tokens, exact=facts.exact)} more are shared"
        for each in facts.suggestions
    ]
    return fixed + ordered


def _counts(report: Report, *, exact: bool) -> list[str]:
    """How often each rule found something, and what that costs."""
    told = []
    for count in statistics(report):
        lost = f"; {tokens(count.lost_tokens, exact=exact)} lost" if count.lost_tokens else ""
        told.append(f"{count.findings} {count.severity} {line(count.rule.id)}: {line(count.rule.summary)}{lost}")
    return told


def _finding(found: Finding) -> str:
    return f"{place(found)}: {found.severity} {line(found.rule)}: {line(found.message)}"


def _change(change: Change) -> str:
    by = "; ".join(f"{sides} by {words}" for sides, words in phrases.printed_by(change))
    told = f"{line(change.message)} ({by})" if by else line(change.message)
    return f"{phrases.spot(change.b)}: {change.severity} {line(change.cause)}: {told}"
