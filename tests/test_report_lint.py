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
from markdown_it import MarkdownIt

import lint_samples as lint
from conftest import ROOT, Expected
from lint_reports import reports
from promptlint.finding import Report
from promptlint.report import FORMS, write
from promptlint.report.escape import line, width
from report_samples import HOSTILE, SECRETS

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


def check_harmless(text: str) -> None:
    """Printable characters and line feeds; nothing that the runners of GitHub and Azure obey."""
    assert text.endswith("\n")
    assert all(char.isprintable() for char in text.replace("\n", ""))
    assert not any(row.strip().startswith("::") for row in text.split("\n"))
    assert not re.search(r"##[A-Za-z]*\[", text)


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
    unbroken += [width(line(found.location.path)) for found in report.findings]
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
        "fail 1 finding in 1 of 3 files: 1 warning; up to about 2,040 tokens lost by each request",
        "prompts/desk.j2 template",
        "12:18 warning varying-text-ahead (possible) about 2,040 tokens lost",
        "| You are talking to {{ user_name }}\\u{200b}.",
        "also 14:3, prompts/parts/rules.j2:1:1",
        "fix Print what stays first and what varies last.",
    ):
        assert told in text, told
    exact = report._replace(lint=lint.facts(exact=True))
    assert "(possible) 2,040 tokens lost" in " ".join(write(exact, "text").split())


def test_carets_stand_under_what_is_marked() -> None:
    rows = write(Report("lint", "fail", (lint.clock(),), lint=lint.facts()), "text").split("\n")
    number = next(index for index, row in enumerate(rows) if row.lstrip().startswith("| It is"))
    at, carets = rows[number], rows[number + 1]
    assert at[carets.index("^") : len(carets)] == "{{ now().strftime('%H:%M') }}"


def test_what_an_author_answered_is_counted() -> None:
    text = write(lint.findings(), "text")
    assert "2 findings suppressed: 1 by a comment, 1 by the baseline\n" in text
    assert "2 files skipped:\n  prompts/logo.png: no text\n" in text
    many = tuple((f"{number}.png", "no text") for number in range(13))
    assert "\n  and 3 more (--format json has all)" in write(
        Report("lint", "pass", lint=lint.facts(skipped=many)), "text"
    )


def test_statistics_instead_of_findings() -> None:
    report = lint.statistics()
    for form in ("text", "concise", "markdown"):
        text = write(report, form)
        assert "desk.j2" not in text, form
        assert re.search(r"2\W+info\W+white-space-in-template", text), form
    assert write(report, "text").index("white-space") < write(report, "text").index("clock-in")
    told = json.loads(write(lint.findings(), "json"))["lint"]["statistics"]
    assert list(told.items())[:2] == [("white-space-in-template", 2), ("clock-in-template", 1)]


@given(reports())
def test_concise_is_one_line_a_finding(report: Report) -> None:
    text = write(report, "concise")
    check_harmless(text)
    assert text.count("\n") == 1 + len(report.findings)


def test_concise_lines_open_in_an_editor() -> None:
    first, *rest = write(lint.findings(), "concise").splitlines()
    assert first.startswith("fail: 5 findings in 2 of 4 files: 2 errors, 1 warning, 2 info")
    assert all(re.fullmatch(r"[a-z0-9./-]+:\d+:\d+: (error|warning|info) [a-z-]+: .+", row) for row in rest)


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
        assert (back["mark"], back["end_line"], back["end_column"], back["cause"]) == ([1, 3], 2, 4, "r")


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


@given(reports(), st.booleans())
def test_markdown_holds_only_its_own_markup(report: Report, excerpts: bool) -> None:
    text = write(report, "markdown", excerpts=excerpts)
    check_harmless(text)
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    html = {row for token in tokens if token.type == "html_block" for row in token.content.splitlines()}
    assert html <= {"</details>", *(f"<details><summary>{each}</summary>" for each in FOLDED)}
    allowed = ("text", "code_inline", "softbreak", "strong_open", "strong_close")
    columns = {"tr_open": 0, "th_open": 0, "td_open": 0}
    for token in tokens:
        columns = {name: columns[name] + (token.type == name) for name in columns}
        for child in token.children or []:
            assert child.type in allowed, child
            if child.type == "text":
                assert not re.search(r"[@#$<>&`*_~|\\\[\]{}]|://|www\.|GH-", child.content), child.content
        if token.type == "fence":
            assert token.info in ("text", "jinja", "diff")
            assert token.info != "text" or all(re.match(r"\| |  U\+|   ", row) for row in token.content.splitlines())
    assert (columns["td_open"] + columns["th_open"]) % max(columns["tr_open"], 1) == 0


FOLDED = ("Lines and fixes", "The template", "Changes")


def test_hidden_excerpts() -> None:
    canary = "canary-text"
    found = lint.clock()._replace(excerpt=canary, mark=(0, 3))
    more = lint.rewritten().lint
    assert more is not None
    facts = lint.facts(
        suggestions=(more.suggestions[0]._replace(text=canary),), fixes=(more.fixes[0]._replace(diff=canary),)
    )
    report = Report("lint", "fail", (found,), lint=facts)
    for form in FORMS:
        assert canary not in write(report, form, excerpts=False), form
        assert (canary in write(report, form)) == (form in ("text", "json", "junit", "markdown")), form


@pytest.mark.parametrize("secret", SECRETS)
@pytest.mark.parametrize("form", FORMS)
def test_secrets_never_appear(secret: str, form: str) -> None:
    excerpt = f"key = {secret} end"
    where = lint.location(f"{secret}.json", 1, 1)
    found = lint.finding(
        "r", where, f"see {secret}", pointer=f"/{secret}", excerpt=excerpt, mark=(18, 19), fix=secret, related=(where,)
    )
    more = lint.rewritten().lint
    assert more is not None
    facts = lint.facts(
        skipped=((secret, secret),),
        errors=(secret,),
        suppressed=(lint.Suppressed(found, "comment", secret),),
        suggestions=(more.suggestions[0]._replace(text=excerpt, moved=(secret,), reader_note=secret),),
        fixes=(more.fixes[0]._replace(diff=excerpt, proof=secret),),
    )
    text = write(Report("lint", "fail", (found,), notes=(secret,), lint=facts), form)
    for start in range(max(7, secret.find("Bearer ") + 11), len(secret) - 6):
        assert json.dumps(secret[start : start + 6])[1:-1] not in text


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
