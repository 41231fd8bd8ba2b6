"""Calls: of functions and classes of the project, and of what is from elsewhere."""

from dataclasses import replace
from typing import NamedTuple

from promptlint.facts import flow_tables
from promptlint.lint.flow.code import Call, Choice, Expression, Function, Item, Member, Name, Parameter
from promptlint.lint.flow.run import Run
from promptlint.lint.flow.scope import Frame, Scope
from promptlint.lint.flow.values import (
    At,
    Change,
    Changing,
    Class,
    Code,
    Element,
    Fields,
    Outside,
    Plain,
    Several,
    Thing,
    Unknown,
    Value,
    changes_in,
    either,
    mapped,
    options,
)

_MOST_CLASSES = 6  # that one class extends
_DEEPEST = 24  # calls above one


class Given(NamedTuple):
    """An argument of a call."""

    name: str | None  # of a keyword; "**" of a mapping that is spread
    value: Value
    at: At
    node: Expression
    spread: bool = False


def dotted(node: Expression) -> str:
    """A callee as it is written, without arguments: "self.client.messages.create"."""
    match node:
        case Name(name=name):
            return "" if name.startswith("operator:") else name
        case Member(of=of, name=name):
            inner = dotted(of)
            return f"{inner}.{name}" if inner else name
        case Call(callee=callee):
            return dotted(callee)
        case Item(of=of):
            return dotted(of)
        case Choice(options=found):  # `(0, ai_1.generateText)(...)`
            return dotted(found[-1])
        case _:
            return ""


def call(run: Run, node: Call, frame: Frame) -> Value:
    """The answer of a call."""
    awaited, frame.awaiting = frame.awaiting, False
    from promptlint.lint.flow.members import member
    from promptlint.lint.flow.methods import method

    base: Value | None = None
    if (inherited := _of_super(run, node.callee, frame)) is not None:
        return _own(run, inherited, _arguments(run, node, frame), node, frame, awaited)
    if isinstance(node.callee, Member):
        base = run.value(node.callee.of, frame)
        targets = options(member(run, base, node.callee.name, node.callee, frame))
    else:
        targets = options(run.value(node.callee, frame))
    called = [method_of(run, one, "__call__") if isinstance(one, Thing) else one for one in targets]
    targets = tuple(one or of for one, of in zip(called, targets, strict=True))
    given = _arguments(run, node, frame)
    answers: list[Value] = []
    for target in targets:
        if isinstance(target, Code):
            answers.append(_own(run, target, given, node, frame, awaited))
        elif isinstance(target, Class):
            answers.append(made(run, target, given, node, frame))
    if len(answers) == len(targets):
        return either(*answers)
    if base is None:
        from promptlint.lint.flow.outside import function

        target = next(one for one in targets if not isinstance(one, Code | Class))
        return either(*answers, function(run, target, given, node, frame))
    assert isinstance(node.callee, Member)
    held = [one for one in targets if isinstance(one, Outside)]
    if held and not any(isinstance(one, Outside) for one in options(base)):  # `self.clock()`, a function in a field
        from promptlint.lint.flow.outside import function

        return either(*answers, *(function(run, one, given, node, frame) for one in held))
    frame.awaiting = awaited
    answers += [method(run, one, node.callee.name, given, node, frame) for one in options(base)]
    frame.awaiting = False
    return either(*answers)


def _of_super(run: Run, callee: Expression, frame: Frame) -> Code | None:
    """The method that `super().name(...)`, `super.name(...)` or `super(...)` means, bound to the object itself."""
    match callee:
        case Member(of=Name(name="super") | Call(callee=Name(name="super")), name=name):
            pass
        case Name(name="super") if run.language(frame) == "typescript":
            name = "constructor"
        case _:
            return None
    of = run.lookup("class", frame)
    for one in classes(run, of)[1:] if isinstance(of, Class) else ():
        if (found := _member_of(run, one, name)) is not None:
            return Code(found[0], found[1].scope, run.lookup("this", frame), found[1])
    return None


def _arguments(run: Run, node: Call, frame: Frame) -> list[Given]:
    given: list[Given] = []
    for one in node.arguments:
        value, at = run.value(one.value, frame), run.at(one.value, frame)
        if one.spread and one.name is None and isinstance(value, Several) and _is_written_out(value):
            given += [Given(None, item.value, at, one.value) for item in value.items]
        else:
            given.append(Given(one.name, value, at, one.value, one.spread))
    return given


def _is_written_out(value: Several) -> bool:
    """Whether all items of a list are known, in their order."""
    return value.order is None and not any(item.spread or item.repeated or item.maybe for item in value.items)


def _own(run: Run, target: Code, given: list[Given], node: Call, frame: Frame, awaited: bool) -> Value:
    """The answer of a function of the project; one that is not waited for runs alongside others."""
    at = run.at(node, frame)
    target = _decorated(run, target, at, frame)
    alongside = target.function.is_async and not awaited
    return run_code(run, target, given, at, frame, alongside=alongside)


def _decorated(run: Run, code: Code, at: At, frame: Frame) -> Code:
    """What decorators of the project have made of a function."""
    if code.is_bare or not code.function.decorators:
        return code
    made = code._replace(is_bare=True)
    for decorator in reversed(code.function.decorators):
        found = run.value(decorator, Frame(code.scope, depth=frame.depth, calls=frame.calls))
        if isinstance(found, Code):
            given = Given(None, made, at, decorator)
            answers = options(run_code(run, found, [given], at, frame))
            made = next((one._replace(is_bare=True) for one in answers if isinstance(one, Code)), made)
    return made


def run_code(
    run: Run, code: Code, given: list[Given], at: At, frame: Frame, *, alongside: bool = False, waited: bool = False
) -> Value:
    """What a function of the project answers when it is called at a place."""
    function = code.function
    here = (code.scope.module, function.span)
    if frame.depth >= _DEEPEST or here in frame.calls:
        run.is_cut_off |= frame.depth >= _DEEPEST
        return Unknown(function.name)
    if not (frame.frozen or frame.is_script):
        run.entered.add(here)
    scope = Scope(code.scope.module, code.scope)
    inner = Frame(
        scope,
        frame.loops,
        frame.frozen or is_kept(run, code),
        frame.depth + 1,
        frame.depth if alongside else frame.alongside,
        waited or (frame.waited and frame.alongside is not None and not alongside),
        calls=(*frame.calls, here),
        constructs=frame.constructs or function.name in ("__init__", "constructor"),
    )
    bind(run, code, given, inner)
    run.block(function.body(), inner)
    answer = answer_of(inner)
    from promptlint.lint.flow.prompts import seen_answer

    answer = seen_answer(run, code, answer, inner)
    return passed(answer, at)


def answer_of(frame: Frame) -> Value:
    """What a function has answered in any of its ways."""
    if frame.yielded:
        return Several(frame.yielded, depth=frame.depth - 1)
    return either(*frame.returned) if frame.returned else Plain(None, is_none=True)


def passed(answer: Value, at: At) -> Value:
    """An answer as its caller sees it: what is nothing but a change is put into the text by the call."""
    moved: dict[Change, Change] = {}
    pure = [one.change for one in options(answer) if isinstance(one, Changing)]
    for change in changes_in(answer):
        if len(change.path) < 12 and at not in change.path:
            there = at if change in pure and change.kind != "query" else change.at
            moved[change] = change._replace(at=there, path=(*change.path, at))
    return mapped(answer, moved)


def is_kept(run: Run, code: Code) -> bool:
    """Whether a decorator keeps the answer, or the function itself."""
    from promptlint.lint.flow.kept import is_memo

    if is_memo(run, code):
        return True
    freezes = flow_tables.passing(run.module(code.scope.module).language).freezes
    for decorator in code.function.decorators:
        written = dotted(decorator)
        found = run.value(decorator.callee if isinstance(decorator, Call) else decorator, Frame(code.scope))
        if written in freezes or (isinstance(found, Outside) and found.name in freezes):
            return True
    return False


def bind(run: Run, code: Code, given: list[Given], frame: Frame) -> None:
    """Give the parameters of a function their values."""
    names = frame.scope.names
    if code.type is not None:
        names["class"] = code.type  # no variable can be called so
    parameters = list(code.function.parameters)
    is_python = run.language(frame) == "python"
    if code.owner is not None:
        names["this"] = code.owner
        if is_python and not code.function.is_static and parameters:
            names[parameters.pop(0).name] = code.owner
    positional = [one for one in given if one.name is None]
    names.update({one: Unknown(one) for one in ("arguments",) if not is_python})
    named: dict[str | None, Value] = {one.name: one.value for one in given if one.name not in (None, "**")}
    extra = [one.value for one in given if one.name == "**"]
    for parameter in parameters:
        value = _bound(run, parameter, positional, named, extra, frame)
        if parameter.pattern is not None:
            from promptlint.lint.flow.execute import assign, declare

            declare(parameter.pattern, frame)
            assign(run, parameter.pattern, value, frame)
        else:
            names[parameter.name] = value


def _bound(
    run: Run, one: Parameter, positional: list[Given], named: dict[str | None, Value], extra: list[Value], frame: Frame
) -> Value:
    if one.kind == "rest":
        items = [Element(each.value, spread=each.spread, loops=frame.loops) for each in positional]
        positional.clear()
        return Several(items, depth=frame.depth - 1)
    if one.kind == "keywords":
        rest = {str(name): value for name, value in named.items()}
        named.clear()
        return Fields(rest, list(extra), depth=frame.depth - 1)
    if one.name in named:
        return named.pop(one.name)
    if positional and positional[0].spread:
        return Unknown(one.name)
    if positional:
        value = positional.pop(0).value
        return either(value, Unknown(one.name)) if isinstance(value, Plain) and value.is_none else value
    for mapping in extra:
        if isinstance(mapping, Fields) and one.name in mapping.entries:
            return mapping.entries[one.name]
    if one.default is not None:
        once = run.language(frame) == "python"  # Python works a default out when it defines the function
        return run.value(one.default, replace(frame, frozen=frame.frozen or once))
    return of_type(run, one, frame)


def of_type(run: Run, parameter: Parameter, frame: Frame) -> Value:
    """An argument of which no more is known than its type says."""
    found = run.of_module(frame.scope.module, parameter.type) if parameter.type else None
    if isinstance(found, Class) and frame.depth < _DEEPEST // 2 and len(classes(run, found)) < _MOST_CLASSES:
        return some_instance(run, found, At(*frame.calls[-1]), frame)
    return Unknown(parameter.name, is_parameter=frame.depth == 1)


# Classes.


def method_of(run: Run, of: Thing | Class, name: str) -> Code | None:
    """A method of a class or of those it extends, bound to the object."""
    found = _member_of(run, of.type if isinstance(of, Thing) else of, name)
    if found is None:
        return None
    function, where = found
    return Code(function, where.scope, of, where)


def classes(run: Run, of: Class) -> list[Class]:
    """A class and those of the project that it extends, the nearest first."""
    found = [of]
    for one in found:
        for base in one.type.bases[:4]:
            value = run.value(base, Frame(one.scope))
            if isinstance(value, Class) and value.type.span != of.type.span and len(found) < 8:
                found.append(value)
    return found


def _member_of(run: Run, of: Class, name: str) -> tuple[Function, Class] | None:
    from promptlint.lint.flow.code import Define

    for one in classes(run, of):
        for statement in one.type.body:
            if isinstance(statement, Define) and statement.function.name == name:
                return statement.function, one
    return None


def made(run: Run, of: Class, given: list[Given], node: Call, frame: Frame) -> Value:
    """A new object of a class of the project."""
    has_own = any(method_of(run, of, name) for name in ("__init__", "constructor"))
    if not has_own and not _is_model(of):
        written = dotted(node.callee)
        from promptlint.lint.flow.prompts import seen_call

        seen_call(run, written, written, given, node, frame)
    return instance(run, of, given, run.at(node, frame), frame)


def instance(run: Run, of: Class, given: list[Given], at: At, frame: Frame) -> Thing:
    """An object, with the fields that its class declares and that its first method sets."""

    thing = Thing(of)
    place = of.scope.module, of.type.span
    if place in run.making:
        return thing  # classes whose objects hold each other
    run.making.add(place)
    try:
        _fill_fields(run, thing, given, at, frame)
    finally:
        run.making.discard(place)
    return thing


def some_instance(run: Run, of: Class, at: At, frame: Frame) -> Thing:
    """An object that was made elsewhere with arguments of which nothing is known; worked out once for a class."""
    from promptlint.lint.flow.members import copied

    place = of.scope.module, of.type.span
    if place not in run.objects:
        run.objects[place] = instance(run, of, [], at, replace(frame, frozen=True))
    known = run.objects[place]
    return Thing(known.type, {name: copied(value) for name, value in known.fields.items()})


def _fill_fields(run: Run, thing: Thing, given: list[Given], at: At, frame: Frame) -> None:
    from promptlint.lint.flow.code import Assign

    of = thing.type
    declared: list[str] = []
    for one in reversed(classes(run, of)):
        for statement in one.type.body:
            if isinstance(statement, Assign) and isinstance(statement.target, Name):
                name = statement.target.name
                if name not in declared:
                    declared.append(name)
                if statement.value is not None:
                    inner = replace(frame, scope=Scope(one.scope.module, one.scope, {"this": thing}))
                    thing.fields[name] = _default(run, statement.value, inner)
    first = method_of(run, thing, "__init__") or method_of(run, thing, "constructor")
    if first is not None:
        run_code(run, first, given, at, frame)
        return
    for name, one_given in zip(declared, (one for one in given if one.name is None), strict=False):
        thing.fields[name] = one_given.value
    thing.fields.update({one.name: one.value for one in given if one.name not in (None, "**")})
    if (later := method_of(run, thing, "__post_init__")) is not None:
        run_code(run, later, [], at, frame)


def _is_model(of: Class) -> bool:
    """Whether the fields of a class are given when an object is made: a dataclass and the like."""
    written = {dotted(one).rpartition(".")[2] for one in (*of.type.decorators, *of.type.bases)}
    return not written.isdisjoint({"dataclass", "BaseModel", "NamedTuple", "define", "frozen", "Struct"})


def _default(run: Run, node: Expression, frame: Frame) -> Value:
    """The value of a field: what a factory makes is made for each object, all else once (in Python)."""
    if isinstance(node, Call):
        for argument in node.arguments:
            if argument.name in ("default_factory", "factory"):
                from promptlint.lint.flow.outside import answer

                return answer(run, run.value(argument.value, frame), [], node, frame)
    once = run.language(frame) == "python"
    return run.value(node, replace(frame, frozen=frame.frozen or once))
