"""The frames of a rendering's answer: a kind (one byte), a size (four), and so many bytes, which both sides bound."""

import struct
from typing import BinaryIO

TEXT = b"T"  # the text, UTF-8
ORIGINS = b"O"  # a part of its origins, see `origins`
END = b"E"  # JSON: {"notes"}
ERROR = b"X"  # instead of all that; JSON: {"template", "line", "reason", "hint", "last": the child ends}

LARGEST_TEXT = 8 * 1024 * 1024  # bytes
_LIMITS = {TEXT: LARGEST_TEXT, ORIGINS: 1024 * 1024, END: 64 * 1024, ERROR: 64 * 1024}
_HEAD = struct.Struct(">cI")


class Broken(Exception):
    """The other side has ended, or sent what is no frame."""


def write(stream: BinaryIO, kind: bytes, data: bytes) -> None:
    """Send one frame."""
    stream.write(_HEAD.pack(kind, len(data)))
    stream.write(data)
    stream.flush()


def read(stream: BinaryIO) -> tuple[bytes, bytes]:
    """The next frame, kind and bytes; raises Broken."""
    head = stream.read(_HEAD.size)
    if len(head) < _HEAD.size:
        raise Broken
    kind, size = _HEAD.unpack(head)
    if size > _LIMITS.get(kind, -1):
        raise Broken
    data = stream.read(size)
    if len(data) < size:
        raise Broken
    return kind, data
