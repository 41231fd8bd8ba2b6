"""The measured ramp as tables, bars, CSV and a picture: what is in them, and that nothing from elsewhere gets in."""

import csv
import io
import xml.etree.ElementTree as tree

import pytest

from promptlint.confirm_facts import RampRow, Speed
from promptlint.report import confirm_chart
from promptlint.report.escape import width

SVG = "{http://www.w3.org/2000/svg}"


def row(prefix: int, cold: float = 0.25, warm: float = 0.005, *, note: str = "", tokens: bool = True) -> RampRow:
    speed = Speed(
        ttft_cold=cold,
        ttft_warm=warm,
        tpot_cold=0.002 if tokens else None,
        tpot_warm=0.001 if tokens else None,
        end_to_end_cold=cold + 0.014 if tokens else None,
        end_to_end_warm=warm + 0.007 if tokens else None,
        spread=0.12,
        pairs=5,
        cold_range=(cold * 0.9, cold * 1.1),
        warm_range=(warm * 0.9, warm * 1.1),
    )
    return RampRow(prefix, 32, speed, prefix * 1024, prefix * 1024, prefix * 5000, None, 0.1, note)


RAMP = (row(512, 0.05), row(2048), row(131072, 62.5, 0.4, note="halved: out of memory at 262144"))


def test_every_figure_is_in_the_csv_with_its_unit() -> None:
    text = confirm_chart.csv((row(2048, 0.25, 0.005),))
    (read,) = csv.DictReader(io.StringIO(text))
    assert (read["prefix_tokens"], read["suffix_tokens"], read["pairs"]) == ("2048", "32", "5")
    assert (read["ttft_cold_s"], read["ttft_warm_s"], read["ttft_ratio"]) == ("0.25", "0.005", "50")
    assert (read["ttft_cold_lower_quartile_s"], read["ttft_warm_upper_quartile_s"]) == ("0.225", "0.0055")
    assert (read["tpot_cold_s"], read["tpot_warm_s"], read["end_to_end_warm_s"]) == ("0.002", "0.001", "0.012")
    assert (read["kv_bytes"], read["peak_cold_bytes"], read["peak_warm_bytes"]) == ("2097152", "10240000", "")
    assert text.count("\n") == 2
    assert "\r" not in text


def test_a_note_in_the_csv_stays_one_visible_cell() -> None:
    text = confirm_chart.csv((row(16, note='a "b", c\nd\x1b[2J'), row(32)))
    first, second = csv.DictReader(io.StringIO(text))
    assert first["note"] == 'a "b", c\\nd\\u{1b}[2J'
    assert second["note"] == ""


@pytest.mark.parametrize("columns", [47, 60, 77, 80, 120])
def test_tables_and_bars_fit(columns: int) -> None:
    lines = [*confirm_chart.table(RAMP, columns), *confirm_chart.bars(RAMP, columns)]
    assert max(map(width, lines)) <= columns
    for needed in ("512", "131,072", "TTFT", "62.5 s", "128 MB", "halved: out of memory at 262144"):
        assert any(needed in each for each in lines)


def test_a_terminal_of_80_columns_shows_every_column() -> None:
    head, names, *body = confirm_chart.table(RAMP, 80)
    assert head.split() == ["TTFT", "TPOT", "end", "to", "end"]
    assert names.split() == ["prefix", "cold", "warm", "ratio", "spread", "cold", "warm", "cold", "warm", "ratio"]
    assert body[1].split()[:5] == ["2,048", "250", "ms", "5.00", "ms"]
    assert "50x" in body[1]
    assert "22x" in body[1]  # of 264 ms to 12 ms: end to end hides the most of it
    assert "12 %" in body[1]


def test_what_was_not_measured_is_empty_not_zero() -> None:
    lines = confirm_chart.table((row(64, tokens=False)._replace(kv_bytes_predicted=None, roofline_s=None),), 100)
    assert lines[2].split() == ["64", "250", "ms", "5.00", "ms", "50x", "12", "%"]
    assert lines[6].split() == ["64", "64.0", "kB", "312", "kB"]


def test_bars_have_one_scale_from_zero() -> None:
    lines = confirm_chart.bars((row(512, 0.1, 0.05), row(2048, 0.2, 0.0001)), 80)
    bars = [len(each.split("cold ")[-1].split("warm ")[-1].split(" ")[0]) for each in lines[1:]]
    assert bars[0] == pytest.approx(bars[2] / 2, abs=1)
    assert bars[1] == pytest.approx(bars[2] / 4, abs=1)
    assert bars[3] == 1  # never nothing


def test_nothing_measured_gives_no_bars() -> None:
    assert confirm_chart.bars(()) == []


def drawn(rows: tuple[RampRow, ...], title: str = "minimal") -> tree.Element:
    return tree.fromstring(confirm_chart.svg(rows, title))


def test_the_picture_has_a_line_for_each_quantity() -> None:
    root = drawn(RAMP)
    lines = {each.get("class"): each.get("points", "").split() for each in root.iter(f"{SVG}polyline")}
    assert set(lines) == {"path cold", "path warm", "path cold token", "path warm token"}
    assert all(len(points) == 3 for points in lines.values())
    cold, warm = ([float(point.split(",")[1]) for point in lines[f"path {kind}"]] for kind in ("cold", "warm"))
    assert cold == sorted(cold, reverse=True)  # slower is higher
    assert all(high < low for high, low in zip(cold, warm, strict=True))
    across = [float(point.split(",")[0]) for point in lines["path cold"]]
    assert across[2] - across[1] == pytest.approx(3 * (across[1] - across[0]), abs=0.2)  # log2: 6 doublings beside 2
    words = [each.text or "" for each in root.iter(f"{SVG}text")]
    for needed in ("minimal", "tokens of the prefix (log2)", "seconds (log10)", "2,048", "0.01", "TTFT cold 62.5 s"):
        assert needed in words


def test_the_picture_is_self_contained_and_everything_lies_inside() -> None:
    text = confirm_chart.svg(RAMP, "minimal")
    for forbidden in ("<script", "href", "url(", "@import", "@font-face", "<image", "foreignObject", "http:", "https:"):
        assert forbidden not in text.replace("http://www.w3.org/2000/svg", "")
    assert "prefers-color-scheme: dark" in text
    for each in drawn(RAMP).iter():
        for name in ("x", "x1", "x2", "cx"):
            assert 0 <= float(each.get(name, 0)) <= 900
        for name in ("y", "y1", "y2", "cy"):
            assert 0 <= float(each.get(name, 0)) <= 600


def test_names_at_the_ends_of_lines_do_not_meet() -> None:
    places = [
        float(each.get("y", 0))
        for each in drawn((row(2048, 0.001, 0.001),)).iter(f"{SVG}text")
        if (each.text or "").startswith(("TTFT", "TPOT"))
    ]
    assert len(places) == 4
    assert all(after - before >= 17 for before, after in zip(sorted(places), sorted(places)[1:], strict=False))


def test_a_hostile_title_stays_text() -> None:
    title = '</title><script>alert("1")</script>&\x00\x1b\n' + "x" * 500
    root = drawn((row(2048),), title)
    assert not list(root.iter(f"{SVG}script"))
    shown = next(root.iter(f"{SVG}title")).text or ""
    assert shown.startswith('</title><script>alert("1")</script>&\\u{0}\\u{1b}\\n')
    assert len(shown) <= 80


@pytest.mark.parametrize("rows", [(), (row(1),), (row(2048, 0.0, 0.0, tokens=False),), (row(2048), row(2048))])
def test_the_picture_can_be_drawn_of_anything(rows: tuple[RampRow, ...]) -> None:
    assert drawn(rows).tag == f"{SVG}svg"
