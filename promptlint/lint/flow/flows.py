"""A source file -> the changes that reach a prompt through it."""

import gc
from bisect import bisect_left
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from promptlint.lint.flow import evaluate, execute
from promptlint.lint.flow.calls import answer_of, is_kept, of_type, some_instance
from promptlint.lint.flow.code import Define, Module, Name, Parameter, Span, Type
from promptlint.lint.flow.flow import Flow
from promptlint.lint.flow.project import Project, language_of
from promptlint.lint.flow.prompts import seen_answer, seen_parameters
from promptlint.lint.flow.roots import Root, roots
from promptlint.lint.flow.run import EXPRESSIONS, STATEMENTS, Run
from promptlint.lint.flow.scope import Frame, Scope
from promptlint.lint.flow.senders import uses_of_senders
from promptlint.lint.flow.signs import Signs, signs
from promptlint.lint.flow.values import (
    At,
    Class,
    Code,
    Element,
    Fields,
    Several,
    Unknown,
    Value,
)
from promptlint.prompt import Document

EXPRESSIONS.update(evaluate.HANDLERS)
STATEMENTS.update(execute.HANDLERS)

_MOST_INNER = 100  # functions inside of others that are looked at
_MOST_EXTENDING = 4  # classes for which a method of the one that they extend is looked at


class Source(NamedTuple):
    """A module with the changes that reach prompts through it, and the modules of the project that it led to."""

    modules: tuple[Module, ...]  # the first is the one that was looked at; (): there was no need to
    documents: tuple[Document, ...]  # of the modules
    flows: tuple[Flow, ...]  # one for each place, in the order of the text
    complete: bool  # all of it was followed
    looked_for: tuple[str, ...]  # paths of files that it depends on, whether they are there or not


def read_source(document: Document) -> Source:
    """Follow what may reach a prompt; without modules where nothing in the source says that it puts one together.

    Nothing of the code runs; other files of its project are read. Raises PromptlintError for what cannot be parsed.
    """
    told = signs(language_of(document.path), document.text)
    looked_for: tuple[str, ...] = ()
    if document.revision is None:
        uses = uses_of_senders(document.path, document.text, told.words)
        told = told._replace(places=tuple(sorted({*told.places, *uses.places})))
        looked_for = uses.looked_for
    if not told.places:
        return Source((), (), (), True, looked_for)
    with _collecting_seldom():
        source = _followed(document, told)
    return source._replace(looked_for=tuple(dict.fromkeys((*looked_for, *source.looked_for))))


@contextmanager
def _collecting_seldom() -> Iterator[None]:
    """Trees and values are made by the ten thousand and live on: looking for garbage as often as usual finds none.

    The command line looks for none at all, but what is left of a file holds itself, and there may be thousands.
    """
    usual, was_on = gc.get_threshold(), gc.isenabled()
    gc.set_threshold(100_000, 20, 10)
    gc.enable()
    try:
        yield
    finally:
        gc.set_threshold(*usual)
        if not was_on:
            gc.disable()


def _followed(document: Document, told: Signs) -> Source:
    project = Project(document)
    run = Run(project, told)
    for root in list(roots(run.module(0), told)):
        try:
            if root is None:
                _run_script(run)
            elif (0, root.function.span) not in run.entered or root.is_first:
                _run_root(run, root)
            _run_inner(run, told)
        except Exception:  # such as code that is nested too deeply: one function must not hide what others do
            run.is_cut_off = True
    flows = tuple(_told_once(run))
    return Source(tuple(project.modules), tuple(project.documents), flows, not run.gave_up, tuple(project.looked_for))


def _run_script(run: Run) -> None:
    module = run.module(0)
    scope = run.globals_of(0).scope
    frame = Frame(scope, frozen=True, is_script=True)
    run.block(module.body, frame)


def _run_root(run: Run, root: Root) -> None:
    """Run a function with arguments of which nothing is known; a method also for the classes that extend its own."""
    outer = run.globals_of(0).scope
    if not root.types:
        _run_for(run, Code(root.function, outer))
        return
    for one in (root.types[-1], *_extending(run.module(0), root.types[-1])):
        run.entered.add((0, root.function.span))
        owner = some_instance(run, Class(one, outer), At(0, root.function.span), Frame(outer, depth=1))
        _run_for(run, Code(root.function, outer, owner, Class(root.types[-1], outer)))


def _run_inner(run: Run, told: Signs) -> None:
    """Run the functions that a function has made and that nobody has called, where prompts are put together in them."""
    for _ in range(_MOST_INNER):
        waiting = [(place, made) for place, made in run.inner.items() if place not in run.entered and place[0] == 0]
        found = next(((place, made) for place, made in waiting if _holds_sign(run, told, place[1])), None)
        if found is None:
            return
        (_, span), made = found
        run.entered.add((0, span))
        if isinstance(made, Code):
            _run_for(run, made)
            continue
        for statement in made.type.body:
            if isinstance(statement, Define) and (0, statement.function.span) not in run.entered:
                owner = some_instance(
                    run, made, At(0, span), Frame(made.scope, frozen=True, depth=1, calls=((0, span),))
                )
                _run_for(run, Code(statement.function, made.scope, owner, made))


def _holds_sign(run: Run, told: Signs, span: Span) -> bool:
    start, end = run.module(0).chars(span)
    number = bisect_left(told.places, start)
    return number < len(told.places) and told.places[number] < end


def _extending(module: Module, wanted: Type) -> list[Type]:
    """The classes of a module that extend one of it."""
    types = [one for one in module.body if isinstance(one, Type)]
    return [one for one in types if any(isinstance(base, Name) and base.name == wanted.name for base in one.bases)][
        :_MOST_EXTENDING
    ]


def _run_for(run: Run, code: Code) -> None:
    run.given_anew.clear()
    run.seeded.clear()
    here = 0, code.function.span
    frame = Frame(Scope(0, code.scope), depth=1, calls=(here,))
    run.entered.add(here)
    if code.function.name in ("__init__", "constructor"):
        frame.frozen = frame.constructs = True
    _bind(run, code, frame)
    frame.frozen = frame.frozen or is_kept(run, code)
    run.block(code.function.body(), frame)
    seen_answer(run, code, answer_of(frame), frame)
    seen_parameters(run, code, frame)


def _bind(run: Run, code: Code, frame: Frame) -> None:
    """Give a function arguments of which no more is known than their types say."""
    parameters = list(code.function.parameters)
    names = frame.scope.names
    if code.owner is not None:
        names["this"] = code.owner
        if run.language(frame) == "python" and not code.function.is_static and parameters:
            names[parameters.pop(0).name] = code.owner
    for one in parameters:
        value = _open(one) if one.kind != "one" else _of_type(run, one, frame)
        if one.pattern is not None:
            execute.declare(one.pattern, frame)
            execute.assign(run, one.pattern, value, frame)
        else:
            names[one.name] = value


def _open(parameter: Parameter) -> Value:
    """What `*args` and `**kwargs` hold of which nothing is known; more may be put in."""
    name = parameter.name
    if parameter.kind == "rest":
        return Several([Element(Unknown(name), spread=True)])
    return Fields(others=[Unknown(name, is_parameter=True)])


def _of_type(run: Run, parameter: Parameter, frame: Frame) -> Value:
    name, type_name = parameter.name, parameter.type
    if run.language(frame) == "python" and type_name.lower() in ("set", "frozenset", "abstractset", "mutableset"):
        made = Several([Element(Unknown(name), spread=True)], is_set=True, parameter=name)
        made.order = run.change("unordered", "a set", _place_of(frame), frame)
        return made
    if type_name.endswith("[]") or type_name.startswith(("Array", "list", "List", "ReadonlyArray")):
        return Several([Element(Unknown(name), spread=True)], parameter=name)
    return of_type(run, parameter, frame)


def _place_of(frame: Frame) -> At:
    """The function that runs."""
    module, span = frame.calls[-1]
    return At(module, span)


def _told_once(run: Run) -> Iterator[Flow]:
    """The flows, one for each change and part of a prompt.

    Known calls come before what names suggest, and what such a call has shown to be harmless is.
    """
    best: dict[tuple[object, ...], Flow] = {}
    for flow in run.flows:
        change = flow.change
        if not flow.certain and (change.origin, change.at) in run.judged:
            continue
        key = (flow.slot in ("cache_key", "marker"), change.at)
        known = best.get(key)
        if known is None or _worth(flow) > _worth(known):
            best[key] = flow
    groups: dict[tuple[object, ...], list[Flow]] = {}
    for flow in sorted(best.values(), key=lambda flow: (_KINDS.get(flow.change.kind, 0), _place(flow))):
        groups.setdefault(_group(flow), []).append(flow)
    for first, *others in groups.values():
        yield first._replace(also=tuple(other.change.at for other in others))


_KINDS = {"date": 1}  # what is told after the others


def _place(flow: Flow) -> tuple[object, ...]:
    return flow.change.at.module, flow.change.at.span


def _group(flow: Flow) -> tuple[object, ...]:
    """What is told together: one moment in several formats, several facts of the environment in one text."""
    change = flow.change
    if change.kind == "environment":
        return change.kind, flow.slot, flow.into, change.at.module
    if change.kind in ("clock", "date"):
        return change.origin, flow.slot, flow.into
    return change.at, flow.slot, change.kind


def _worth(flow: Flow) -> tuple[bool, bool, int]:
    return flow.certain, flow.more, len(flow.behind)
