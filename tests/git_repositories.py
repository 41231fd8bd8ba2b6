"""Scratch repositories of git: nothing of the user's configuration counts, and every run makes the same commits."""

import os
import subprocess
from pathlib import Path

import pytest

_PERSON = {
    f"GIT_{who}_{what}": value
    for who in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "a"), ("EMAIL", "a@example.com"))
}
_FIRST_S = 1_700_000_000


def without_settings(monkeypatch: pytest.MonkeyPatch, ceiling: Path) -> None:
    """Let git, in this test, know of no configuration and of no repository above `ceiling`."""
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)  # a hook that runs these tests sets GIT_DIR
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(ceiling))


class Repo:
    """A repository with a working tree. Its methods may be called from any current folder."""

    def __init__(self, path: Path, *options: str) -> None:
        self.path = path
        self._commits = 0
        if not path.exists():
            path.mkdir(parents=True)
            self.git("init", "-q", "-b", "main", *options)

    def git(self, *arguments: str, check: bool = True) -> str:
        """What git prints in the repository; it must succeed."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        date = f"{_FIRST_S + self._commits} +0000"
        fixed = {
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_AUTHOR_DATE": date,
            "GIT_COMMITTER_DATE": date,
        }
        done = subprocess.run(
            ["git", *arguments], cwd=self.path, env={**kept, **_PERSON, **fixed}, capture_output=True, check=False
        )
        assert done.returncode == 0 or not check, os.fsdecode(done.stderr)
        return os.fsdecode(done.stdout)

    def put(self, name: str, content: str | bytes) -> Path:
        """Write a file; its folders are made."""
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    def remove(self, name: str) -> None:
        """Delete a file; git is told by the next commit."""
        (self.path / name).unlink()

    def move(self, name: str, to: str) -> None:
        """Rename a file; git is told by the next commit."""
        (self.path / to).parent.mkdir(parents=True, exist_ok=True)
        (self.path / name).rename(self.path / to)

    def commit(self, message: str = "change") -> str:
        """Commit all that is there; the id."""
        self.git("add", "-A")
        self._commits += 1
        self.git("commit", "-q", "--allow-empty", "-m", message)
        return self.head()

    def head(self) -> str:
        """The id of the current commit."""
        return self.git("rev-parse", "HEAD").strip()

    def clone(self, path: Path, *options: str) -> "Repo":
        """A clone over the protocol of the network, so that options on depth and filters count."""
        self.git("config", "uploadpack.allowFilter", "true")
        self.git("clone", "-q", *options, self.path.as_uri(), str(path))
        return Repo(path)
