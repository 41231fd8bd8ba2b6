"""Keys that stand twice in one object of the JSON text."""

from collections.abc import Iterator

from promptlint.lint.edits import Edit, Remove
from promptlint.lint.hit import Hit, Place
from promptlint.lint.subject import RequestSubject
from promptlint.prompt import Path
from promptlint.read.duplicates import repeated_keys
from promptlint.read.names import shown

_RELATED = 10


def check(subject: RequestSubject) -> Iterator[Hit]:
    """The last of equal keys; the earlier ones are related."""
    request = subject.request
    if request.document.syntax != "json" or request.format == "text" or None in request.path:
        return
    for found in repeated_keys(request.document.text):
        if not _concerns(found.path, request.path):
            continue
        key, count = str(found.path[-1]), len(found.earlier) + 1
        hit = Hit(
            Place(found.path, 0, len(key), "key"),
            {"key": shown(key), "count": count},
            related=tuple(Place((), begin, end) for begin, end in found.earlier[:_RELATED]),
        )
        if found.equal:
            message = f"the key {shown(key)} stands {count} times in one object, each time with the same value"
            hit = hit._replace(severity="info", message=message)
        yield hit


def _concerns(path: Path, request: Path) -> bool:
    """Whether a key stands in the request, or leads to it."""
    return path[: len(request)] == request or request[: len(path)] == path


def fix(subject: RequestSubject, hit: Hit) -> Iterator[Edit]:
    """Of equal values the last one goes: keys stand in the order of their first. Which of other values is meant only
    the author knows.
    """
    assert isinstance(hit.at, Place)
    path = hit.at.path
    if any(found.path == path and found.equal for found in repeated_keys(subject.request.document.text)):
        yield Remove(path)
