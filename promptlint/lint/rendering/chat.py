"""A chat template tried: which earlier text it rewrites as the conversation grows, and what its clock moves."""

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from functools import partial
from typing import Any, NamedTuple

from promptlint.lint.rendering.attempts import Fault, Refused, Stage, Stopped, Untried, attempt, bounded, is_unsafe
from promptlint.lint.rendering.clock import Moved, Renderings, far, moved, steady
from promptlint.lint.rendering.conversations import conversations
from promptlint.lint.rendering.printed import sources
from promptlint.lint.rendering.turns import Chat, Rewrite, rewrites, variables
from promptlint.prompt import Rendering, TemplateSource
from promptlint.read.names import shown
from promptlint.render.template import Template
from promptlint.template import SourceRange, TemplateFile

_CLOCK = "strftime_now"  # the one function of chat templates that reads it
_SHOW_CLOCK = ("of plain turns", "without a system text", "of plain turns with tools")


class ChatEffects(NamedTuple):
    """What was found."""

    rewrites: tuple[Rewrite, ...]
    moved: tuple[Moved, ...]
    failure: Fault | None = None  # a limit that the template ran into, or what it reached for
    refusal: Fault | None = None  # why it takes none of the conversations
    untried: str = ""  # why it was not tried to the end


def chat_effects(source: TemplateSource, on: Stage, *, now: datetime, count: Callable[[str], int]) -> ChatEffects:
    """Renders made-up conversations, turn by turn. `count`: tokens of a text."""
    path = source.document.path
    files = sources((TemplateFile(path, source.source),))
    chat = Chat(Template(shown(path), source.source, "chat"), source, files, steady(now), count)
    turns: list[Rewrite] = []
    clock: list[Moved] = []
    refusals: list[Fault] = []
    answered = on.answered
    try:
        bounded(source.source)
        turns.extend(rewrites(on, chat, refusals))
        clock.extend(_moved(on, chat))
    except Untried as untried:
        return ChatEffects(tuple(turns), tuple(clock), untried=str(untried))
    except Stopped as stopped:
        return ChatEffects(tuple(turns), tuple(clock), stopped.args[0])
    unsafe = next(filter(is_unsafe, refusals), None)
    return ChatEffects(tuple(turns), tuple(clock), unsafe, None if on.answered > answered else refusals[0])


def _moved(on: Stage, chat: Chat) -> Iterator[Moved]:
    """What the clock moves in the first requests of conversations: with a system text, without, with tools.

    All of them at one moment and then at the other: the template is compiled for each.
    """
    if _CLOCK not in chat.source.source:
        return
    chosen = [each for each in conversations(chat.source.source) if each.name in _SHOW_CLOCK]
    given = [variables(chat, each, each.messages[: each.requests[0]]) for each in chosen]
    base = [_rendered(on, chat, each, chat.now) for each in given]
    after = [_rendered(on, chat, each, far(chat.now)) if one else None for each, one in zip(given, base, strict=True)]
    seen: set[SourceRange] = set()
    for values, one, two in zip(given, base, after, strict=True):
        if one is not None and two is not None:
            again = partial(attempt, on, chat.template, values)
            found = list(moved(Renderings(again, chat.now, one, two), _CLOCK, chat.files, chat.count))
            yield from (each for each in found if each.at not in seen)
            seen |= {each.at for each in found}


def _rendered(on: Stage, chat: Chat, given: Mapping[str, Any], now: datetime) -> Rendering | None:
    """None where the template refuses it."""
    try:
        return attempt(on, chat.template, given, now)
    except Refused:
        return None
