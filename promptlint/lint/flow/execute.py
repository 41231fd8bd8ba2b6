"""Statements: what they change."""

import re
from typing import Any

from promptlint.lint.flow import texts
from promptlint.lint.flow.code import (
    Assign,
    Branch,
    Define,
    Do,
    Expression,
    Import,
    Item,
    Leave,
    Listing,
    Loop,
    Mapping,
    Member,
    Name,
    Operation,
    Outer,
    Return,
    Type,
)
from promptlint.lint.flow.kept import frozen_for, memo
from promptlint.lint.flow.prompts import named
from promptlint.lint.flow.run import Run
from promptlint.lint.flow.scope import Frame, Scope, bound
from promptlint.lint.flow.values import (
    NOTHING,
    Change,
    Changing,
    Class,
    Code,
    Element,
    Fields,
    Plain,
    Several,
    Thing,
    Unknown,
    Value,
    Written,
    called,
    either,
    options,
    shortened,
)


def _assign(run: Run, node: Assign, frame: Frame) -> bool:
    if node.declares:
        declare(node.target, frame)
    if node.value is None:
        return False
    inner = frozen_for(run, node.target, frame) if node.only_if_none else frame
    value = run.value(node.value, inner)
    frame.waited |= inner.waited
    if node.adds:
        value = _sum(run, node, value, frame)
    elif node.only_if_none:
        value = either(run.value(node.target, frame), value)
    assign(run, node.target, value, frame)
    return False


def _sum(run: Run, node: Assign, value: Value, frame: Frame) -> Value:
    """What `target += value` makes of the target."""
    known = run.value(node.target, frame)
    order = _order_of_loop(run, frame)
    if frame.alongside is not None and frame.waited and _is_shared(run, node.target, known, frame):
        order = run.change("arrival_order", "answers as they come in", run.at(node, frame), frame)
    for one in options(known):
        if isinstance(one, Several):
            from promptlint.lint.flow.evaluate import spread_into

            spread_into(one, value, frame)
            one.order = one.order or order
            return known
    assert node.value is not None
    is_number = all(isinstance(one, Plain) and one.text is None for one in options(known))
    if is_number and isinstance(value, Plain | Unknown):
        return known
    added = tuple(texts.printed(run, value, node.value, frame))
    if order is not None:
        added = (Changing(order), *added)
    if frame.conditions:
        return either(*(Written((one, *added)) for one in options(known)), *options(known))
    before = known.parts if isinstance(known, Written) else (known,)
    return shortened(Written((*before, *added)))


def _is_shared(run: Run, target: Expression, known: Value, frame: Frame) -> bool:
    """Whether those that run alongside add to the same text or list."""
    assert frame.alongside is not None
    if any(isinstance(one, Several) for one in options(known)):
        return any(isinstance(one, Several) and one.depth <= frame.alongside for one in options(known))
    if isinstance(target, Name):
        return target.name in frame.outer_names or _scope_of(run, target.name, frame) is not frame.scope
    return isinstance(target, Member)


def assign(run: Run, target: Expression, value: Value, frame: Frame) -> None:
    """Give a target a value."""
    match target:
        case Name(name=name):
            value = called(value, name)
            if name in frame.outer_names or _is_of_module(run, name, frame):
                known = run.lookup(name, frame) if frame.conditions else value
                run.given_anew[frame.scope.module, name] = either(value, known)
            else:
                _scope_of(run, name, frame).names[name] = named(name, value)
        case Member(of=of, name=name):
            for owner in options(run.value(of, frame)):
                if isinstance(owner, Thing):
                    owner.fields[name] = value
                elif isinstance(owner, Fields):
                    owner.entries[name] = value
                    owner.places[name] = run.at(target, frame)
                    if frame.conditions:
                        owner.maybe.add(name)
        case Item(of=of, key=key):
            found = None if key is None else run.value(key, frame)
            for owner in options(run.value(of, frame)):
                _put(run, owner, found, value, target, frame)
        case Listing(items=items):
            for number, item in enumerate(items):
                assign(run, item.value, _nth(value, number), frame)
        case Mapping(entries=entries):
            for entry in entries:
                key_value = None if entry.key is None else run.value(entry.key, frame)
                name = key_value.text if isinstance(key_value, Plain) and key_value.text else ""
                assign(run, entry.value, _part(value, name), frame)
        case _:
            pass


def declare(target: Expression, frame: Frame) -> None:
    """Make the names of a target variables of the function that runs, whatever is called so around it."""
    for name in bound(target) if frame.scope.outer is not None else ():
        frame.scope.names.setdefault(name, NOTHING)


def _is_of_module(run: Run, name: str, frame: Frame) -> bool:
    """Whether a function gives a variable of its module another value, in JavaScript, which asks for no `global`."""
    scope = frame.scope
    if run.language(frame) == "python" or scope.outer is None:
        return False
    while scope.outer is not None:
        if name in scope.names:
            return False
        scope = scope.outer
    return name in run.globals_of(scope.module).makers


def _scope_of(run: Run, name: str, frame: Frame) -> Scope:
    """Where a name is bound: a function may give a variable of the one around it another value."""
    is_free = run.language(frame) == "typescript" or name in frame.enclosing_names
    scope: Scope | None = frame.scope
    while is_free and scope is not None and scope.outer is not None:
        if name in scope.names:
            return scope
        scope = scope.outer
    return frame.scope


def _put(run: Run, owner: Value, key: Value | None, value: Value, target: Item, frame: Frame) -> None:
    """`owner[key] = value`."""
    if isinstance(owner, Several):
        owner.items.append(Element(value, repeated=bool(frame.loops), maybe=True, loops=frame.loops))
    if not isinstance(owner, Fields):
        return
    if isinstance(key, Plain) and key.text is not None:
        owner.entries[key.text] = value
        owner.places[key.text] = run.at(target, frame)
        if frame.conditions:
            owner.maybe.add(key.text)
    else:
        owner.others.append(value)
        if frame.alongside is not None and frame.waited and owner.depth <= frame.alongside:
            owner.order = run.change("arrival_order", "answers as they come in", run.at(target, frame), frame)
    if frame.loops and owner.order is None and not (isinstance(key, Plain) and key.text is not None):
        owner.order = _order_of_loop(run, frame)


def _order_of_loop(run: Run, frame: Frame) -> Change | None:
    """What is put in while an unordered collection is gone through comes in its order."""
    return run.orders.get(frame.loops[-1]) if frame.loops else None


def _nth(value: Value, number: int) -> Value:
    found: list[Value] = []
    for one in options(value):
        if (
            isinstance(one, Several)
            and number < len(one.items)
            and not any(item.spread or item.repeated for item in one.items[: number + 1])
        ):
            found.append(one.items[number].value)
        elif isinstance(one, Changing):
            found.append(one)
        else:
            found.append(Unknown())
    return either(*found)


def _part(value: Value, name: str) -> Value:
    found: list[Value] = []
    for one in options(value):
        if isinstance(one, Fields):
            found.append(one.entries.get(name) or either(*one.others, Unknown(name)))
        elif isinstance(one, Thing):
            found.append(one.fields.get(name, Unknown(name)))
        elif isinstance(one, Several) and name == "rows" and one.order is not None and one.order.kind == "query":
            found.append(one)  # `const { rows } = await pool.query(...)`
        else:
            found.append(Unknown(name))
    return either(*found)


def _return(run: Run, node: Return, frame: Frame) -> bool:
    value = Plain(None, is_none=True) if node.value is None else run.value(node.value, frame)
    if node.ends:
        frame.returned.append(value)
        return True
    frame.yielded.append(Element(value, repeated=len(frame.loops) > 0, loops=frame.loops))
    return False


def _do(run: Run, node: Do, frame: Frame) -> bool:
    run.value(node.value, frame)
    return False


def _branch(run: Run, node: Branch, frame: Frame) -> bool:
    if node.test is not None:
        if _asks_for_main(node.test):
            return frame.is_script and not frame.depth and run.block(node.then, frame)
        run.value(node.test, frame)
    before = dict(frame.scope.names)
    frame.conditions += node.test is not None
    kept = memo(run, node, frame)
    inner = frame if kept is None else kept
    left_then = run.block(node.then, inner)
    frame.waited |= inner.waited
    after_then, frame.scope.names = frame.scope.names, before
    left_else = run.block(node.otherwise, frame)
    frame.conditions -= node.test is not None
    if left_then and left_else:
        return True
    if left_else:
        frame.scope.names = after_then
    elif not left_then:
        frame.scope.names = _merged(after_then, frame.scope.names)
    return False


def _merged(one: dict[str, Value], other: dict[str, Value]) -> dict[str, Value]:
    merged = dict(other)
    for name, value in one.items():
        known = other.get(name)
        merged[name] = value if known is None or known is value else either(value, known)
    return merged


def _asks_for_main(test: Expression) -> bool:
    """`if __name__ == "__main__":`, which holds for the module that is looked at, and for none that it imports."""
    return isinstance(test, Operation) and any(
        isinstance(one, Name) and one.name == "__name__" for one in test.operands
    )


def _loop(run: Run, node: Loop, frame: Frame) -> bool:
    over = None if node.over is None else run.value(node.over, frame)
    number = run.loop()
    frame.loops = (*frame.loops, number)
    order = None if over is None else texts.order_of(over)
    if over is not None and node.target is not None and order is None and (few := texts.few_items(over)):
        return _rounds(run, node, over, few, frame)
    if order is not None and node.over is not None:
        run.orders[number] = texts.entering(order, run.at(node.over, frame))
    if over is not None and (texts.few_items(over) or isinstance(node.over, Listing)):
        run.short.add(number)
    if _is_retry(run, node, frame):
        run.retries.add(number)
    if node.target is not None:
        declare(node.target, frame)
        assign(run, node.target, Unknown() if over is None else texts.element_of(over), frame)
    run.block(node.body, frame)
    frame.loops = frame.loops[:-1]
    return False


def _rounds(run: Run, node: Loop, over: Value, few: int, frame: Frame) -> bool:
    """A loop over a few things that are written out: a round for each."""
    assert isinstance(over, Several)
    assert node.target is not None
    run.short.add(frame.loops[-1])
    declare(node.target, frame)
    for item in list(over.items[:few]):
        assign(run, node.target, item.value, frame)
        run.block(node.body, frame)
    frame.loops = frame.loops[:-1]
    return False


_RETRY = re.compile(r"(?i)(?<![a-z])(?:attempts?|retry|retries|tries)(?![a-z])")


def _is_retry(run: Run, node: Loop, frame: Frame) -> bool:
    """Whether the rounds of a loop send the same request again, not the next one of a session."""
    nodes = [one for one in (node.target, node.over) if one is not None]
    if node.over is None and node.body and isinstance(node.body[0], Do):
        nodes = [node.body[0].value]
    return any(_RETRY.search(run.text(run.at(one, frame))) for one in nodes)


def _leave(run: Run, node: Leave, frame: Frame) -> bool:
    if node.value is not None:
        run.value(node.value, frame)
    return True


def _define(run: Run, node: Define, frame: Frame) -> bool:
    made = Code(node.function, frame.scope)
    frame.scope.names[node.function.name] = made
    run.inner[frame.scope.module, node.function.span] = made
    return False


def _outer(run: Run, node: Outer, frame: Frame) -> bool:
    if node.is_module:
        frame.outer_names |= set(node.names)
    else:
        frame.enclosing_names |= set(node.names)
    return False


def _type(run: Run, node: Type, frame: Frame) -> bool:
    made = Class(node, frame.scope)
    frame.scope.names[node.name] = made
    run.inner[frame.scope.module, node.span] = made
    return False


def _import(run: Run, node: Import, frame: Frame) -> bool:
    for one in node.names:
        if one.name != "*" and frame.scope.outer is not None:
            frame.scope.names[one.local] = run.imported(frame.scope.module, one)
    return False


HANDLERS: dict[type, Any] = {
    Assign: _assign,
    Return: _return,
    Do: _do,
    Branch: _branch,
    Loop: _loop,
    Leave: _leave,
    Outer: _outer,
    Define: _define,
    Type: _type,
    Import: _import,
}
