"""Characters of a document -> source bytes, lines and columns. Line breaks are LF, CR LF and a lone CR."""

from collections.abc import Iterable, Iterator, Sequence

from promptlint.prompt import Document, Location, SourceByte


def locations(document: Document, ranges: Sequence[tuple[int, int]]) -> list[Location]:
    """Where ranges of characters of `document.text` stand in the file; the text is read once for all of them."""
    marks = sorted({mark for pair in ranges for mark in pair})
    lines = dict(zip(marks, line_columns(document.text, marks), strict=True))
    offsets = dict(zip(marks, byte_offsets(document.text, document.encoding, marks), strict=True))
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


def _last_break(text: str, begin: int, end: int) -> int:
    """The last LF, or CR that does not belong to an LF behind it, in `text[begin:end]`."""
    feed, carriage = text.rfind("\n", begin, end), text.rfind("\r", begin, end)
    if text.startswith("\r\n", carriage) and carriage > feed:
        carriage = text.rfind("\r", begin, carriage)
    return max(feed, carriage)


def byte_offsets(text: str, codec: str, places: Iterable[int]) -> Iterator[int]:
    """How many bytes come before each of the ascending character positions `places`."""
    if codec == "utf-8" and text.isascii():
        yield from places
        return
    size, done = 0, 0
    for place in places:
        size += len(text[done:place].encode(codec))
        yield size
        done = place
