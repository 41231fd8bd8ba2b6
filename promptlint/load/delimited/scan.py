"""Text -> pieces that cover it: literal text, escapes, tags, comments. One scanner for all languages."""

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import NamedTuple

from promptlint.errors import PromptlintError
from promptlint.load.delimited.languages import Delimiter, Language, PieceKind
from promptlint.read.lines import line_columns
from promptlint.read.names import shown

_QUOTED = r"\"(?:\\.|[^\"\\])*+\"|'(?:\\.|[^'\\])*+'|`[^`]*+`|\[[^\[\]\"'`]*+\]"


class Piece(NamedTuple):
    """Characters `start:end` of the text; of a tag, what stands between its delimiters is `inner:stop`."""

    kind: PieceKind
    start: int
    end: int
    inner: int
    stop: int
    ahead: bool = False  # it cuts white space in front of it
    behind: bool = False
    printed: str = ""  # of an escape


class Fault(Exception):
    """What is wrong at a character of the text."""

    def __init__(self, char: int, message: str) -> None:
        super().__init__(message)
        self.char, self.message = char, message


def located(path: str, text: str, fault: Fault) -> PromptlintError:
    """A fault as the user reads it: with line and column."""
    ((line, column),) = line_columns(text, [fault.char])
    return PromptlintError(f"{shown(path)}:{line}:{column}: {fault.message}", "close it, or exclude the file")


def scan(text: str, language: Language, begin: int = 0) -> Iterator[Piece]:
    """The pieces of `text[begin:]`, in order and without a gap. Raises Fault for a delimiter that is not closed."""
    rows, place, done = language.delimiters, begin, begin
    opening = _opening(rows, language.escapes)
    while match := opening.search(text, place):
        start, number = match.start(), match.lastindex
        assert number is not None
        if start > done:
            yield _plain("text", done, start)
        if number > len(rows):
            printed = language.escapes[number - len(rows) - 1][2]
            done = match.end()
            yield _plain("escape", start, done)._replace(printed=printed)
        else:
            row = rows[number - 1]
            for piece in _tag(text, language, row, start, match.end()):
                done = piece.end
                yield piece
            inner = text[match.end() : done]
            if language.changes and row.kind == "tag" and inner.startswith("="):
                rows = _changed(inner, rows, start)
                opening = _opening(rows, language.escapes)
        place = done
    if done < len(text):
        yield _plain("text", done, len(text))


def _plain(kind: PieceKind, start: int, end: int) -> Piece:
    return Piece(kind, start, end, start, end)


@cache
def _opening(rows: tuple[Delimiter, ...], escapes: tuple[tuple[str, str, str], ...]) -> "re.Pattern[str]":
    """What to look for: a group for each row, then one for each escape; no row begins where an escape does."""
    barred = "|".join(re.escape(written) for written, ahead, _ in escapes if not ahead)
    ways = [f"((?!{barred}){row.open})" if barred else f"({row.open})" for row in rows]
    ways += [f"({re.escape(written)}{f'(?={re.escape(ahead)})' if ahead else ''})" for written, ahead, _ in escapes]
    return re.compile("|".join(ways))


@cache
def _close(pattern: str, strings: bool) -> Callable[[str, int], "re.Match[str] | None"]:
    """How the end of a tag is found, from a place inside of it."""
    if not strings:
        return re.compile(f"(?P<close>{pattern})").search
    return re.compile(rf"(?s)(?:(?!{pattern})(?:{_QUOTED}|[^\"'`]))*+(?P<close>{pattern})").match


def _tag(text: str, language: Language, row: Delimiter, start: int, inner: int) -> Iterator[Piece]:
    strings = language.strings and row.kind in ("tag", "print", "statement")
    found = _close(row.close, strings)(text, inner)
    if found is None:
        raise Fault(start, f"{shown(text[start:inner].strip())} is not closed")
    stop, end, mark = found.start("close"), found.end("close"), language.mark
    opening, closing = text[start:inner], text[stop:end]
    ahead = bool(mark) and mark in opening.replace("!--", "")
    behind = bool(mark) and (mark in closing.removeprefix("--"))
    if mark and not behind and row.kind != "raw" and text.startswith(mark, stop - 1) and stop > inner:
        behind = not language.spaced or text[stop - 2].isspace()
        stop -= behind
    piece = Piece(row.kind, start, end, inner, stop, ahead, behind)
    if row.kind == "raw":
        yield from _raw_block(text, piece)
    elif row.kind == "statement" and "raws" in language.words:
        yield from _raw_statement(text, language, piece)
    else:
        yield piece


def _raw_block(text: str, piece: Piece) -> Iterator[Piece]:
    """`{{{{raw}}}} ... {{{{/raw}}}}`"""
    close = text.find("{{{{/", piece.end)
    end = text.find("}}}}", close) + 4 if close >= 0 else 3
    if end == 3:
        raise Fault(piece.start, "the raw block is not closed")
    yield piece._replace(kind="statement")
    if close > piece.end:
        yield _plain("raw", piece.end, close)
    yield Piece("statement", close, end, close + 5, end - 4)


def _raw_statement(text: str, language: Language, piece: Piece) -> Iterator[Piece]:
    """`{% raw %} ... {% endraw %}`; of a comment, the whole is one piece."""
    word = re.match(r"\s*(#|\w*)", text[piece.inner : piece.stop])
    assert word is not None
    if word[1] == "#":
        yield piece._replace(kind="comment")
    elif not language.has("raws", word[1]):
        yield piece
    else:
        end = re.compile(rf"\{{%(-?)\s*end{word[1]}\s*(-?)%\}}").search(text, piece.end)
        if end is None:
            raise Fault(piece.start, f"{word[1]} is not closed")
        if word[1] != "raw":
            yield Piece("comment", piece.start, end.end(), piece.end, end.start(), piece.ahead, bool(end[2]))
            return
        yield piece
        if end.start() > piece.end:
            yield _plain("raw", piece.end, end.start())
        yield Piece("statement", end.start(), end.end(), end.start(), end.start(), bool(end[1]), bool(end[2]))


def _changed(inner: str, rows: tuple[Delimiter, ...], start: int) -> tuple[Delimiter, ...]:
    """The delimiters that `{{=<% %>=}}` sets."""
    words = re.match(r"=\s*([^\s=]+)\s+([^\s=]+)\s*=", inner)
    if words is None:
        raise Fault(start, "two delimiters are due between the equals signs")
    opening, closing = re.escape(words[1]), re.escape(words[2])
    if words[1] == "{{" and words[2] == "}}":
        return (
            Delimiter(r"\{\{!", r"\}\}", "comment"),
            Delimiter(r"\{\{\{", r"\}\}\}", "print"),
            Delimiter(r"\{\{", r"\}\}", "tag"),
        )
    return Delimiter(f"{opening}!", closing, "comment"), Delimiter(opening, closing, "tag")
