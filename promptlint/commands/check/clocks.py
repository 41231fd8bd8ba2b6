"""Functions of a template that no set of variables answers for, and that answer otherwise at another moment."""

import re
from collections.abc import Callable, Collection, Sequence
from datetime import datetime
from hashlib import sha256
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from promptlint.lint.rendering.expressions import Use

Answer = Callable[[datetime], Any]

_CALL = re.compile(r"\{[{%](?:[^(%{}]|%(?!\})|\}(?!\})|\{(?![{%]))*\(")


def clocks(texts: Sequence[str], given: Collection[str]) -> dict[str, Answer]:
    """Name -> what it answers at a moment. `given`: names that have a value."""
    if not any(_CALL.search(each) for each in texts):
        return {}
    from promptlint.lint.rendering.uses import uses

    try:
        found = uses(each for each in texts if "{" in each)
    except (ValueError, RecursionError):  # rendering it says what is wrong
        return {}
    answers = {name: _answer(name, use) for name, use in found.items() if name not in given}
    return {name: answer for name, answer in answers.items() if answer is not None}


def _answer(name: str, use: "Use") -> Answer | None:
    """None for what neither reads the clock nor makes something new each time."""
    from promptlint.lint.calls import kind_of_function
    from promptlint.lint.rendering.made_up import Making, made_up

    if _reads_clock(use):
        return lambda now: made_up(use, name, Making(0, now))
    kind = kind_of_function(name) if use.answer is not None else None
    if kind == "random":
        return lambda now: sha256(now.isoformat().encode()).hexdigest()
    if kind is None:
        return None
    return lambda now: now.date().isoformat() if kind == "day" else now.isoformat()


def _reads_clock(use: "Use") -> bool:
    """Whether a name, a member of it or its answer is used as moments are."""
    inner = [*use.attributes.values(), *([use.answer] if use.answer is not None else [])]
    return "clock" in use.kinds or any(map(_reads_clock, inner))
