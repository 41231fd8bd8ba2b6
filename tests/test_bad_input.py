"""Bad input at the command line: one line that helps and exit 2, or the stated note; never a traceback or a hang."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

TIMEOUT_S = 60
GOOD: dict[str, Any] = {
    "model": "claude-sonnet-5",
    "system": "You keep the tide tables.",
    "messages": [{"role": "user", "content": "When is high water?"}],
}


class Ran(NamedTuple):
    """One run of the command."""

    code: int
    out: str
    err: str


Run = Callable[..., Ran]


@pytest.fixture
def good(tmp_path: Path) -> Path:
    path = tmp_path / "good.json"
    path.write_text(json.dumps(GOOD), "utf-8")
    return path


@pytest.fixture
def run(tmp_path: Path) -> Run:
    def command(*arguments: str | Path, stdin: bytes = b"") -> Ran:
        line = [sys.executable, "-m", "promptlint", *map(str, arguments)]
        done = subprocess.run(line, input=stdin, capture_output=True, timeout=TIMEOUT_S, check=False, cwd=tmp_path)
        return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())

    return command


def refused(ran: Ran, *words: str) -> None:
    """Exit 2, nothing on stdout, one line on stderr that holds the words."""
    assert ran.code == 2, ran
    assert ran.out == ""
    assert ran.err.endswith("\n")
    assert ran.err.count("\n") == 1, ran.err
    assert "Traceback" not in ran.err
    for word in words:
        assert word in ran.err


def with_text(text: str) -> bytes:
    """A good request whose question is written exactly as given, so that it may be no JSON."""
    return json.dumps(GOOD).replace('"When is high water?"', text).encode("utf-8", "surrogatepass")


REFUSED = {
    "empty": (b"", "empty"),
    "white space only": (b" \n\n", "empty"),
    "truncated": (json.dumps(GOOD).encode()[:-20], "bad.json:1:"),
    "a million brackets": (b"[" * 10**6, "deep"),
    "a million objects": (b'{"a":' * 10**6, "deep"),
    "NaN": (with_text("NaN"), "NaN"),
    "invalid UTF-8": (with_text('"\udc80"').replace(b"\xed\xb2\x80", b"\xff"), "UTF-8"),
    "no messages": (b'{"model": "claude-sonnet-5", "max_tokens": 5}', "messages"),
    "nothing known": (b'{"colour": "blue"}', "tried"),
    "two values": (b"{} {}", "bad.json"),
    "a response": (b'{"id": "msg_1", "type": "message", "usage": {"input_tokens": 3}}', "response"),
}


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.parametrize("side", ["before", "after"])
def test_unreadable_content_is_refused(run: Run, good: Path, tmp_path: Path, name: str, side: str) -> None:
    data, word = REFUSED[name]
    bad = tmp_path / "bad.json"
    bad.write_bytes(data)
    pair = (bad, good) if side == "before" else (good, bad)
    refused(run("diff", *pair), "bad.json", word)


def test_a_missing_file(run: Run, good: Path) -> None:
    refused(run("diff", good, "no-such-file.json"), "no-such-file.json")


def test_a_file_that_may_not_be_read(run: Run, good: Path, tmp_path: Path) -> None:
    if os.geteuid() == 0:  # root reads everything; the path below is then a directory, which no one can read
        refused(run("diff", good, tmp_path), tmp_path.name)
        return
    secret = tmp_path / "secret.json"
    secret.write_text("{}", "utf-8")
    secret.chmod(0)
    refused(run("diff", good, secret), "secret.json")


def test_folders_without_a_pair(run: Run, good: Path, tmp_path: Path) -> None:
    for name in ("left", "right"):
        (tmp_path / name).mkdir()
        (tmp_path / name / f"{name}.json").write_bytes(good.read_bytes())
    refused(run("diff", tmp_path / "left", tmp_path / "right"), "left", "right")


def test_empty_folders(run: Run, tmp_path: Path) -> None:
    for name in ("left", "right"):
        (tmp_path / name).mkdir()
    refused(run("diff", tmp_path / "left", tmp_path / "right"))


def test_a_pipe_without_a_writer(run: Run, good: Path, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    refused(run("diff", good, tmp_path / "pipe"), "pipe")


def test_a_loop_of_links(run: Run, good: Path, tmp_path: Path) -> None:
    (tmp_path / "one").symlink_to(tmp_path / "two")
    (tmp_path / "two").symlink_to(tmp_path / "one")
    refused(run("diff", good, tmp_path / "one"), "one")


def test_a_folder_with_a_link_to_itself(run: Run, good: Path, tmp_path: Path) -> None:
    for name in ("left", "right"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "same.json").write_bytes(good.read_bytes())
        (tmp_path / name / "again").symlink_to(tmp_path / name)
    ran = run("diff", tmp_path / "left", tmp_path / "right")
    assert (ran.code, ran.err) == (0, "")


def test_a_device(run: Run, good: Path) -> None:
    refused(run("diff", good, "/dev/zero"), "/dev/zero")


def test_a_huge_file(run: Run, good: Path, tmp_path: Path) -> None:
    huge = tmp_path / "huge.json"
    with huge.open("wb") as file:
        file.truncate(200 * 1024 * 1024)  # sparse: takes no room on the disk
    refused(run("diff", good, huge), "huge.json")


def test_a_record_that_is_not_there(run: Run, tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    log.write_bytes((json.dumps(GOOD) + "\n").encode() * 2)
    assert run("diff", f"{log}#0", f"{log}#1").code == 0
    refused(run("diff", f"{log}#0", f"{log}#2"), "log.jsonl")


def test_standard_input_on_both_sides(run: Run) -> None:
    refused(run("diff", "-", "-", stdin=json.dumps(GOOD).encode()), "standard input")


def test_an_unknown_revision(run: Run, good: Path) -> None:
    refused(run("diff", good, "no-such-revision:good.json"), "no-such-revision")


def test_an_unknown_option_value(run: Run, good: Path) -> None:
    for option in ("--format", "--input-format", "--tokenizer", "--provider", "--request-path"):
        ran = run("diff", good, good, option, "no-such-thing")
        assert ran.code == 2, (option, ran)
        assert "no-such-thing" in ran.err
        assert "Traceback" not in ran.err


def test_long_numbers_stay_as_they_were_sent(run: Run, tmp_path: Path) -> None:
    call = {"type": "tool_use", "id": "toolu_1", "name": "count", "input": {"n": "PLACE"}}
    request = GOOD | {"messages": [GOOD["messages"][0], {"role": "assistant", "content": [call]}]}
    paths = [tmp_path / "a.json", tmp_path / "b.json"]
    for path, last in zip(paths, "12", strict=True):
        path.write_text(json.dumps(request).replace('"PLACE"', "7" * 4_999 + last), "utf-8")
    ran = run("diff", *paths, "--format", "json")
    assert ran.code == 0, ran.err
    change = json.loads(ran.out)["diff"]["changes"][0]
    assert (change["a"]["pointer"], change["a"]["char"]) == ("/messages/1/content/0/input/n", 4_999)


def test_a_lone_surrogate_is_noted(run: Run, good: Path, tmp_path: Path) -> None:
    lone = tmp_path / "lone.json"
    lone.write_bytes(with_text('"\\ud800"'))
    ran = run("diff", good, lone)
    assert ran.code == 0
    assert "/messages/0/content: a lone surrogate was replaced by U+FFFD" in ran.out


def test_duplicate_keys_are_noted(run: Run, good: Path, tmp_path: Path) -> None:
    double = tmp_path / "double.json"
    double.write_text(good.read_text("utf-8").replace('{"model"', '{"system": "Ignored.", "model"'), "utf-8")
    ran = run("diff", good, double)
    assert ran.code == 0
    assert "system" in ran.err + ran.out
    assert "twice" in ran.err + ran.out or "duplicate" in (ran.err + ran.out).lower()


OTHER = {
    "openai-chat": json.dumps({"model": "gpt-5.2", "messages": [{"role": "system", "content": "Hi."}]}),
    "tools": json.dumps([{"name": "tide", "input_schema": {"type": "object"}}]),
    "text": "You keep the tide tables.",
    "token-ids": "[1, 2, 3]",
}


@pytest.mark.parametrize("other", OTHER)
def test_two_different_formats_are_refused(run: Run, good: Path, tmp_path: Path, other: str) -> None:
    path = tmp_path / "other"
    path.write_text(OTHER[other], "utf-8")
    refused(run("diff", good, path), "two formats", "anthropic", other)


def test_a_closed_pipe_is_quiet(good: Path) -> None:
    line = f"{sys.executable} -m promptlint diff {good} {good} | true"
    done = subprocess.run(["bash", "-c", line], capture_output=True, timeout=TIMEOUT_S, check=False)
    assert done.stderr == b""
