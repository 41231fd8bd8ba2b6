"""What is known of a value that a template prints: the arguments and calls that it depends on."""

from collections.abc import Iterable
from typing import NamedTuple

from promptlint.template import Call, Filler, SourceRange

_MOST = 100  # names, and calls, of one value


class Value(NamedTuple):
    """What is known of a value, never the value itself."""

    names: tuple[str, ...] = ()
    calls: tuple[Call, ...] = ()
    filler: Filler = "argument"
    constant: str | None = None  # it is this text
    at: SourceRange | None = None  # where that stands, without its quotes


NOTHING = Value()


def joined(values: Iterable[Value]) -> Value:
    """What is made of several values."""
    known = list(values)
    return Value(
        tuple(dict.fromkeys(name for value in known for name in value.names))[:_MOST],
        tuple(dict.fromkeys(call for value in known for call in value.calls))[:_MOST],
        next((value.filler for value in known if value.filler != "argument"), "argument"),
    )
