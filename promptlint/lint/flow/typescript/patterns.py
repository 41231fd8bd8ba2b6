"""Patterns of TypeScript and JavaScript: what `{a, b: c}` and `[a, b]` on the left of an assignment bind."""

from typing import TYPE_CHECKING

from promptlint.lint.flow.code import (
    Argument,
    Assign,
    Binding,
    Constant,
    Entry,
    Expression,
    Listing,
    Mapping,
    Statement,
)
from promptlint.lint.flow.typescript.nodes import expression, field, key_of, reads

if TYPE_CHECKING:
    from tree_sitter import Node


def target(node: "Node") -> tuple[Expression, list[Statement]]:
    """What is bound, and the statements that give defaults to what got nothing."""
    defaults: list[Statement] = []
    return _without_defaults(expression(node), defaults), defaults


def _without_defaults(pattern: Expression, defaults: list[Statement]) -> Expression:
    match pattern:
        case Binding(span=span, target=inner, value=value):
            bound = _without_defaults(inner, nested := list[Statement]())
            defaults.append(Assign(span, bound, value, only_if_none=True))
            defaults += nested
            return bound
        case Mapping(entries=entries):
            kept = tuple(one._replace(value=_without_defaults(one.value, defaults)) for one in entries)
            return pattern._replace(entries=kept)
        case Listing(items=items):
            return pattern._replace(
                items=tuple(one._replace(value=_without_defaults(one.value, defaults)) for one in items)
            )
        case _:
            return pattern


@reads("object_pattern")
def _object_pattern(node: "Node") -> Expression:
    """`{a, b: c, ...rest}`: the values are what is bound. Inside of a pattern, a default is a `Binding`."""
    entries = []
    for child in node.children:
        if child.type == "shorthand_property_identifier_pattern":
            entries.append(Entry(key_of(child), expression(child)))
        elif child.type == "rest_pattern":
            entries.append(Entry(None, expression(child)))
        elif child.type == "pair_pattern" and (key := child.child_by_field_name("key")) is not None:
            entries.append(Entry(key_of(key), field(child, "value")))
        elif child.type == "object_assignment_pattern" and (left := child.child_by_field_name("left")) is not None:
            entries.append(Entry(key_of(left), _default(child)))
    return Mapping(node.byte_range, tuple(entries))


@reads("assignment_pattern")
def _default(node: "Node") -> Expression:
    return Binding(node.byte_range, field(node, "left"), field(node, "right"), only_if_none=True)


@reads("array_pattern")
def _array_pattern(node: "Node") -> Expression:
    """`[a, , ...rest]`: what is left out stands as a nameless constant, so that places count."""
    items, waiting = list[Argument](), False
    for child in node.children:
        if child.is_named and child.type not in ("comment", "ERROR"):
            items.append(Argument(None, expression(child), spread=child.type == "rest_pattern"))
            waiting = True
        elif child.type == ",":
            if not waiting:
                items.append(Argument(None, Constant(child.byte_range, None, is_none=True)))
            waiting = False
    return Listing(node.byte_range, tuple(items), "list")
