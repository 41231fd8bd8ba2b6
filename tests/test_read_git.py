"""Files of git revisions."""

import os
import subprocess
from pathlib import Path

import pytest

from promptlint.errors import PromptlintError
from promptlint.read import revisions
from promptlint.read.sources import read

pytestmark = pytest.mark.usefixtures("repository")


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)  # a hook that runs these tests sets GIT_DIR
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    root = tmp_path / "repository"
    (root / "prompts").mkdir(parents=True)
    monkeypatch.chdir(root)
    (root / "prompts/a.json").write_bytes(b'{"old": 1}\n[2]\r\n')
    (root / "big").write_bytes(b"x" * 3_000_000)
    git("init", "-q", "-b", "main")
    git("add", ".")
    git("-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-q", "-m", "one")
    (root / "prompts/a.json").write_bytes(b'{"new": 1}')
    return root


def git(*arguments: str) -> None:
    subprocess.run(["git", *arguments], check=True)


def fault(argument: str, max_bytes: int = 1 << 20) -> str:
    with pytest.raises(PromptlintError) as caught:
        read(argument, max_bytes=max_bytes)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_file_of_a_revision() -> None:
    found = read("HEAD:prompts/a.json")
    assert (found.path, found.revision, found.record) == ("prompts/a.json", "HEAD", None)
    assert found.data == b'{"old": 1}\n[2]\r\n'
    assert read("main:prompts/a.json") == found._replace(revision="main")
    assert read("prompts/a.json").text == '{"new": 1}'


def test_record_of_a_revision() -> None:
    found = read("HEAD:prompts/a.json#1")
    assert (found.path, found.revision, found.record, found.text, found.line) == ("prompts/a.json", "HEAD", 1, "[2]", 2)


def test_staged_file_and_path_from_here(monkeypatch: pytest.MonkeyPatch) -> None:
    git("add", ".")
    assert read(":prompts/a.json").text == '{"new": 1}'
    monkeypatch.chdir("prompts")
    assert read("HEAD:./a.json#0").text == '{"old": 1}'
    assert fault("HEAD:a.json") == (
        "a.json does not exist in HEAD; paths count from the root of the repository: try HEAD:./a.json"
    )


def test_faults() -> None:
    assert fault("HEAD~7:prompts/a.json") == (
        "HEAD~7:prompts/a.json is no file, and git knows no revision HEAD~7; see `git log --all`"
    )
    assert fault("HEAD:prompts/aa.json") == "prompts/aa.json does not exist in HEAD; did you mean HEAD:prompts/a.json?"
    assert fault("HEAD:zzz").startswith("zzz does not exist in HEAD; ")
    assert fault(":zzz").startswith("zzz does not exist in the index; ")
    assert fault("HEAD:prompts") == "HEAD:prompts is a folder; name a file in it"
    assert fault("--help:x").startswith("--help is no revision; ")
    assert fault("HEAD\0:x").startswith("HEAD\\x00:x cannot be read from git; ")


def test_limit() -> None:
    assert fault("HEAD:big").startswith("HEAD:big is larger than 1 MiB; ")
    assert len(read("HEAD:big").data) == 3_000_000


def test_git_is_given_up(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "git").write_text("#!/bin/sh\nexec sleep 60\n")
    (tmp_path / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setattr(revisions, "GIT_S", 0.2)
    assert fault("HEAD:big") == "git did not finish with HEAD:big in 0 seconds; try again"


def test_without_git(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    assert fault("HEAD:big") == "HEAD:big is no file, and git is not installed; check the path, or install git"


def test_outside_of_a_repository(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    assert fault("HEAD:a") == "HEAD:a is neither a file nor in a git repository here; check the path"


def test_complaint_of_git_is_passed_on(repository: Path) -> None:
    (repository / ".git/config").write_text("[broken")
    assert fault("HEAD:big").startswith("HEAD:big cannot be read from git; bad config line ")
