"""The whole of a byte stream, or one record of the JSONL in it, never holding more than a limit."""

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import NamedTuple

from promptlint.errors import PromptlintError
from promptlint.read.encodings import encoding_of


class Stretch(NamedTuple):
    """Bytes with their place in the file."""

    data: bytes
    codec: str
    start: int
    line: int


class Line(NamedTuple):
    """A line of a file, or a part of one that is over the limit."""

    data: bytes  # without the line feed and the byte order mark
    start: int
    ended: bool  # False: a line over the limit goes on in the next one


_NUMBER_IT = "add #N to its name for record N, from 0, of a JSONL log"


def whole(chunks: Iterable[bytes], name: str, max_bytes: int, *, hint: str = _NUMBER_IT) -> Stretch:
    """All of a stream, without its byte order mark. Raises PromptlintError if it is empty or over the limit."""
    parts, size = [], 0
    for chunk in chunks:
        parts.append(chunk)
        size += len(chunk)
        if size > max_bytes:
            raise PromptlintError(f"{name} is larger than {_mebibytes(max_bytes)}", hint)
    data = b"".join(parts)
    codec, mark = encoding_of(data[:4])
    if len(data) == mark:
        raise PromptlintError(f"{name} is empty", "an input holds a request, messages, tools or a text")
    return Stretch(data[mark:], codec, mark, 1)


def record(chunks: Iterable[bytes], number: int, name: str, max_bytes: int) -> Stretch:
    """Record `number`, from 0, of a JSONL stream; blank lines are lines of the file, but no records."""
    chunks = iter(chunks)
    head = b""
    for chunk in chunks:
        head += chunk
        if len(head) >= 4:
            break
    codec, mark = encoding_of(head[:4])
    seen, line, going_on = 0, 1, False
    for data, start, ended in lines(chain([head[mark:]], chunks), codec, mark, max_bytes):
        if not going_on and not is_blank(data, codec):
            if seen == number and ended and len(data) <= max_bytes:
                return Stretch(_without_return(data, codec), codec, start, line)
            if seen == number:
                raise PromptlintError(f"{name}#{number} is larger than {_mebibytes(max_bytes)}", "cut it down first")
            seen += 1
        going_on = not ended
        line += ended + _lone_returns(data, codec)
    if not seen:
        raise PromptlintError(f"{name} holds no records", "a JSONL has one JSON value on each line")
    raise PromptlintError(f"{name}#{number} does not exist", f"{name} has the records #0 to #{seen - 1}")


def lines(chunks: Iterable[bytes], codec: str, start: int, max_bytes: int) -> Iterator[Line]:
    """Lines of a stream whose first chunk begins at byte `start`; never holds more than `max_bytes` of one."""
    feed = "\n".encode(codec)
    waiting, searched = bytearray(), 0
    for chunk in chunks:
        waiting += chunk
        begin = 0
        while (end := _find_unit(waiting, feed, max(begin, searched))) >= 0:
            yield Line(bytes(waiting[begin:end]), start + begin, True)
            begin = end + len(feed)
        del waiting[:begin]
        start += begin
        searched = len(waiting) - len(waiting) % len(feed)
        if len(waiting) > max_bytes:
            yield Line(bytes(waiting[:searched]), start, False)
            del waiting[:searched]
            start += searched
            searched = 0
    if waiting:
        yield Line(bytes(waiting), start, True)


def _find_unit(data: bytearray, unit: bytes, begin: int) -> int:
    """The first `unit` at a multiple of its size: elsewhere its bytes belong to two characters."""
    place = data.find(unit, begin)
    while place >= 0 and place % len(unit):
        place = data.find(unit, place + 1)
    return place


def is_blank(data: bytes, codec: str) -> bool:
    """Whether a line is white space only."""
    if codec == "utf-8":
        return not data.strip(b" \t\r")
    return not data.decode(codec, "replace").strip(" \t\r")


def _without_return(data: bytes, codec: str) -> bytes:
    return data.removesuffix("\r".encode(codec))


def _lone_returns(data: bytes, codec: str) -> int:
    """Line breaks within a line: CR is white space in JSON, and a line break in an editor."""
    if b"\r" not in data:
        return 0
    text = _without_return(data, codec).decode(codec, "replace")
    return text.count("\r")


def _mebibytes(size: int) -> str:
    return f"{size >> 20} MiB" if size >= 1 << 20 else f"{size} bytes"
