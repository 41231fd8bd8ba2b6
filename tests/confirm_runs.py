"""Runs of `promptlint confirm` in this process, and the prompts that they are given."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from conftest import ROOT
from promptlint.cli import run

CONTRACT = jsonschema.Draft202012Validator(json.loads((ROOT / "promptlint/schemas/report.schema.json").read_text()))

DEMO = ("fixtures/demo/before.json", "fixtures/demo/after.json")

QUICK = ("--prefix", "64", "--pairs", "2")


def confirmed(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> Any:
    """The JSON report of one run."""
    assert run(["confirm", *arguments, *QUICK, "--format", "json"]) == code
    value = json.loads(capsys.readouterr().out)
    CONTRACT.validate(value)
    return value


def prompts(folder: Path, a: str, b: str) -> tuple[str, str]:
    paths = folder / "a.txt", folder / "b.txt"
    for path, text in zip(paths, (a, b), strict=True):
        path.write_text(text, "utf-8")
    return str(paths[0]), str(paths[1])


HEAD = "You are the support desk of Example. Be brief, be kind, and answer in the language of the question.\n"
