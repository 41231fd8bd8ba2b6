"""Functions of the languages that copy objects, or read and change their fields."""

from promptlint.lint.flow.calls import Given
from promptlint.lint.flow.code import Call
from promptlint.lint.flow.members import copied, member
from promptlint.lint.flow.run import Run
from promptlint.lint.flow.scope import Frame
from promptlint.lint.flow.values import Fields, Plain, Thing, Unknown, Value, either, options


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


def fields_of(run: Run, given: list[Given], node: Call, frame: Frame) -> Value:
    """`asdict(x)`, `vars(x)`."""
    thing = given[0].value if given else Unknown()
    return Fields(dict(thing.fields), depth=frame.depth) if isinstance(thing, Thing) else thing
