"""The tokens of a template, with the place of each in its file."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from jinja2 import TemplateSyntaxError
from jinja2.lexer import Lexer

from promptlint.errors import PromptlintError
from promptlint.read.names import shown
from promptlint.template import SourceRange

_MOST = 150_000  # tokens of one file; the largest chat templates have 5,000
_OPENING = {"(": ")", "[": "]", "{": "}"}
_BEGIN = ("variable_begin", "block_begin", "raw_begin", "raw_end")


class Tokens(NamedTuple):
    """The tokens of one file without white space and comments, by number; the lists grow while Jinja reads them.

    Places count in `read`: the text with line feeds only, which is what Jinja reads.
    """

    file: int
    path: str
    text: str
    read: str
    two: list[int]  # places of line feeds that are CR LF in the file
    kinds: list[str]
    values: list[str]
    starts: list[int]
    ends: list[int]  # without the white space that a tag takes away behind it
    partners: dict[int, int]  # a bracket -> its partner
    tags: list[int]  # tokens that begin a tag
    closes: dict[int, int]  # the first token of a tag -> its last
    comments: list[SourceRange]
    breakpoints: dict[int, str]  # a token that stands for a breakpoint's comment -> what the comment says

    def source(self, start: int, end: int) -> SourceRange:
        """The range of `read[start:end]` in the file."""
        if self.two:
            start += bisect_left(self.two, start)
            end += bisect_left(self.two, end)
        return SourceRange(self.file, start, end)

    def range(self, first: int, last: int) -> SourceRange:
        """From the start of one token to the end of another."""
        return self.source(self.starts[first], self.ends[last])

    def tag(self, token: int) -> tuple[int, int]:
        """First and last token of the tag in which a token stands."""
        first = self.tags[bisect_right(self.tags, token) - 1]
        return first, self.closes[first]

    def line(self, token: int) -> int:
        """The line of a token, from 1."""
        place = self.starts[token] if token < len(self.starts) else len(self.read)
        return self.read.count("\n", 0, place) + 1

    def written(self, found: SourceRange) -> str:
        """The characters of a range, as they stand in the file."""
        return self.text[found.start : found.end]


def empty(file: int, path: str, text: str) -> Tokens:
    """The tokens of a file of which nothing is read yet."""
    read, two = text, []
    if "\r" in text:
        read = text.replace("\r\n", "\n").replace("\r", "\n")
        two = [match.start() - skipped for skipped, match in enumerate(re.finditer("\r\n", text))]
    return Tokens(file, path, text, read, two, [], [], [], [], {}, [], {}, [], {})


def numbered(lexer: Lexer, tokens: Tokens) -> Iterator[tuple[int, str, str]]:
    """Jinja's raw tokens with their number in the place of their line; fills `tokens`."""
    place, comment = 0, ("", 0)
    brackets: list[int] = []
    raw = lexer.tokeniter(tokens.read, None)
    while True:
        try:
            _, kind, value = next(raw)
        except StopIteration:
            return
        except TemplateSyntaxError as error:
            raise failure(tokens, error.lineno, error.message or "it cannot be read") from None
        # Between two tokens there is only white space that a tag takes away, and what follows it is that tag.
        start = place if tokens.read.startswith(value, place) else tokens.read.find(value, place)
        place = start + len(value)
        if kind == "whitespace":
            continue
        if kind.startswith("comment"):
            if kind == "comment_begin":
                comment = ("", start)
            elif kind == "comment":
                comment = (value, comment[1])
            else:
                found = tokens.source(comment[1], start + len(value.rstrip()))
                tokens.comments.append(found)
                if "breakpoint" in comment[0] and re.match(r"\s*promptlint:\s*breakpoint\b", comment[0]):
                    tokens.breakpoints[len(tokens.kinds)] = comment[0]
                    _add(tokens, "data", "", comment[1], start + len(value.rstrip()))
                    yield len(tokens.kinds) - 1, "data", " "
            continue
        number = len(tokens.kinds)
        if number >= _MOST:
            raise failure(
                tokens, tokens.line(number), f"it is too long: more than {_MOST:,} names, operators and texts"
            )
        _add(tokens, kind, value, start, start + len(value if kind == "data" else value.rstrip()))
        if kind == "operator":
            if value in _OPENING:
                brackets.append(number)
            elif value in ")]}" and brackets:
                tokens.partners[number] = brackets[-1]
                tokens.partners[brackets.pop()] = number
        elif kind in _BEGIN:
            tokens.tags.append(number)
            tokens.closes[number] = number
        elif kind in ("variable_end", "block_end"):
            tokens.closes[tokens.tags[-1]] = number
        yield number, kind, value


def failure(tokens: Tokens, line: int, reason: str) -> PromptlintError:
    """The error of a template that cannot be read."""
    return PromptlintError(f"{shown(tokens.path)}:{line}: {reason.rstrip('.')}")


def _add(tokens: Tokens, kind: str, value: str, start: int, end: int) -> None:
    tokens.kinds.append(kind)
    tokens.values.append(value)
    tokens.starts.append(start)
    tokens.ends.append(end)
