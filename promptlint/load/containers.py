"""Documents that hold several requests: the ways to them are data (`containers` in data/formats.yaml)."""

from collections.abc import Iterator

from promptlint import facts
from promptlint.prompt import Json, Path

EVERY = "*"


def ways(value: Json) -> Iterator[list[tuple[Path, Json]]]:
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
