"""Reports for the logs and widgets of CI servers: GitHub's commands, GitLab's Code Quality, JUnit."""

import json
import re
import xml.etree.ElementTree as ET
from typing import Any

import pytest
from hypothesis import given

import lint_samples as lint
import report_samples as samples
from lint_reports import LAW, check_harmless, commands, reports
from promptlint.finding import Report
from promptlint.report import write
from promptlint.report.escape import line

KINDS = {"error": "error", "warning": "warning", "info": "notice"}


@LAW
@given(reports())
def test_github_obeys_one_command_a_finding(report: Report) -> None:
    text = write(report, "github")
    assert text.endswith("\n")
    assert all(char.isprintable() for char in text.replace("\n", ""))
    assert not re.search(r"##[A-Za-z]*\[", text)
    obeyed = commands(text)
    assert sorted(command.name for command in obeyed) == sorted(KINDS[found.severity] for found in report.findings)
    assert text.count("\n") == 1 + len(report.findings) + len(report.notes)
    known = {"file", "line", "endLine", "col", "endColumn", "title"}
    for command in obeyed:
        assert command.properties.keys() <= known
        assert not any(row.lstrip().startswith("::") for row in command.data.split("\n"))
    assert sorted(command.properties["title"] for command in obeyed) == sorted(line(f.rule) for f in report.findings)


def test_github_in_full() -> None:
    first, second, third, *_ = commands(write(lint.findings(), "github"))
    assert first.name == "error"
    assert first.properties == {
        "file": "prompts/desk.j2",
        "line": "4",
        "endLine": "4",
        "col": "7",
        "endColumn": "36",
        "title": "clock-in-template",
    }
    assert first.data.split("\n") == [
        "now() prints the time of day: about 3,118 tokens behind it are computed anew by each request",
        "Fix: Let the caller pass a time that is fixed for the session, or print it behind the last text that stays.",
    ]
    assert (second.name, second.properties["file"]) == ("error", "requests/turn-9.json")
    assert third.data.startswith(
        "user_name is another one for each user, and about 2,040 tokens behind it are computed anew ("
    )


def test_github_marks_no_empty_stretch() -> None:
    found = lint.clock()._replace(end_line=4, end_column=7)
    (command,) = commands(write(Report("lint", "fail", (found,), lint=lint.facts()), "github"))
    assert command.properties["col"] == "7"
    assert "endColumn" not in command.properties


def test_github_takes_no_columns_of_two_lines() -> None:
    found = lint.clock()._replace(end_line=6, end_column=2)
    (command,) = commands(write(Report("lint", "fail", (found,), lint=lint.facts()), "github"))
    assert (command.properties["line"], command.properties["endLine"]) == ("4", "6")
    assert not {"col", "endColumn"} & command.properties.keys()


def test_github_gives_back_names_with_its_own_signs() -> None:
    path = "a,line=9:%0A%25/x=y.j2"
    found = lint.clock()._replace(location=lint.location(path, 1, 1), rule="r:%,x", message="50% ::error:: %0A, a:b")
    (command,) = commands(write(Report("lint", "fail", (found,), lint=lint.facts()), "github"))
    assert command.properties["file"] == path
    assert command.properties["title"] == "r:%,x"
    assert command.data.startswith("50% \\u{3a}:error:: %0A, a:b; about 3,118 tokens lost, about $0.0093\nFix: ")


@LAW
@given(reports())
def test_gitlab_parses_and_its_fingerprints_differ(report: Report) -> None:
    text = write(report, "gitlab")
    assert text.isascii()
    check_harmless(text)
    issues = json.loads(text)
    assert len({issue["fingerprint"] for issue in issues}) == len(issues) == len(report.findings)
    for issue in issues:
        assert issue.keys() == {"description", "check_name", "fingerprint", "severity", "location"}
        assert issue["severity"] in ("info", "minor", "major", "critical", "blocker")
        lines = issue["location"]["lines"]
        assert 1 <= lines["begin"] <= lines["end"]
        assert all(
            text.isprintable() for text in (issue["description"], issue["check_name"], issue["location"]["path"])
        )


def test_gitlab_in_full() -> None:
    issues = json.loads(write(lint.findings(), "gitlab"))
    assert issues[0] == {
        "description": "now() prints the time of day: about 3,118 tokens behind it are computed anew by each request",
        "check_name": "clock-in-template",
        "fingerprint": "0f5c1d2e3a4b5c6d",
        "severity": "critical",
        "location": {"path": "prompts/desk.j2", "lines": {"begin": 4, "end": 4}},
    }
    assert [issue["severity"] for issue in issues] == ["critical", "minor", "info", "info", "critical"]
    assert [issue["fingerprint"] for issue in issues[2:4]] == ["5afe5afe5afe5afe", "5afe5afe5afe5afe-2"]


def test_fingerprints_do_not_depend_on_the_line() -> None:
    """Also where a finding brings none: those of a comparison are of cause, file and pointer."""

    def told(moved: int) -> list[str]:
        report = samples.bust()
        found = tuple(
            each._replace(location=each.location._replace(line=each.location.line + moved)) for each in report.findings
        )
        return [issue["fingerprint"] for issue in json.loads(write(report._replace(findings=found), "gitlab"))]

    assert told(0) == told(7)
    assert len(set(told(0))) == len(told(0)) > 1


CHILDREN = {
    "testsuites": {"testsuite"},
    "testsuite": {"testcase"},
    "testcase": {"failure", "error", "skipped", "system-out"},
}
ATTRIBUTES = {
    "testsuites": {"name", "tests", "failures", "errors"},
    "testsuite": {"name", "tests", "failures", "errors", "skipped"},
    "testcase": {"name", "classname", "time"},
    "failure": {"type", "message"},
    "error": {"type", "message"},
    "skipped": {"message"},
    "system-out": set[str](),
}


def check_junit(node: Any) -> None:
    """What the schema of Jenkins' xUnit plugin allows, and that all counts are right."""
    assert node.attrib.keys() == ATTRIBUTES[node.tag]
    assert {child.tag for child in node} <= CHILDREN.get(node.tag, set())
    for name, tag in (("tests", "testcase"), ("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        assert node.get(name) in (None, str(sum(1 for _ in node.iter(tag))))
    for child in node:
        check_junit(child)


def told(node: Any) -> str:
    """What a reader of a node sees."""
    return "".join((node.text or "", *node.attrib.values()))


@LAW
@given(reports())
def test_junit_is_sound(report: Report) -> None:
    text = write(report, "junit")
    assert text.isascii()
    check_harmless(text)
    root = ET.fromstring(text)
    assert all(char.isprintable() for node in root.iter() for char in told(node).replace("\n", ""))
    check_junit(root)
    facts = report.lint
    assert facts is not None
    messages = [node.get("message") for node in root.iter("failure")]
    rank = ["error", "warning", "info"]
    failing = [
        f for f in report.findings if facts.fail_on != "never" and rank.index(f.severity) <= rank.index(facts.fail_on)
    ]
    assert sorted(map(str, messages)) == sorted(line(found.message) for found in failing)
    assert len(list(root.iter("skipped"))) == len(facts.suppressed) + len(facts.skipped)
    assert len(list(root.iter("error"))) == len(facts.errors)


def test_junit_has_a_suite_for_each_file() -> None:
    root = ET.fromstring(write(lint.findings(), "junit"))
    suites = {suite.get("name"): suite for suite in root}
    assert list(suites) == [
        "prompts/clean.j2",
        "prompts/desk.j2",
        "requests/turn-9.json",
        "prompts/old.j2",
        "prompts/logo.png",
        "prompts/huge.json",
    ]
    assert [len(case) for case in suites["prompts/clean.j2"]] == [0]
    kinds = [case[0].tag for case in suites["prompts/desk.j2"]]
    assert kinds == ["failure", "failure", "system-out", "system-out", "skipped"]
    (old,) = suites["prompts/old.j2"]
    assert old[0].get("message") == "suppressed by a comment: shown to nobody"


def test_junit_shows_the_line() -> None:
    text = ET.fromstring(write(lint.findings(), "junit")).findtext("testsuite[2]/testcase[2]/failure")
    assert text is not None
    assert "| You are talking to {{ user_name }}\\u{200b}.\n|                    ^" in text


@pytest.mark.parametrize("form", ["github", "gitlab", "junit"])
def test_comparisons_have_their_findings(form: str) -> None:
    for name in ("bust", "folders", "hostile", "kept", "same"):
        report = samples.SAMPLES[name]()
        text = write(report, form)
        count = {
            "github": lambda text: len(commands(text)),
            "gitlab": lambda text: len(json.loads(text)),
            "junit": lambda text: len(list(ET.fromstring(text).iter("testcase"))),
        }[form](text)
        assert count == len(report.findings), name
