"""Symbolic places -> what is printed: file, line, column, pointer, excerpt."""

from collections.abc import Sequence

from promptlint.boundary.divergence import item_at, piece_at
from promptlint.boundary.settings import is_private, json_text
from promptlint.finding import Place
from promptlint.prompt import Document, Json, Location, Path, Rendered, Request, Spot
from promptlint.read.descend import descend
from promptlint.read.places import pointer, resolve

_BEFORE, _AFTER = 120, 60  # characters of an excerpt; so many before, that a secret is seen whole and can be masked


def places(request: Request, spots: Sequence[Spot], values: Sequence[str | None]) -> list[Place]:
    """One place for each spot; `values` are the decoded values (or keys) there, None where there is nothing."""
    document = request.document
    locations = resolve(document, spots, request.ends)
    return [_place(document, *parts) for parts in zip(spots, values, locations, strict=True)]


def _place(document: Document, spot: Spot, value: str | None, location: Location) -> Place:
    char = min(spot.char, len(value)) if value is not None else spot.char
    excerpt, mark = _excerpt(value, char, spot.end)
    return Place(
        path=location.path,
        revision=document.revision,
        record=document.record,
        pointer=pointer(spot.path),
        atom=spot.atom,
        line=location.line,
        column=location.column,
        start=location.start,
        end=location.end,
        char=char,
        byte=len(value[:char].encode()) if value is not None else char,
        excerpt=excerpt,
        mark=mark,
    )


def _excerpt(value: str | None, char: int, end: int) -> tuple[str | None, tuple[int, int]]:
    if value is None:
        return None, (0, 0)
    low, high = max(0, char - _BEFORE), min(len(value), char + _AFTER)
    return value[low:high], (char - low, max(char, min(end, high)) - low)


def text_value(rendered: Rendered, char: int) -> str | None:
    """The atom of the prompt that holds this character."""
    item = item_at(rendered, char)
    found = piece_at(item, char, len(rendered.separator)) if item else None
    return found[0].text if found else None


def setting_value(request: Request, path: Path) -> str | None:
    """The value of a setting as text; None if it was not sent. What may be a key or a password is hidden."""
    if is_private(path):
        return "(hidden)"
    for known, value in request.settings.items():
        if path[: len(known)] == known:
            return _as_text(descend(value, path[len(known) :]))
    return request.model


def _as_text(value: Json) -> str:
    return value if isinstance(value, str) else json_text(value)
