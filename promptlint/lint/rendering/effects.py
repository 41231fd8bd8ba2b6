"""Differential rendering: a template with each of its arguments varied, to see where each first moves the text."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from promptlint.lint.rendering.attempts import Refused, Stage, Stopped, attempt, bounded, is_unsafe
from promptlint.lint.rendering.clock import Moved, Renderings, far, moved, steady
from promptlint.lint.rendering.expressions import Use
from promptlint.lint.rendering.made_up import Making, changed, falsy, is_switch, made_up
from promptlint.lint.rendering.printed import Sources, place, sources
from promptlint.lint.rendering.stranded import stranded
from promptlint.lint.rendering.tags import tags
from promptlint.lint.rendering.uses import LONGEST, uses
from promptlint.prompt import Rendering
from promptlint.read.names import shown
from promptlint.read.raw import common_prefix
from promptlint.render import template as rendering
from promptlint.render.template.process import Renderer
from promptlint.template import SourceRange, Template

MOST = 64  # arguments that are varied
_UNCLEAR = ("text", "number", "list")
_NONE = "no effect"
_AT_RANDOM = "picks at random"  # in a note of the renderer


class Effect(NamedTuple):
    """Where an argument first moves the text, if all others stay."""

    name: str
    at: SourceRange | None  # what prints that place; None: it has no effect, or the place is not known
    shared_chars: int  # of the text, ahead of it
    shared_tokens: int
    stranded_tokens: int  # behind it: of the template's own text, and of given values, that stays equal
    is_given: bool  # one of the two values is the user's, none is a guess
    note: str = ""  # why nothing is known, or "no effect"


class Effects(NamedTuple):
    """What differential rendering shows. `failure`: a limit that the template ran into; empty if there was none."""

    effects: tuple[Effect, ...]
    moved: tuple[Moved, ...] = ()  # arguments that are clocks
    tokens: int = 0  # of one rendering
    is_random: bool = False  # equal values give other texts
    failure: str = ""
    notes: tuple[str, ...] = ()


class _Base(NamedTuple):
    """A rendering that the others are compared with."""

    template: rendering.Template
    files: Sources
    known: Mapping[str, Use]
    given: Mapping[str, Any]
    values: dict[str, Any]
    found: Rendering
    unclear: str
    now: datetime
    count: Callable[[str], int]


def effects(
    template: Template,
    text: str,
    name: str,
    roots: Sequence[str],
    renderer: Renderer,
    *,
    given: Mapping[str, Any] | None,
    now: datetime,
    count: Callable[[str], int],
) -> Effects:
    """Varies each argument of an application's template, one at a time.

    `given`: values of the user's own, JSON data; for the others, values are made up. `count`: tokens of a text.
    """
    on = Stage(renderer)
    source = rendering.Template(shown(name), text, "application", tuple(roots))
    done: list[Effect] = []
    times: list[Moved] = []
    try:
        known = _uses(template)
        base = _first(on, source, sources(template.files), known, given or {}, steady(now), count)
        for effect in _varied(on, base, template.arguments[:MOST]):
            done.append(effect)
        for clock in (name for name in known if name not in base.given and "clock" in _kinds(known[name])):
            times.extend(_times(on, base, clock))
    except Refused as refused:
        reason = str(refused)
        return Effects((), failure=reason if is_unsafe(reason) else "", notes=(reason,))
    except Stopped as stopped:
        return Effects(tuple(done), tuple(times), failure=str(stopped))
    untried = len(template.arguments) - MOST
    notes = (f"{untried} of {len(template.arguments)} arguments are not varied",) if untried > 0 else ()
    at_random = any(_AT_RANDOM in note for note in base.found.notes)
    return Effects(tuple(done), tuple(times), count(base.found.text), at_random, "", notes)


def _uses(template: Template) -> dict[str, Use]:
    """Raises Stopped for a template that is too long or nested too deeply, Refused for one that does not parse."""
    bounded(shown(template.name), *(file.text for file in template.files))
    size = sum(tag.end - tag.start for file in template.files for tag in tags(file.text))
    if size > LONGEST:
        raise Refused(f"{shown(template.name)}: its tags of {size:,} characters are too long for values to be made up")
    try:
        known = uses(file.text for file in template.files)
    except RecursionError:
        raise Stopped(f"{shown(template.name)}: it is nested too deeply") from None
    except ValueError as error:
        raise Refused(f"{shown(template.name)}: {error}") from None
    return {**{name: Use() for name in template.arguments}, **known}


def _first(
    on: Stage,
    source: rendering.Template,
    files: Sources,
    known: Mapping[str, Use],
    given: Mapping[str, Any],
    now: datetime,
    count: Callable[[str], int],
) -> _Base:
    """A rendering with all values that are given and others made up. Raises Refused where none of the kinds fits."""
    first: Refused | None = None
    for unclear in _UNCLEAR:
        how = Making(0, now, unclear)
        values = {name: made_up(use, name, how) for name, use in known.items()} | dict(given)
        try:
            found = attempt(on, source, values, now)
        except Refused as refused:
            first = first or refused
        else:
            return _Base(source, files, known, given, values, found, unclear, now, count)
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
            note = str(refused)
            continue
        if after.text != base.found.text:
            return _effect(base, name, after)
    size = len(base.found.text)
    return Effect(name, None, size, base.count(base.found.text), 0, name in base.given, note)


def _switched_off(on: Stage, base: _Base) -> _Base:
    """The same with every value that is only tested being false, if the template takes that."""
    off = {name: False for name, use in base.known.items() if is_switch(use) and name not in base.given}
    values = base.values | off
    try:
        return base._replace(values=values, found=attempt(on, base.template, values, base.now)) if off else base
    except Refused:
        return base


def _others(base: _Base, name: str) -> Iterator[Any]:
    """Values that the argument is given instead, the likeliest first."""
    use, value = base.known[name], base.values[name]
    if name in base.given:
        yield changed(value, use)
    for variant in (1, 2):
        yield made_up(use, name, Making(variant, far(base.now), base.unclear))
    if value is not None:
        yield falsy(value)


def _effect(base: _Base, name: str, after: Rendering) -> Effect:
    before = base.found
    at = common_prefix(before.text, after.text)
    here = place(before, at, base.files) or place(after, at, base.files)
    lost = stranded(before, after, at, at, frozenset(base.given) - {name})
    return Effect(name, here, at, base.count(before.text[:at]), base.count(lost), name in base.given)


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
