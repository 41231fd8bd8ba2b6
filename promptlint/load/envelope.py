"""Where the request stands in a document: envelopes, pair logs, batch rows, containers, or an explicit JSON pointer."""

from typing import NamedTuple

from promptlint.errors import PromptlintError
from promptlint.load.blocks import pointer, type_name
from promptlint.load.recognise import RECORD, format_of
from promptlint.prompt import Json, Path
from promptlint.read import json_text
from promptlint.read.names import shown

FIELDS = ("request", "body", "params", "kwargs", "input", "json", "modelInput", "request_body")
_DEEPEST = 8
_NESTED = 4  # containers within containers


class Found(NamedTuple):
    """A value inside a document, and the HTTP headers that stood beside it on the way."""

    path: Path
    value: Json
    headers: tuple[tuple[Path, Json], ...] = ()


def locate(
    top: Found, entry: int | None = None, wanted_field: str | None = None, nested: int = 0
) -> tuple[Found, str | None]:
    """The request inside `top` and its format, or `top` and None if nothing inside is known.

    `entry`: which one, where there are several. With `wanted_field` (an explicit format) the first object that has
    this field is the request, and "" its format. `nested`: containers that are entered already. Raises
    containers.Several.
    """
    ahead = [top]
    for _ in range(_DEEPEST):
        deeper: list[Found] = []
        for found in ahead:
            kind = _kind(found.value, wanted_field)
            if kind is not None and not entry:
                return found, kind
            from promptlint.load import containers  # a plain request needs none of it

            if kind is not None:
                raise containers.Several([found], entry)
            inner = containers.chosen(found, entry, wanted_field, nested + 1) if nested < _NESTED else None
            if inner is not None:
                return locate(inner, None, wanted_field, nested + 1)
            deeper += _inside(found)
        ahead = deeper
    return top, None


def _kind(value: Json, wanted_field: str | None) -> str | None:
    """The format of a value, "" for one that has the wanted field, None for no request."""
    if wanted_field is None:
        return format_of(value)
    if not isinstance(value, dict):
        return None
    recorded = format_of(value)
    if recorded == RECORD:
        return recorded
    return "" if wanted_field in value else None


def _inside(found: Found) -> list[Found]:
    """The values of an envelope that may be a request, in the order of FIELDS."""
    value = found.value
    if isinstance(value, str):
        decoded = entered(value)
        return [] if decoded is None else [Found((*found.path, None), decoded, found.headers)]
    if not isinstance(value, dict):
        return []
    headers = found.headers
    if isinstance(value.get("headers"), dict):
        headers += (((*found.path, "headers"), value["headers"]),)
    inner = [Found((*found.path, name), value[name], headers) for name in FIELDS if name in value]
    if isinstance(value.get("result"), dict) and "jsonrpc" in value:
        inner.append(Found((*found.path, "result"), value["result"], headers))
    return inner


def entered(text: str) -> Json:
    """The value of a string that holds a JSON object or array, else None."""
    if not text.lstrip().startswith(("{", "[")):
        return None
    try:
        return json_text.parse_string(text)
    except ValueError:
        return None


def follow(value: Json, request_path: str, *, enter: bool = True) -> Found:
    """The value at a JSON pointer (RFC 6901); a string that holds JSON is entered, the last one only with `enter`."""
    if request_path and not request_path.startswith("/"):
        raise PromptlintError(
            f"--request-path {shown(request_path)} is no JSON pointer",
            f"write /{shown(request_path.replace('.', '/'))}",
        )
    found = Found((), value)
    for raw in request_path.split("/")[1:]:
        found = _step(found, raw.replace("~1", "/").replace("~0", "~"), request_path)
    inner = entered(found.value) if enter and isinstance(found.value, str) else None
    return found if inner is None else Found((*found.path, None), inner)


def _step(found: Found, name: str, request_path: str) -> Found:
    path, value = found.path, found.value
    if isinstance(value, str) and (inner := entered(value)) is not None:
        path, value = (*path, None), inner
    if isinstance(value, dict) and name in value:
        return Found((*path, name), value[name])
    if isinstance(value, list) and name.isdecimal() and len(name) < 10 and int(name) < len(value):
        return Found((*path, int(name)), value[int(name)])
    raise PromptlintError(f"--request-path {shown(request_path)} leads nowhere", f"{pointer(path)} is {_holds(value)}")


def _holds(value: Json) -> str:
    if isinstance(value, list):
        return f"an array of {len(value)}"
    return f"an object with {names(value)}" if isinstance(value, dict) else type_name(value)


def names(value: dict[str, Json]) -> str:
    """The first field names of an object, for an error message."""
    first = [shown(name[:40]) for name in list(value)[:6]]
    return ", ".join(first) + (", …" if len(value) > len(first) else "") if first else "no fields"
