"""The measured ramp as text tables, bars, CSV and an SVG chart."""

import math
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from promptlint.confirm_facts import RampRow
from promptlint.report.confirmed import seconds, size, times
from promptlint.report.escape import line
from promptlint.report.layout import clipped, wrap

_EIGHTHS = " ▏▎▍▌▋▊▉"
_WIDTH, _HEIGHT = 900, 600  # of the SVG
_LEFT, _TOP, _RIGHT, _BOTTOM = 90, 90, 150, 70  # of it, around the plot
_TITLE = 80  # columns of the title that fit
_APART = 18  # pixels between the names of two lines

_STYLE = """
text { font: 14px system-ui, sans-serif; fill: #1f2328 }
.title { font-size: 18px; font-weight: 600 }
.quiet { fill: #59636e }
.back { fill: #ffffff }
.grid { stroke: #d1d9e0; stroke-width: 1 }
.cold { stroke: #b3401a; fill: #b3401a }
.warm { stroke: #0a62a8; fill: #0a62a8 }
.path { fill: none; stroke-width: 2.5 }
.token { stroke-dasharray: 6 5 }
text.cold, text.warm { stroke: none }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 }
  .quiet { fill: #9aa4af }
  .back { fill: #0d1117 }
  .grid { stroke: #30363d }
  .cold { stroke: #ff9a6b; fill: #ff9a6b }
  .warm { stroke: #6cb6ff; fill: #6cb6ff }
  .path { fill: none }
}
"""

_COLUMNS: tuple[tuple[str, Callable[[RampRow], float | int | str | None]], ...] = (
    ("prefix_tokens", lambda row: row.prefix_tokens),
    ("suffix_tokens", lambda row: row.suffix_tokens),
    ("pairs", lambda row: row.speed.pairs),
    ("ttft_cold_s", lambda row: row.speed.ttft_cold),
    ("ttft_cold_lower_quartile_s", lambda row: (row.speed.cold_range or (None, None))[0]),
    ("ttft_cold_upper_quartile_s", lambda row: (row.speed.cold_range or (None, None))[1]),
    ("ttft_warm_s", lambda row: row.speed.ttft_warm),
    ("ttft_warm_lower_quartile_s", lambda row: (row.speed.warm_range or (None, None))[0]),
    ("ttft_warm_upper_quartile_s", lambda row: (row.speed.warm_range or (None, None))[1]),
    ("ttft_ratio", lambda row: _ratio(row.speed.ttft_cold, row.speed.ttft_warm)),
    ("ttft_ratio_spread", lambda row: row.speed.spread),
    ("tpot_cold_s", lambda row: row.speed.tpot_cold),
    ("tpot_warm_s", lambda row: row.speed.tpot_warm),
    ("decode_cold_s", lambda row: row.speed.decode_cold),
    ("decode_warm_s", lambda row: row.speed.decode_warm),
    ("end_to_end_cold_s", lambda row: row.speed.end_to_end_cold),
    ("end_to_end_warm_s", lambda row: row.speed.end_to_end_warm),
    ("kv_bytes", lambda row: row.kv_bytes),
    ("kv_predicted_bytes", lambda row: row.kv_bytes_predicted),
    ("peak_cold_bytes", lambda row: row.peak_bytes_cold),
    ("peak_warm_bytes", lambda row: row.peak_bytes_warm),
    ("roofline_cold_s", lambda row: row.roofline_s),
    ("note", lambda row: line(row.note)),
)


def csv(rows: Sequence[RampRow]) -> str:
    """Every figure, a row for each prefix. Seconds, bytes, decimal points; nothing for what is unknown."""
    import csv as writer
    from io import StringIO

    text = StringIO()
    out = writer.writer(text, lineterminator="\n")
    out.writerow([name for name, _ in _COLUMNS])
    for row in rows:
        out.writerow([_cell(value(row)) for _, value in _COLUMNS])
    return text.getvalue()


def _cell(value: float | int | str | None) -> str:
    if value is None:
        return ""
    return format(value, ".9g") if isinstance(value, float) else str(value)


def table(rows: Sequence[RampRow], width: int = 80) -> list[str]:
    """Two tables, times and memory, and what has to be said of single rows. Where they are too wide, columns go."""
    speeds: list[Sequence[str]] = [("", *["TTFT"] * 4, *["TPOT"] * 2, *["end to end"] * 3)]
    speeds.append(("prefix", "cold", "warm", "ratio", "spread", "cold", "warm", "cold", "warm", "ratio"))
    memory: list[Sequence[str]] = [("", "KV", "KV", "peak memory", "peak memory", "cold TTFT")]
    memory.append(("prefix", "counted", "arithmetic", "cold", "warm", "at the least"))
    for row in rows:
        speeds.append(_times(row))
        memory.append(_memory(row))
    notes = [f"{row.prefix_tokens:,}: {line(row.note)}" for row in rows if row.note]
    told = [each for note in notes for each in wrap(note.split(" "), width, rest="  ")]
    tables = [*_fitted(speeds, width, (8, 7, 4, 9, 6, 5)), "", *_fitted(memory, width, (2, 5, 4))]
    return [*tables, *([""] if told else []), *told]


def _times(row: RampRow) -> tuple[str, ...]:
    speed = row.speed
    return (
        f"{row.prefix_tokens:,}",
        _duration(speed.ttft_cold),
        _duration(speed.ttft_warm),
        _times_of(speed.ttft_cold, speed.ttft_warm),
        f"{speed.spread * 100:.0f} %",
        _duration(speed.tpot_cold),
        _duration(speed.tpot_warm),
        _duration(speed.end_to_end_cold),
        _duration(speed.end_to_end_warm),
        _times_of(speed.end_to_end_cold, speed.end_to_end_warm),
    )


def _memory(row: RampRow) -> tuple[str, ...]:
    sizes = (row.kv_bytes, row.kv_bytes_predicted, row.peak_bytes_cold, row.peak_bytes_warm)
    return (f"{row.prefix_tokens:,}", *(_size(each) for each in sizes), _duration(row.roofline_s))


def _fitted(lines: Sequence[Sequence[str]], width: int, spare: Sequence[int]) -> list[str]:
    """The table without as many of its spare columns, in that order, as do not fit."""
    drawn = _aligned(lines, 2)
    for count in range(len(spare) + 1):
        if max(map(len, drawn)) <= width:
            break
        drawn = _aligned([[cell for at, cell in enumerate(row) if at not in spare[:count]] for row in lines], 1)
    return drawn


def _aligned(lines: Sequence[Sequence[str]], gap: int) -> list[str]:
    """Columns to the right, `gap` apart; the first line names groups of columns, each over the first of its group."""
    groups, *rest = lines
    widths = [max(len(cell) for cell in column) for column in zip(*rest, strict=True)]
    body = [(" " * gap).join(cell.rjust(columns) for cell, columns in zip(row, widths, strict=True)) for row in rest]
    head, end, last = "", 0, ""
    for name, columns in zip(groups, widths, strict=True):
        if name != last:
            head = head.ljust(end) + name.rjust(columns)
        end, last = end + columns + gap, name
    return [head.rstrip(), *body]


def _ratio(cold: float | None, warm: float | None) -> float | None:
    return cold / warm if cold is not None and warm else None


def _times_of(cold: float | None, warm: float | None) -> str:
    return "" if cold is None or warm is None else times(cold, warm)


def _duration(value: float | None) -> str:
    return "" if value is None else seconds(value)


def _size(value: int | None) -> str:
    return "" if value is None else size(value)


def bars(rows: Sequence[RampRow], width: int = 80) -> list[str]:
    """TTFT as bars on one scale from zero, cold above warm."""
    if not rows:
        return []
    name = max(len(f"{row.prefix_tokens:,}") for row in rows)
    longest = max(max(row.speed.ttft_cold, row.speed.ttft_warm) for row in rows) or 1.0
    columns = max(8, width - name - 6 - 9)
    lines = [f"{'prefix'.rjust(name)} TTFT"]
    for row in rows:
        for label, ttft in (("cold", row.speed.ttft_cold), ("warm", row.speed.ttft_warm)):
            start = (f"{row.prefix_tokens:,}" if label == "cold" else "").rjust(name)
            lines.append(f"{start} {label} {_bar(ttft / longest * columns)} {seconds(ttft)}")
    return lines


def _bar(columns: float) -> str:
    eighths = max(1, round(columns * 8))
    return "█" * (eighths // 8) + _EIGHTHS[eighths % 8].strip()


class _Line(NamedTuple):
    """One quantity over the prefixes: tokens, seconds, and its quartiles where they are known."""

    name: str
    style: str
    points: list[tuple[int, float, tuple[float, float] | None]]


class _Scale(NamedTuple):
    """From the logarithm of a value to pixels."""

    low: float
    high: float
    start: float
    end: float

    def at(self, value: float) -> float:
        share = (math.log2(value) - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)


def svg(rows: Sequence[RampRow], title: str) -> str:
    """A chart of TTFT and TPOT, both axes logarithmic. No script, no font, nothing from elsewhere; light and dark."""
    lines = [each for each in _lines(rows) if each.points]
    values = [value for each in lines for _, middle, edges in each.points for value in (middle, *(edges or ()))]
    tokens = [row.prefix_tokens for row in rows] or [1]
    across = _Scale(math.log2(min(tokens)) - 0.5, math.log2(max(tokens)) + 0.5, _LEFT, _WIDTH - _RIGHT)
    low, high = _decades(values or [0.001, 1.0])
    up = _Scale(math.log2(10.0**low), math.log2(10.0**high), _HEIGHT - _BOTTOM, _TOP)
    shown = _text(title)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img">',
        f"<title>{shown}</title>",
        f"<style>{_STYLE}</style>",
        f'<rect class="back" width="{_WIDTH}" height="{_HEIGHT}"/>',
        f'<text class="title" x="{_LEFT}" y="36">{shown}</text>',
        f'<text class="quiet" x="{_LEFT}" y="60">cold: the prompt computed whole; warm: its prefix in the cache. '
        "Medians; bars: middle half of the runs</text>",
        *_axes(across, up, tokens, range(low, high + 1)),
        *(part for each in lines for part in _drawn(each, across, up)),
        *_names(lines, up),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _lines(rows: Sequence[RampRow]) -> Iterator[_Line]:
    speeds = [(row.prefix_tokens, row.speed) for row in rows]
    yield _Line("TTFT cold", "cold", [(tokens, each.ttft_cold, each.cold_range) for tokens, each in speeds])
    yield _Line("TTFT warm", "warm", [(tokens, each.ttft_warm, each.warm_range) for tokens, each in speeds])
    yield _Line("TPOT cold", "cold token", [(at, each.tpot_cold, None) for at, each in speeds if each.tpot_cold])
    yield _Line("TPOT warm", "warm token", [(at, each.tpot_warm, None) for at, each in speeds if each.tpot_warm])


def _decades(values: Sequence[float]) -> tuple[int, int]:
    """Powers of ten around all values."""
    low = math.floor(math.log10(max(min(values), 1e-9)))
    return low, max(low + 1, math.ceil(math.log10(max(*values, 1e-9))))


def _axes(across: _Scale, up: _Scale, tokens: Sequence[int], decades: range) -> Iterator[str]:
    bottom, right = _HEIGHT - _BOTTOM, _WIDTH - _RIGHT
    for power in decades:
        y = up.at(10.0**power)
        yield f'<line class="grid" x1="{_LEFT}" x2="{right}" y1="{y:.1f}" y2="{y:.1f}"/>'
        yield f'<text class="quiet" x="{_LEFT - 10}" y="{y + 5:.1f}" text-anchor="end">{10.0**power:g}</text>'
    first, last = math.ceil(across.low), math.floor(across.high)
    for power in range(first, last + 1, 1 + (last - first) // 9):
        x = across.at(2.0**power)
        yield f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="{_TOP}" y2="{bottom}"/>'
        yield f'<text class="quiet" x="{x:.1f}" y="{bottom + 22}" text-anchor="middle">{2**power:,}</text>'
    middle = (_LEFT + right) / 2
    yield f'<text x="{middle:g}" y="{bottom + 50}" text-anchor="middle">tokens of the prefix (log2)</text>'
    centre = (_TOP + bottom) / 2
    yield f'<text transform="translate(24 {centre:g}) rotate(-90)" text-anchor="middle">seconds (log10)</text>'


def _drawn(each: _Line, across: _Scale, up: _Scale) -> Iterator[str]:
    places = [(across.at(tokens), up.at(max(value, 1e-9)), edges) for tokens, value, edges in each.points]
    if len(places) > 1:
        yield f'<polyline class="path {each.style}" points="{" ".join(f"{x:.1f},{y:.1f}" for x, y, _ in places)}"/>'
    for x, y, edges in places:
        if edges:
            ends = [up.at(max(edge, 1e-9)) for edge in edges]
            yield f'<line class="{each.style}" x1="{x:.1f}" x2="{x:.1f}" y1="{ends[0]:.1f}" y2="{ends[1]:.1f}"/>'
        if each.style.startswith("cold"):
            yield f'<circle class="{each.style}" cx="{x:.1f}" cy="{y:.1f}" r="4"/>'
        else:
            yield f'<rect class="{each.style}" x="{x - 4:.1f}" y="{y - 4:.1f}" width="8" height="8"/>'


def _names(lines: Sequence[_Line], up: _Scale) -> Iterator[str]:
    """Each line's name and last value at its end, moved down where two would meet."""
    ends = sorted((up.at(max(each.points[-1][1], 1e-9)), each) for each in lines)
    free = float(_TOP)
    for y, each in ends:
        place = max(y, free)
        free = place + _APART
        name = f"{each.name} {seconds(each.points[-1][1])}"
        yield f'<text class="{each.style}" x="{_WIDTH - _RIGHT + 6}" y="{place + 5:.1f}">{name}</text>'


def _text(text: str) -> str:
    from html import escape

    return escape(clipped(line(text), _TITLE))
