"""Documents that hold several requests: the ways to them are data (`containers` in data/formats.yaml)."""

from collections.abc import Iterator

from promptlint import facts
from promptlint.errors import PromptlintError
from promptlint.load.blocks import pointer
from promptlint.load.envelope import Found, locate
from promptlint.prompt import Document, Json, Path

EVERY = "*"


class Several(PromptlintError):
    """A document holds several requests, and none or none of these was asked for."""

    def __init__(self, found: list[Found], asked: int | None, message: str = "", hint: str = "") -> None:
        many = len(found) > 1
        counted = f"the file holds {len(found)} requests, not one" if many else "the file holds one request"
        super().__init__(message or counted, hint)
        self.found, self.asked = found, asked

    def choice(self, document: Document, name: str) -> str:
        """How one of the requests in the document that is called `name` is asked for."""
        if document.record is not None and document.entry is None:  # a line of a log that holds several itself
            return f"name one of them with --request-path {pointer(self.found[0].path)}"
        if len(self.found) == 1:
            return f"leave out #{self.asked}, or write {name}#0"
        missing = "" if self.asked is None else f"there is no #{self.asked}: "
        return f"{missing}name one of them: {name}#0 to {name}#{len(self.found) - 1}"


def chosen(found: Found, entry: int | None, wanted_field: str | None, nested: int) -> Found | None:
    """Request `entry` of a container, or its only one; None where the value is no container. Raises Several."""
    inner = _requests_of(found, wanted_field, nested)
    if not inner:
        return None
    if len(inner) <= (entry or 0) or (entry is None and len(inner) > 1):
        raise Several(inner, entry)
    return inner[entry or 0]


def _requests_of(found: Found, wanted_field: str | None, nested: int) -> list[Found]:
    """The requests of a container, in the order of the document, those of containers in it among them."""
    for way in _ways(found.value):
        inner = [Found((*found.path, *path), value, found.headers) for path, value in way]
        if inner:
            return [request for one in inner for request in _requests(one, wanted_field, nested)]
    return []


def _requests(found: Found, wanted_field: str | None, nested: int) -> list[Found]:
    try:
        return [found] if locate(found, None, wanted_field, nested)[1] is not None else []
    except Several as several:
        return several.found


def _ways(value: Json) -> Iterator[list[tuple[Path, Json]]]:
    """For each way that begins in `value`: what it leads to, with the paths, in the order of the document."""
    for row in facts.table("formats")["containers"]:
        way = row["way"]
        if isinstance(value, list) if way[0] == EVERY else isinstance(value, dict) and way[0] in value:
            yield list(_along((), value, way))


def _along(path: Path, value: Json, way: list[str]) -> Iterator[tuple[Path, Json]]:
    if not way:
        yield path, value
    elif way[0] == EVERY and isinstance(value, list):
        for index, entry in enumerate(value):
            yield from _along((*path, index), entry, way[1:])
    elif way[0] != EVERY and isinstance(value, dict) and way[0] in value:
        yield from _along((*path, way[0]), value[way[0]], way[1:])
