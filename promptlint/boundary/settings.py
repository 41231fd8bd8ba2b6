"""Fields beside the text that differ. What a field means to a provider is said in `cache`, not here."""

from collections.abc import Iterator

from promptlint.boundary.divergence import Divergence
from promptlint.boundary.forms import ordered
from promptlint.prompt import CharIndex, Json, Number, Path, Request, Spot

_NOT_SENT = object()
_HEADERS = "headers"


def setting_differences(a: Request, b: Request) -> Iterator[Divergence]:
    """Every field that differs, nested objects field by field; `model` first."""
    if a.model != b.model:
        yield _divergence("model-changed", ("model",), a, b, a.model, b.model)
    old, new = _fields(a), _fields(b)
    for name in sorted(old.keys() | new.keys()):
        path_a, x = old.get(name, (None, _NOT_SENT))
        path_b, y = new.get(name, (None, _NOT_SENT))
        if x is _NOT_SENT or y is _NOT_SENT or ordered(x) != ordered(y):  # type: ignore[arg-type]
            cause = "beta-header-changed" if name[0] == _HEADERS and name[-1].endswith("-beta") else "setting-changed"
            if cause == "beta-header-changed" and flags(x) == flags(y):
                continue
            yield _divergence(cause, name, a, b, x, y, path_a, path_b)


def _fields(request: Request) -> dict[tuple[str, ...], tuple[Path, Json]]:
    """Settings by their name: the path inside the request, or from `headers` on, header names in lower case."""
    fields: dict[tuple[str, ...], tuple[Path, Json]] = {}
    depth = len(request.path)
    for path, value in request.settings.items():
        inside = path[:depth] == request.path
        if _HEADERS in path and not inside:
            tail = path[path.index(_HEADERS) :]
            name = tuple(str(step).lower() for step in tail)
        else:
            name = tuple(str(step) for step in (path[depth:] if inside else path))
        _flatten(name, path, value, fields)
    return fields


def _flatten(name: tuple[str, ...], path: Path, value: Json, fields: dict[tuple[str, ...], tuple[Path, Json]]) -> None:
    if isinstance(value, dict) and value:
        for key, entry in value.items():
            _flatten((*name, key.lower() if name[0] == _HEADERS else key), (*path, key), entry, fields)
    else:
        fields[name] = path, value


def flags(value: object) -> frozenset[str]:
    """The set of a comma-separated header or a list; order and doubles do not count."""
    parts = value if isinstance(value, list) else value.split(",") if isinstance(value, str) else []
    return frozenset(part.strip() for part in parts if isinstance(part, str) and part.strip())


def _divergence(
    cause: str,
    name: tuple[str, ...],
    a: Request,
    b: Request,
    x: object,
    y: object,
    path_a: Path | None = None,
    path_b: Path | None = None,
) -> Divergence:
    label = ".".join(name)
    message = _beta_message(label, x, y) if cause == "beta-header-changed" else f"{label}: {_word(x)} became {_word(y)}"
    path_a = path_a if path_a is not None or x is _NOT_SENT else (*a.path, *name)
    path_b = path_b if path_b is not None or y is _NOT_SENT else (*b.path, *name)
    return Divergence(
        cause=cause,
        level="settings",
        a_start=0,
        a_end=0,
        b_start=0,
        b_end=0,
        within=path_b or path_a or (),
        message=message,
        a=_spot(path_a, a),
        b=_spot(path_b, b),
        a_present=path_a is not None and x is not None,
        b_present=path_b is not None and y is not None,
        old=_word(x),
        new=_word(y),
        field=label,
    )


def _spot(path: Path | None, request: Request) -> Spot:
    end = CharIndex(1 << 30) if path is not None else CharIndex(0)
    return Spot(path if path is not None else (*request.path, "-"), "value", CharIndex(0), end)


def _word(value: object) -> str:
    if value is _NOT_SENT or value is None:
        return "not sent" if value is _NOT_SENT else "null"
    if isinstance(value, Number):
        return value.text
    if isinstance(value, bool):
        return str(value).lower()
    text = (
        value if isinstance(value, str) else f"{len(value)} entries" if isinstance(value, list | dict) else str(value)
    )
    return text if len(text) <= 60 else f"{text[:57]}…"


def _beta_message(label: str, x: object, y: object) -> str:
    gone, came = flags(x) - flags(y), flags(y) - flags(x)
    parts = [f"{verb} {', '.join(sorted(names))}" for verb, names in (("lost", gone), ("gained", came)) if names]
    return f"{label} {' and '.join(parts)}"
