"""Cassettes of VCR, vcrpy, pytest-recording, betamax and go-vcr, in YAML or JSON."""

from collections.abc import Iterator

from promptlint.load.exchange import Exchange
from promptlint.prompt import Json, Path

TITLE = "a cassette"
LISTS = ("interactions", "http_interactions")  # of Python and Go; of Ruby and betamax
_TEXTS = ("string", "base64_string")  # where a body is a mapping


def exchanges(value: Json) -> list[Exchange] | None:
    """The requests of a cassette in its order, None if the value is none."""
    for name in LISTS:
        entries = value.get(name) if isinstance(value, dict) else None
        if isinstance(entries, list):
            return [_exchange(entry, (name, number, "request")) for number, entry in enumerate(entries)]
    return None


def _exchange(entry: Json, path: Path) -> Exchange:
    request = entry.get("request") if isinstance(entry, dict) else None
    if not isinstance(request, dict):
        return Exchange("", "", path, None, path)
    parsed = request.get("parsed_body") is not None
    body, body_path = _body(request, "parsed_body" if parsed else "body", path)
    url = "uri" if "uri" in request else "url"
    return Exchange(
        method=str(request.get("method", "")),
        url=str(request.get(url, "")),
        url_path=(*path, url),
        body=body,
        body_path=body_path,
        headers=tuple(_headers(request.get("headers"), (*path, "headers"))),
        parsed=parsed or isinstance(body, dict | list),
    )


def _body(request: dict[str, Json], field: str, path: Path) -> tuple[Json, Path]:
    body = request.get(field)
    if field == "body" and isinstance(body, dict):
        for name in _TEXTS:
            if isinstance(body.get(name), str):
                return body[name], (*path, field, name)
    return body, (*path, field)


def _headers(headers: Json, path: Path) -> Iterator[tuple[Path, str, str]]:
    """A header has one value, or a list of them, which mean the same as one with commas."""
    for name, held in headers.items() if isinstance(headers, dict) else ():
        values = held if isinstance(held, list) else [held]
        if all(isinstance(value, str) for value in values):
            yield (*path, name), name, ", ".join(value for value in values if isinstance(value, str))
