"""Characters of a document -> source bytes, lines and columns. Line breaks are LF, CR LF and a lone CR."""

from collections.abc import Iterable, Iterator, Sequence

from promptlint.prompt import Document, Location, SourceByte


def locations(document: Document, ranges: Sequence[tuple[int, int]]) -> list[Location]:
    """Where ranges of characters of `document.text` stand in the file; the text is read once for all of them."""
    marks = sorted({mark for pair in ranges for mark in pair})
    offsets = dict(zip(marks, byte_offsets(document, marks), strict=True))
    if document.encoding == "utf-8":
        found_columns = _byte_columns(document.data, [(mark, offsets[mark]) for mark in marks])
    else:
        found_columns = line_columns(document.text, marks)
    lines = dict(zip(marks, found_columns, strict=True))
    found = []
    for begin, end in ranges:
        line, column = lines[begin]
        start, stop = (SourceByte(document.start + offsets[mark]) for mark in (begin, end))
        found.append(Location(document.path, start, stop, document.line - 1 + line, column))
    return found


def line_columns(text: str, places: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Line and column, from 1, of each of the ascending character positions `places`."""
    line, begin, done = 1, 0, 0
    for place in places:
        breaks = text.count("\n", done, place) + text.count("\r", done, place)
        breaks -= text.count("\r\n", done, place + 1)  # counted twice, or cut in two by `place`
        if breaks:
            line += breaks
            begin = _last_break(text, done, place) + 1
        yield line, place - begin + 1
        done = place


def _last_break(text: str | bytes, begin: int, end: int) -> int:
    """The last LF, or CR that does not belong to an LF behind it, in `text[begin:end]`."""
    if isinstance(text, str):
        feed, carriage = text.rfind("\n", begin, end), text.rfind("\r", begin, end)
        if carriage > feed and text.startswith("\r\n", carriage):
            carriage = text.rfind("\r", begin, carriage)
    else:
        feed, carriage = text.rfind(b"\n", begin, end), text.rfind(b"\r", begin, end)
        if carriage > feed and text.startswith(b"\r\n", carriage):
            carriage = text.rfind(b"\r", begin, carriage)
    return max(feed, carriage)


def byte_offsets(document: Document, places: Iterable[int]) -> Iterator[int]:
    """How many bytes of `data` come before each of the ascending character positions `places` of `text`."""
    text, codec = document.text, document.encoding
    if codec == "utf-8" and text.isascii():
        yield from places
        return
    known = iter([*document.anchors, (len(text) + 1, 0)])
    anchor = next(known)
    size = done = 0
    for place in places:
        while anchor[0] <= place:
            (done, size), anchor = anchor, next(known)
        size += len(text[done:place].encode(codec))
        yield size
        done = place


def _byte_columns(data: bytes, places: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """As `line_columns`, of ascending places (character, byte) of UTF-8: bytes are counted twenty times as fast."""
    line, begin, done = 1, 0, 0
    for char, byte in places:
        breaks = data.count(b"\n", done, byte)
        if data.find(b"\r", done, byte) >= 0:
            breaks += data.count(b"\r", done, byte) - data.count(b"\r\n", done, byte + 1)
        if breaks:
            line += breaks
            begin = char - len(data[_last_break(data, done, byte) + 1 : byte].decode())
        yield line, char - begin + 1
        done = byte
