"""The strings of a template's source as tracked strings: every literal knows where it stands."""

import re
from collections.abc import Iterator

from jinja2.lexer import Lexer, Token, newline_re

from promptlint.render.template.pieces import Piece
from promptlint.render.template.tracked import Tracked

ESCAPE = re.compile(r"\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|N\{[^}]*\}|[0-7]{1,3}|[\s\S])")


def as_read(source: str, keep_trailing_newline: bool) -> str:
    """The source as Jinja's lexer reads it: line feeds only, and none at the end."""
    lines = newline_re.split(source)[::2]
    if not keep_trailing_newline and lines[-1] == "":
        del lines[-1]
    return "\n".join(lines)


def tokens(lexer: Lexer, source: str, name: str | None, filename: str | None, state: str | None) -> Iterator[Token]:
    """Jinja's tokens, with the place of each data and string token in `as_read(source)`."""
    raw = list(lexer.tokeniter(source, name, filename, state))
    places = iter(_places(raw, as_read(source, lexer.keep_trailing_newline)))
    for token in lexer.wrap(iter(raw), name, filename):
        if token.type == "data":
            text, at = next(places)
            yield token if at is None else Token(token.lineno, "data", _data(token.value, text, at, name))
        elif token.type == "string":
            text, at = next(places)
            yield (
                token if at is None else Token(token.lineno, "string", _constant(token.value, text[1:-1], at + 1, name))
            )
        else:
            yield token


def decoded(escape: str) -> str:
    """What an escape in a string of a template means; as Jinja does it."""
    return escape.encode("ascii", "backslashreplace").decode("unicode-escape")


def _places(raw: list[tuple[int, str, str]], source: str) -> list[tuple[str, int | None]]:
    """Text and place of each data and string token; between two tokens there is only stripped white space."""
    found: list[tuple[str, int | None]] = []
    place = 0
    for _, kind, text in raw:
        at = source.find(text, place)
        known = at >= place and not source[place:at].strip()
        if known:
            place = at + len(text)
        if kind in ("data", "string"):
            found.append((text, at if known else None))
    return found


def _data(value: str, text: str, at: int, name: str | None) -> str:
    """Text between the tags."""
    return Tracked(value, ((len(text), "template", name, at, None),)) if value and value == text else value


def _constant(value: str, text: str, at: int, name: str | None) -> str:
    """A string in an expression, written as `text` between its quotes."""
    pieces: list[Piece] = []
    place = 0
    for match in ESCAPE.finditer(text):
        pieces.append((match.start() - place, "template", name, at + place, None))
        pieces.append((len(decoded(match[0])), "escape", name, at + match.start(), None))
        place = match.end()
    pieces.append((len(text) - place, "template", name, at + place, None))
    kept = tuple([piece for piece in pieces if piece[0]])
    return Tracked(value, kept) if sum([piece[0] for piece in kept]) == len(value) else value
