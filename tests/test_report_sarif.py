"""SARIF: valid by the schema of the standard, with what code scanning needs, within its limits."""

import json
import os
import re
from collections.abc import Iterator
from typing import Any

import jsonschema
import pytest
from hypothesis import given

import lint_samples as lint
import report_samples as samples
from conftest import ROOT
from lint_reports import LAW, check_harmless, reports
from promptlint.finding import Report
from promptlint.report import write

STANDARD = json.loads((ROOT / "fixtures/schemas/sarif-2.1.0.json").read_text())
SCHEMA = jsonschema.Draft7Validator(STANDARD)


def strings(value: Any) -> Iterator[str]:
    """All strings of a JSON value."""
    if isinstance(value, str):
        yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from strings(inner)


def run_of(report: Report) -> dict[str, Any]:
    text = write(report, "sarif")
    assert text.isascii()
    value = json.loads(text)
    SCHEMA.validate(value)
    (run,) = value["runs"]
    assert isinstance(run, dict)
    return run


def test_the_schema_is_whole() -> None:
    jsonschema.Draft7Validator.check_schema(STANDARD)
    assert len(STANDARD["definitions"]) == 52
    assert not SCHEMA.is_valid({"version": "2.1.0"})
    assert not SCHEMA.is_valid({"version": "2.1.0", "runs": [{"tool": {"driver": {}}}]})


@LAW
@given(reports())
def test_any_report_is_valid(report: Report) -> None:
    text = write(report, "sarif")
    check_harmless(text)
    run = run_of(report)
    assert all(text.isprintable() for told in strings(run) for text in told.split("\n"))
    assert len(run["results"]) == len(report.findings) + len(report.lint.suppressed if report.lint else ())
    rules = run["tool"]["driver"]["rules"]
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert "](" not in result["message"]["text"]
        assert not re.search(r"(?<!\{)\{[0-9]+\}(?!\})", result["message"]["text"].replace("]\\u{28}", ""))
        region = result["locations"][0]["physicalLocation"]["region"]
        assert (region.get("endLine", 0) == 0) == ("byteOffset" not in region)
    prints = [result["partialFingerprints"]["promptlintContent/v1"] for result in run["results"]]
    assert len(set(prints)) == len(prints)


@pytest.mark.parametrize("name", samples.SAMPLES)
def test_a_comparison_is_valid(name: str) -> None:
    run_of(samples.SAMPLES[name]())


def test_a_comparison_points_at_both_sides() -> None:
    report = samples.bust()
    other = lint.location("before.json", 3, 46, 66, 70)
    run = run_of(report._replace(findings=tuple(found._replace(related=(other,)) for found in report.findings)))
    first = run["results"][0]
    assert first["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "after.json"
    assert first["relatedLocations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "before.json"
    assert first["relatedLocations"][0]["message"]["text"] == "The other prompt."


def test_a_finding_in_full() -> None:
    run = run_of(Report("lint", "fail", (lint.clock(),), lint=lint.facts()))
    assert run["columnKind"] == "unicodeCodePoints"
    assert run["results"] == [
        {
            "ruleId": "clock-in-template",
            "ruleIndex": 0,
            "level": "error",
            "message": {
                "text": "now() prints the time of day: about 3,118 tokens behind it are computed anew by each request"
            },
            "locations": [
                {
                    "physicalLocation": {
                        "artifactLocation": {"uri": "prompts/desk.j2", "uriBaseId": "%SRCROOT%"},
                        "region": {
                            "startLine": 4,
                            "startColumn": 7,
                            "endLine": 4,
                            "endColumn": 36,
                            "byteOffset": 96,
                            "byteLength": 29,
                        },
                    }
                }
            ],
            "partialFingerprints": {"promptlintContent/v1": "0f5c1d2e3a4b5c6d"},
            "properties": {
                "cause": "clock",
                "confidence": "certain",
                "lostTokens": 3118,
                "lostUsd": "0.0093",
                "fix": lint.clock().fix,
            },
        }
    ]


def test_a_rule_in_full() -> None:
    rules = run_of(lint.clean())["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == sorted(rule.id for rule in lint.RULES)
    assert rules[0] == {
        "id": "clock-in-template",
        "shortDescription": {"text": "the template itself prints the time of day ahead of text that stays"},
        "fullDescription": {
            "text": "A cache reuses a prompt up to its first difference. A time is another one with each rendering."
        },
        "help": {
            "text": "Let the caller pass a time that is fixed for the session.",
            "markdown": "Let the caller pass a time that is fixed for the session.\n\n- <https://docs.example/prompt-caching>",
        },
        "helpUri": "https://docs.example/prompt-caching",
        "defaultConfiguration": {"level": "error"},
        "properties": {
            "tags": ["prompt-cache", "clock", "template"],
            "precision": "very-high",
            "problem.severity": "error",
        },
    }
    assert "helpUri" not in rules[2]
    assert [rule["defaultConfiguration"]["level"] for rule in rules] == ["error", "error", "warning", "note"]


def test_suppressed_results_say_why() -> None:
    """All results have the property or none has: the standard says so."""
    results = run_of(lint.findings())["results"]
    assert [len(result["suppressions"]) for result in results] == [0, 0, 0, 0, 0, 1, 1]
    assert results[5]["suppressions"] == [
        {"kind": "inSource", "status": "accepted", "justification": "shown to nobody"}
    ]
    assert results[6]["suppressions"][0]["kind"] == "external"
    assert all("suppressions" not in result for result in run_of(lint.rewritten())["results"])


def test_a_finding_about_the_check_itself_has_no_cause() -> None:
    found = lint.clock()._replace(rule="unused-suppression", cause="", message="nothing here is {0} of [x](1)")
    run = run_of(Report("lint", "fail", (found,), lint=lint.facts()))
    (result,) = run["results"]
    assert "cause" not in result["properties"]
    assert result["message"]["text"].startswith("nothing here is {{0}} of [x]\\u{28}1)")
    described = run["tool"]["driver"]["rules"][result["ruleIndex"]]
    assert (described["id"], described["properties"]["tags"]) == ("unused-suppression", ["prompt-cache"])


def test_errors_fail_the_invocation() -> None:
    (failed,) = run_of(lint.nothing())["invocations"]
    assert failed["executionSuccessful"] is False
    assert failed["toolExecutionNotifications"][0]["level"] == "error"
    assert "gone.json" in failed["toolExecutionNotifications"][0]["message"]["text"]
    (good,) = run_of(lint.findings())["invocations"]
    assert good["executionSuccessful"] is True
    assert [each["level"] for each in good["toolExecutionNotifications"]] == ["note", "note", "note"]


@pytest.mark.parametrize(
    ("path", "uri"),
    [
        ("a b/ä#1?.j2", "a%20b/%C3%A4%231%3F.j2"),
        ("./prompts/../x.j2", "x.j2"),
        ("100%.j2", "100%25.j2"),
        ("c:x.j2", "c%3Ax.j2"),
        ("-", "stdin"),
        (f"{os.getcwd()}/prompts/x.j2", "prompts/x.j2"),
    ],
)
def test_paths_are_relative_references(path: str, uri: str) -> None:
    found = lint.clock()._replace(location=lint.location(path, 1, 1))
    artifact = run_of(Report("lint", "fail", (found,), lint=lint.facts()))["results"][0]["locations"][0]
    assert artifact["physicalLocation"]["artifactLocation"] == {"uri": uri, "uriBaseId": "%SRCROOT%"}


def test_a_path_elsewhere_is_absolute() -> None:
    found = lint.clock()._replace(location=lint.location("/elsewhere/x y.j2", 1, 1))
    artifact = run_of(Report("lint", "fail", (found,), lint=lint.facts()))["results"][0]["locations"][0]
    assert artifact["physicalLocation"]["artifactLocation"] == {"uri": "file:///elsewhere/x%20y.j2"}


def test_limits_of_code_scanning() -> None:
    many = tuple(
        lint.finding("r", lint.location("a.j2", number, 1), "m", severity="error" if number == 26_000 else "info")
        for number in range(1, 26_001)
    )
    crowd = tuple(lint.location("b.j2", number, 1) for number in range(1, 1_200))
    value = json.loads(
        write(Report("lint", "fail", (*many[:-1], many[-1]._replace(related=crowd)), lint=lint.facts()), "sarif")
    )
    (run,) = value["runs"]
    assert len(run["results"]) == 25_000
    assert run["results"][0]["level"] == "error"
    assert len(run["results"][0]["relatedLocations"]) + 1 == 1_000
    assert run["invocations"][0]["toolExecutionNotifications"][-1]["message"]["text"].startswith("1,000 more results")


def test_a_rule_of_a_repository_makes_no_link() -> None:
    rule = lint.RULES[0]._replace(
        fix="see [this](https://evil.example) <b>x</b>",
        references=("javascript:alert(1)", "https://x/> [a](b)", "https://good.example/a?b=1#c"),
    )
    (described,) = run_of(Report("lint", "pass", lint=lint.facts(rules=(rule,))))["tool"]["driver"]["rules"]
    assert described["helpUri"] == "https://good.example/a?b=1#c"
    assert described["help"]["markdown"] == (
        "see `[this](https://evil.example`) `<b>x</b>`\n\n- <https://good.example/a?b=1#c>"
    )
    assert described["help"]["text"] == "see [this]\\u{28}https://evil.example) <b>x</b>"
