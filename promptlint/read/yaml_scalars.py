"""Which characters of a YAML file each character of a scalar comes from."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import Any, NamedTuple

_BREAK = "(?:\r\n|[\n\r\x85\u2028\u2029])"
_BREAKS = rf"(?:{_BREAK}[ \t]*)+"
_PROPERTIES = rf"(?:[!&][^\s]*(?:[ \t]|{_BREAK}|#[^\n\r\x85\u2028\u2029]*)*)*"
_TOKENS = {
    "": _BREAKS,
    "'": rf"''|{_BREAKS}",
    '"': rf"\\(?:x.{{2}}|u.{{4}}|U.{{8}}|{_BREAKS}|.)|{_BREAKS}",
}
_HEADER = r"[|>](?:([-+])[1-9]?|[1-9]([-+])?)?"


class Chunk(NamedTuple):
    """Decoded text that stands at `start:end` of the file: as it is, or one character that is an escape or folded."""

    text: str
    start: int
    end: int


class Chars(NamedTuple):
    """The chunks of a scalar, one after the other."""

    chunks: list[Chunk]
    at: list[int]  # decoded characters before each of them

    def range(self, char: int, end: int) -> tuple[int, int]:
        """The characters of the file that hold decoded characters `char:end`; an empty one where that is empty."""
        start = self._place(char, 0)
        return start, max(start, self._place(end - 1, 1)) if end > char else start

    def _place(self, char: int, after: int) -> int:
        number = max(bisect_right(self.at, char) - 1, 0)
        chunk, offset = self.chunks[number], char - self.at[number]
        if len(chunk.text) == chunk.end - chunk.start:
            return min(chunk.start + offset + after, chunk.end)
        return chunk.end if after or offset else chunk.start


def chars(text: str, node: Any) -> Chars | None:
    """Where the characters of a scalar node stand; None if that cannot be shown, which is so if they do not make it."""
    start, end = begin(text, node), node.end_mark.index
    quote = node.style or ""
    if quote in ("|", ">"):
        chunks = list(_block(text, start, end, node.value, folds=quote == ">"))
    else:
        start += len(quote)
        chunks = list(_flow(text, start, end - len(quote), quote)) or [Chunk("", start, start)]
    if not chunks or "".join(chunk.text for chunk in chunks) != node.value:
        return None
    at, done = [], 0
    for chunk in chunks:
        at.append(done)
        done += len(chunk.text)
    return Chars(chunks, at)


def begin(text: str, node: Any) -> int:
    """Where a scalar itself begins, behind its tag and anchor."""
    start: int = node.start_mark.index
    found = re.compile(_PROPERTIES).match(text, start, node.end_mark.index)
    return found.end() if found else start


def _flow(text: str, start: int, end: int, quote: str) -> Iterator[Chunk]:
    """A plain or quoted scalar: white space round line breaks folds, and escapes stand for characters."""
    done = start
    for token in re.compile(_TOKENS[quote]).finditer(text, start, end):
        left = token.start()
        folds = not token[0].startswith(("\\", "'"))
        while folds and left > done and text[left - 1] in " \t":
            left -= 1
        if left > done:
            yield Chunk(text[done:left], done, left)
        done = token.end()
        if token[0] == "''":
            yield Chunk("'", left, done)
        elif folds:
            yield from _folded(text, left, token.start(), done)
        elif len(token[0]) > 1 and re.match(_BREAK, token[0][1:]):
            yield from list(_breaks(text, left + 1, done))[1:]
        else:
            yield Chunk(_unescaped(token[0]), left, done)
    if done < end:
        yield Chunk(text[done:end], done, end)


def _folded(text: str, left: int, start: int, end: int) -> Iterator[Chunk]:
    """One line break is a space, each further one is itself."""
    first, *further = _breaks(text, start, end)
    if first.text != "\n":
        yield first
    elif not further:
        yield Chunk(" ", left, end)
    yield from further


def _breaks(text: str, start: int, end: int) -> Iterator[Chunk]:
    for found in re.compile(_BREAK).finditer(text, start, end):
        yield Chunk(_feed(found[0]), found.start(), found.end())


def _feed(written: str) -> str:
    return written if written in ("\u2028", "\u2029", "") else "\n"


def _unescaped(token: str) -> str:
    from yaml.scanner import Scanner

    if token[1] in Scanner.ESCAPE_CODES:
        return chr(int(token[2:], 16))
    return Scanner.ESCAPE_REPLACEMENTS.get(token[1], "")


class _Line(NamedTuple):
    """A line of a block scalar: its text, where it begins, and its line break."""

    text: str
    start: int
    feed: Chunk


def _lines(text: str, start: int, end: int) -> Iterator[_Line]:
    while start < end:
        found = re.compile(_BREAK).search(text, start, end)
        stop, after = found.span() if found else (end, end)
        yield _Line(text[start:stop], start, Chunk(_feed(text[stop:after]), stop, after))
        start = after


def _block(text: str, start: int, end: int, value: str, *, folds: bool) -> Iterator[Chunk]:
    """A literal or folded scalar: lines without their indentation."""
    header, *lines = _lines(text, start, end)
    indicators = re.match(_HEADER, header.text)
    chomping = (indicators[1] or indicators[2]) if indicators else None
    indent = _indent(lines, value)
    last: Chunk | None = None  # the break of the last line with content
    starts_word = False  # that line begins with a word, not with white space
    empty: list[Chunk] = []  # the breaks of the lines without content since then
    for line in lines:
        if len(line.text) <= indent and not line.text.strip(" "):
            empty.append(line.feed)
            continue
        content = Chunk(line.text[indent:], line.start + indent, line.feed.start)
        is_word = not content.text.startswith((" ", "\t"))
        if last is not None and not (folds and last.text == "\n" and starts_word and is_word):
            yield last
        elif last is not None and not empty:
            yield Chunk(" ", last.start, content.start)
        yield from empty
        yield content
        last, starts_word, empty = line.feed, is_word, []
    if chomping != "-" and last is not None and last.text:
        yield last
    if chomping == "+":
        yield from (feed for feed in empty if feed.text)


def _indent(lines: list[_Line], value: str) -> int:
    """What is taken from each line: by how much the first one that is more than spaces is shorter in the value."""
    written = next((line.text for line in lines if line.text.strip(" ")), "")
    kept = next((line for line in re.split(_BREAK, value) if line.strip(" ")), "")
    return len(written) - len(written.lstrip(" ")) - (len(kept) - len(kept.lstrip(" ")))
