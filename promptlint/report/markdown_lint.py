"""The Markdown report of `promptlint lint`: a table for the reader of a pull request, details below it, folded."""

from promptlint.finding import Finding, Report
from promptlint.lint_facts import FixFacts, LintFacts, Suggestion
from promptlint.report import phrases
from promptlint.report.escape import line
from promptlint.report.excerpts import marked_lines
from promptlint.report.findings import also, costliest, place, statistics, suppressed, tokens, tokens_lost, totals
from promptlint.report.markdown import code, grid, words
from promptlint.report.movers import movers
from promptlint.report.secrets import mask_rows

_COLUMNS = 100  # of an excerpt
_MOST = 50  # findings: a comment on a pull request holds 65,536 characters


def blocks(report: Report, excerpts: bool) -> list[str]:
    """Blocks that an empty line parts; the costliest finding comes first."""
    facts = report.lint
    assert facts is not None
    told = [f"### promptlint lint: **{words(line(report.verdict or ''))}**: {words(totals(report))}"]
    if facts.statistics:
        told += [_counts(report, exact=facts.exact)] if report.findings else []
    elif report.findings:
        told += _findings(costliest(report.findings), facts, excerpts)
    told += [_suggestion(each, facts, excerpts) for each in facts.suggestions]
    told += [_fix(each, excerpts) for each in facts.fixes]
    moved = movers(report)
    told += ["\n".join(f"- {code(one.place)}: {code(one.name)} {words(one.words)}" for one in moved)] if moved else []
    return told + _left_out(facts)


def _findings(findings: list[Finding], facts: LintFacts, excerpts: bool) -> list[str]:
    shown = findings[:_MOST]
    rows = [
        (
            f"{number} {found.severity}",
            code(place(found)),
            f"{code(line(found.rule))}: {words(line(found.message))}",
            words(tokens_lost(found, exact=facts.exact)),
        )
        for number, found in enumerate(shown, 1)
    ]
    head = ("", "place", "finding", "cost")
    told = [grid(head, rows) if any(row[-1] for row in rows) else grid(head[:-1], (row[:-1] for row in rows))]
    if len(findings) > len(shown):
        told.append(f"{phrases.plural(len(findings) - len(shown), 'more finding')}: see {code('--format json')}")
    details = [_detail(number, found, excerpts) for number, found in enumerate(shown, 1)]
    return [*told, _folded("Lines and fixes", details)]


def _detail(number: int, found: Finding, excerpts: bool) -> str:
    doubt = "" if found.confidence == "certain" else f", {found.confidence}"
    lines = [f"**{number}.** {code(line(found.rule))} ({found.severity}{doubt}) {code(place(found))}", ""]
    if excerpts and found.excerpt:
        lines += ["```text", *marked_lines(found.excerpt, found.mark, _COLUMNS), "```", ""]  # each row has its gutter
    pointer = phrases.pointer(found.pointer)
    lines += [f"- At {code(pointer)}"] if pointer else []
    more = len(found.related) - len(also(found))
    others = [*map(code, also(found)), *([f"{more:,} more"] if more > 0 else [])]
    lines += [f"- Also {', '.join(others)}"] if others else []
    lines += [f"- Fix: {words(line(found.fix))}"] if found.fix else []
    return "\n".join(lines).rstrip("\n")


def _folded(summary: str, blocks: list[str]) -> str:
    inner = "\n\n".join(blocks)
    return f"<details><summary>{summary}</summary>\n\n{inner}\n\n</details>"


def _counts(report: Report, *, exact: bool) -> str:
    rows = [
        (
            f"{count.findings:,}",
            count.severity,
            code(line(count.rule.id)),
            words(line(count.rule.summary)),
            words(tokens(count.lost_tokens, exact=exact)) if count.lost_tokens else "",
        )
        for count in statistics(report)
    ]
    return grid(("findings", "severity", "rule", "", "lost"), rows)


def _suggestion(suggestion: Suggestion, facts: LintFacts, excerpts: bool) -> str:
    saved = phrases.number(suggestion.saved_tokens, exact=facts.exact)
    lines = [f"**Another order** of {code(line(suggestion.path))}: {saved} more tokens shared", ""]
    lines += [f"- {words(line(moved))}" for moved in suggestion.moved]
    lines += [f"- {words(line(suggestion.reader_note))}"] if suggestion.reader_note else []
    told = "\n".join(lines).rstrip("\n")
    return "\n\n".join([told, _folded("The template", [_fenced("jinja", suggestion.text)])]) if excerpts else told


def _fix(fix: FixFacts, excerpts: bool) -> str:
    done = "Fixed" if fix.written else "Can be fixed"
    rules = ", ".join(code(line(rule)) for rule in fix.rules)
    told = f"**{done}** in {code(line(fix.path))}: {rules}{'' if fix.safe else ' (unsafe)'}"
    told += f"\n\n- {words(line(fix.proof))}" if fix.proof else ""
    shown = excerpts and fix.diff
    return "\n\n".join([told, _folded("Changes", [_fenced("diff", fix.diff, 1)])]) if shown else told


def _fenced(language: str, text: str, margin: int = 0) -> str:
    rows = [line(row) for row in mask_rows(text.removesuffix("\n"), margin)]
    fence = phrases.fence(rows)
    return "\n".join([fence + language, *rows, fence])


def _left_out(facts: LintFacts) -> list[str]:
    rows = [f"- {words(suppressed(facts))}"] if facts.suppressed else []
    rows += [f"- {phrases.plural(len(facts.skipped), 'file')} skipped, as no prompts"] if facts.skipped else []
    rows += [f"- Error: {words(line(error))}" for error in facts.errors]
    return ["\n".join(rows)] if rows else []
