"""Statements of Python -> those of `code`."""

import ast
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

from promptlint.lint.flow.code import (
    Argument,
    Assign,
    Branch,
    Call,
    Define,
    Do,
    Function,
    Import,
    Imported,
    Leave,
    Loop,
    Member,
    Name,
    Outer,
    Return,
    Statement,
    Type,
)
from promptlint.lint.flow.python.expressions import expression, parameters, span_of

_GETTERS = frozenset({"property", "cached_property", "functools.cached_property"})
_WITHOUT_SELF = frozenset({"staticmethod"})


def block(body: list[ast.stmt]) -> tuple[Statement, ...]:
    """The translation of statements; what has no bearing on values is left out."""
    done: list[Statement] = []
    for node in body:
        handler = _HANDLERS.get(type(node))
        if handler is not None:
            done += handler(node)
    return tuple(done)


def _do(node: ast.Expr) -> Iterator[Statement]:
    value = node.value
    if isinstance(value, ast.Yield | ast.YieldFrom):
        yield _yielded(value)
    elif not isinstance(value, ast.Constant):
        yield Do(span_of(node), expression(value))


def _yielded(value: ast.Yield | ast.YieldFrom) -> Return:
    return Return(span_of(value), None if value.value is None else expression(value.value), ends=False)


def _assign(node: ast.Assign) -> Iterator[Statement]:
    if isinstance(node.value, ast.Yield | ast.YieldFrom):
        yield _yielded(node.value)
        return
    value = expression(node.value)
    for target in node.targets:
        yield Assign(span_of(node), expression(target), value)


def _annotated(node: ast.AnnAssign) -> Iterator[Statement]:
    yield Assign(span_of(node), expression(node.target), None if node.value is None else expression(node.value))


def _augmented(node: ast.AugAssign) -> Iterator[Statement]:
    target = expression(node.target)
    if isinstance(node.op, ast.Add | ast.BitOr):
        yield Assign(span_of(node), target, expression(node.value), adds=True)
    else:
        whole = ast.copy_location(ast.BinOp(node.target, node.op, node.value), node)
        yield Assign(span_of(node), target, expression(whole))


def _return(node: ast.Return) -> Iterator[Statement]:
    yield Return(span_of(node), None if node.value is None else expression(node.value))


def _if(node: ast.If) -> Iterator[Statement]:
    yield Branch(span_of(node), expression(node.test), block(node.body), block(node.orelse))


def _for(node: ast.For | ast.AsyncFor) -> Iterator[Statement]:
    yield Loop(span_of(node), expression(node.target), expression(node.iter), block(node.body))
    yield from block(node.orelse)


def _while(node: ast.While) -> Iterator[Statement]:
    yield Loop(span_of(node), None, None, (Do(span_of(node.test), expression(node.test)), *block(node.body)))
    yield from block(node.orelse)


def _with(node: ast.With | ast.AsyncWith) -> Iterator[Statement]:
    for item in node.items:
        value = expression(item.context_expr)
        if item.optional_vars is None:
            yield Do(span_of(item.context_expr), value)
        else:
            yield Assign(span_of(item.context_expr), expression(item.optional_vars), value)
    yield from block(node.body)


def _try(node: Any) -> Iterator[Statement]:
    handlers = tuple(statement for handler in node.handlers for statement in block(handler.body))
    yield Branch(span_of(node), None, block([*node.body, *node.orelse]), handlers)
    yield from block(node.finalbody)


def _match(node: ast.Match) -> Iterator[Statement]:
    subject = expression(node.subject)
    done: tuple[Statement, ...] = ()
    for case in reversed(node.cases):
        names = [name for one in ast.walk(case.pattern) if (name := getattr(one, "name", None))]
        bound = tuple(Assign(span_of(case.pattern), Name(span_of(case.pattern), name), subject) for name in names)
        done = (Branch(span_of(case.pattern), subject, (*bound, *block(case.body)), done),)
    yield from done


def _function(node: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[Statement]:
    written = [_dotted(one) for one in node.decorator_list]
    yield Define(
        span_of(node),
        Function(
            span_of(node),
            node.name,
            parameters(node.args),
            cache(lambda: block(node.body)),
            tuple(map(expression, node.decorator_list)),
            is_async=isinstance(node, ast.AsyncFunctionDef),
            is_static=bool(_WITHOUT_SELF.intersection(written)),
            is_getter=bool(_GETTERS.intersection(written)),
        ),
    )


def _class(node: ast.ClassDef) -> Iterator[Statement]:
    bases, decorators = (tuple(map(expression, given)) for given in (node.bases, node.decorator_list))
    yield Type(span_of(node), node.name, bases, decorators, block(node.body))


def _import(node: ast.Import) -> Iterator[Statement]:
    names = tuple(
        Imported(one.asname, one.name, None)
        if one.asname
        else Imported(one.name.partition(".")[0], one.name.partition(".")[0], None)
        for one in node.names
    )
    yield Import(span_of(node), names)


def _from(node: ast.ImportFrom) -> Iterator[Statement]:
    module = "." * node.level + (node.module or "")
    yield Import(span_of(node), tuple(Imported(one.asname or one.name, module, one.name) for one in node.names))


def _leave(node: ast.Raise | ast.Break | ast.Continue) -> Iterator[Statement]:
    raised = node.exc if isinstance(node, ast.Raise) else None
    yield Leave(span_of(node), None if raised is None else expression(raised))


def _delete(node: ast.Delete) -> Iterator[Statement]:
    for one in node.targets:
        if isinstance(one, ast.Subscript) and not isinstance(one.slice, ast.Slice):
            span = span_of(one)
            taken = Member(span, expression(one.value), "pop")
            yield Do(span, Call(span, taken, (Argument(None, expression(one.slice)),)))


def _outer(node: ast.Global | ast.Nonlocal) -> Iterator[Statement]:
    yield Outer(span_of(node), tuple(node.names), isinstance(node, ast.Global))


def _dotted(node: ast.expr) -> str:
    """The name of a decorator."""
    if isinstance(node, ast.Call):
        return _dotted(node.func)
    if isinstance(node, ast.Attribute):
        return f"{_dotted(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


_HANDLERS: dict[type[ast.stmt], Callable[[Any], Iterator[Statement]]] = {
    ast.Expr: _do,
    ast.Assign: _assign,
    ast.AnnAssign: _annotated,
    ast.AugAssign: _augmented,
    ast.Return: _return,
    ast.If: _if,
    ast.For: _for,
    ast.AsyncFor: _for,
    ast.While: _while,
    ast.With: _with,
    ast.AsyncWith: _with,
    ast.Try: _try,
    ast.TryStar: _try,
    ast.Match: _match,
    ast.FunctionDef: _function,
    ast.AsyncFunctionDef: _function,
    ast.ClassDef: _class,
    ast.Import: _import,
    ast.ImportFrom: _from,
    ast.Global: _outer,
    ast.Nonlocal: _outer,
    ast.Delete: _delete,
    ast.Raise: _leave,
    ast.Break: _leave,
    ast.Continue: _leave,
}
