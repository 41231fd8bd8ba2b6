"""Which files a walk offers: sorted, each once, without what is hidden, excluded or ignored by git as git does it."""

import os
import re
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from promptlint.read.gitignores import LARGEST
from promptlint.read.ignores import MOST_GLOBS, Patterns
from promptlint.read.walk import Exclusion, Found, Walked, walk

SUFFIXES = (".j2", ".json")
GIT = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}


def put(folder: Path, *names: str, text: str = "") -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def paths(walked: Walked) -> list[str]:
    return [found.path for found in walked.files]


def found(*arguments: str, as_walked: bool = False) -> list[str]:
    return paths(walk(arguments, suffixes=SUFFIXES, as_walked=as_walked))


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", "-C", str(folder), *arguments], check=True, capture_output=True, env=GIT)


def test_folders_give_what_ends_in_a_suffix_and_named_files_are_taken_as_they_are(here: Path) -> None:
    put(here, "b/z.j2", "b/A.JSON", "b/c/y.j2", "b/readme.md", "a.txt", "top.j2")
    assert found("b", "a.txt", "-", "missing.j2") == ["-", "a.txt", "b/A.JSON", "b/c/y.j2", "b/z.j2", "missing.j2"]
    assert found(".") == ["b/A.JSON", "b/c/y.j2", "b/z.j2", "top.j2"]
    assert found("./b/") == ["./b/A.JSON", "./b/c/y.j2", "./b/z.j2"]
    assert found(str(here / "b/c")) == [f"{here.as_posix()}/b/c/y.j2"]


def test_only_what_was_named_is_marked_so(here: Path) -> None:
    put(here, "a/x.j2", "a/y.j2")
    assert walk(["a", "a/y.j2"], suffixes=SUFFIXES).files == (Found("a/x.j2", False), Found("a/y.j2", True))


def test_a_file_comes_once_under_its_shortest_name_in_any_order_of_arguments(here: Path) -> None:
    put(here, "a/b/x.j2", "a/y.j2")
    os.symlink("b/x.j2", here / "a/link-to-x.j2")
    os.symlink("a", here / "other")
    arguments = ["./a", "a/b", "a/b/../b/x.j2", "a", "other/b", str(here / "a")]
    wanted = walk(arguments, suffixes=SUFFIXES)
    assert wanted.files == (Found("a/b/x.j2", True), Found("a/y.j2", False))
    for number in range(len(arguments)):
        assert walk(arguments[number:] + arguments[:number], suffixes=SUFFIXES) == wanted


def test_hidden_is_left_out_unless_named(here: Path) -> None:
    put(here, ".github/x.j2", "a/.x.j2", ".y.j2")
    assert found(".") == []
    assert found(".github", ".y.j2") == [".github/x.j2", ".y.j2"]


def test_links_to_folders_are_not_followed(here: Path) -> None:
    put(here, "a/x.j2", "elsewhere/y.j2")
    os.symlink("..", here / "a/loop.j2")
    os.symlink("../elsewhere", here / "a/out")
    os.symlink("nothing", here / "a/dead.j2")
    walked = walk(["a"], suffixes=SUFFIXES)
    assert (paths(walked), walked.notes) == (["a/x.j2"], ("a/dead.j2 is a symbolic link to nothing",))


def test_what_is_too_large_or_no_file_is_noted(here: Path) -> None:
    put(here, "a/large.j2", text="x" * 11)
    put(here, "a/small.j2", text="x" * 10)
    os.mkfifo(here / "a/pipe.j2")
    os.mkfifo(here / "a/pipe.other")
    walked = walk(["a"], suffixes=SUFFIXES, max_bytes=10)
    assert paths(walked) == ["a/small.j2"]
    assert walked.notes == ("a/large.j2 has 11 bytes, more than 10", "a/pipe.j2 is no regular file")


def test_a_folder_that_cannot_be_listed_is_an_error_if_named_and_else_a_note(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(here, "a/locked/x.j2", "a/y.j2")
    real = os.scandir

    def refuse(path: str) -> object:
        if str(path).endswith("locked"):
            raise PermissionError(13, "Permission denied", path)
        return real(path)

    monkeypatch.setattr(os, "scandir", refuse)
    walked = walk(["a"], suffixes=SUFFIXES)
    assert (paths(walked), walked.errors) == (["a/y.j2"], ())
    assert walked.notes == ("a/locked cannot be listed (Permission denied)",)
    walked = walk(["a", "a/locked"], suffixes=SUFFIXES)
    assert [str(error) for error in walked.errors] == [
        "a/locked cannot be listed (Permission denied); check the folder and its permissions"
    ]


def test_gitignore_at_every_level_of_the_repository(here: Path) -> None:
    git(here, "init", "-q", "repo")
    put(here / "repo", "a/x.j2", "a/b/x.j2", "a/b/keep.j2", "a/b/only.json", "build/x.j2", "a/build/x.j2", "z.j2")
    put(here / "repo", ".gitignore", text="/build/\n*.json\r\nkeep.j2\n")
    put(here / "repo", "a/b/.gitignore", text="x.j2\n!keep.j2\n")
    put(here / "repo", ".git/info/exclude", text="z.j2\n")
    assert found("repo") == ["repo/a/b/keep.j2", "repo/a/build/x.j2", "repo/a/x.j2"]
    assert found("repo/a/b") == ["repo/a/b/keep.j2"]
    assert found("repo/build") == ["repo/build/x.j2"]  # named
    assert found("repo/a/b/x.j2") == ["repo/a/b/x.j2"]


def test_a_weaker_list_cannot_take_back_a_folder(here: Path) -> None:
    git(here, "init", "-q")
    put(here, ".gitignore", text="out\n!out/x.j2\n")
    put(here, "out/x.j2", "x.j2")
    assert found(".") == ["x.j2"]


def test_without_a_repository_lists_hold_from_the_walked_folder_on(here: Path) -> None:
    put(here, ".gitignore", text="*.j2\n")
    put(here, "a/x.j2", "a/b/y.j2")
    put(here, "a/b/.gitignore", text="y.j2\n")
    assert found("a") == ["a/x.j2"]
    assert found(".") == []


def test_a_repository_within_another_begins_anew(here: Path) -> None:
    git(here, "init", "-q")
    git(here, "init", "-q", "vendor/lib")
    put(here, ".gitignore", text="x.j2\n")
    put(here, "vendor/lib/x.j2", "vendor/x.j2")
    assert found(".") == ["vendor/lib/x.j2"]


def test_the_exclude_file_of_a_linked_work_tree(here: Path) -> None:
    git(here, "init", "-q", "main")
    git(here / "main", "-c", "user.name=x", "-c", "user.email=x@x", "commit", "-q", "--allow-empty", "-m", "x")
    git(here / "main", "worktree", "add", "-q", "../tree")
    put(here, "main/.git/info/exclude", text="no.j2\n")
    put(here, "tree/no.j2", "tree/yes.j2")
    assert found("tree") == ["tree/yes.j2"]


def test_exclusions_of_a_configuration(here: Path) -> None:
    put(here, "build/repo/old/x.j2", "build/repo/new/x.j2", "build/repo/new/deep/old/x.j2")
    exclusion = Exclusion("build/repo", ("/old", "build/**"))

    def listed(*arguments: str, as_walked: bool = False) -> list[str]:
        walked = walk(arguments, suffixes=SUFFIXES, exclusion_of=lambda folder: exclusion, as_walked=as_walked)
        return paths(walked)

    # A folder of that name above the configuration is of no account.
    assert listed("build/repo") == ["build/repo/new/deep/old/x.j2", "build/repo/new/x.j2"]
    assert listed("build/repo/old/x.j2", "build/repo/old") == ["build/repo/old/x.j2"]
    assert listed("build/repo/old/x.j2", "build/repo/new/x.j2", as_walked=True) == ["build/repo/new/x.j2"]


def test_gitignore_is_not_respected_where_the_configuration_says_so(here: Path) -> None:
    git(here, "init", "-q")
    put(here, ".gitignore", text="*.j2\n")
    put(here, "x.j2")
    exclusion = Exclusion(respect_gitignore=False)
    assert paths(walk(["."], suffixes=SUFFIXES, exclusion_of=lambda folder: exclusion)) == ["x.j2"]
    kept = walk(["x.j2"], suffixes=SUFFIXES, exclusion_of=lambda folder: exclusion, as_walked=True)
    assert paths(kept) == ["x.j2"]


def test_as_walked_a_named_file_is_ignored_as_git_does_it(here: Path) -> None:
    git(here, "init", "-q")
    put(here, ".gitignore", text="out/\n*.json\n!keep.json\n")
    put(here, "a/.gitignore", text="b\n")
    files = ("out/x.j2", "a/b/x.j2", "a/x.j2", "a/no.json", "a/keep.json")
    put(here, *files)
    assert found(*files) == sorted(files)
    assert found(*files, "gone.j2", as_walked=True) == ["a/keep.json", "a/x.j2", "gone.j2"]


def test_as_walked_an_outer_configuration_holds_too(here: Path) -> None:
    put(here, "vendor/lib/x.j2", "x.j2")
    inner, outer = Exclusion("vendor/lib"), Exclusion(".", ("vendor",))

    def exclusion_of(folder: str) -> Exclusion | None:
        if not folder.startswith(str(here)):
            return None
        return inner if folder.endswith("lib") else outer

    walked = walk(["vendor/lib/x.j2", "x.j2"], suffixes=SUFFIXES, exclusion_of=exclusion_of, as_walked=True)
    assert paths(walked) == ["x.j2"]


def test_odd_arguments_are_left_to_the_reader(here: Path) -> None:
    put(here, "log.jsonl")
    arguments = ["log.jsonl#3", "HEAD:a.j2", "no\0name", ""]
    assert found(*arguments) == sorted(arguments)


def test_a_list_beyond_the_limits_is_cut_and_noted(here: Path) -> None:
    put(here, ".gitignore", text="a*b\n" * MOST_GLOBS + "x*y.j2\n")
    put(here, "x1y.j2")
    walked = walk(["."], suffixes=SUFFIXES)
    assert paths(walked) == ["x1y.j2"]
    assert walked.notes == (".gitignore: no more than 262,144 bytes and 1,000 patterns with wildcards are used",)
    put(here, ".gitignore", text="#" * LARGEST + "\nx1y.j2")
    assert len(walk(["."], suffixes=SUFFIXES).notes) == 1


@pytest.mark.parametrize(
    ("pattern", "path", "wanted"),
    [
        ("*.j2", "a/x.j2", True),
        ("/*.j2", "a/x.j2", False),
        ("a/", "a", False),
        ("a/", "b/a/x", True),
        ("a/b", "c/a/b", False),
        ("**/a/b", "c/a/b", True),
        ("a/**/b", "a/b", True),
        ("a/**/b", "a/x/y/b", True),
        ("a/**", "a", False),
        ("a/**", "a/b", True),
        ("a**/b", "ax/y/b", False),
        ("[ab]/c", "a/c", True),
        ("[!ab]c", "ac", False),
        ("a[/]b", "a/b", False),
        ("[[:digit:]]x", "7x", True),
        ("a?c", "a/c", False),
        ("\\#a", "#a", True),
        ("\\!a", "!a", True),
        ("#a", "#a", False),
        ("a ", "a", True),
        ("a\\ ", "a ", True),
        ("a\\", "a\\", False),
        ("[", "[", False),
        ("a//b", "a/b", False),
        ("\ufeff", "\ufeff", True),
    ],
)
def test_patterns(pattern: str, path: str, wanted: bool) -> None:
    assert Patterns([pattern]).excludes(path) is wanted


def test_the_last_pattern_that_matches_decides() -> None:
    patterns = Patterns(["*.j2", "!keep.j2", "old/keep.*"])
    assert [patterns.excludes(path) for path in ("x.j2", "keep.j2", "old/keep.j2")] == [True, False, True]
    assert patterns.verdict("x.txt", is_folder=False) is None


ATOMS = ["a", "b", "*", "?", "/", "/", "**", "[ab]", "[!a]", "[[:alpha:]]", "\\*", "!", "#", " ", ".", "[b-a]", "["]
NAMES = ["a", "b", "ab", "ba", "a.a", "a b", "*", "#a", "!a", "[b", " "]


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    lines=st.lists(st.lists(st.sampled_from(ATOMS), min_size=1, max_size=5).map("".join), min_size=1, max_size=4),
    names=st.lists(st.lists(st.sampled_from(NAMES), min_size=1, max_size=4).map("/".join), min_size=1, unique=True),
)
def test_patterns_match_as_git_matches(lines: list[str], names: list[str], repository: Path) -> None:
    # Git takes two stars right behind plain text for a whole name; its documentation and we do not.
    lines = [line for line in lines if not re.search(r"[^/*]\*\*", line)]
    (repository / ".gitignore").write_text("\n".join(lines) + "\n")
    done = subprocess.run(
        ["git", "-C", str(repository), "check-ignore", "--no-index", "-z", "--stdin"],
        input="\0".join(names).encode() + b"\0",
        stdout=subprocess.PIPE,
        env=GIT,
    )
    ignored = {name for name in done.stdout.decode().split("\0") if name}
    patterns = Patterns(lines)
    assert {name for name in names if patterns.excludes(name)} == ignored


LINES = [
    "*.j2",
    "!*.j2",
    "x.*",
    "!x.j2",
    "b",
    "b/",
    "!b/",
    "/b",
    "a/b",
    "a/**",
    "**/c",
    "!a/b/x.j2",
    "c/*",
    "*",
    "!*/",
    "y?",
]
TREE = [f"{folder}{name}.j2" for folder in ("", "a/", "a/b/", "a/b/c/", "b/", "b/c/") for name in ("x", "y", "yy")]


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    lists=st.fixed_dictionaries(
        {folder: st.lists(st.sampled_from(LINES), max_size=3) for folder in ("", "a/", "a/b/")},
    )
)
def test_a_walk_offers_what_git_does_not_ignore(lists: dict[str, list[str]], tree: Path) -> None:
    for folder, lines in lists.items():
        (tree / folder / ".gitignore").write_text("\n".join(lines) + "\n")
    done = subprocess.run(
        ["git", "-C", str(tree), "ls-files", "--others", "--exclude-standard", "-z", "--", ":(glob)**/*.j2"],
        stdout=subprocess.PIPE,
        env=GIT,
        check=True,
    )
    wanted = sorted(name for name in done.stdout.decode().split("\0") if name)
    begin = f"{tree.as_posix()}/"
    assert [path.removeprefix(begin) for path in found(str(tree))] == wanted
    named = found(*(f"{begin}{name}" for name in TREE), as_walked=True)
    assert [path.removeprefix(begin) for path in named] == wanted


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tree")
    git(folder, "init", "-q")
    put(folder, *TREE)
    return folder


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("repository")
    git(folder, "init", "-q")
    return folder


@pytest.mark.parametrize(
    "pattern", ["*a" * 40 + "*b", "/" + "**/a/" * 40 + "b", "/" + "*a" * 40 + "/b", "?*" * 40 + "b"]
)
def test_stars_never_go_back(pattern: str) -> None:
    assert not Patterns([pattern]).excludes("a" * 500 + "/a" * 500)
