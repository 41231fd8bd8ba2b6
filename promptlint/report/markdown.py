"""The Markdown report, for comments on pull requests and job summaries. Untrusted text stands in code or is harmless.

Words with anything that Markdown, HTML or GitHub would act on (links, mentions, references, emoji, mathematics) are
put in code spans, excerpts in fences; a pipe inside a table is written `\\u{7c}`.
"""

import re
from collections.abc import Iterable, Sequence
from functools import cache

from promptlint.finding import Change, Diff, Finding, Place, Report, Table
from promptlint.report import phrases
from promptlint.report.escape import guard, line
from promptlint.report.excerpts import excerpt_lines
from promptlint.report.phrases import number

_EXCERPT_COLUMNS = 100


def write(report: Report, *, excerpts: bool = True) -> str:
    if report.check is not None:
        from promptlint.report import markdown_check

        return guard("\n\n".join([*markdown_check.blocks(report, excerpts), *map(_table, report.tables)]) + "\n")
    if report.confirm is not None:
        from promptlint.report import markdown_confirm

        told = [*markdown_confirm.blocks(report), *map(_table, report.tables), *_notes(report)]
        return guard("\n\n".join(told) + "\n")
    verdict = f"**{report.verdict}**: " if report.verdict is not None else ""
    blocks: list[str] = []
    if report.lint is not None:
        from promptlint.report import markdown_lint

        blocks += markdown_lint.blocks(report, excerpts)
    elif report.folders or not report.diffs:
        outcome = f": {verdict}{words(phrases.totals(report))}" if report.command == "diff" else ""
        blocks.append(f"### promptlint {words(line(report.command))}{outcome}")
        blocks += [_pairs(report)] if report.diffs else []
    for diff in report.diffs:
        if not report.folders or diff.changes:
            blocks += _comparison(diff, excerpts)
    if report.lint is None:
        blocks += [_finding(report.findings[index]) for index in phrases.uncovered(report)]
    blocks += [_table(table) for table in report.tables]
    return guard("\n\n".join([*blocks, *_notes(report)]) + "\n")


def _notes(report: Report) -> list[str]:
    return ["\n".join(f"- Note: {words(line(note))}" for note in report.notes)] if report.notes else []


def words(visible: str) -> str:
    """Prose (visible text): harmless words as they are, all others as code."""
    return " ".join(_word(word) for word in visible.split(" "))


def code(visible: str) -> str:
    """A code span, nothing for nothing. Safe in tables, too."""
    visible = visible.replace("|", "\\u{7c}")
    if not visible:
        return ""
    fence = "`" * (max((len(run) for run in re.findall("`+", visible)), default=0) + 1)
    pad = " " if visible[0] in "` " or visible[-1] in "` " else ""
    return f"{fence}{pad}{visible}{pad}{fence}"


def _word(word: str) -> str:
    opened = word.lstrip("(\"'")
    inner = opened.rstrip(")\"',;:.!?")
    inner += ")" if inner.endswith("(") and opened[len(inner) :].startswith(")") else ""  # a call without arguments
    before, after = word[: len(word) - len(opened)], opened[len(inner) :]
    return word if inner.isalnum() or not inner or _plain().fullmatch(inner) else f"{before}{code(inner)}{after}"


@cache
def _plain() -> re.Pattern[str]:
    return re.compile(r"(?!GH-)[^\W_](?:[^\W_]|[-,'/%+=](?=[^\W_])|(?<=\d)\.(?=\d))*%?|[-+%=/]")


def _pairs(report: Report) -> str:
    rows = [
        (
            f"**{diff.verdict}**",
            code(phrases.source(diff.a)),
            code(phrases.source(diff.b)),
            words(phrases.outcome(diff)),
        )
        for diff in report.diffs
    ]
    return grid(("verdict", "a", "b", "outcome"), rows)


def _comparison(diff: Diff, excerpts: bool) -> list[str]:
    boundary = diff.boundary
    sides = "\n".join(
        f"- {name}: {code(phrases.source(side))} ({words(phrases.kind(side))})"
        for name, side in (("a", diff.a), ("b", diff.b))
    )
    rows = [(label, words(text)) for label, text in phrases.figures(diff)]
    blocks = [f"### **{diff.verdict}**: {words(phrases.outcome(diff))}", sides, grid(("", "boundary"), rows)]
    told = (
        ("Why", line(boundary.why)),
        ("Price", line(boundary.price)),
        ("Token", line(boundary.token_note)),
        ("Counts", phrases.counted(diff)),
    )
    blocks.append("\n".join(f"- {label}: {words(text)}" for label, text in told if text))
    harmless: list[str] = []
    for ordinal, change in enumerate(diff.changes, 1):
        if phrases.breaks(change):
            blocks.append(_change(ordinal, change, boundary.exact, excerpts))
        else:
            harmless.append(_one_line(ordinal, change))
    if harmless:
        summary = f"<summary>{phrases.plural(len(harmless), 'change')} without cost</summary>"
        blocks.append("\n".join(["<details>" + summary, "", *harmless, "", "</details>"]))
    return blocks


def _title(change: Change) -> str:
    return f"{code(line(change.cause))} ({phrases.labels(change)}): {words(line(change.message))}"


def _one_line(ordinal: int, change: Change) -> str:
    where = " ".join(filter(None, (code(phrases.spot(change.b)), code(phrases.pointer(change.b.pointer)))))
    return f"- {ordinal}: {_title(change)} {where}"


def _change(ordinal: int, change: Change, exact: bool, excerpts: bool) -> str:
    lines = [f"**{ordinal}.** {_title(change)}", ""]
    lines += [f"- a: {_place(change.a)}", f"- b: {_place(change.b)}"]
    lines += [f"- by ({sides}): {words(text)}" for sides, text in phrases.printed_by(change)]
    lines.append("")
    if excerpts:
        lines += [
            "```text",
            *excerpt_lines(change, _EXCERPT_COLUMNS),
            "```",
            "",
        ]  # every row begins with its own gutter
    lines += [f"- {label.capitalize()}: {text}" for label, text in phrases.sharing(change, exact=exact)]
    lines += (
        [f"- Also at {', '.join(code(phrases.pointer(pointer)) for pointer in change.also)}"] if change.also else []
    )
    lines += [f"- Fix: {words(line(change.fix))}"] if change.fix else []
    return "\n".join(lines)


def _place(place: Place) -> str:
    pointer = code(phrases.pointer(place.pointer))
    return " ".join(filter(None, (code(phrases.spot(place)), pointer, phrases.offset(place))))


def _finding(found: Finding) -> str:
    place = code(f"{line(found.location.path)}:{found.location.line}:{found.location.column}")
    fix = f"\n- Fix: {words(line(found.fix))}" if found.fix else ""
    return f"{code(line(found.rule))} ({found.severity}): {words(line(found.message))}\n\n- {place}{fix}"


def _table(table: Table) -> str:
    rows = [[words(line(cell)) if isinstance(cell, str) else number(cell) for cell in row] for row in table.rows]
    return f"**{words(line(table.title))}**\n\n" + grid([words(line(name)) for name in table.columns], rows)


def grid(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; the cells are Markdown already."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(row)} |" for row in lines)
