"""Functions of the languages that copy objects, or read and change their fields."""

from promptlint.lint.flow.calls import Given
from promptlint.lint.flow.code import Argument, Call, Function, Name, Parameter, Return
from promptlint.lint.flow.members import copied, member
from promptlint.lint.flow.run import Run
from promptlint.lint.flow.scope import Frame, Scope
from promptlint.lint.flow.values import Code, Fields, Plain, Thing, Unknown, Value, either, options


def copy(run: Run, given: list[Given], node: Call, frame: Frame) -> Value:
    """`copy.deepcopy(x)`, `structuredClone(x)`."""
    return copied(given[0].value) if given else Unknown()


def changed(run: Run, given: list[Given], node: Call, frame: Frame) -> Value:
    """`dataclasses.replace(x, a=1)`."""
    found: list[Value] = []
    for one in options(given[0].value if given else Unknown()):
        found.append(with_fields(one, _named(given)) if isinstance(one, Thing) else one)
    return either(*found)


def with_fields(thing: Thing, named: dict[str, Value]) -> Thing:
    """A copy of an object in which some fields have other values."""
    return Thing(thing.type, {**thing.fields, **named})


def changed_by_method(thing: Thing, given: list[Given]) -> Thing:
    """`x._replace(a=1)`, `x.model_copy(update={"a": 1})`."""
    named = _named(given)
    updates = [value for one in given if one.name == "update" for value in options(one.value)]
    for value in updates:
        named |= value.entries if isinstance(value, Fields) else {}
    return with_fields(thing, named)


def _named(given: list[Given]) -> dict[str, Value]:
    return {str(one.name): one.value for one in given if one.name not in (None, "**", "update", "deep")}


def attribute(run: Run, given: list[Given], node: Call, frame: Frame) -> Value:
    """`getattr(x, "name", default)`."""
    name = given[1].value if len(given) > 1 else None
    if not isinstance(name, Plain) or not name.text:
        return Unknown()
    return either(member(run, given[0].value, name.text, node, frame), *(one.value for one in given[2:]))


def partial(run: Run, given: list[Given], node: Call, frame: Frame) -> Value:
    """`functools.partial(f, a, b=c)`: a function that calls another one, with these arguments ahead of its own."""
    span, scope = node.span, Scope(frame.scope.module, frame.scope)
    arguments: list[Argument] = []
    for number, one in enumerate(given):
        scope.names[f"given {number}"] = one.value  # no variable can be called so
        arguments.append(Argument(one.name, Name(span, f"given {number}"), one.spread))
    arguments += [Argument(None, Name(span, "more"), True), Argument("**", Name(span, "named"), True)]
    body = (Return(span, Call(span, Name(span, "given 0"), tuple(arguments[1:]))),)
    parameters = (Parameter("more", kind="rest"), Parameter("named", kind="keywords"))
    return Code(Function(span, "", parameters, lambda: body), scope)


def fields_of(run: Run, given: list[Given], node: Call, frame: Frame) -> Value:
    """`asdict(x)`, `vars(x)`."""
    thing = given[0].value if given else Unknown()
    return Fields(dict(thing.fields), depth=frame.depth) if isinstance(thing, Thing) else thing
