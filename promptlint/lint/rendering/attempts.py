"""One try to render a template: a text, a refusal, or the end of all tries."""

import time
from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple

from promptlint.errors import PromptlintError
from promptlint.prompt import Rendering
from promptlint.render.template import Template
from promptlint.render.template.process import Renderer

WALL = 2.5  # seconds of one rendering
LATEST = 1.6  # seconds: none begins later once one was slow, so that a runaway ends within six, by its own limits
LATEST_OF_QUICK = 2.2  # seconds, on a machine that is busy with other things
SLOW = 0.3  # seconds, of one rendering
LONGEST = 1_000_000  # characters of a text that is still compared, and of a source that is still rendered
MOST_ORIGINS = 20_000
_TAKES = "rendering it took more than "  # so many seconds: which limit comes first is chance
_TOO_LONG = "rendering it takes too long"
_TOO_MANY = "it goes over more than 100,000 numbers"
_WORDS = ((_TAKES, _TOO_LONG), ("Range too big", _TOO_MANY))
_LIMITS = (
    _TOO_LONG,
    "rendering it ended its process ",
    "rendering it gave an answer that cannot be read",
    "it needs more than ",
    "its text is longer than ",
    "it calls itself, or is nested, too deeply",
    "includes, imports or extends itself",
    _TOO_MANY,
)
_NOTHING = Template("nothing", "", "application")
_UNSAFE = " is unsafe"  # how Jinja's sandbox words what it does not allow


class Fault(NamedTuple):
    """Why there is no text."""

    reason: str  # without the name of the template
    line: int | None = None  # of the template, from 1, where that is known


class Refused(Exception):
    """The template does not take these variables; its argument is a Fault."""


class Stopped(Exception):
    """No more renderings of this file: it ran into a limit. Its argument is a Fault."""


class Untried(Exception):
    """No more renderings of this file, which says nothing against it. Its argument is a sentence."""


class Stage:
    """Where the renderings of one file take place, and how long they took so far."""

    def __init__(self, renderer: Renderer) -> None:
        self.renderer = renderer
        self.answered = 0  # texts so far
        self.is_ended = False  # one of them ran into a limit
        self._is_warm = False
        self._slowest = self._spent = 0.0

    @property
    def is_over(self) -> bool:
        """Whether no rendering may begin any more."""
        return self._spent > (LATEST if self._slowest > SLOW else LATEST_OF_QUICK)

    def render(self, template: Template, variables: Mapping[str, Any], now: datetime) -> Rendering:
        """As the renderer does it, with its time counted."""
        if not self._is_warm:  # a process that has to start first makes no slow template
            self.renderer.render(_NOTHING, {}, now=now)
            self._is_warm = True
        began = time.monotonic()
        try:
            return self.renderer.render(template, variables, now=now)
        finally:
            took = time.monotonic() - began
            self._spent += took
            self._slowest = max(self._slowest, took)


def bounded(*sources: str) -> None:
    """Raises Untried for a template that is too long."""
    size = sum(map(len, sources))
    if size > LONGEST:
        raise Untried(f"its {size:,} characters are too many")


def attempt(on: Stage, template: Template, variables: Mapping[str, Any], now: datetime) -> Rendering:
    """What the template makes of the variables. Raises Refused, Stopped and Untried."""
    if on.is_ended:
        raise Untried("another template of this file ran into a limit")
    if on.is_over:
        raise Untried("rendering it several times takes too long")
    try:
        found = on.render(template, variables, now)
    except PromptlintError as error:
        fault = _fault(template, error.message)
        if not any(limit in fault.reason for limit in _LIMITS):
            raise Refused(fault) from None
        on.is_ended = True
        raise Stopped(fault) from None
    if len(found.text) > LONGEST or len(found.origins) > MOST_ORIGINS:
        on.is_ended = True
        raise Stopped(Fault(f"short values make a text of {len(found.text):,} characters"))
    on.answered += 1
    return found


def is_unsafe(fault: Fault) -> bool:
    """Whether a template was refused because it reaches for what the sandbox keeps from it."""
    return fault.reason.endswith(_UNSAFE) or _UNSAFE + "." in fault.reason


def _fault(template: Template, message: str) -> Fault:
    """What the renderer says, taken apart."""
    reason = message.removeprefix(template.name)
    if reason == message:  # of a file that it includes
        return Fault(message)
    number, _, rest = reason.removeprefix(":").partition(": ")
    line, reason = (int(number), rest) if number.isdecimal() else (None, reason.removeprefix(": "))
    return Fault(next((words for said, words in _WORDS if said in reason), reason), line)
