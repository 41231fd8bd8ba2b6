"""The fixed text of a template that stands behind what moves: equal in both renderings, and lost all the same."""

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from promptlint.prompt import Path, Rendering


class _Literal(NamedTuple):
    """Where text comes from, and the text."""

    source: tuple[str, int | None, int | None] | Path
    text: str


def stranded(a: Rendering, b: Rendering, at_a: int, at_b: int, given: frozenset[str] = frozenset()) -> str:
    """What both renderings print behind `at_a` and `at_b` of the template's own text, and of the variables `given`."""
    rest = Counter(_literals(b, at_b, given))
    kept: list[str] = []
    for literal in _literals(a, at_a, given):
        if rest[literal]:
            rest[literal] -= 1
            kept.append(literal.text)
    return "".join(kept)


def _literals(found: Rendering, start: int, given: frozenset[str]) -> Iterator[_Literal]:
    for origin in found.origins:
        if origin.end <= start:
            continue
        text = found.text[max(origin.start, start) : origin.end]
        if origin.kind == "template":
            yield _Literal((origin.name, origin.line, origin.column), text)
        elif origin.path and origin.path[0] in given:
            yield _Literal(origin.path, text)
