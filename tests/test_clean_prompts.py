"""A hundred prompts as people write them, without a fault: whatever `promptlint lint` says of one is a false alarm."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from conftest import ROOT
from promptlint.cli import run

CLEAN = ROOT / "fixtures" / "clean"
FILES = sorted(path for path in CLEAN.rglob("*") if path.is_file() and path.suffix != ".md")
WHAT = {
    "requests": r"request",
    "tools": r"request|tool list",
    "logs": r"\d+ requests|request",
    "templates": r"template",
    "chat_templates": r"chat template",
}


def _name(path: Path) -> str:
    return path.relative_to(CLEAN).as_posix()


def _lint(path: Path, capsys: pytest.CaptureFixture[str], *options: str) -> dict[str, Any]:
    code = run(["lint", str(path), "--format", "json", "--now", "2026-11-29T10:15:02+00:00", *options])
    printed = capsys.readouterr()
    assert code in (0, 1), printed.err
    report = json.loads(printed.out)
    assert isinstance(report, dict)
    return report


def _alarms(report: dict[str, Any]) -> list[str]:
    return [
        f"{found['rule']} at line {found['location']['line']}: {found['message']}"
        for found in report["findings"]
        if found["severity"] in ("error", "warning")
    ]


def test_there_are_a_hundred() -> None:
    assert len(FILES) == 100
    assert {_name(path).split("/")[0] for path in FILES} == set(WHAT)


@pytest.mark.parametrize("path", FILES, ids=_name)
def test_nothing_is_said_of_a_clean_prompt(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = _lint(path, capsys, "--no-render")
    assert _alarms(report) == []
    assert report["verdict"] == "pass"


@pytest.mark.parametrize("path", FILES, ids=_name)
def test_a_clean_prompt_is_looked_at_as_what_it_is(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (checked,) = _lint(path, capsys, "--no-render")["lint"]["files"]
    assert re.fullmatch(WHAT[_name(path).split("/")[0]], checked["what"]), checked


TEMPLATES = [path for path in FILES if _name(path).split("/")[0] in ("templates", "chat_templates")]


@pytest.mark.parametrize("path", TEMPLATES, ids=_name)
def test_nothing_is_said_of_what_a_clean_template_renders(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _alarms(_lint(path, capsys)) == []
