"""What a template is given: variables from a file, and the arguments of a chat template from the command line."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from promptlint.errors import PromptlintError
from promptlint.load.blocks import type_name
from promptlint.load.text import like_json
from promptlint.prompt import Document, Json, Path
from promptlint.read import json_text
from promptlint.read.names import shown
from promptlint.read.plain import plain

_KWARGS = "--template-kwargs"
_PYTHON: Mapping[str, str] = {"True": "true", "False": "false", "None": "null"}


class Variables(NamedTuple):
    """A mapping of variables: `value` stands at `path` of `document`, so that a variable has a place."""

    document: Document
    value: dict[str, Json]
    path: Path = ()
    notes: tuple[str, ...] = ()


def load_variables(document: Document) -> Variables:
    """The variables of a JSON or YAML document: a mapping, or with `#N` the mapping N, from 0, of a list.

    The document of the result says how it was read. Raises PromptlintError for anything else.
    """
    value, notes, document = _parsed(document)
    path: Path = ()
    if isinstance(value, list):
        path = (_entry(document, value),)
        value = value[path[0]]
    elif document.entry:
        raise _error(document, "the file holds one set of variables", f"name it without #{document.entry}")
    if not isinstance(value, dict):
        raise _error(document, f"the variables are {type_name(value)}", "write a mapping: NAME: VALUE on each line")
    return Variables(document, value, path, notes)


def _parsed(document: Document) -> tuple[Json, tuple[str, ...], Document]:
    if document.syntax == "json" and (document.record is not None or like_json(document.text)):
        return *json_text.parse(document), document
    from promptlint.read import yaml_text

    document = document._replace(syntax="yaml")
    return *yaml_text.parse(document), document


def _entry(document: Document, sets: list[Json]) -> int:
    if document.entry is None:
        raise _error(document, f"the file holds {len(sets)} sets of variables", "name one of them with #N, from 0")
    if document.entry >= len(sets):
        raise _error(document, f"there is no #{document.entry}", f"the file holds #0 to #{len(sets) - 1}")
    return document.entry


def parse_kwargs(texts: Sequence[str]) -> dict[str, Any]:
    """The arguments of a chat template: each text is `NAME=VALUE` or a JSON object of several.

    VALUE is JSON if it reads so (`enable_thinking=false`), else a text. Raises PromptlintError for what is neither,
    for a name given twice, and for Python's True, False and None, which as texts would all count as true.
    """
    found: dict[str, Any] = {}
    for text in texts:
        given = _object(text) if text.lstrip().startswith("{") else _pair(text)
        for name, value in given.items():
            if name in found:
                raise PromptlintError(f"{_KWARGS} gives {shown(name)} twice", "give it once")
            found[name] = value
    return found


def _object(text: str) -> dict[str, Any]:
    try:
        value = json_text.parse_string(text)
    except ValueError as error:
        raise PromptlintError(f"{_KWARGS} {shown(text)} is not JSON ({error})", "write NAME=VALUE instead") from None
    held: dict[str, Any] = plain(value)
    for name in held:
        _check_name(name, text)
    return held


def _pair(text: str) -> dict[str, Any]:
    name, sign, value = text.partition("=")
    name = name.strip()
    if not sign:
        raise PromptlintError(f"{_KWARGS} {shown(text)} has no value", f"write {shown(name) or 'NAME'}=VALUE")
    _check_name(name, text)
    if value.strip() in _PYTHON:
        right = _PYTHON[value.strip()]
        hint = f"write {name}={right}, or {name}='\"{value.strip()}\"' for the text"
        raise PromptlintError(f"{_KWARGS} {shown(text)} is spelled as in Python", hint)
    try:
        return {name: plain(json_text.parse_string(value))}
    except ValueError:
        return {name: value}


def _check_name(name: str, text: str) -> None:
    if not name.isidentifier():
        raise PromptlintError(
            f"{_KWARGS} {shown(text)}: {shown(name) or 'an empty name'} is no name", "write NAME=VALUE"
        )


def _error(document: Document, message: str, hint: str) -> PromptlintError:
    name = document.path if document.revision is None else f"{document.revision}:{document.path}"
    return PromptlintError(f"{shown(name)}: {message}", hint)
