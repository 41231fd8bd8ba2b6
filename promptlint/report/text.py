"""The text report: the verdict and its cost, the boundary, every change with both places, then the notes."""

from promptlint.finding import Boundary, Change, Diff, Finding, Report, Table
from promptlint.report import phrases
from promptlint.report.escape import guard, line, width
from promptlint.report.excerpts import excerpt_lines
from promptlint.report.layout import Style, clipped, columns, labelled, painter, wrap
from promptlint.report.phrases import number
from promptlint.report.secrets import mask

_INDENT = "   "
_LABEL = 8  # columns of a label and the space behind it
_MOST_RECORDS = 40  # rows: a longer table that is too wide stays a table
_ALSO = 8  # further places that are printed; JSON has all
_VERDICTS = {"same": "green", "kept": "green", "unknown": "yellow"}
_SEVERITIES = {"error": "red", "warning": "yellow", "info": "cyan"}


def write(report: Report, *, color: bool = False, excerpts: bool = True, width: int = 80) -> str:
    style = Style(width, excerpts, painter(color))
    if report.lint is not None:
        return _lint(report, style)
    if report.check is not None:
        return _check(report, style)
    if report.confirm is not None:
        return _confirm(report, style)
    blocks = [_folders(report, style)] if report.folders else []
    for diff in report.diffs:
        if not report.folders or diff.changes:
            blocks += _comparison(diff, style)
    blocks += [_finding(report.findings[index], style) for index in phrases.uncovered(report)]
    blocks += [_table(table, style) for table in report.tables]
    return _joined([*blocks, _notes(report, style)])


def _lint(report: Report, style: Style) -> str:
    from promptlint.report.text_lint import blocks, summary

    tables = [_table(table, style) for table in report.tables]
    return _joined([*blocks(report, style), *tables, _notes(report, style), summary(report, style)])


def _check(report: Report, style: Style) -> str:
    from promptlint.report.text_check import blocks, summary

    tables = [_table(table, style) for table in report.tables]
    return _joined([*blocks(report, style), *tables, _notes(report, style), summary(report, style)])


def _confirm(report: Report, style: Style) -> str:
    from promptlint.report.text_confirm import blocks

    tables = [_table(table, style) for table in report.tables]
    return _joined([*blocks(report, style), *tables, _notes(report, style)])


def _joined(blocks: list[list[str]]) -> str:
    return guard("\n\n".join("\n".join(block) for block in blocks if block) + "\n")


def _folders(report: Report, style: Style) -> list[str]:
    verdict = _verdict(report.verdict or "unknown", style)
    lines = wrap([verdict, "", *phrases.totals(report).split(" ")], style.width, rest=_INDENT)
    for diff in report.diffs:
        tokens = [_verdict(diff.verdict, style), phrases.source(diff.a), "->", f"{phrases.source(diff.b)}:"]
        lines += wrap([*tokens, *phrases.outcome(diff).split(" ")], style.width, first="  ", rest="     ")
    return lines


def _headline(diff: Diff, style: Style) -> list[str]:
    lines = wrap([_verdict(diff.verdict, style), "", *phrases.outcome(diff).split(" ")], style.width, rest=_INDENT)
    for name, side in (("a", diff.a), ("b", diff.b)):
        lines += _labelled(name, [phrases.source(side), *f"({phrases.kind(side)})".split(" ")], style)
    return lines


def _verdict(verdict: str, style: Style) -> str:
    return style.paint(verdict, f"bold {_VERDICTS.get(verdict, 'red')}")


def _comparison(diff: Diff, style: Style) -> list[list[str]]:
    blocks = [_headline(diff, style) + _boundary(diff, style)]
    if not diff.changes:
        return blocks
    breaking = sum(map(phrases.breaks, diff.changes))
    effect = f"{breaking:,} of them to look at"
    if len(diff.changes) == 1:
        effect = "to look at" if breaking else "nothing to look at"
    blocks.append([style.paint(f"{phrases.plural(len(diff.changes), 'change')}, {effect}", "bold")])
    harmless: list[str] = []
    for ordinal, change in enumerate(diff.changes, 1):
        if phrases.breaks(change):
            blocks.append(_change(ordinal, change, diff.boundary, style))
        else:
            harmless += _harmless(ordinal, change, style)
    return [*blocks, harmless]


def _boundary(diff: Diff, style: Style) -> list[str]:
    boundary = diff.boundary
    rows = [
        *phrases.figures(diff),
        ("why", line(boundary.why)),
        ("price", line(boundary.price)),
        ("token", line(boundary.token_note)),
        ("counts", phrases.counted(diff)),
    ]
    return [row for label, text in rows if text for row in _labelled(label, text.split(" "), style)]


def _change(ordinal: int, change: Change, boundary: Boundary, style: Style) -> list[str]:
    cause = style.paint(line(change.cause), f"bold {_SEVERITIES[change.severity]}")
    lines = wrap([f"{ordinal}.", cause, *f"({phrases.labels(change)})".split(" ")], style.width, rest=_INDENT)
    lines += wrap(line(change.message).split(" "), style.width, first=_INDENT, rest=_INDENT)
    lines += _places(change, style)
    lines += _printed_by(change, style)
    if style.excerpts:
        lines += [_INDENT + _gutter(row, style) for row in excerpt_lines(change, style.width - len(_INDENT))]
    lines += _labelled("also", _also(change), style) if change.also else []
    before, *what_if = phrases.sharing(change, exact=boundary.exact)
    rows = [before, *what_if[:1], ("fix", line(change.fix)), *what_if[1:]]
    return lines + [row for label, text in rows if text for row in _labelled(label, text.split(" "), style)]


def _places(change: Change, style: Style) -> list[str]:
    """One line for each side with aligned pointers, or two where one would be too long."""
    places = (change.a, change.b)
    spots = [phrases.spot(place) for place in places]
    tails = [
        [*filter(None, [phrases.pointer(place.pointer)]), "", *phrases.offset(place).split(" ")] for place in places
    ]
    wide = max(map(width, spots))
    split = len(_INDENT) + 4 + wide + max(width(" ".join(tail)) for tail in tails) > style.width
    lines: list[str] = []
    for name, spot, tail in zip("ab", spots, tails, strict=True):
        first = f"{_INDENT}{name} {style.paint(spot, 'cyan')}"
        if split:
            lines += [first, *wrap(tail, style.width, first=f"{_INDENT}  ", rest=f"{_INDENT}  ")]
        else:
            lines.append(f"{first}{' ' * (wide - width(spot) + 2)}{' '.join(tail)}")
    return lines


def _printed_by(change: Change, style: Style) -> list[str]:
    """The template lines, each with its source below unless excerpts are left out."""
    lines: list[str] = []
    by_side = {"a": change.template_a, "b": change.template_b, "a, b": change.template_a}
    for name, words in phrases.printed_by(change):
        lines += _labelled("by", [f"({name})", *words.split(" ")], style)
        found = by_side[name]
        if style.excerpts and found is not None and found.excerpt:
            room = style.width - len(_INDENT) - _LABEL
            lines.append(" " * (len(_INDENT) + _LABEL) + clipped(line(mask(found.excerpt)), room))
    return lines


def _gutter(row: str, style: Style) -> str:
    carets = row.startswith("  | ")
    return style.paint(row, "red") if carets else style.paint(row[:3], "dim") + row[3:]


def _also(change: Change) -> list[str]:
    shown = [phrases.pointer(pointer) for pointer in change.also[:_ALSO]]
    more = len(change.also) - _ALSO
    return ["at", *shown, *([f"and {more:,} more (--format json has all)"] if more > 0 else [])]


def _harmless(ordinal: int, change: Change, style: Style) -> list[str]:
    pointer = phrases.pointer(change.b.pointer)
    where = [style.paint(phrases.spot(change.b), "cyan"), *([pointer] if pointer else [])]
    tokens = [f"{ordinal}.", line(change.cause), *f"({phrases.labels(change)})".split(" "), *where]
    tokens[-1] += ":"
    return wrap([*tokens, *line(change.message).split(" ")], style.width, rest=_INDENT)


def _finding(found: Finding, style: Style) -> list[str]:
    place = f"{line(found.location.path)}:{found.location.line}:{found.location.column}"
    pointer = phrases.pointer(found.pointer)
    rule = style.paint(line(found.rule), f"bold {_SEVERITIES[found.severity]}")
    lines = wrap([rule, f"({found.severity}):", *line(found.message).split(" ")], style.width, rest=_INDENT)
    lines += wrap([style.paint(place, "cyan"), *([pointer] if pointer else [])], style.width, first=_INDENT)
    return lines + (_labelled("fix", line(found.fix).split(" "), style) if found.fix else [])


def _notes(report: Report, style: Style) -> list[str]:
    notes = [wrap(["note:", *line(note).split(" ")], style.width, rest="  ") for note in report.notes]
    return [row for rows in notes for row in rows]


def _table(table: Table, style: Style) -> list[str]:
    rows = [[line(name) for name in table.columns]]
    rows += [[line(cell) if isinstance(cell, str) else number(cell) for cell in row] for row in table.rows]
    right = [all(_is_figure(row[index]) for row in table.rows) for index in range(len(table.columns))]
    title = style.paint(line(table.title), "bold")
    lines = columns(rows, right)
    if max(map(width, lines), default=0) + 2 <= style.width or len(rows) > _MOST_RECORDS:
        return [title, *(f"  {row}" for row in lines)]
    return [title, *(text for row in rows[1:] for text in _record(rows[0], row, style))]


def _record(names: list[str], cells: list[str], style: Style) -> list[str]:
    """A row that is too wide for the terminal: its first cell, and below it the others with their names."""
    pairs = [f"{name} {cell}" for name, cell in zip(names[1:], cells[1:], strict=True) if cell]
    words = [word for pair in pairs[:-1] for word in f"{pair};".split(" ")] + pairs[-1:][0].split(" ") if pairs else []
    return [f"  {style.paint(cells[0], 'cyan')}", *wrap(words, style.width, first="    ", rest="      ")]


def _is_figure(cell: str | int | None) -> bool:
    """Whether a cell is a number, a share, or says that it is not known."""
    if not isinstance(cell, str) or cell in ("", "unknown"):
        return True
    return cell.removesuffix(" %").replace(",", "").replace(".", "", 1).isdecimal()


def _labelled(label: str, words: list[str], style: Style) -> list[str]:
    return labelled(label, words, style, indent=len(_INDENT), column=_LABEL)
