"""Values that are made once and kept: in a field, a variable of the module, or a mapping, until something resets it."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from promptlint.facts import flow_tables
from promptlint.lint.flow.code import (
    Assign,
    Binding,
    Branch,
    Call,
    Choice,
    Constant,
    Define,
    Do,
    Expression,
    Item,
    Loop,
    Member,
    Name,
    Operation,
    Return,
    Statement,
)
from promptlint.lint.flow.run import Run
from promptlint.lint.flow.scope import Frame, bound
from promptlint.lint.flow.values import Class, Code, Thing, options


def memo(run: Run, node: Branch, frame: Frame) -> Frame | None:
    """`if self._system is None: self._system = ...` runs once, unless something takes the value away again."""
    for statement in node.then if node.test is not None else ():
        if isinstance(statement, Assign) and statement.adds:
            continue
        target = statement.target if isinstance(statement, Assign) else None
        asked = isinstance(target, Member | Name) and _asks_whether_none(node.test, target)
        if not asked:
            target, value = _put_into(statement)
            asked = target is not None and (_reads(node.test, target) or _asks_whether_none(node.test, value))
        if asked and target is not None and not _sends(run, frame.scope.module, node.then):
            inner = frozen_for(run, target, frame)
            if inner is not frame:
                return inner
    return None


def is_memo(run: Run, code: Code) -> bool:
    """Whether a function answers with what it has kept, if it can: `if key in cache: return cache[key]`."""
    place = code.scope.module, code.function.span
    if place not in run.memos:
        run.memos[place] = False
        run.memos[place] = _answers_from_store(run, code)
    return run.memos[place]


def _answers_from_store(run: Run, code: Code) -> bool:
    body = code.function.body()
    for number, statement in enumerate(body):
        if not isinstance(statement, Branch) or statement.test is None or not statement.then:
            continue
        last = statement.then[-1]
        if isinstance(last, Return) and last.value is not None:
            for store in _stores(body[number + 1 :]):
                asked = _reads(statement.test, store) or _is_read_before(body[:number], statement.test, store)
                if asked and not (_is_reset(run, code, store) or _sends(run, code.scope.module, body)):
                    return True
    return False


def _stores(body: tuple[Statement, ...]) -> Iterator[Expression]:
    """Where statements keep values: fields, variables, mappings."""
    for statement in body:
        target, _ = _put_into(statement)
        if target is not None:
            yield target
        elif isinstance(statement, Assign) and isinstance(statement.target, Member | Name) and not statement.adds:
            yield statement.target
        elif isinstance(statement, Branch):
            yield from _stores((*statement.then, *statement.otherwise))


def _put_into(statement: Statement) -> tuple[Expression | None, Expression | None]:
    """The mapping into which a statement puts a value, and the value: `cache[key] = value`, `cache.set(key, value)`."""
    match statement:
        case Assign(target=Item(of=of), value=value):
            return of, value
        case Do(value=Call(callee=Member(of=of, name="set"), arguments=(_, given, *_))):
            return of, given.value
        case _:
            return None, None


def _is_read_before(body: tuple[Statement, ...], test: Expression, store: Expression) -> bool:
    """Whether a test asks for what was read from a store: `text = cache.get(key)`, `if text is not None:`."""
    return any(
        isinstance(one, Assign)
        and one.value is not None
        and _asks_whether_none(test, one.target)
        and _reads(one.value, store)
        for one in body
    )


def _reads(node: Expression | None, store: Expression) -> bool:
    """Whether an expression only asks for something in a store; what asks for the time as well is no such thing."""
    same, found, waiting = _dotted(store), False, [node]
    while waiting:
        one = waiting.pop()
        match one:
            case Name() | Member() if _dotted(one) == same:
                found = True
            case Call(callee=Member(of=of, name="get" | "has"), arguments=arguments):
                waiting += [of, *(argument.value for argument in arguments)]
            case Call(callee=Name(name="isinstance" | "hasattr" | "bool"), arguments=arguments):
                waiting += [argument.value for argument in arguments]
            case Call():
                return False
            case Operation(operands=operands, keeps=False):
                waiting += operands
            case Operation():
                return False
            case Choice(options=several, test=test):
                waiting += [*several, test]
            case Item(of=of, key=key):
                waiting += [of, key]
            case Binding(value=value):
                waiting.append(value)
            case _:
                pass
    return found and same != "?"


def _is_reset(run: Run, code: Code, store: Expression) -> bool:
    """Whether something else empties a store, or whether it is gone when the function has answered."""
    owner = code.owner.type if isinstance(code.owner, Thing) else code.owner
    if isinstance(store, Member):
        own = _assigned(code.function.body(), store.name)
        return isinstance(owner, Class) and _taken_away(owner.type.body, store.name, most=own)
    if isinstance(store, Name):
        own = _assigned(code.function.body(), store.name)
        names = run.globals_of(code.scope.module).makers
        return store.name not in names or _taken_away(run.module(code.scope.module).body, store.name, most=own)
    return True


def _sends(run: Run, module: int, body: tuple[Statement, ...]) -> bool:
    """Whether statements send a request: then the answer of a model is kept."""
    language, modules = run.module(module).language, run.imports(module)
    waiting: list[Any] = list(body)
    while waiting:
        one = waiting.pop()
        if isinstance(one, Call) and flow_tables.call_named(language, _written(one.callee), modules):
            return True
        waiting += [each for each in one if isinstance(each, tuple)]
    return False


def _written(callee: Expression) -> str:
    from promptlint.lint.flow.calls import dotted

    return dotted(callee)


def _asks_whether_none(test: Expression | None, target: Expression | None) -> bool:
    same, waiting = _dotted(target), [test]
    while waiting:
        one = waiting.pop()
        if isinstance(one, Name | Member) and _dotted(one) == same:
            return True
        if isinstance(one, Operation):
            waiting += one.operands
        elif isinstance(one, Call):
            given = [argument.value for argument in one.arguments]
            waiting += given
            if isinstance(one.callee, Name) and one.callee.name == "hasattr" and len(given) == 2:
                name = given[1].text if isinstance(given[1], Constant) else None
                waiting.append(Member(one.span, given[0], name or "?"))
        elif isinstance(one, Binding):
            waiting += [one.target, one.value]
    return False


def _dotted(node: Expression | None) -> str:
    if isinstance(node, Member):
        return f"{_dotted(node.of)}.{node.name}"
    return node.name if isinstance(node, Name) else "?"


def frozen_for(run: Run, target: Expression, frame: Frame) -> Frame:
    """The frame in which a value is made that is kept: a frozen one if nothing takes it away again."""
    if isinstance(target, Member):
        for owner in options(run.value(target.of, frame)):
            if isinstance(owner, Thing) and _taken_away(owner.type.type.body, target.name):
                return frame
    elif isinstance(target, Name):
        if target.name in frame.scope.names:
            return frame
        if _taken_away(run.module(frame.scope.module).body, target.name, most=1):
            return frame
    return replace(frame, frozen=True)


def _taken_away(body: tuple[Statement, ...], name: str, most: int = 1) -> bool:
    """Whether methods of a class, but its first one, or functions of a module give the name another value."""
    count = 0
    for statement in body:
        if isinstance(statement, Define) and statement.function.name not in ("__init__", "constructor"):
            count += _assigned(statement.function.body(), name)
        elif isinstance(statement, Assign) and name in bound(statement.target):
            continue
    return count > most


def _assigned(body: tuple[Statement, ...], name: str) -> int:
    count = 0
    for statement in body:
        match statement:
            case Assign(target=Member(of=Name(name="self" | "this" | "cls"), name=found)) if found == name:
                count += 1
            case Assign(target=Name(name=found)) if found == name:
                count += 1
            case Do(value=Call(callee=Member(of=Member(name=found) | Name(name=found), name="clear"))) if found == name:
                count += 1
            case Branch(then=then, otherwise=otherwise):
                count += _assigned(then, name) + _assigned(otherwise, name)
            case Loop(body=inner):
                count += _assigned(inner, name)
            case _:
                pass
    return count
