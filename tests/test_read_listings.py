"""The files of a commit, of the index and of the working tree, and those that differ."""

import os
import sys
from pathlib import Path

import pytest

from git_repositories import Repo, without_settings
from promptlint.errors import PromptlintError
from promptlint.read.history import repository
from promptlint.read.listings import Working, index, index_changes, tree, working, working_changes
from promptlint.read.objects import blobs, export

TEXT = "".join(f"line {number} of a prompt\n" for number in range(20))
IN_THE_HOOK = """
import os
from promptlint.read.history import staged_base
from promptlint.read.listings import index, index_changes
from promptlint.read.objects import blobs

with open("told", "w") as file:
    print(os.environ["GIT_INDEX_FILE"], *(each.new for each in index_changes(staged_base().commit)), file=file)
with open("content", "w") as file:
    print(b"".join(blobs([index()["prompts/a.txt"].blob])), file=file)
"""
ODD = [
    b"sp ace",
    b'quo"te',
    b"line\nfeed",
    b"-dash",
    b"tab\t",
    b":colon",
    b"[ab]",
    b"*",
    b"caf\xc3\xa9",
    b"\xff\xfe",
    b"a/\xff/-x",
]


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """Give a repository with one commit."""
    without_settings(monkeypatch, tmp_path)
    made = Repo(tmp_path / "one")
    made.put("prompts/a.txt", TEXT)
    made.put("prompts/deep/b.txt", "b\n")
    made.put("run", "#!/bin/sh\n").chmod(0o755)
    made.put(".gitignore", "*.log\n")
    made.commit("first")
    monkeypatch.chdir(made.path)
    return made


def now() -> Working:
    return working(repository())


def differing(commit: str | None = "HEAD") -> list[tuple[str | None, str | None]]:
    return [(each.old, each.new) for each in working_changes(repository(), commit, now())]


def staged(commit: str | None = "HEAD") -> list[tuple[str | None, str | None]]:
    return [(each.old, each.new) for each in index_changes(commit)]


def test_tree_index_and_working_tree(repo: Repo) -> None:
    found = tree("HEAD")
    assert {path: (entry.mode, entry.size) for path, entry in found.items()} == {
        ".gitignore": ("100644", 6),
        "prompts/a.txt": ("100644", len(TEXT)),
        "prompts/deep/b.txt": ("100644", 2),
        "run": ("100755", 10),
    }
    assert index() == {path: entry._replace(size=None) for path, entry in found.items()}
    repo.put("x.log", "ignored")
    repo.put("new", "1")
    repo.remove("run")
    assert now() == Working(
        {".gitignore": 6, "new": 1, "prompts/a.txt": len(TEXT), "prompts/deep/b.txt": 2},
        frozenset({"new"}),
        frozenset(),
    )
    assert tree(None) == {}


def test_below_the_top(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    """See everything, wherever the current folder is."""
    repo.put("prompts/deep/new", "1")
    repo.put("run", "changed")
    monkeypatch.chdir(repo.path / "prompts/deep")
    everything = {".gitignore", "prompts/a.txt", "prompts/deep/b.txt", "run"}
    assert set(tree("HEAD")) == set(index()) == set(now().files) - {"prompts/deep/new"} == everything
    assert differing() == [(None, "prompts/deep/new"), ("run", "run")]
    repo.git("add", "-A")
    assert staged() == [(None, "prompts/deep/new"), ("run", "run")]


def test_links_and_repositories_within(repo: Repo) -> None:
    os.symlink("prompts/a.txt", repo.path / "link")
    os.symlink("prompts", repo.path / "folder")
    inner = Repo(repo.path / "inner")
    inner.put("x", "1")
    inner.commit()
    before = now()
    assert {"link", "folder", "inner", "inner/x", "inner/"}.isdisjoint(before.files)
    repo.git("-c", "advice.addEmbeddedRepo=false", "add", "-A")
    repo.commit()
    assert set(tree("HEAD")) == set(index()) == set(now().files) == set(before.files)
    inner.put("x", "2")
    assert differing() == differing("HEAD~1") == staged("HEAD~1") == []
    (repo.path / "link").unlink()
    repo.put("link", "a file now")
    repo.remove("prompts/deep/b.txt")
    os.symlink("../a.txt", repo.path / "prompts/deep/b.txt")
    assert differing() == [(None, "link"), ("prompts/deep/b.txt", None)]
    repo.git("add", "-A")
    assert staged() == [(None, "link"), ("prompts/deep/b.txt", None)]


def test_folder_that_became_a_link(repo: Repo) -> None:
    repo.move("prompts/a.txt", "other/a.txt")
    repo.move("prompts/deep/b.txt", "other/deep/b.txt")
    (repo.path / "prompts/deep").rmdir()
    (repo.path / "prompts").rmdir()
    os.symlink("other", repo.path / "prompts")
    assert set(now().files) == {".gitignore", "other/a.txt", "other/deep/b.txt", "run"}
    assert differing() == [("prompts/a.txt", "other/a.txt"), ("prompts/deep/b.txt", "other/deep/b.txt")]


@pytest.mark.skipif(sys.platform != "linux", reason="names are bytes there only")
def test_odd_names(repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = sorted(os.fsdecode(name) for name in ODD)
    for name in names:
        repo.put(name, f"content of {name!r}")
    (repo.path / "empty").mkdir()
    monkeypatch.chdir(repo.path / "empty")
    old = set(tree("HEAD"))
    assert set(now().files) - old == set(names)
    assert differing() == [(None, name) for name in names]
    repo.commit()
    assert set(tree("HEAD")) - old == set(index()) - old == set(now().files) - old == set(names)
    assert staged("HEAD~1") == differing("HEAD~1") == [(None, name) for name in names]
    export(tree("HEAD"), str(tmp_path / "out"))
    for name in names:
        assert (tmp_path / "out" / name).read_text() == f"content of {name!r}"


def test_dirty_working_tree(repo: Repo) -> None:
    repo.put("prompts/deep/b.txt", "changed\n")
    repo.put("staged", "1")
    repo.git("add", "staged")
    repo.put("untracked", "1")
    repo.git("rm", "-q", "--cached", "run")
    repo.put("half", "x")
    repo.git("add", "-N", "half")
    os.utime(repo.path / "prompts/a.txt", (1, 1))  # touched, not changed
    expected = [
        (None, "half"),
        ("prompts/deep/b.txt", "prompts/deep/b.txt"),
        ("run", "run"),
        (None, "staged"),
        (None, "untracked"),
    ]
    assert differing() == expected
    assert staged() == [("run", None), (None, "staged")]
    assert "half" not in index()
    assert set(index()) == {".gitignore", "prompts/a.txt", "prompts/deep/b.txt", "staged"}
    repo.put("nothing", "")
    repo.git("add", "nothing")
    assert "nothing" in index()


@pytest.mark.parametrize("told", ["not", "half", "fully"])
def test_renames(repo: Repo, told: str) -> None:
    """Follow a file that was moved, and one that was moved and edited, however much git has been told."""
    repo.put("z/one.txt", TEXT.replace("line", "row"))
    repo.commit()
    repo.git("config", "diff.renames", "false")
    repo.git("config", "diff.renameLimit", "1")
    repo.move("prompts/a.txt", "other/a.txt")
    repo.move("z/one.txt", "z/two.txt")
    repo.put("z/two.txt", TEXT.replace("line", "row").replace("row 3", "another line"))
    repo.put("z/unrelated.txt", "nothing\nof the kind\n" * 30)
    if told != "not":
        repo.git(*({"half": ["rm", "--cached", "-qr", "z", "prompts/a.txt"], "fully": ["add", "-A"]}[told]))
    expected = [("prompts/a.txt", "other/a.txt"), ("z/one.txt", "z/two.txt"), (None, "z/unrelated.txt")]
    assert differing() == expected
    if told == "fully":
        assert staged() == expected


def test_old_name_is_used_again(repo: Repo) -> None:
    repo.git("mv", "prompts/a.txt", "prompts/c.txt")
    repo.put("prompts/a.txt", TEXT)
    assert differing() == [("prompts/a.txt", "prompts/a.txt"), (None, "prompts/c.txt")]


def test_first_commit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    without_settings(monkeypatch, tmp_path)
    fresh = Repo(tmp_path / "new")
    monkeypatch.chdir(fresh.path)
    assert (tree(None), index(), now().files, differing(None), staged(None)) == ({}, {}, {}, [], [])
    fresh.put("a", "1")
    fresh.put("b", "2")
    fresh.git("add", "b")
    assert differing(None) == [(None, "a"), (None, "b")]
    assert staged(None) == [(None, "b")]


def test_conflict(repo: Repo) -> None:
    base = repo.head()
    repo.git("checkout", "-q", "-b", "other")
    repo.put("prompts/a.txt", "other\n")
    repo.remove("run")
    repo.commit()
    repo.git("checkout", "-q", "main")
    repo.put("prompts/a.txt", "main\n")
    repo.put("run", "#!/bin/bash\n")
    repo.commit()
    repo.git("merge", "other", check=False)
    assert set(now().files) == {".gitignore", "prompts/a.txt", "prompts/deep/b.txt", "run"}
    assert differing(base) == [("prompts/a.txt", "prompts/a.txt"), ("run", "run")]
    with pytest.raises(PromptlintError, match=r"prompts/a.txt is in conflict; finish the merge and stage it: git add"):
        index()


def test_sparse_checkout(repo: Repo) -> None:
    repo.git("sparse-checkout", "set", "--no-cone", "/run")
    assert now() == Working({"run": 10}, frozenset(), frozenset({".gitignore", "prompts/a.txt", "prompts/deep/b.txt"}))
    assert differing() == []


def test_line_ends_that_git_converts(repo: Repo) -> None:
    repo.git("config", "core.autocrlf", "true")
    repo.remove("prompts/a.txt")
    repo.git("checkout", "prompts/a.txt")
    assert now().files["prompts/a.txt"] == len(TEXT) + 20
    assert tree("HEAD")["prompts/a.txt"].size == len(TEXT)
    assert differing() == []
    repo.move("prompts/a.txt", "b.txt")
    assert differing() == [("prompts/a.txt", "b.txt")]


def test_settings_of_the_user(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    """Get the same answers whatever is configured."""
    repo.put("prompts/a.txt", "x")
    settings = {"diff.external": "false", "diff.relative": "true", "diff.mnemonicPrefix": "true", "color.ui": "always"}
    settings |= {"core.quotePath": "true", "diff.renames": "copies", "core.fsmonitor": "touch monitored;false"}
    settings |= {"diff.noprefix": "true", "status.showUntrackedFiles": "no", "diff.ignoreSubmodules": "none"}
    for name, value in settings.items():
        repo.git("config", name, value)
    repo.put("copy", TEXT)
    for name in ("GIT_LITERAL_PATHSPECS", "GIT_EXTERNAL_DIFF", "GIT_TRACE"):
        monkeypatch.setenv(name, "1")
    monkeypatch.chdir(repo.path / "prompts/deep")
    assert differing() == [(None, "copy"), ("prompts/a.txt", "prompts/a.txt")]
    assert not list(repo.path.rglob("monitored"))


@pytest.mark.parametrize("line", [["-a"], ["--", "prompts/a.txt"]])
def test_in_a_hook(repo: Repo, line: list[str]) -> None:
    """Look at the index that git has made for a commit: of a part of the files, or of all that are tracked."""
    repo.put("prompts/a.txt", "in\n")
    repo.put("prompts/deep/b.txt", "only with -a\n")
    repo.put("other", "staged before\n")
    repo.git("add", "other")
    repo.path.with_name("hook.py").write_text(IN_THE_HOOK)
    hook = repo.put(".git/hooks/pre-commit", f'#!/bin/sh\nexec "{sys.executable}" ../hook.py\n')
    hook.chmod(0o755)
    repo.git("commit", "-q", "-m", "part", *line)
    name, *paths = (repo.path / "told").read_text().split()
    assert paths == (["other", "prompts/a.txt", "prompts/deep/b.txt"] if line == ["-a"] else ["prompts/a.txt"])
    assert name != str(repo.path / ".git/index")
    assert (repo.path / "content").read_text() == "b'in\\n'\n"


def test_in_a_hook_of_a_worktree(repo: Repo, tmp_path: Path) -> None:
    tree_path = tmp_path / "tree"
    repo.git("worktree", "add", "-q", "-b", "side", str(tree_path))
    repo.path.with_name("hook.py").write_text(
        f"{IN_THE_HOOK}\nfrom promptlint.read.history import repository\n"
        "from promptlint.read.listings import working\nprint(*working(repository()).files, file=open('there', 'w'))\n"
    )
    repo.put(".git/hooks/pre-commit", f'#!/bin/sh\nexec "{sys.executable}" ../hook.py\n').chmod(0o755)
    side = Repo(tree_path)
    side.put("prompts/a.txt", "in\n")
    side.put("only here", "1")
    side.git("commit", "-q", "-a", "-m", "x")
    assert (tree_path / "told").read_text().split()[1:] == ["prompts/a.txt"]
    assert "only here" in (tree_path / "there").read_text()


def test_partial_clone(repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repo.put("prompts/a.txt", f"{TEXT}more\n")
    repo.move("run", "run2")
    repo.commit()
    clone = repo.clone(tmp_path / "two", "--filter=blob:none")
    monkeypatch.chdir(clone.path)
    assert tree("HEAD~1") == {path: entry._replace(size=None) for path, entry in tree("HEAD~1").items()}
    assert set(tree("HEAD~1")) == {".gitignore", "prompts/a.txt", "prompts/deep/b.txt", "run"}
    expected = [("prompts/a.txt", "prompts/a.txt"), ("run", "run2")]
    assert differing("HEAD~1") == staged("HEAD~1") == expected
    clone.put("prompts/a.txt", "and dirty")
    clone.remove("prompts/deep/b.txt")
    clone.put("b.txt", "b\n")
    assert differing("HEAD~1") == [("prompts/deep/b.txt", "b.txt"), *expected]
    with pytest.raises(PromptlintError) as caught:
        list(blobs([entry.blob for entry in tree("HEAD~1").values()]))
    assert str(caught.value).startswith("this is a partial clone that lacks contents of files; get them: git fetch ")
    clone.git(*caught.value.hint.partition("git ")[2].split())
    assert TEXT.encode() in list(blobs([entry.blob for entry in tree("HEAD~1").values()]))


def test_newer_hashes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    without_settings(monkeypatch, tmp_path)
    made = Repo(tmp_path / "new", "--object-format=sha256")
    monkeypatch.chdir(made.path)
    made.put("a", "1")
    made.commit()
    made.put("empty", "")
    made.git("add", "-N", "empty")
    assert list(blobs([tree("HEAD")["a"].blob])) == [b"1"]
    assert set(index()) == {"a"}
    assert differing() == [(None, "empty")]


def test_broken_objects(repo: Repo) -> None:
    with pytest.raises(PromptlintError, match="git failed; "):
        tree("0" * 40)
    with pytest.raises(PromptlintError, match="git failed; "):
        index_changes("0" * 40)
