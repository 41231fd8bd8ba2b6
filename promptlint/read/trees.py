"""Lists of files: which of them a pattern names, and what differs between two folders."""

import os
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress

from promptlint.errors import PromptlintError
from promptlint.read.names import shown
from promptlint.read.renames import Changed, Print, candidates, in_order, print_of, renamed

_WILD = re.compile(r"[*?[]")
_ANY = "**"
_CHUNK = 1 << 20
_MOST_GONE = 1000  # files of a folder for which a new name is looked for


def _steps(pattern: str, folder: str) -> tuple[Sequence[str], Sequence[str]] | None:
    """The folders and names of a pattern from the top: those before the first wildcard, and the rest."""
    if pattern.startswith("/"):
        return None
    literal = [step for step in folder.split("/") if step]  # whatever signs it holds
    rest: list[str] = []
    for step in pattern.split("/"):
        if step == "..":
            if not (rest or literal):
                return None
            (rest or literal).pop()
        elif step not in ("", "."):
            (rest if rest or _WILD.search(step) else literal).append(step)
    return literal, rest


def matching(paths: Collection[str], pattern: str, folder: str) -> list[str]:
    """Those of `paths` that a pattern of a configuration in `folder` ("" or "a/b/") names, sorted.

    `*`, `?` and `[...]` stand for signs of one name, `**` for any number of folders; they take no name that begins with
    a dot. A path that is literally the pattern comes before all that.
    """
    steps = _steps(pattern, folder)
    if steps is None or not any(steps):
        return []
    path = "/".join((*steps[0], *steps[1]))
    if path in paths or not steps[1]:
        return [path] if path in paths else []
    begin = "".join(f"{step}/" for step in steps[0])
    names = _names(steps[1])
    near = (each[len(begin) :].split("/") for each in paths if each.startswith(begin))
    return sorted({begin + "/".join(each) for each in near if _fits(each, names)})


def _names(pattern: Sequence[str]) -> list[re.Pattern[str] | None]:
    """Expressions of the names in a pattern; None for `**`, which is not the last of them."""
    from fnmatch import translate

    found: list[re.Pattern[str] | None] = []
    for name in pattern:
        if name == _ANY:
            if found[-1:] != [None]:
                found.append(None)
        else:
            found.append(re.compile(("" if name.startswith(".") else r"(?!\.)") + translate(name)))
    if found[-1] is None:  # `a/**`: all files there
        found.append(re.compile(r"(?!\.)(?s:.*)"))
    return found


def _fits(names: Sequence[str], pattern: Sequence[re.Pattern[str] | None]) -> bool:
    """Whether names fit, one by one; `None` takes any number. It goes back to the last of these only: no more helps."""
    last = pattern[-1]
    if last is None or not last.match(names[-1]):
        return False
    at = place = 0
    again: tuple[int, int] | None = None  # where to go on if what follows a `**` does not fit
    while at < len(names):
        expected = pattern[place] if place < len(pattern) else None
        if expected is None and place < len(pattern):
            again = at, place + 1
            place += 1
        elif expected is not None and expected.match(names[at]):
            at, place = at + 1, place + 1
        elif again is None or names[again[0]].startswith("."):
            return False
        else:
            again = again[0] + 1, again[1]
            at, place = again
    return all(each is None for each in pattern[place:])


def files_below(folder: str) -> dict[str, int]:
    """The files in a folder of the user and in those below it: path in it, with `/` -> size in bytes.

    Hidden ones are left out. Links to folders are not followed; one to a file is, if it stays in the folder. Raises
    PromptlintError for a folder that cannot be listed.
    """
    if "\0" in folder or not os.path.isdir(folder):
        raise PromptlintError(f"{shown(folder)} is no folder", "name two folders, such as old/ and new/")
    inside = f"{os.path.realpath(folder).rstrip(os.sep)}{os.sep}"
    found: dict[str, int] = {}
    waiting = [""]
    while waiting:
        begin = waiting.pop()
        try:
            with os.scandir(os.path.join(folder, begin)) as entries:
                for entry in entries:
                    if entry.name.startswith("."):
                        continue
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(f"{begin}{entry.name}/")
                    elif entry.is_file() and _stays(entry, inside):
                        found[f"{begin}{entry.name}"] = entry.stat().st_size
        except OSError as error:
            name = shown(os.path.join(folder, begin))
            hint = "check the folder and its permissions"
            raise PromptlintError(f"{name} cannot be listed ({error.strerror})", hint) from None
    return dict(sorted(found.items()))


def _stays(entry: "os.DirEntry[str]", inside: str) -> bool:
    return not entry.is_symlink() or os.path.realpath(entry.path).startswith(inside)


def folder_changes(old: str, new: str) -> list[Changed]:
    """What differs between two folders of the user, by path in them; see `files_below`."""
    before, after = files_below(old), files_below(new)
    both = before.keys() & after.keys()
    found = {Changed(path, path) for path in both if before[path] != after[path] or not _equal(old, new, path)}
    gone = {path: before[path] for path in before.keys() - both}
    came = {path: after[path] for path in after.keys() - both}
    moved = _moved(old, gone, new, came)
    found |= {Changed(path, moved.get(path)) for path in gone}
    found |= {Changed(None, path) for path in came.keys() - set(moved.values())}
    return in_order(found)


def _moved(old: str, gone: dict[str, int], new: str, came: dict[str, int]) -> dict[str, str]:
    before = dict(_prints(old, sorted(gone)[:_MOST_GONE])) if came else {}
    return renamed(before, dict(_prints(new, candidates(before, came))))


def _prints(folder: str, paths: Iterable[str]) -> Iterator[tuple[str, Print]]:
    """What can be read; a rename is not seen of the rest."""
    for path in paths:
        with suppress(OSError), open(os.path.join(folder, path), "rb") as file:
            yield path, print_of(file.read())


def _equal(old: str, new: str, path: str) -> bool:
    """Whether two files of the same size have the same content; what cannot be read is read again, with a message."""
    try:
        with open(os.path.join(old, path), "rb") as a, open(os.path.join(new, path), "rb") as b:
            while chunk := a.read(_CHUNK):
                if chunk != b.read(_CHUNK):
                    return False
            return not b.read(1)
    except OSError:
        return False
