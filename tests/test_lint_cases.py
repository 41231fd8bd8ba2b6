"""The labelled breaks of fixtures/corpus that `lint` can see: where, by which name; the negatives are silent."""

import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from conftest import ROOT, Expected
from promptlint.cli import run
from promptlint.commands.lint import lint
from promptlint.commands.lint_settings import LintOptions
from promptlint.facts.causes import cause
from promptlint.finding import Finding

CASES = {
    path.parent.name: yaml.safe_load(path.read_text("utf-8"))
    for path in (ROOT / "fixtures" / "corpus").glob("*/*.yaml")
}
PAIRS = sorted(name for name, case in CASES.items() if case["inputs"]["kind"] == "pair")
TEMPLATES = sorted(name for name, case in CASES.items() if case["inputs"]["kind"] == "template")
# What is wrong with one request by itself: the rule, and the label it stands for.
REQUESTS = {
    "01-clock-at-first-byte-of-system": "clock-in-request",
    "06-turn-context-rewritten-inside-tool-loop": "retrieved-text-in-request",
    "07-live-git-status-in-system": "environment-in-request",
    "08-run-id-and-worktree-path-across-sessions": "identifier-in-request",
    "10-uuid-temp-path-in-tool-description": "identifier-in-request",
    "12-prompt-cache-key-random-per-request": "cache-key-random",
    "34-markers-pinned-to-the-first-messages": "marker-not-advancing",
    "35-fifth-cache-marker-from-parallel-results": "marker-limit",
    "36-one-hour-marker-after-five-minute-marker": "marker-ttl-order",
    "37-marker-on-empty-text-and-on-thinking": "marker-illegal-block",
    "59-file-names-composed-or-decomposed": "unicode-form-in-request",
}


def found(*paths: Path, renderings: bool = False) -> list[Finding]:
    report = lint([str(path) for path in paths], LintOptions(renderings=renderings, cache=False))
    assert report.lint is not None
    assert not report.lint.errors
    return [finding for finding in report.findings if finding.severity != "info"]


def labels(expect: dict[str, Any]) -> set[str]:
    return {expect["cause_label"], *expect.get("also_accept", ())}


@pytest.mark.parametrize("name", PAIRS)
def test_a_pair(name: str, tmp_path: Path) -> None:
    expect = CASES[name]["expect"]
    for number, side in enumerate(("before", "after")):
        shutil.copy(ROOT / "fixtures" / "corpus" / name / f"{side}.json", tmp_path / f"{number}.json")
    told = found(tmp_path, renderings=True)
    if expect["verdict_label"] == "bust":
        assert {finding.cause for finding in told} & labels(expect)
    else:
        assert told == []


@pytest.mark.parametrize("name", PAIRS)
def test_a_request(name: str) -> None:
    told = found(ROOT / "fixtures" / "corpus" / name / "after.json")
    assert {finding.rule for finding in told} == ({REQUESTS[name]} if name in REQUESTS else set())
    for finding in told:
        assert not cause(finding.cause).benign


@pytest.mark.parametrize("name", TEMPLATES)
def test_a_template(name: str) -> None:
    expect = CASES[name]["expect"]
    told = found(ROOT / "fixtures" / "corpus" / name / "template.jinja")
    wanted = [(place["line"], place["column"]) for place in expect.get("report_at", ())]
    assert [(finding.location.line, finding.location.column) for finding in told] == wanted
    assert {finding.cause for finding in told} <= labels(expect)
    assert bool(told) == (expect["verdict_label"] == "fail")


def test_the_samples_of_formats(expected: Expected, capsys: pytest.CaptureFixture[str], monkeypatch: Any) -> None:
    monkeypatch.chdir(ROOT)
    assert run(["lint", "fixtures/formats", "--format", "concise", "--no-cache"]) == 1
    expected(ROOT / "fixtures" / "formats.expected", capsys.readouterr().out)
