"""Committed files are there as a whole whatever happens to who writes them: a kill, a full disk, eight at once."""

import errno
import json
import os
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conftest import ROOT
from promptlint import files
from promptlint.commands.lint import lint
from promptlint.commands.lint_settings import LintOptions
from promptlint.errors import PromptlintError
from promptlint.files import replace_file
from promptlint.gate.lock import NAME, write_lock
from promptlint.lint.baseline import NAME as BASELINE
from promptlint.lint.baseline import write_baseline

KILLS = 200
LEFT = ".promptlint-abcd_123.tmp"
HOUR = 3600

posix = pytest.mark.skipif(os.name == "nt", reason="Windows has no fork, and other permissions")


@pytest.fixture(autouse=True)
def _a_new_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "_swept", set())


def outcome(kind: str, folder: Path, times: int) -> dict[str, Any]:
    (folder / "in").mkdir()
    line = [sys.executable, str(ROOT / "tests" / "killed_writers.py"), kind, str(folder / "in"), str(times)]
    done = subprocess.run(line, capture_output=True, text=True, timeout=100, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@posix
@pytest.mark.parametrize("kind", ["lock_write", "baseline_write"])
def test_a_kill_at_any_moment_leaves_the_old_file_or_the_new_one(kind: str, tmp_path: Path) -> None:
    found = outcome(kind, tmp_path, KILLS)
    assert (found["killed"], found["torn"]) == (KILLS, 0)
    assert min(found["states"]) > KILLS // 10  # both the old and the new one were there
    assert found["scratch"] > KILLS // 20  # many were killed in the middle of it,
    assert found["ours"]
    assert found["after"] == [0, True, []]  # which stops nobody, and is cleared away when it is old


@posix
def test_a_torn_file_would_be_noticed(tmp_path: Path) -> None:
    assert outcome("naive-lock", tmp_path, KILLS // 2)["torn"] > 0


@posix
def test_of_eight_parallel_writers_each_file_is_whole(tmp_path: Path) -> None:
    found = outcome("together-lock", tmp_path, 20)
    assert found["codes"] == [0] * 8
    assert found["torn"] == 0
    assert found["states"] > 1
    assert found["scratch"] == []


@pytest.mark.parametrize(
    ("name", "arguments", "mark"),
    [(BASELINE, ["baseline", "write", "."], b"fingerprint"), (NAME, ["lock", "write"], b'"sum"')],
)
def test_eight_parallel_runs_give_the_same_file(name: str, arguments: list[str], mark: bytes, tmp_path: Path) -> None:
    (tmp_path / "promptlint.yaml").write_text("prompts: [{request: a.j2, provider: openai, model: gpt-5}]\n")
    (tmp_path / "a.j2").write_text("You answer.\nIt is {{ now() }}.\n" + "Quote the number of the order.\n" * 60)
    line = [sys.executable, "-m", "promptlint", *arguments]
    running = [subprocess.Popen(line, cwd=tmp_path, stdout=subprocess.DEVNULL) for _ in range(8)]
    assert [one.wait(60) for one in running] == [0] * 8
    assert sorted(os.listdir(tmp_path)) == ["a.j2", *sorted([name, "promptlint.yaml"])]
    whole = (tmp_path / name).read_bytes()
    (tmp_path / name).unlink()
    subprocess.run(line, cwd=tmp_path, stdout=subprocess.DEVNULL, check=True)
    assert (tmp_path / name).read_bytes() == whole
    assert whole.count(mark) == 1


# What killed writers leave.


def aged(path: Path, seconds: float) -> Path:
    path.write_text("It is {{ now() }}.")
    os.utime(path, (time.time() - seconds,) * 2)
    return path


def test_only_old_scratch_files_of_ours_are_removed(tmp_path: Path) -> None:
    aged(tmp_path / LEFT, 2 * HOUR)
    kept = [
        aged(tmp_path / ".promptlint-aaaaaaaa.tmp", 0.9 * HOUR),  # it may be somebody's who still writes
        aged(tmp_path / ".promptlint-bbbbbbbb.tmp", -2 * HOUR),
        aged(tmp_path / ".promptlint-baseline", 2 * HOUR),
        aged(tmp_path / ".promptlint-settings.tmp.json", 2 * HOUR),
        aged(tmp_path / "x.promptlint-cccccccc.tmp", 2 * HOUR),
    ]
    (tmp_path / ".promptlint-dddddddd.tmp").mkdir()
    os.utime(tmp_path / ".promptlint-dddddddd.tmp", (time.time() - 2 * HOUR,) * 2)
    replace_file(str(tmp_path / NAME), b"new")
    assert {*os.listdir(tmp_path)} == {*(path.name for path in kept), NAME, ".promptlint-dddddddd.tmp"}


@posix
def test_a_link_that_has_the_name_of_a_scratch_file_stays(tmp_path: Path) -> None:
    aged(tmp_path / "mine", 2 * HOUR)
    (tmp_path / LEFT).symlink_to("mine")
    os.utime(tmp_path / LEFT, (time.time() - 2 * HOUR,) * 2, follow_symlinks=False)
    replace_file(str(tmp_path / NAME), b"new")
    assert {*os.listdir(tmp_path)} == {"mine", LEFT, NAME}


def test_a_folder_is_looked_through_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[object] = []
    real = os.scandir

    def noted(folder: str) -> object:
        seen.append(folder)
        return real(folder)

    monkeypatch.setattr(os, "scandir", noted)
    for number in range(5):
        replace_file(str(tmp_path / f"{number}.txt"), b"new")
    assert len(seen) == 1


def test_scratch_files_are_no_prompts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    aged(tmp_path / LEFT, 0)
    report = lint(["."], LintOptions(cache=False, render=False))
    assert report.findings == ()
    assert report.lint is not None
    assert report.lint.errors == ()


# Targets that are no plain file.


def test_a_link_stays_and_the_file_that_it_leads_to_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep/file").write_text("old")
    (tmp_path / "link").symlink_to("deep/file")
    replace_file(str(tmp_path / "link"), b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "deep/file").read_text() == "new"
    (tmp_path / "dangling").symlink_to("deep/none")
    replace_file(str(tmp_path / "dangling"), b"new")
    assert (tmp_path / "dangling").is_symlink()
    assert sorted(os.listdir(tmp_path / "deep")) == ["file", "none"]


def circle(folder: Path) -> Path:
    (folder / "a").symlink_to("b")
    (folder / "b").symlink_to("a")
    return folder / "a"


def occupied(folder: Path) -> Path:
    (folder / "sub").mkdir()
    return folder / "sub"


def pipe(folder: Path) -> Path:
    os.mkfifo(folder / "pipe")
    return folder / "pipe"


def read_only(folder: Path) -> Path:
    (folder / "kept").write_text("old")
    (folder / "kept").chmod(0o444)
    return folder / "kept"


TARGETS = [
    (circle, os.strerror(errno.ELOOP)),
    (occupied, "it is a folder"),
    (pipe, "it is no regular file"),
    (read_only, "it is read-only"),
    (lambda folder: folder / "gone" / "file", "its folder takes no new file (No such file or directory)"),
    (lambda folder: folder / ("x" * 300), os.strerror(errno.ENAMETOOLONG)),
    (lambda folder: folder / "no\0name", "embedded null"),
]


@posix
@pytest.mark.parametrize(("make", "reason"), TARGETS)
def test_what_cannot_be_replaced_is_one_clear_line(make: Callable[[Path], Path], reason: str, tmp_path: Path) -> None:
    path = make(tmp_path)
    before = {name: os.lstat(tmp_path / name) for name in os.listdir(tmp_path)}
    for write in (write_lock, write_baseline):
        with pytest.raises(PromptlintError) as fault:
            write(str(path), ())
        assert reason in str(fault.value)
        assert str(fault.value).endswith("; name a file that can be written")
        assert str(fault.value).isprintable()
    assert {name: os.lstat(tmp_path / name) for name in os.listdir(tmp_path)} == before


# Reached as root as well: nobody can make files there.
@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="needs /proc")
def test_a_folder_that_takes_no_file() -> None:
    with pytest.raises(PromptlintError, match=r"^/proc/self/new: its folder takes no new file \(.+\); name a file"):
        write_lock("/proc/self/new", ())


FULL = """
import os, resource, sys
from promptlint.errors import PromptlintError
from promptlint.gate.lock import write_lock
resource.setrlimit(resource.RLIMIT_FSIZE, (8, 8))
try:
    write_lock(sys.argv[1], ())
except PromptlintError as error:
    print(error)
"""


@posix
def test_a_full_disk_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    (tmp_path / NAME).write_text("old")
    line = [sys.executable, "-c", FULL, str(tmp_path / NAME)]
    done = subprocess.run(line, capture_output=True, text=True, check=True)
    assert done.stdout == f"{tmp_path / NAME}: {os.strerror(errno.EFBIG)}; name a file that can be written\n"
    assert done.stderr == ""
    assert os.listdir(tmp_path) == [NAME]
    assert (tmp_path / NAME).read_text() == "old"


@pytest.mark.parametrize("stage", ["fsync", "chmod", "replace"])
def test_whatever_fails_leaves_the_file_as_it_was(stage: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError(errno.EIO, "broken")

    (tmp_path / NAME).write_text("old")
    monkeypatch.setattr(os, stage, fail)
    with pytest.raises(OSError, match="broken"):
        replace_file(str(tmp_path / NAME), b"new")
    assert os.listdir(tmp_path) == [NAME]
    assert (tmp_path / NAME).read_text() == "old"


def test_an_interrupt_behind_the_replacement_is_told_as_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.replace

    def interrupted(source: str, target: str) -> None:
        real(source, target)
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        replace_file(str(tmp_path / NAME), b"new")
    assert (tmp_path / NAME).read_text() == "new"


@posix
def test_permissions_stay_and_new_files_get_what_is_asked_for(tmp_path: Path) -> None:
    (tmp_path / "old").write_text("old")
    (tmp_path / "old").chmod(0o640)
    replace_file(str(tmp_path / "old"), b"new", mode=0o600)
    replace_file(str(tmp_path / "own"), b"new", mode=0o600)
    before = os.umask(0o027)
    try:
        replace_file(str(tmp_path / "masked"), b"new")
    finally:
        os.umask(before)
    modes = {name: stat.S_IMODE(os.stat(tmp_path / name).st_mode) for name in os.listdir(tmp_path)}
    assert modes == {"old": 0o640, "own": 0o600, "masked": 0o640}


@pytest.mark.parametrize(("refusals", "passes"), [(3, True), (99, False)])
def test_windows_may_refuse_for_a_while(
    refusals: int, passes: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, left = os.replace, [None] * refusals
    slept: list[float] = []

    def refuse(source: str, target: str) -> None:
        if left:
            left.pop()
            raise PermissionError(errno.EACCES, "in use")
        real(source, target)

    monkeypatch.setattr(os, "replace", refuse)
    monkeypatch.setattr(time, "sleep", slept.append)
    (tmp_path / NAME).write_text("old")
    monkeypatch.setattr(files, "_PATIENT", True)
    if passes:
        replace_file(str(tmp_path / NAME), b"new")
    else:
        with pytest.raises(PermissionError, match="in use"):
            replace_file(str(tmp_path / NAME), b"new")
    assert (tmp_path / NAME).read_text() == ("new" if passes else "old")
    assert os.listdir(tmp_path) == [NAME]
    assert 0.05 < sum(slept) < 1
