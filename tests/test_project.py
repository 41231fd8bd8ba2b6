"""What the project promises about itself: set-up commands, what is shipped, and the limits on size and names."""

import ast
import re
import statistics
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

import promptlint
from conftest import ROOT

CODE = sorted(path for name in ("promptlint", "scripts", "tests") for path in (ROOT / name).rglob("*.py"))
VAGUE = {"utils", "util", "helpers", "helper", "base", "manager", "factory", "service", "common", "misc"}


def shipped() -> set[str]:
    """Give the files of the package folder, as they are."""
    files = (path for path in (ROOT / "promptlint").rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {path.relative_to(ROOT).as_posix() for path in files}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    line = [sys.executable, "-m", "hatchling", "build", "-d", str(folder)]
    subprocess.run(line, cwd=ROOT, check=True, capture_output=True)
    return folder


def test_the_wheel_holds_the_package_and_nothing_else(built: Path) -> None:
    (wheel,) = built.glob("*.whl")
    assert wheel.name == f"promptlint_cache-{promptlint.__version__}-py3-none-any.whl"
    names = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    rules = {name for name in names if name.startswith("promptlint/_rules/")}
    assert names - rules == shipped()
    assert len(rules) == len([path for path in (ROOT / "rules").iterdir() if path.is_file()])


@pytest.mark.parametrize("suffix", [".yaml", ".json", ".ranks", ".schema.json", "py.typed"])
def test_every_kind_of_data_is_shipped(suffix: str) -> None:
    assert any(name.endswith(suffix) for name in shipped())


def test_the_source_archive_can_be_built_and_tested(built: Path) -> None:
    (archive,) = built.glob("*.tar.gz")
    with tarfile.open(archive) as opened:
        names = {name.partition("/")[2] for name in opened.getnames()}
    assert shipped() <= names
    assert {"README.md", "LICENSE", "CHANGELOG.md", "pyproject.toml", ".ci/run"} <= names
    assert {"fixtures/demo/before.json", "tests/conftest.py", "scripts/make_facts.py"} <= names


def test_licences_are_shipped(built: Path) -> None:
    (wheel,) = built.glob("*.whl")
    names = [name.rpartition("/")[2] for name in zipfile.ZipFile(wheel).namelist() if "/licenses/" in name]
    assert "LICENSE" in names
    assert any("o200k" in name for name in names)  # the embedded vocabulary is somebody else's work


def test_what_is_declared_is_what_is_imported() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = [line for name, lines in project["optional-dependencies"].items() if name != "test" for line in lines]
    declared = {re.split(r"[><=]", line)[0].replace("-", "_") for line in (*project["dependencies"], *extras)}
    names = {"pyyaml": "yaml"}  # of packages that are imported under another name
    package = [path for path in CODE if path.is_relative_to(ROOT / "promptlint")]
    imported = {name for path in package for name in imports(path.read_text("utf-8"))}
    assert imported - sys.stdlib_module_names - {"promptlint"} == {names.get(name, name) for name in declared}


def imports(text: str) -> Iterator[str]:
    """Give the top-level name of everything that a module imports, wherever it does."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield (node.module or "").partition(".")[0]


def test_the_readme_and_the_gate_give_the_same_commands() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    gate = (ROOT / ".ci" / "run").read_text("utf-8").splitlines()
    demo, tests = re.findall(r"^python3 -m venv .*$", readme, re.MULTILINE)[:2]
    assert demo.endswith("promptlint diff fixtures/demo/before.json fixtures/demo/after.json")
    assert tests in gate


@pytest.mark.parametrize("command", [["-m", "promptlint"], ["-c", "from promptlint.cli import main; main()"]])
def test_both_names_and_the_version_are_printed(command: list[str]) -> None:
    done = subprocess.run([sys.executable, *command, "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("promptlint ")
    assert "promptlint-cache" in done.stdout
    assert promptlint.__version__ in done.stdout


def test_files_and_functions_are_short_and_named() -> None:
    texts = {path.relative_to(ROOT).as_posix(): path.read_text("utf-8") for path in CODE}
    assert [name for name, text in texts.items() if text.count("\n") > 400] == []
    assert [name for name in texts if VAGUE.intersection(re.split(r"[/._]", name))] == []
    long = [(name, function) for name, text in texts.items() for function, lines in functions(text) if lines > 50]
    assert long == []


def functions(text: str) -> Iterator[tuple[str, int]]:
    """Give every function with its length in lines."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert node.end_lineno is not None
            yield node.name, node.end_lineno - node.lineno + 1


def test_files_are_short_as_a_rule() -> None:
    lengths = [path.read_text("utf-8").count("\n") for path in CODE if path.stem != "__init__"]
    assert statistics.median(lengths) <= 150
