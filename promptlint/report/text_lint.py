"""The text report of `promptlint lint`: file by file what was found, what was left out, and the verdict, which a
reader finds above the prompt of the shell."""

from promptlint.finding import Finding, Report
from promptlint.lint_facts import FixFacts, LintFacts, Suggestion
from promptlint.report import phrases
from promptlint.report.escape import line, width
from promptlint.report.excerpts import marked_lines
from promptlint.report.findings import also, by_file, statistics, suppressed, tokens_lost, totals
from promptlint.report.layout import Style, clipped, columns, labelled, wrap
from promptlint.report.movers import movers
from promptlint.report.secrets import mask_rows

_SEVERITIES = {"error": "red", "warning": "yellow", "info": "cyan"}
_LABEL = 6  # columns of a label and the space behind it
_LEAST_SUMMARY = 24  # columns
_WIDEST_PLACE = 9  # columns; a longer `line:column` moves the rest of its row
_MOST_ALIKE = 10  # findings of one rule in one file; --format concise has all


def blocks(report: Report, style: Style) -> list[list[str]]:
    """Blocks of lines that an empty line parts; without the verdict."""
    facts = report.lint
    assert facts is not None
    found = [_counts(report, facts, style)] if facts.statistics else _files(report, facts, style)
    found += [_suggestion(suggestion, facts, style) for suggestion in facts.suggestions]
    found += [_fix(fix, style) for fix in facts.fixes]
    return [*found, _moved(report, style), _left_out(facts, style)]


def summary(report: Report, style: Style) -> list[str]:
    """The verdict and what it means."""
    facts = report.lint
    good = "yellow" if facts is not None and facts.errors else "green"
    verdict = style.paint(report.verdict or "", f"bold {good if report.verdict == 'pass' else 'red'}")
    return wrap([verdict, "", *totals(report).split(" ")], style.width, rest="      ")


def _files(report: Report, facts: LintFacts, style: Style) -> list[list[str]]:
    kinds = {file.path: file.what for file in facts.files}
    severities = max((len(found.severity) for found in report.findings), default=0)
    indent = 2 + min(max((len(_spot(found)) for found in report.findings), default=0), _WIDEST_PLACE) + 2
    told = []
    for path, findings in by_file(report.findings).items():
        kind = f"  {style.paint(line(kinds[path]), 'dim')}" if kinds.get(path) else ""
        shown, more = _shown(findings)
        rows = [_finding(found, (indent, severities), facts, style) for found in shown]
        rows += [_more(each, style) for each in more]
        told += [[style.paint(line(path), "bold") + kind, *rows[0]], *rows[1:]]
    return told


def _shown(findings: list[Finding]) -> tuple[list[Finding], list[list[Finding]]]:
    """Those that are printed, a fix once where a rule repeats it; and the rest, by rule."""
    shown: list[Finding] = []
    rest: dict[str, list[Finding]] = {}
    count: dict[str, int] = {}
    fixes: set[tuple[str, str]] = set()
    for found in findings:
        count[found.rule] = count.get(found.rule, 0) + 1
        if count[found.rule] > _MOST_ALIKE:
            rest.setdefault(found.rule, []).append(found)
            continue
        fix = (found.rule, found.fix)
        shown.append(found._replace(fix="") if fix in fixes else found)
        fixes.add(fix)
    return shown, list(rest.values())


def _more(findings: list[Finding], style: Style) -> list[str]:
    """What is said of findings that are too many."""
    lines = sorted(found.location.line for found in findings)
    where = f"in line {lines[0]}" if lines[0] == lines[-1] else f"in lines {lines[0]} to {lines[-1]}"
    told = f"and {len(findings):,} more {line(findings[0].rule)} {where} (--format concise has all)"
    return wrap(told.split(" "), style.width, first="  ", rest="    ")


def _finding(found: Finding, columns: tuple[int, int], facts: LintFacts, style: Style) -> list[str]:
    """Its lines; `columns`: where its text begins, and how wide a severity is."""
    indent, wide = columns
    color = _SEVERITIES[found.severity]
    margin = " " * indent
    first = f"  {style.paint(_spot(found), 'cyan')}" + " " * max(indent - 2 - len(_spot(found)), 2)
    doubt = [] if found.confidence == "certain" else [f"({found.confidence})"]
    lost = tokens_lost(found, exact=facts.exact)
    severity = style.paint(found.severity, color) + " " * (wide - len(found.severity))
    head = [severity, "", style.paint(line(found.rule), f"bold {color}"), *doubt]
    head += ["", *lost.split(" ")] if lost else []
    lines = wrap(head, style.width, first=first, rest=margin)
    lines += wrap(line(found.message).split(" "), style.width, first=margin, rest=margin)
    if style.excerpts and found.excerpt:
        rows = marked_lines(found.excerpt, found.mark, style.width - indent)
        lines += [margin + _gutter(row, color, style) for row in rows]
    told = [("at", [phrases.pointer(found.pointer)]), ("also", _also(found)), ("fix", line(found.fix).split(" "))]
    return lines + [row for label, words in told if any(words) for row in _labelled(label, words, indent, style)]


def _spot(found: Finding) -> str:
    return f"{found.location.line}:{found.location.column}"


def _also(found: Finding) -> list[str]:
    places = also(found)
    more = len(found.related) - len(places)
    return [*(f"{place}," for place in places[:-1]), *places[-1:], *(["and", f"{more:,}", "more"] if more > 0 else [])]


def _gutter(row: str, color: str, style: Style) -> str:
    carets = row.startswith("| ") and set(row[2:]) <= {" ", "^"} and "^" in row
    return style.paint(row[:2], "dim") + (style.paint(row[2:], color) if carets else row[2:])


def _labelled(label: str, words: list[str], indent: int, style: Style) -> list[str]:
    return labelled(label, words, style, indent=indent, column=_LABEL)


def _counts(report: Report, facts: LintFacts, style: Style) -> list[str]:
    """A row for each rule: how often, how bad, which, and what it costs; what it is where there is room."""
    counted = statistics(report)
    if not counted:
        return []
    rows = [
        (
            f"{count.findings:,}",
            style.paint(count.severity, _SEVERITIES[count.severity]),
            line(count.rule.id),
            phrases.number(count.lost_tokens, exact=facts.exact) if count.lost_tokens else "",
        )
        for count in counted
    ]
    head = [style.paint(name, "dim") for name in ("findings", "severity", "rule", "tokens lost")]
    lines = columns([head, *rows], (True, False, False, True))
    room = style.width - 2 - max(map(width, lines)) - 2
    if room >= _LEAST_SUMMARY:
        told = ["", *(clipped(line(count.rule.summary), room) for count in counted)]
        lines = columns(list(zip(lines, told, strict=True)), (False, False))
    return [f"  {row}" for row in lines]


def _suggestion(suggestion: Suggestion, facts: LintFacts, style: Style) -> list[str]:
    saved = f"{phrases.number(suggestion.saved_tokens, exact=facts.exact)} more tokens shared"
    lines = wrap(
        [style.paint("another order", "bold"), "of", f"{line(suggestion.path)}:", *saved.split(" ")],
        style.width,
        rest="  ",
    )
    for moved in suggestion.moved:
        lines += _labelled("move", line(moved).split(" "), 2, style)
    if suggestion.reader_note:
        lines += _labelled("note", line(suggestion.reader_note).split(" "), 2, style)
    if style.excerpts:
        rows = [line(row) for row in mask_rows(suggestion.text.removesuffix("\n"))]
        fence = style.paint(phrases.fence(rows), "dim")
        lines += [f"  {row}".rstrip() for row in (fence + style.paint("jinja", "dim"), *rows, fence)]
    return lines


def _moved(report: Report, style: Style) -> list[str]:
    """Which variable first moves the text of a template, as renderings have shown."""
    rows = [
        wrap([f"{one.place}:", style.paint(one.name, "bold"), *one.words.split(" ")], style.width)
        for one in movers(report)
    ]
    return [row for rows_of_one in rows for row in rows_of_one]


def _fix(fix: FixFacts, style: Style) -> list[str]:
    done = style.paint("fixed", "bold green") if fix.written else style.paint("can be fixed", "bold")
    doubt = "" if fix.safe else " (unsafe)"
    told = f"{', '.join(map(line, fix.rules))}{doubt}"
    lines = wrap([done, "", f"{line(fix.path)}:", *told.split(" ")], style.width, rest="  ")
    lines += _labelled("proof", line(fix.proof).split(" "), 2, style) if fix.proof else []
    if style.excerpts and fix.diff and not fix.written:  # who wants to see it asks for --diff
        lines += [f"  {_changed(line(row), style)}" for row in mask_rows(fix.diff.removesuffix("\n"), 1)]
    return lines


def _changed(row: str, style: Style) -> str:
    if row.startswith(("+++", "---")):
        return style.paint(row, "bold")
    color = {"+": "green", "-": "red", "@": "cyan"}.get(row[:1])
    return style.paint(row, color) if color else row


def _left_out(facts: LintFacts, style: Style) -> list[str]:
    told = suppressed(facts)
    lines = wrap(told.split(" "), style.width, rest="  ") if told else []
    if facts.skipped:
        told = f"{phrases.plural(len(facts.skipped), 'file')} skipped, as no prompts (--format json says why)"
        lines += wrap(told.split(" "), style.width, rest="  ")
    return lines
