"""Functions that a template calls: which of them answer with the time, the date, or at random (data/volatile.yaml)."""

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Literal

from promptlint import facts
from promptlint.lint.hit import Hit
from promptlint.lint.stranded import behind, printed_calls
from promptlint.lint.subject import TemplateSubject
from promptlint.lint.variables import snake
from promptlint.template import Call

WITHIN_A_DAY = frozenset("HIpMSfsXcTRrklzZ")
"""Directives of strftime that change within a day."""


def clock_of(call: Call) -> Literal["time", "day"] | None:
    """What a call prints of the current moment; None where it prints none."""
    if _is(call, "day"):
        return "day"
    if not _is(call, "time"):
        return None
    if call.format is None:
        return "time"
    directives = re.findall(r"%[-#_0^]?(\w)", call.format)
    if any(directive in WITHIN_A_DAY for directive in directives):
        return "time"
    return "day" if directives else None


def is_random(call: Call) -> bool:
    """Whether a call or a filter answers otherwise each time."""
    return call.name == "|random" or _is(call, "random")


def hit_of_call(subject: TemplateSubject, wanted: Callable[[Call], bool]) -> Iterator[Hit]:
    """Each call of a kind that is printed ahead of more than a tail; a hole elsewhere that prints it is related."""
    for call, hole, part in printed_calls(subject):
        if wanted(call) and (rest := behind(subject, part)).matters:
            here, there = call.range, hole.range
            inside = here.file == there.file and there.start <= here.start < there.end
            yield Hit(here, {"call": named(call), "behind": rest.words}, () if inside else (there,), rest.tokens)


def named(call: Call) -> str:
    """A call, as a sentence names it."""
    return call.name if call.name.startswith("|") else f"{call.name}()"


def _is(call: Call, kind: str) -> bool:
    *owners, name = map(snake, call.name.split("."))
    return name in _row(kind) and all(owner in _row("owners") for owner in owners)


@cache
def _row(name: str) -> frozenset[str]:
    return frozenset(facts.table("volatile")["functions"][name])
