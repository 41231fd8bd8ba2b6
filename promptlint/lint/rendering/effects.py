"""Differential rendering: a template with each of its arguments varied, to see where each first moves the text."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from promptlint.lint.rendering.attempts import Fault, Refused, Stage, Stopped, Untried, attempt, bounded, is_unsafe
from promptlint.lint.rendering.clock import Moved, Renderings, far, moved, steady
from promptlint.lint.rendering.expressions import Use
from promptlint.lint.rendering.made_up import Making, falsy, is_switch, made_up
from promptlint.lint.rendering.printed import Sources, place, sources
from promptlint.lint.rendering.stranded import stranded
from promptlint.lint.rendering.tags import tags
from promptlint.lint.rendering.uses import LONGEST, uses
from promptlint.prompt import Rendering
from promptlint.read.names import shown
from promptlint.read.raw import common_prefix
from promptlint.render import template as rendering
from promptlint.template import SourceRange, Template

MOST = 64  # arguments that are varied
_UNCLEAR = ("text", "number", "list")
_NONE = "no effect"


class Effect(NamedTuple):
    """Where an argument first moves the text, if all others stay."""

    name: str
    at: SourceRange | None  # what prints that place; None: it has no effect, or the place is not known
    shared_chars: int  # of the text, ahead of it
    shared_tokens: int
    stranded_tokens: int  # behind it: of the template's own text
    note: str = ""  # why nothing is known, or "no effect"


class Effects(NamedTuple):
    """What differential rendering shows."""

    effects: tuple[Effect, ...]
    moved: tuple[Moved, ...] = ()  # functions that are clocks
    failure: Fault | None = None  # a limit that the template ran into, or what it reached for
    refusal: Fault | None = None  # why it takes none of the values that were made up
    untried: str = ""  # why it was not tried to the end


class _Base(NamedTuple):
    """A rendering that the others are compared with."""

    template: rendering.Template
    files: Sources
    known: Mapping[str, Use]
    values: dict[str, Any]
    found: Rendering
    unclear: str
    now: datetime
    count: Callable[[str], int]


def effects(
    template: Template,
    text: str,
    roots: Sequence[str],
    on: Stage,
    *,
    now: datetime,
    count: Callable[[str], int],
) -> Effects:
    """Varies each argument of an application's template, one at a time. `count`: tokens of a text."""
    source = rendering.Template(shown(template.name), text, "application", tuple(roots))
    done: list[Effect] = []
    times: list[Moved] = []
    try:
        known = _uses(template)
        base = _first(on, source, sources(template.files), known, steady(now), count)
        done.extend(_varied(on, base, template.arguments[:MOST]))
        for clock in (name for name in known if name not in template.arguments and "clock" in _kinds(known[name])):
            times.extend(_times(on, base, clock))
    except Refused as refused:
        fault = refused.args[0]
        return Effects((), failure=fault) if is_unsafe(fault) else Effects((), refusal=fault)
    except Untried as untried:
        return Effects(tuple(done), tuple(times), untried=str(untried))
    except Stopped as stopped:
        return Effects(tuple(done), tuple(times), stopped.args[0])
    return Effects(tuple(done), tuple(times))


def _uses(template: Template) -> dict[str, Use]:
    """Raises Untried for a template that is too long, Stopped for one that is nested too deeply."""
    bounded(*(file.text for file in template.files))
    size = sum(tag.end - tag.start for file in template.files for tag in tags(file.text))
    if size > LONGEST:
        raise Untried(f"its tags of {size:,} characters are too long for values to be made up")
    try:
        known = uses(file.text for file in template.files)
    except RecursionError:
        raise Stopped(Fault("it is nested too deeply")) from None
    except ValueError as error:
        raise Untried(str(error)) from None
    return {**{name: Use() for name in template.arguments}, **known}


def _first(
    on: Stage,
    source: rendering.Template,
    files: Sources,
    known: Mapping[str, Use],
    now: datetime,
    count: Callable[[str], int],
) -> _Base:
    """A rendering with values that are made up. Raises Refused where none of the kinds fits."""
    first: Refused | None = None
    for unclear in _UNCLEAR:
        how = Making(0, now, unclear)
        values = {name: made_up(use, name, how) for name, use in known.items()}
        try:
            found = attempt(on, source, values, now)
        except Refused as refused:
            first = first or refused
        else:
            return _Base(source, files, known, values, found, unclear, now, count)
    assert first is not None
    raise first


def _varied(on: Stage, base: _Base, names: Sequence[str]) -> Iterator[Effect]:
    """Each argument, with the others as they are; where that shows nothing, with all switches off."""
    off: _Base | None = None
    for name in names:
        effect = _vary(on, base, name)
        if effect.note == _NONE:
            off = off or _switched_off(on, base)
            effect = _vary(on, off, name)
        if effect.note == _NONE and "handed" in _kinds(base.known[name]):
            effect = effect._replace(note="it is handed to a function that only the application knows")
        yield effect


def _vary(on: Stage, base: _Base, name: str) -> Effect:
    note = _NONE
    for value in _others(base, name):
        try:
            after = attempt(on, base.template, {**base.values, name: value}, base.now)
        except Refused as refused:
            note = refused.args[0].reason
            continue
        if after.text != base.found.text:
            return _effect(base, name, after)
    size = len(base.found.text)
    return Effect(name, None, size, base.count(base.found.text), 0, note)


def _switched_off(on: Stage, base: _Base) -> _Base:
    """The same with every value that is only tested being false, if the template takes that."""
    off = {name: False for name, use in base.known.items() if is_switch(use)}
    values = base.values | off
    try:
        return base._replace(values=values, found=attempt(on, base.template, values, base.now)) if off else base
    except Refused:
        return base


def _others(base: _Base, name: str) -> Iterator[Any]:
    """Values that the argument is given instead, the likeliest first."""
    use, value = base.known[name], base.values[name]
    for variant in (1, 2):
        yield made_up(use, name, Making(variant, far(base.now), base.unclear))
    if value is not None:
        yield falsy(value)


def _effect(base: _Base, name: str, after: Rendering) -> Effect:
    before = base.found
    at = common_prefix(before.text, after.text)
    here = place(before, at, base.files) or place(after, at, base.files)
    lost = stranded(before, after, at, at)
    return Effect(name, here, at, base.count(before.text[:at]), base.count(lost))


def _times(on: Stage, base: _Base, name: str) -> Iterator[Moved]:
    """The times that a name prints which is a clock, such as `now` in `now().strftime(...)`."""

    def render(now: datetime) -> Rendering:
        value = made_up(base.known[name], name, Making(0, now))
        return attempt(on, base.template, {**base.values, name: value}, base.now)

    try:
        found = Renderings(render, base.now, base.found, render(far(base.now)))
        yield from moved(found, name, base.files, base.count)
    except Refused:
        return


def _kinds(use: Use) -> set[str]:
    """The kinds of a value and of all that is reached through it."""
    below = (*use.attributes.values(), use.item, use.member, use.answer)
    return use.kinds.union(*(_kinds(each) for each in below if each is not None))
