"""Whether the schema of a tool is one: JSON Schema 2020-12, checked by a table of its keywords, without its library.

The table says what the meta-schema says; tests compare both. It costs no import and no recursion, gives the exact
place, and never follows a reference out of the document.
"""

import math
from collections.abc import Iterator
from typing import Literal, NamedTuple

from promptlint.prompt import Json, Number, Path
from promptlint.read.names import shown

Grade = Literal["invalid", "older", "doubtful"]
"""invalid in every draft; valid only in drafts before 2020-12; valid, and still a mistake."""

TYPES = frozenset(("array", "boolean", "integer", "null", "number", "object", "string"))

_ONE = frozenset(("additionalProperties", "contains", "contentSchema", "else", "if", "items", "not", "propertyNames",
                  "then", "unevaluatedItems", "unevaluatedProperties"))  # fmt: skip
_MANY = frozenset(("allOf", "anyOf", "oneOf", "prefixItems"))
_NAMED = frozenset(("$defs", "definitions", "dependentSchemas", "patternProperties", "properties"))
_STRINGS = frozenset(("$anchor", "$comment", "$dynamicAnchor", "$dynamicRef", "$id", "$recursiveAnchor",
                      "$recursiveRef", "$ref", "$schema", "contentEncoding", "contentMediaType", "description",
                      "format", "pattern", "title"))  # fmt: skip
_FLAGS = frozenset(("deprecated", "readOnly", "uniqueItems", "writeOnly"))
_COUNTS = frozenset(("maxContains", "maxItems", "maxLength", "maxProperties", "minContains", "minItems", "minLength",
                     "minProperties"))  # fmt: skip
_NUMBERS = frozenset(("exclusiveMaximum", "exclusiveMinimum", "maximum", "minimum", "multipleOf"))
_LISTS = frozenset(("enum", "examples"))
_MERGED = _MANY - {"prefixItems"} | {"dependentSchemas", "else", "if", "not", "then", "$defs", "definitions"}
_OPEN = frozenset(("$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "if", "not", "patternProperties",
                   "dependentSchemas", "unevaluatedProperties"))  # fmt: skip


class Fault(NamedTuple):
    """Something wrong with a schema, at a path in it."""

    path: Path
    message: str
    grade: Grade = "invalid"


class Node(NamedTuple):
    """A schema inside another."""

    path: Path
    schema: Json
    alone: bool  # no schema around it may add properties to it


def faults(schema: Json) -> Iterator[Fault]:
    """Every fault of a schema, in the order of the text."""
    for node in _nodes(schema):
        if isinstance(node.schema, bool):
            continue
        if not isinstance(node.schema, dict):
            yield Fault(node.path, f"{_what(node.schema)} stands where a schema is due")
            continue
        for keyword, value in node.schema.items():
            fault = _keyword(keyword, value)
            if fault is not None:
                yield Fault((*node.path, keyword), *fault)
        yield from _required(node)
        yield from _reference(node, schema)


def _nodes(schema: Json) -> Iterator[Node]:
    """A schema and those inside it, the outer ones first."""
    waiting = [Node((), schema, True)]
    while waiting:
        node = waiting.pop()
        yield node
        if isinstance(node.schema, dict):
            waiting += reversed(list(_inner(node, node.schema)))


def _inner(node: Node, schema: dict[str, Json]) -> Iterator[Node]:
    for keyword, value in schema.items():
        alone = node.alone and keyword not in _MERGED
        at = (*node.path, keyword)
        if isinstance(value, list) and (keyword in _MANY or keyword == "items"):
            yield from (Node((*at, number), entry, alone) for number, entry in enumerate(value))
        elif keyword in _ONE:
            yield Node(at, value, alone)
        elif keyword in _NAMED and isinstance(value, dict):
            yield from (Node((*at, name), entry, alone) for name, entry in value.items())


def _keyword(keyword: str, value: Json) -> tuple[str, Grade] | None:
    """What is wrong with the value of a keyword."""
    if keyword == "type":
        return _type(value)
    if keyword == "required":
        return _names("required", value)
    if keyword in _STRINGS:
        return None if isinstance(value, str) else (f"`{keyword}` is {_what(value)}, not a string", "invalid")
    if keyword in _NAMED:
        return None if isinstance(value, dict) else (f"`{keyword}` is {_what(value)}, not an object", "invalid")
    if keyword in _MANY or (keyword == "items" and isinstance(value, list)):
        return _schemas(keyword, value)
    if keyword in _COUNTS or keyword in _NUMBERS:
        return _number(keyword, value)
    if keyword in _FLAGS:
        return None if isinstance(value, bool) else (f"`{keyword}` is {_what(value)}, not true or false", "invalid")
    if keyword in _LISTS:
        return None if isinstance(value, list) else (f"`{keyword}` is {_what(value)}, not an array", "invalid")
    if keyword == "dependentRequired":
        return _dependent(value)
    return None


def _type(value: Json) -> tuple[str, Grade] | None:
    names = value if isinstance(value, list) else [value]
    if not names:
        return "`type` is an empty array", "invalid"
    for name in names:
        if not isinstance(name, str):
            return f"`type` holds {_what(name)}, not the name of a type", "invalid"
        if name not in TYPES:
            return f"{shown(name)} is no type; JSON Schema has {', '.join(sorted(TYPES))}", "invalid"
    return None if len(set(map(str, names))) == len(names) else ("`type` names one type twice", "invalid")


def _names(keyword: str, value: Json) -> tuple[str, Grade] | None:
    if not isinstance(value, list):
        return f"`{keyword}` is {_what(value)}, not an array of names", "invalid"
    texts = [name for name in value if isinstance(name, str)]
    if len(texts) != len(value):
        return f"`{keyword}` holds something that is no name", "invalid"
    return None if len(set(texts)) == len(texts) else (f"`{keyword}` names one property twice", "invalid")


def _schemas(keyword: str, value: Json) -> tuple[str, Grade] | None:
    if keyword == "items":
        return "`items` is an array, as in drafts before 2020-12; `prefixItems` has taken its place", "older"
    if not isinstance(value, list):
        return f"`{keyword}` is {_what(value)}, not an array of schemas", "invalid"
    return None if value else (f"`{keyword}` is an empty array", "invalid")


def _number(keyword: str, value: Json) -> tuple[str, Grade] | None:
    if not isinstance(value, Number):
        if isinstance(value, bool) and keyword.startswith("exclusive"):
            return f"`{keyword}` is {str(value).lower()}, as in draft 4; today it is a number", "older"
        return f"`{keyword}` is {_what(value)}, not a number", "invalid"
    size = float(value.text)
    if keyword in _COUNTS and (size < 0 or (math.isfinite(size) and not size.is_integer())):
        return f"`{keyword}` is {shown(value.text)}, not a count", "invalid"
    if keyword == "multipleOf" and size <= 0:
        return f"`multipleOf` is {shown(value.text)}, and must be above 0", "invalid"
    return None


def _dependent(value: Json) -> tuple[str, Grade] | None:
    if not isinstance(value, dict):
        return f"`dependentRequired` is {_what(value)}, not an object", "invalid"
    return next((found for names in value.values() if (found := _names("dependentRequired", names))), None)


def _required(node: Node) -> Iterator[Fault]:
    """Names in `required` that no property has, where nothing else could bring one."""
    schema = node.schema
    assert isinstance(schema, dict)
    names, properties = schema.get("required"), schema.get("properties")
    if (
        not node.alone
        or not isinstance(names, list)
        or not isinstance(properties, dict)
        or not _OPEN.isdisjoint(schema)
    ):
        return
    if schema.get("additionalProperties", False) is not False:
        return
    for number, name in enumerate(names):
        if isinstance(name, str) and name not in properties:
            message = f"`required` names {shown(name)}, and there is no such property"
            yield Fault((*node.path, "required", number), message, "doubtful")


def _reference(node: Node, root: Json) -> Iterator[Fault]:
    """A reference inside the schema that leads nowhere."""
    assert isinstance(node.schema, dict)
    target = node.schema.get("$ref")
    if not isinstance(target, str) or not target.startswith("#/") or "%" in target or _is_rebased(root):
        return
    found: Json = root
    for step in target[2:].split("/"):
        name = step.replace("~1", "/").replace("~0", "~")
        if isinstance(found, dict) and name in found:
            found = found[name]
        elif isinstance(found, list) and name.isdecimal() and int(name[:9]) < len(found):
            found = found[int(name[:9])]
        else:
            yield Fault((*node.path, "$ref"), f"`$ref` leads to {shown(target)}, and nothing is there", "doubtful")
            return


def _is_rebased(root: Json) -> bool:
    """Whether references may count from elsewhere than the top."""
    return isinstance(root, dict) and "$id" in root


def _what(value: Json) -> str:
    from promptlint.load.blocks import type_name

    return type_name(value)
