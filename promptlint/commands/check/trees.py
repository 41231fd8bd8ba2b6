"""What is compared: the files of a project before a change and after it, each as a folder that can be read."""

import os
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import NamedTuple

from promptlint.config import relative

Fetch = Callable[[Collection[str]], None]


class Tree(NamedTuple):
    """One state of a project. Paths are relative to its top, with `/`."""

    name: str  # for people: "the working tree", "main (merge base 1a2b3c4)"
    folder: str  # where its files lie, once they have been fetched
    paths: tuple[str, ...]  # all files, sorted
    fetch: Fetch  # brings files there; those that are there already cost nothing
    shown: Callable[[str], str]  # a path as the user knows it

    def path(self, path: str) -> str:
        """Where a file can be read; it need not exist."""
        return os.path.join(self.folder, path) if path else self.folder


class Sides(NamedTuple):
    """Two states, and what differs."""

    before: Tree
    after: Tree
    renamed: Mapping[str, str]  # path after -> path before, where they differ
    touched: frozenset[str]  # paths after whose content is new or another one
    gone: frozenset[str]  # paths before that are not there any more, under no name
    notes: tuple[str, ...] = ()

    def old(self, path: str) -> str:
        """The path of a file before the change, if it was there."""
        return self.renamed.get(path, path)


def nothing_to_fetch(paths: Collection[str]) -> None:
    """A folder has all that it has."""


def shown_below(folder: str) -> Callable[[str], str]:
    """Paths of a tree at `folder` as the current folder sees them."""
    top, begin = os.path.abspath(folder), relative(folder)
    if begin == ".":
        return lambda path: path or begin
    if not begin.startswith(".."):
        return lambda path: f"{begin}/{path}" if path else begin
    return lambda path: relative(os.path.join(top, path))


class Fetched:
    """Files of a revision, written into a folder when they are asked for."""

    def __init__(self, write: Callable[[Mapping[str, str]], None], blobs: Mapping[str, str]) -> None:
        self._write = write
        self._blobs = blobs  # path -> id
        self._there: set[str] = set()

    def __call__(self, paths: Iterable[str]) -> None:
        wanted = {path: self._blobs[path] for path in paths if path in self._blobs and path not in self._there}
        if wanted:
            self._write(wanted)
            self._there |= wanted.keys()
