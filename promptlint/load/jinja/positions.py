"""Which tokens an expression is made of."""

from bisect import bisect_right

from jinja2 import nodes

from promptlint.load.jinja.tokens import Tokens

_BEHIND = (nodes.Getattr, nodes.Getitem, nodes.Call, nodes.Filter, nodes.Test)
_OPERANDS = frozenset(("name", "string", "integer", "float"))


def first_token(tokens: Tokens, node: nodes.Expr) -> int:
    """The first token of a name, a constant, or of what is called, looked into or filtered."""
    token = node.lineno
    while isinstance(node, _BEHIND) and node.node is not None:
        before = node.lineno - (2 if isinstance(node, nodes.Filter) else 1)
        opening = tokens.partners.get(before, before)
        if tokens.values[before] == ")" and opening < node.node.lineno:  # it stands in brackets
            return opening
        node, token = node.node, opening
    if isinstance(node, nodes.Neg | nodes.Pos | nodes.Filter):
        return node.lineno
    while tokens.kinds[token] == "string" and tokens.kinds[token - 1] == "string":
        token -= 1
    return token


def last_token(tokens: Tokens, node: nodes.Expr) -> int:
    """The last token of a call, an attribute, an item or a filter."""
    token = node.lineno
    if isinstance(node, nodes.Filter):
        while tokens.values[token + 1] == ".":
            token += 2
        return tokens.partners[token + 1] if tokens.values[token + 1] == "(" else token
    return tokens.partners[token] if tokens.values[token] in ("(", "[") else token + 1


def operands(tokens: Tokens, first: int, last: int, operator: str) -> list[tuple[int, int]]:
    """First and last token of what stands between the operators `operator`, outside of brackets."""
    found, begin, token = [], first, first
    while token <= last:
        if tokens.kinds[token] != "operator":
            pass
        elif tokens.values[token] in ("(", "[", "{"):
            token = tokens.partners[token]
        elif tokens.values[token] == operator and token > begin and _ends_operand(tokens, token - 1):
            found.append((begin, token - 1))
            begin = token + 1
        token += 1
    return [*found, (begin, last)]


def without_brackets(tokens: Tokens, first: int, last: int) -> tuple[int, int]:
    """An expression without the brackets around it."""
    while first < last and tokens.values[first] == "(" and tokens.partners[first] == last:
        first, last = first + 1, last - 1
    return first, last


def of_loop(tokens: Tokens, token: int) -> tuple[tuple[int, int], tuple[int, int] | None]:
    """First and last token of what a loop runs over, and of its condition; `token` is its `for`."""
    end = tokens.tag(token)[1]
    begin = next(number for number in range(token + 1, end) if tokens.values[number] == "in") + 1
    number = begin
    condition = None
    while number < end:
        word = tokens.values[number]
        if word in ("if", "recursive") and number > begin and tokens.values[number - 1] != ".":
            condition = number if word == "if" else None
            break
        number = tokens.partners[number] + 1 if word in ("(", "[", "{") else number + 1
    last = end - 1
    if condition is not None and tokens.values[last] == "recursive":
        last -= 1
    over = (begin, number - 1)
    return over, None if condition is None else (condition + 1, last)


def of_condition(tokens: Tokens, token: int) -> tuple[int, int]:
    """First and last token of the condition of an `if` or `elif`."""
    first, last = tokens.tag(token)
    return first + 2, last - 1


def end_of_region(tokens: Tokens, token: int) -> int:
    """The last token of the region that the tag with this name begins."""
    name = tokens.values[token]
    depth = 0
    for number in range(bisect_right(tokens.tags, token) - 1, len(tokens.tags)):
        first = tokens.tags[number]
        word = tokens.values[first + 1] if tokens.kinds[first] == "block_begin" else ""
        depth += (word == name) - (word == f"end{name}")
        if depth == 0:
            return tokens.closes[first]
    return tokens.tag(token)[1]


def _ends_operand(tokens: Tokens, token: int) -> bool:
    return tokens.kinds[token] in _OPERANDS or tokens.values[token] in (")", "]", "}")
