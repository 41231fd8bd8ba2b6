"""JSON text -> values, by the C scanner, with every fault a clear message."""

import functools
import re
from json import JSONDecodeError, JSONDecoder
from typing import Any

from promptlint.errors import PromptlintError
from promptlint.prompt import CharIndex, Document, Json, Number, Path, Spot
from promptlint.read.lines import locations
from promptlint.read.names import shown
from promptlint.read.places import pointer, resolve
from promptlint.read.surrogates import escapes_surrogates, mend

MAX_DEPTH = 256
"""Containers within containers. Walks that spend three Python frames on a level stay below the limit of 1,000."""

_NOTED = 3  # places named in a note; the others are counted
_REMEMBERED = 1000  # duplicate keys whose place is looked for
_EXPECTED = {
    "Expecting value": "a value",
    "Expecting ',' delimiter": "a comma or a closing bracket",
    "Expecting ':' delimiter": "a colon",
    "Expecting property name enclosed in double quotes": "a key in double quotes",
    "Illegal trailing comma": "no comma before the closing bracket",
}
_FAULTS = {
    "Unterminated string": "the string that begins here has no closing quote",
    "Invalid control character": "a raw control character in a string; JSON writes it as an escape such as \\n",
    "Invalid \\": "not an escape that JSON knows",
    "Extra data": "the JSON value has ended, but text follows",
}
_CONSTANT = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|(NaN|-?Infinity)', re.DOTALL)


class _NotANumber(ValueError):
    """NaN or Infinity, which Python reads and JSON does not know."""


def parse(document: Document) -> tuple[Json, tuple[str, ...]]:
    """The value of a document, with numbers as they were sent, and notes for the reader.

    Of duplicate keys the last counts, and a lone surrogate becomes U+FFFD; notes say where. Raises PromptlintError
    with line and column for what is not JSON or nested deeper than MAX_DEPTH.
    """
    repeated: list[tuple[dict[str, Json], str]] = []

    def members(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
        found = dict(pairs)
        if len(found) != len(pairs) and len(repeated) < _REMEMBERED:
            repeated.append((found, _repeated_key(pairs)))
        return found

    number = functools.cache(Number)
    decoder = JSONDecoder(
        object_pairs_hook=members, parse_int=number, parse_float=number, parse_constant=_refuse_constant
    )
    try:
        value: Json = decoder.decode(document.text)
    except JSONDecodeError as error:
        raise _syntax_error(document, error) from None
    except _NotANumber as error:
        raise _constant_error(document, str(error)) from None
    except RecursionError:
        raise _depth_error(document) from None
    if too_deep(value):
        raise _depth_error(document)
    notes = _duplicate_notes(document, value, repeated) if repeated else []
    if escapes_surrogates(document.text):
        value, mended_paths = mend(value)
        notes += _surrogate_notes(mended_paths)
    return value, tuple(notes)


def parse_string(text: str) -> Json:
    """The value of JSON text inside a string. Raises ValueError, and nothing else, if it is not JSON."""
    try:
        value: Json = _PLAIN.decode(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if too_deep(value):
        raise ValueError("nested too deeply")
    return mend(value)[0] if escapes_surrogates(text) else value


def _refuse_constant(name: str) -> Json:
    raise _NotANumber(name)


_PLAIN = JSONDecoder(parse_int=Number, parse_float=Number, parse_constant=_refuse_constant)


def too_deep(value: Json) -> bool:
    """Whether containers are nested more than MAX_DEPTH levels. Breadth first: no recursion."""
    level: list[Any] = [value]
    for _ in range(MAX_DEPTH):
        level = [
            child
            for parent in level
            for child in (parent.values() if type(parent) is dict else parent if type(parent) is list else ())
            if type(child) is dict or type(child) is list
        ]
        if not level:
            return False
    return True


def _name(document: Document) -> str:
    return shown(f"{document.revision}:{document.path}" if document.revision is not None else document.path)


def _place(document: Document, char: int) -> str:
    (location,) = locations(document, [(char, char)])
    return f"{_name(document)}:{location.line}:{location.column}"


def _syntax_error(document: Document, error: JSONDecodeError) -> PromptlintError:
    text, char = document.text, error.pos
    place = _place(document, char)
    for words, expected in _EXPECTED.items():
        if error.msg.startswith(words):
            if not text[char:].strip(" \t\r\n"):
                return PromptlintError(
                    f"{place}: the JSON ends too early, {expected} expected", "is the file complete?"
                )
            return PromptlintError(f"{place}: not JSON, {expected} expected", _syntax_hint(text, char))
    for words, fault in _FAULTS.items():
        if error.msg.startswith(words):
            return PromptlintError(f"{place}: {fault}", _fault_hint(document, words))
    return PromptlintError(f"{place}: not JSON ({error.msg})")


def _syntax_hint(text: str, char: int) -> str:
    if text.startswith("'", char):
        return "JSON writes strings in double quotes"
    if text.startswith(("True", "False", "None"), char):
        return "this is Python; json.dumps writes JSON"
    if char < len(text) and not text[char].isprintable():
        return f"the invisible character U+{ord(text[char]):04X} stands here"
    if text.startswith(("}", "]"), char) and text[:char].rstrip().endswith(","):
        return "remove the comma before the closing bracket"
    return ""


def _fault_hint(document: Document, words: str) -> str:
    if words != "Extra data":
        return "is the file complete?" if words == "Unterminated string" else ""
    if document.record is not None:
        return "each line of a JSONL holds one value"
    return f"if this is a JSONL log, {_name(document)}#0 is its first record"


def _constant_error(document: Document, name: str) -> PromptlintError:
    found = next((m for m in _CONSTANT.finditer(document.text) if m[1]), None)
    place = _place(document, found.start() if found else 0)
    return PromptlintError(f"{place}: {name} is not JSON", "write null, or a finite number")


def _depth_error(document: Document) -> PromptlintError:
    return PromptlintError(
        f"{_name(document)}: brackets are nested more than {MAX_DEPTH} levels deep", "no request needs this"
    )


def _repeated_key(pairs: list[tuple[str, Json]]) -> str:
    seen: set[str] = set()
    for key, _ in pairs:
        if key in seen:
            break
        seen.add(key)
    return key


def _duplicate_notes(document: Document, value: Json, repeated: list[tuple[dict[str, Json], str]]) -> list[str]:
    keys = {id(members): key for members, key in repeated}
    paths = [(*path, keys[identity]) for identity, path in _paths_of(value, set(keys))]
    named = paths[:_NOTED]
    spots = [Spot(path, "key", CharIndex(0), CharIndex(0)) for path in named]
    notes = [
        f"duplicate key {shown(_pointer_text(path))} (line {location.line}): the last one counts"
        for path, location in zip(named, resolve(document, spots), strict=True)
    ]
    if len(repeated) > len(named):
        more = len(repeated) - len(named)
        notes.append(f"{more}{' or more' if len(repeated) == _REMEMBERED else ''} further objects with duplicate keys")
    return notes


def _paths_of(value: Json, wanted: set[int]) -> list[tuple[int, Path]]:
    """The containers whose identity is wanted, in the order of the text, with their paths."""
    found: list[tuple[int, Path]] = []
    waiting: list[tuple[Path, Json]] = [((), value)]
    while waiting and len(found) < len(wanted):
        path, parent = waiting.pop()
        if id(parent) in wanted:
            found.append((id(parent), path))
        children = parent.items() if isinstance(parent, dict) else enumerate(parent) if isinstance(parent, list) else ()
        inner = [((*path, step), child) for step, child in children if isinstance(child, (dict, list))]
        waiting += reversed(inner)
    return found


def _surrogate_notes(paths: list[Path]) -> list[str]:
    notes = [
        f"{shown(_pointer_text(path))}: a lone surrogate was replaced by U+FFFD, as no text can hold it"
        for path in paths[:_NOTED]
    ]
    if len(paths) > _NOTED:
        notes.append(f"{len(paths) - _NOTED} further strings with lone surrogates")
    return notes


def _pointer_text(path: Path) -> str:
    found = pointer(path)
    return found if isinstance(found, str) else " ".join(found)
