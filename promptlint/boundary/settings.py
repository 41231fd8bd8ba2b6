"""Fields beside the text that differ. What a field means to a provider is said in `cache`, not here."""

import json
import re
from collections.abc import Iterator
from typing import NamedTuple

from promptlint.boundary.divergence import Divergence
from promptlint.boundary.forms import ordered
from promptlint.prompt import CharIndex, Json, Number, Path, Request, Spot

_HEADERS = "headers"
_DEPTH = 2  # fields within fields that are told apart; a value below is compared whole, with the order of its keys
_PRIVATE = (
    r"(?i)api[-_]?key|secret|password|passwd|credential|authorization|cookie|(?:access|auth|bearer|session)[-_]?token"
)
_LONGEST = 60  # characters of a value in a message
NOT_SENT = "not sent"

Name = tuple[str, ...]


class Field(NamedTuple):
    """A field of one request; path None if it was not sent."""

    path: Path | None
    value: Json


_MISSING = Field(None, None)


def setting_differences(a: Request, b: Request) -> Iterator[Divergence]:
    """Every field that differs, nested objects field by field; `model` first. A null says what a missing field says."""
    if a.model != b.model:
        yield _divergence(("model",), model_field(a), model_field(b), a, b)._replace(cause="model-changed")
    old, new = fields(a), fields(b)
    for name in sorted(old.keys() | new.keys()):
        for full, x, y in _told_apart(name, old.get(name, _MISSING), new.get(name, _MISSING)):
            if full[0] == _HEADERS and full[-1].endswith("-beta"):
                if flags(x.value) != flags(y.value):
                    yield _flags_changed(full, x, y, a, b)
            elif ordered(x.value) != ordered(y.value):
                yield _divergence(full, x, y, a, b)


def model_field(request: Request) -> Field:
    """The model, as a field."""
    if request.model is None:
        return _MISSING
    name = "modelId" if request.format.startswith("bedrock") else "model"
    place = next((path for path, named in request.named.items() if named == ("model",)), (*request.path, name))
    return Field(place, request.model)


def fields(request: Request) -> dict[Name, Field]:
    """Settings by their name: the path inside the request, or from `headers` on, header names in lower case."""
    found: dict[Name, Field] = {}
    depth = len(request.path)
    for path, value in request.settings.items():
        if value is None:
            continue
        inside = path[:depth] == request.path
        if path in request.named:
            name = request.named[path]
        elif _HEADERS in path and not inside:
            name = tuple(str(step).lower() for step in path[path.index(_HEADERS) :])
        else:
            name = tuple(str(step) for step in (path[depth:] if inside else path))
        found[name] = Field(path, value)
    return found


def flat(request: Request) -> Iterator[tuple[Name, Field]]:
    """Every field that was sent, those within objects one by one; `model` first."""
    if request.model is not None:
        yield ("model",), model_field(request)
    for name, field in fields(request).items():
        for full, sent, _ in _told_apart(name, field, _MISSING):
            yield full, sent


def _told_apart(name: Name, x: Field, y: Field) -> Iterator[tuple[Name, Field, Field]]:
    """The fields of two objects (or of one, where the other was not sent), or the two values as they are."""
    old, new = x.value, y.value
    if len(name) < _DEPTH and isinstance(old, dict | None) and isinstance(new, dict | None) and (old or new):
        for key in sorted({**(old or {}), **(new or {})}):
            yield from _told_apart((*name, key), _inside(x, key), _inside(y, key))
    else:
        yield name, x, y


def _inside(field: Field, key: str) -> Field:
    if field.path is None or not isinstance(field.value, dict) or field.value.get(key) is None:
        return _MISSING
    return Field((*field.path, key), field.value[key])


def flags(value: Json) -> frozenset[str]:
    """The set of a comma-separated header or a list; order and doubles do not count."""
    parts = value if isinstance(value, list) else value.split(",") if isinstance(value, str) else []
    return frozenset(part.strip() for part in parts if isinstance(part, str) and part.strip())


def is_private(path: Path) -> bool:
    """Whether a field may hold a key or a password: all headers but flags, and what is named like one."""
    name = str(path[-1]) if path else ""
    if _HEADERS in path:
        return not name.lower().endswith(("-beta", "-version"))
    return re.search(_PRIVATE, name) is not None


def _divergence(name: Name, x: Field, y: Field, a: Request, b: Request) -> Divergence:
    label, old, new = ".".join(name), word(x), word(y)
    if is_private(name):
        message = f"{label} differs"
    else:
        message = f"{label}: {old} became {new}" if old != new else f"{label} differs"
    return Divergence(
        cause="setting-changed",
        level="settings",
        a_start=0,
        a_end=0,
        b_start=0,
        b_end=0,
        within=y.path or x.path or (),
        message=message,
        a=_spot(x.path, a),
        b=_spot(y.path, b),
        a_present=x.path is not None,
        b_present=y.path is not None,
        old=old,
        new=new,
        field=label,
    )


def _flags_changed(name: Name, x: Field, y: Field, a: Request, b: Request) -> Divergence:
    gone, came = flags(x.value) - flags(y.value), flags(y.value) - flags(x.value)
    parts = [f"{verb} {', '.join(sorted(names))}" for verb, names in (("lost", gone), ("gained", came)) if names]
    message = f"{'.'.join(name)} {' and '.join(parts)}"
    return _divergence(name, x, y, a, b)._replace(cause="beta-header-changed", message=message)


def _spot(path: Path | None, request: Request) -> Spot:
    end = CharIndex(1 << 30) if path is not None else CharIndex(0)
    return Spot(path if path is not None else (*request.path, "-"), "value", CharIndex(0), end)


def word(field: Field) -> str:
    """Its value, shortened."""
    if field.path is None:
        return NOT_SENT
    text = field.value if isinstance(field.value, str) else json_text(_without_secrets(field.value))
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _without_secrets(value: Json) -> Json:
    """A value in which fields that are named like a key or a password have none."""
    if isinstance(value, dict):
        return {
            name: "(hidden)" if isinstance(held, str) and is_private((name,)) else _without_secrets(held)
            for name, held in value.items()
        }
    return [_without_secrets(held) for held in value] if isinstance(value, list) else value


def json_text(value: Json) -> str:
    """A value as JSON, numbers as they were sent."""
    if isinstance(value, dict):
        written = (f"{json.dumps(key, ensure_ascii=False)}: {json_text(held)}" for key, held in value.items())
        return f"{{{', '.join(written)}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(json_text, value))}]"
    return value.text if isinstance(value, Number) else json.dumps(value, ensure_ascii=False)
