"""Where the current folder stands in a repository, and the commit that a change is compared with."""

import os
from pathlib import Path

import pytest

from git_repositories import Repo, without_settings
from promptlint.errors import PromptlintError
from promptlint.read import git
from promptlint.read.history import Base, Repository, base_of, repository, staged_base


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """Give a repository in which `work` left `main` at the first commit; each has one more."""
    without_settings(monkeypatch, tmp_path)
    made = Repo(tmp_path / "one")
    made.put("a", "1\n")
    made.commit("first")
    made.git("checkout", "-q", "-b", "work")
    made.put("b", "2\n")
    made.commit("on work")
    made.git("checkout", "-q", "main")
    made.put("c", "3\n")
    made.commit("on main")
    made.git("checkout", "-q", "work")
    monkeypatch.chdir(made.path)
    return made


def fault(ref: str | None = None) -> str:
    with pytest.raises(PromptlintError) as caught:
        repository() if ref is None else base_of(ref)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_repository(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    top = os.path.realpath(repo.path)
    assert repository() == Repository(top, "", False)
    (repo.path / "x y/z").mkdir(parents=True)
    monkeypatch.chdir(repo.path / "x y/z")
    assert repository() == Repository(top, "x y/z/", False)


@pytest.mark.skipif(os.name == "nt", reason="no such names")
def test_folders_with_line_feeds(repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = Repo(tmp_path / "two\n\nlines")
    (other.path / "a\nb").mkdir()
    monkeypatch.chdir(other.path / "a\nb")
    assert repository() == Repository(os.path.realpath(other.path), "a\nb/", False)


def test_worktree(repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repo.git("worktree", "add", "-q", str(tmp_path / "tree"), "main")
    monkeypatch.chdir(tmp_path / "tree")
    assert repository() == Repository(os.path.realpath(tmp_path / "tree"), "", False)
    assert base_of("work").commit == repo.git("rev-parse", "main~1").strip()


def test_no_working_tree(repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    instead = "compare two folders instead: promptlint check OLD NEW"
    monkeypatch.chdir(tmp_path)
    assert fault() == f"the current folder is in no git repository; {instead}"
    Repo(tmp_path / "bare", "--bare")
    monkeypatch.chdir(tmp_path / "bare")
    assert fault() == f"the current folder is in no working tree of git; {instead}"
    monkeypatch.chdir(repo.path / ".git")
    assert fault() == f"the current folder is in no working tree of git; {instead}"


def test_git_cannot_be_used(repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bin").mkdir()
    slow = tmp_path / "bin/git"
    slow.write_text("#!/bin/sh\nexec sleep 60\n")
    slow.chmod(0o755)
    monkeypatch.setattr(git, "GIT_S", 0.2)
    with monkeypatch.context() as patch:
        patch.setenv("PATH", f"{tmp_path}/bin:{os.environ['PATH']}")
        assert fault() == "git did not finish in 0 seconds; try again"
    monkeypatch.setenv("PATH", "")
    assert fault().startswith("git is not installed; install it, or compare two folders")


def test_complaints() -> None:
    owned = git.fault(git.complaint(b"warning: x\nfatal: detected dubious ownership in repository at '/w/r'\nTo add"))
    assert owned.hint == "if you trust it: git config --global --add safe.directory /w/r"
    assert git.fault("bad config line 1").hint == "bad config line 1"
    assert git.complaint(b"") == ""


def test_merge_base(repo: Repo) -> None:
    first, main, work = (repo.git("rev-parse", name).strip() for name in ("main~1", "main", "work"))
    assert base_of("main") == Base(first, f"main (merge base {first[:7]})")
    assert base_of("main", merge_base=False) == Base(main, f"main ({main[:7]})")
    assert base_of("HEAD") == Base(work, f"HEAD ({work[:7]})")
    assert base_of(first) == base_of(first[:10]) == Base(first, first[:7])
    assert base_of(main) == Base(first, f"{main[:7]} (merge base {first[:7]})")
    assert staged_base() == base_of("HEAD")
    assert staged_base("main") == base_of("main")


def test_after_a_merge(repo: Repo) -> None:
    main = repo.git("rev-parse", "main").strip()
    repo.git("merge", "-q", "--no-edit", "main")
    assert base_of("main").commit == main


def test_several_merge_bases(repo: Repo) -> None:
    main, work = repo.git("rev-parse", "main").strip(), repo.head()
    repo.git("merge", "-q", "--no-edit", "main")
    repo.git("checkout", "-q", "main")
    repo.git("merge", "-q", "--no-edit", "--no-ff", work)
    assert base_of("work").commit in (main, work)


def test_no_commit_yet(repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(Repo(tmp_path / "new").path)
    empty = Base(None, "an empty tree (nothing is committed yet)")
    assert base_of("HEAD") == staged_base() == empty
    assert fault("main") == "git knows no revision main here; `git branch --all` lists what there is"
    monkeypatch.chdir(repo.path)
    repo.git("checkout", "-q", "--orphan", "fresh")
    assert base_of("main").notes == ("HEAD has no commit yet",)
    repo.commit("unrelated")
    assert base_of("main").commit == repo.git("rev-parse", "main").strip()
    assert base_of("main").notes == ("HEAD and main have no common history: it is compared with main itself",)


@pytest.mark.parametrize("ref", ["", "-h", "--all", "HEAD\0"])
def test_no_revision(repo: Repo, ref: str) -> None:
    assert "is no revision; name a branch, a tag or a commit" in fault(ref)


def test_unknown_revision(repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert fault("mian") == "git knows no revision mian here; did you mean main?"
    assert fault("HEAD~9") == "git knows no revision HEAD~9 here; `git branch --all` lists what there is"
    assert fault("HEAD^{tree}").startswith("git knows no revision HEAD^{tree} here; ")
    monkeypatch.chdir(repo.clone(tmp_path / "two", "--branch", "work").path)
    assert fault("main") == "git knows no revision main here; did you mean origin/main?"
    assert fault("origin/next") == (
        "git knows no revision origin/next here; "
        "get it: git fetch origin next:refs/remotes/origin/next (and name it origin/next)"
    )


def test_hints_of_shallow_clones_work(repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clone = repo.clone(tmp_path / "two", "--depth=1", "--branch", "work")
    monkeypatch.chdir(clone.path)
    assert repository().shallow
    for ref in ("main", "origin/main"):
        hint = fault(ref).partition("get it: git ")[2].partition(" (")[0]
        assert hint == "fetch --depth=100 origin main:refs/remotes/origin/main"
    assert fault("HEAD~1").endswith("get more of its history: git fetch --deepen=100")
    clone.git(*hint.split())
    assert base_of("origin/main").commit == repo.git("rev-parse", "main").strip()
    first = repo.git("rev-parse", "main~1").strip()
    clone.git("fetch", "--deepen=100", "origin", "work")
    assert base_of("origin/main") == Base(first, f"origin/main (merge base {first[:7]})")


def test_shallow_clone_without_merge_base(repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clone = repo.clone(tmp_path / "two", "--depth=1", "--no-single-branch", "--branch", "work")
    monkeypatch.chdir(clone.path)
    main = repo.git("rev-parse", "main").strip()
    found = base_of("origin/main")
    assert found[:2] == (main, f"origin/main ({main[:7]})")
    assert len(found.notes) == 1
    assert "git fetch --unshallow" in found.notes[0]
    clone.git("fetch", "-q", "--unshallow")
    assert base_of("origin/main").commit == repo.git("rev-parse", "main~1").strip()


def test_shallow_merge_into_the_base(repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Give no note where a server has merged the branch into its base: the base is the merge base."""
    repo.git("checkout", "-q", "-b", "merged", "main")
    repo.git("merge", "-q", "--no-edit", "--no-ff", "work")
    clone = repo.clone(tmp_path / "two", "--depth=1", "--no-single-branch", "--branch", "merged")
    monkeypatch.chdir(clone.path)
    main = repo.git("rev-parse", "main").strip()
    assert base_of("origin/main") == Base(main, f"origin/main ({main[:7]})")
    assert base_of("origin/work").notes == ()  # the other parent


def test_processes(repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Take one process for each of what every run needs."""
    lines: list[tuple[str, ...]] = []
    attempt = git.attempt

    def noted(*arguments: str) -> git.Answer:
        lines.append(arguments)
        return attempt(*arguments)

    monkeypatch.setattr(git, "attempt", noted)
    repository()
    base_of("main")
    assert [line[0] for line in lines] == ["rev-parse", "merge-base"]
