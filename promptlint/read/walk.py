"""Files and folders that the user names -> the files to look at."""

import os
from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple

from promptlint.errors import PromptlintError
from promptlint.read.gitignores import GitLists, IgnoreList, below, left_out
from promptlint.read.ignores import Patterns
from promptlint.read.names import shown
from promptlint.read.sources import MAX_BYTES


class Exclusion(NamedTuple):
    """What a configuration leaves out of the folders for which it is the nearest."""

    folder: str = os.curdir  # of the configuration; the patterns are relative to it
    patterns: tuple[str, ...] = ()  # as in a .gitignore
    respect_gitignore: bool = True


class Found(NamedTuple):
    """A file to look at."""

    path: str  # as given, or below a folder as given; with `/`; `-` for standard input
    named: bool  # by the user: that it cannot be read is an error then, and not a note


class Walked(NamedTuple):
    """What was found, sorted: the order of the arguments is of no account."""

    files: tuple[Found, ...]
    notes: tuple[str, ...]  # what was met and not taken, a line each
    errors: tuple[PromptlintError, ...]  # folders that were named and cannot be listed


class _Folder(NamedTuple):
    """A folder to look into."""

    shown: str  # as given, without a slash at the end; "" for the current one
    path: str  # absolute
    real: str  # absolute, no link in it
    above: tuple[IgnoreList, ...]  # of git


def walk(
    arguments: Sequence[str],
    *,
    suffixes: Collection[str],
    exclusion_of: Callable[[str], Exclusion | None] = lambda folder: None,
    as_walked: bool = False,
    max_bytes: int = MAX_BYTES,
) -> Walked:
    """The files that `arguments` name, and those in the folders among them whose names end in one of `suffixes`.

    `exclusion_of` is asked for the absolute path of each folder that is looked into; None: no configuration. Of what
    is in a folder the hidden is left out, and what `exclusion_of` or git excludes; links to folders are not followed;
    what has more than `max_bytes` or is no regular file is noted. What is named is taken as it is, even if it does not
    exist or is a record or a revision (see `sources.read`); with `as_walked` exclusions hold for named files too.
    A file that is reached in several ways is taken once, under its shortest name.
    """
    walker = _Walker(tuple(suffix.lower() for suffix in suffixes), exclusion_of, max_bytes)
    for argument in sorted(set(arguments)):
        if argument != "-" and os.path.isdir(argument):
            walker.enter(argument)
        elif not (as_walked and os.path.isfile(argument) and walker.leaves_out(os.path.abspath(argument))):
            real = argument if "\0" in argument or argument == "-" else os.path.realpath(argument)
            walker.take(argument.replace(os.sep, "/"), real, named=True)
    notes = sorted({*walker.notes, *walker.git.notes})
    return Walked(tuple(sorted(walker.files.values())), tuple(notes), tuple(walker.errors))


class _Walker:
    """One walk; each list of patterns is read once."""

    def __init__(
        self, suffixes: tuple[str, ...], exclusion_of: Callable[[str], Exclusion | None], max_bytes: int
    ) -> None:
        self._suffixes = suffixes
        self._exclusion_of = exclusion_of
        self._max_bytes = max_bytes
        self._known: dict[Exclusion, IgnoreList] = {}
        self.git = GitLists()
        self.files: dict[str, Found] = {}  # by real path
        self.notes: list[str] = []
        self.errors: list[PromptlintError] = []
        self._within = os.sep  # the real path of the folder that was named

    def take(self, name: str, real: str, *, named: bool) -> None:
        """Add a file, or give one that is there its shorter name."""
        if other := self.files.get(real):
            name, named = min((len(each), each) for each in (name, other.path))[1], named or other.named
        self.files[real] = Found(name, named)

    def enter(self, argument: str) -> None:
        """Take what is in a folder that was named, and in those below it."""
        name, path = argument.replace(os.sep, "/").rstrip("/"), os.path.abspath(argument)
        above = self.git.holding(os.path.dirname(path)) if path != os.path.dirname(path) else ()
        self._within = f"{os.path.realpath(path).rstrip(os.sep)}{os.sep}"
        waiting = [_Folder("" if name == "." else name or "/", path, os.path.realpath(path), above)]
        while waiting:
            folder = waiting.pop()
            try:
                waiting += self._look(folder)
            except OSError as error:
                message = f"{shown(folder.shown or '.')} cannot be listed ({error.strerror})"
                if folder.path == path:
                    self.errors.append(PromptlintError(message, "check the folder and its permissions"))
                else:
                    self.notes.append(message)

    def _look(self, folder: _Folder) -> list[_Folder]:
        """Take the files of a folder; the folders in it that are to be looked into."""
        with os.scandir(folder.path) as entries:
            open_entries, hidden = [], set()
            for entry in entries:
                if entry.name[0] == ".":
                    hidden.add(entry.name)
                else:
                    open_entries.append(entry)
        git = self.git.with_own(folder.path, folder.above, hidden)
        lists = self._lists(folder.path, git)
        begin = f"{folder.shown.rstrip('/')}/" if folder.shown else ""
        found = []
        for entry in open_entries:
            is_folder = entry.is_dir(follow_symlinks=False)
            if not is_folder and not entry.name.lower().endswith(self._suffixes):
                continue
            if any(left_out(entry.path, each, is_folder=is_folder) for each in lists):
                continue
            if is_folder:
                found.append(_Folder(begin + entry.name, entry.path, os.path.join(folder.real, entry.name), git))
            else:
                self._meet(begin + entry.name, os.path.join(folder.real, entry.name), entry)
        return found

    def _meet(self, name: str, real: str, entry: "os.DirEntry[str]") -> None:
        """Take a file that was not named, or say why not."""
        try:
            if entry.is_symlink():
                real = os.path.realpath(real)
            if entry.is_dir():
                return
            if entry.is_symlink() and entry.is_file() and not f"{real}{os.sep}".startswith(self._within):
                self.notes.append(f"{shown(name)} is a link that leads out of the folder: name it to have it looked at")
            elif not entry.is_file():
                kind = "a symbolic link to nothing" if entry.is_symlink() else "no regular file"
                self.notes.append(f"{shown(name)} is {kind}")
            elif (size := entry.stat().st_size) > self._max_bytes:
                self.notes.append(f"{shown(name)} has {size:,} bytes, more than {self._max_bytes:,}")
            else:
                self.take(name, real, named=False)
        except OSError as error:
            self.notes.append(f"{shown(name)} cannot be read ({error.strerror})")

    def _lists(self, folder: str, git: tuple[IgnoreList, ...]) -> list[tuple[IgnoreList, ...]]:
        """The lists for the entries of a folder: what either of them leaves out is left out."""
        exclusion = self._exclusion_of(folder) or Exclusion()
        own = (self._list_of(exclusion),) if exclusion.patterns else ()
        return [each for each in (own, git if exclusion.respect_gitignore else ()) if each]

    def _list_of(self, exclusion: Exclusion) -> IgnoreList:
        if exclusion not in self._known:
            self._known[exclusion] = IgnoreList(os.path.abspath(exclusion.folder), Patterns(exclusion.patterns))
        return self._known[exclusion]

    def leaves_out(self, path: str) -> bool:
        """Whether a walk that begins above all lists would not come to an absolute path."""
        folder = os.path.dirname(path)
        exclusion = self._exclusion_of(folder)
        if (exclusion is None or exclusion.respect_gitignore) and self._git_leaves_out(path):
            return True
        while exclusion is not None:
            own = self._list_of(exclusion)
            if own.patterns.excludes(below(own.folder, path)):
                return True
            above = os.path.dirname(own.folder)
            outer = self._exclusion_of(above) if above != own.folder else None
            exclusion = None if outer == exclusion else outer
        return False

    def _git_leaves_out(self, path: str) -> bool:
        """Whether git ignores a file, or a folder above it."""
        lists = self.git.holding(os.path.dirname(path))
        if not lists:
            return False
        here, *steps = lists[0].folder.rstrip(os.sep), *below(lists[0].folder, path).split("/")
        for number, step in enumerate(steps, 1):
            holding = tuple(each for each in lists if len(each.folder.rstrip(os.sep)) <= len(here))
            here = f"{here}{os.sep}{step}"
            if left_out(here, holding, is_folder=number < len(steps)):
                return True
        return False
