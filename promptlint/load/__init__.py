"""A document -> the request that its author sent, recognised by content. One file per input format."""

from typing import TYPE_CHECKING

from promptlint import facts
from promptlint.errors import PromptlintError
from promptlint.load.blocks import Body, type_name
from promptlint.load.envelope import FIELDS as ENVELOPES
from promptlint.load.envelope import Found, follow, locate, names
from promptlint.load.loaders import FORMATS, loader
from promptlint.load.provider import provider_of
from promptlint.load.recognise import RECORD
from promptlint.load.text import like_json
from promptlint.prompt import Document, Item, Json, Path, Request
from promptlint.read import json_text
from promptlint.read.json_pair import Parsed
from promptlint.read.names import shown
from promptlint.read.syntax import is_cassette

if TYPE_CHECKING:
    from promptlint.load.recorded import Recorded

__all__ = ["FORMATS", "load", "value_of", "value_of_document"]

_TRAFFIC = ("log", "interactions", "http_interactions")  # the top of a HAR and of cassettes
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
        from promptlint.load.containers import Several

        if isinstance(error, Several):
            said = f"{name}: {error.message}", error.choice(document, name)
            raise Several(error.found, error.asked, *said) from None
        number = document.record if document.entry is None else document.entry
        record = "" if number is None else f"#{number}"
        raise PromptlintError(f"{name}{record}: {error.message}", error.hint) from None


def load_at(document: Document, found: Found, parsed: Parsed) -> Request:
    """The request at a place of a document that holds several, as `containers.Several` has found it.

    Raises PromptlintError as `load` does.
    """
    try:
        inner, recognised = locate(found)
        if recognised is None:
            raise _unknown(inner.value)
        body, format_name = _body(inner, None, recognised)
        return _request(document, inner, body, format_name, ())._replace(ends=parsed.ends)
    except PromptlintError as error:
        raise PromptlintError(f"{_name(document)}#{document.entry}: {error.message}", error.hint) from None


def value_of(request: Request) -> Json:
    """The whole document that holds a request, as a value; the text itself where it was read as one."""
    if request.format == "text" and not request.path:
        return request.document.text
    return value_of_document(request.document)


def value_of_document(document: Document) -> Json:
    """The value of a document in JSON or YAML. Raises PromptlintError if it is not."""
    return _parse(document)[0]


def _name(document: Document) -> str:
    return shown(document.path if document.revision is None else f"{document.revision}:{document.path}")


def _load(document: Document, input_format: str | None, request_path: str | None, parsed: Parsed | None) -> Request:
    if input_format is not None and input_format not in FORMATS:
        raise PromptlintError(f"unknown input format {shown(input_format)}", f"one of {', '.join(FORMATS)}")
    if not document.text.strip():
        raise PromptlintError("the file is empty", "a request or a text is due")
    if request_path is None and _is_text(document, input_format):
        return _text(document)
    document = _as_yaml(document, input_format)
    try:
        return _structured(document, input_format, request_path, parsed)
    except _NotRead as error:
        if (
            document.syntax != "yaml"
            or input_format is not None
            or request_path is not None
            or is_cassette(document.text)
        ):
            raise
        return _text(document, f"read as plain text: {error.message}")


class _NotRead(PromptlintError):
    """A document that is no request: one in YAML may still be a text."""


def _structured(
    document: Document, input_format: str | None, request_path: str | None, parsed: Parsed | None
) -> Request:
    value, notes = _parse(document) if parsed is None else (parsed.value, ())
    found = Found((), value) if request_path is None else follow(value, request_path, enter=input_format != "text")
    recognised: str | None = None
    traffic: Recorded | None = None
    if input_format != "text":
        traffic = _traffic(found, document.entry, _field(input_format))
        if traffic is not None:
            found = Found(traffic.path, traffic.value)
        found, recognised = locate(found, None if traffic else document.entry, _field(input_format))
    if input_format is None and recognised is None:
        raise _unknown(found.value)
    body, format_name = _body(found, input_format, recognised)
    if traffic is not None:
        from promptlint.load.recorded import completed

        body = completed(body, traffic)
    request = _request(document, found, body, format_name, notes)
    return request if parsed is None else request._replace(ends=parsed.ends)


def _text(document: Document, *notes: str) -> Request:
    if document.entry:
        raise PromptlintError("a text is one prompt", f"leave out #{document.entry}")
    return _request(document, Found((), document.text), loader("text")(document.text, ()), "text", notes)


def _as_yaml(document: Document, input_format: str | None) -> Document:
    """Who names the format of a request may write it in YAML, whatever the file is called."""
    if input_format in (None, "text") or document.syntax == "yaml" or like_json(document.text):
        return document
    return document._replace(syntax="yaml")


def _traffic(top: Found, entry: int | None, field: str | None) -> "Recorded | None":
    """The request in a HAR or a cassette, None if the document is neither."""
    if top.path or not isinstance(top.value, dict) or not any(name in top.value for name in _TRAFFIC):
        return None
    from promptlint.load.containers import Several
    from promptlint.load.recorded import recorded

    def is_request(value: Json) -> bool:
        if field is not None:
            return isinstance(value, dict) and field in value
        try:
            return locate(Found((), value))[1] is not None
        except Several:
            return False

    return recorded(top.value, entry, is_request)


def _is_text(document: Document, input_format: str | None) -> bool:
    if document.syntax != "json":
        return input_format == "text"
    return input_format == "text" or (input_format is None and not like_json(document.text))


def _field(input_format: str | None) -> str | None:
    """The top-level field by which a request of an explicit format is found inside an envelope."""
    if input_format is None:
        return None
    field: str | None = facts.table("formats")["formats"][input_format].get("body")
    return field


def _body(found: Found, input_format: str | None, recognised: str | None) -> tuple[Body, str]:
    """What the request holds, and its format."""
    if recognised == RECORD:
        from promptlint.load import records

        body = records.load(found.value, found.path, input_format)
        return body, str(body.format)
    format_name = str(input_format or recognised)
    return loader(format_name)(found.value, found.path), format_name


def _request(document: Document, found: Found, body: Body, format_name: str, notes: tuple[str, ...]) -> Request:
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
        notes=(*notes, *body.notes, *_lost(found.value, format_name)),
        named=body.named,
        parts=body.parts,
        may_lack_markers=body.may_lack_markers and not _has_markers(body),
    )


def _has_markers(body: Body) -> bool:
    return body.automatic is not None or any(part.marker for item in body.items for part in item.segments)


def _lost(value: Json, format_name: str) -> list[str]:
    """What requests of this format lack, and text that a field of this one only refers to."""
    row = facts.table("formats")["formats"][format_name]
    held = value if isinstance(value, dict) else {}
    notes = [f"{name}: {note}" for name, note in row.get("held", {}).items() if held.get(name) not in (None, "", [])]
    return [row["note"], *notes] if "note" in row else notes


def _says_nothing(item: Item) -> bool:
    """An empty system text is none; an empty message is still a turn, and an empty block may carry a marker."""
    if item.level != "system" or item.role is not None:
        return False
    return all(segment.content == "" and segment.marker is None for segment in item.segments)


def _parse(document: Document) -> tuple[Json, tuple[str, ...]]:
    if document.syntax == "yaml":
        from promptlint.read import yaml_text

        try:
            return yaml_text.parse(document)
        except PromptlintError as error:
            raise _NotRead(error.message, error.hint) from None
    try:
        return json_text.parse(document)
    except PromptlintError:
        records = [] if document.record is not None else _records(document.text)
        if len(records) < 2:
            raise
    _refuse(json_text.parse_string(records[0]), answers=False)
    hint = f"name one of them: {_name(document)}#0 to {_name(document)}#{len(records) - 1}"
    raise PromptlintError(f"the file holds {len(records)} records, not one request", hint)


def _records(source: str) -> list[str]:
    """The records of a JSONL file; none if it is none: its first line is a value of its own, the others look so."""
    lines = [line for line in source.split("\n") if line.strip()]
    if not lines or not all(line.lstrip().startswith(("{", "[")) for line in lines):
        return []
    try:
        json_text.parse_string(lines[0])
    except ValueError:
        return []
    return lines


def _refuse(value: Json, *, answers: bool = True) -> None:
    """Raise the reason why a value is no request, if it is known; `answers`: also of what a provider answered."""
    from promptlint.load.refused import answered, reason

    error = reason(value) or (answered(value) if answers else None)
    if error is not None:
        raise error


def _unknown(value: Json) -> PromptlintError:
    _refuse(value)
    held = f"an object with {names(value)}" if isinstance(value, dict) else type_name(value)
    tried = f"no messages, contents or input; tried every --input-format, also inside {', '.join(ENVELOPES)}"
    return _NotRead(f"no known request: {held} ({tried})", _HINT)
