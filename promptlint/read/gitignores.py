"""Which lists of ignored files hold in a folder: .gitignore and .git/info/exclude, as git has them."""

import os
from collections.abc import Collection
from typing import NamedTuple

from promptlint.read.ignores import MOST_GLOBS, Patterns
from promptlint.read.names import shown

LARGEST = 1 << 18
"""Bytes of a list that are read."""


class IgnoreList(NamedTuple):
    """Patterns and the folder that they are about."""

    folder: str  # absolute
    patterns: Patterns


def left_out(path: str, lists: tuple[IgnoreList, ...], *, is_folder: bool) -> bool:
    """Whether the lists, of which the last is the strongest, leave out an absolute path below their folders."""
    for each in reversed(lists):
        verdict = each.patterns.verdict(below(each.folder, path), is_folder=is_folder)
        if verdict is not None:
            return verdict
    return False


def below(folder: str, path: str) -> str:
    """The path relative to a folder above it, with `/`."""
    return path[len(folder.rstrip(os.sep)) + 1 :].replace(os.sep, "/")


class GitLists:
    """The lists of the repositories of one walk; each is read once."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[IgnoreList, ...]] = {}  # absolute folder -> the lists that hold in it
        self.notes: list[str] = []

    def holding(self, folder: str) -> tuple[IgnoreList, ...]:
        """Those that hold for what lies in an absolute folder, from the root of its repository; none without one."""
        if folder not in self._known:
            names = [name for name in (".git", ".gitignore") if os.path.lexists(os.path.join(folder, name))]
            parent = os.path.dirname(folder)
            above = () if ".git" in names or parent == folder else self.holding(parent)
            self._known[folder] = self.with_own(folder, above, names) if above or ".git" in names else ()
        return self._known[folder]

    def with_own(self, folder: str, above: tuple[IgnoreList, ...], names: Collection[str]) -> tuple[IgnoreList, ...]:
        """The lists that hold in a folder: `above` and its own, if they are among the `names` in it.

        A repository within another begins anew, as it does for git.
        """
        if ".git" in names:
            above = (IgnoreList(folder, self._read(_exclude_file(folder))),)
        if ".gitignore" in names:
            above = (*above, IgnoreList(folder, self._read(os.path.join(folder, ".gitignore"))))
        return above

    def _read(self, path: str) -> Patterns:
        """The patterns of a file; none if there is no such file."""
        if not os.path.isfile(path):
            return Patterns(())
        try:
            with open(path, "rb") as file:
                data = file.read(LARGEST + 1)
        except OSError as error:
            self.notes.append(f"{_near(path)} cannot be read ({error.strerror})")
            return Patterns(())
        patterns = Patterns(os.fsdecode(data[:LARGEST].removeprefix(b"\xef\xbb\xbf")).split("\n"))
        if patterns.unused or len(data) > LARGEST:
            limits = f"{LARGEST:,} bytes and {MOST_GLOBS:,} patterns with wildcards"
            self.notes.append(f"{_near(path)}: no more than {limits} are used")
        return patterns


def _near(path: str) -> str:
    return shown(os.path.relpath(path).replace(os.sep, "/"))


def _exclude_file(root: str) -> str:
    """Where a repository keeps a list that is not shared; in a work tree and a submodule `.git` is a file."""
    git = os.path.join(root, ".git")
    if os.path.isfile(git):
        git = os.path.join(root, _content(git).removeprefix("gitdir:").strip())
        if shared := _content(os.path.join(git, "commondir")).strip():
            git = os.path.join(git, shared)
    return os.path.join(git, "info", "exclude")


def _content(path: str) -> str:
    try:
        with open(path, "rb") as file:
            return os.fsdecode(file.read(1 << 12))
    except (OSError, ValueError):
        return ""
