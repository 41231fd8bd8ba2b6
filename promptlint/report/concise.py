"""The concise report, for agents, grep and editors: the verdict, then one line for each change that costs reuse."""

from promptlint.finding import Change, Report
from promptlint.report import phrases
from promptlint.report.escape import guard, line


def write(report: Report) -> str:
    """Lines `path:line:column: severity cause: message`, the place being that of side B, after one of the verdict."""
    lines = [_verdict(report)] if report.verdict is not None else []
    lines += [_change(change) for diff in report.diffs for change in diff.changes if phrases.breaks(change)]
    for index in phrases.uncovered(report):
        found = report.findings[index]
        place = f"{line(found.location.path)}:{found.location.line}:{found.location.column}"
        lines.append(f"{place}: {found.severity} {line(found.rule)}: {line(found.message)}")
    return guard("".join(f"{each}\n" for each in lines))


def _verdict(report: Report) -> str:
    if report.folders or not report.diffs:
        return f"{report.verdict}: {phrases.totals(report)}"
    diff = report.diffs[0]
    return f"{report.verdict}: {phrases.source(diff.a)} -> {phrases.source(diff.b)}: {phrases.outcome(diff)}"


def _change(change: Change) -> str:
    by = "; ".join(f"{sides} by {words}" for sides, words in phrases.printed_by(change))
    told = f"{line(change.message)} ({by})" if by else line(change.message)
    return f"{phrases.spot(change.b)}: {change.severity} {line(change.cause)}: {told}"
