"""How values become text, and what stands in lists."""

import re
from collections.abc import Iterator, Mapping

from promptlint.facts import flow_tables
from promptlint.lint.flow.code import Expression
from promptlint.lint.flow.run import Run
from promptlint.lint.flow.scope import Frame
from promptlint.lint.flow.values import (
    At,
    Change,
    Changing,
    Either,
    Fields,
    Plain,
    Several,
    Thing,
    Unknown,
    Value,
    Written,
    either,
    options,
)

_FEW = 4  # items that are told apart


def whole_number(text: str) -> int | None:
    """The number that a short literal says."""
    return int(text) if re.fullmatch(r"-?[0-9]{1,9}", text) else None


def order_of(value: Value) -> Change | None:
    """Why the order of what a value holds differs."""
    for one in options(value):
        if isinstance(one, Several | Fields) and one.order is not None:
            return one.order
    return None


def entering(order: Change, at: At) -> Change:
    """An order that is put into a text or a list at a place; a query and a shuffle are told where they stand."""
    return order if order.kind in ("query", "shuffle") else order._replace(at=at)


def element_of(value: Value) -> Value:
    """An item of a list, a key of a mapping."""
    found: list[Value] = []
    for one in options(value):
        if isinstance(one, Several):
            found += [item.value for item in one.items if not item.spread] or [Unknown()]
        elif isinstance(one, Changing) and one.change.kind == "query":
            found.append(one)
        else:
            found.append(Unknown())
    return either(*found) if found else Unknown()


def few_items(value: Value) -> int:
    """How many items a list has whose items are all written out, if they are few; else 0."""
    if not isinstance(value, Several) or any(item.repeated or item.spread for item in value.items):
        return 0
    return len(value.items) if len(value.items) <= _FEW else 0


def printed(run: Run, value: Value, node: Expression, frame: Frame) -> Iterator[Value]:
    """The pieces of text that a value becomes where `node` puts it into a text."""
    at = run.at(node, frame)
    if isinstance(value, Either):
        yield Either(tuple(_one(list(_printed(run, one, at, frame))) for one in value.options))
    else:
        yield from _printed(run, value, at, frame)


def _one(parts: list[Value]) -> Value:
    return parts[0] if len(parts) == 1 else Written(tuple(parts))


def _printed(run: Run, value: Value, at: At, frame: Frame) -> Iterator[Value]:
    match value:
        case Written(parts):
            yield from parts
        case Several() | Fields():
            yield from joined(value, at).parts
        case Thing():
            from promptlint.lint.flow.calls import method_of, run_code

            methods = (method_of(run, value, name) for name in ("__str__", "toString", "__repr__"))
            method = next(filter(None, methods), None)
            yield Unknown() if method is None else run_code(run, method, [], at, frame)
        case _:
            yield value


def joined(value: Several | Fields, at: At) -> Written:
    """The items of a list, or a mapping as JSON, as one text that is made at a place."""
    if value.order is None:
        return Written((value,))
    order = value.order
    if isinstance(value, Fields):
        order = order._replace(kind="unsorted_keys", at=at)
    elif order.at == order.origin:
        order = entering(order, at)
    return Written((Changing(order), value))


def formatted(value: Value, pattern: str | None) -> Value:
    """A value under a format such as `%Y-%m-%d`."""
    is_day = pattern and "%" in pattern and flow_tables.format_is_date(pattern)
    return as_date(value) if is_day and isinstance(value, Changing) else value


def as_date(value: Changing) -> Changing:
    """A moment of which only the date is left."""
    return Changing(value.change._replace(kind="date")) if value.change.kind == "clock" else value


_BRACES = re.compile(r"\{\{|\}\}|\{([^{}]*)\}")
_DOLLARS = re.compile(r"\$\$|\$(?:\{(\w+)\}|(\w+))")
_DOUBLE = re.compile(r"\{\{[{~-]?\s*([\w.]+)[^{}]*\}\}")


def filled_braces(
    text: str, positional: list[Value], named: Mapping[str, Value], at: At | None, *, keeps: bool = False
) -> Written:
    """What `str.format` makes of a template; `keeps`: holes for which there is no value stay holes."""
    parts: list[Value] = []
    last, number = 0, 0
    for match in _BRACES.finditer(text):
        parts.append(Plain(text[last : match.start()], at))
        last = match.end()
        if match[1] is None:
            parts.append(Plain(match[0][0], at))
            continue
        name, pattern = re.match(r"(\w*)[^:]*:?(.*)", match[1], re.DOTALL).groups()  # type: ignore[union-attr]
        if not name or (name.isascii() and name.isdigit()):
            place = (whole_number(name) or 0) if name else number
            number += not name
            value = positional[place] if place < len(positional) else Unknown()
        else:
            value = named.get(name, Unknown(name))
            if isinstance(value, Unknown) and keeps:
                value = Plain(match[0], at)
        parts.append(formatted(value, pattern))
    return Written((*parts, Plain(text[last:], at)))


def filled_dollars(text: str, named: Mapping[str, Value], at: At | None) -> Written:
    """What `string.Template.substitute` makes of a template."""
    return _filled(_DOLLARS, text, named, at)


def filled_double(text: str, named: Mapping[str, Value], at: At | None) -> Written:
    """What a template language with `{{ name }}` makes of a text, roughly: its holes in their order."""
    return _filled(_DOUBLE, text, named, at)


def _filled(pattern: re.Pattern[str], text: str, named: Mapping[str, Value], at: At | None) -> Written:
    parts: list[Value] = []
    last = 0
    for match in pattern.finditer(text):
        parts.append(Plain(text[last : match.start()], at))
        last = match.end()
        name = next((group for group in match.groups() if group), None)
        parts.append(Plain("$", at) if name is None else named.get(name.partition(".")[0], Unknown(name)))
    return Written((*parts, Plain(text[last:], at)))


_PERCENT = re.compile(r"%(?:\((\w+)\))?[-#0 +]*(?:\d+|\*)?(?:\.(?:\d+|\*))?[diouxXeEfFgGcrsa%]")


def filled_percent(template: Value, values: list[Value], named: Mapping[str, Value]) -> Written:
    """What `template % values` makes of a template."""
    rest = list(values)
    parts: list[Value] = []
    for piece in template.parts if isinstance(template, Written) else (template,):
        if not isinstance(piece, Plain) or piece.text is None:
            parts.append(piece)
            continue
        last = 0
        for match in _PERCENT.finditer(piece.text):
            parts.append(Plain(piece.text[last : match.start()], piece.at))
            last = match.end()
            if match[0].endswith("%"):
                parts.append(Plain("%", piece.at))
            elif match[1]:
                parts.append(named.get(match[1], Unknown(match[1])))
            elif rest:
                parts.append(rest.pop(0))
        parts.append(Plain(piece.text[last:], piece.at))
    return Written(tuple(parts))


def replaced(text: Value, old: str, new: Value) -> Value:
    """A text in which a placeholder is replaced, in each of its known pieces."""
    if isinstance(text, Written):
        found = (replaced(part, old, new) for part in text.parts)
        pieces = (part.parts if isinstance(part, Written) else (part,) for part in found)
        return Written(tuple(piece for several in pieces for piece in several))
    if isinstance(text, Plain) and text.text is not None and old and old in text.text:
        parts: list[Value] = []
        for piece in text.text.split(old, 50):
            parts += [Plain(piece, text.at), new]
        return Written(tuple(parts[:-1]))
    return text
