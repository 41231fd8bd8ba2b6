"""What a differing stretch of text looks like: a time, a date, an id, a count, a piece of the environment."""

import re

from promptlint.boundary.counters import counter, number_form
from promptlint.boundary.environment import environment, state_lines
from promptlint.boundary.identifiers import identifier
from promptlint.boundary.moments import moment
from promptlint.boundary.stretch import Shape, Stretch

_LIST_LINE = r"\s*(?:[-*+•]|\d{1,3}[.)])\s+\S"
_SHAPES = (state_lines, moment, identifier, counter, environment, number_form)


def shape(stretch: Stretch) -> Shape | None:
    """The narrowest label whose evidence the stretch shows, or None."""
    for look in _SHAPES:
        if (found := look(stretch)) is not None:
            return found if found.cause else None
    return None


def list_lines(text: str) -> list[str]:
    """The lines of a text if every one is an entry of a list (`- x`, `1. x`), otherwise nothing."""
    lines = [line for line in text.split("\n") if line.strip()]
    return lines if lines and all(re.match(_LIST_LINE, line) for line in lines) else []
