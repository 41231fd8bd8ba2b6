"""`promptlint lint` in every format: expected outputs, the JSON contract, and that no prompt can attack a reader."""

import json
import re
import subprocess
import sys
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lint_samples as lint
from conftest import ROOT, Expected
from lint_reports import LAW, check_harmless, reports
from promptlint.commands.rules import rules
from promptlint.finding import Report
from promptlint.report import FORMS, write
from promptlint.report.escape import line, width
from promptlint.report.findings import statistics
from report_samples import HOSTILE

SCHEMA = json.loads((ROOT / "promptlint/schemas/report.schema.json").read_text())
CONTRACT = jsonschema.Draft202012Validator(SCHEMA)
FIXTURES = ROOT / "fixtures/report/lint"
CODES = re.compile(r"\x1b\[[0-9]+(;[0-9]+)*m")


@pytest.mark.parametrize("name", lint.SAMPLES)
@pytest.mark.parametrize("form", FORMS)
def test_expected(name: str, form: str, expected: Expected) -> None:
    expected(FIXTURES / f"{name}.{form}.expected", write(lint.SAMPLES[name](), form))


def test_every_expected_file_is_compared() -> None:
    assert {path.name for path in FIXTURES.iterdir()} == {
        f"{name}.{form}.expected" for name in lint.SAMPLES for form in FORMS
    }


@LAW
@given(reports(), st.integers(50, 120), st.booleans())
def test_text_is_harmless_and_fits(report: Report, columns: int, excerpts: bool) -> None:
    text = write(report, "text", width=columns, excerpts=excerpts)
    check_harmless(text)
    assert CODES.sub("", write(report, "text", width=columns, excerpts=excerpts, color=True)) == text
    facts = report.lint
    assert facts is not None
    quoted = [row for each in facts.suggestions for row in each.text.split("\n")]
    quoted += [row for each in facts.fixes for row in each.diff.split("\n")]
    unbroken = [width(line(row)) for row in quoted]
    unbroken += [width(word) for word in text.split()]
    unbroken += [width(line(file.what)) + width(line(file.path)) for file in facts.files]
    unbroken += [width(line(at.path)) for found in report.findings for at in (found.location, *found.related)]
    unbroken += [width(line(suggestion.path)) for suggestion in facts.suggestions]
    unbroken += [width(line(path)) for path, _ in facts.skipped]
    unbroken += [width(line(text)) for fix in facts.fixes for text in (fix.path, ", ".join(fix.rules))]
    unbroken += [width(pointer(found.pointer)) + width(line(found.rule)) for found in report.findings]
    limit = max(columns, 40 + max(unbroken, default=0))
    assert all(width(row) <= limit for row in text.split("\n"))


def pointer(found: str | tuple[str, ...]) -> str:
    return line(found) if isinstance(found, str) else " > ".join(map(line, found))


@pytest.mark.parametrize("columns", [60, 80, 120])
def test_real_findings_fit_the_terminal(columns: int) -> None:
    for name in ("clean", "findings", "nothing", "rewritten", "statistics"):
        text = write(lint.SAMPLES[name](), "text", width=columns)
        assert max(map(width, text.split("\n"))) <= columns, name


def test_text_says_everything_of_a_finding() -> None:
    report = Report("lint", "fail", (lint.varying(),), lint=lint.facts())
    text = " ".join(write(report, "text").split())
    for told in (
        "fail 1 finding in 1 of 3 files: 1 warning; up to about 2,040 tokens lost at a time",
        "prompts/desk.j2 template",
        "12:18 warning varying-text-ahead (possible) about 2,040 tokens lost",
        "| You are talking to {{ user_name }}\\u{200b}.",
        "also 14:3, prompts/parts/rules.j2:1:1",
        "fix Print what stays first and what varies last.",
    ):
        assert told in text, told
    exact = report._replace(lint=lint.facts(exact=True))
    assert "(possible) 2,040 tokens lost" in " ".join(write(exact, "text").split())


def test_the_verdict_ends_the_text() -> None:
    """A terminal shows the end of a long report."""
    assert write(lint.findings(), "text").splitlines()[-2].startswith("fail  5 findings in 2 of 4 files")
    assert write(lint.clean(), "text") == "pass  3 files, nothing to report\n"


def test_a_fix_that_a_rule_repeats_is_told_once_in_a_file() -> None:
    other = lint.clock()._replace(location=lint.location("other.j2", 1, 1))
    asked = lint.clock()._replace(fix="Something else.")
    found = (lint.clock(), lint.clock(), asked, other)
    text = " ".join(write(Report("lint", "fail", found, lint=lint.facts()), "text").split())
    assert text.count("fix Let the caller pass") == 2
    assert text.count("fix Something else.") == 1


def test_many_findings_of_one_rule_are_cut() -> None:
    many = tuple(lint.clock()._replace(location=lint.location("a.j2", number, 1)) for number in range(1, 31))
    report = Report("lint", "fail", (*many, lint.varying()), lint=lint.facts())
    text = write(report, "text")
    assert "  and 20 more clock-in-template in lines 11 to 30 (--format concise has all)\n" in text
    assert text.count("clock-in-template") == 11
    assert "varying-text-ahead" in text
    assert write(report, "concise").count("clock-in-template") == 30


def test_no_caret_where_a_whole_text_is_meant() -> None:
    def rows(mark: tuple[int, int]) -> list[str]:
        found = lint.clock()._replace(excerpt="abc", mark=mark)
        text = write(Report("lint", "fail", (found,), lint=lint.facts()), "text")
        return [row.strip() for row in text.split("\n") if row.strip().startswith("|")]

    assert rows((0, 0)) == ["| abc"]
    assert rows((2, 2)) == ["| abc", "|   ^"]
    assert rows((0, 3)) == rows((0, 9)) == ["| abc", "| ^^^"]
    assert rows((3, 4)) == ["| abc", "|    ^"]
    assert rows((7, 9)) == ["| abc", "|    ^"]


def test_carets_stand_under_what_is_marked() -> None:
    rows = write(Report("lint", "fail", (lint.clock(),), lint=lint.facts()), "text").split("\n")
    number = next(index for index, row in enumerate(rows) if row.lstrip().startswith("| It is"))
    at, carets = rows[number], rows[number + 1]
    assert at[carets.index("^") : len(carets)] == "{{ now().strftime('%H:%M') }}"


def test_what_an_author_answered_is_counted() -> None:
    text = write(lint.findings(), "text")
    assert "2 findings suppressed: 1 by a comment, 1 by the baseline\n" in text
    assert "\n2 files skipped, as no prompts (--format json says why)\n" in text
    assert json.loads(write(lint.findings(), "json"))["lint"]["skipped"] == [
        {"path": "prompts/logo.png", "reason": "no text"},
        {"path": "prompts/huge.json", "reason": "larger than 10 MB"},
    ]


def test_statistics_instead_of_findings() -> None:
    report = lint.statistics()
    for form in ("text", "concise", "markdown"):
        text = write(report, form)
        assert "desk.j2" not in text, form
        assert re.search(r"2\W+info\W+white-space-in-template", text), form
    assert write(report, "text").index("white-space") < write(report, "text").index("clock-in")
    told = json.loads(write(lint.findings(), "json"))["lint"]["statistics"]
    assert told[:2] == [
        {"rule": "white-space-in-template", "severity": "info", "findings": 2, "lost_tokens": None},
        {"rule": "clock-in-template", "severity": "error", "findings": 1, "lost_tokens": 3118},
    ]


def test_statistics_count_the_dearest_of_each_file() -> None:
    """The findings of one file overlap: what the first strands holds what the second does."""
    here, there = lint.clock().location, lint.location("other.j2", 1, 1)
    found = (
        lint.clock()._replace(lost_tokens=900, severity="info", location=here),
        lint.clock()._replace(lost_tokens=40, severity="warning", location=here),
        lint.clock()._replace(lost_tokens=100, severity="info", location=there),
    )
    report = Report("lint", "fail", found, lint=lint.facts(statistics=True))
    [count] = statistics(report)
    assert (count.rule.id, count.findings, count.lost_tokens, count.severity) == (
        "clock-in-template",
        3,
        1000,
        "warning",
    )
    for form in ("text", "concise", "markdown"):
        assert "about 1,000" in write(report, form), form


@LAW
@given(reports())
def test_concise_is_one_line_a_finding(report: Report) -> None:
    text = write(report, "concise")
    check_harmless(text)
    assert report.lint is not None
    rewritten = len(report.lint.suggestions) + len(report.lint.fixes)
    assert text.count("\n") == 1 + len(report.findings) + rewritten


def test_concise_lines_open_in_an_editor() -> None:
    first, *rest = write(lint.findings(), "concise").splitlines()
    assert first.startswith("fail: 5 findings in 2 of 4 files: 2 errors, 1 warning, 2 info")
    assert all(re.fullmatch(r"[a-z0-9./-]+:\d+:\d+: (error|warning|info) [a-z-]+: .+", row) for row in rest)


@LAW
@given(reports(), st.booleans())
def test_json_keeps_the_contract(report: Report, excerpts: bool) -> None:
    text = write(report, "json", excerpts=excerpts)
    assert text.isascii()
    check_harmless(text)
    value = json.loads(text)
    CONTRACT.validate(value)
    assert len(value["findings"]) == len(report.findings)


def test_json_gives_back_the_strings() -> None:
    for text in HOSTILE:
        where = lint.location(text, 1, 1)
        found = lint.finding("r", where, text, fix=text, excerpt=text, mark=(1, 3), end_line=2, end_column=4)
        back = json.loads(write(Report("lint", "fail", (found,), lint=lint.facts()), "json"))["findings"][0]
        assert (back["message"], back["fix"], back["excerpt"], back["location"]["path"]) == (text,) * 4
        assert (back["mark"], back["end_line"], back["end_column"], back["cause"]) == ([1, 3], 2, 4, None)


def test_a_finding_about_the_check_itself_has_no_cause() -> None:
    found = lint.clock()._replace(rule="unused-suppression", cause="")
    report = Report("lint", "fail", (found,), lint=lint.facts())
    value = json.loads(write(report, "json"))
    CONTRACT.validate(value)
    assert value["findings"][0]["cause"] is None
    for form in FORMS:
        assert "unused-suppression" in write(report, form), form


def test_the_catalogue_keeps_the_contract() -> None:
    value = json.loads(write(rules(), "json"))
    CONTRACT.validate(value)
    assert len(value["rules"]) > 40
    assert not CONTRACT.is_valid({**value, "verdict": "pass"})
    for name in list(value["rules"][0]):
        kept = value["rules"][0].pop(name)
        assert not CONTRACT.is_valid(value), name
        value["rules"][0][name] = kept
    CONTRACT.validate(json.loads(write(rules("marker-limit"), "json")))


def test_schema_is_strict() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    report = lint.findings()
    assert report.lint is not None
    more = lint.rewritten().lint
    assert more is not None
    report = report._replace(lint=report.lint._replace(suggestions=more.suggestions, fixes=more.fixes))
    value = json.loads(write(report, "json"))
    CONTRACT.validate(value)
    for path in (
        ("lint",),
        ("findings", 0),
        ("lint", "files", 0),
        ("lint", "skipped", 0),
        ("lint", "suppressed", 0),
        ("lint", "suggestions", 0),
        ("lint", "fixes", 0),
        ("lint", "statistics", 0),
    ):
        broken = json.loads(json.dumps(value))
        inner = broken
        for step in path:
            inner = inner[step]
        inner["surprise"] = 1
        assert not CONTRACT.is_valid(broken), path
        del inner["surprise"]
        for name in list(inner):
            kept = inner.pop(name)
            assert not CONTRACT.is_valid(broken), (path, name)
            inner[name] = kept
    assert not CONTRACT.is_valid({**value, "verdict": "bust"})
    assert not CONTRACT.is_valid({**value, "command": "diff"})


def test_markdown_puts_the_costliest_first() -> None:
    text = write(lint.findings(), "markdown")
    rows = [row.split(" | ")[0] for row in text.split("\n") if re.match(r"\| \d", row)]
    assert rows == ["| 1 error", "| 2 error", "| 3 warning", "| 4 info", "| 5 info"]
    assert text.index("clock-in") < text.index("marker-limit") < text.index("varying")


def test_markdown_fits_a_comment() -> None:
    many = tuple(lint.clock()._replace(location=lint.location("a.j2", number, 1)) for number in range(1, 400))
    text = write(Report("lint", "fail", many, lint=lint.facts()), "markdown")
    assert "349 more findings" in text
    assert len(text) < 65_536


PROBE = """
import sys
sys.path.insert(0, "tests")
import lint_samples as lint
from promptlint.report import FORMS, write
heavy = {"jinja2", "jsonschema", "yaml", "rich", "xml", "html", "importlib.metadata"}
for form in FORMS:
    for name in lint.SAMPLES:
        sys.stdout.buffer.write(write(lint.SAMPLES[name](), form).encode())
assert heavy.isdisjoint(sys.modules), heavy & set(sys.modules)
"""


def test_the_same_bytes_under_any_hash_seed_and_locale() -> None:
    def printed(seed: str, locale: str) -> Any:
        environment = {"PYTHONHASHSEED": seed, "LC_ALL": locale, "PYTHONUTF8": "0", "PATH": ""}
        return subprocess.run([sys.executable, "-c", PROBE], cwd=ROOT, env=environment, capture_output=True, check=True)

    outputs = {printed(seed, locale).stdout for seed, locale in (("0", "C"), ("1", "C.UTF-8"), ("2", "POSIX"))}
    assert len(outputs) == 1
    assert len(outputs.pop()) > 10_000
