"""A document -> the request that its author sent, recognised by content. One file per input format."""

import importlib
from collections.abc import Callable

from promptlint import facts
from promptlint.errors import PromptlintError
from promptlint.load.blocks import Body, type_name
from promptlint.load.envelope import FIELDS as ENVELOPES
from promptlint.load.envelope import Found, follow, holds_response, locate, names
from promptlint.load.provider import provider_of
from promptlint.load.text import like_json
from promptlint.prompt import Document, Item, Json, Path, Request
from promptlint.read import json_text
from promptlint.read.json_pair import Parsed
from promptlint.read.names import shown

__all__ = ["FORMATS", "load"]

_MODULES = {
    "anthropic": "anthropic",
    "openai-chat": "openai_chat",
    "openai-responses": "openai_responses",
    "gemini": "gemini",
    "bedrock-converse": "bedrock_converse",
    "bedrock-invoke": "anthropic",
    "messages": "messages",
    "tools": "tools",
    "mcp-tools": "tools",
    "text": "text",
    "token-ids": "token_ids",
}
FORMATS: tuple[str, ...] = tuple(_MODULES)

_HINT = "name the format with --input-format, or the place of the request with --request-path"


def load(
    document: Document,
    *,
    input_format: str | None = None,
    request_path: str | None = None,
    parsed: Parsed | None = None,
) -> Request:
    """The request in `document`.

    `input_format` is one of FORMATS, None to recognise it; `request_path` a JSON pointer to the request; `parsed`
    the value of the document, where it is known.
    Raises PromptlintError for anything that is no request, with what was tried and what to do.
    """
    try:
        return _load(document, input_format, request_path, parsed)
    except PromptlintError as error:
        name = _name(document)
        if error.message.startswith(name):
            raise
        record = "" if document.record is None else f"#{document.record}"
        raise PromptlintError(f"{name}{record}: {error.message}", error.hint) from None


def _name(document: Document) -> str:
    return shown(document.path if document.revision is None else f"{document.revision}:{document.path}")


def _load(document: Document, input_format: str | None, request_path: str | None, parsed: Parsed | None) -> Request:
    if input_format is not None and input_format not in FORMATS:
        raise PromptlintError(f"unknown input format {shown(input_format)}", f"one of {', '.join(FORMATS)}")
    if not document.text.strip():
        raise PromptlintError("the file is empty", "a request or a text is due")
    if request_path is None and _is_text(document, input_format):
        return _request(document, Found((), document.text), "text", ())
    value, notes = _parse(document) if parsed is None else (parsed.value, ())
    found = Found((), value) if request_path is None else follow(value, request_path, enter=input_format != "text")
    format_name = input_format
    if input_format != "text":
        found, recognised = locate(found, _field(input_format))
        format_name = input_format or recognised
    if format_name is None:
        raise _unknown(found.value)
    request = _request(document, found, format_name, notes)
    return request if parsed is None else request._replace(ends=parsed.ends)


def _is_text(document: Document, input_format: str | None) -> bool:
    return input_format == "text" or (input_format is None and not like_json(document.text))


def _field(input_format: str | None) -> str | None:
    """The top-level field by which a request of an explicit format is found inside an envelope."""
    if input_format is None:
        return None
    field: str | None = facts.table("formats")["formats"][input_format].get("body")
    return field


def _request(document: Document, found: Found, format_name: str, notes: tuple[str, ...]) -> Request:
    body = _loader(format_name)(found.value, found.path)
    settings: dict[Path, Json] = {}
    for path, headers in found.headers:
        settings |= {(*path, name): held for name, held in headers.items()} if isinstance(headers, dict) else {}
    if isinstance(found.value, dict):
        for name, held in found.value.items():
            if name not in body.consumed:
                settings[(*found.path, name)] = held
    return Request(
        document=document,
        path=found.path if body.at is None else body.at,
        body=found.value,
        format=format_name,
        provider=provider_of(format_name, body),
        model=body.model,
        items=tuple(item for item in body.items if not _says_nothing(item)),
        token_ids=body.token_ids,
        settings={**settings, **body.settings},
        automatic=body.automatic,
        notes=notes + body.notes,
    )


def _says_nothing(item: Item) -> bool:
    """An empty system text is none; an empty message is still a turn, and an empty block may carry a marker."""
    if item.level != "system" or item.role is not None:
        return False
    return all(segment.content == "" and segment.marker is None for segment in item.segments)


def _loader(format_name: str) -> Callable[[Json, Path], Body]:
    """The `load` of one file of this package; the others are not imported, which a small diff would feel."""
    module = importlib.import_module(f"promptlint.load.{_MODULES[format_name]}")
    found: Callable[[Json, Path], Body] = module.load
    return found


def _parse(document: Document) -> tuple[Json, tuple[str, ...]]:
    try:
        return json_text.parse(document)
    except PromptlintError:
        count = 0 if document.record is not None else _records(document.text)
        if count < 2:
            raise
        hint = f"name one of them: {_name(document)}#0 to {_name(document)}#{count - 1}"
        raise PromptlintError(f"the file holds {count} records, not one request", hint) from None


def _records(source: str) -> int:
    """How many records a JSONL file has; 0 if it is none: its first line is a value of its own, the others look so."""
    lines = [line for line in source.split("\n") if line.strip()]
    if not all(line.lstrip().startswith(("{", "[")) for line in lines):
        return 0
    try:
        json_text.parse_string(lines[0])
    except ValueError:
        return 0
    return len(lines)


def _unknown(value: Json) -> PromptlintError:
    if holds_response(value):
        return PromptlintError("this is a response, not a request", "give the request that was sent")
    held = f"an object with {names(value)}" if isinstance(value, dict) else type_name(value)
    tried = f"no messages, contents or input; tried {', '.join(FORMATS)}, also inside {', '.join(ENVELOPES)}"
    return PromptlintError(f"no known request: {held} ({tried})", _HINT)
