"""Go's text/template: pipelines of commands, and its actions."""

import re

from promptlint.load.delimited.languages import strftime_of
from promptlint.load.delimited.making import Making, formatted
from promptlint.load.delimited.scan import Fault, Piece
from promptlint.load.delimited.tokens import Token, tokens
from promptlint.load.delimited.values import NOTHING, Value, inner, joined
from promptlint.template import Call, SourceRange

_NAME = r"(?:\$\w*|\.|[A-Za-z_]\w*)(?:(?<=\.)[A-Za-z_]\w*)?(?:\.[A-Za-z_]\w*)*"
_MOST = 20  # functions of one action that are looked at, and operands in one pair of brackets
_NEAR = 100  # tokens among which the layout of a date stands


class Go:
    """Reads the actions of one template."""

    def __init__(self, made: Making, pieces: list[Piece]) -> None:
        self.made, self.row = made, made.language

    def piece(self, piece: Piece) -> None:
        """Read one action."""
        made, text = self.made, self.made.text
        found = re.compile(r"\s*(\w*)\s*").match(text, piece.inner, piece.stop)
        assert found is not None
        word, begin = found[1], found.end()
        if word in ("end", "break", "continue"):
            made.tag(piece)
            if word == "end" and made.close() is None:
                raise Fault(piece.start, "end stands here, and nothing is open")
        elif word and any(self.row.has(row, word) for row in ("loops", "conditions", "scopes", "regions")):
            made.tag(piece)
            self._open(piece, word, begin)
        elif self.row.has("branches", word):
            self._else(piece, begin)
        elif word == "template" or (self.row.has("includes", word) and text[begin : begin + 1] in '"`'):
            self._include(piece, begin)
        elif setting := re.compile(r"\s*(\$\w+)\s*:?=(?!=)\s*").match(text, piece.inner, piece.stop):
            made.tag(piece)
            made.set[setting[1]] = self._value(setting.end(), piece.stop)._replace(filler="set", constant=None, at=None)
        else:
            made.hole(piece, self._value(piece.inner, piece.stop))

    def _open(self, piece: Piece, word: str, begin: int) -> None:
        made, text = self.made, self.made.text
        if self.row.has("regions", word):
            made.open(piece, word, NOTHING, made.range(begin, piece.stop), "maybe")
            return
        setting = re.compile(r"((?:\$\w+\s*,\s*)?\$\w+)\s*:?=(?!=)\s*").match(text, begin, piece.stop)
        begin = setting.end() if setting else begin
        value, at = self._value(begin, piece.stop)._replace(constant=None, at=None), made.range(begin, piece.stop)
        loops = self.row.has("loops", word)
        region = made.open(piece, word, value, at, "repeated" if loops else "maybe")
        if not self.row.has("conditions", word):
            region.context = value._replace(filler="loop" if loops else value.filler)
        if setting:
            names = [name.strip() for name in setting[1].split(",")]
            region.scope = dict.fromkeys(names, value._replace(filler="loop" if loops else "set"))

    def _else(self, piece: Piece, begin: int) -> None:
        made = self.made
        if not made.regions:
            raise Fault(piece.start, "else stands here, and nothing is open")
        made.tag(piece)
        more = re.compile(r"(?:if|with)\s+").match(made.text, begin, piece.stop)
        if more is None:
            made.branch()
        else:
            made.branch(self._value(more.end(), piece.stop), made.range(more.end(), piece.stop))
        outer = made.regions[-2].context if len(made.regions) > 1 else None
        made.regions[-1].context = outer

    def _include(self, piece: Piece, begin: int) -> None:
        made = self.made
        found = tokens(made.text, begin, piece.stop, _NAME)
        name = found[0].text if found else "it"
        made.note(piece, f"the template {name!r} is not followed")
        value = joined([self._name(one.text) for one in found[1:] if one.kind == "name" and one.text[0] in ".$"])
        made.hole(piece, value, made.range(begin, piece.stop), "block")

    def _dot(self) -> Value | None:
        return self.made.regions[-1].context if self.made.regions else None

    def _value(self, begin: int, stop: int) -> Value:
        found = tokens(self.made.text, begin, stop, _NAME)
        if len(found) == 1 and found[0].kind == "string":
            only = found[0]
            return Value(constant=only.text, at=SourceRange(0, only.start + 1, only.end - 1))
        values: list[Value] = []
        calls: list[Call] = []
        spans = _groups(found)
        for number, one in enumerate(found):
            behind_bracket = number > 0 and found[number - 1].text == ")" and found[number - 1].end == one.start
            if one.kind != "name" or behind_bracket:
                continue
            if one.text[0] in ".$":
                values.append(self._name(one.text))
            elif len(calls) < _MOST and not any(
                self.row.has(row, one.text.split(".")[0]) for row in ("words", "dated", "days")
            ):
                calls.append(self._call(found, number, spans[number]))
        return joined([*values, Value(calls=tuple(calls), filler="call" if calls else "argument")])

    def _call(self, found: list[Token], number: int, span: tuple[int, int]) -> Call:
        """A function; where the pipeline around it writes a date in a layout, the whole pipeline."""
        one = found[number]
        parts = one.text.split(".")
        name = ".".join(part for part in parts if not self.row.has("dated", part) and not self.row.has("days", part))
        alone = Call(name or one.text, SourceRange(0, one.start, one.end), None)
        first, last = span
        around = found[first : min(last + 1, first + _NEAR)]
        form = None
        for place, other in enumerate(around):
            words = other.text.rsplit(".", 1)[-1:] if other.kind == "name" else []
            if words and self.row.has("days", words[0]):
                form = "%d"
            elif words and self.row.has("dated", words[0]):
                layout = next((each.text for each in around[place + 1 :] if each.kind == "string"), None)
                form = None if layout is None else strftime_of(layout, self.row.layouts)
            if form is not None:
                return formatted(alone._replace(range=SourceRange(0, around[0].start, around[-1].end)), form)
        return alone

    def _name(self, text: str) -> Value:
        made = self.made
        if text.startswith("$"):
            first, _, rest = text.partition(".")
            if first == "$":
                return made.argument(rest) if rest else NOTHING
            held: Value | None = None
            for region in reversed(made.regions):
                held = held or region.scope.get(first)
            held = held or made.set.get(first)
            if held is None:
                return NOTHING
            return inner(held, rest)
        context, rest = self._dot(), text[1:]
        if context is None:
            return made.argument(rest) if rest else Value(("dot",))
        return inner(context, rest)


def _groups(found: list[Token]) -> list[tuple[int, int]]:
    """For each token the first and the last one within the same brackets."""
    spans = [(0, len(found) - 1)] * len(found)
    opened: list[int] = []
    inside: list[list[int]] = [[]]
    for number, one in enumerate(found):
        if one.kind == "sign" and one.text == "(":
            opened.append(number)
            inside.append([])
        elif one.kind == "sign" and one.text == ")" and opened:
            # `(now).Format "15:04"`: what stands behind the bracket belongs to the outer group, which shows the date
            first, members = opened.pop(), inside.pop()
            behind = found[number + 1] if number + 1 < len(found) else None
            chained = behind is not None and behind.start == one.end and behind.text.startswith(".")
            for member in members:
                spans[member] = spans[member] if chained else (first + 1, number - 1)
            if chained and len(members) < _MOST:
                inside[-1] += members
        else:
            inside[-1].append(number)
    return spans
