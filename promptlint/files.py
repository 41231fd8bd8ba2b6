"""Writing files so that none is ever half written."""

import errno
import os
from tempfile import mkstemp


def replace_file(path: str, data: bytes, *, mode: int | None = None, durable: bool = True) -> None:
    """Put `data` in place of a file (the one that a link leads to) as a whole, or leave it as it was.

    It keeps its permissions; a new one gets `mode`, or what the user's mask leaves. `durable`: wait for the disk.
    Raises OSError, or ValueError for what is no file name.
    """
    target = os.path.realpath(path)
    if os.path.exists(target) and not os.path.isfile(target):
        raise OSError(errno.EINVAL, "it is no regular file")
    number, scratch = mkstemp(dir=os.path.dirname(target), prefix=".promptlint-")
    try:
        with open(number, "wb") as file:
            file.write(data)
            file.flush()
            if durable:
                os.fsync(file.fileno())
        if os.path.exists(target):
            mode = os.stat(target).st_mode & 0o7777
        os.chmod(scratch, 0o666 & ~_umask() if mode is None else mode)
        os.replace(scratch, target)
    except BaseException:
        os.unlink(scratch)
        raise


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
