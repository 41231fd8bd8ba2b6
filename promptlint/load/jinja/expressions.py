"""Expressions: on which arguments and calls their value depends. No value is computed."""

from typing import Any

from jinja2 import nodes
from jinja2.filters import FILTERS

from promptlint.load.jinja.known import FORMATTING, GLOBALS, KEEPING, OF_MAPPINGS, ORDERING, SAME_TEXT
from promptlint.load.jinja.positions import first_token, last_token
from promptlint.load.jinja.regions import Printed, trimmed
from promptlint.load.jinja.values import (
    NOTHING,
    Module,
    Space,
    Turn,
    Value,
    governed,
    inner,
    joined,
    made_of,
)
from promptlint.load.jinja.visit import Context, evaluate
from promptlint.template import Call, SourceRange

_OF_ITSELF = frozenset(("index", "index0", "first", "depth", "depth0"))  # what `loop` knows without its list
_NEIGHBOURS = frozenset(("previtem", "nextitem"))


def argument(context: Context, name: str) -> Value:
    """The value of a name that the caller gives."""
    value = context.found.arguments.get(name)
    if value is None:
        value = context.found.arguments[name] = Value(paths=(name,), filler="argument")
    return value


def attribute(context: Context, base: Value, key: str, node: nodes.Expr) -> Value:
    """What `base.key` is; `node` is that expression."""
    thing = base.thing
    if isinstance(thing, Space):
        return thing.attributes.get(key, NOTHING)
    if isinstance(thing, Module):
        return thing.scope.values.get(key, NOTHING)
    if isinstance(thing, Turn):
        if key in _OF_ITSELF:
            return Value(filler="loop")
        return thing.item if key in _NEIGHBOURS else made_of((thing.item,))
    value = inner(base, key)
    if key in ("role", "content") and f"messages.{key}" in value.paths:
        context.found.reads_messages = True
    return chained(context, value, node)


def chained(context: Context, value: Value, node: nodes.Expr, form: str | None = None) -> Value:
    """What is looked up in a call's answer: the call then ends with `node`."""
    if value.chain is None:
        return value
    old = value.chain
    end = context.tokens.range(node.lineno, last_token(context.tokens, node)).end
    new = old._replace(range=SourceRange(old.range.file, old.range.start, end), format=form or old.format)
    return value._replace(calls=tuple([new if call is old else call for call in value.calls]), chain=new)


def formatted(value: Value, form: str | None) -> Value:
    """A value that is printed as a strftime format says."""
    if form is None:
        return value
    calls = [c if c.format or c.name[0] == "|" else c._replace(format=form) for c in value.calls]
    return value._replace(calls=tuple(calls))


def format_of(values: list[Value]) -> str | None:
    """The strftime format among the arguments of a call."""
    return next((value.constant for value in values if value.constant is not None and "%" in value.constant), None)


def given(context: Context, node: nodes.Call | nodes.Filter | nodes.Test) -> list[Value]:
    """The values of all arguments of a call."""
    found = [evaluate(context, argument) for argument in node.args]
    found += [evaluate(context, named.value if isinstance(named, nodes.Keyword) else named) for named in node.kwargs]
    return found + [evaluate(context, more) for more in (node.dyn_args, node.dyn_kwargs) if more is not None]


def _name(context: Context, node: nodes.Name) -> Value:
    value = context.scope.find(node.name)
    if value is not None:
        return value
    return NOTHING if node.name in GLOBALS else argument(context, node.name)


def _constant(context: Context, node: nodes.Const) -> Value:
    return Value(constant=node.value) if isinstance(node.value, str) else NOTHING


def _getattr(context: Context, node: nodes.Getattr) -> Value:
    return attribute(context, evaluate(context, node.node), node.attr, node)


def _getitem(context: Context, node: nodes.Getitem) -> Value:
    base, key = evaluate(context, node.node), node.arg
    if isinstance(key, nodes.Const) and isinstance(key.value, str):
        return attribute(context, base, key.value, node)
    value = base._replace(constant=None, thing=None)
    if not isinstance(key, nodes.Slice):
        value = value._replace(unordered=None)
    if not isinstance(key, nodes.Const):
        chain = value.chain
        value = governed(value, made_of((evaluate(context, key),)))._replace(chain=chain)
    return chained(context, value, node)


def _filter(context: Context, node: nodes.Filter) -> Value:
    if node.name in ("default", "d"):
        _asked_for(context, node.node)
    base = NOTHING if node.node is None else evaluate(context, node.node)
    more = given(context, node)
    if node.name in SAME_TEXT:
        return base._replace(chain=None)
    if node.name == "trim" and not more and isinstance(base.thing, Printed):
        return base._replace(thing=trimmed(base.thing))
    if node.name in KEEPING:
        value = governed(base, made_of(more)) if node.name not in ("default", "d") else joined((base, *more))
        value = value._replace(constant=None, chain=None, thing=None)
    elif node.name == "map":
        named = [pair.value for pair in node.kwargs if pair.key == "attribute" and isinstance(pair.value, nodes.Const)]
        value = inner(base, str(named[0].value)) if named else made_of((base, *more))
        value = value._replace(unordered=base.unordered, chain=None)
    elif node.name in OF_MAPPINGS:
        value = base._replace(constant=None, chain=None, unordered=_range(context, node) if base.paths else None)
    else:
        value = made_of((base, *more))
    if node.name in ORDERING:
        value = value._replace(unordered=None)
    if node.name in FORMATTING:
        value = formatted(value, format_of(more))
    if node.name in FILTERS and node.name != "random":
        return value
    call = Call(f"|{node.name}", _range(context, node), format_of(more) if node.name in FORMATTING else None)
    return value._replace(calls=(*value.calls, call), chain=None)


def _range(context: Context, node: nodes.Expr) -> SourceRange:
    return context.tokens.range(first_token(context.tokens, node), last_token(context.tokens, node))


def _test(context: Context, node: nodes.Test) -> Value:
    if node.name in ("defined", "undefined"):
        _asked_for(context, node.node)
    return made_of((evaluate(context, node.node), *given(context, node)))._replace(unordered=None)


def _asked_for(context: Context, node: nodes.Node | None) -> None:
    """The template asks whether a name has a value: if it may not have set it, a caller may give it."""
    value = context.scope.find(node.name) if isinstance(node, nodes.Name) else None
    if isinstance(node, nodes.Name) and value is not None and value.unset:
        holder = context.scope.holder(node.name)
        assert holder is not None
        holder.values[node.name] = joined((value._replace(unset=False), argument(context, node.name)))


def _either(context: Context, node: nodes.CondExpr) -> Value:
    test = evaluate(context, node.test)
    one = evaluate(context, node.expr1)
    two = NOTHING if node.expr2 is None else evaluate(context, node.expr2)
    return governed(_no_region(joined((one, two))), test)


def _logical(context: Context, node: nodes.BinExpr) -> Value:
    return _no_region(joined((evaluate(context, node.left), evaluate(context, node.right))))


def _no_region(value: Value) -> Value:
    """A value that may be printed or not: it is no region that is printed as it is."""
    return value._replace(thing=None) if isinstance(value.thing, Printed) else value


def _list(context: Context, node: nodes.List | nodes.Tuple) -> Value:
    return joined([evaluate(context, item) for item in node.items])._replace(unordered=None, thing=None)


def _any(context: Context, node: nodes.Node) -> Value:
    return made_of([evaluate(context, child) for child in node.iter_child_nodes()])


def _unordered(context: Context, node: nodes.Node) -> Value:
    return _any(context, node)._replace(unordered=None)


HANDLERS: dict[type[nodes.Node], Any] = {
    nodes.Name: _name,
    nodes.Const: _constant,
    nodes.Getattr: _getattr,
    nodes.Getitem: _getitem,
    nodes.Filter: _filter,
    nodes.Test: _test,
    nodes.CondExpr: _either,
    nodes.And: _logical,
    nodes.Or: _logical,
    nodes.Add: _logical,  # of lists, too
    nodes.List: _list,
    nodes.Tuple: _list,
    nodes.Compare: _unordered,
    nodes.Not: _unordered,
    nodes.Expr: _any,
}
