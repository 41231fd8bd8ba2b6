"""Values written as JSON or as Python prints them, with the origin of every part."""

import json
import re
from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import Any, NamedTuple

from jinja2.utils import htmlsafe_json_dumps
from markupsafe import escape

from promptlint.prompt import Path
from promptlint.render.template.pieces import Piece
from promptlint.render.template.tracked import Tracked, checked, concat, pieces_of, slices

_HTML = re.compile("[&<>'\"]")
_JSON = re.compile(r'["\\\x00-\x1f]')
_JSON_ASCII = re.compile(r"[^ !#-\[\]-~]")
_JSON_HTML = re.compile(r"[^ !#-%(-;=?-\[\]-~]")
_PYTHON = re.compile(r"[\\'\"]|[^ -~]")


class Style(NamedTuple):
    """How a value is written."""

    special: re.Pattern[str]  # characters that a string may spell in another way
    spell: Callable[[str, str], str]  # such a character, and the quote around its string
    quote: Callable[[str], str]  # a whole string
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
    """The chat templates' `tojson`: json.dumps without HTML escapes."""
    text = json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)
    item, key = separators or (", " if indent is None else ",", ": ")
    style = Style(
        _JSON_ASCII if ensure_ascii else _JSON,
        lambda character, _: json.dumps(character, ensure_ascii=ensure_ascii)[1:-1],
        lambda string: json.dumps(string, ensure_ascii=ensure_ascii),
        json.dumps,
        " " * indent if isinstance(indent, int) else indent,
        item,
        key,
        sort_keys,
    )
    return _written(value, text, style, "tojson")


def html_tojson(value: Any, text: str, indent: int | None) -> str:
    """`text`, which is how Jinja's own `tojson` writes `value`: sorted, ASCII, safe inside HTML."""

    def safe(string: str) -> str:
        return str.__str__(htmlsafe_json_dumps(string))

    style = Style(
        _JSON_HTML,
        lambda character, _: safe(character)[1:-1],
        safe,
        json.dumps,
        " " * indent if indent else None,
        "," if indent else ", ",
        sort=True,
    )
    return _written(value, text, style, "tojson")


def representation(value: Any) -> str:
    """A list, dict or tuple as Python prints it."""
    return _written(value, repr(value), Style(_PYTHON, _spelled_by_python, repr, repr, quoted_keys=False), "")


def escaped(text: str) -> str:
    """A text as Markup escapes it."""
    return concat(_respelled(text, _HTML, lambda character: str.__str__(escape(character))))


def place_of(value: Any) -> Path | None:
    """Where a value of the variables stands; None for one that the template made."""
    if isinstance(value, str):
        sources = {piece[2] if piece[1] in ("value", "changed", "spelled") else None for piece in pieces_of(value)}
        return next(iter(sources)) if len(sources) == 1 else None
    return getattr(value, "_path", None) if isinstance(value, dict | list | int | float) else None


def _written(value: Any, text: str, style: Style, name: str) -> str:
    """`text`, which is how Python writes `value`, with the origins of its parts; `name` made what has no path."""
    path = place_of(value)
    around = ("call", name) if name else ("unknown", None)
    tracked = checked(text, lambda: concat(_parts(value, path, style, around, "\n")))
    if type(tracked) is Tracked or path is None or not text:
        return tracked
    return Tracked(text, ((len(text), "serialised", path, None, None),))


def _parts(value: Any, path: Path | None, style: Style, around: tuple[str, str | None], line: str) -> Iterable[str]:
    """The written value, part by part. `line`: the line feed and indent before its own closing bracket."""

    def mark(text: str) -> Tracked:
        kind, source = around if path is None else ("serialised", path)
        return Tracked(text, ((len(text), kind, source, None, None),) if text else ())

    if isinstance(value, str):
        yield from _string(value, mark, style)
    elif isinstance(value, dict):
        inner = "" if style.indent is None else line + style.indent
        yield mark("{")
        separator = inner
        for key, item in sorted(value.items()) if style.sort else value.items():
            yield mark(separator)
            if isinstance(key, str):
                yield from _string(key, mark, style)
            else:
                yield mark(f'"{style.scalar(key)}"' if style.quoted_keys else style.scalar(key))
            yield mark(style.key)
            yield from _parts(item, _inside(item, path, key), style, around, inner)
            separator = style.item + inner
        yield mark(line + "}" if value and style.indent is not None else "}")
    elif isinstance(value, list | tuple):
        inner = "" if style.indent is None else line + style.indent
        yield mark("[")
        separator = inner
        for index, item in enumerate(value):
            yield mark(separator)
            yield from _parts(item, _inside(item, path, index), style, around, inner)
            separator = style.item + inner
        yield mark(line + "]" if value and style.indent is not None else "]")
    else:
        yield mark(style.scalar(value))


def _inside(item: Any, path: Path | None, step: Any) -> Path | None:
    """Where a member of the object or array at `path` stands; one that knows its own place may come from elsewhere."""
    own = place_of(item)
    if own is not None or path is None:
        return own
    return (*path, str.__str__(step) if isinstance(step, str) else step)


def _string(text: str, mark: Callable[[str], Tracked], style: Style) -> Iterable[str]:
    whole = style.quote(text)
    yield mark(whole[0])
    if len(whole) == len(text) + 2:
        yield text
    else:
        yield from _respelled(text, style.special, lambda character: style.spell(character, whole[0]))
    yield mark(whole[-1])


def _respelled(text: str, special: re.Pattern[str], spell: Callable[[str], str]) -> Iterable[str]:
    """`text` with each special character spelt anew."""
    if type(text) is not Tracked:
        text = Tracked(text)
    found = [(match.start(), spell(match[0])) for match in special.finditer(text)]
    edges = [0, *(edge for at, _ in found for edge in (at, at + 1)), len(text)]
    parts = slices(text, pairwise(edges))
    yield parts[0]
    for index, (_, spelling) in enumerate(found):
        character = parts[2 * index + 1]
        yield (
            character if spelling == character else Tracked(spelling, _spelling(len(spelling), pieces_of(character)[0]))
        )
        yield parts[2 * index + 2]


def _spelling(length: int, piece: Piece) -> tuple[Piece, ...]:
    """The piece of a spelling of one character."""
    _, kind, source, char, line = piece
    if kind in ("value", "spelled", "changed"):
        return ((length, "spelled", source, char, line),)
    if kind == "key":
        return ((length, "serialised", source, None, line),)
    return ((length, "unknown", None, None, line),)


def _spelled_by_python(character: str, quote: str) -> str:
    if character in "'\"":
        return f"\\{character}" if character == quote else character
    return repr(character)[1:-1]
