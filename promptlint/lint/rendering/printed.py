"""Where in a template's files a character of its text is printed, and which tag decides that it is."""

import re
from bisect import bisect_right
from collections.abc import Sequence
from functools import cached_property

from promptlint.lint.rendering.tags import Tag, around, tag_around, tag_from, tags
from promptlint.prompt import Origin, Rendering
from promptlint.template import SourceRange, TemplateFile

_LINE_END = r"\r\n|\r|\n"  # as Jinja reads them
_LONGEST_TOKEN = 24  # characters


class Source:
    """One file of a template; what is asked of it is worked out once."""

    def __init__(self, file: TemplateFile) -> None:
        self.path, self.text = file.path, file.text

    @cached_property
    def lines(self) -> list[int]:
        """Where each line begins, and the end of the text."""
        return [0, *(match.end() for match in re.finditer(_LINE_END, self.text)), len(self.text) + 1]

    @cached_property
    def tags(self) -> list[Tag]:
        """Its tags, in order."""
        return tags(self.text)

    def offset(self, line: int, column: int) -> int:
        """The character at a line and column, both from 1."""
        return min(self.lines[min(line, len(self.lines) - 1) - 1] + column - 1, len(self.text))

    def line_end(self, char: int) -> int:
        """Where the line of a character ends, without its line feed."""
        return self.lines[bisect_right(self.lines, char)] - 1 if char < len(self.text) else len(self.text)


Sources = Sequence[Source]
"""The files of a template; the first is the one that was named."""


def sources(files: Sequence[TemplateFile]) -> Sources:
    """The files of a template, to be asked for places."""
    return [Source(file) for file in files]


def origin_of(found: Rendering, char: int) -> Origin | None:
    """The origin of a character, or of the last one of the text."""
    number = bisect_right(found.origins, char, key=lambda origin: origin.start) - 1
    return found.origins[number] if number >= 0 else None


def token_start(text: str, char: int) -> int:
    """The begin of the `<tag` or `[TAG` that a character lies in; else the character itself."""
    begun = re.search(r"[<\[]/?[\w|]*$", text[max(char - _LONGEST_TOKEN, 0) : char])
    return char if begun is None else char - len(begun[0])


def place(found: Rendering, char: int, files: Sources) -> SourceRange | None:
    """The text, the call or the `{{ ... }}` of a template that prints a character; None where that is not known."""
    number = bisect_right(found.origins, char, key=lambda origin: origin.start) - 1
    if number < 0 or char >= len(found.text):
        return None
    origin = found.origins[number]
    if origin.kind == "template":
        return _literal(found, origin, char, files)
    before = _literal_before(found, number, files)
    if origin.line is None:
        return _next_tag(before, files)
    source = files[0]
    first = source.offset(origin.line, 1)
    last = source.line_end(first)
    if origin.kind == "call" and (called := _call(source, origin.name, first, last)):
        return SourceRange(0, *called)
    start = before.end if before is not None and before.file == 0 and first <= before.end <= last else first
    tag = tag_from(source.tags, start, last + 1) or tag_from(source.tags, first, last + 1)
    if tag is not None:
        return SourceRange(0, tag.start, tag.end)
    return SourceRange(0, first, max(last, first + 1))


def _literal(found: Rendering, origin: Origin, char: int, files: Sources) -> SourceRange | None:
    """Literal text from a character on: as far as its line goes, or the expression that it is part of."""
    number = _file(origin.name, files)
    if number is None or origin.line is None or origin.column is None:
        return None
    source = files[number]
    ahead = found.text[origin.start : char]
    feeds = ahead.count("\n")
    column = len(ahead) - ahead.rfind("\n") if feeds else origin.column + len(ahead)
    start = source.offset(origin.line + feeds, column)
    printed = found.text[char : origin.end]
    if not source.text.startswith(printed[:1], start):  # an escape
        start, printed = source.offset(origin.line, origin.column), "\\n"
    end = start + len(printed)
    if (tag := tag_around(source.tags, start)) is not None:
        end = tag.end
    return SourceRange(number, start, max(min(end, source.line_end(start)), start + 1))


def _literal_before(found: Rendering, number: int, files: Sources) -> SourceRange | None:
    """The end of the literal text that is printed ahead of an origin, if that is known."""
    if number == 0 or found.origins[number - 1].kind != "template":
        return None
    origin = found.origins[number - 1]
    last = _literal(found, origin, origin.end - 1, files)
    return None if last is None else last._replace(end=last.start + 1)


def _next_tag(before: SourceRange | None, files: Sources) -> SourceRange | None:
    """What prints behind literal text of a file that is included: values there have no line."""
    if before is None:
        return None
    tag = tag_from(files[before.file].tags, before.end, len(files[before.file].text))
    return None if tag is None else SourceRange(before.file, tag.start, tag.end)


def _file(name: str, files: Sources) -> int | None:
    """The number of the file that a template names so."""
    if not name:
        return 0
    wanted = "/" + name.replace("\\", "/").lstrip("./")
    return next(
        (n for n, file in enumerate(files) if n and ("/" + file.path.replace("\\", "/")).endswith(wanted)), None
    )


def calls_on_line(source: Source, name: str, line: int) -> list[tuple[int, int]]:
    """Every call of a function on a line, from its name to its closing bracket."""
    first = source.offset(line, 1)
    last = source.line_end(first)
    found = []
    while called := _call(source, name, first, last):
        found.append(called)
        first = called[1]
    return found


def _call(source: Source, name: str, first: int, last: int) -> tuple[int, int] | None:
    match = re.compile(rf"\b{re.escape(name)}\s*\(").search(source.text, first, last)
    if match is None:
        return None
    depth, at = 1, match.end()
    for found in re.compile(r""""[^"\n]*"|'[^'\n]*'|[()]""").finditer(
        source.text, at, min(at + 2000, len(source.text))
    ):
        depth += {"(": 1, ")": -1}.get(found[0], 0)
        if not depth:
            return match.start(), found.end()
    return match.start(), match.end()


def deciding(one: SourceRange | None, other: SourceRange | None, files: Sources) -> SourceRange | None:
    """The condition that chooses the first of two places of one file; None where it is not one for sure."""
    if one is None or other is None or one.file != other.file:
        return None
    found = files[one.file].tags
    way, past = around(found, one.start), around(found, other.start)
    at = next((n for n, (a, b) in enumerate(zip(way, past, strict=False)) if a != b), min(len(way), len(past)))
    if at >= len(way) or way[at].chosen.word not in ("if", "elif", "else"):
        return None
    is_alternative = at < len(past) and way[at].opened == past[at].opened
    if not is_alternative and not (at + 1 == len(way) and _is_passed(one, other, found)):
        return None
    chosen = way[at].chosen
    return SourceRange(one.file, chosen.start, chosen.end)


def _is_passed(one: SourceRange, other: SourceRange, found: Sequence[Tag]) -> bool:
    """Whether what stands in a condition was left out on the way to another place: a value may be used far behind."""
    tag = tag_around(found, one.start)
    return one.start < other.start and (tag is None or not tag.word)


def looping(at: SourceRange, files: Sources) -> SourceRange | None:
    """The tag of the outermost loop that prints a place."""
    blocks = around(files[at.file].tags, at.start)
    opened = next((block.opened for block in blocks if block.opened.word == "for"), None)
    return None if opened is None else SourceRange(at.file, opened.start, opened.end)
