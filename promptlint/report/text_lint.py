"""The text report of `promptlint lint`: the verdict, then file by file what was found, then what was left out."""

from promptlint.finding import Finding, Report
from promptlint.lint_facts import FixFacts, LintFacts, Suggestion
from promptlint.report import phrases
from promptlint.report.escape import line, width
from promptlint.report.excerpts import marked_lines
from promptlint.report.findings import also, by_file, counts, suppressed, tokens_lost, totals
from promptlint.report.layout import Style, clipped, columns, labelled, wrap

_SEVERITIES = {"error": "red", "warning": "yellow", "info": "cyan"}
_LABEL = 6  # columns of a label and the space behind it
_WIDEST_PLACE = 9  # columns; a longer `line:column` moves the rest of its row
_MOST_SKIPPED = 10  # that are printed; JSON has all


def blocks(report: Report, style: Style) -> list[list[str]]:
    """Blocks of lines that an empty line parts."""
    facts = report.lint
    assert facts is not None
    verdict = style.paint(report.verdict or "", "bold green" if report.verdict == "pass" else "bold red")
    found = [wrap([verdict, "", *totals(report).split(" ")], style.width, rest="      ")]
    found += [_counts(report, style)] if facts.statistics else _files(report, facts, style)
    for suggestion in facts.suggestions:
        found.append(_suggestion(suggestion, facts, style))
    found += [_fix(fix, style) for fix in facts.fixes]
    return [*found, _left_out(facts, style)]


def _files(report: Report, facts: LintFacts, style: Style) -> list[list[str]]:
    kinds = {file.path: file.what for file in facts.files}
    severities = max((len(found.severity) for found in report.findings), default=0)
    indent = 2 + min(max((len(_spot(found)) for found in report.findings), default=0), _WIDEST_PLACE) + 2
    told = []
    for path, findings in by_file(report.findings).items():
        kind = f"  {style.paint(line(kinds[path]), 'dim')}" if kinds.get(path) else ""
        first = [style.paint(line(path), "bold") + kind]
        for found in findings:
            told.append([*first, *_finding(found, (indent, severities), facts, style)])
            first = []
    return told


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


def _counts(report: Report, style: Style) -> list[str]:
    told = counts(report)
    wide = max((len(f"{count:,}") for count, _ in told), default=0)
    rules = max((width(line(rule.id)) for _, rule in told), default=0)
    rows = []
    for count, rule in told:
        severity = style.paint(rule.severity, _SEVERITIES[rule.severity])
        name = line(rule.id)
        room = style.width - 2 - wide - 2 - 7 - 2 - rules - 2
        cells = (f"{count:,}", severity, name, clipped(line(rule.summary), max(room, 20)))
        rows.append(cells)
    return [f"  {row}" for row in columns(rows, (True, False, False, False))] if rows else []


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
        rows = [line(row) for row in suggestion.text.removesuffix("\n").split("\n")]
        fence = style.paint(phrases.fence(rows), "dim")
        lines += [f"  {row}".rstrip() for row in (fence + style.paint("jinja", "dim"), *rows, fence)]
    return lines


def _fix(fix: FixFacts, style: Style) -> list[str]:
    done = style.paint("fixed", "bold green") if fix.written else style.paint("can be fixed", "bold")
    doubt = "" if fix.safe else " (unsafe)"
    told = f"{', '.join(map(line, fix.rules))}{doubt}"
    lines = wrap([done, "", f"{line(fix.path)}:", *told.split(" ")], style.width, rest="  ")
    lines += _labelled("proof", line(fix.proof).split(" "), 2, style) if fix.proof else []
    if style.excerpts and fix.diff:
        lines += [f"  {_changed(line(row), style)}" for row in fix.diff.removesuffix("\n").split("\n")]
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
        lines += [f"{phrases.plural(len(facts.skipped), 'file')} skipped:"]
        for path, reason in facts.skipped[:_MOST_SKIPPED]:
            lines += wrap([f"{line(path)}:", *line(reason).split(" ")], style.width, first="  ", rest="    ")
        more = len(facts.skipped) - _MOST_SKIPPED
        lines += [f"  and {more:,} more (--format json has all)"] if more > 0 else []
    return lines
