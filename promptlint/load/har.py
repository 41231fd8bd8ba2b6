"""HAR 1.2: what a browser or a proxy has seen. The body is `postData.text` of each entry."""

from collections.abc import Iterator

from promptlint.load.exchange import Exchange
from promptlint.prompt import Json, Path

TITLE = "a HAR"


def exchanges(value: Json) -> list[Exchange] | None:
    """The requests of a HAR in its order, None if the value is none."""
    log = value.get("log") if isinstance(value, dict) else None
    entries = log.get("entries") if isinstance(log, dict) else None
    if not isinstance(entries, list):
        return None
    return [_exchange(entry, ("log", "entries", number, "request")) for number, entry in enumerate(entries)]


def _exchange(entry: Json, path: Path) -> Exchange:
    request = entry.get("request") if isinstance(entry, dict) else None
    if not isinstance(request, dict):
        return Exchange("", "", path, None, path)
    data = request.get("postData")
    return Exchange(
        method=str(request.get("method", "")),
        url=str(request.get("url", "")),
        url_path=(*path, "url"),
        body=data.get("text") if isinstance(data, dict) else None,
        body_path=(*path, "postData", "text"),
        headers=tuple(_headers(request.get("headers"), (*path, "headers"))),
    )


def _headers(headers: Json, path: Path) -> Iterator[tuple[Path, str, str]]:
    for number, header in enumerate(headers if isinstance(headers, list) else ()):
        if isinstance(header, dict):
            name, value = header.get("name"), header.get("value")
            if isinstance(name, str) and isinstance(value, str):
                yield (*path, number, "value"), name, value
