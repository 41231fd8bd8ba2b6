"""Calls: of functions and methods, of macros (whose bodies are walked where they are called), of `super()`."""

from typing import Any

from jinja2 import nodes

from promptlint.load.jinja.expressions import (
    argument,
    attribute,
    chained,
    format_of,
    formatted,
    given,
)
from promptlint.load.jinja.known import (
    FORMATTING,
    FUNCTIONS,
    GLOBALS,
    GROWING,
    METHODS,
    NO_ORDER,
    OF_MAPPINGS,
    OWN,
    OWNERS,
    SAME_ITEMS,
    SILENT,
)
from promptlint.load.jinja.positions import first_token, last_token
from promptlint.load.jinja.regions import nothing_printed
from promptlint.load.jinja.values import (
    NOTHING,
    Macro,
    Module,
    Scope,
    Space,
    Turn,
    Value,
    governed,
    inner,
    joined,
    made_of,
    of_printed,
)
from promptlint.load.jinja.visit import Block, Context, evaluate, walk
from promptlint.template import Call


def called(context: Context, node: nodes.Call, caller: Macro | None = None) -> Value:
    """What a call answers; `caller`: the body of its call block."""
    callee = node.node
    if isinstance(callee, nodes.Name):
        value = context.scope.find(callee.name)
        return _function(context, node, callee.name) if value is None else _value(context, node, value, caller)
    if isinstance(callee, nodes.Getattr):
        name = _dotted(callee)
        root = name.split(".")[0]
        if root and context.scope.find(root) is None:
            if root in OWNERS:
                return _function(context, node, name)
            if root == "self":
                return region(context, context.found.blocks.get(callee.attr, ()))
        return _method(context, node, callee, name, caller)
    return _value(context, node, evaluate(context, callee), caller)


def region(context: Context, chain: tuple[Block, ...]) -> Value:
    """What the first of the definitions of a block prints."""
    if not chain or id(chain[0].body) in context.macros or not context.may_inline():
        return Value(filler="block")
    body, tokens = chain[0]
    printed = nothing_printed()
    inside = context._replace(
        tokens=tokens,
        scope=Scope(context.root),
        printed=printed,
        when="always",
        level=context.level + 1,
        inlined=context.inlined + 1,
        macros=(*context.macros, id(body)),
        above=chain[1:],
    )
    walk(inside, body)
    return of_printed(printed)


def _function(context: Context, node: nodes.Call, name: str) -> Value:
    if name == "super":
        return region(context, context.above)
    if name == "namespace":
        attributes = {pair.key: _kept(evaluate(context, pair.value)) for pair in node.kwargs}
        return Value(thing=Space(attributes, context.level), names=made_of(_unnamed(context, node)).names)
    values = given(context, node)
    if name in ("raise_exception", "loop", "caller"):
        return made_of(values)
    if name in SILENT:
        return NOTHING
    if name in FUNCTIONS:
        value = joined(values) if name in SAME_ITEMS else made_of(values)
        value = value._replace(constant=None, chain=None, thing=None)
        where = context.tokens.range(first_token(context.tokens, node), last_token(context.tokens, node))
        kept = value.unordered if name in SAME_ITEMS and name != "sorted" else None
        return value._replace(unordered=where if name in NO_ORDER else kept)
    if name.split(".")[0] not in OWN | OWNERS | GLOBALS:
        argument(context, name)
    return _answer(context, node, name, made_of(values), format_of(values))._replace(filler="call", unordered=None)


def _answer(context: Context, node: nodes.Call, name: str, of: Value, form: str | None) -> Value:
    """The answer of a function or method that is worth a word."""
    where = context.tokens.range(first_token(context.tokens, node), last_token(context.tokens, node))
    call = Call(name, where, form)
    return of._replace(calls=(*of.calls, call), chain=call, constant=None, thing=None)


def _method(context: Context, node: nodes.Call, callee: nodes.Getattr, name: str, caller: Macro | None) -> Value:
    base = evaluate(context, callee.node)
    key = callee.attr
    if isinstance(base.thing, Module):
        return _value(context, node, base.thing.scope.values.get(key, NOTHING), caller)
    values = given(context, node)
    if isinstance(base.thing, Turn):
        return made_of(values)._replace(filler="loop")
    if isinstance(base.thing, Space):
        return made_of((attribute(context, base, key, callee), *values))
    if key in GROWING and _grow(context, callee.node, values):
        return NOTHING
    form = format_of(values) if key in FORMATTING else None
    if base.chain is not None:
        return chained(context, governed(base, made_of(values))._replace(chain=base.chain), node, form)
    if key in OF_MAPPINGS:
        where = context.tokens.range(first_token(context.tokens, node), last_token(context.tokens, node))
        return base._replace(constant=None, thing=None, unordered=where if base.paths else base.unordered)
    if key == "get" and node.args and values[0].constant is not None:
        return joined((attribute_of(context, base, values[0].constant), *values[1:]))
    if key == "copy":
        return base
    value = formatted(made_of((base, *values)), form)
    if key in METHODS or not base.paths:
        return value if key == "join" else value._replace(unordered=None)
    return _answer(context, node, name, value, form)


def attribute_of(context: Context, base: Value, key: str) -> Value:
    """What `base.get(key)` is."""
    value = inner(base, key)
    if key in ("role", "content") and f"messages.{key}" in value.paths:
        context.found.reads_messages = True
    return value


def _grow(context: Context, target: nodes.Expr, values: list[Value]) -> bool:
    """Put values into a list or mapping that the template has made; False: it is not the template's own."""
    if isinstance(target, nodes.Getattr):
        space = evaluate(context, target.node).thing
        if not isinstance(space, Space):
            return False
        known, name = space.attributes, target.attr
    else:
        holder = context.scope.holder(target.name) if isinstance(target, nodes.Name) else None
        if holder is None or not isinstance(target, nodes.Name):
            return False
        known, name = holder.values, target.name
    known[name] = governed(joined((known.get(name, NOTHING), *values)), context.active)._replace(filler="set")
    return True


def _value(context: Context, node: nodes.Call, value: Value, caller: Macro | None) -> Value:
    """What the call of a value answers: of a macro what it prints."""
    macro = value.thing
    if not isinstance(macro, Macro):
        answer = made_of((value, *given(context, node)))
        return answer._replace(filler="block") if isinstance(macro, Turn) else answer
    if id(macro.body) in context.macros:
        if macro.name != "caller":
            context.note(node.lineno, f"the macro {macro.name} calls itself: what that prints is not followed")
        return made_of(given(context, node))._replace(filler="block")
    if not context.may_inline():
        return made_of(given(context, node))._replace(filler="block")
    printed = nothing_printed()
    inside = context._replace(
        tokens=macro.tokens,
        scope=Scope(macro.scope),
        printed=printed,
        when="always",
        level=context.level + 1,
        inlined=context.inlined + 1,
        macros=(*context.macros, id(macro.body)),
    )
    _bind(context, inside, node, macro)
    inside.scope.values["caller"] = Value(thing=caller)
    walk(inside, macro.body)
    return of_printed(printed)


def _bind(context: Context, inside: Context, node: nodes.Call, macro: Macro) -> None:
    """Give the arguments of a macro their values."""
    own = inside.scope.values
    names = [name.name for name in macro.args]
    defaults = dict(zip(names[len(names) - len(macro.defaults) :], macro.defaults, strict=True))
    for name, value in zip(names, node.args, strict=False):
        own[name] = _kept(evaluate(context, value))
    for pair in node.kwargs:
        own[pair.key] = _kept(evaluate(context, pair.value))
    rest = made_of([*[evaluate(context, value) for value in node.args[len(names) :]], *_unnamed(context, node)])
    for name in names:
        if name not in own:
            own[name] = _kept(evaluate(inside, defaults[name])) if name in defaults else rest
    own["varargs"] = own["kwargs"] = rest


def _unnamed(context: Context, node: nodes.Call) -> list[Value]:
    """The values of `*more` and `**more`."""
    return [evaluate(context, more) for more in (node.dyn_args, node.dyn_kwargs) if more is not None]


def _kept(value: Value) -> Value:
    return value._replace(chain=None)


def _dotted(node: nodes.Expr) -> str:
    """The name of what is called, as written; items are left out: "datetime.now", "messages.content.strip"."""
    parts: list[str] = []
    while True:
        if isinstance(node, nodes.Getattr):
            parts.append(node.attr)
        elif isinstance(node, nodes.Getitem):
            if isinstance(node.arg, nodes.Const) and isinstance(node.arg.value, str):
                parts.append(node.arg.value)
        else:
            break
        node = node.node
    return ".".join([*([node.name] if isinstance(node, nodes.Name) else [""]), *reversed(parts)])


HANDLERS: dict[type[nodes.Node], Any] = {nodes.Call: called}
