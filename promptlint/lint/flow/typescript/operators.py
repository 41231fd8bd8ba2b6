"""Operators of TypeScript and JavaScript: texts that are put together, choices, assignments used as values."""

from typing import TYPE_CHECKING, Literal

from promptlint.lint.flow.code import Binding, Choice, Constant, Expression, Operation, Span, Text
from promptlint.lint.flow.typescript.nodes import expression, field, reads, unknown

if TYPE_CHECKING:
    from tree_sitter import Node

_Group = Literal["sum", "truth", "or", "and"]
_GROUPS: dict[str, _Group] = {"??": "or", "||": "or", "&&": "and"}
_GROUPS |= dict.fromkeys(("+", "-", "*", "/", "%", "**", "<<", ">>", ">>>", "&", "|", "^"), "sum")


@reads("binary_expression")
def _binary(node: "Node") -> Expression:
    """A chain of operators, however long: only what stands to the right of one is read by recursion."""
    chain, first = list["Node"](), node
    while first.type == "binary_expression":
        chain.append(first)
        left = first.child_by_field_name("left")
        if left is None:
            return unknown(node)
        first = left
    start, group, numbers, values = node.start_byte, None, 0, [expression(first)]
    for link in reversed(chain):
        sign = operator(link)
        wanted = _GROUPS.get(sign, "truth")
        if group is not None and wanted not in (group, "truth"):  # operands of comparisons may stay side by side
            values = [_joined((start, values[-1].span[1]), group, values, numbers)]
            numbers = 0
        group = wanted
        values.append(field(link, "right"))
        numbers = len(values) if group == "sum" and sign != "+" else numbers
    return _joined(node.byte_range, group or "truth", values, numbers)


def _joined(span: Span, group: _Group, values: list[Expression], numbers: int) -> Expression:
    """Operands of one group; of a sum the first `numbers` make a number, the others may be put behind it."""
    if group == "or":
        return Choice(span, tuple(values))
    if group == "and":
        return Choice(span, (values[-1],), _all(values[:-1]))
    if group == "truth":
        return Operation(span, tuple(values), keeps=False)
    if numbers == len(values):
        return Operation(span, tuple(values), keeps=True)
    if numbers:
        first = Operation((span[0], values[numbers - 1].span[1]), tuple(values[:numbers]), keeps=True)
        return Text(span, (first, *values[numbers:]))
    return Text(span, tuple(values))


def _all(tests: list[Expression]) -> Expression:
    if len(tests) == 1:
        return tests[0]
    return Operation((tests[0].span[0], tests[-1].span[1]), tuple(tests), keeps=False)


@reads("ternary_expression")
def _ternary(node: "Node") -> Expression:
    """`a ? b : c ? d : e`: the options of the whole chain, side by side."""
    tests, options, last = list[Expression](), list[Expression](), node
    while last.type == "ternary_expression":
        tests.append(field(last, "condition"))
        options.append(field(last, "consequence"))
        other = last.child_by_field_name("alternative")
        if other is None:
            break
        last = other
    else:
        options.append(expression(last))
    return Choice(node.byte_range, tuple(options), _all(tests))


@reads("sequence_expression")
def _sequence(node: "Node") -> Expression:
    *before, last = [expression(child) for child in node.children if child.is_named] or [unknown(node)]
    return Choice(node.byte_range, (last,), Operation(node.byte_range, tuple(before), keeps=False))


@reads("unary_expression")
def _unary(node: "Node") -> Expression:
    sign, value = node.child_by_field_name("operator"), field(node, "argument")
    kind = "" if sign is None else sign.type
    if isinstance(value, Constant) and value.text is None and kind in ("-", "+", "void"):
        return Constant(node.byte_range, None, is_none=kind == "void")
    return Operation(node.byte_range, (value,), keeps=kind in ("-", "+", "~"))


@reads("update_expression")
def _update(node: "Node") -> Expression:
    """`x++` is `(x := x + 1)`: a counter differs each time."""
    target = field(node, "argument")
    return Binding(node.byte_range, target, Operation(node.byte_range, (target,), keeps=True))


@reads("yield_expression")
def _yield(node: "Node") -> Expression:
    """In the middle of an expression: what comes back is unknown."""
    values = [expression(child) for child in node.children if child.is_named and child.type != "comment"]
    return Operation(node.byte_range, tuple(values), keeps=False)


@reads("assignment_expression", "augmented_assignment_expression")
def _assignment(node: "Node") -> Expression:
    target, value = field(node, "left"), field(node, "right")
    sign = operator(node)
    return Binding(node.byte_range, target, combined(node, target, value), only_if_none=sign in ("??=", "||="))


def operator(node: "Node") -> str:
    """The sign of an operation or an assignment: `*`, `=`, `+=`, `??=`."""
    sign = node.child_by_field_name("operator")
    return "=" if sign is None else sign.type


def combined(node: "Node", target: Expression, value: Expression) -> Expression:
    """The value that an assignment gives: with `+=` the target is a part of it."""
    sign, span = operator(node), node.byte_range
    if sign in ("=", "??=", "||="):
        return value
    if sign == "&&=":
        return Choice(span, (value,), target)
    return Text(span, (target, value)) if sign == "+=" else Operation(span, (target, value), keeps=True)
