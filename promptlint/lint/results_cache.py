"""Findings of files that have not changed, kept in the user's cache folder: one file for each project.

A line of it is an entry: the key, a checksum, and JSON. What cannot be read counts as absent. A key covers all that a
result depends on, but for files that were read besides: their hashes stand in the entry and are compared.
"""

import hashlib
import json
import os
import stat
import sys
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import cache
from typing import Any

MOST_ENTRIES = 4000
MOST_BYTES = 16 << 20
"""Of one project; the oldest entries go first."""
MOST_PROJECTS = 64
"""Files in the folder; those that were written longest ago go first."""

_HEAD = b"promptlint results 1\n"
_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def key(*parts: str | bytes) -> str:
    """The key of a result. `parts`: all that it depends on, such as rules, options, path and bytes of the file.

    The version of promptlint and Python and the state of promptlint's own files are in it as well.
    """
    packed = hashlib.sha256(_program())
    for part in parts:
        data = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
        packed.update(b"%d:" % len(data))
        packed.update(data)
    return packed.hexdigest()


def hash_of(path: str) -> str | None:
    """The hash of a file that a result depends on, too; None if it is not there or cannot be read."""
    try:
        if not os.path.isfile(path):  # a pipe would be waited for
            return None
        with open(path, "rb") as file:
            return hashlib.sha256(file.read()).hexdigest()
    except (OSError, ValueError):
        return None


class ResultsCache:
    """The results of one project. `get` and `put` touch no file of the cache; `save` does."""

    def __init__(self, path: str | None) -> None:
        self._path = path  # None: nothing is kept
        self._entries = {} if path is None else _read(path)
        self._new: dict[str, bytes] = {}
        self._hashes: dict[str, str | None] = {}

    def get(self, wanted: str) -> Any | None:
        """The result under a key, as `json.loads` gives it, if the files that it depends on are as they were."""
        line = self._new.get(wanted) or self._entries.get(wanted)
        entry = None if line is None else _entry(line)
        if entry is None or any(self._hash_of(path) != known for path, known in entry["files"].items()):
            return None
        return entry["result"]

    def put(self, wanted: str, result: Any, files: Mapping[str, str | None] = {}) -> None:
        """Keep a result (of JSON's types, not None). `files`: path -> `hash_of` it, None for one that was not there."""
        text = json.dumps({"files": dict(files), "result": result}, separators=(",", ":")).encode()
        self._new[wanted] = b"%s %s %s" % (wanted.encode(), _checksum(wanted, text), text)

    def save(self) -> None:
        """Write what is new, together with what others have written meanwhile. A folder that takes nothing is fine."""
        if self._path is None or not self._new:
            return
        entries = _read(self._path)
        for wanted, line in self._new.items():
            entries.pop(wanted, None)  # so that it becomes the newest
            entries[wanted] = line
        from promptlint.files import replace_file

        with suppress(OSError):
            os.makedirs(os.path.dirname(self._path), mode=0o700, exist_ok=True)
            replace_file(self._path, _HEAD + b"".join(_kept(entries)), mode=0o600, durable=False)
            _thin_out(os.path.dirname(self._path))

    def _hash_of(self, path: str) -> str | None:
        if path not in self._hashes:
            self._hashes[path] = hash_of(path)
        return self._hashes[path]


def results_cache(project: str) -> ResultsCache:
    """The cache of a project (its folder) in PROMPTLINT_CACHE_DIR, or where the system keeps caches of the user."""
    from promptlint.files import cache_folder

    folder = cache_folder()
    if folder is None:
        return ResultsCache(None)
    name = hashlib.sha256(os.fsencode(os.path.realpath(project))).hexdigest()[:32]
    return ResultsCache(os.path.join(folder, f"{name}.results"))


def _read(path: str) -> dict[str, bytes]:
    """Key -> line, the oldest first. Another user's file, or one that is no cache, is as good as none."""
    try:
        if not os.path.isfile(path):  # a pipe would be waited for
            return {}
        if not stat.S_ISREG(os.stat(path).st_mode):  # to open a pipe would wait for a writer
            return {}
        with open(path, "rb") as file:
            if hasattr(os, "getuid") and os.fstat(file.fileno()).st_uid != os.getuid():
                return {}
            data = file.read(2 * MOST_BYTES)
    except OSError:
        return {}
    if not data.startswith(_HEAD):
        return {}
    lines = data[len(_HEAD) :].splitlines(keepends=True)
    return {line[:64].decode("latin-1"): line.rstrip(b"\n") for line in lines}


def _entry(line: bytes) -> dict[str, Any] | None:
    """What a line holds; None if a single bit of it is not as it was written."""
    wanted, checksum, text = (*line.split(b" ", 2), b"", b"")[:3]
    if checksum != _checksum(wanted.decode("latin-1"), text):
        return None
    entry: dict[str, Any] = json.loads(text)
    return entry


def _checksum(wanted: str, text: bytes) -> bytes:
    return hashlib.sha256(wanted.encode() + text).hexdigest()[:32].encode()


def _kept(entries: Mapping[str, bytes]) -> Iterable[bytes]:
    """The newest lines that there is room for, the oldest of them first."""
    kept: list[bytes] = []
    size = 0
    for line in reversed(list(entries.values())[-MOST_ENTRIES:]):
        size += len(line) + 1
        if size > MOST_BYTES:
            break
        kept.append(line + b"\n")
    return reversed(kept)


def _thin_out(folder: str) -> None:
    with os.scandir(folder) as entries:
        found = [(entry.stat().st_mtime_ns, entry.path) for entry in entries if entry.name.endswith(".results")]
    for _, path in sorted(found)[:-MOST_PROJECTS]:
        os.unlink(path)


@cache
def _program() -> bytes:
    """What stands for the program: versions, and size and time of each of its files, so that a checkout that is being
    worked on never answers with findings of before."""
    from promptlint import __version__

    rules = os.path.join(_PACKAGE, "_rules")
    roots = (_PACKAGE, rules if os.path.isdir(rules) else os.path.join(os.path.dirname(_PACKAGE), "rules"))
    stamps = [repr((__version__, sys.version_info[:3]))]
    waiting = list(roots)
    while waiting:
        with suppress(OSError), os.scandir(waiting.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    if entry.name != "__pycache__":
                        waiting.append(entry.path)
                elif not entry.name.endswith(".pyc"):
                    status = entry.stat()
                    stamps.append(f"{entry.path} {status.st_size} {status.st_mtime_ns}")
    return hashlib.sha256("\n".join(sorted(stamps)).encode("utf-8", "surrogatepass")).digest()
