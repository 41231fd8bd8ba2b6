"""Expressions of Python -> those of `code`."""

import ast
from collections.abc import Callable
from functools import cache
from typing import Any

from promptlint.lint.flow.code import (
    Argument,
    Awaited,
    Binding,
    Call,
    Choice,
    Constant,
    Each,
    Entry,
    Expression,
    Formatted,
    Function,
    Item,
    Lambda,
    Listing,
    Mapping,
    Member,
    Name,
    Operation,
    Parameter,
    Return,
    Span,
    Statement,
    Text,
)


def expression(node: ast.expr) -> Expression:
    """The translation of an expression."""
    handler = _HANDLERS.get(type(node))
    return handler(node) if handler is not None else _other(node)


def span_of(node: Any) -> Span:
    """Where a node stands: see `python.parse`."""
    return node.lineno, node.col_offset, node.end_lineno, node.end_col_offset


def parameters(arguments: ast.arguments) -> tuple[Parameter, ...]:
    """The parameters of a function, in the order in which they are written."""
    plain = [*arguments.posonlyargs, *arguments.args]
    defaults = [None] * (len(plain) - len(arguments.defaults)) + list(arguments.defaults)
    found = [_parameter(one, default) for one, default in zip(plain, defaults, strict=True)]
    if arguments.vararg:
        found.append(_parameter(arguments.vararg, None)._replace(kind="rest"))
    found += [_parameter(one, given) for one, given in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)]
    if arguments.kwarg:
        found.append(_parameter(arguments.kwarg, None)._replace(kind="keywords"))
    return tuple(found)


def _parameter(one: ast.arg, default: ast.expr | None) -> Parameter:
    given = None if default is None else expression(default)
    return Parameter(one.arg, given, type=_type(one.annotation))


def _type(node: ast.expr | None) -> str:
    """The name of a type, without what stands in its brackets; of `A | None` and `Optional[A]` that of A."""
    if isinstance(node, ast.BinOp):
        return _type(node.left) or _type(node.right)
    if isinstance(node, ast.Subscript):
        name = _type(node.value)
        return _type(node.slice) if name == "Optional" else name
    if isinstance(node, ast.Name):
        return node.id
    return node.attr if isinstance(node, ast.Attribute) else ""


def _constant(node: ast.Constant) -> Expression:
    text = node.value if isinstance(node.value, str) else None
    return Constant(span_of(node), text, node.value is None)


def _call(node: ast.Call) -> Expression:
    arguments = [
        Argument(None, expression(one.value), True) if isinstance(one, ast.Starred) else Argument(None, expression(one))
        for one in node.args
    ]
    for keyword in node.keywords:
        name = keyword.arg
        arguments.append(Argument(name or "**", expression(keyword.value), name is None))
    return Call(span_of(node), expression(node.func), tuple(arguments))


def _binary(node: ast.BinOp) -> Expression:
    if isinstance(node.op, ast.Add):
        operands: list[ast.expr] = []
        left: ast.expr = node
        while isinstance(left, ast.BinOp) and isinstance(left.op, ast.Add):  # long sums nest to the left
            operands.append(left.right)
            left = left.left
        return Text(span_of(node), tuple(map(expression, [left, *reversed(operands)])))
    left = node
    rest: list[ast.expr] = []
    while isinstance(left, ast.BinOp) and not isinstance(left.op, ast.Add):
        rest.append(left.right)
        left = left.left
    if isinstance(node.op, ast.Div | ast.Mod | ast.BitOr | ast.BitAnd | ast.Sub | ast.BitXor):
        # Paths are joined, and sets and mappings united, by these.
        callee = Name(span_of(node), f"operator:{type(node.op).__name__}")
        arguments = tuple(Argument(None, expression(one)) for one in (node.left, node.right))
        return Call(span_of(node), callee, arguments)
    return Operation(span_of(node), tuple(map(expression, [left, *reversed(rest)])), True)


def _joined(node: ast.JoinedStr) -> Expression:
    return Text(span_of(node), tuple(map(expression, node.values)))


def _formatted(node: ast.FormattedValue) -> Expression:
    value = expression(node.value)
    if node.format_spec is None:
        return value
    spec = node.format_spec
    known = isinstance(spec, ast.JoinedStr) and all(isinstance(one, ast.Constant) for one in spec.values)
    written = "".join(str(one.value) for one in spec.values if isinstance(one, ast.Constant)) if known else None  # type: ignore[attr-defined]
    return Formatted(span_of(node.value), value, written)


def _listing(node: ast.List | ast.Tuple | ast.Set) -> Expression:
    items = tuple(
        Argument(None, expression(one.value), True) if isinstance(one, ast.Starred) else Argument(None, expression(one))
        for one in node.elts
    )
    return Listing(span_of(node), items, "set" if isinstance(node, ast.Set) else "list")


def _mapping(node: ast.Dict) -> Expression:
    pairs = zip(node.keys, node.values, strict=True)
    return Mapping(
        span_of(node), tuple(Entry(None if key is None else expression(key), expression(value)) for key, value in pairs)
    )


def _comprehension(node: Any) -> Expression:
    if isinstance(node, ast.DictComp):
        element: Expression = Mapping(span_of(node), (Entry(expression(node.key), expression(node.value)),))
    else:
        element = expression(node.elt)
    kind: Any = {ast.ListComp: "list", ast.SetComp: "set", ast.DictComp: "mapping"}.get(type(node), "stream")
    span = span_of(node)
    for number, loop in enumerate(reversed(node.generators)):
        last = number == len(node.generators) - 1
        target, over = expression(loop.target), expression(loop.iter)
        element = Each(span, target, over, element, kind if last else "stream", flat=number > 0)
    return element


def _boolean(node: ast.BoolOp) -> Expression:
    values = tuple(map(expression, node.values))
    if isinstance(node.op, ast.And):  # what is true or false in front of it is only asked
        return Choice(span_of(node), values[-1:], values[0])
    return Choice(span_of(node), values)


def _choice(node: ast.IfExp) -> Expression:
    return Choice(span_of(node), (expression(node.body), expression(node.orelse)), expression(node.test))


def _lambda(node: ast.Lambda) -> Expression:
    span = span_of(node)

    @cache
    def body() -> tuple[Statement, ...]:
        return (Return(span_of(node.body), expression(node.body)),)

    return Lambda(span, Function(span, "", parameters(node.args), body))


def _item(node: ast.Subscript) -> Expression:
    where = node.slice
    if isinstance(where, ast.Slice):
        until = None
        if where.lower is None and isinstance(where.upper, ast.Constant) and isinstance(where.upper.value, int):
            until = where.upper.value
        if isinstance(where.step, ast.UnaryOp) and where.lower is None and where.upper is None:  # [::-1]
            argument = Argument(None, expression(node.value))
            return Call(span_of(node), Name(span_of(node), "reversed"), (argument,))
        return Item(span_of(node), expression(node.value), None, until)
    return Item(span_of(node), expression(node.value), expression(where))


def _unary(node: ast.UnaryOp) -> Expression:
    return Operation(span_of(node), (expression(node.operand),), not isinstance(node.op, ast.Not))


def _compare(node: ast.Compare) -> Expression:
    return Operation(span_of(node), tuple(map(expression, [node.left, *node.comparators])), False)


def _other(node: ast.expr) -> Expression:
    inner = [one for one in ast.iter_child_nodes(node) if isinstance(one, ast.expr)]
    return Operation(span_of(node), tuple(map(expression, inner)), False)


_HANDLERS: dict[type[ast.expr], Callable[[Any], Expression]] = {
    ast.Constant: _constant,
    ast.Name: lambda node: Name(span_of(node), node.id),
    ast.Attribute: lambda node: Member(span_of(node), expression(node.value), node.attr),
    ast.Call: _call,
    ast.BinOp: _binary,
    ast.JoinedStr: _joined,
    ast.FormattedValue: _formatted,
    ast.List: _listing,
    ast.Tuple: _listing,
    ast.Set: _listing,
    ast.Dict: _mapping,
    ast.ListComp: _comprehension,
    ast.SetComp: _comprehension,
    ast.DictComp: _comprehension,
    ast.GeneratorExp: _comprehension,
    ast.BoolOp: _boolean,
    ast.IfExp: _choice,
    ast.Lambda: _lambda,
    ast.Subscript: _item,
    ast.Await: lambda node: Awaited(span_of(node), expression(node.value)),
    ast.UnaryOp: _unary,
    ast.Compare: _compare,
    ast.NamedExpr: lambda node: Binding(span_of(node), expression(node.target), expression(node.value)),
    ast.Starred: lambda node: expression(node.value),
}
