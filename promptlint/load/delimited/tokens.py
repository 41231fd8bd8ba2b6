"""What stands between delimiters -> names, texts, numbers and signs, with their places."""

import re
from functools import cache
from typing import Literal, NamedTuple

_STRING = r"\"(?:\\.|[^\"\\])*+\"|'(?:\\.|[^'\\])*+'"
_RAW = r"`[^`]*+`"
_NUMBER = r"-?\d[\d_]*(?:\.\d+)?"


class Token(NamedTuple):
    """Characters `start:end` of the text; of a string, `text` has no quotes."""

    kind: Literal["string", "name", "number", "sign"]
    text: str
    start: int
    end: int


@cache
def _pattern(name: str) -> "re.Pattern[str]":
    return re.compile(rf"(?s)(?P<string>{_STRING}|{_RAW})|(?P<name>{name})|(?P<number>{_NUMBER})|(?P<sign>\S)")


def tokens(text: str, start: int, stop: int, name: str) -> list[Token]:
    """The tokens of `text[start:stop]`; `name` is a regular expression of what counts as one name."""
    found = []
    for match in _pattern(name).finditer(text, start, stop):
        if match.lastgroup == "string":
            found.append(Token("string", match[0][1:-1], match.start(), match.end()))
        elif match.lastgroup == "name":
            found.append(Token("name", match[0], match.start(), match.end()))
        else:
            kind: Literal["number", "sign"] = "number" if match.lastgroup == "number" else "sign"
            found.append(Token(kind, match[0], match.start(), match.end()))
    return found
