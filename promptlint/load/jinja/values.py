"""What is known of a value: the arguments and calls that it depends on, never the value itself."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from promptlint.load.jinja.regions import Printed
from promptlint.template import Call, Filler, SourceRange

if TYPE_CHECKING:
    from jinja2 import nodes

    from promptlint.load.jinja.tokens import Tokens

_MOST_NAMES, _MOST_CALLS = 100, 50  # of one value; a template that joins more is no prompt
_LONGEST_PATH = 200  # characters
_STRENGTH: dict[Filler | None, int] = {None: 0, "argument": 1, "set": 2, "loop": 3, "call": 4, "block": 5}


class Macro(NamedTuple):
    """A macro, or the body of a call block, and where its names are looked up."""

    name: str
    args: "list[nodes.Name]"
    defaults: "list[nodes.Expr]"
    body: "list[nodes.Node]"
    tokens: "Tokens"
    scope: "Scope"


class Space(NamedTuple):
    """A namespace: its attributes, and the number of conditions and loops around the place that made it."""

    attributes: "dict[str, Value]"
    level: int


class Module(NamedTuple):
    """An imported file."""

    scope: "Scope"


class Turn(NamedTuple):
    """The variable `loop`."""

    item: "Value"


class Value(NamedTuple):
    """What is known of a value."""

    paths: tuple[str, ...] = ()  # it is one of these arguments, or something in one
    names: tuple[str, ...] = ()  # it is made of these arguments
    calls: tuple[Call, ...] = ()
    filler: Filler | None = None
    constant: str | None = None
    unordered: SourceRange | None = None  # what makes that its items have no order that the template fixes
    thing: Printed | Macro | Space | Module | Turn | None = None
    chain: Call | None = None  # the call of whose answer this is an attribute
    unset: bool = False  # the template may not have set it: then the caller may give it

    @property
    def arguments(self) -> tuple[str, ...]:
        """All arguments that it depends on."""
        return union(self.paths, self.names) if self.paths and self.names else self.paths or self.names


class Scope:
    """Names that have a value in a part of a template."""

    __slots__ = ("parent", "values")

    def __init__(self, parent: "Scope | None" = None) -> None:
        self.parent = parent
        self.values: dict[str, Value] = {}

    def holder(self, name: str) -> "Scope | None":
        """The scope that gives the name its value."""
        scope: Scope | None = self
        while scope is not None and name not in scope.values:
            scope = scope.parent
        return scope

    def find(self, name: str) -> Value | None:
        """The value of a name; None: the caller gives it."""
        holder = self.holder(name)
        return None if holder is None else holder.values[name]


NOTHING = Value()


def union(*parts: Iterable[str]) -> tuple[str, ...]:
    """The names of all parts, each once."""
    return tuple(dict.fromkeys(name for part in parts for name in part))[:_MOST_NAMES]


def joined(values: Iterable[Value]) -> Value:
    """One of these values, or a sequence of them."""
    known = [value for value in values if value is not NOTHING]
    if len(known) == 1:
        return known[0]._replace(constant=None, chain=None)
    if not known:
        return NOTHING
    things = {id(value.thing) for value in known}
    return Value(
        union(*(value.paths for value in known)),
        union(*(value.names for value in known)),
        tuple(dict.fromkeys(call for value in known for call in value.calls))[:_MOST_CALLS],
        max((value.filler for value in known), key=_STRENGTH.__getitem__),
        None,
        next((value.unordered for value in known if value.unordered is not None), None),
        known[0].thing if len(things) == 1 else None,
    )


def made_of(values: Iterable[Value]) -> Value:
    """A value that is computed of others."""
    value = joined(values)
    return value if value is NOTHING else value._replace(paths=(), names=value.arguments, thing=None)


def governed(value: Value, by: Value) -> Value:
    """A value that is what it is because of others."""
    if not by.arguments and not by.calls:
        return value
    calls = tuple(dict.fromkeys((*value.calls, *by.calls)))[:_MOST_CALLS]
    return value._replace(names=union(value.names, by.arguments), calls=calls, constant=None, chain=None)


def inner(value: Value, key: str) -> Value:
    """An attribute or item of a value."""
    paths = tuple([f"{path}.{key}" if len(path) < _LONGEST_PATH else path for path in value.paths])
    return value._replace(paths=paths, constant=None, unordered=None, thing=None)


def bound(value: Value, filler: Filler) -> Value:
    """A value under a name that the template gives it."""
    return value._replace(filler=filler, chain=None)


def of_printed(printed: Printed) -> Value:
    """What a region prints, as a value."""
    rows = printed.rows()
    calls = tuple(dict.fromkeys(call for row in rows for call in row.calls))[:_MOST_CALLS]
    return Value(names=union(*(row.names for row in rows)), calls=calls, filler="block", thing=printed)
