"""The fixed text of a template that stands behind what moves: equal in both renderings, and lost all the same."""

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from promptlint.prompt import Rendering


class _Literal(NamedTuple):
    """Where text comes from, and the text."""

    source: tuple[str, int | None, int | None]
    text: str


def stranded(a: Rendering, b: Rendering, at_a: int, at_b: int) -> str:
    """What both renderings print of the template's own text behind `at_a` and `at_b`."""
    rest = Counter(_literals(b, at_b))
    kept: list[str] = []
    for literal in _literals(a, at_a):
        if rest[literal]:
            rest[literal] -= 1
            kept.append(literal.text)
    return "".join(kept)


def _literals(found: Rendering, start: int) -> Iterator[_Literal]:
    for origin in found.origins:
        if origin.end > start and origin.kind == "template":
            yield _Literal((origin.name, origin.line, origin.column), found.text[max(origin.start, start) : origin.end])
