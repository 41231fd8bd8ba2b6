"""What `#N` means in a stream: record N of a JSONL, or entry N of one document."""

from collections.abc import Iterable, Iterator
from itertools import chain
from json import JSONDecodeError, JSONDecoder
from typing import Literal, NamedTuple

from promptlint.read.encodings import encoding_of
from promptlint.read.records import Stretch, is_blank, lines, record, whole

_decode = JSONDecoder(parse_int=str, parse_float=str, parse_constant=str).decode  # any number of digits, nothing built
_MARK = 4  # bytes of the longest byte order mark


class Numbered(NamedTuple):
    """What `#N` names: a record, or an entry of the whole; both where the whole is its only record."""

    stretch: Stretch
    record: int | None
    entry: int | None


def numbered(chunks: Iterable[bytes], number: int, name: str, max_bytes: int) -> Numbered:
    """Number `number`, from 0, of a stream.

    A JSONL has a JSON value on each line. A stream whose first line is no complete value is one document, and so is
    one of a single line: whether it has an entry of that number, only who knows its format can say.
    Raises PromptlintError for a record that does not exist and for what is over the limit; never holds more than that.
    """
    chunks, held = iter(chunks), list[bytes]()
    layout = _layout(_kept(chunks, held), held, max_bytes)
    everything = chain(held, chunks)
    if layout == "lines" or (layout == "line" and number == 0):
        entry = 0 if layout == "line" else None
        return Numbered(record(everything, number, name, max_bytes), number, entry)
    return Numbered(whole(everything, name, max_bytes, hint="cut it down first"), None, number)


def _kept(chunks: Iterator[bytes], held: list[bytes]) -> Iterator[bytes]:
    for chunk in chunks:
        held.append(chunk)
        yield chunk


def _layout(chunks: Iterator[bytes], held: list[bytes], max_bytes: int) -> Literal["lines", "line", "document"]:
    """Read no further than to tell: to the end of the first line that is not blank, and to the start of the next.

    A log may begin with a broken line; then the second one tells.
    """
    size = 0
    while size < _MARK and (chunk := next(chunks, b"")):
        size += len(chunk)
    head = b"".join(held)
    codec, mark = encoding_of(head[:_MARK])
    written = (
        line for line in lines(chain([head[mark:]], chunks), codec, mark, max_bytes) if not is_blank(line.data, codec)
    )
    first = next(written, None)
    if first is None or not first.ended:  # nothing, or a line over the limit: both are told by `record`
        return "lines"
    found = _value(first.data, codec)
    if found == "complete":
        return "lines" if _goes_on(chunks, held, first.start + len(first.data), codec) else "line"
    second = next(written, None) if found == "broken" else None
    return "lines" if second is not None and _value(second.data, codec) == "complete" else "document"


def _goes_on(chunks: Iterator[bytes], held: list[bytes], end: int, codec: str) -> bool:
    """Whether anything but white space follows byte `end`; reads as far as needed to know."""
    rest = b"".join(held)[end:]
    while True:
        if rest.strip() if codec == "utf-8" else rest.decode(codec, "ignore").strip():
            return True
        chunk = next(chunks, b"")
        if not chunk:
            return False
        rest = rest[len(rest) - len(rest) % _MARK :] + chunk  # a character may be cut in two


def _value(line: bytes, codec: str) -> Literal["complete", "begun", "broken"]:
    """Whether a line is a JSON value, ends within one, or is neither."""
    text = line.decode(codec, "replace").strip(" \t\r").rstrip(",")
    try:
        _decode(text)
    except JSONDecodeError as error:
        return "begun" if text.startswith(("{", "[")) and error.pos >= len(text) else "broken"
    except RecursionError:
        pass
    return "complete"
