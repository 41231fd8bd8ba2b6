"""Contents from the object store, and files that are written from it."""

import os
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import IO
from unittest.mock import Mock

import pytest

from git_repositories import Repo, without_settings
from promptlint.errors import PromptlintError
from promptlint.read import git, objects
from promptlint.read.listings import index, tree
from promptlint.read.objects import blobs, export


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    without_settings(monkeypatch, tmp_path)
    made = Repo(tmp_path / "one")
    made.put("a", b"a\r\n\0\xff")
    made.put("empty", b"")
    made.commit()
    monkeypatch.chdir(made.path)
    return made


def fault(*ids: str, names: dict[str, str] | None = None) -> str:
    with pytest.raises(PromptlintError) as caught:
        list(blobs(ids, names))
    return str(caught.value)


def test_contents(repo: Repo) -> None:
    a, empty = (tree("HEAD")[name].blob for name in ("a", "empty"))
    assert list(blobs([a, empty, a])) == [b"a\r\n\0\xff", b"", b"a\r\n\0\xff"]
    assert list(blobs([])) == []


def test_many_and_large_ones_do_not_block(repo: Repo) -> None:
    """Ask for more than any pipe holds, and get more than it holds, before all is asked."""
    repo.put("large", b"x" * 300_000)
    repo.commit()
    found = tree("HEAD")
    ids = [found["large"].blob, *[found["a"].blob] * 5000] * 10
    assert sum(len(data) for data in blobs(ids)) == 10 * (300_000 + 5000 * 5)


def test_no_more_than_wanted(repo: Repo) -> None:
    """Git ends when enough has been read."""
    repo.put("large", b"x" * 3_000_000)
    repo.commit()
    contents = blobs([tree("HEAD")["large"].blob] * 50)
    assert len(next(contents)) == 3_000_000
    contents.close()  # type: ignore[attr-defined]  # a generator; a warning would be an error


def test_faults(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    a = tree("HEAD")["a"].blob
    missing = "0" * 39 + "1"
    assert fault(a, missing) == f"git has no content of {missing}; see whether `git fsck` finds faults"
    assert fault(missing, names={missing: "p\n"}).startswith("git has no content of p\\n; ")
    monkeypatch.setattr(objects, "MAX_BYTES", 2)
    assert fault(a, names={a: "a"}) == "a is larger than 0 MiB; leave it out"
    (repo.path / ".git/config").write_text("[broken")
    assert fault(a).startswith("git failed; bad config line ")
    monkeypatch.setenv("PATH", "")
    assert fault(a).startswith("git is not installed; ")


class Clock:
    """Stands in for the clock and for timers: they run off when the test says so."""

    def __init__(self) -> None:
        self.now = 0.0
        self.run_off: Callable[[], None] = lambda: None  # of the newest timer

    def monotonic(self) -> float:
        return self.now

    def timer(self, seconds: float, run_off: Callable[[], None]) -> Mock:
        self.run_off = run_off
        return Mock()


def test_git_may_wait_for_us(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()
    monkeypatch.setattr(objects, "time", clock)
    monkeypatch.setattr("threading.Timer", clock.timer)
    a = tree("HEAD")["a"].blob
    contents = blobs([a, a])
    next(contents)
    clock.now = 10 * git.GIT_S
    clock.run_off()
    assert list(contents) == [b"a\r\n\0\xff"]


@pytest.mark.parametrize(("waited", "over"), [(0.5, False), (1.5, True)])
def test_we_wait_for_git_for_some_time(waited: float, over: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    clock, kill = Clock(), Mock()
    monkeypatch.setattr(objects, "time", clock)
    monkeypatch.setattr("threading.Timer", clock.timer)
    patience = objects._Patience(kill)
    clock.now = 1000.0  # we did not wait until then

    def read(source: IO[bytes], name: str) -> bytes:
        clock.now += waited * git.GIT_S
        clock.run_off()
        return b"read"

    assert patience.during(read, BytesIO(), "a") == b"read"
    assert (patience.over, kill.called) == (over, over)


def test_git_that_never_answers(repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    a = tree("HEAD")["a"].blob
    monkeypatch.setattr(git, "GIT_S", 0.0)
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/git").write_text("#!/bin/sh\nexec sleep 60\n")
    (tmp_path / "bin/git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:{os.environ['PATH']}")
    assert fault(a) == "git did not finish in 0 seconds; try again"


def test_export(repo: Repo, tmp_path: Path) -> None:
    repo.put(".gitattributes", "a export-ignore\n*.txt export-subst eol=crlf\n")
    repo.put("deep/er/b.txt", "$Format:%H$\n")
    repo.put("deep/run", "#!/bin/sh\n").chmod(0o755)
    repo.commit()
    repo.put("deep/staged", "1")
    repo.git("add", "-A")
    export(tree("HEAD"), str(tmp_path / "out"))
    files = {
        path.relative_to(tmp_path / "out").as_posix(): path for path in (tmp_path / "out").rglob("*") if path.is_file()
    }
    assert set(files) == {".gitattributes", "a", "deep/er/b.txt", "deep/run", "empty"}
    assert files["a"].read_bytes() == b"a\r\n\0\xff"
    assert files["deep/er/b.txt"].read_bytes() == b"$Format:%H$\n"
    assert [name for name, path in files.items() if os.access(path, os.X_OK)] == ["deep/run"]
    export({"x/staged": index()["deep/staged"]}, str(tmp_path / "out"))
    assert (tmp_path / "out/x/staged").read_text() == "1"


@pytest.mark.parametrize(
    "path", ["../x", "/x", "a/../../x", "a//x", "", ".", "a/.", ".git/hooks/x", "a/.GIT/x", "a\0b"]
)
def test_names_that_lead_out(repo: Repo, tmp_path: Path, path: str) -> None:
    entry = tree("HEAD")["a"]
    with pytest.raises(PromptlintError, match="is no name of a file in a folder"):
        export({"fine": entry, path: entry}, str(tmp_path / "out"))
    assert not (tmp_path / "out").exists()


def test_names_of_other_systems(repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(objects, "_OUTSIDE", ("\\", ":"))
    entry = tree("HEAD")["a"]
    for path in ("C:/x", "a\\..\\x", "a:b"):
        with pytest.raises(PromptlintError, match="is no name of a file in a folder"):
            export({path: entry}, str(tmp_path / "out"))


def test_cannot_be_written(repo: Repo, tmp_path: Path) -> None:
    (tmp_path / "out").write_text("a file")
    with pytest.raises(PromptlintError, match=r"a cannot be written \((File exists|Not a directory)\)"):
        export(tree("HEAD"), str(tmp_path / "out"))
