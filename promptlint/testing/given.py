"""What a test hands over -> a Document: a payload, messages, a text, bytes, a request of httpx."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from math import isfinite
from typing import Any

from promptlint.errors import PromptlintError
from promptlint.prompt import Document, SourceByte
from promptlint.read.json_text import MAX_DEPTH
from promptlint.read.names import shown

_KINDS = "a dict, a list of messages, a str, bytes, or a request of httpx"


def document(given: Any, name: str) -> tuple[Document, str | None]:
    """The request as a document named `name`, and the format that it must be read as; None: what its content shows.

    A str or bytes that hold a request in JSON are that request, all others a prompt as it is. Raises TypeError for
    what is no request, or holds something that JSON does not know, and PromptlintError for text that is none.
    """
    if isinstance(given, bytes | bytearray | memoryview):
        return _text(_decoded(bytes(given), name), name)
    if isinstance(given, str):
        return _text(given, name)
    content = _content(given)
    if content is not None:
        return _document(_decoded(content, name), name), None
    value = _plain(given, name, 0)
    if not isinstance(value, dict | list):
        raise TypeError(f"{name} is {_kind(given)}: give {_KINDS}")
    return _document(json.dumps(value, indent=2), name), None


def _text(text: str, name: str) -> tuple[Document, str | None]:
    from promptlint.load.envelope import entered
    from promptlint.load.recognise import format_of

    if not text.strip():
        raise PromptlintError(f"{name} is empty", "a prompt is due")
    value = entered(text)
    return _document(text, name), None if value is not None and format_of(value) is not None else "text"


def _decoded(data: bytes, name: str) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise PromptlintError(f"{name}: byte {error.start} is not UTF-8", "give the bytes of a text") from None


def _document(text: str, name: str) -> Document:
    data = text.encode("utf-8", "replace")  # a lone surrogate is no character that could be sent
    return Document(name, None, None, data, data.decode(), "utf-8", SourceByte(0), 1)


def _content(given: Any) -> bytes | None:
    """The body of a request of httpx, or of one that the fixture has recorded."""
    if not hasattr(given, "url") or not hasattr(type(given), "content"):
        return None
    try:
        content = given.content
    except RuntimeError:  # a body that streams, and was not read
        content = given.read()
    return content if isinstance(content, bytes) else None


def _plain(value: Any, name: str, depth: int) -> Any:
    """A value of dicts, lists, strings and numbers; `name` is the way to it."""
    if value is None or isinstance(value, str | bool | int):
        return value.value if isinstance(value, Enum) else value
    if isinstance(value, float):
        if not isfinite(value):
            raise TypeError(f"{name} is {value}, which JSON does not know")
        return value
    if depth > MAX_DEPTH:
        raise TypeError(f"{shown(name)} lies deeper than {MAX_DEPTH} levels, or in a value that holds itself")
    if isinstance(value, Mapping):
        return {_key(key, name): _plain(held, f"{name}[{key!r}]", depth + 1) for key, held in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(held, f"{name}[{index}]", depth + 1) for index, held in enumerate(value)]
    return _plain(_opened(value, name), name, depth + 1)


def _opened(value: Any, name: str) -> Any:
    """An object as the value that it says it is."""
    if isinstance(value, Enum):
        return value.value
    if not isinstance(value, type):
        if callable(getattr(value, "model_dump", None)):  # pydantic
            return value.model_dump(mode="json")
        if callable(getattr(value, "to_dict", None)):
            return value.to_dict()
        if is_dataclass(value):
            return dict(_fields(value))
    at = f"{shown(name)} is {_kind(value)}"
    raise TypeError(f"{at}, which JSON does not know: give what the request will hold" if "[" in name else at)


def _fields(value: Any) -> Iterator[tuple[str, Any]]:
    return ((field.name, getattr(value, field.name)) for field in fields(value))


def _key(key: Any, name: str) -> str:
    if not isinstance(key, str):
        raise TypeError(f"{shown(name)} has the key {shown(repr(key))}, and JSON knows only strings as keys")
    return key


def _kind(value: Any) -> str:
    kind = f"the type {value.__name__}" if isinstance(value, type) else type(value).__name__
    return kind if isinstance(value, type) else f"{'an' if kind[:1] in 'aeiouAEIOU' else 'a'} {kind}"
