"""What an expression prints: literal text, holes, or the region of a macro or a `set` block."""

from jinja2 import nodes

from promptlint.load.jinja.positions import operands, without_brackets
from promptlint.load.jinja.regions import Printed, add_region
from promptlint.load.jinja.values import Value
from promptlint.load.jinja.visit import MOST_STEPS, Context, evaluate
from promptlint.template import Hole, Loop, SourceRange, Text


def print_text(context: Context, node: nodes.TemplateData) -> None:
    """Literal text between the tags."""
    start = context.tokens.starts[node.lineno]
    where = context.tokens.source(start, start + len(node.data))
    context.printed.parts.append(Text(where, node.data, context.when))


def print_expression(context: Context, node: nodes.Expr) -> None:
    """What stands in `{{ ... }}`, or in `{% print ... %}`: that has no other place than the whole tag."""
    first, last = context.tokens.tag(node.lineno)
    begin = first + 1 if context.tokens.kinds[first] == "variable_begin" else first + 2
    if begin < last:
        _print(context, node, begin, last - 1, context.tokens.range(first, last))


def _print(context: Context, node: nodes.Expr, first: int, last: int, whole: SourceRange) -> None:
    if isinstance(node, nodes.Const) and isinstance(node.value, str):
        _print_constant(context, node.value, first, last, whole)
        return
    inside = without_brackets(context.tokens, first, last)
    side_by_side = _side_by_side(context, node, *inside)
    if side_by_side is not None:
        for operand, (begin, end) in side_by_side:
            _print(context, operand, begin, end, whole)
    elif not _stops(context, node):
        print_value(context, evaluate(context, node), whole, context.tokens.range(first, last))


def print_value(context: Context, value: Value, whole: SourceRange, expression: SourceRange) -> None:
    """A value that is printed in the tag `whole`, where `expression` makes it."""
    parts = context.printed.parts
    if isinstance(value.thing, Printed) and context.found.steps < MOST_STEPS:
        print_region(context, value.thing)
        return
    if value.unordered is not None:
        text = context.found.files[value.unordered.file].text[value.unordered.start : value.unordered.end]
        context.printed.loops.append(
            Loop(value.unordered, text, value.arguments, False, len(parts), len(parts) + 1, value.calls)
        )
    parts.append(Hole(whole, expression, value.filler or "set", value.arguments, value.calls, context.when))


def print_region(context: Context, printed: Printed) -> None:
    """What a region prints, at this place."""
    context.found.steps += len(printed.parts)
    add_region(context.printed, printed, context.when)


def _print_constant(context: Context, text: str, first: int, last: int, whole: SourceRange) -> None:
    """A string; in the range of its characters, without quotes."""
    if text:
        first, last = without_brackets(context.tokens, first, last)
        where = context.tokens.source(context.tokens.starts[first] + 1, context.tokens.ends[last] - 1)
        context.printed.parts.append(Text(where, text, context.when, whole))


def _side_by_side(
    context: Context, node: nodes.Expr, first: int, last: int
) -> list[tuple[nodes.Expr, tuple[int, int]]] | None:
    """The operands of `a ~ b`, and of `a + b` where one is a string; with their tokens. None: it is something else."""
    if isinstance(node, nodes.Concat):
        found = operands(context.tokens, first, last, "~")
        return list(zip(node.nodes, found, strict=True)) if len(found) == len(node.nodes) else None
    if not isinstance(node, nodes.Add):
        return None
    places = operands(context.tokens, first, last, "+")
    sides: list[nodes.Expr] = []
    left: nodes.Expr = node
    while isinstance(left, nodes.Add) and len(sides) < len(places) - 1:
        sides.append(left.right)
        left = left.left
    sides.append(left)
    if len(sides) != len(places) or not any(_is_text(side) for side in sides):
        return None
    return list(zip(reversed(sides), places, strict=True))


def _is_text(node: nodes.Expr) -> bool:
    return isinstance(node, nodes.Concat) or (isinstance(node, nodes.Const) and isinstance(node.value, str))


def _stops(context: Context, node: nodes.Expr) -> bool:
    """`raise_exception(...)` prints nothing."""
    if isinstance(node, nodes.Call) and isinstance(node.node, nodes.Name) and node.node.name == "raise_exception":
        evaluate(context, node)
        return True
    return False
