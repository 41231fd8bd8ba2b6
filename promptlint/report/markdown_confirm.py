"""The Markdown report of `promptlint confirm`, for comments and job summaries: the verdict, then each proof with its
control, tables for what has several rows."""

from promptlint.confirm_facts import ConfirmFacts, RampRow
from promptlint.finding import Report
from promptlint.report import confirmed
from promptlint.report.confirmed import seconds, size, times
from promptlint.report.escape import line
from promptlint.report.markdown import code, grid, words
from promptlint.report.phrases import number

_RAMP_HEAD = ("prefix", "TTFT without", "TTFT with", "ratio", "TPOT without", "TPOT with", "KV cache", "remark")
_MOST_SEEN = 200  # pairs: a comment holds 65,536 characters


def blocks(report: Report) -> list[str]:
    """Blocks that an empty line parts, but for tables and notes."""
    facts = report.confirm
    assert facts is not None
    told = [f"### promptlint confirm: **{report.verdict}**", words(confirmed.totals(report)), _suspect(facts)]
    pair = confirmed.pair_of(facts)
    named = [("a", code(line(pair.a))), ("b", code(line(pair.b)))] if pair is not None else []
    named += [("model", words(confirmed.about_model(facts))), ("tokens", words(line(facts.tokenizer)))]
    told.append(_rows(named))
    told.append(_titled("Reuse", _words(confirmed.reuse_rows(facts))))
    told.append(_titled("With reuse against without", _words(confirmed.equal_rows(facts))))
    if facts.splits:
        cells = [tuple(map(words, confirmed.split_cells(split))) for split in facts.splits]
        told.append(f"<details><summary>splits</summary>\n\n{grid(confirmed.SPLIT_HEAD, cells)}\n\n</details>")
    told += [_speed(facts), _ramp(facts), _generated(facts), _seen(facts)]
    return list(filter(None, told))


def _suspect(facts: ConfirmFacts) -> str:
    if facts.suspect is None:
        return ""
    why = f"\n\n{words(line(facts.suspect_why))}" if facts.suspect_why else ""
    return f"**{facts.suspect}**: {words(confirmed.points_to(facts.suspect))}{why}"


def _titled(title: str, body: str) -> str:
    return f"**{title}**\n\n{body}" if body else ""


def _words(rows: list[tuple[str, str]]) -> str:
    return _rows([(label, words(text)) for label, text in rows])


def _rows(rows: list[tuple[str, str]]) -> str:
    """The cells are Markdown already."""
    return "\n".join(f"- {label}: {text}" for label, text in rows if text)


def _speed(facts: ConfirmFacts) -> str:
    rows = confirmed.speed_rows(facts)
    if not rows:
        return ""
    cells = [tuple(map(words, row)) for row in rows]
    told = [f"**Speed** ({words(confirmed.speed_title(facts))})", grid(confirmed.SPEED_HEAD, cells)]
    told.append(_words([*confirmed.speed_remarks(facts), ("warning", line(facts.noisy))]))
    return "\n\n".join([*filter(None, told), words(confirmed.DEFINED)])


def _ramp(facts: ConfirmFacts) -> str:
    if not facts.ramp or (len(facts.ramp) == 1 and not facts.ramp[0].note):
        return ""
    return _titled("Ramp of prefixes", grid(_RAMP_HEAD, map(_ramp_cells, facts.ramp)))


def _ramp_cells(row: RampRow) -> tuple[str, ...]:
    speed = row.speed
    told = (
        number(row.prefix_tokens),
        seconds(speed.ttft_cold),
        seconds(speed.ttft_warm),
        times(speed.ttft_cold, speed.ttft_warm),
        seconds(speed.tpot_cold),
        seconds(speed.tpot_warm),
        size(row.kv_bytes),
        line(row.note),
    )
    return tuple(map(words, told))


def _generated(facts: ConfirmFacts) -> str:
    return "" if facts.generated is None else _titled("Generated", words(confirmed.generated_row(facts.generated)))


def _seen(facts: ConfirmFacts) -> str:
    """What a server said of each pair."""
    if not facts.seen or confirmed.pair_of(facts) is not None:
        return ""
    rows = []
    for seen in facts.seen[:_MOST_SEEN]:
        name, *counts = confirmed.seen_cells(seen)
        remarks = "; ".join(f"{label}: {text}" for label, text in confirmed.seen_remarks(seen) if text)
        rows.append((code(name), *counts, words(remarks)))
    more = len(facts.seen) - _MOST_SEEN
    told = [grid((*confirmed.SEEN_HEAD, "remark"), rows)]
    told += [f"{more:,} more: see {code('--format json')}"] if more > 0 else []
    told.append(_words([("source", confirmed.sources(facts)), ("calibration", confirmed.calibration(facts))]))
    return _titled("Observed by the server", "\n\n".join(filter(None, told)))
