"""Files, pipes and standard input as chunks of bytes; nothing here waits for ever."""

import errno
import os
import stat
import sys
from collections.abc import Generator

from promptlint.errors import PromptlintError
from promptlint.read.names import nearest_file, shown

WRITER_S = 1.0
"""How long a pipe may have no writer."""
IDLE_S = 30.0
"""How long a pipe or standard input may be silent."""

_SMALL, _LARGE = 1 << 16, 1 << 23  # a chunk, bytes
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
_REFUSALS = {
    errno.EACCES: ("may not be read", "check its permissions"),
    errno.EPERM: ("may not be read", "check its permissions"),
    errno.ELOOP: ("is a loop of symbolic links", "name the file itself"),
    errno.ENAMETOOLONG: (
        "is too long for a file name",
        "an input is a file name, not a text; a text comes from a file or `-`",
    ),
    errno.ENOTDIR: ("does not exist: a part of its path is a file, not a folder", "check the path"),
    errno.ENXIO: ("is a socket", "save what it sends to a file"),
}


def file_chunks(path: str) -> Generator[bytes, None, None]:
    """The content of a file or pipe. Raises PromptlintError for everything else and for what cannot be read."""
    try:
        status = os.stat(path)
        mode = status.st_mode
        if not (stat.S_ISREG(mode) or stat.S_ISFIFO(mode)):
            raise _wrong_kind(path, mode)
        source = os.open(path, _FLAGS)
        try:
            if stat.S_ISFIFO(mode):
                yield from _pipe_chunks(source, shown(path))
            else:
                yield from _regular_chunks(source, status.st_size)
        finally:
            os.close(source)
    except OSError as error:
        raise _refusal(path, error) from None
    except ValueError:
        raise PromptlintError(
            f"{shown(path)} is no file name", "it contains NUL, or what no file name can hold"
        ) from None


def stdin_chunks() -> Generator[bytes, None, None]:
    """Standard input to its end."""
    stream = sys.stdin
    if stream is None or stream.closed:
        raise PromptlintError("standard input is closed", "pipe a request into it")
    try:
        source = stream.fileno()
    except (OSError, ValueError):  # a test or a program has put its own stream there
        yield from iter(lambda: stream.buffer.read(_LARGE), b"")
        return
    if os.isatty(source):
        raise PromptlintError("standard input is a terminal", "pipe a request into it, or name a file")
    try:
        while True:
            if not _ready(source, IDLE_S):
                raise _silent("standard input")
            chunk = os.read(source, _SMALL)
            if not chunk:
                return
            yield chunk
    except OSError as error:
        raise PromptlintError(f"standard input cannot be read ({error.strerror})", "name a file instead") from None


def _regular_chunks(source: int, size: int) -> Generator[bytes, None, None]:
    wanted = min(max(size + 1, _SMALL), _LARGE)  # a file of a few megabytes is one chunk, never copied
    while chunk := os.read(source, wanted):
        yield chunk


def _pipe_chunks(source: int, name: str) -> Generator[bytes, None, None]:
    """Opened without blocking: a read gives nothing where nobody writes, and an error where a writer is slow."""
    begun = False
    while True:
        try:
            chunk = os.read(source, _SMALL)
        except BlockingIOError:
            if not _ready(source, IDLE_S):
                raise _silent(name) from None
            continue
        if chunk:
            yield chunk
        elif begun:
            return
        elif not _ready(source, WRITER_S):
            raise PromptlintError(f"nothing writes to the pipe {name}", "start the program that fills it first")
        begun = True


def _ready(source: int, seconds: float) -> bool:
    import select

    if not hasattr(select, "poll"):
        return True
    poll = select.poll()
    poll.register(source, select.POLLIN)
    return bool(poll.poll(seconds * 1000))


def _silent(name: str) -> PromptlintError:
    return PromptlintError(f"{name} sent nothing for {IDLE_S:.0f} seconds", "write the request to a file first")


def _wrong_kind(path: str, mode: int) -> PromptlintError:
    name = shown(path)
    if stat.S_ISDIR(mode):
        return PromptlintError(f"{name} is a folder", "name a file in it, or compare it with another folder")
    kind = "a socket" if stat.S_ISSOCK(mode) else "a device"
    return PromptlintError(f"{name} is {kind}, not a file", "save what it holds to a file")


def _refusal(path: str, error: OSError) -> PromptlintError:
    name = shown(path)
    if error.errno == errno.ENOENT:
        return _missing(path)
    message, hint = _REFUSALS.get(error.errno or 0, (f"cannot be read ({error.strerror})", "check the path"))
    return PromptlintError(f"{name} {message}", hint)


def _missing(path: str) -> PromptlintError:
    name = shown(path)
    if os.path.islink(path):
        return PromptlintError(f"{name} is a symbolic link to nothing", "mend the link, or name the file itself")
    if not path:
        return PromptlintError("an empty name is no file", "name a file, or `-` for standard input")
    folder = os.path.dirname(path)
    if folder and not os.path.isdir(folder):
        return PromptlintError(f"{name} does not exist: there is no folder {shown(folder)}", "check the path")
    close = nearest_file(path)
    return PromptlintError(f"{name} does not exist", f"did you mean {shown(close)}?" if close else "check the path")
