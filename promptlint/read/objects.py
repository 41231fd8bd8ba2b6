"""Contents from git's object store: no checkout, no filters, no attributes, no network."""

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import IO, NamedTuple, cast

from promptlint.errors import PromptlintError
from promptlint.read import git
from promptlint.read.names import shown
from promptlint.read.sources import MAX_BYTES

_OUTSIDE = ("\\", ":") if os.name == "nt" else ()  # signs that lead elsewhere, there


class Entry(NamedTuple):
    """A file of a commit or of the index."""

    mode: str  # "100644", "100755"
    blob: str  # id of its content
    size: int | None  # bytes


def blobs(ids: Sequence[str], names: Mapping[str, str] | None = None) -> Iterator[bytes]:
    """The contents with these ids, in their order, from one process. `names`: paths of ids, for messages.

    Raises PromptlintError for one that is missing or larger than MAX_BYTES.
    """
    import subprocess
    from tempfile import TemporaryFile

    if not ids:
        return
    with TemporaryFile() as asked, TemporaryFile() as told:
        # From a file: git may wait for us to read while it has not yet read all of them.
        asked.write("".join(f"{each}\n" for each in ids).encode())
        asked.seek(0)
        line = git.command("cat-file", "--batch", "--buffer")
        try:
            process = subprocess.Popen(line, stdin=asked, stdout=subprocess.PIPE, stderr=told, env=git.environment())
        except (OSError, ValueError) as error:
            raise git.not_run(error) from None
        with process:
            patience = _Patience(process.kill)
            try:
                source = cast(IO[bytes], process.stdout)
                for each in ids:
                    data = patience.during(_next, source, (names or {}).get(each, each))
                    if data is None:
                        raise _broken_off(told, patience)
                    yield data
            finally:  # read in full or not, git is not needed any more
                patience.end()
                process.kill()


class _Patience:
    """Ends git when it lets us wait for too long; the time in which what it gave is used does not count."""

    def __init__(self, kill: Callable[[], None]) -> None:
        self._kill = kill
        self._since: float | None = None  # when we began to wait
        self._ended = False
        self.over = False
        self._arm(git.GIT_S)

    def _arm(self, seconds: float) -> None:
        import threading

        self._timer = threading.Timer(seconds, self._look)
        self._timer.daemon = True
        self._timer.start()

    def _look(self) -> None:
        if self._ended:
            return
        since = self._since
        left = git.GIT_S if since is None else since + git.GIT_S - time.monotonic()
        if left > 0:
            self._arm(left)
        else:
            self.over = True
            self._kill()

    def during(self, read: Callable[[IO[bytes], str], bytes | None], source: IO[bytes], name: str) -> bytes | None:
        """Read, and be patient for so long only."""
        self._since = time.monotonic()
        try:
            return read(source, name)
        finally:
            self._since = None

    def end(self) -> None:
        """No more is read."""
        self._ended = True
        self._timer.cancel()


def _next(source: IO[bytes], name: str) -> bytes | None:
    """The next content; None if git broke off."""
    header = source.readline().split()
    if len(header) != 3:
        if header[-1:] == [b"missing"]:
            raise PromptlintError(f"git has no content of {shown(name)}", "see whether `git fsck` finds faults")
        return None
    size = int(header[2])
    if size > MAX_BYTES:
        raise PromptlintError(f"{shown(name)} is larger than {MAX_BYTES >> 20} MiB", "leave it out")
    data = source.read(size + 1)
    return data[:-1] if len(data) > size else None


def _broken_off(told: IO[bytes], patience: _Patience) -> PromptlintError:
    if patience.over:
        return git.unfinished()
    told.seek(0)
    return git.fault(git.complaint(told.read()))


def export(entries: Mapping[str, Entry], folder: str) -> None:
    """Write regular files of a commit or the index below `folder`, which holds nothing else than such files.

    What may be run stays so. Raises PromptlintError for a name that leads out of it, and if something cannot be
    written.
    """
    for path in entries:
        if not _stays_below(path):
            raise PromptlintError(f"{shown(path)} is no name of a file in a folder", "rename it in the repository")
    names = {entry.blob: path for path, entry in entries.items()}
    contents = blobs([entry.blob for entry in entries.values()], names)
    made: set[str] = set()
    for (path, entry), data in zip(entries.items(), contents, strict=True):
        target = os.path.join(folder, *path.split("/"))
        try:
            if (parent := os.path.dirname(target)) not in made:
                os.makedirs(parent, exist_ok=True)
                made.add(parent)
            _write(target, data, 0o777 if entry.mode == "100755" else 0o666)
        except OSError as error:
            raise PromptlintError(f"{shown(path)} cannot be written ({error.strerror})", "see the folder") from None


def _write(target: str, data: bytes, mode: int) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    with open(os.open(target, flags, mode), "wb") as file:
        file.write(data)


def _stays_below(path: str) -> bool:
    """Whether a path, relative to a folder, leads to a place below it, and not into a repository of git."""
    parts = path.split("/")
    if any(part in ("", ".", "..") or part.lower() == ".git" or "\0" in part for part in parts):
        return False
    return not any(sign in path for sign in _OUTSIDE)
