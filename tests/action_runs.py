"""Runs the scripts of action.yml as a runner does: expressions filled in, one bash for each step, files for outputs."""

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from conftest import ROOT

Contexts = Mapping[str, Any]
"""`inputs`, `github` and `steps`, each a mapping of mappings or texts."""
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
AUTHOR = "An Author <author@example.org> 1700000000 +0000"
FAKE = """#!{python}
import json, os, subprocess, sys
from pathlib import Path

words = sys.argv[1:]
base = next(word.removeprefix("--base=") for word in words if word.startswith("--base="))
found = subprocess.run(["git", "merge-base", base, "HEAD"], capture_output=True, text=True)
here = Path(__file__).parent
told = {{"words": words, "cwd": os.getcwd(), "merge_base": found.stdout.strip()}}
(here / "told.json").write_text(json.dumps(told))
reports = json.loads((here / "reports.json").read_text())
for word in words:
    if word.startswith("--output=") and found.returncode == 0:
        name, _, path = word.removeprefix("--output=").partition("=")
        Path(path).write_text(reports[name])
print("::error file=a.j2,line=3::the time is new in each request")
sys.exit(reports["code"] if found.returncode == 0 else 2)
"""


class Ran(NamedTuple):
    """What the steps have left."""

    code: int  # of the first step that failed; 0
    outputs: dict[str, str]  # of the action
    summary: str
    printed: str  # by all steps, on both streams
    steps: dict[str, dict[str, str]]  # id -> outputs


class Told(NamedTuple):
    """What the stand-in for promptlint was called with."""

    words: list[str]
    cwd: str
    merge_base: str  # "" if git has found none


def value_of(expression: str, contexts: Contexts) -> str:
    """What `a.b || 'text'` stands for; what is not there is empty, as on a runner."""
    for operand in expression.split("||"):
        name = operand.strip()
        held: Any = name.strip("'") if name.startswith("'") else contexts
        if held is contexts:
            for part in name.split("."):
                held = held.get(part, "") if isinstance(held, Mapping) else ""
        if held != "":
            return str(held)
    return ""


def filled(text: str, contexts: Contexts) -> str:
    return re.sub(r"\$\{\{(.*?)\}\}", lambda match: value_of(match[1], contexts), text)


def run_steps(
    ids: tuple[str, ...],
    checkout: Path,
    temporary: Path,
    github: Contexts,
    inputs: Mapping[str, str],
    steps: Mapping[str, dict[str, str]],
    environment: Mapping[str, str],
) -> Ran:
    """Run the steps with these ids in order, until one fails. `steps` holds the outputs of those that are left out."""
    contexts: dict[str, Any] = {
        "inputs": {name: row["default"] for name, row in ACTION["inputs"].items()} | dict(inputs),
        "github": github,
        "steps": {id: {"outputs": held} for id, held in steps.items()},
    }
    summary = temporary / "summary.md"
    summary.touch()
    code, printed = 0, ""
    for step in (step for step in ACTION["runs"]["steps"] if step["id"] in ids):
        script, output = temporary / f"{step['id']}.sh", temporary / f"{step['id']}.output"
        script.write_text(step["run"], encoding="utf-8")
        output.touch()
        own = _of_a_runner(environment, temporary) | {"GITHUB_OUTPUT": str(output), "GITHUB_STEP_SUMMARY": str(summary)}
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)],
            cwd=checkout / filled(step.get("working-directory", "."), contexts),
            env=own | {name: filled(text, contexts) for name, text in step["env"].items()},
            capture_output=True,
            text=True,
            check=False,
            stdin=subprocess.DEVNULL,
        )
        code, printed = done.returncode, printed + done.stdout + done.stderr
        lines = output.read_text(encoding="utf-8").splitlines()
        contexts["steps"][step["id"]] = {"outputs": dict(line.split("=", 1) for line in lines)}
        if code:
            break
    outputs = {name: filled(row["value"], contexts) for name, row in ACTION["outputs"].items()}
    left = {id: held["outputs"] for id, held in contexts["steps"].items()}
    return Ran(code, outputs, summary.read_text(encoding="utf-8"), printed, left)


def _of_a_runner(environment: Mapping[str, str], temporary: Path) -> dict[str, str]:
    """The environment, without what this very run may owe to a runner or to git."""
    kept = {name: held for name, held in environment.items() if not name.startswith(("GIT_", "GITHUB_", "CHECK_"))}
    own = {"GITHUB_ACTION_PATH": str(ROOT), "RUNNER_TEMP": str(temporary)}
    return kept | own | {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull}


def executable(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)


def stand_in(folder: Path) -> None:
    """Put a `promptlint` that only notes its arguments into a folder, and a `python`."""
    executable(folder / "promptlint", FAKE.format(python=sys.executable))
    executable(folder / "python", f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')


def git(folder: Path, *arguments: str, given: str | None = None) -> str:
    environment = {name: held for name, held in os.environ.items() if not name.startswith("GIT_")}
    own = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull}
    line = ["git", "-c", "user.name=An Author", "-c", "user.email=author@example.org", *arguments]
    done = subprocess.run(line, cwd=folder, env=environment | own, input=given, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def commits(branch: str, first: int, count: int, start: str = "", merged: str = "") -> str:
    """A piece of a stream for `git fast-import`: commits with the marks from `first` on, one behind the other."""
    pieces: list[str] = []
    for mark in range(first, first + count):
        lines = [f"commit {branch}", f"mark :{mark}", f"committer {AUTHOR}", "data 1", "c"]
        lines += [f"from {start}"] if start and mark == first else []
        lines += [f"merge {merged}"] if merged else []
        text = f"{mark}\n"
        pieces.append("\n".join([*lines, f"M 100644 inline {mark}.txt", f"data {len(text)}", text]))
    return "".join(pieces)
