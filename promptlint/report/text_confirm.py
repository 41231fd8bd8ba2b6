"""The text report of `promptlint confirm`: the verdict, what an error points to, then each proof beside its control."""

from collections.abc import Sequence

from promptlint.confirm_facts import ConfirmFacts
from promptlint.finding import Report
from promptlint.report import confirmed
from promptlint.report.escape import line, width
from promptlint.report.layout import Style, clipped, columns, labelled, wrap

_INDENT = "   "
_LABEL = 14  # columns of a label and the space behind it
_SHORT_LABEL = 7  # of what is said of one pair
_VERDICTS = {"confirmed": "green", "contradicted": "red"}
_MOST_SEEN = 40  # pairs; JSON has all


def blocks(report: Report, style: Style) -> list[list[str]]:
    """Blocks of lines that an empty line parts, but for tables and notes."""
    facts = report.confirm
    assert facts is not None
    return [
        _headline(report, facts, style),
        _suspect(facts, style),
        _titled("reuse", _labelled(confirmed.reuse_rows(facts), style), style),
        _titled("with reuse against without", _equal(facts, style), style),
        _speed(facts, style),
        _ramp(facts, style),
        _titled("generated", _generated(facts, style), style),
        *_seen(facts, style),
    ]


def _headline(report: Report, facts: ConfirmFacts, style: Style) -> list[str]:
    verdict = report.verdict or ""
    painted = style.paint(verdict, f"bold {_VERDICTS.get(verdict, 'yellow')}")
    lines = wrap([painted, "", *confirmed.totals(report).split(" ")], style.width, rest=_INDENT)
    pair = confirmed.pair_of(facts)
    rows = [("a", line(pair.a)), ("b", line(pair.b))] if pair is not None else []
    rows += [("model", confirmed.about_model(facts)), ("tokens", line(facts.tokenizer))]
    return lines + _labelled(rows, style)


def _suspect(facts: ConfirmFacts, style: Style) -> list[str]:
    if facts.suspect is None:
        return []
    told = [style.paint(facts.suspect, "bold red"), "", *confirmed.points_to(facts.suspect).split(" ")]
    lines = wrap(told, style.width, rest=_INDENT)
    return lines + (
        wrap(line(facts.suspect_why).split(" "), style.width, first=_INDENT, rest=_INDENT) if facts.suspect_why else []
    )


def _titled(title: str, lines: list[str], style: Style) -> list[str]:
    return [style.paint(title, "bold"), *lines] if lines else []


def _equal(facts: ConfirmFacts, style: Style) -> list[str]:
    lines = _labelled(confirmed.equal_rows(facts), style)
    if facts.splits:
        cells = [confirmed.SPLIT_HEAD, *map(confirmed.split_cells, facts.splits)]
        lines += _table(cells, [False, True, True, True], style)
    return lines


def _speed(facts: ConfirmFacts, style: Style) -> list[str]:
    rows = confirmed.speed_rows(facts)
    if not rows:
        return []
    title = wrap([style.paint("speed", "bold"), "", *f"({confirmed.speed_title(facts)})".split(" ")], style.width)
    lines = title + _table([confirmed.SPEED_HEAD, *rows], [False, True, True, True], style)
    lines += _labelled(confirmed.speed_remarks(facts), style)
    if facts.noisy:
        word = style.paint("warning:", "bold yellow")
        lines += wrap([word, *line(facts.noisy).split(" ")], style.width, first=_INDENT, rest=_INDENT)
    defined = [style.paint(row, "dim") for row in wrap(confirmed.DEFINED.split(" "), style.width - len(_INDENT))]
    return lines + [_INDENT + row for row in defined]


def _ramp(facts: ConfirmFacts, style: Style) -> list[str]:
    """Every length of prefix, where there are several or something is to be said of it."""
    if not facts.ramp or (len(facts.ramp) == 1 and not facts.ramp[0].note):
        return []
    from promptlint.report.confirm_chart import bars, table

    room = style.width - len(_INDENT)
    lines = table(facts.ramp, room)
    lines += ["", *bars(facts.ramp, room)] if len(facts.ramp) > 1 else []
    return _titled("ramp of prefixes", [f"{_INDENT}{row}".rstrip() for row in lines], style)


def _generated(facts: ConfirmFacts, style: Style) -> list[str]:
    if facts.generated is None:
        return []
    return wrap(confirmed.generated_row(facts.generated).split(" "), style.width, first=_INDENT, rest=_INDENT)


def _seen(facts: ConfirmFacts, style: Style) -> list[list[str]]:
    """What a server said of each pair."""
    if not facts.seen or confirmed.pair_of(facts) is not None:
        return []
    shown = facts.seen[:_MOST_SEEN]
    head, *rows = [confirmed.SEEN_HEAD, *map(confirmed.seen_cells, shown)]
    room = style.width - 2 * len(_INDENT) - max(width("  ".join(("", *row[1:]))) for row in (head, *rows)) - 6
    lines = _table(
        [head, *((clipped(row[0], max(room, 20)), *row[1:]) for row in rows)], [False, True, True, True], style
    )
    told = [lines[0]]
    for text, seen in zip(lines[1:], shown, strict=True):
        told.append(text)
        for label, words in confirmed.seen_remarks(seen):
            if words:
                told += labelled(label, words.split(" "), style, indent=2 * len(_INDENT), column=_SHORT_LABEL)
    if len(facts.seen) > _MOST_SEEN:
        told.append(f"{_INDENT}and {len(facts.seen) - _MOST_SEEN:,} more (--format json has all)")
    rows_below = [("source", confirmed.sources(facts)), ("calibration", confirmed.calibration(facts))]
    return [_titled("observed by the server", told + _labelled(rows_below, style), style)]


def _table(rows: Sequence[tuple[str, ...]], right: list[bool], style: Style) -> list[str]:
    head, *lines = columns(rows, right)
    return [_INDENT + style.paint(head, "dim"), *(_INDENT + row for row in lines)]


def _labelled(rows: list[tuple[str, str]], style: Style) -> list[str]:
    lines = []
    for label, text in rows:
        if text:
            lines += labelled(label, text.split(" "), style, indent=len(_INDENT), column=_LABEL)
    return lines
