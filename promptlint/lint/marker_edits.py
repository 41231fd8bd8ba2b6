"""Edits that set, remove and move cache markers: the prompt itself stays as it is."""

from collections.abc import Iterator, Sequence

from promptlint.cache.positions import Position, can_carry
from promptlint.lint.edits import Add, Edit, Put, Remove, Wrap
from promptlint.lint.subject import RequestSubject
from promptlint.prompt import Json, Marker, Path
from promptlint.read.descend import descend

_POINT = "cachePoint"
_CONTROL = "cache_control"
_BREAKPOINT = "prompt_cache_breakpoint"
_STRINGS = ("content", "system")  # fields in which a string stands for an array of one text block
_TEXT_TYPES = {"openai-responses": "input_text"}  # elsewhere "text"
_FIELDS = {  # of the formats in which a marker can be set
    "anthropic": _CONTROL,
    "bedrock-invoke": _CONTROL,
    "bedrock-converse": _POINT,
    "openai-chat": _CONTROL,
    "openai-responses": _BREAKPOINT,
}


def unmarked(subject: RequestSubject, marker: Marker) -> Edit:
    """A marker is taken away; a block that is nothing but a marker goes as a whole."""
    holder = _value(subject, marker.path[:-1])
    alone = marker.path[-1] == _POINT and isinstance(holder, dict) and len(holder) == 1
    return Remove(marker.path[:-1] if alone else marker.path)


def marked(subject: RequestSubject, path: Path, ttl: str | None = None) -> Iterator[Edit]:
    """A marker on the block (or its text) at `path`; nothing where none can be written."""
    field = _FIELDS.get(subject.request.format)
    if subject.rule.kind == "message-ends":
        field = _BREAKPOINT
    if field is None or None in path:
        return
    lifetime: dict[str, Json] = {} if ttl is None else {"ttl": ttl}
    kind = {_CONTROL: "ephemeral", _POINT: "default"}.get(field)
    value: dict[str, Json] = {"mode": "explicit"} if kind is None else {"type": kind, **lifetime}
    block = path[:-1] if path[-1] == "text" else path
    held = _value(subject, block)
    if isinstance(held, dict):
        yield Add(block, {_POINT: value}) if field == _POINT else Put((*block, field), value)
    elif isinstance(held, str) and block[-1] in _STRINGS and field != _POINT:
        front: dict[str, Json] = {"type": _TEXT_TYPES.get(subject.request.format, "text")}
        yield Wrap(block, front, "text", {field: value})


def moved(
    subject: RequestSubject, marker: Marker, in_front: Sequence[Position], *, room: bool = True
) -> Iterator[Edit]:
    """The marker goes to the last of these blocks that may carry one, if it is free and there is `room`; else away."""
    fit = next((position for position in reversed(in_front) if can_carry(position, subject.provider)), None)
    if fit is not None and fit.marker is None and room:
        known = marker.ttl if marker.ttl in subject.provider.lifetimes else None
        yield from marked(subject, fit.path, known)
    yield unmarked(subject, marker)


def _value(subject: RequestSubject, path: Path) -> Json:
    """What stands at a path of the document, below the request; None where the path leads elsewhere."""
    above = subject.request.path
    return descend(subject.request.body, path[len(above) :]) if path[: len(above)] == above else None
