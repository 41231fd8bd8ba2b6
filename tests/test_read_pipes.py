"""Pipes and standard input: read to their end, and never waited for without limit."""

import io
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from promptlint.errors import PromptlintError
from promptlint.read import streams
from promptlint.read.sources import read

READ = """
import sys
from promptlint.errors import PromptlintError
from promptlint.read import streams
from promptlint.read.sources import read
streams.IDLE_S = 0.3
for argument in sys.argv[1:]:
    try:
        print(read(argument, max_bytes=1000).text)
    except PromptlintError as error:
        print(error)
"""


@pytest.fixture
def pipe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe")
    return Path("pipe")


def fault(argument: str) -> str:
    with pytest.raises(PromptlintError) as caught:
        read(argument, max_bytes=1 << 20)
    return str(caught.value)


def test_pipe_without_a_writer(pipe: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "WRITER_S", 0.05)
    assert fault("pipe") == "nothing writes to the pipe pipe; start the program that fills it first"


def test_pipe_with_a_silent_writer(pipe: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "IDLE_S", 0.05)
    both_ends = os.open("pipe", os.O_RDWR)
    try:
        os.write(both_ends, b"half")
        assert fault("pipe") == "pipe sent nothing for 0 seconds; write the request to a file first"
    finally:
        os.close(both_ends)


@pytest.mark.parametrize("content", [b"{}", b"[" + b" " * 300_000 + b"]"])
def test_pipe_with_a_late_and_slow_writer(pipe: Path, content: bytes) -> None:
    def write() -> None:
        time.sleep(0.1)
        with pipe.open("wb") as end:
            time.sleep(0.1)
            end.write(content[:1])
            end.flush()
            time.sleep(0.1)
            end.write(content[1:])

    writer = threading.Thread(target=write)
    writer.start()
    assert read("pipe").data == content
    writer.join()


def test_writer_that_closes_at_once(pipe: Path) -> None:
    writer = threading.Thread(target=lambda: pipe.open("wb").close())
    writer.start()
    assert fault("pipe") in {
        "pipe is empty; an input holds a request, messages, tools or a text",
        "nothing writes to the pipe pipe; start the program that fills it first",
    }
    writer.join()


def test_endless_writer(pipe: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", "while 1: open('pipe', 'wb').write(b' ' * 9_000_000)"]) as writer:
        try:
            assert fault("pipe").startswith("pipe is larger than 1 MiB")
        finally:
            writer.kill()


def run(arguments: str, command: str = "") -> str:
    script = f'{command} "$0" -W error -c "$1" {arguments}'
    done = subprocess.run(["bash", "-c", script, sys.executable, READ], capture_output=True, timeout=60, check=False)
    assert done.stderr == b""
    return done.stdout.decode()


@pytest.mark.parametrize(
    ("arguments", "command", "printed"),
    [
        ("-", "printf '[1]' |", "[1]\n"),
        ("-#1", "printf '[1]\\n\\n[2]' |", "[2]\n"),
        (
            "- -",
            "printf '[1]' |",
            "[1]\nstandard input is empty; an input holds a request, messages, tools or a text\n",
        ),
        ("- </dev/null", "", "standard input is empty; an input holds a request, messages, tools or a text\n"),
        ("- <&-", "", "standard input is closed; pipe a request into it\n"),
        ("-", "sleep 1 |", "standard input sent nothing for 0 seconds; write the request to a file first\n"),
        (
            "-",
            "yes |",
            "standard input is larger than 1000 bytes; add #N to its name for record N, from 0, of a JSONL log\n",
        ),
        ("<(printf '[1]') <(sleep 0.1; printf '[2]')", "", "[1]\n[2]\n"),
        ("/dev/stdin", "printf '[1]' |", "[1]\n"),
    ],
)
def test_standard_input_and_process_substitution(arguments: str, command: str, printed: str) -> None:
    assert run(arguments, command) == printed


def test_terminal() -> None:
    main, other = os.openpty()
    try:
        done = subprocess.run(
            [sys.executable, "-c", READ, "-"], stdin=other, capture_output=True, timeout=60, check=True
        )
    finally:
        os.close(main)
        os.close(other)
    assert done.stdout == b"standard input is a terminal; pipe a request into it, or name a file\n"


def test_stream_put_in_place_of_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"\xef\xbb\xbf[1]")))
    found = read("-")
    assert (found.path, found.text, found.start) == ("-", "[1]", 3)
