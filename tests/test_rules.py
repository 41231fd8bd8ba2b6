"""Every rule: its file is in order, its bad fixtures give exactly the expected text, its good ones give nothing."""

import ast
import json
import re
import string
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from conftest import ROOT, Expected
from promptlint import facts
from promptlint.cli import run

RULES, FIXTURES = ROOT / "rules", ROOT / "fixtures" / "rules"
NAMES = sorted(path.stem for path in RULES.glob("*.yaml"))
INPUTS = (".json", ".jsonl", ".j2", ".jinja", ".yaml", ".txt", ".py", ".ts")

REQUIRED = {"summary", "cause", "severity", "confidence", "scope", "since", "message", "why", "fix", "references"}
DECIDERS = {"pattern", "changes"}
OPTIONAL = {"fixable", "rendered"}
VALUES = {
    "severity": ("error", "warning", "info"),
    "confidence": ("certain", "possible", "unknown"),
    "scope": ("template", "request", "source", "pair"),
    "fixable": ("safe", "unsafe"),
    "rendered": (True,),
}


def inputs(kind: str) -> list[Any]:
    """The fixtures of all rules whose name begins so, each with its rule."""
    found = [
        pytest.param(folder.name, path, id=f"{folder.name}/{path.name}")
        for folder in sorted(FIXTURES.iterdir())
        for path in sorted(folder.glob(f"{kind}*"))
        if path.is_dir() or path.suffix in INPUTS
    ]
    return found


def row(name: str) -> dict[str, Any]:
    held = yaml.safe_load((RULES / f"{name}.yaml").read_text(encoding="utf-8"))
    assert isinstance(held, dict)
    return held


def told(rule: str, path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> tuple[str, int]:
    """What `promptlint lint` prints of one input, started in the folder that holds it, and its exit code."""
    monkeypatch.chdir(path.parent)
    of_folder = ["--renderings"] if path.is_dir() else []
    code = run(["lint", *of_folder, path.name, "--select", rule, "--format", "concise"])
    printed = capsys.readouterr()
    assert "internal error" not in printed.err
    assert code in (0, 1), printed.err
    return printed.out, code


def findings(rule: str, text: str) -> list[str]:
    wanted = re.compile(rf".+: (?:error|warning|info) {re.escape(rule)}: .")
    return [line for line in text.splitlines() if wanted.match(line)]


@pytest.mark.parametrize("name", NAMES)
def test_a_rule_file_has_its_fields_and_no_others(name: str) -> None:
    held = row(name)
    coded = (RULES / f"{name}.py").exists()
    assert re.fullmatch(r"[a-z0-9]+(?:-[a-z0-9]+)*", name)
    assert held.keys() >= REQUIRED
    assert held.keys() <= REQUIRED | DECIDERS | OPTIONAL
    assert len(held.keys() & DECIDERS) + coded == 1
    assert all(held[field] in allowed for field, allowed in VALUES.items() if field in held)
    assert held["cause"] in ("", *facts.table("causes"))
    assert isinstance(held["since"], str)
    assert all(isinstance(held[field], str) and held[field].strip() for field in ("message", "why", "fix"))
    if "changes" in held:
        assert held["scope"] == "pair"
        assert held["changes"]
        assert set(held["changes"]) <= set(facts.table("causes"))
    if "pattern" in held:
        re.compile(held["pattern"])
        assert held["scope"] != "pair"


@pytest.mark.parametrize("name", NAMES)
def test_a_summary_is_one_short_line(name: str) -> None:
    summary = row(name)["summary"]
    assert 0 < len(summary) <= 72
    assert "\n" not in summary
    assert not summary.endswith(".")
    assert not summary[0].isupper() or summary.split()[0].isupper()


@pytest.mark.parametrize("name", NAMES)
def test_a_message_has_plain_fields_only(name: str) -> None:
    for _, field, form, conversion in string.Formatter().parse(row(name)["message"]):
        if field is not None:
            assert field.isidentifier()
            assert not form
            assert conversion is None


@pytest.mark.parametrize("name", NAMES)
def test_a_rule_cites_where_it_is_known_from(name: str) -> None:
    references = row(name)["references"]
    assert references
    assert all(re.fullmatch(r"https://[^\s/]+\.[^\s/]+(?:/\S*)?", reference) for reference in references)
    assert len(set(references)) == len(references)


@pytest.mark.parametrize("path", sorted(RULES.glob("*.py")), ids=lambda path: path.stem)
def test_code_of_a_rule_imports_the_package_and_the_standard_library_only(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    assert (RULES / f"{path.stem}.yaml").exists()
    functions = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    assert "check" in functions
    assert ("fix" in functions) == ("fixable" in row(path.stem))
    modules = {
        name
        for node in ast.walk(tree)
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for name in ([node.module or "."] if isinstance(node, ast.ImportFrom) else [each.name for each in node.names])
    }
    assert {name.partition(".")[0] for name in modules} <= {"promptlint", *sys.stdlib_module_names}
    assert not any(name.startswith(("promptlint.commands", "promptlint.report", "promptlint.cli")) for name in modules)


def test_the_facts_hold_the_rules_as_they_are_written() -> None:
    assert facts.table("rules") == json.loads(json.dumps({name: row(name) for name in NAMES}, default=str))


@pytest.mark.parametrize("name", NAMES)
def test_a_rule_has_bad_and_good_fixtures(name: str) -> None:
    folder = FIXTURES / name
    for kind in ("bad", "good"):
        assert any(path.is_dir() or path.suffix in INPUTS for path in folder.glob(f"{kind}*")), kind


def test_no_fixture_lies_where_nothing_reads_it() -> None:
    for folder in sorted(FIXTURES.iterdir()):
        assert folder.name in NAMES
        for path in sorted(folder.iterdir()):
            if path.suffix == ".expected":
                assert path.name.startswith("bad")
                assert path.with_suffix("").exists(), path
            else:
                assert path.name.startswith(("bad", "good"))
                assert path.is_dir() or path.suffix in INPUTS, path


@pytest.mark.parametrize(("rule", "path"), inputs("bad"))
def test_a_bad_fixture_is_found(
    rule: str,
    path: Path,
    expected: Expected,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text, _ = told(rule, path, capsys, monkeypatch)
    assert findings(rule, text), text
    expected(path.with_name(f"{path.name}.expected"), text)


@pytest.mark.parametrize(("rule", "path"), inputs("good"))
def test_a_good_fixture_is_silent(
    rule: str, path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    text, code = told(rule, path, capsys, monkeypatch)
    assert not findings(rule, text)
    assert code == 0


def test_the_catalogue_is_that_of_the_command(expected: Expected, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["rules", "--format", "markdown"]) == 0
    expected(RULES / "README.md", capsys.readouterr().out)
