"""Statements of TypeScript and JavaScript."""

from typing import TYPE_CHECKING

from promptlint.lint.flow.code import (
    Argument,
    Assign,
    Branch,
    Call,
    Constant,
    Do,
    Expression,
    Leave,
    Loop,
    Member,
    Name,
    Return,
    Statement,
)
from promptlint.lint.flow.typescript.branches import Arm, chain
from promptlint.lint.flow.typescript.functions import class_type
from promptlint.lint.flow.typescript.imports import required
from promptlint.lint.flow.typescript.nodes import block, expression, field, inner, source, write, writes
from promptlint.lint.flow.typescript.operators import combined, operator
from promptlint.lint.flow.typescript.patterns import target

if TYPE_CHECKING:
    from tree_sitter import Node


@writes("statement_block")
def _block(node: "Node", into: list[Statement]) -> None:
    for child in node.children:
        write(child, into)


@writes("internal_module", "module", "labeled_statement", "with_statement", "finally_clause")
def _held(node: "Node", into: list[Statement]) -> None:
    """What only holds other statements: a namespace is read as if they stood outside of it."""
    if node.type == "with_statement":
        _evaluated(node, "object", into)
    body = node.child_by_field_name("body")
    if body is not None:
        write(body, into)


@writes("expression_statement")
def _expression(node: "Node", into: list[Statement]) -> None:
    child = inner(node)
    if child is not None:
        effect(child, into)


def effect(node: "Node", into: list[Statement]) -> None:
    """Add an expression of which only the effect is wanted: an assignment is one, whatever brackets it stands in."""
    if node.type in ("assignment_expression", "augmented_assignment_expression"):
        _assign(node, into)
    elif node.type == "update_expression":  # `x++` is `x += 1`
        into.append(Assign(node.byte_range, field(node, "argument"), Constant(node.byte_range, None), adds=True))
    elif node.type == "yield_expression":
        _yield(node, into)
    elif node.type == "internal_module":
        write(node, into)
    elif node.type in ("parenthesized_expression", "sequence_expression"):
        for child in node.children:
            if child.is_named and child.type != "comment":
                effect(child, into)
    elif not isinstance(value := expression(node), Constant):  # such as "use strict"
        into.append(Do(node.byte_range, value))


def _assign(node: "Node", into: list[Statement]) -> None:
    sign, right = operator(node), node.child_by_field_name("right")
    left = node.child_by_field_name("left")
    if right is None or left is None:
        return
    place, defaults = target(left)
    if sign in ("=", "+=", "??=", "||="):
        value = _value(right, into)
        into.append(Assign(node.byte_range, place, value, adds=sign == "+=", only_if_none=sign in ("??=", "||=")))
        into += defaults
    else:
        into.append(Assign(node.byte_range, place, combined(node, place, expression(right))))


def _value(node: "Node", into: list[Statement]) -> Expression | None:
    """The value of an assignment; `yield` gives one away before, and what comes back is unknown."""
    if node.type != "yield_expression":
        return expression(node)
    _yield(node, into)
    return None


def _yield(node: "Node", into: list[Statement]) -> None:
    span, value = node.byte_range, inner(node)
    given = None if value is None else expression(value)
    if given is not None and any(child.type == "*" for child in node.children):
        each = Name(span, "yield*")  # no name of the source can be this one
        into.append(Loop(span, each, given, (Return(span, each, ends=False),)))
    else:
        into.append(Return(span, given, ends=False))


@writes("lexical_declaration", "variable_declaration")
def _declaration(node: "Node", into: list[Statement]) -> None:
    for child in node.children:
        named = child.child_by_field_name("name") if child.type == "variable_declarator" else None
        if named is None:
            continue
        value, span = child.child_by_field_name("value"), child.byte_range
        if value is not None and (imported := required(named, value, span)) is not None:
            into.append(imported)
        elif value is not None and value.type == "class" and named.type == "identifier":
            into.append(class_type(value, source(named)))
        else:
            given = None if value is None else _value(value, into)
            place, defaults = target(named)
            into += [Assign(span, place, given, declares=True), *defaults]


@writes("return_statement")
def _return(node: "Node", into: list[Statement]) -> None:
    value = inner(node)
    into.append(Return(node.byte_range, None if value is None else expression(value)))


@writes("throw_statement", "break_statement", "continue_statement")
def _leave(node: "Node", into: list[Statement]) -> None:
    value = inner(node) if node.type == "throw_statement" else None
    into.append(Leave(node.byte_range, None if value is None else expression(value)))


@writes("if_statement")
def _if(node: "Node", into: list[Statement]) -> None:
    arms, rest, current = list[Arm](), tuple[Statement, ...](), node
    while True:
        arms.append(
            Arm(current.byte_range, field(current, "condition"), block(current.child_by_field_name("consequence")))
        )
        clause = current.child_by_field_name("alternative")
        other = None if clause is None else inner(clause)
        if other is None:
            break
        if other.type != "if_statement":
            rest = block(other)
            break
        current = other
    into += chain(arms, rest)


@writes("try_statement")
def _try(node: "Node", into: list[Statement]) -> None:
    handler, caught = node.child_by_field_name("handler"), list[Statement]()
    if handler is not None:
        error = handler.child_by_field_name("parameter")
        if error is not None:
            caught.append(Assign(error.byte_range, target(error)[0], None, declares=True))
        caught += block(handler.child_by_field_name("body"))
    into.append(Branch(node.byte_range, None, block(node.child_by_field_name("body")), tuple(caught)))
    into += block(node.child_by_field_name("finalizer"))


@writes("for_in_statement")
def _for_each(node: "Node", into: list[Statement]) -> None:
    left, over, sign = node.child_by_field_name("left"), field(node, "right"), node.child_by_field_name("operator")
    if left is None:
        return
    if sign is not None and sign.type == "in":  # the names of its properties
        keys = Member(over.span, Name(over.span, "Object"), "keys")
        over = Call(over.span, keys, (Argument(None, over),))
    place, defaults = target(left)
    body = (*defaults, *block(node.child_by_field_name("body")))
    into.append(Loop(node.byte_range, place, over, body))


@writes("for_statement")
def _for(node: "Node", into: list[Statement]) -> None:
    first, step = node.child_by_field_name("initializer"), node.child_by_field_name("increment")
    if first is not None:
        (write if first.type.endswith(("_declaration", "_statement")) else effect)(first, into)
    body = list[Statement]()
    _evaluated(node, "condition", body)
    body += block(node.child_by_field_name("body"))
    if step is not None:
        effect(step, body)
    into.append(Loop(node.byte_range, None, None, tuple(body)))


@writes("while_statement", "do_statement")
def _while(node: "Node", into: list[Statement]) -> None:
    body = list[Statement]()
    if node.type == "while_statement":
        _evaluated(node, "condition", body)
    body += block(node.child_by_field_name("body"))
    if node.type == "do_statement":
        _evaluated(node, "condition", body)
    into.append(Loop(node.byte_range, None, None, tuple(body)))


def _evaluated(node: "Node", name: str, into: list[Statement]) -> None:
    """A condition whose answer has no bearing, but which may assign or call something."""
    child = node.child_by_field_name(name)
    value = None if child is None else inner(child) if child.type.endswith("_statement") else child
    if value is not None and value.is_named:
        effect(value, into)
