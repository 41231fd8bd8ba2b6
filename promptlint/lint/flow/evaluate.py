"""Expressions -> values."""

from dataclasses import replace
from typing import Any

from promptlint.lint.flow import texts
from promptlint.lint.flow.calls import call
from promptlint.lint.flow.code import (
    Awaited,
    Binding,
    Call,
    Choice,
    Constant,
    Each,
    Formatted,
    Item,
    Lambda,
    Listing,
    Mapping,
    Member,
    Name,
    Operation,
    Text,
)
from promptlint.lint.flow.execute import assign
from promptlint.lint.flow.kept import frozen_for
from promptlint.lint.flow.members import item_of, member
from promptlint.lint.flow.run import Run
from promptlint.lint.flow.scope import Frame, Scope
from promptlint.lint.flow.values import (
    Changing,
    Code,
    Either,
    Element,
    Fields,
    Plain,
    Several,
    Unknown,
    Value,
    Written,
    called,
    either,
    options,
)


def _constant(run: Run, node: Constant, frame: Frame) -> Value:
    return Plain(node.text, run.at(node, frame), node.is_none)


def _name(run: Run, node: Name, frame: Frame) -> Value:
    return run.lookup(node.name, frame)


def _member(run: Run, node: Member, frame: Frame) -> Value:
    return member(run, run.value(node.of, frame), node.name, node, frame)


def _item(run: Run, node: Item, frame: Frame) -> Value:
    of = run.value(node.of, frame)
    key = None if node.key is None else run.value(node.key, frame)
    return item_of(run, of, key, node, frame)


def _text(run: Run, node: Text, frame: Frame) -> Value:
    values = [run.value(part, frame) for part in node.parts]
    if any(isinstance(one, Several) for value in values for one in options(value)) and len(values) > 1:
        return _added(run, node, values, frame)
    is_text = len(values) == 1 or any(_is_text(one) for value in values for one in options(value))
    if not is_text:
        changing = [one for value in values for one in options(value) if isinstance(one, Changing)]
        numbers = all(isinstance(one, Changing | Plain) for value in values for one in options(value))
        if changing and numbers:
            return Changing(changing[0].change._replace(at=run.at(node, frame)))
        if not changing and not any(isinstance(value, Written) for value in values):
            return Unknown()
    pairs = zip(values, node.parts, strict=True)
    return Written(tuple(part for value, one in pairs for part in texts.printed(run, value, one, frame)))


def _is_text(value: Value) -> bool:
    return isinstance(value, Written) or (isinstance(value, Plain) and value.text is not None)


def _added(run: Run, node: Text, values: list[Value], frame: Frame) -> Value:
    """Lists, one behind the other; a text in between makes a text of them (JavaScript)."""
    if any(_is_text(one) for value in values for one in options(value)):
        pairs = zip(values, node.parts, strict=True)
        return Written(tuple(part for value, one in pairs for part in texts.printed(run, value, one, frame)))
    joined = Several(depth=frame.depth)
    for value in values:
        spread_into(joined, value, frame)
    return joined


def spread_into(target: Several, value: Value, frame: Frame) -> None:
    """Put the items of a value into a list."""
    found = [one for one in options(value) if isinstance(one, Several)]
    for one in found:
        target.items += [item.copy(maybe=len(found) > 1) for item in one.items]
        target.order = target.order or one.order
    if not found:
        target.items.append(Element(value, spread=True, loops=frame.loops))


def _formatted(run: Run, node: Formatted, frame: Frame) -> Value:
    value = run.value(node.value, frame)
    return either(*(texts.formatted(one, node.format) for one in options(value)))


def _listing(run: Run, node: Listing, frame: Frame) -> Value:
    made = Several(depth=frame.depth, loops=frame.loops)
    for item in node.items:
        value = run.value(item.value, frame)
        if item.spread:
            order = texts.order_of(value)
            spread_into(made, value, frame)
            if order is not None:
                made.order = texts.entering(order, run.at(item.value, frame))
        else:
            made.items.append(Element(value, loops=frame.loops))
    if node.kind == "set":
        made.is_set = True
        numbers = all(isinstance(item.value, Plain) and item.value.text is None for item in made.items)
        if (len(made.items) > 1 and not numbers) or any(item.spread for item in made.items):
            made.order = run.change("unordered", "a set", run.at(node, frame), frame)
    return made


def _mapping(run: Run, node: Mapping, frame: Frame) -> Value:
    made = Fields(depth=frame.depth, frozen=frame.frozen)
    for entry in node.entries:
        value = run.value(entry.value, frame)
        if entry.key is None:
            _spread_fields(made, value, isinstance(entry.value, Choice))
            continue
        key = run.value(entry.key, frame)
        if isinstance(key, Plain) and key.text is not None:
            made.entries.pop(key.text, None)
            made.entries[key.text] = called(value, key.text)
            made.places[key.text] = run.at(entry.value, frame)
            if isinstance(entry.value, Choice):
                made.maybe.add(key.text)
        else:
            made.others.append(value)
            made.others += [key] if isinstance(key, Changing | Written) else []
    return made


def _spread_fields(made: Fields, value: Value, is_choice: bool) -> None:
    found = options(value)
    for one in found:
        if isinstance(one, Fields):
            for key, each in one.entries.items():
                is_sure = len(found) == 1 or key not in made.entries
                made.entries[key] = each if is_sure else either(made.entries[key], each)
            made.places.update(one.places)
            made.others += one.others
            made.order = made.order or one.order
            made.maybe |= one.maybe | (set(one.entries) if is_choice or len(found) > 1 else set())
        elif not isinstance(one, Plain):
            made.others.append(one)


def _each(run: Run, node: Each, frame: Frame) -> Value:
    over = run.value(node.over, frame)
    scope = Scope(frame.scope.module, frame.scope)
    inner = replace(frame, scope=scope, loops=(*frame.loops, run.loop()), returned=[], yielded=[])
    assign(run, node.target, texts.element_of(over), inner)
    value = run.value(node.element, inner)
    frame.waited = frame.waited or inner.waited
    order = texts.order_of(over)
    at = run.at(node.over, frame)
    if node.kind == "mapping" and isinstance(value, Fields):
        made = Fields(others=[*value.entries.values(), *value.others], depth=frame.depth, frozen=frame.frozen)
        made.order = texts.entering(order, at) if order else None
        return made
    several = Several(depth=frame.depth)
    few = texts.few_items(over)
    if node.flat:
        several.items = [item.copy(repeated=True) for item in value.items] if isinstance(value, Several) else []
        order = order or texts.order_of(value)
    elif few and node.kind != "set":
        several.items = [Element(value, loops=frame.loops) for _ in range(few)]
    else:
        several.items = [Element(value, repeated=True, loops=inner.loops)]
    if node.kind == "set":
        several.is_set = True
        several.order = run.change("unordered", "a set", run.at(node, frame), frame)
    elif order is not None:
        several.order = order if node.flat else texts.entering(order, at)
    return several


def _choice(run: Run, node: Choice, frame: Frame) -> Value:
    if node.test is not None:
        run.value(node.test, frame)
    frame.conditions += 1
    found = [run.value(option, frame) for option in node.options]
    frame.conditions -= 1
    if len(found) == 1:  # `a and b`
        return Either((*options(found[0]), Plain(None)))
    return either(*found)


def _lambda(run: Run, node: Lambda, frame: Frame) -> Value:
    made = Code(node.function, frame.scope)
    run.inner[frame.scope.module, node.function.span] = made
    return made


def _awaited(run: Run, node: Awaited, frame: Frame) -> Value:
    inner = node.value
    frame.awaiting = isinstance(inner, Call)
    value = run.value(inner, frame)
    frame.awaiting, frame.waited = False, True
    return value


def _operation(run: Run, node: Operation, frame: Frame) -> Value:
    found = [run.value(operand, frame) for operand in node.operands]
    if node.keeps:
        for value in found:
            for one in options(value):
                if isinstance(one, Changing):
                    return Changing(one.change._replace(at=run.at(node, frame)))
    return Plain(None)


def _binding(run: Run, node: Binding, frame: Frame) -> Value:
    known = run.value(node.target, frame) if node.only_if_none else None
    inner = frozen_for(run, node.target, frame) if node.only_if_none else frame
    value = run.value(node.value, inner)
    value = value if known is None else either(known, value)
    assign(run, node.target, value, frame)
    return value


def _call(run: Run, node: Call, frame: Frame) -> Value:
    return call(run, node, frame)


HANDLERS: dict[type, Any] = {
    Constant: _constant,
    Name: _name,
    Member: _member,
    Item: _item,
    Text: _text,
    Formatted: _formatted,
    Listing: _listing,
    Mapping: _mapping,
    Each: _each,
    Choice: _choice,
    Lambda: _lambda,
    Awaited: _awaited,
    Operation: _operation,
    Binding: _binding,
    Call: _call,
}
