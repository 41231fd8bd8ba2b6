"""Which variable first moves the text of each template, for readers: JSON has all variables."""

from typing import NamedTuple

from promptlint.finding import Report
from promptlint.lint_facts import LintFacts, VariableEffect
from promptlint.report import phrases
from promptlint.report.escape import line

_MOST = 3  # templates that are told of
_FEW = 24  # tokens behind the place: with fewer, it is the end of the text


class Mover(NamedTuple):
    """A variable that moves the text of its template first; visible text."""

    place: str
    name: str
    words: str  # what it does


def movers(report: Report) -> list[Mover]:
    """Of the templates in which most text stands behind that place, the one with the most first.

    Not told is what a finding says already, and what is declared to stay.
    """
    facts = report.lint
    if facts is None or facts.statistics:
        return []
    told = {(found.location.path, found.location.line) for found in report.findings}
    first = [
        row
        for template in facts.rendered
        for row in template.variables[:1]
        if row.line is not None and row.stranded_tokens >= _FEW and not row.note and (row.path, row.line) not in told
    ]
    first.sort(key=lambda row: (-row.stranded_tokens, row.path, row.name))
    return [
        Mover(f"{line(row.path)}:{row.line}:{row.column}", line(row.name), _words(row, facts)) for row in first[:_MOST]
    ]


def _words(row: VariableEffect, facts: LintFacts) -> str:
    ahead, behind = (phrases.number(count, exact=facts.exact) for count in (row.shared_tokens, row.stranded_tokens))
    return f"moves the text first: {ahead} tokens ahead of it, {behind} tokens of fixed text behind it"
