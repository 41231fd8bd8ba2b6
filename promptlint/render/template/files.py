"""Templates that an application's template includes, imports or extends: read from given folders only."""

import os
import stat
from collections.abc import Callable

from jinja2 import TemplateError, TemplateNotFound

LARGEST = 8 * 1024 * 1024  # bytes


def reader(roots: tuple[str, ...]) -> Callable[[str], str]:
    """A function from the name that a template gives to its source; raises TemplateError if it may not be read."""
    folders = [os.path.realpath(root) for root in roots]

    def source(name: str) -> str:
        name = str.__str__(name)
        if not folders:
            raise TemplateError(f"{name!r} cannot be included: no folder is given from which templates may be read")
        if not name or "\0" in name or os.path.isabs(name) or ".." in name.replace("\\", "/").split("/"):
            raise TemplateError(f"{name!r} is no path inside the template folder")
        for folder in folders:
            path = os.path.realpath(os.path.join(folder, name))
            if os.path.lexists(os.path.join(folder, name)):
                if os.path.commonpath((folder, path)) != folder:
                    raise TemplateError(f"{name!r} is a link that leads out of the template folder")
                return _read(name, path)
        raise TemplateNotFound(name, f"{name!r} is not in {' or '.join(roots)}")  # which `ignore missing` ignores

    return source


def _read(name: str, path: str) -> str:
    if os.path.isdir(path):
        raise TemplateError(f"{name!r} is no regular file")
    try:
        # Not to wait for a writer, should the file be a pipe.
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
        with open(handle, "rb") as file:
            state = os.fstat(handle)
            if not stat.S_ISREG(state.st_mode):
                raise TemplateError(f"{name!r} is no regular file")
            if state.st_size > LARGEST:
                raise TemplateError(f"{name!r} is larger than {LARGEST // 2**20} MiB")
            return file.read(LARGEST + 1).decode("utf-8-sig")
    except OSError as error:
        raise TemplateError(f"{name!r} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise TemplateError(f"{name!r} is not UTF-8") from None
