"""With which functions of a module to begin, so that all prompts are seen that it puts together."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple

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
from promptlint.lint.flow.scope import bound
from promptlint.lint.flow.signs import Signs

_MOST_CALLERS = 400  # functions that are looked at because they lead to a prompt


class Root(NamedTuple):
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


def roots(module: Module, told: Signs) -> Iterator[Root | None]:
    """The functions with which to begin, those that nobody calls first; None: the body of the module."""
    known = _functions(module)
    starts = [one.start for one in known]
    holders = {place: _holding(known, starts, place) for place in told.places}
    outside = [place for place, holder in holders.items() if holder is None]
    if outside:
        holders |= {use: _holding(known, starts, use) for use in _uses(module, told, outside)}
    wanted = {holder for holder in holders.values() if holder is not None}
    called = _with_callers(known, starts, told, wanted)
    for number in sorted(wanted):
        if not called[number]:
            yield Root(known[number].function, known[number].types, True)
    for number in sorted(wanted):
        if called[number]:
            yield Root(known[number].function, known[number].types, False)
    if outside:
        yield None


class _Given(NamedTuple):
    """A statement of a module that gives names their values, with the characters that it takes."""

    start: int
    end: int
    names: tuple[str, ...]


def _uses(module: Module, told: Signs, places: Sequence[int]) -> Iterator[int]:
    """Where the names are used that the statements of the module at some places give their values."""
    given = [
        _Given(*module.chars(one.span), tuple(bound(one.target))) for one in module.body if isinstance(one, Assign)
    ]
    starts = [one.start for one in given]
    names: dict[str, None] = {}
    waiting = list(places)
    while waiting:
        place = waiting.pop()
        number = bisect_right(starts, place) - 1
        if number >= 0 and given[number].end > place:
            new = [name for name in given[number].names if name not in names]
            names |= dict.fromkeys(new)
            waiting += [use for name in new for use in told.words.get(name, ())]  # another statement may pass it on
    for name in names:
        yield from told.words.get(name, ())


def _holding(known: list[_Known], starts: list[int], place: int) -> int | None:
    """The function that holds a place; none of them holds another."""
    number = bisect_right(starts, place) - 1
    return number if number >= 0 and known[number].end > place else None


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
