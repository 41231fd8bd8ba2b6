"""Start-up time is a feature: what a command does not use, it does not import."""

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from conftest import ROOT

HEAVY = (
    "blake3",
    "httpx",
    "jinja2",
    "jsonschema",
    "numpy",
    "rich",
    "tokenizers",
    "torch",
    "transformers",
    "xxhash",
    "yaml",
)

PROBE = """
import contextlib, io, sys
from promptlint.cli import run
with contextlib.redirect_stdout(io.StringIO()):
    run(sys.argv[1:])
print("\\n".join(sys.modules))
"""


def imported(*arguments: str) -> set[str]:
    """Give the top-level modules that stand in `sys.modules` after one run of the command."""
    command = [sys.executable, "-c", PROBE, *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return {name.partition(".")[0] for name in done.stdout.split()}


DIFF = ("diff", "fixtures/demo/before.json", "fixtures/demo/after.json")
RUNS = [
    ("--help",),
    ("--version",),
    ("diff", "--help"),
    ("confirm", "--help"),
    DIFF,
    (*DIFF, "--first"),
    (*DIFF, "--format", "json"),
    (*DIFF, "--format", "concise"),
    (*DIFF, "--format", "markdown"),
    ("key", DIFF[1]),
    ("key", DIFF[1], "--engine", "vllm"),
    ("vary", DIFF[1]),
    ("lint", DIFF[1], "--no-cache"),
    ("lint", DIFF[1], "--no-cache", "--format", "sarif"),
    ("rules",),
]


@pytest.mark.parametrize("arguments", RUNS, ids=" ".join)
def test_nothing_heavy_is_imported(arguments: tuple[str, ...]) -> None:
    modules = imported(*arguments)
    assert modules.isdisjoint(HEAVY), sorted(modules.intersection(HEAVY))


@pytest.mark.skipif(find_spec("torch") is None, reason="torch is not installed")
def test_the_built_in_model_needs_torch_alone() -> None:
    modules = imported("confirm", *DIFF[1:], "--prefix", "16", "--pairs", "1")
    assert "torch" in modules
    assert modules.isdisjoint({"httpx", "jinja2", "rs_bpe", "safetensors", "tiktoken", "tokenizers", "transformers"})


def test_help_imports_no_stage() -> None:
    command = [sys.executable, "-c", PROBE, "--help"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    stages = {name.split(".")[1] for name in done.stdout.split() if name.startswith("promptlint.")}
    assert stages <= {"arguments", "choices", "cli", "confirm_arguments", "errors", "terminal"}


def test_a_template_is_looked_at_once_and_not_imported_for_again(tmp_path: Path) -> None:
    """Neither Jinja nor a tokenizer is needed for files that have not changed."""
    (tmp_path / "a.j2").write_text("You answer for a shop.\nIt is {{ now() }}.\n" + "Quote the number.\n" * 80)
    assert "jinja2" in imported("lint", str(tmp_path), "--no-render")
    assert imported("lint", str(tmp_path), "--no-render").isdisjoint({*HEAVY, "tiktoken", "rs_bpe"})


def test_first_needs_no_tokenizer_library() -> None:
    assert imported(*DIFF, "--first").isdisjoint({"tiktoken", "regex", "rs_bpe"})
