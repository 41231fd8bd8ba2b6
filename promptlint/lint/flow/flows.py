"""A source file -> the changes that reach a prompt through it."""

import gc
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from promptlint.errors import PromptlintError
from promptlint.lint.flow import evaluate, execute
from promptlint.lint.flow.calls import answer_of, classes, instance
from promptlint.lint.flow.code import (
    Assign,
    Branch,
    Call,
    Constant,
    Define,
    Do,
    Expression,
    Function,
    Lambda,
    Loop,
    Mapping,
    Module,
    Name,
    Statement,
    Type,
)
from promptlint.lint.flow.flow import Flow
from promptlint.lint.flow.project import Project, language_of
from promptlint.lint.flow.prompts import seen_answer, seen_parameters
from promptlint.lint.flow.run import EXPRESSIONS, STATEMENTS, Run
from promptlint.lint.flow.scope import Frame, Scope, bound
from promptlint.lint.flow.signs import Signs, signs
from promptlint.lint.flow.values import (
    At,
    Class,
    Code,
    Element,
    Several,
    Unknown,
    Value,
)
from promptlint.prompt import Document

EXPRESSIONS.update(evaluate.HANDLERS)
STATEMENTS.update(execute.HANDLERS)

_MOST_CALLERS = 400  # functions that are looked at because they lead to a prompt


class Source(NamedTuple):
    """A module with the changes that reach prompts through it, and the modules of the project that it led to."""

    modules: tuple[Module, ...]  # the first is the one that was looked at
    documents: tuple[Document, ...]  # of the modules
    flows: tuple[Flow, ...]  # one for each place, in the order of the text
    complete: bool  # all of it was followed
    looked_for: tuple[str, ...]  # paths of files that it depends on, whether they are there or not


def read_source(document: Document) -> Source | None:
    """Follow what may reach a prompt; None where nothing in the source says that it puts one together.

    Nothing of the code runs; other files of its project are read. Raises PromptlintError for what cannot be parsed.
    """
    told = signs(language_of(document.path), document.text)
    if not told.places:
        return None
    with _collecting_seldom():
        return _followed(document, told)


@contextmanager
def _collecting_seldom() -> Iterator[None]:
    """Trees and values are made by the ten thousand and live on: looking for garbage as often as usual finds none."""
    usual = gc.get_threshold()
    gc.set_threshold(100_000, 20, 50)
    try:
        yield
    finally:
        gc.set_threshold(*usual)


def _followed(document: Document, told: Signs) -> Source:
    project = Project(document)
    run = Run(project, told)
    for root in list(_roots(run, told)):
        try:
            if root is None:
                _run_script(run)
            elif (0, root.function.span) not in run.entered or root.is_first:
                _run_root(run, root)
        except (RecursionError, PromptlintError):  # a body that is nested too deeply
            run.is_cut_off = True
    flows = tuple(_told_once(run))
    return Source(tuple(project.modules), tuple(project.documents), flows, not run.gave_up, tuple(project.looked_for))


class _Root(NamedTuple):
    """A function that is looked at as if somebody called it."""

    function: Function
    types: tuple[Type, ...]  # the classes that it is a method of
    is_first: bool  # nobody calls it here


class _Known(NamedTuple):
    """A function of a module, with the characters that it takes."""

    start: int
    end: int
    function: Function
    types: tuple[Type, ...]


def _functions(module: Module) -> list[_Known]:
    """The functions of a module and the methods of its classes, without those inside of others; by their start."""
    found: list[_Known] = []

    def look(body: Sequence[Statement], types: tuple[Type, ...]) -> None:
        for statement in body:
            match statement:
                case Define(function=function):
                    start, end = module.chars(function.span)
                    start = min([start, *(module.chars(one.span)[0] for one in function.decorators)])
                    found.append(_Known(start, end, function, types))
                case Type(body=inner):
                    look(inner, (*types, statement))
                case Branch(then=then, otherwise=otherwise):
                    look((*then, *otherwise), types)
                case Loop(body=inner):
                    look(inner, types)
                case _:
                    for function, name in _functions_in(statement):
                        start, end = module.chars(function.span)
                        found.append(_Known(start, end, function._replace(name=function.name or name), types))

    look(module.body, ())
    return sorted(found, key=lambda one: (one.start, -one.end))


def _functions_in(statement: Statement) -> Iterator[tuple[Function, str]]:
    """Functions that a statement of a module holds as values, with names: `const f = () => ...`, `{f: () => ...}`."""
    waiting: list[tuple[Expression | None, str]] = []
    if isinstance(statement, Assign | Do):
        target = statement.target if isinstance(statement, Assign) else None
        waiting = [(statement.value, target.name if isinstance(target, Name) else "")]
    while waiting:
        node, name = waiting.pop()
        match node:
            case Lambda(function=function):
                yield function, name
            case Mapping(entries=entries):
                keys = (entry.key.text or "" if isinstance(entry.key, Constant) else "" for entry in entries)
                waiting += zip((entry.value for entry in entries), keys, strict=True)
            case Call(arguments=arguments):
                waiting += [(argument.value, argument.name or name) for argument in arguments]
            case _:
                pass


def _roots(run: Run, told: Signs) -> Iterator[_Root | None]:
    """The functions with which to begin, those that nobody calls first; None: the body of the module."""
    known = _functions(run.module(0))
    starts = [one.start for one in known]
    wanted: set[int] = set()
    script = False
    for place in told.places:
        number = _holding(known, starts, place)
        if number is None:
            script = True
            for use in _uses(run, told, place):
                number = _holding(known, starts, use)
                wanted |= set() if number is None else {number}
        else:
            wanted.add(number)
    called = _with_callers(known, starts, told, wanted)
    for number in sorted(wanted):
        if not called[number]:
            yield _Root(known[number].function, known[number].types, True)
    for number in sorted(wanted):
        if called[number]:
            yield _Root(known[number].function, known[number].types, False)
    if script:
        yield None


def _uses(run: Run, told: Signs, place: int) -> Iterator[int]:
    """Where the names are used that the statement of the module at a place gives their values."""
    module = run.module(0)
    for statement in module.body:
        if isinstance(statement, Assign):
            start, end = module.chars(statement.span)
            if start <= place < end:
                for name in bound(statement.target):
                    yield from told.words.get(name, ())


def _holding(known: list[_Known], starts: list[int], place: int) -> int | None:
    """The innermost function that holds a place."""
    number = bisect_right(starts, place) - 1
    while number >= 0:
        if known[number].end > place:
            return number
        number -= 1
        if number >= 0 and place - known[number].start > 400_000:
            return None
    return None


def _with_callers(known: list[_Known], starts: list[int], told: Signs, wanted: set[int]) -> dict[int, set[int]]:
    """Add those who name the wanted functions; the answer says who calls whom."""
    callers: dict[int, set[int]] = {number: set() for number in wanted}
    waiting = list(wanted)
    while waiting and len(callers) <= _MOST_CALLERS:
        number = waiting.pop()
        one = known[number]
        for place in told.words.get(one.function.name, ()):
            holder = _holding(known, starts, place)
            if holder is None or holder == number or one.start <= place < one.end:
                continue
            callers[number].add(holder)
            if holder not in callers:
                callers[holder] = set()
                wanted.add(holder)
                waiting.append(holder)
    return callers


def _run_script(run: Run) -> None:
    module = run.module(0)
    scope = run.globals_of(0).scope
    frame = Frame(scope, frozen=True, is_script=True)
    run.block(module.body, frame)


def _run_root(run: Run, root: _Root) -> None:
    """Run a function with arguments of which nothing is known."""
    run.given_anew.clear()
    outer = run.globals_of(0).scope
    owner: Value | None = None
    code_type = None
    frozen = Frame(outer, frozen=True, depth=1)
    for one in root.types:
        code_type = Class(one, outer)
    if code_type is not None:
        owner = instance(run, code_type, [], At(0, root.function.span), frozen)
    code = Code(root.function, outer, owner, code_type)
    frame = Frame(Scope(0, outer), depth=1, calls=((0, root.function.span),))
    run.entered.add((0, root.function.span))
    if root.function.name in ("__init__", "constructor"):
        frame.frozen = frame.constructs = True
    _bind(run, code, frame)
    from promptlint.lint.flow.calls import _is_kept

    frame.frozen = frame.frozen or _is_kept(run, code, frame)
    run.block(root.function.body(), frame)
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
        value = _of_type(run, one.name, one.type, frame)
        if one.pattern is not None:
            execute.declare(one.pattern, frame)
            execute.assign(run, one.pattern, value, frame)
        else:
            names[one.name] = value


def _of_type(run: Run, name: str, type_name: str, frame: Frame) -> Value:
    if run.language(frame) == "python" and type_name.lower() in ("set", "frozenset", "abstractset", "mutableset"):
        made = Several([Element(Unknown(name), spread=True)], is_set=True, parameter=name)
        made.order = run.change("unordered", "a set", frame_place(frame), frame)
        return made
    if type_name.endswith("[]") or type_name.startswith(("Array", "list", "List", "ReadonlyArray")):
        return Several([Element(Unknown(name), spread=True)], parameter=name)
    found = run.of_module(frame.scope.module, type_name) if type_name else None
    if isinstance(found, Class) and len(classes(run, found)) < 6:
        return instance(run, found, [], frame_place(frame), Frame(found.scope, frozen=True, depth=2))
    return Unknown(name, is_parameter=True)


def frame_place(frame: Frame) -> At:
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
        return change.kind, flow.slot, flow.into, change.path, change.at.module
    if change.kind in ("clock", "date"):
        return change.origin, flow.slot, flow.into
    return change.at, flow.slot, change.kind


def _worth(flow: Flow) -> tuple[bool, bool, int]:
    return flow.certain, flow.more, len(flow.behind)
