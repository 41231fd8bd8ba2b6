"""`promptlint confirm` in every format: expected outputs, the JSON contract, and that no text can attack a reader."""

import csv
import io
import json
import re
import xml.etree.ElementTree as ET
from typing import Any, get_args

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

import confirm_reports as confirm
from confirm_reports import SAMPLES, hostile, reports
from conftest import ROOT, Expected
from lint_reports import ATTACKS, LAW, check_harmless
from promptlint.confirm_arguments import CONFIRM_FORMATS
from promptlint.confirm_facts import Generated, Suspect
from promptlint.errors import PromptlintError
from promptlint.finding import Report
from promptlint.report import write
from promptlint.report.confirmed import points_to, seconds, size, small, times
from promptlint.report.escape import line, width
from report_samples import SECRETS

SCHEMA = json.loads((ROOT / "promptlint/schemas/report.schema.json").read_text())
CONTRACT = jsonschema.Draft202012Validator(SCHEMA)
FIXTURES = ROOT / "fixtures/report/confirm"
FORMS = ("text", "json", "markdown")
CODES = re.compile(r"\x1b\[[0-9]+(;[0-9]+)*m")
FIELDS = (
    "backend model device dtype attention tokenizer predicted_tokens observed_tokens kv_first_difference kv_noise "
    "kv_difference logit_diff control_diff noise tolerance splits ttft_s tpot_s end_to_end_s spread pairs clock "
    "kv_bytes ramp suspect suspect_why generated seen calibration calibration_error noisy"
)


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize("form", FORMS)
def test_expected(name: str, form: str, expected: Expected) -> None:
    expected(FIXTURES / f"{name}.{form}.expected", write(SAMPLES[name](), form))


def test_every_expected_file_is_compared() -> None:
    assert {path.name for path in FIXTURES.iterdir()} == {
        f"{name}.{form}.expected" for name in SAMPLES for form in FORMS
    }


@LAW
@given(reports())
def test_any_report_is_harmless(report: Report) -> None:
    for form in FORMS:
        text = write(report, form)
        check_harmless(text)
        assert form != "json" or text.isascii()


@LAW
@given(reports(), st.integers(50, 120))
def test_colour_adds_nothing_but_codes(report: Report, columns: int) -> None:
    plain = write(report, "text", width=columns)
    assert CODES.sub("", write(report, "text", width=columns, color=True)) == plain


@pytest.mark.parametrize("columns", [60, 80, 120])
@pytest.mark.parametrize("name", SAMPLES)
def test_text_fits_the_terminal(name: str, columns: int) -> None:
    assert max(map(width, write(SAMPLES[name](), "text", width=columns).split("\n"))) <= columns


@LAW
@given(reports())
def test_json_keeps_the_contract(report: Report) -> None:
    value = json.loads(write(report, "json"))
    CONTRACT.validate(value)
    assert list(value["confirm"]) == FIELDS.split()


def test_json_is_strict() -> None:
    """A field that is missing or unknown breaks the contract, at every depth."""
    body = confirm.facts(generated=Generated(8, None, 3))
    value = json.loads(write(Report("confirm", "confirmed", confirm=body), "json"))
    CONTRACT.validate(value)
    inside = [("confirm", name) for name in ("ttft_s", "tpot_s", "end_to_end_s", "generated")]
    rows = [("confirm", name, 0) for name in ("splits", "ramp", "seen")]
    for path in (("confirm",), *inside, *rows, ("confirm", "ramp", 0, "ttft_range_s")):
        broken = json.loads(json.dumps(value))
        inner: Any = broken
        for step in path:
            inner = inner[step]
        for name in list(inner):
            kept = inner.pop(name)
            assert not CONTRACT.is_valid(broken), (path, name)
            inner[name] = kept
        inner["surprise"] = 1
        assert not CONTRACT.is_valid(broken), path
    assert not CONTRACT.is_valid({**value, "check": {}})
    assert not CONTRACT.is_valid({**value, "verdict": "pass"})
    assert not CONTRACT.is_valid({key: each for key, each in value.items() if key != "confirm"})


def test_what_is_not_known_is_null() -> None:
    value = json.loads(write(confirm.log(), "json"))["confirm"]
    known = {name for name, each in value.items() if each not in (None, "", [], {"cold": None, "warm": None})}
    assert known == {"backend", "model", "tokenizer", "seen", "calibration", "calibration_error"}
    dry = json.loads(write(confirm.dry_run(), "json"))
    CONTRACT.validate(dry)
    assert (dry["confirm"], dry["verdict"]) == (None, None)


def test_no_infinity_is_in_json() -> None:
    body = confirm.facts(logit_diff=float("inf"), noise=float("nan"))
    value = json.loads(write(Report("confirm", "contradicted", confirm=body), "json"))
    assert (value["confirm"]["logit_diff"], value["confirm"]["noise"]) == (None, None)


@pytest.mark.parametrize("suspect", get_args(Suspect))
def test_a_suspect_is_told_in_front_and_in_a_sentence(suspect: Suspect) -> None:
    report = confirm.contradicted()
    assert report.confirm is not None
    report = report._replace(confirm=report.confirm._replace(suspect=suspect))
    text = write(report, "text", width=120)
    assert text.index(suspect) < text.index("predicted     ")
    assert text.index(suspect) < 400
    for told in (text, write(report, "markdown")):
        assert points_to(suspect) in " ".join(told.split())
    assert points_to(suspect).startswith("a mismatch points to ")


def test_times_of_a_busy_machine_are_not_in_the_headline() -> None:
    body = confirm.facts(noisy="the times say nothing")
    assert "sooner" in write(confirm.confirmed(), "text").split("\n\n")[0]
    text = write(Report("confirm", "confirmed", confirm=body), "text")
    assert "sooner" not in text
    assert "warning: the times say nothing" in text


@pytest.mark.parametrize("control", [None, 1e-5])
def test_a_control_that_did_not_fail_is_told(control: float | None) -> None:
    text = " ".join(write(Report("confirm", "not_shown", confirm=confirm.facts(control_diff=control)), "text").split())
    assert "logits are equal with reuse, but no control failed" in text
    assert "an error would not be seen" in text or "nothing shows that an error would be seen" in text


def test_measured_prefixes_as_a_table_and_a_picture() -> None:
    rows = list(csv.DictReader(io.StringIO(write(confirm.ramp(), "csv"))))
    assert [row["prefix_tokens"] for row in rows] == ["512", "2048", "4096"]
    assert ET.fromstring(write(confirm.ramp(), "svg")).tag.endswith("svg")


@pytest.mark.parametrize("form", ["csv", "svg"])
def test_without_measured_prefixes_there_is_no_picture(form: str) -> None:
    for report in (confirm.server(), confirm.dry_run(), Report("diff", "same")):
        with pytest.raises(PromptlintError, match="no times"):
            write(report, form)


def check_markdown(text: str) -> None:
    """Nothing but what the report itself writes: no link, image or element of others, whole tables."""
    for token in MarkdownIt("gfm-like", {"linkify": False}).parse(text):
        for inner in token.children or ():
            assert inner.type in {
                "text", "code_inline", "strong_open", "strong_close", "softbreak", "html_inline",
            }, inner  # fmt: skip
            if inner.type == "html_inline":
                raise AssertionError(inner.content)
        if token.type == "html_block":
            assert re.fullmatch(r"(<details><summary>splits</summary>|</details>)\n?", token.content), token.content


@pytest.mark.parametrize("on_server", [False, True])
@pytest.mark.parametrize("form", CONFIRM_FORMATS)
def test_no_attack_reaches_a_reader(form: str, on_server: bool) -> None:
    """Each hostile text in each place of a report where text of others can stand."""
    for attack in ATTACKS:
        text = write(hostile(attack, on_server=on_server), form)
        check_harmless(text)
        if form == "json":
            CONTRACT.validate(json.loads(text))
        if form == "svg":
            assert {each.tag.rpartition("}")[2] for each in ET.fromstring(text).iter()}.isdisjoint({"script", "a"})
        if form == "markdown":
            check_markdown(text)


@pytest.mark.parametrize("secret", SECRETS)
@pytest.mark.parametrize("form", CONFIRM_FORMATS)
def test_secrets_never_appear(secret: str, form: str) -> None:
    for on_server in (False, True):
        text = write(hostile(f"key = {secret} end", on_server=on_server), form)
        for start in range(max(7, secret.find("Bearer ") + 11), len(secret) - 6):
            assert json.dumps(secret[start : start + 6])[1:-1] not in text


def test_a_name_is_shown_as_it_is() -> None:
    """What is no secret comes back from JSON; a reader of the others sees it made visible."""
    for attack in ATTACKS:
        if attack not in SECRETS:
            report = hostile(attack)
            assert json.loads(write(report, "json"))["confirm"]["seen"][0]["a"] == attack
            assert line(attack) in write(report, "text", width=2000)


def test_many_pairs_are_counted() -> None:
    report = confirm.log()
    assert report.confirm is not None
    many = report.confirm._replace(seen=report.confirm.seen[:1] * 700)
    told = {form: write(report._replace(confirm=many), form) for form in FORMS}
    assert "and 660 more (--format json has all)" in told["text"]
    assert "500 more: see `--format json`" in told["markdown"]
    assert len(told["markdown"]) < 65_536
    assert len(json.loads(told["json"])["confirm"]["seen"]) == 700


def test_figures_have_few_digits_and_a_unit() -> None:
    times_of = {
        0.0: "0.00 µs",
        3.2e-6: "3.20 µs",
        0.000822: "822 µs",
        0.0992: "99.2 ms",
        0.99999: "1.00 s",
        61.4: "61.4 s",
    }
    assert {value: seconds(value) for value in times_of} == times_of
    sizes = {0: "0 bytes", 1023: "1023 bytes", 1024: "1.00 kB", 3 << 20: "3.00 MB", 5 << 40: "5,120 GB"}
    assert {value: size(value) for value in sizes} == sizes
    differences = {
        0.0: "0",
        2.6e-6: "2.6e-6",
        0.0012: "0.0012",
        3.94935: "3.9",
        1234.5: "1.2e3",
        float("inf"): "more than any number",
    }
    assert {value: small(value) for value in differences} == differences
    assert [times(1, 0), times(0.1, 0.0033), times(1, 2), times(3, 2), times(5000, 1)] == [
        "-",
        "30x",
        "0.5x",
        "1.5x",
        "5,000x",
    ]


def test_what_half_precision_shows_is_not_told_as_more() -> None:
    half = confirm.facts(dtype="bfloat16", logit_diff=0.1, noise=0.05, tolerance=0.2, control_diff=1.4)
    text = " ".join(write(Report("confirm", "confirmed", confirm=half), "text").split())
    assert "an error of that size would be seen" in text
    assert "an error would be seen" not in text
    stale = half._replace(suspect="stale-block", suspect_why="at position 10, layer 1: zeros are kept")
    text = " ".join(write(Report("confirm", "contradicted", confirm=stale), "text").split())
    assert "keys and values kept are other ones, by too little to show in the logits" in text
    assert "logits are equal" not in text
