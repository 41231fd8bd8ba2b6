"""What an expression may stand for, as far as prompts are concerned."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple

from promptlint.facts import flow_tables
from promptlint.lint.flow.code import Function, Span, Type

if TYPE_CHECKING:
    from promptlint.lint.flow.scope import Scope

Kind = flow_tables.Kind | Literal["query", "unsorted_keys", "marker"]
"""What differs: see data/changing_values.yaml; "query": rows in no order; "unsorted_keys": keys in the order in which
somebody else has put them; "marker": no change, but a cache marker on each of many blocks."""
LASTING: frozenset[Kind] = frozenset({"unordered", "unspecified_order", "query", "unsorted_keys", "marker"})
"""Kinds that differ between processes, so that it is no help to compute them once."""


class At(NamedTuple):
    """A place in the source: the number of a module of the project, and a span of it."""

    module: int
    span: Span


class Change(NamedTuple):
    """Something that is another one the next time, on its way to a prompt."""

    kind: Kind
    name: str  # what makes it, as a message names it: "datetime.now()"
    origin: At  # the expression that makes it
    at: At  # the expression that puts it into a text or a list
    path: tuple[At, ...] = ()  # calls through which it came, the innermost first
    loops: tuple[int, ...] = ()  # loops that were running when it was made
    frozen: bool = False  # it is made once: when a module is imported, an object is made, or by a cached function
    weak: bool = False  # whether it really differs is not known


class Plain(NamedTuple):
    """A constant; `text` None: it is no text."""

    text: str | None
    at: At | None = None
    is_none: bool = False


class Unknown(NamedTuple):
    """A value of which nothing is known, taken to be the same each time."""

    name: str = ""  # as written, dotted: "self.client"
    is_parameter: bool = False  # of a function that is looked at as if somebody called it


class Outside(NamedTuple):
    """Something that is imported from elsewhere or built in."""

    name: str  # "datetime.datetime", "set"


class Changing(NamedTuple):
    """A value that is nothing but a change: a moment, an id."""

    change: Change


class Written(NamedTuple):
    """A text of several pieces, in order; `named`: a function whose name says that it makes a system text made it."""

    parts: "tuple[Value, ...]"
    named: str = ""


@dataclass(slots=True)
class Element:
    """An item of a list."""

    value: "Value"
    repeated: bool = False  # one for each item of something
    spread: bool = False  # several items of which nothing is known
    maybe: bool = False
    loops: tuple[int, ...] = ()  # loops that were running when it was put in

    def copy(self, *, repeated: bool = False, maybe: bool = False) -> "Element":
        """The same item in another list."""
        return Element(self.value, self.repeated or repeated, self.spread, self.maybe or maybe, self.loops)


@dataclass(slots=True, eq=False)
class Several:
    """A list, a tuple, a set, rows: what is put into one later is seen by all who hold it."""

    items: list[Element] = field(default_factory=list)
    order: Change | None = None  # why the order of its items differs
    is_set: bool = False
    parameter: str = ""  # the name of the parameter as which a root function was given it
    depth: int = 0  # calls that were running when it was made
    loops: tuple[int, ...] = ()  # and loops
    is_template: bool = False  # messages with holes, which are filled when they are sent


@dataclass(slots=True, eq=False)
class Fields:
    """A mapping or an object without a class of the project."""

    entries: "dict[str, Value]" = field(default_factory=dict)
    others: "list[Value]" = field(default_factory=list)  # values under keys that are not known, or what was spread in
    order: Change | None = None
    maybe: set[str] = field(default_factory=set)  # keys that are only there sometimes
    places: dict[str, At] = field(default_factory=dict)  # where the value of a key is written
    depth: int = 0
    frozen: bool = False


class Code(NamedTuple):
    """A function of the project; bound to an object if it is a method."""

    function: Function
    scope: "Scope"
    owner: "Value | None" = None
    type: "Class | None" = None
    is_bare: bool = False  # its decorators have had their say


class Class(NamedTuple):
    """A class of the project."""

    type: Type
    scope: "Scope"


@dataclass(slots=True, eq=False)
class Thing:
    """An object of a class of the project."""

    type: Class
    fields: "dict[str, Value]" = field(default_factory=dict)


class Package(NamedTuple):
    """A module of the project."""

    number: int


class Either(NamedTuple):
    """One of several values."""

    options: "tuple[Value, ...]"


Value = Plain | Unknown | Outside | Changing | Written | Several | Fields | Code | Class | Thing | Package | Either
_LEAVES = (Plain, Unknown, Outside, Changing, Package)  # what is compared by what it is; other values by where they are
NOTHING = Plain(None, is_none=True)
_MOST_OPTIONS = 8
_DEEPEST = 24
_MOST_PIECES = 4000


def either(*values: Value) -> Value:
    """One of the values; None and equal ones are left out where another says more."""
    found: list[Value] = []
    for value in values:
        for one in value.options if isinstance(value, Either) else (value,):
            if not any(one is known or (isinstance(one, _LEAVES) and one == known) for known in found):
                found.append(one)
    more = [one for one in found if not (isinstance(one, Plain) and one.is_none)]
    found = more or found
    return found[0] if len(found) == 1 else Either(tuple(found[:_MOST_OPTIONS]))


def options(value: Value) -> tuple[Value, ...]:
    """The values that it may be."""
    return value.options if isinstance(value, Either) else (value,)


def called(value: Value, name: str) -> Value:
    """A value under a name: a function without one of its own is known by it."""
    if isinstance(value, Code) and not value.function.name:
        return value._replace(function=value.function._replace(name=name))
    return value


def changes_in(value: Value, limit: int = 2000) -> Iterator[Change]:
    """Every change in a value, also in what it holds, in order; of a long one only the beginning."""
    waiting: list[Value] = [value]
    seen: set[int] = set()
    while waiting and limit > 0:
        limit -= 1
        one = waiting.pop()
        match one:
            case Changing(change):
                yield change
            case Written(parts):
                waiting += reversed(parts)
            case Either(several):
                waiting += reversed(several)
            case Several() | Fields() | Thing():
                if id(one) in seen:
                    continue
                seen.add(id(one))
                if not isinstance(one, Thing) and one.order is not None:
                    yield one.order
                waiting += reversed(held(one))
            case _:
                pass


def held(value: Several | Fields | Thing) -> list[Value]:
    """What a list, a mapping or an object holds."""
    if isinstance(value, Several):
        return [item.value for item in value.items]
    if isinstance(value, Fields):
        return [*value.entries.values(), *value.others]
    return list(value.fields.values())


def mapped(value: Value, change: "Mapping[Change, Change]") -> Value:
    """The value with other changes in it; lists and mappings stay the same objects."""
    return _mapped(value, change, {}, _DEEPEST) if change else value


def _mapped(value: Value, change: "Mapping[Change, Change]", known: dict[int, Value], depth: int) -> Value:
    """`known`: what has become of values, by their id; they may hold each other, and many may hold the same."""
    if id(value) in known or not depth:
        return known.get(id(value), value)
    known[id(value)] = value
    depth -= 1
    match value:
        case Changing(one):
            known[id(value)] = Changing(change.get(one, one))
        case Written(parts, named):
            known[id(value)] = Written(tuple(_mapped(part, change, known, depth) for part in parts), named)
        case Either(several):
            known[id(value)] = Either(tuple(_mapped(one, change, known, depth) for one in several))
        case Several():
            value.order = change.get(value.order, value.order) if value.order else None
            for item in value.items:
                item.value = _mapped(item.value, change, known, depth)
        case Fields():
            value.order = change.get(value.order, value.order) if value.order else None
            value.entries = {key: _mapped(one, change, known, depth) for key, one in value.entries.items()}
            value.others = [_mapped(one, change, known, depth) for one in value.others]
        case _:
            pass
    return known[id(value)]


def is_endless(value: Value) -> bool:
    """Whether a value has more pieces than any prompt: what is added to itself again and again."""
    pieces = value.parts if isinstance(value, Written) else value.items if isinstance(value, Several) else ()
    return len(pieces) > _MOST_PIECES


def shortened(value: Value) -> Value:
    """The value, cut off where it would be endless."""
    if isinstance(value, Written) and len(value.parts) > _MOST_PIECES:
        return value._replace(parts=value.parts[:_MOST_PIECES])
    if isinstance(value, Several) and len(value.items) > _MOST_PIECES:
        del value.items[_MOST_PIECES:]
    return value
