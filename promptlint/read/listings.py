"""Which files a commit, the index and the working tree hold, and which of them differ."""

import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import NamedTuple

from promptlint.errors import PromptlintError
from promptlint.read import git
from promptlint.read.history import Repository
from promptlint.read.names import shown
from promptlint.read.objects import Entry, blobs
from promptlint.read.renames import Changed, Print, candidates, in_order, print_of, renamed

_TOP = ":(top)"  # everything, wherever the current folder is
_REGULAR = "100"  # how modes of files begin; those of links and submodules begin otherwise
_RENAME_LIMIT = 1000  # files; git compares each that is gone with each that came
_EMPTY = (
    "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391",
    "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813",
)


class Working(NamedTuple):
    """The regular files of a working tree, tracked or not, without those that git ignores."""

    files: dict[str, int]  # path -> size in bytes
    untracked: frozenset[str]  # those of `files` that git does not know
    absent: frozenset[str]  # tracked, and left out of the working tree on purpose (sparse checkout): not deleted


class _Row(NamedTuple):
    """A line of `git diff --raw`."""

    old_mode: str
    new_mode: str
    blob: str  # before
    status: str
    old: str
    new: str


def tree(commit: str | None) -> dict[str, Entry]:
    """The regular files of a commit by path; none of the empty tree, which None is.

    In a partial clone that lacks contents no size is known.
    """
    if commit is None:
        return {}
    answer = git.attempt("ls-tree", "-r", "-l", "-z", "--full-tree", commit, "--")
    if not answer.ok and git.is_partial(answer.complaint):
        answer = git.attempt("ls-tree", "-r", "-z", "--full-tree", commit, "--")
    if not answer.ok:
        raise git.fault(answer.complaint)
    found = {}
    for record in _records(answer.output):
        fields, _, path = record.partition("\t")
        mode, _, blob, *size = fields.split()
        if mode.startswith(_REGULAR):
            found[path] = Entry(mode, blob, int(size[0]) if size else None)
    return found


def index() -> dict[str, Entry]:
    """What is staged, as `tree`; no sizes. Raises PromptlintError if a merge has left a conflict."""
    found, has_empty = {}, False
    for record in _records(git.output("ls-files", "-s", "-z", "--full-name", "--", _TOP)):
        fields, _, path = record.partition("\t")
        mode, blob, stage = fields.split()
        if stage != "0":
            raise PromptlintError(f"{shown(path)} is in conflict", "finish the merge and stage it: git add")
        if mode.startswith(_REGULAR):
            found[path] = Entry(mode, blob, None)
            has_empty = has_empty or blob in _EMPTY
    if has_empty:  # or it is only announced (`git add -N`): a commit would leave it out
        announced = git.output("diff-files", "--name-only", "-z", "--diff-filter=A", "--no-relative", "--", _TOP)
        for path in _records(announced):
            found.pop(path, None)
    return found


def working(repository: Repository) -> Working:
    """The files on disk that a commit of everything would hold."""
    listed = git.output("ls-files", "-t", "-c", "-o", "--exclude-standard", "-z", "--full-name", "--", _TOP)
    disk = _Disk(repository.top)
    files, untracked, absent = {}, set(), set()
    for record in _records(listed):
        tag, path = record[0], record[2:]
        size = disk.size(path)
        if size is not None:
            files[path] = size
            if tag == "?":
                untracked.add(path)
        elif tag == "S":
            absent.add(path)
    return Working(files, frozenset(untracked), frozenset(absent))


class _Disk:
    """The regular files below a folder; no link on the way to them is followed."""

    def __init__(self, top: str) -> None:
        self._top = top
        self._is_real = {"": True}  # folder -> whether it is one, and no link leads to it

    def size(self, path: str) -> int | None:
        """In bytes; None if it is no regular file, or not there."""
        if not self._holds(path.rpartition("/")[0]):
            return None
        with suppress(OSError, ValueError):
            status = os.lstat(os.path.join(self._top, path))
            return status.st_size if stat.S_ISREG(status.st_mode) else None
        return None

    def _holds(self, folder: str) -> bool:
        if folder not in self._is_real:
            real = self._holds(folder.rpartition("/")[0])
            with suppress(OSError, ValueError):
                mode = os.lstat(os.path.join(self._top, folder)).st_mode if real else 0
                self._is_real[folder] = stat.S_ISDIR(mode)
            self._is_real.setdefault(folder, False)
        return self._is_real[folder]


def index_changes(commit: str | None) -> list[Changed]:
    """The files that differ between a commit and what is staged; renames as git finds them."""
    if commit is None:
        return in_order(Changed(None, path) for path in index())
    return in_order({_changed(row, row.new) for row in _rows(commit, "--cached")} - {None})


def working_changes(repository: Repository, commit: str | None, now: Working) -> list[Changed]:
    """The files that differ between a commit and the working tree, untracked files among them.

    `now`: what `working` gave. Renames are found as git finds them, and between files that
    vanished and untracked ones. What differs in its line ends only, where git converts them, is not named.
    """
    if commit is None:
        return in_order(Changed(None, path) for path in now.files)
    rows = _rows(commit)
    # Of what git was told to forget, or to move, the old file may still be there.
    again = {row.old for row in rows if row.old_mode.startswith(_REGULAR)} & now.untracked
    found = {Changed(path, path) for path in again}
    gone = {}
    for row in rows:
        each = _changed(row, row.new if row.new in now.files else "")
        if each is not None and each.old in again:
            each = Changed(None, each.new) if each.new not in (None, each.old) else None
        if each is not None and each.new is None:
            gone[row.old] = row.blob
        elif each is not None:
            found.add(each)
    came = {path: now.files[path] for path in now.untracked - again}
    moved = _moved(repository, gone, came)
    found |= {Changed(old, moved.get(old)) for old in gone}
    found |= {Changed(None, new) for new in came.keys() - set(moved.values())}
    return in_order(found)


def _changed(row: _Row, new: str) -> Changed | None:
    """What a row says of regular files, if anything; `new`: the path that is there now, "" if there is none."""
    old_is_file, new_is_file = row.old_mode.startswith(_REGULAR), row.new_mode.startswith(_REGULAR)
    # Of a conflict git names no mode behind the change.
    new_path = new if new and (new_is_file or row.status == "U") else None
    old_path = row.old if old_is_file else None
    return Changed(old_path, new_path) if old_path is not None or new_path is not None else None


def _rows(commit: str, *options: str) -> list[_Row]:
    fixed = ("--raw", "--no-abbrev", "-z", "--no-ext-diff", "--no-color", "--no-relative", "--ignore-submodules=all")
    renames = (f"-l{_RENAME_LIMIT}", "-M50%")
    answer = git.attempt("diff", *fixed, *renames, *options, commit, "--", _TOP)
    if not answer.ok and git.is_partial(answer.complaint):
        # Contents are missing: files are compared by their ids alone.
        by_id = ("-c", "diff.autoRefreshIndex=false", "diff", *fixed, "-M100%")
        answer = git.attempt(*by_id, *options, commit, "--", _TOP)
    if not answer.ok:
        raise git.fault(answer.complaint)
    return list(_parsed(_records(answer.output)))


def _parsed(records: Iterable[str]) -> Iterator[_Row]:
    rest = iter(records)
    for fields in rest:
        old_mode, new_mode, blob, _, status = fields.removeprefix(":").split(" ")
        old = next(rest)
        yield _Row(old_mode, new_mode, blob, status[0], old, next(rest) if status[0] in "RC" else old)


def _moved(repository: Repository, gone: Mapping[str, str], came: Mapping[str, int]) -> dict[str, str]:
    """Which vanished file is which untracked one; `gone` with ids, `came` with sizes."""
    if not gone or not came:
        return {}
    before: dict[str, Print] = {}
    paths = sorted(gone)[:_RENAME_LIMIT]
    with suppress(PromptlintError):  # too large, or missing in a partial clone: a rename is not seen then
        for path, data in zip(paths, blobs([gone[path] for path in paths]), strict=True):
            before[path] = print_of(data)
    after = {}
    for path in candidates(before, came):
        with suppress(OSError, ValueError), open(os.path.join(repository.top, path), "rb") as file:
            after[path] = print_of(file.read())
    return renamed(before, after)


def _records(output: bytes) -> list[str]:
    return os.fsdecode(output).split("\0")[:-1]
