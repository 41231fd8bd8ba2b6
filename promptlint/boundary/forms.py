"""Same meaning, other bytes: labels that are proved by one normalisation, never by resemblance."""

import re
from collections.abc import Callable
from typing import NamedTuple

from promptlint.prompt import Json, Number
from promptlint.read.json_text import parse_string

ASCII_SPACE = r"[ \t\n\r\f\v]+"
_OUTSIDE_STRINGS = r'("(?:[^"\\]|\\.)*")|[ \t\n\r]+'
_EXTRA_IGNORABLE = "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u3164\uffa0"
_NO_BREAK = str.maketrans({"\u00a0": " ", "\u202f": " ", "\u2007": " "})
_DECIMAL = r"-?\d+(?:\.\d+)?(?:[eE][-+]?\d{1,4})?\Z"
_LONGEST_JSON_TEXT = 1 << 24  # characters; a longer string is compared as text


class Form(NamedTuple):
    """A label whose normalisation makes both texts equal, and how to say so."""

    cause: str
    message: str


def text_form(old: str, new: str) -> Form | None:
    """The label of two different texts that one normalisation makes equal, or None."""
    if _unix_lines(old) == _unix_lines(new):
        return Form("line-endings", f"line breaks differ: {_breaks(old)} became {_breaks(new)}")
    for cause, message, change in _TEXT_FORMS:
        if change(old) == change(new):
            return Form(cause, message)
    return _json_form(old, new) or _markup_form(old, new)


def _unix_lines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def _breaks(text: str) -> str:
    crlf = text.count("\r\n")
    found = {"CR LF": crlf, "LF": text.count("\n") - crlf, "CR": text.count("\r") - crlf}
    return " and ".join(name for name, count in found.items() if count) or "no line break"


def _visible(text: str) -> str:
    """Without format and default-ignorable characters; no-break spaces become spaces."""
    if text.isascii():
        return text
    from unicodedata import category

    kept = "".join(c for c in text if c.isascii() or (category(c) != "Cf" and not _ignorable(c)))
    return kept.translate(_NO_BREAK)


def _ignorable(char: str) -> bool:
    return char in _EXTRA_IGNORABLE or "\ufe00" <= char <= "\ufe0f" or "\U000e0000" <= char <= "\U000e0fff"


def _normal(form: str) -> Callable[[str], str]:
    def change(text: str) -> str:
        if text.isascii():
            return text
        from unicodedata import normalize

        return normalize(form, text)  # type: ignore[arg-type]

    return change


def _one_space(text: str) -> str:
    return re.sub(ASCII_SPACE, " ", text).strip(" ")


def _no_space(text: str) -> str:
    return re.sub(ASCII_SPACE, "", text)


_TEXT_FORMS: tuple[tuple[str, str, Callable[[str], str]], ...] = (
    ("unicode-form", "composed and decomposed characters (equal under NFC)", _normal("NFC")),
    ("invisible-character", "an invisible character came or went", _visible),
    ("white-space", "white space differs, the words are equal", _one_space),
    ("white-space", "white space differs, the characters are equal", _no_space),
    (
        "invisible-character",
        "an invisible character stands where white space was",
        lambda text: _no_space(_visible(text)),
    ),
    ("unicode-form", "compatibility characters (equal under NFKC)", _normal("NFKC")),
)


def _json_form(old: str, new: str) -> Form | None:
    """Both texts are JSON and hold the same data."""
    if not (_json_like(old) and _json_like(new)):
        return None
    try:
        x, y = parse_string(old), parse_string(new)
    except ValueError:
        return None
    if not isinstance(x, dict | list) or not isinstance(y, dict | list):
        return None
    if ordered(x) == ordered(y):
        if re.sub(_OUTSIDE_STRINGS, r"\1", old) == re.sub(_OUTSIDE_STRINGS, r"\1", new):
            return Form("white-space", "the same JSON text with other white space")
        return Form("escape-form", "the same JSON data with other escapes")
    if (form := value_form(x, y)) is None and _sorted_lists(x) == _sorted_lists(y):
        return Form("list-order", "the same JSON entries in another order")
    return form


def _json_like(text: str) -> bool:
    return len(text) <= _LONGEST_JSON_TEXT and text.lstrip()[:1] in ("{", "[") and text.rstrip()[-1:] in ("}", "]")


def _markup_form(old: str, new: str) -> Form | None:
    if "&" not in old and "&" not in new:
        return None
    from html import unescape

    if unescape(old) == unescape(new):
        return Form("escape-form", "the same text with other XML or HTML escapes")
    return None


def value_form(old: Json, new: Json) -> Form | None:
    """The label of two JSON values that hold the same data, or None."""
    if sorted_keys(old) == sorted_keys(new):
        return Form("key-order", "the same keys and values in another order")
    if ordered(old, numeric=True) == ordered(new, numeric=True):
        return Form("number-form", "the same numbers written otherwise")
    return None


def _sorted_lists(value: Json) -> str:
    """A value in which neither the order of keys nor that of entries counts, as text."""
    if isinstance(value, dict):
        return "{" + ",".join(f"{key!r}:{_sorted_lists(value[key])}" for key in sorted(value)) + "}"
    if isinstance(value, list):
        return "[" + ",".join(sorted(map(_sorted_lists, value))) + "]"
    return repr(value)


def ordered(value: Json, *, numeric: bool = False) -> object:
    """A value in which the order of keys counts; with `numeric`, equal numbers are equal however written."""
    if isinstance(value, dict):
        return ("{", *((key, ordered(item, numeric=numeric)) for key, item in value.items()))
    if isinstance(value, list):
        return ("[", *(ordered(item, numeric=numeric) for item in value))
    if isinstance(value, Number):
        return ("#", number(value.text) if numeric else value.text)
    return value if isinstance(value, str) else (value,)


def sorted_keys(value: Json) -> object:
    """A value in which the order of keys does not count."""
    if isinstance(value, dict):
        return ("{", *((key, sorted_keys(value[key])) for key in sorted(value)))
    if isinstance(value, list):
        return ("[", *(sorted_keys(item) for item in value))
    return ordered(value)


def number(text: str) -> object:
    """A number that compares by value: `2.50` equals `2.5`. Text that is no plain number stays text."""
    if not re.match(_DECIMAL, text) or len(text) > 400:
        return text
    from decimal import Decimal

    return Decimal(text)
