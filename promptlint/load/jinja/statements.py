"""Statements: which parts are printed, in which order, and on what that depends."""

import re
from typing import Any

from jinja2 import nodes

from promptlint.load.jinja.calls import called
from promptlint.load.jinja.expressions import argument
from promptlint.load.jinja.positions import end_of_region, of_condition, of_loop
from promptlint.load.jinja.printing import print_expression, print_region, print_text, print_value
from promptlint.load.jinja.regions import Printed, combined, nothing_printed
from promptlint.load.jinja.values import (
    NOTHING,
    Macro,
    Scope,
    Space,
    Turn,
    Value,
    bound,
    governed,
    joined,
    made_of,
    of_printed,
)
from promptlint.load.jinja.visit import Context, evaluate, walk
from promptlint.template import BREAKPOINT, Breakpoint, Condition, Hole, Loop, SourceRange, When


def _output(context: Context, node: nodes.Output) -> None:
    marks = context.tokens.breakpoints
    context.found.steps += len(node.nodes) if context.inlined else 0
    for child in node.nodes:
        if not isinstance(child, nodes.TemplateData):
            print_expression(context, child)
        elif child.lineno in marks:
            _breakpoint(context, child.lineno, marks[child.lineno])
        else:
            print_text(context, child)


def _breakpoint(context: Context, token: int, comment: str) -> None:
    said = re.fullmatch(BREAKPOINT, comment)
    if said is None:
        context.note(token, "this comment is no breakpoint: write `promptlint: breakpoint` or `… ttl=1h`")
        return
    where = context.tokens.range(token, token)
    context.printed.breakpoints.append(Breakpoint(where, said[1], len(context.printed.parts)))


def _if(context: Context, node: nodes.If) -> None:
    """Each branch sets its own names; afterwards a name may have the value of any branch."""
    tests: list[tuple[SourceRange, Value, int]] = []
    branches: list[Scope] = []
    active = context.active
    for arm in (node, *node.elif_):
        if isinstance(arm.test, nodes.Const) and not arm.test.value:
            continue  # it is never printed
        test = made_of((evaluate(context, arm.test),))
        tests.append((context.tokens.range(*of_condition(context.tokens, arm.lineno)), test, _place(context)))
        active = made_of((active, test))
        branches.append(Scope(context.scope))
        walk(_deeper(context, "maybe", branches[-1], active), arm.body)
        if isinstance(arm.test, nodes.Const):
            break
    else:
        branches.append(Scope(context.scope))
        walk(_deeper(context, "maybe", branches[-1], active), node.else_)
    for where, test, first in tests:
        _condition(context, where, test, first)
    _merge(context, branches, made_of([test for _, test, _ in tests]))


def _condition(context: Context, where: SourceRange, test: Value, first: int) -> None:
    if (test.arguments or test.calls) and first < _place(context):
        context.printed.conditions.append(Condition(where, test.arguments, test.calls, first, _place(context)))


def _merge(context: Context, branches: list[Scope], tests: Value) -> None:
    for name in dict.fromkeys(name for branch in branches for name in branch.values):
        before = context.scope.find(name)
        unset = before is None and any(name not in branch.values for branch in branches)
        if before is None:
            # That the template has asked for the name shows that a caller may give it.
            before = argument(context, name) if name in context.found.arguments else NOTHING
        values = [branch.values.get(name, before) for branch in branches]
        unset = unset or any(value.unset for value in values)
        context.scope.values[name] = governed(joined(values), tests)._replace(unset=unset)


def _for(context: Context, node: nodes.For) -> None:
    over = evaluate(context, node.iter)
    place, condition = of_loop(context.tokens, node.lineno)
    item = over._replace(filler="loop", constant=None, unordered=None, thing=None, chain=None)
    if "messages" in over.paths:
        context.found.over_messages = True
    if context.found.keeps_state and not context.in_loop:
        # What one turn leaves for the next is known after a first walk.
        _turn(context._replace(printed=nothing_printed(), in_loop=True), node, item, condition)
    first = _place(context)
    _turn(context, node, item, condition)
    if first < _place(context):
        where = context.tokens.range(*place)
        row = Loop(where, context.tokens.written(where), over.arguments, over.unordered is None, first, _place(context))
        context.printed.loops.append(row._replace(calls=over.calls))
    walk(_deeper(context, "maybe", Scope(context.scope), made_of((context.active, item))), node.else_)


def _turn(context: Context, node: nodes.For, item: Value, condition: tuple[int, int] | None) -> None:
    """One turn of a loop."""
    scope = Scope(context.scope)
    inside = _deeper(context, "repeated", scope, made_of((context.active, item)))._replace(in_loop=True)
    _assign_to(inside, node.target, item)
    scope.values["loop"] = Value(thing=Turn(item))
    if node.test is None or condition is None:
        walk(inside, node.body)
        return
    test = made_of((evaluate(inside, node.test),))
    first = _place(context)
    walk(inside._replace(active=made_of((inside.active, test))), node.body)
    _condition(context, context.tokens.range(*condition), test, first)


def _assign(context: Context, node: nodes.Assign) -> None:
    target, value = node.target, node.node
    if isinstance(target, nodes.Tuple) and isinstance(value, nodes.Tuple) and len(target.items) == len(value.items):
        values = [bound(evaluate(context, one), "set") for one in value.items]
        for one, its in zip(target.items, values, strict=True):
            _assign_to(context, one, its)
    else:
        _assign_to(context, target, bound(evaluate(context, value), "set"))


def _assign_to(context: Context, target: nodes.Node, value: Value) -> None:
    if isinstance(target, nodes.Name):
        context.scope.values[target.name] = value
    elif isinstance(target, nodes.NSRef):
        space = context.scope.find(target.name)
        if space is not None and isinstance(space.thing, Space):
            known = space.thing.attributes
            if space.thing.level != context.level and target.attr in known:
                value = joined((known[target.attr], value))
            known[target.attr] = governed(value, context.active)._replace(filler="set")
    elif isinstance(target, nodes.Tuple):
        for one in target.items:
            _assign_to(context, one, value._replace(constant=None, thing=None, unordered=None))


def _assign_block(context: Context, node: nodes.AssignBlock) -> None:
    printed = _captured(context, node.body)
    value = of_printed(printed)._replace(filler="set")
    if node.filter is not None:
        value = made_of((value, evaluate(context, node.filter)))._replace(filler="set")
    _assign_to(context, node.target, value)


def _captured(context: Context, body: list[nodes.Node]) -> Printed:
    """What a body prints, which is not printed here."""
    printed = nothing_printed()
    walk(context._replace(printed=printed, when="always", scope=Scope(context.scope)), body)
    return printed


def _with(context: Context, node: nodes.With) -> None:
    inside = context._replace(scope=Scope(context.scope))
    for target, value in zip(node.targets, node.values, strict=True):
        _assign_to(inside, target, bound(evaluate(context, value), "set"))
    walk(inside, node.body)


def _macro(context: Context, node: nodes.Macro) -> None:
    macro = Macro(node.name, node.args, node.defaults, node.body, context.tokens, context.scope)
    context.scope.values[node.name] = Value(thing=macro)


def _call_block(context: Context, node: nodes.CallBlock) -> None:
    caller = Macro("caller", node.args, node.defaults, node.body, context.tokens, context.scope)
    value = called(context, node.call, caller)
    if isinstance(value.thing, Printed):
        print_region(context, value.thing)
    else:
        inner = of_printed(_captured(context, node.body))
        _print_block(context, node, made_of((value, inner)))


def _filter_block(context: Context, node: nodes.FilterBlock) -> None:
    inner = of_printed(_captured(context, node.body))
    _print_block(context, node, made_of((inner, evaluate(context, node.filter))))


def _print_block(context: Context, node: nodes.CallBlock | nodes.FilterBlock, value: Value) -> None:
    """A region of which only its arguments and calls are known."""
    first, _ = context.tokens.tag(node.lineno)
    whole = context.tokens.range(first, end_of_region(context.tokens, first + 1))
    hole = Hole(whole, whole, "block", value.arguments, value.calls, context.when)
    if value.unordered is not None:
        print_value(context, value._replace(filler="block"), whole, whole)
    else:
        context.printed.parts.append(hole)


def _body(context: Context, node: nodes.Scope | nodes.ScopedEvalContextModifier) -> None:
    walk(context._replace(scope=Scope(context.scope)), node.body)


def _expression(context: Context, node: nodes.ExprStmt) -> None:
    evaluate(context, node.node)


def _nothing(context: Context, node: nodes.Node) -> None:
    """Prints nothing and sets nothing."""


def _place(context: Context) -> int:
    return len(context.printed.parts)


def _deeper(context: Context, when: When, scope: Scope, active: Value) -> Context:
    return context._replace(when=combined(context.when, when), scope=scope, active=active, level=context.level + 1)


HANDLERS: dict[type[nodes.Node], Any] = {
    nodes.Output: _output,
    nodes.If: _if,
    nodes.For: _for,
    nodes.Assign: _assign,
    nodes.AssignBlock: _assign_block,
    nodes.With: _with,
    nodes.Macro: _macro,
    nodes.CallBlock: _call_block,
    nodes.FilterBlock: _filter_block,
    nodes.Scope: _body,
    nodes.ScopedEvalContextModifier: _body,
    nodes.ExprStmt: _expression,
    nodes.Break: _nothing,
    nodes.Continue: _nothing,
}
