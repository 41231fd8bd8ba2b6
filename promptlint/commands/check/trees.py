"""What is compared: the files of a project before a change and after it, each as a folder that can be read."""

import os
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, NamedTuple

from promptlint.config import relative
from promptlint.errors import PromptlintError
from promptlint.prompt import Document
from promptlint.read.names import shown as quoted
from promptlint.read.sources import read

Fetch = Callable[[Collection[str]], None]


class Tree(NamedTuple):
    """One state of a project. Paths are relative to its top, with `/`."""

    name: str  # for people: "the working tree", "main (merge base 1a2b3c4)"
    folder: str  # where its files lie, once they have been fetched
    paths: tuple[str, ...]  # all files, sorted
    there: frozenset[str]  # the same
    fetch: Fetch  # brings files there; those that are there already cost nothing
    shown: Callable[[str], str]  # a path as the user knows it
    known: dict[tuple[str, str], Any]  # what was worked out of it before: kind and path -> value

    def path(self, path: str) -> str:
        """Where a file can be read; it need not exist."""
        return os.path.join(self.folder, path) if path else self.folder


def tree_of(name: str, folder: str, paths: Iterable[str], fetch: Fetch, shown: Callable[[str], str]) -> Tree:
    """A state of which nothing has been worked out yet."""
    ordered = tuple(sorted(paths))
    return Tree(name, folder, ordered, frozenset(ordered), fetch, shown, {})


def document(tree: Tree, path: str) -> Document:
    """A file of a state, under the name that the user knows. Raises PromptlintError, with that name."""
    tree.fetch((path,))
    where, name = tree.path(path), tree.shown(path)
    try:
        return read(where)._replace(path=name)
    except PromptlintError as error:
        message = error.message.replace(quoted(where.replace(os.sep, "/")), quoted(name)).replace(where, name)
        raise PromptlintError(message, error.hint) from None


class Sides(NamedTuple):
    """Two states, and what differs."""

    before: Tree
    after: Tree
    renamed: Mapping[str, str]  # path after -> path before, where they differ
    touched: frozenset[str]  # paths after whose content is new or another one
    gone: frozenset[str]  # paths before that are not there any more, under no name
    notes: tuple[str, ...] = ()

    def new(self, path: str) -> str:
        """The path of a file after the change, if it is still there."""
        return next((new for new, old in self.renamed.items() if old == path), path)

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
