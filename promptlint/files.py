"""Writing files so that none is ever half written, and where those lie that can be made again."""

import errno
import os
import re
import stat
import sys
from contextlib import suppress

_BEFORE, _BEHIND = ".promptlint-", ".tmp"
_SCRATCH = re.compile(rf"{re.escape(_BEFORE)}[a-z0-9_]{{8}}{re.escape(_BEHIND)}")
_STALE = 3600.0  # seconds; no write takes so long
_PATIENT = os.name == "nt"  # Windows lets nobody replace a file that another program reads
_PAUSES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.4)  # seconds

_swept: set[str] = set()  # folders in which this process has looked for what killed ones left


def cache_folder() -> str | None:
    """PROMPTLINT_CACHE_DIR, or where the system keeps caches of the user; None if that is not known."""
    if chosen := os.environ.get("PROMPTLINT_CACHE_DIR"):
        return os.path.abspath(chosen)
    if sys.platform == "win32":
        root = os.environ.get("LOCALAPPDATA", "")
    elif sys.platform == "darwin":
        root = os.path.expanduser("~/Library/Caches")
    else:
        root = os.environ.get("XDG_CACHE_HOME", "")
        root = root if os.path.isabs(root) else os.path.expanduser("~/.cache")
    return os.path.join(root, "promptlint") if os.path.isabs(root) else None


def replace_file(path: str, data: bytes, *, mode: int | None = None, durable: bool = True) -> None:
    """Put `data` in place of a file (the one that a link leads to) as a whole, or leave it as it was.

    It keeps its permissions; a new one gets `mode`, or what the user's mask leaves. `durable`: wait for the disk.
    Raises OSError, with a `strerror` to show behind the file's name, or ValueError for what is no file name.

    The data is written beside the file first. A process that is killed leaves it there, with a name that nothing
    reads; a later write into the same folder removes it, an hour after that.
    """
    target = os.path.realpath(path)
    permissions = _permissions(target)
    number, scratch = _scratch(os.path.dirname(target))
    try:
        with open(number, "wb") as file:
            file.write(data)
            file.flush()
            if durable:
                os.fsync(file.fileno())
            own = os.fstat(file.fileno())
        wanted = permissions if permissions is not None else mode
        os.chmod(scratch, 0o666 & ~_umask() if wanted is None else wanted)
        _replace(scratch, target)
    except BaseException:
        with suppress(OSError):  # it may have been renamed already
            os.unlink(scratch)
        raise
    _sweep(os.path.dirname(target), own)


def _permissions(target: str) -> int | None:
    """Those of the file, None if there is none yet. Raises OSError for what must not be replaced."""
    try:
        found = os.lstat(target)
    except FileNotFoundError:
        return None
    if stat.S_ISLNK(found.st_mode):  # links are followed already: this one goes round in circles
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
    if stat.S_ISDIR(found.st_mode):
        raise OSError(errno.EISDIR, "it is a folder")
    if not stat.S_ISREG(found.st_mode):
        raise OSError(errno.EINVAL, "it is no regular file")
    if not found.st_mode & 0o222 or not os.access(target, os.W_OK):
        raise OSError(errno.EACCES, "it is read-only")
    return stat.S_IMODE(found.st_mode)


def _scratch(folder: str) -> tuple[int, str]:
    from tempfile import mkstemp  # not needed by who only reads

    try:
        return mkstemp(dir=folder, prefix=_BEFORE, suffix=_BEHIND)
    except OSError as error:
        raise OSError(error.errno, f"its folder takes no new file ({error.strerror})") from None


def _replace(scratch: str, target: str) -> None:
    for pause in _PAUSES if _PATIENT else ():
        try:
            return os.replace(scratch, target)
        except PermissionError:
            from time import sleep

            sleep(pause)
    os.replace(scratch, target)


def _sweep(folder: str, own: os.stat_result) -> None:
    """Remove what killed processes of the same user left, once for each folder. `own`: a file just written there.

    Times are compared with that of `own`, by the same clock, which need not be this machine's.
    """
    if folder in _swept:
        return
    _swept.add(folder)
    with suppress(OSError), os.scandir(folder) as entries:
        for name in [entry.name for entry in entries if _SCRATCH.fullmatch(entry.name)]:
            path = os.path.join(folder, name)
            with suppress(OSError):
                found = os.lstat(path)
                stale = own.st_mtime - found.st_mtime > _STALE
                if stale and found.st_uid == own.st_uid and stat.S_ISREG(found.st_mode):
                    os.unlink(path)


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
