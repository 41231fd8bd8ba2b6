"""What is known of a value that a template prints: the arguments and calls that it depends on."""

from collections.abc import Iterable
from typing import NamedTuple

from promptlint.template import Call, Filler, SourceRange

_MOST = 30  # names, and calls, of one value
_LONGEST = 200  # characters of a name


class Value(NamedTuple):
    """What is known of a value, never the value itself."""

    names: tuple[str, ...] = ()
    calls: tuple[Call, ...] = ()
    filler: Filler = "argument"
    constant: str | None = None  # it is this text
    at: SourceRange | None = None  # where that stands, without its quotes


NOTHING = Value()


def inner(value: Value, path: str) -> Value:
    """An attribute of a value; "" for the value itself."""
    if not path:
        return value
    return value._replace(names=tuple(f"{name}.{path}" if len(name) < _LONGEST else name for name in value.names))


def joined(values: Iterable[Value]) -> Value:
    """What is made of several values."""
    known = list(values)
    return Value(
        tuple(dict.fromkeys(name for value in known for name in value.names))[:_MOST],
        tuple(dict.fromkeys(call for value in known for call in value.calls))[:_MOST],
        next((value.filler for value in known if value.filler != "argument"), "argument"),
    )
