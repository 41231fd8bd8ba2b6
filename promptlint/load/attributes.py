"""Attributes of spans by name: OTLP's list of keys and values, a plain object, or names nested in objects."""

from typing import NamedTuple

from promptlint.load.envelope import entered
from promptlint.prompt import Json, Path

_SCALARS = (
    "stringValue",
    "intValue",
    "doubleValue",
    "boolValue",
    "string_value",
    "int_value",
    "double_value",
    "bool_value",
)
_HOLDERS = ("attributes", "tags")


class Attribute(NamedTuple):
    """A value with its place in the document."""

    path: Path
    value: Json

    def entered(self) -> "Attribute":
        """The value of the JSON text that it holds; itself where it is none."""
        inner = entered(self.value) if isinstance(self.value, str) else None
        return self if inner is None else Attribute((*self.path, None), inner)


Attributes = dict[str, Attribute]


def attributes(span: dict[str, Json], path: Path) -> Attributes:
    """Every attribute under its dotted name; entries of arrays and objects under names of their own, too."""
    found: Attributes = {}
    for name in _HOLDERS:
        held = span.get(name)
        if isinstance(held, list):
            _pairs("", held, (*path, name), found)
        elif isinstance(held, dict):
            _plain("", held, (*path, name), found)
    if not found:
        _plain("", {name: held for name, held in span.items() if "." in name}, path, found)
    return found


def _pairs(prefix: str, pairs: list[Json], path: Path, found: Attributes) -> None:
    for index, pair in enumerate(pairs):
        if isinstance(pair, dict) and isinstance(pair.get("key"), str) and "value" in pair:
            at = (*path, index, "value")
            name, value = f"{prefix}{pair['key']}", pair["value"]
            if isinstance(value, dict):
                _any_value(name, value, at, found)
            else:  # Jaeger
                found[name] = Attribute(at, value)


def _any_value(name: str, value: dict[str, Json], path: Path, found: Attributes) -> None:
    """OTLP's typed value."""
    for kind, held in value.items():
        at = (*path, kind)
        inner = held.get("values") if isinstance(held, dict) else None
        if kind in _SCALARS:
            found[name] = Attribute(at, held)
        elif not isinstance(inner, list):
            continue
        elif kind in ("arrayValue", "array_value"):
            for index, entry in enumerate(inner):
                if isinstance(entry, dict):
                    _any_value(f"{name}.{index}", entry, (*at, "values", index), found)
        elif kind in ("kvlistValue", "kvlist_value"):
            _pairs(f"{name}.", inner, (*at, "values"), found)


def _plain(prefix: str, held: Json, path: Path, found: Attributes) -> None:
    entries = held.items() if isinstance(held, dict) else enumerate(held) if isinstance(held, list) else ()
    for step, value in entries:
        name, at = f"{prefix}{step}", (*path, step)
        found[name] = Attribute(at, value)
        _plain(f"{name}.", value, at, found)
