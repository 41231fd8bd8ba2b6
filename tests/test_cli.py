"""The command line: exit codes, streams, colour, files."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from promptlint.cli import run

GUIDE = "You keep the tide tables. " * 240


@pytest.fixture
def pair(tmp_path: Path) -> tuple[str, str]:
    paths = tmp_path / "a.json", tmp_path / "b.json"
    for path, clock in zip(paths, ("09:14", "09:15"), strict=True):
        system = [{"type": "text", "text": f"It is {clock}. {GUIDE}", "cache_control": {"type": "ephemeral"}}]
        body = {
            "model": "claude-sonnet-5",
            "max_tokens": 9,
            "system": system,
            "messages": [{"role": "user", "content": "hi"}],
        }
        path.write_text(json.dumps(body), "utf-8")
    return str(paths[0]), str(paths[1])


def test_a_difference_is_no_failure_unless_asked(pair: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["diff", *pair]) == 0
    assert run(["diff", *pair, "--exit-code"]) == 1
    assert run(["diff", pair[0], pair[0], "--exit-code"]) == 0
    assert "bust" in capsys.readouterr().out


@pytest.mark.parametrize("form", ["text", "concise", "json", "markdown"])
def test_the_format_never_changes_the_exit_code(
    pair: tuple[str, str], form: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["diff", *pair, "--exit-code", "--format", form]) == 1
    out = capsys.readouterr().out
    assert out
    assert "\x1b" not in out


def test_json_goes_to_a_file_beside_the_text(
    pair: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "report.json"
    assert run(["diff", *pair, "--output", f"json={target}", "--output", f"markdown={tmp_path / 'r.md'}"]) == 0
    assert json.loads(target.read_text())["verdict"] == "bust"
    assert capsys.readouterr().out.startswith("bust")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.json", "b.json", "r.md", "report.json"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["dif", "a", "b"], "invalid choice"),
        (["diff", "a"], "required"),
        (["diff", "a", "b", "--frist"], "unrecognized"),
        (["diff", "a", "b", "--output", "json"], "FORMAT=FILE"),
        (["diff", "a", "b", "--output", "csv=x"], "FORMAT=FILE"),
        (["diff", "a", "b", "--block-size", "many"], "invalid int"),
        (["diff", "nowhere.json", "b"], "nowhere.json"),
        ([], "required"),
    ],
)
def test_usage_errors_are_one_line_and_exit_2(
    arguments: list[str], words: str, pair: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = [{"a": pair[0], "b": pair[1]}.get(argument, argument) for argument in arguments]
    assert run(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert words in err
    assert err.startswith("promptlint: ")


def test_an_unwritable_output_is_one_line_and_leaves_nothing(
    pair: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["diff", *pair, "--output", f"json={tmp_path / 'no' / 'r.json'}"]) == 2
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize(
    ("options", "variables", "colored"),
    [
        ([], {}, False),
        ([], {"FORCE_COLOR": "1"}, True),
        ([], {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
        (["--color", "always"], {"NO_COLOR": "1"}, True),
        (["--color", "never"], {"FORCE_COLOR": "1"}, False),
        (["--format", "markdown"], {"FORCE_COLOR": "1"}, False),
    ],
)
def test_colour_only_where_it_is_wanted(
    options: list[str],
    variables: dict[str, str],
    colored: bool,
    pair: tuple[str, str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert run(["diff", *pair, *options]) == 0
    assert ("\x1b[" in capsys.readouterr().out) == colored


def test_an_internal_error_is_one_line(
    pair: tuple[str, str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError("\x1b[31mboom")

    monkeypatch.setattr("promptlint.commands.diff.diff", fail)
    assert run(["diff", *pair]) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert "internal error" in err
    assert "\x1b" not in err
    with pytest.raises(ZeroDivisionError):
        run(["diff", *pair, "--debug"])


def spawn(*arguments: str, **options: Any) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "promptlint", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, **options)


def test_one_side_may_come_from_standard_input(pair: tuple[str, str]) -> None:
    ran = spawn("diff", "-", pair[1], "--format", "concise", input=Path(pair[0]).read_text())
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.startswith("bust")


def test_a_terminal_that_knows_no_unicode_gets_escapes(pair: tuple[str, str], tmp_path: Path) -> None:
    body = json.loads(Path(pair[1]).read_text())
    body["system"][0]["text"] = "Es ist 09:15 Uhr, schön. " + GUIDE
    other = tmp_path / "c.json"
    other.write_text(json.dumps(body, ensure_ascii=False), "utf-8")
    ran = spawn("diff", pair[0], str(other), env={**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"})
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "bust" in ran.stdout


def test_a_closed_pipe_is_quiet(pair: tuple[str, str]) -> None:
    command = f"{sys.executable} -m promptlint diff {pair[0]} {pair[1]} | head -c 1"
    ran = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=60, check=False)
    assert ran.stderr == ""


def test_version_names_command_and_distribution() -> None:
    ran = spawn("--version")
    assert ran.returncode == 0
    assert "promptlint " in ran.stdout
    assert "promptlint-cache" in ran.stdout


def test_a_report_that_cannot_be_written_is_an_error(pair: tuple[str, str]) -> None:
    if not os.path.exists("/dev/full"):
        pytest.skip("this system has no /dev/full")
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    for extra in ({}, {"PYTHONUNBUFFERED": "1"}):
        with open("/dev/full", "w") as full:
            command = [sys.executable, "-m", "promptlint", "diff", *pair]
            ran = subprocess.run(
                command, stdout=full, stderr=subprocess.PIPE, text=True, env={**environment, **extra}, check=False
            )
        assert ran.returncode == 2
        assert ran.stderr.count("\n") == 1
        assert "cannot be written" in ran.stderr


def test_an_output_that_is_a_link_changes_the_file_behind_it(pair: tuple[str, str], tmp_path: Path) -> None:
    target, link = tmp_path / "target.json", tmp_path / "link.json"
    target.write_text("old")
    target.chmod(0o600)
    link.symlink_to(target)
    assert run(["diff", *pair, "--output", f"json={link}"]) == 0
    assert link.is_symlink()
    assert json.loads(target.read_text())["verdict"] == "bust"
    assert target.stat().st_mode & 0o777 == 0o600
    assert run(["diff", *pair, "--output", "json=/dev/null"]) == 0


def test_values_that_may_be_secret_are_not_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = []
    for name, key in (("a.json", "aaaa1111bbbb"), ("b.json", "cccc2222dddd")):
        path = tmp_path / name
        body = {
            "model": "m",
            "api_key": key,
            "extra_headers": {"Authorization": f"Bearer {key}"},
            "messages": [{"role": "user", "content": "hi"}],
        }
        path.write_text(json.dumps(body))
        paths.append(str(path))
    for form in ("text", "json", "markdown", "concise"):
        assert run(["diff", *paths, "--format", form]) == 0
    out, err = capsys.readouterr()
    assert "aaaa1111" not in out + err
    assert "cccc2222" not in out + err
