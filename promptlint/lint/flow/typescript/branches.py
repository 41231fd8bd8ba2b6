"""`if` and `switch` of TypeScript and JavaScript as branches that do not nest without end."""

from typing import TYPE_CHECKING, NamedTuple

from promptlint.lint.flow.code import Branch, Do, Expression, Leave, Operation, Span, Statement
from promptlint.lint.flow.typescript.nodes import expression, field, statements, unknown, writes

if TYPE_CHECKING:
    from tree_sitter import Node

_LONG = 16  # arms that follow one another; more are halved
_ENDS = ("break_statement", "return_statement", "throw_statement", "continue_statement")


class Arm(NamedTuple):
    """`if test: body`, one of several."""

    span: Span
    test: Expression
    body: tuple[Statement, ...]


def chain(arms: list[Arm], rest: tuple[Statement, ...]) -> tuple[Statement, ...]:
    """Branches of which one runs, or else `rest`. Hundreds are a tree, so that who follows them need not go deep."""
    if len(arms) > _LONG:
        half = len(arms) // 2
        last, span = arms[half - 1], (arms[0].span[0], arms[half - 1].span[1])
        first = chain(arms[: half - 1], (Do(last.test.span, last.test), *last.body))
        return (Branch(span, Operation(span, (), keeps=False), first, chain(arms[half:], rest)),)
    for arm in reversed(arms):
        rest = (Branch(arm.span, arm.test, arm.body, rest),)
    return rest


class _Case(NamedTuple):
    """`case value: …`; of `default` the value is None."""

    node: "Node"
    value: "Node | None"
    body: list["Node"]

    def goes_on(self) -> bool:
        """Whether the next case runs, too."""
        return not self.body or self.body[-1].type not in _ENDS


@writes("switch_statement")
def _switch(node: "Node", into: list[Statement]) -> None:
    body, subject = node.child_by_field_name("body"), field(node, "value")
    arms, rest, group = list[Arm](), tuple[Statement, ...](), list[_Case]()
    cases = [] if body is None else [_case(each) for each in body.children if each.type.startswith("switch_")]
    for number, case in enumerate(cases, 1):
        group.append(case)
        if case.goes_on() and number < len(cases):
            continue
        then = _together(group, subject)
        if any(each.value is None for each in group):
            rest = then
        else:
            span = (group[0].node.start_byte, group[-1].node.end_byte)
            arms.append(Arm(span, _test(group, subject), then))
        group = []
    into += chain(arms, rest)


def _case(node: "Node") -> _Case:
    value = node.child_by_field_name("value")
    body = [child for child in node.children_by_field_name("body") if child.is_named]
    while body and body[-1].type == "statement_block":
        body[-1:] = [child for child in body[-1].children if child.is_named and child.type != "comment"]
    return _Case(node, value, body)


def _test(group: list[_Case], subject: Expression) -> Expression:
    values = [expression(each.value) for each in group if each.value is not None]
    return Operation(group[0].node.byte_range, (subject, *values), keeps=False)


def _together(group: list[_Case], subject: Expression) -> tuple[Statement, ...]:
    """What runs of cases that go on into one another: each but the last only if it, or one before, is meant."""
    *before, last = group
    found, meant = list[Statement](), list[_Case]()
    for case in before:
        meant.append(case)
        if case.body:
            has_default = any(each.value is None for each in meant)
            test = unknown(case.node) if has_default else _test(meant, subject)
            found.append(Branch(case.node.byte_range, test, _without_break(statements(case.body)), ()))
            meant = []
    return (*found, *_without_break(statements(last.body)))


def _without_break(body: tuple[Statement, ...]) -> tuple[Statement, ...]:
    """Without a `break` at the end, which only ends the `switch`; what follows that one does run."""
    if not body:
        return body
    last = body[-1]
    if isinstance(last, Leave) and last.value is None and last.span[1] - last.span[0] <= len("break;"):
        return body[:-1]  # a `continue`, or a `break` with a label, is longer
    if isinstance(last, Branch):
        then, other = _without_break(last.then), _without_break(last.otherwise)
        return (*body[:-1], last._replace(then=then, otherwise=other))
    return body
