"""`promptlint check` in every format: expected outputs, the JSON contract, and that no prompt can attack a reader."""

import json
import re
import xml.etree.ElementTree as ET
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

import check_reports as check
from check_reports import SAMPLES, hostile, reports
from conftest import ROOT, Expected
from lint_reports import ATTACKS, LAW, check_harmless, commands
from promptlint.finding import Report
from promptlint.report import FORMS, checked, write
from promptlint.report.escape import line, width
from promptlint.report.markdown_check import MARKER
from report_samples import SECRETS

SCHEMA = json.loads((ROOT / "promptlint/schemas/report.schema.json").read_text())
CONTRACT = jsonschema.Draft202012Validator(SCHEMA)
SARIF = jsonschema.Draft7Validator(json.loads((ROOT / "fixtures/schemas/sarif-2.1.0.json").read_text()))
FIXTURES = ROOT / "fixtures/report/check"
CODES = re.compile(r"\x1b\[[0-9]+(;[0-9]+)*m")
COMMENT = 65_536  # characters that a comment on a pull request holds


def facts_of(report: Report) -> Any:
    assert report.check is not None
    return report.check


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize("form", FORMS)
def test_expected(name: str, form: str, expected: Expected) -> None:
    expected(FIXTURES / f"{name}.{form}.expected", write(SAMPLES[name](), form))


def test_every_expected_file_is_compared() -> None:
    assert {path.name for path in FIXTURES.iterdir()} == {
        f"{name}.{form}.expected" for name in SAMPLES for form in FORMS
    }


@LAW
@given(reports(), st.booleans())
def test_any_report_is_harmless(report: Report, excerpts: bool) -> None:
    for form in FORMS:
        text = write(report, form, excerpts=excerpts)
        if form == "github":
            text = "\n".join(row for row in text.split("\n") if not row.startswith("::"))
        check_harmless(text)
        assert form not in ("json", "sarif", "gitlab", "junit") or text.isascii()


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
@given(reports(), st.booleans())
def test_json_keeps_the_contract(report: Report, excerpts: bool) -> None:
    value = json.loads(write(report, "json", excerpts=excerpts))
    CONTRACT.validate(value)
    assert len(value["check"]["prompts"]) == len(facts_of(report).prompts)
    assert ("are null everywhere" in "".join(value["notes"][len(report.notes) :])) == (not excerpts)


def test_json_is_strict() -> None:
    """A field that is missing or unknown breaks the contract, at every depth."""
    value = json.loads(write(check.mixed(), "json"))
    number = next(index for index, each in enumerate(value["check"]["prompts"]) if each["name"] == "support")
    inside = ("check", "prompts", number)
    for path in (("check",), inside, (*inside, "causes", 0), (*inside, "causes", 0, "hunk"), (*inside, "reasons", 0)):
        broken = json.loads(json.dumps(value))
        inner = broken
        for step in path:
            inner = inner[step]
        for name in list(inner):
            kept = inner.pop(name)
            assert not CONTRACT.is_valid(broken), (path, name)
            inner[name] = kept
        inner["surprise"] = 1
        assert not CONTRACT.is_valid(broken), path
    assert not CONTRACT.is_valid({**value, "lint": {}})
    assert not CONTRACT.is_valid({key: each for key, each in value.items() if key != "check"})


def test_json_says_which_cause_a_finding_tells() -> None:
    value = json.loads(write(check.mixed(), "json"))
    causes = {found["rule"]: found["cause"] for found in value["findings"]}
    assert causes["clock"] == "clock"
    assert causes["white-space-in-template"] == "white-space"
    assert causes["budget"] is None


@LAW
@given(reports())
def test_sarif_is_valid(report: Report) -> None:
    value = json.loads(write(report, "sarif"))
    SARIF.validate(value)
    (run,) = value["runs"]
    assert len(run["results"]) == len(report.findings)
    assert run["invocations"][0]["executionSuccessful"] == (not facts_of(report).errors)


def test_sarif_has_the_summaries_of_causes() -> None:
    (run,) = json.loads(write(check.mixed(), "sarif"))["runs"]
    rules = {rule["id"]: rule["shortDescription"]["text"] for rule in run["tool"]["driver"]["rules"]}
    assert rules["clock"] == "A time of day stands in the prefix."
    assert rules["budget"] == "a change costs more than the budget of the prompt allows"
    assert rules["white-space-in-template"].startswith("white space that only some engines print")
    regions = [result["locations"][0]["physicalLocation"]["region"] for result in run["results"]]
    assert {"startLine": 2, "startColumn": 58} in regions  # no bytes are claimed where none are known


def test_gitlab_shows_what_could_not_be_rendered() -> None:
    last = json.loads(write(check.mixed(), "gitlab"))[-1]
    assert (last["check_name"], last["location"]["path"]) == ("not-rendered", "prompts/broken.j2")


@LAW
@given(reports())
def test_junit_has_a_test_for_each_prompt(report: Report) -> None:
    root = ET.fromstring(write(report, "junit"))
    (suite,) = root
    facts = facts_of(report)
    assert suite.get("name") == "promptlint check"
    kinds = [next((child.tag for child in case if child.tag != "system-out"), "pass") for case in suite]
    for prompt, kind in zip(facts.prompts, kinds, strict=False):
        unknown = "failure" if facts.strict else "skipped"
        assert kind == {"fail": "failure", "unknown": unknown, "pass": "pass"}[prompt.verdict]
    assert kinds.count("error") == len(facts.errors)


def test_github_shows_the_ten_costliest_of_each_kind() -> None:
    def many(severity: Any, count: int) -> list[Any]:
        return [check.lint_finding()._replace(severity=severity, lost_tokens=number) for number in range(count)]

    report = check.report("fail", more=(*many("error", 13), *many("warning", 3), *many("info", 11)), errors=("x: y",))
    text = write(report, "github")
    kinds = [command.name for command in commands(text)]
    assert [kinds.count(kind) for kind in ("error", "warning", "notice")] == [10, 3, 10]
    first, second, *_ = commands(text)
    assert (first.properties["title"], first.data) == ("not-rendered", "x: y")
    assert "12 tokens lost" in second.data
    assert text.endswith("\npromptlint: 5 more: see the job summary\n")


def test_text_says_everything_of_a_prompt() -> None:
    text = " ".join(write(check.mixed(), "text").split())
    for told in (
        "fail support prompts/support.j2 (was prompts/help.j2) (anthropic, claude-sonnet-5)",
        "usable about 4,120 of 4,400 -> about 310 of 4,410 tokens",
        "lost about 3,810 tokens per request, about $210 a day",
        "once about 4,120 tokens of each cached prefix, when this is deployed, about $0.015",
        "clock prompts/support.j2:2:58 now() prints the time",
        "budget max-lost-tokens-per-request: 3,810 tokens are lost, none may be",
        "lost about 700 tokens per session",
        "in prompts/parts/rules.j2:8 - rule 1",
        "(28 more lines)",
        "lost nothing per request once 11,000 tokens of each cached prefix, when this is deployed, $0.0297",
        "allowed until 2027-01-31: the new tone is worth a cold start",
        "pass triage prompts/triage.j2 about 800 of 900 -> about 800 of 910 tokens",
        "warning white-space-in-template prompts/support.j2:9:20",
        "error: prompts/broken.j2: line 3: unexpected end of template",
        "main (merge base 1a2b3c4) -> the working tree, 14 files changed",
    ):
        assert told in text, told
    assert "chats/" not in text
    assert "4 unchanged" in text


def test_the_verdict_ends_the_text_and_the_costliest_comes_first() -> None:
    text = write(check.mixed(), "text")
    heads = re.findall(r"^(?:fail|unknown|error|warning|pass)  ([^ ]+)", text, re.MULTILINE)
    failing, passing = ["support", "sales", "billing", "broken"], ["requests/agent.json", "old", "triage"]
    assert heads == [*failing, "white-space-in-template", *passing, "11"]
    assert text.splitlines()[-3].startswith("fail  11 prompts: 2 fail, 2 unknown, 3 pass, 4 unchanged; up to about 3,8")
    assert write(check.nothing(), "text").endswith("\npass  no prompts\n")


def test_a_finding_beside_a_cold_start_of_its_name_is_a_finding() -> None:
    """Told by how they were made, not by rule and place: a cause and a rule may have one name."""
    once = check.clock_cause()._replace(often="once")
    lint = check.lint_finding()
    lint = lint._replace(rule="clock", cause="", location=lint.location._replace(path=once.path, line=once.line))
    body = check.report("fail", check.cold()._replace(causes=(once,)), more=(lint,), lint_findings=1)
    assert "1 new lint finding" in " ".join(write(body, "text").split())
    assert "New lint findings" in write(body, "markdown")


def test_counts_are_exact_only_where_the_model_counts_so() -> None:
    sure = check.failing(exact=True, causes=())
    text = " ".join(write(check.report("fail", sure), "text").split())
    assert "usable 4,120 of 4,400 -> 310 of 4,410 tokens lost 3,810 tokens per request, $205.74 a day" in text
    assert "about" not in text


def test_a_cause_of_many_prompts_is_told_once() -> None:
    twins = [check.failing(link="")._replace(name=f"p{number}") for number in range(3)]
    for form in ("text", "markdown"):
        text = " ".join(write(check.report("fail", *twins), form).split())
        assert text.count("the time of day ahead of text that stays") == 1, form
        assert len(re.findall(r"as in `?p0", text)) == 2, form
        assert text.count("list prices since") == 1, form
        assert text.count("per request, about") == 4, form  # of each, and in the verdict
    cases = ET.fromstring(write(check.report("fail", *twins), "junit"))[0]
    assert all("the time of day" in (case[0].text or "") for case in cases)  # each test stands alone


def test_two_causes_in_one_line_show_it_once() -> None:
    causes = (check.clock_cause(), check.clock_cause(cause="per-turn-context", message="and the name of the user"))
    for form in ("text", "markdown", "junit"):
        text = write(check.report("fail", check.failing(causes=causes)), form)
        assert text.count("{{ now()") == 1, form
        assert "and the name of the user" in text


def test_a_long_line_is_cut_around_its_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [row.strip() for row in write(check.mixed(), "text").splitlines()]
    (removed,) = [row for row in rows if row.startswith("- …")]
    (added,) = [row for row in rows if row.startswith("+ …")]
    assert removed.endswith('base. Use pytest."}')
    assert added.endswith('base. Always use pytest."}')
    assert removed[2:20] == added[2:20]
    big = "x" * 3_000_000
    hunk = check.clock_cause().hunk
    assert hunk is not None
    cause = check.clock_cause(hunk=hunk._replace(lines=(f"-{big}a", f"+{big}b")))
    made_visible: list[int] = []

    def watched(text: str) -> str:
        made_visible.append(len(text))
        return line(text)

    monkeypatch.setattr(checked, "line", watched)
    text = write(check.report("fail", check.failing(causes=(cause,))), "text")
    assert max(made_visible) < 1000  # character by character, so no more than is shown
    assert re.search(r"- …x+a\n +\+ …x+b\n", text)


def test_markdown_begins_with_its_marker_and_stays_the_same() -> None:
    report = check.mixed()
    text = write(report, "markdown")
    assert text == write(report, "markdown")
    assert text.split("\n")[:2] == [MARKER, "### promptlint check: **fail**"]
    assert text.count(MARKER) == 1
    assert f"[`prompts/support.j2:2`](<{check.LINK}>) |" in text


@pytest.mark.parametrize(
    "link", ["javascript:alert(1)", "https://a.example/ b", "https://a.example/|x>", "//a", "x" * 999]
)
def test_markdown_links_are_web_addresses_only(link: str) -> None:
    text = write(check.report("fail", check.failing(link=link)), "markdown")
    assert "](" not in text
    assert "| `prompts/support.j2:2` |" in text


@LAW
@given(reports(), st.booleans())
def test_markdown_holds_only_its_own_markup(report: Report, excerpts: bool) -> None:
    check_markdown(write(report, "markdown", excerpts=excerpts))


def check_markdown(text: str) -> None:
    """One table, folded details, code, links to web addresses; nothing that a text brought along."""
    assert len(text) <= COMMENT
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    allowed = ("text", "code_inline", "softbreak", "strong_open", "strong_close", "link_open", "link_close")
    summary = r"<details><summary>(fail|unknown|pass) <code>[^<>\"']*</code></summary>|</details>"
    columns = {"tr_open": 0, "th_open": 0, "td_open": 0, "table_open": 0}
    for token in tokens:
        columns = {name: columns[name] + (token.type == name) for name in columns}
        if token.type == "html_block":
            assert all(row == MARKER or re.fullmatch(summary, row) for row in token.content.splitlines()), token.content
        for child in token.children or []:
            assert child.type in allowed, child
            if child.type == "link_open":
                assert re.fullmatch(r"https?://[!-~]+", str(child.attrs["href"]))
            if child.type == "text":
                assert not re.search(r"[@#$<>&`*_~|\\\[\]{}]|://|www\.|GH-", child.content), child.content
        if token.type == "fence":
            assert token.info == "diff"
            assert all(re.match(r"@@ -|[-+]|  \(", row) for row in token.content.splitlines())
    assert columns["table_open"] <= 1
    assert columns["td_open"] + columns["th_open"] == 7 * columns["tr_open"]


def test_markdown_of_many_prompts_fits_a_comment() -> None:
    for name in ("p", "`" * 300, "\u202e|@" * 300, "漢" * 300):
        one = hostile(name * 3, name)
        (body, _) = facts_of(one).prompts
        many = tuple(body._replace(name=f"{name}{number}", path=f"{name}{number}") for number in range(700))
        text = write(one._replace(check=facts_of(one)._replace(prompts=many, errors=(name * 9,) * 700)), "markdown")
        check_markdown(text)
        rows = text.count("\n| **fail** ")
        assert rows >= 10
        assert f"{700 - rows} more prompts: see `--format json`\n" in text
        assert "</details>" in text


@pytest.mark.parametrize("form", FORMS)
def test_no_attack_reaches_a_reader(form: str) -> None:
    """Each hostile text in each place of a report where text of a repository can stand."""
    for attack in ATTACKS:
        text = write(hostile(attack), form)
        if form == "github":
            obeyed = commands(text)
            assert len(obeyed) == 5, attack
            assert all(
                each.properties.keys() <= {"file", "line", "col", "title", "endLine", "endColumn"} for each in obeyed
            )
            text = "\n".join(row for row in text.split("\n") if not row.startswith("::"))
        check_harmless(text)
        if form == "json":
            CONTRACT.validate(json.loads(text))
        if form == "sarif":
            SARIF.validate(json.loads(text))
        if form == "junit":
            root = ET.fromstring(text)
            assert all(char.isprintable() for each in root.iter() for char in (each.text or "").replace("\n", ""))
        if form == "markdown":
            check_markdown(text)


@pytest.mark.parametrize("secret", SECRETS)
@pytest.mark.parametrize("form", FORMS)
def test_secrets_never_appear(secret: str, form: str) -> None:
    rows = secret.split("\n")
    body = hostile(f"key = {secret} end", "keys")
    (first, *more) = facts_of(body).prompts
    hunk = first.causes[0].hunk._replace(lines=tuple(f"{sign}{row}" for sign in "-+" for row in rows))
    first = first._replace(causes=(first.causes[0]._replace(hunk=hunk),), link=f"https://git.example/{secret}")
    text = write(body._replace(check=facts_of(body)._replace(prompts=(first, *more))), form)
    for start in range(max(7, secret.find("Bearer ") + 11), len(secret) - 6):
        assert json.dumps(secret[start : start + 6])[1:-1] not in text


def test_hidden_excerpts() -> None:
    report = check.report(
        "fail", check.failing(), more=(check.lint_finding()._replace(excerpt="canary ", mark=(0, 3)),)
    )
    for form in FORMS:
        hidden, shown = write(report, form, excerpts=False), write(report, form)
        for text in ("You are the support desk", "canary"):
            assert text not in hidden, form
        assert ("You are the support desk" in shown) == (form in ("text", "json", "junit", "markdown")), form
    value = json.loads(write(report, "json", excerpts=False))
    assert value["check"]["prompts"][0]["causes"][0]["hunk"]["lines"] is None


def test_a_name_is_shown_as_it_is() -> None:
    """What is no secret comes back from JSON; a reader of the others sees it made visible."""
    for attack in ATTACKS:
        if attack not in SECRETS:
            report = check.report("fail", check.failing()._replace(name=attack))
            assert json.loads(write(report, "json"))["check"]["prompts"][0]["name"] == attack
            assert line(attack) in write(report, "text")
