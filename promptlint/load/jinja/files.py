"""Templates that a template includes, imports or extends: read from given folders only, as in rendering."""

import os
import stat

LARGEST = 8 * 1024 * 1024  # bytes


class Refused(Exception):
    """A file that may not or cannot be read; the message says why."""


def find(name: str, roots: tuple[str, ...]) -> tuple[str, str] | None:
    """Path and text of the template `name` in the first of the folders that has it; raises Refused."""
    if not name or "\0" in name or os.path.isabs(name) or ".." in name.replace("\\", "/").split("/"):
        raise Refused("it is no path inside the template folder")
    for root in roots:
        path = os.path.join(root, name)
        if os.path.lexists(path):
            folder, real = os.path.realpath(root), os.path.realpath(path)
            if os.path.commonpath((folder, real)) != folder:
                raise Refused("it is a link that leads out of the template folder")
            shown = name if root in ("", ".", os.curdir) else path
            return shown.replace(os.sep, "/"), _text(real)
    return None


def _text(path: str) -> str:
    try:
        # Not to wait for a writer, should the file be a pipe.
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
        with open(handle, "rb") as file:
            state = os.fstat(handle)
            if not stat.S_ISREG(state.st_mode):
                raise Refused("it is no regular file")
            if state.st_size > LARGEST:
                raise Refused(f"it is larger than {LARGEST // 2**20} MiB")
            return file.read(LARGEST + 1).decode("utf-8-sig")
    except OSError as error:
        raise Refused(f"it cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise Refused("it is not UTF-8") from None
