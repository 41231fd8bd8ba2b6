"""One try to render a template: a text, a refusal, or the end of all tries."""

import time
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from promptlint.errors import PromptlintError
from promptlint.prompt import Rendering
from promptlint.render.template import Template
from promptlint.render.template.process import Renderer

LATEST = 1.5  # seconds: none begins later once one was slow, so that a runaway ends within six, by its own limits
LATEST_OF_QUICK = 3.0  # seconds, on a machine that is busy with other things
SLOW = 0.3  # seconds, of one rendering
LONGEST = 1_000_000  # characters of a text that is still compared, and of a source that is still rendered
MOST_ORIGINS = 20_000
_LIMITS = (
    "rendering it took more than ",
    "rendering it ended its process ",
    "rendering it gave an answer that cannot be read",
    "it needs more than ",
    "its text is longer than ",
    "it calls itself, or is nested, too deeply",
    "includes, imports or extends itself",
)
_UNSAFE = " is unsafe"  # how Jinja's sandbox words what it does not allow


class Refused(Exception):
    """The template does not take these variables; the message says why."""


class Stopped(Exception):
    """No more renderings of this template: it ran into a limit, or their time is over; the message says why."""


class Stage:
    """Where the renderings of one template take place, and how long they took so far."""

    def __init__(self, renderer: Renderer) -> None:
        self.renderer = renderer
        self.answered = 0  # texts so far
        self._slowest = self._spent = 0.0

    @property
    def is_over(self) -> bool:
        """Whether no rendering may begin any more."""
        return self._spent > (LATEST if self._slowest > SLOW else LATEST_OF_QUICK)

    def render(self, template: Template, variables: Mapping[str, Any], now: datetime) -> Rendering:
        """As the renderer does it, with its time counted."""
        began = time.monotonic()
        try:
            return self.renderer.render(template, variables, now=now)
        finally:
            took = time.monotonic() - began
            self._spent += took
            self._slowest = max(self._slowest, took)


def bounded(name: str, *sources: str) -> None:
    """Raises Stopped for a template that is too long to be tried."""
    size = sum(map(len, sources))
    if size > LONGEST:
        raise Stopped(f"{name}: a template of {size:,} characters is too long to be tried")


def attempt(on: Stage, template: Template, variables: Mapping[str, Any], now: datetime) -> Rendering:
    """What the template makes of the variables. Raises Refused and Stopped."""
    if on.is_over:
        raise Stopped(f"{template.name}: rendering it several times takes too long")
    try:
        found = on.render(template, variables, now)
    except PromptlintError as error:
        if any(limit in error.message for limit in _LIMITS):
            raise Stopped(error.message) from None
        raise Refused(error.message) from None
    if len(found.text) > LONGEST or len(found.origins) > MOST_ORIGINS:
        raise Stopped(f"{template.name}: its text of {len(found.text):,} characters is too long to be compared")
    on.answered += 1
    return found


def is_unsafe(reason: str) -> bool:
    """Whether a template was refused because it reaches for what the sandbox keeps from it."""
    return reason.endswith(_UNSAFE) or _UNSAFE + "." in reason
