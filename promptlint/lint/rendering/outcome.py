"""What rendering a template has shown, of whichever kind it is."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import NamedTuple

from promptlint.lint.rendering.attempts import Fault, Stage
from promptlint.lint.rendering.chat import chat_effects
from promptlint.lint.rendering.clock import Moved
from promptlint.lint.rendering.effects import Effect, effects
from promptlint.lint.rendering.turns import Rewrite
from promptlint.prompt import TemplateSource
from promptlint.template import Template


class RenderedEffects(NamedTuple):
    """What was found. A template that could not be rendered at all has a `failure` or a `refusal`, or is `untried`."""

    is_chat: bool  # conversations were rendered; else its arguments were varied
    rewrites: tuple[Rewrite, ...] = ()
    moved: tuple[Moved, ...] = ()
    effects: tuple[Effect, ...] = ()
    failure: Fault | None = None  # a limit that the template ran into, or what it reached for
    refusal: Fault | None = None  # why it takes nothing that was made up
    untried: str = ""  # why it was not tried to the end


def rendered_effects(
    template: Template,
    source: TemplateSource,
    roots: Sequence[str],
    on: Stage,
    *,
    now: datetime,
    count: Callable[[str], int],
) -> RenderedEffects:
    """Renders conversations through a chat template; varies the arguments of any other, and of one that takes none."""
    found: RenderedEffects | None = None
    if template.is_chat:
        chat = chat_effects(source, on, now=now, count=count)
        found = RenderedEffects(True, chat.rewrites, chat.moved, (), chat.failure, chat.refusal, chat.untried)
        if found.refusal is None or "raise_exception" in source.source:  # which only chat templates call
            return found
    other = effects(template, source.source, roots, on, now=now, count=count)
    if found is not None and other.refusal is not None:
        return found
    return RenderedEffects(False, (), other.moved, other.effects, other.failure, other.refusal, other.untried)
