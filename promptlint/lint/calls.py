"""Functions that a template calls: which of them answer with the time, the date, or at random (data/volatile.yaml)."""

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Literal

from promptlint import facts
from promptlint.lint.hit import Hit
from promptlint.lint.stranded import calls_that_print, losses
from promptlint.lint.subject import TemplateSubject
from promptlint.lint.variables import snake
from promptlint.template import Call, Hole, Template

_DIRECTIVE = r"%[-#_0^]?(\w)"
_SECONDS, _MINUTES, _HOURS = frozenset("SsfXcTr"), frozenset("MR"), frozenset("HIpkl")
_WHOLE_DAYS = r"(?:\.(?:date|weekday|isoweekday|toordinal|isocalendar)\(\)|\.(?:year|month|day)|\[:(?:10|7|4)\])$"


def clock_of(template: Template, call: Call) -> Literal["time", "day"] | None:
    """What a call prints of the current moment; None where it prints none."""
    known = _kind(call)
    if known not in ("time", "day"):
        return None
    if call.format is None:
        return "day" if known == "day" or re.search(_WHOLE_DAYS, _written(template, call)) else "time"
    directives = frozenset(re.findall(_DIRECTIVE, call.format))
    if not directives:
        return None
    return "time" if directives & (_SECONDS | _MINUTES | _HOURS) else "day"


def is_random(template: Template, call: Call) -> bool:
    """Whether a call or a filter answers otherwise each time."""
    return _kind(call._replace(name=call.name.lstrip("|"))) == "random"


def hits_of_calls(subject: TemplateSubject, wanted: Callable[[Template, Call], bool]) -> Iterator[Hit]:
    """Each call of a kind that is printed ahead of more than a tail; a hole elsewhere that prints it is related."""
    template = subject.template
    behind = losses(subject)
    for call, there, hole, part in calls_that_print(subject):
        if not wanted(template, call) or not (rest := behind(part)).matters:
            continue
        inside = call.range.file == there.file and there.start <= call.range.start < there.end
        values = {
            "call": named(call),
            "unless": "" if hole is None else _unless(template, hole),
            "does": "prints" if hole is not None else "decides what is printed by",
            "often": _often(template, call) if hole is not None else "when that changes",
            "behind": rest.words,
        }
        open_format = call.format is None and re.search(r"strftime\(|\.format\(", _written(template, call)) is not None
        yield Hit(
            call.range,
            values,
            () if inside else (there,),
            rest.lost,
            severity="warning" if hole is None else None,
            confidence="possible" if open_format else None,
        )


def named(call: Call) -> str:
    """A call, as a sentence names it."""
    return call.name if call.name.startswith("|") else f"{call.name}()"


def _often(template: Template, call: Call) -> str:
    """How often the time of day differs that a call prints."""
    if ending := re.search(r"\.(hour|minute)$", _written(template, call)):
        return f"every {ending[1]}"
    directives = frozenset(re.findall(_DIRECTIVE, call.format or ""))
    if not directives or directives & _SECONDS:
        return "by each request"
    return "every minute" if directives & _MINUTES else "every hour"


def _unless(template: Template, hole: Hole) -> str:
    """The argument with which a caller decides what the hole prints."""
    where = hole.expression
    name = template.files[where.file].text[where.start : where.end]
    return f", unless the caller gives {name}" if name in hole.names else ""


def _written(template: Template, call: Call) -> str:
    return template.files[call.range.file].text[call.range.start : call.range.end]


def _kind(call: Call) -> str | None:
    return kind_of_function(call.name)


def kind_of_function(dotted: str) -> str | None:
    """What a function of this name answers with: "day", "time" or "random"; None where nothing is known."""
    *owners, name = map(snake, dotted.split("."))
    whole = ".".join((*owners, name))
    if known := next((kind for kind in ("day", "time", "random") if whole in _row(kind)), None):
        return known
    if not all(owner in _row("owners") for owner in owners):
        return None
    if name == "today" and owners[-1:] == ["datetime"]:
        return "time"
    return next((kind for kind in ("day", "time", "random") if name in _row(kind)), None)


@cache
def _row(name: str) -> frozenset[str]:
    return frozenset(facts.table("volatile")["functions"][name])
