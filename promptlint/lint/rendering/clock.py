"""The clock moved: which call of a template moves its text, and how often."""

import re
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from typing import Literal, NamedTuple

from promptlint.lint.rendering.printed import Sources, calls_on_line, place
from promptlint.lint.rendering.stranded import stranded
from promptlint.prompt import Origin, Rendering
from promptlint.read.raw import common_prefix
from promptlint.template import SourceRange

Every = Literal["minute", "hour", "day", "month"]
"""The shortest time after which the text differs; "month" stands for all that is longer than a day."""

_STEPS: tuple[tuple[Every, timedelta], ...] = (
    ("minute", timedelta(seconds=61)),
    ("hour", timedelta(hours=1, seconds=61)),
    ("day", timedelta(days=1, hours=1, seconds=61)),
)
_STRING = r""""([^"\n]*)"|'([^'\n]*)'"""


class Moved(NamedTuple):
    """A place of a template that prints the time."""

    cause: str  # "clock" if it moves within a day, else "date-rollover"
    name: str  # of the function: "strftime_now"
    at: SourceRange  # of its call; of the `{{ ... }}` where that is not known
    every: Every
    printed: str  # at one moment
    shared_tokens: int  # ahead of it
    stranded_tokens: int  # of the template's own text behind it


class _Answer(NamedTuple):
    """What a call printed."""

    origin: Origin
    text: str


def steady(now: datetime) -> datetime:
    """A moment of this month from which each step stays within the next longer span."""
    return now.replace(day=10, hour=10, minute=20, second=30, microsecond=0)


def far(base: datetime) -> datetime:
    """A moment at which every part of a date and of a time is another one."""
    return base + timedelta(days=400, hours=1, seconds=61)


class Renderings(NamedTuple):
    """One template over one set of variables at several moments."""

    at: Callable[[datetime], Rendering]  # renders it; each new moment costs a compilation
    base: datetime  # a steady one
    before: Rendering  # at `base`
    after: Rendering  # far from it


def moved(found: Renderings, name: str, files: Sources, count: Callable[[str], int]) -> Iterator[Moved]:
    """What moves when the clock does, in the order of the text. `name`: the function that reads it."""
    before, after = found.before, found.after
    if before.text == after.text:
        return
    calls = _calls(before)
    numbers = [number for number, call in enumerate(calls) if _differs(after, number, call)]
    if not numbers:
        yield _computed(found, name, files, count)
    for number in numbers:
        origin, text = calls[number]
        at = _range(files, calls, number, found.base)
        form = None if at is None else _format(files[0].text[at.start : at.end], text, found.base)
        every = _by_rendering(found, number, text) if form is None else _by_format(form, found.base)
        yield Moved(
            _cause(every),
            origin.name,
            at or place(before, origin.start, files) or SourceRange(0, 0, 0),
            every,
            text,
            count(before.text[: origin.start]),
            count(stranded(before, after, origin.end, origin.end)),
        )


def _by_format(form: str, base: datetime) -> Every:
    return next((every for every, step in _STEPS if (base + step).strftime(form) != base.strftime(form)), "month")


def _by_rendering(found: Renderings, number: int, text: str) -> Every:
    """`number`: of the call that answered `text`; below 0: the whole text is compared."""
    for every, step in _STEPS:
        after = found.at(found.base + step)
        if after.text != text if number < 0 else _differs(after, number, _calls(found.before)[number]):
            return every
    return "month"


def _cause(every: Every) -> str:
    return "clock" if every in ("minute", "hour") else "date-rollover"


def _calls(found: Rendering) -> list[_Answer]:
    return [_Answer(origin, found.text[origin.start : origin.end]) for origin in found.origins if origin.kind == "call"]


def _differs(found: Rendering, number: int, before: _Answer) -> bool:
    calls = _calls(found)
    return number >= len(calls) or calls[number].text != before.text


def _computed(found: Renderings, name: str, files: Sources, count: Callable[[str], int]) -> Moved:
    """The template reckons with the time: what it prints is no answer of the clock itself."""
    before, after = found.before, found.after
    every = _by_rendering(found, -1, before.text)
    at = common_prefix(before.text, after.text)
    here = place(before, at, files) or place(after, at, files) or SourceRange(0, 0, 0)
    text = stranded(before, after, at, at)
    return Moved(_cause(every), name, here, every, "", count(before.text[:at]), count(text))


def _range(files: Sources, calls: list[_Answer], number: int, base: datetime) -> SourceRange | None:
    """The call on the line of an answer; of several on it, the one whose format gives this answer."""
    origin, text = calls[number]
    if origin.line is None:
        return None
    written = calls_on_line(files[0], origin.name, origin.line)
    fitting = [span for span in written if _format(files[0].text[slice(*span)], text, base) is not None] or written
    same = [n for n, call in enumerate(calls) if call.origin.line == origin.line and call.text == text]
    return SourceRange(0, *fitting[min(same.index(number), len(fitting) - 1)]) if fitting else None


def _format(call: str, text: str, base: datetime) -> str | None:
    """The format that stands in a call, if it gives this answer."""
    form = re.search(_STRING, call)
    written = None if form is None else form[1] or form[2] or ""
    return written if written is not None and base.strftime(written) == text else None
