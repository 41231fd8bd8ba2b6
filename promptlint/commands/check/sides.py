"""The two states that a check compares: of a git repository, or two plain folders."""

import os
import signal
import threading
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NoReturn

from promptlint.commands.check.trees import Fetched, Sides, Tree, nothing_to_fetch, shown_below, tree_of
from promptlint.config import relative
from promptlint.errors import PromptlintError
from promptlint.read import history, listings, objects
from promptlint.read.names import shown
from promptlint.read.renames import Changed
from promptlint.read.trees import files_below, folder_changes

_LARGEST = 8 << 20  # bytes of a file that is compared for its line ends


_ENDINGS = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))


def _leave(number: int, _: object) -> NoReturn:
    """A job that is cancelled still removes its files."""
    raise SystemExit(128 + number)


def _is_main() -> bool:
    return threading.current_thread() is threading.main_thread()


class State:
    """Where files of revisions are written; a context manager that removes them, also when it is asked to end."""

    def __init__(self) -> None:
        self._scratch: list[str] = []
        self._ended: list[Any] = []  # what was done before on each of these signals

    def __enter__(self) -> "State":
        self._ended = [signal.signal(number, _leave) for number in _ENDINGS] if _is_main() else []
        return self

    def __exit__(self, *_: object) -> None:
        import shutil

        for number, handler in zip(_ENDINGS, self._ended, strict=False):
            signal.signal(number, handler)
        for folder in self._scratch:
            shutil.rmtree(folder, ignore_errors=True)

    def folder(self) -> str:
        """A new one."""
        from tempfile import mkdtemp

        self._scratch.append(os.path.realpath(mkdtemp(prefix="promptlint-")))
        return self._scratch[-1]


def against_revision(ref: str, state: State) -> Sides:
    """The working tree, with what is not committed and not known to git, against the merge base of `ref` and HEAD."""
    repository = history.repository()
    base = history.base_of(ref)
    entries = listings.tree(base.commit)
    working = listings.working(repository)
    changes = listings.working_changes(repository, base.commit, working)
    before = _of_git(base.name, entries, state)
    to_shown = shown_below(repository.top)
    after = tree_of("the working tree", repository.top, working.files, nothing_to_fetch, to_shown)
    sizes = {path: entry.size for path, entry in entries.items()}
    rewritten = frozenset(_other_line_ends(before, after, changes, sizes, working.files))
    return _sides(before._replace(shown=to_shown), after, changes, rewritten, base.notes)


def against_index(ref: str | None, state: State) -> Sides:
    """What is staged against HEAD, or against the merge base of `ref` and HEAD."""
    repository = history.repository()
    base = history.staged_base(ref)
    entries, staged = listings.tree(base.commit), listings.index()
    changes = listings.index_changes(base.commit)
    to_shown = shown_below(repository.top)
    before = _of_git(base.name, entries, state)._replace(shown=to_shown)
    after = _of_git("what is staged", staged, state)._replace(shown=to_shown)
    return _sides(before, after, changes, frozenset(), base.notes)


def of_folders(old: str, new: str) -> Sides:
    """Two folders."""
    for folder in (old, new):
        if not os.path.isdir(folder):
            raise PromptlintError(f"{shown(folder)} is no folder", "name two folders, or give --base REF")
    trees = [
        tree_of(f"{relative(each)}/", os.path.abspath(each), files_below(each), nothing_to_fetch, shown_below(each))
        for each in (old, new)
    ]
    return _sides(trees[0], trees[1], folder_changes(old, new), frozenset(), ())


def working_tree() -> Tree:
    """The files as they are now: those of the repository around the current folder, else those below it."""
    try:
        repository = history.repository()
    except PromptlintError:
        here = os.getcwd()
        return tree_of("the current folder", here, files_below(here), nothing_to_fetch, shown_below(here))
    files = listings.working(repository).files
    return tree_of("the working tree", repository.top, files, nothing_to_fetch, shown_below(repository.top))


def _of_git(name: str, entries: Mapping[str, objects.Entry], state: State) -> Tree:
    folder = state.folder()

    def write(wanted: Mapping[str, str]) -> None:
        objects.export({path: entries[path] for path in wanted}, folder)

    fetch = Fetched(write, {path: entry.blob for path, entry in entries.items()})
    return tree_of(name, folder, entries, fetch, lambda path: path)


def _sides(
    before: Tree, after: Tree, changes: Sequence[Changed], rewritten: frozenset[str], notes: Sequence[str]
) -> Sides:
    there = after.there
    renamed = {one.new: one.old for one in changes if one.new and one.old and one.new != one.old}
    touched = frozenset(one.new for one in changes if one.new and one.new in there) | rewritten
    gone = frozenset(one.old for one in changes if one.old and one.new is None)
    return Sides(before, after, renamed, touched, gone, tuple(notes))


def _other_line_ends(
    before: Tree,
    after: Tree,
    changes: Sequence[Changed],
    sizes: Mapping[str, int | None],
    now: Mapping[str, int],
) -> Iterator[str]:
    """Files that git calls unchanged and that were checked out with other line ends.

    Their size tells. A difference of any other kind is made by a filter, which restores what is committed.
    """
    told = {one.new for one in changes}
    apart = [
        path
        for path, size in now.items()
        if path not in told and sizes.get(path) not in (None, size) and size < _LARGEST
    ]
    before.fetch(apart)
    for path in apart:
        try:
            with open(before.path(path), "rb") as old, open(after.path(path), "rb") as new:
                if old.read().replace(b"\r\n", b"\n") == new.read().replace(b"\r\n", b"\n"):
                    yield path
        except OSError:
            continue
