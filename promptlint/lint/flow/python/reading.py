"""Python source -> the small language of `code`."""

import ast
import io
import re
import tokenize
import warnings
from collections.abc import Callable, Iterator
from functools import cache

from promptlint.errors import PromptlintError
from promptlint.lint.flow.code import Module, Span
from promptlint.lint.flow.python.statements import block
from promptlint.read.names import shown


def parse(path: str, text: str) -> Module:
    """A module; function bodies are translated when they are asked for.

    Raises PromptlintError for what this Python cannot parse.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of escapes that are not known
            tree = ast.parse(text)
        body = block(tree.body)
    except SyntaxError as error:
        where = f"{shown(path)}:{error.lineno or 1}:{error.offset or 1}"
        raise PromptlintError(
            f"{where}: no Python that can be parsed ({error.msg})", "correct it, or exclude it"
        ) from None
    except (ValueError, RecursionError, MemoryError, OverflowError):
        raise PromptlintError(f"{shown(path)}: no Python that can be parsed", "correct it, or exclude it") from None
    return Module(path, text, "python", body, _chars(text), lambda: tuple(_comments(text)))


def _chars(text: str) -> Callable[[Span], tuple[int, int]]:
    """Spans are (line from 1, byte of the line, last line, its byte), as `ast` has them."""

    @cache
    def starts() -> list[int]:
        # `ast` counts a form feed and other separators of str.splitlines as part of their line.
        return [0, *(match.end() for match in re.finditer(r"\r\n|\r|\n", text))]

    def char(line: int, byte: int) -> int:
        begin = starts()[line - 1]
        end = starts()[line] if line < len(starts()) else len(text)
        row = text[begin:end]
        if row.isascii():
            return begin + byte
        return begin + len(row.encode("utf-8", "surrogatepass")[:byte].decode("utf-8", "surrogatepass"))

    return lambda span: (char(span[0], span[1]), char(span[2], span[3]))


def _comments(text: str) -> Iterator[tuple[int, int]]:
    starts = [0, *(match.end() for match in re.finditer(r"\r\n|\r|\n", text))]
    try:
        # Line ends stay as they are, so that columns are those of the text.
        for token in tokenize.generate_tokens(io.StringIO(text, newline="").readline):
            if token.type == tokenize.COMMENT:
                begin = starts[token.start[0] - 1] + token.start[1]
                yield begin, begin + len(token.string)
    except (tokenize.TokenError, SyntaxError):
        return
