"""Expressions of Ruby and JavaScript, as far as a prompt needs them: chains of names, calls and constants."""

import re

from promptlint.load.delimited.languages import Language
from promptlint.load.delimited.making import Making
from promptlint.load.delimited.tokens import Token, tokens
from promptlint.load.delimited.values import NOTHING, Value, inner, joined
from promptlint.template import Call, SourceRange

_NAME = r"[A-Za-z_@$][\w$]*[?!]?(?!\w)"
_LONGEST = 4  # names in a clock


class Chain:
    """`order.items[0].name`, `Time.now.strftime("%H")`: names behind one another, from token `first` to `last`."""

    def __init__(self, first: int, one: Token) -> None:
        self.first = self.last = first
        self.path = [one.text.lstrip("@$")]
        self.called = 0  # names up to the first brackets
        self.texts: list[str] = []  # constant arguments
        self.is_new = False


def value_of(made: Making, start: int, stop: int) -> Value:
    """What an expression depends on; one that is a text alone is a constant."""
    found = tokens(made.text, start, stop, _NAME)
    if len(found) == 1 and found[0].kind == "string" and "#{" not in found[0].text:
        return Value(constant=found[0].text, at=SourceRange(0, found[0].start + 1, found[0].end - 1))
    return joined([_value(made, found, chain) for chain in _chains(found, made.language)] + _interpolated(made, found))


def _interpolated(made: Making, found: list[Token]) -> list[Value]:
    """What stands in `"#{...}"`."""
    values = []
    for one in found:
        if one.kind == "string" and made.language.grammar == "erb":
            for inner in re.finditer(r"#\{([^{}\"]*)\}", made.text[one.start : one.end]):
                begin = one.start + inner.start(1)
                values.append(value_of(made, begin, begin + len(inner[1]))._replace(constant=None, at=None))
    return values


def _chains(found: list[Token], row: Language) -> list[Chain]:
    """All chains of an expression, those in brackets too."""
    chains: list[Chain] = []
    open_chains: list[Chain | None] = []  # the chain whose brackets are open
    current: Chain | None = None
    for number, one in enumerate(found):
        before = found[number - 1] if number else None
        linked = before is not None and before.kind == "sign" and before.text in (".", ":") and current is not None
        if one.kind == "name":
            symbol = before is not None and before.text == ":" and not linked and not _is_of_key(found, number - 1)
            key = number + 1 < len(found) and found[number + 1].text == ":" and found[number + 1].start == one.end
            if linked and current is not None and _is_link(found, number):
                current.path.append(one.text)
                current.last = number
            elif row.has("words", one.text) or symbol or key or (before is not None and before.text == "."):
                current = None
            else:
                current = Chain(number, one)
                current.is_new = before is not None and before.text == "new"
                chains.append(current)
        elif one.kind == "sign" and one.text in "([{":
            touches = current is not None and before is not None and before.end == one.start and one.text != "{"
            open_chains.append(current if touches else None)
            if current is not None and touches and one.text == "(":
                current.called = current.called or len(current.path)
            current = None
        elif one.kind == "sign" and one.text in ")]}":
            current = open_chains.pop() if open_chains else None
            if current is not None:
                current.last = number
        elif one.kind == "string":
            holder = open_chains[-1] if open_chains else None
            if holder is not None:
                holder.texts.append(one.text)
            current = None
        elif one.text not in (".", ":", "&", "?"):
            current = None
    return chains


def _is_of_key(found: list[Token], number: int) -> bool:
    """Whether a colon ends the name of an argument, and does not begin a symbol."""
    return number > 0 and found[number - 1].kind == "name" and found[number - 1].end == found[number].start


def _is_link(found: list[Token], number: int) -> bool:
    """Whether a name follows `.` or `::`, and not the `:` of a symbol."""
    if found[number - 1].text == ".":
        return True
    return number > 1 and found[number - 2].text == ":" and found[number - 2].end == found[number - 1].start


def _value(made: Making, found: list[Token], chain: Chain) -> Value:
    row, root = made.language, chain.path[0]
    for region in reversed(made.regions):
        if (held := region.scope.get(root)) is not None:
            return _inner(row, held, chain)
    if root in made.set:
        return _inner(row, made.set[root], chain)
    at = SourceRange(0, found[chain.first].start, found[chain.last].end)
    name = _clock(row, chain)
    if name is None and not chain.called and not root[0].isupper():
        return made.argument(".".join(chain.path))
    if name is None and chain.called != 1 and not root[0].isupper():
        return made.argument(".".join(chain.path[: max(chain.called - 1, 1)]))
    called = name or ".".join(chain.path[: chain.called] if chain.called else chain.path)
    if called == root and root[0].isupper() and not chain.called:
        return NOTHING  # a constant
    return Value(calls=(Call(called, at, _form(row, chain)),), filler="call")


def _form(row: Language, chain: Chain) -> str | None:
    """The strftime format in which a chain prints a time, or one of a day where it prints nothing finer."""
    form = next((text for text in chain.texts if "%" in text), None)
    return "%d" if form is None and any(row.has("days", step) for step in chain.path) else form


def _clock(row: Language, chain: Chain) -> str | None:
    """The beginning of a chain that is a known clock; `new Date()` is one."""
    if chain.is_new and chain.path[0] == "Date" and not chain.texts:
        return "Date.now"
    for end in range(min(len(chain.path), _LONGEST), 0, -1):
        if row.has("clocks", name := ".".join(chain.path[:end])):
            return name
    return None


def _inner(row: Language, held: Value, chain: Chain) -> Value:
    """What lies in a value that has a name in the template."""
    steps = chain.path[1 : max(chain.called - 1, 1)] if chain.called else chain.path[1:]
    rest = ".".join(steps)
    form = _form(row, chain)
    calls = tuple(call if call.format or form is None else call._replace(format=form) for call in held.calls)
    return inner(held, rest)._replace(calls=calls, constant=None, at=None)
