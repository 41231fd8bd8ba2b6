"""Values written as JSON or as Python prints them, with the origin of every part."""

import json
import re
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from json.encoder import encode_basestring, encode_basestring_ascii
from typing import Any, NamedTuple

from jinja2.utils import htmlsafe_json_dumps
from markupsafe import escape

from promptlint.prompt import Path
from promptlint.render.template.pieces import Piece, Pieces, cut
from promptlint.render.template.tracked import Tracked, checked, pieces_of

_HTML = re.compile("[&<>'\"]")
_JSON = re.compile(r'["\\\x00-\x1f]')
_JSON_ASCII = re.compile(r"[^ !#-\[\]-~]")
_JSON_HTML = re.compile(r"[^ !#-%(-;=?-\[\]-~]")
_PYTHON = re.compile(r"[\\'\"]|[^ -~]")


class Style(NamedTuple):
    """How a value is written."""

    quote: Callable[[str], str]  # a whole string
    special: re.Pattern[str]  # characters that it may spell in another way
    spelled: Callable[[str, str], int]  # how long the spelling of one of them is, given the quote around the string
    scalar: Callable[[Any], str]
    indent: str | None = None
    item: str = ", "
    key: str = ": "
    sort: bool = False
    quoted_keys: bool = True  # a key that is a number is written as a string


def tojson(
    value: Any,
    ensure_ascii: bool = False,
    indent: int | str | None = None,
    separators: tuple[str, str] | None = None,
    sort_keys: bool = False,
) -> str:
    """The chat templates' `tojson`: json.dumps without escapes for HTML."""
    text = json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)
    style = _json_style(ensure_ascii, indent, separators, sort_keys, json.dumps)
    return _written(value, text, style, "tojson")


def tojson_of_llama_cpp(
    value: Any,
    ensure_ascii: bool = False,
    indent: int | str | None = None,
    separators: tuple[str, str] | None = None,
    sort_keys: bool = False,
) -> str:
    """`tojson` as llama.cpp's Jinja writes: floats with six digits, 1.0 as 1."""
    return _Writer(_json_style(ensure_ascii, indent, separators, sort_keys, _six_digits), ("call", "tojson")).whole(
        value
    )


def _six_digits(value: Any) -> str:
    return f"{float(value):g}" if isinstance(value, float) else json.dumps(value)


def _json_style(
    ensure_ascii: bool,
    indent: int | str | None,
    separators: tuple[str, str] | None,
    sort_keys: bool,
    scalar: Callable[[Any], str],
) -> Style:
    item, key = separators or (", " if indent is None else ",", ": ")
    quote = encode_basestring_ascii if ensure_ascii else encode_basestring
    return Style(
        quote,
        _JSON_ASCII if ensure_ascii else _JSON,
        lambda character, _: len(quote(character)) - 2,
        scalar,
        " " * indent if isinstance(indent, int) else indent,
        item,
        key,
        sort_keys,
    )


def html_tojson(value: Any, text: str, indent: int | None) -> str:
    """`text`, which is how Jinja's own `tojson` writes `value`: sorted, ASCII, safe inside HTML."""
    style = Style(
        _html_quoted,
        _JSON_HTML,
        lambda character, _: len(_html_quoted(character)) - 2,
        json.dumps,
        " " * indent if indent else None,
        "," if indent else ", ",
        sort=True,
    )
    return _written(value, text, style, "tojson")


def representation(value: Any) -> str:
    """A list, dict or tuple as Python prints it."""
    return _written(value, repr(value), Style(repr, _PYTHON, _spelled_by_python, repr, quoted_keys=False), "")


def escaped(text: str) -> str:
    """A text as Markup escapes it."""
    return Tracked(
        str.__str__(escape(str.__str__(text))),
        _respelled(text, _HTML, lambda character: len(escape(character))),
    )


def place_of(value: Any) -> Path | None:
    """Where a value of the variables stands; None for one that the template made."""
    if isinstance(value, str):
        pieces = pieces_of(value)
        path: Path | None = pieces[0][2] if pieces and pieces[0][1] in ("value", "changed", "spelled") else None
        return path if len(pieces) == 1 or all(piece[2] == path for piece in pieces) else None
    return getattr(value, "_path", None) if isinstance(value, dict | list | int | float) else None


def _written(value: Any, text: str, style: Style, name: str) -> str:
    """`text`, which is how Python writes `value`, with the origins of its parts; `name` made what has no path."""
    path = place_of(value)
    tracked = checked(text, lambda: _Writer(style, ("call", name) if name else ("unknown", None)).whole(value))
    if type(tracked) is Tracked or path is None or not text:
        return tracked
    return Tracked(text, ((len(text), "serialised", path, None, None),))


class _Writer:
    """Collects the text of a value and the pieces of that."""

    def __init__(self, style: Style, maker: tuple[str, str | None]) -> None:
        self._style = style
        self._maker = maker  # kind and source of what has no path
        self._texts: list[str] = []
        self._pieces: list[Piece] = []

    def whole(self, value: Any) -> Tracked:
        """The value, written."""
        self._value(value, place_of(value), "\n")
        return Tracked("".join(self._texts), tuple(self._pieces))

    def _value(self, value: Any, path: Path | None, line: str) -> None:
        """`line`: the line feed and indent before its own closing bracket."""
        if isinstance(value, str):
            self._string(value, path)
        elif isinstance(value, dict):
            self._object(value, path, line)
        elif isinstance(value, list | tuple):
            inner = self._open("[", path, line)
            separator = inner
            for index, item in enumerate(value):
                self._mark(separator, path)
                self._value(item, _inside(item, path, index), inner)
                separator = self._style.item + inner
            self._mark(line + "]" if value and inner else "]", path)
        else:
            self._mark(self._style.scalar(value), path)

    def _object(self, value: dict[Any, Any], path: Path | None, line: str) -> None:
        inner = self._open("{", path, line)
        separator = inner
        for key, item in sorted(value.items()) if self._style.sort else value.items():
            self._mark(separator, path)
            if isinstance(key, str):
                self._string(key, path)
            else:
                scalar = self._style.scalar(key)
                self._mark(f'"{scalar}"' if self._style.quoted_keys else scalar, path)
            self._mark(self._style.key, path)
            self._value(item, _inside(item, path, key), inner)
            separator = self._style.item + inner
        self._mark(line + "}" if value and inner else "}", path)

    def _open(self, bracket: str, path: Path | None, line: str) -> str:
        """Write the bracket; give the line feed and indent of what stands inside."""
        self._mark(bracket, path)
        return "" if self._style.indent is None else line + self._style.indent

    def _string(self, text: str, path: Path | None) -> None:
        style = self._style
        whole = style.quote(text)
        self._mark(whole[0], path)
        self._texts.append(whole[1:-1])
        if len(whole) == len(text) + 2:
            self._pieces += pieces_of(text)
        else:
            self._pieces += _respelled(text, style.special, lambda character: style.spelled(character, whole[0]))
        self._mark(whole[-1], path)

    def _mark(self, text: str, path: Path | None) -> None:
        """What belongs to the value at `path` as a whole."""
        if not text:
            return
        self._texts.append(text)
        kind, source = self._maker if path is None else ("serialised", path)
        length = len(text)
        if self._pieces and self._pieces[-1][1] == kind and self._pieces[-1][2] is source:
            length += self._pieces.pop()[0]
        self._pieces.append((length, kind, source, None, None))


def _inside(item: Any, path: Path | None, step: Any) -> Path | None:
    """Where a member of the object or array at `path` stands; one that knows its own place may come from elsewhere."""
    own = place_of(item)
    if own is not None or path is None:
        return own
    return (*path, str.__str__(step) if isinstance(step, str) else step)


def _respelled(text: str, special: re.Pattern[str], spelled: Callable[[str], int]) -> Pieces:
    """The pieces of `text` where each special character is spelled anew, in so many characters."""
    length_of = cache(spelled)
    found = [(match.start(), length) for match in special.finditer(text) if (length := length_of(match[0])) != 1]
    edges = [0, *(edge for at, _ in found for edge in (at, at + 1)), len(text)]
    parts = cut(pieces_of(text), pairwise(edges))
    done = [*parts[0]]
    for index, (_, length) in enumerate(found):
        done.append(_spelling(length, parts[2 * index + 1][0]))
        done += parts[2 * index + 2]
    return tuple(done)


def _spelling(length: int, piece: Piece) -> Piece:
    """The piece of a spelling of one character."""
    _, kind, source, char, line = piece
    if kind in ("value", "spelled", "changed"):
        return length, "spelled", source, char, line
    return (length, "serialised", source, None, line) if kind == "key" else (length, "unknown", None, None, line)


def _html_quoted(text: str) -> str:
    return str.__str__(htmlsafe_json_dumps(str.__str__(text)))


def _spelled_by_python(character: str, quote: str) -> int:
    if character in "'\"":
        return 2 if character == quote else 1
    return len(repr(character)) - 2
