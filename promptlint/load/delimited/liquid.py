"""Liquid: values with filters, and its tags."""

import re

from promptlint.load.delimited.languages import strftime_of
from promptlint.load.delimited.making import Making
from promptlint.load.delimited.scan import Piece
from promptlint.load.delimited.tokens import Token, tokens
from promptlint.load.delimited.values import NOTHING, Value, inner, joined
from promptlint.template import Call, Hole, SourceRange

_NAME = r"[A-Za-z_][\w-]*\??(?:\.[A-Za-z_][\w-]*\??)*"
_WORDS = frozenset(
    ("true", "false", "nil", "null", "blank", "empty", "and", "or", "contains", "in", "reversed", "with", "as")
)
_OF_LOOPS = ("forloop", "tablerowloop")


class Liquid:
    """Reads the tags of one template."""

    def __init__(self, made: Making, pieces: list[Piece]) -> None:
        self.made, self.row = made, made.language

    def piece(self, piece: Piece) -> None:
        """Read one tag."""
        made = self.made
        if piece.kind == "print":
            made.hole(piece, self._value(piece.inner, piece.stop))
            return
        found = re.compile(r"\s*(\w+)\s*").match(made.text, piece.inner, piece.stop)
        word, begin = (found[1], found.end()) if found else ("", piece.inner)
        if word == "echo":
            made.hole(piece, self._value(begin, piece.stop), made.range(begin, piece.stop))
        elif word == "cycle":
            made.hole(piece, self._value(begin, piece.stop)._replace(constant=None), made.range(begin, piece.stop))
        elif self.row.has("includes", word):
            self._include(piece, begin)
        else:
            made.tag(piece)
            self._statement(piece, word, begin)

    def _statement(self, piece: Piece, word: str, begin: int) -> None:
        made, text = self.made, self.made.text
        at = made.range(begin, piece.stop)
        if self.row.has("loops", word):
            self._loop(piece, word, begin)
        elif self.row.has("conditions", word):
            made.open(piece, word, self._operands(begin, piece.stop), at, "maybe")
        elif self.row.has("branches", word):
            made.branch(self._operands(begin, piece.stop), at if at.start < at.end else None)
        elif self.row.has("regions", word):
            made.open(piece, word, NOTHING, at, "maybe" if word == "capture" else "always")
        elif word.startswith("end"):
            while made.regions and word[3:] in [region.word for region in made.regions]:
                if made.regions[-1].word == word[3:]:
                    self._close(text)
                    break
                made.close()
        elif word == "assign" and (set_to := re.compile(r"([\w-]+)\s*=\s*").match(text, begin, piece.stop)):
            value = self._value(set_to.end(), piece.stop)
            made.set[set_to[1]] = value._replace(filler="set", constant=None, at=None)
        elif word == "liquid":
            made.note(piece, "what stands in a liquid tag is not followed")

    def _close(self, text: str) -> None:
        """End a region; what a capture has printed is known under its name."""
        made = self.made
        region = made.close()
        if region is not None and region.word == "capture":
            name = text[region.at.start : region.at.end].strip("'\"")
            inside = [part for part in made.parts[region.first :] if isinstance(part, Hole)]
            values = [Value(part.names, part.calls) for part in inside]
            made.set[name] = joined(values)._replace(filler="set")

    def _loop(self, piece: Piece, word: str, begin: int) -> None:
        made, text = self.made, self.made.text
        found = re.compile(r"([\w-]+)\s+in\s+").match(text, begin, piece.stop)
        begin = found.end() if found else begin
        end = re.compile(r"\s+(?:limit|offset|cols|reversed)\b").search(text, begin, piece.stop)
        stop = end.start() if end else piece.stop
        value = self._operands(begin, stop)
        region = made.open(piece, word, value, made.range(begin, stop), "repeated")
        if found:
            region.scope[found[1]] = value._replace(filler="loop")

    def _include(self, piece: Piece, begin: int) -> None:
        made = self.made
        found = tokens(made.text, begin, piece.stop, _NAME)
        name = found[0].text if found else "it"
        made.note(piece, f"{name!r} is not followed")
        values = [
            self._name(one)
            for number, one in enumerate(found[1:], 1)
            if one.kind == "name" and found[number + 1 : number + 2] != [] and found[number + 1].text != ":"
        ]
        made.hole(piece, joined(values), made.range(begin, piece.stop), "block")

    def _operands(self, begin: int, stop: int) -> Value:
        """What a condition or a loop depends on."""
        found = tokens(self.made.text, begin, stop, _NAME)
        return joined([self._name(one) for one in found if one.kind == "name"])

    def _value(self, begin: int, stop: int) -> Value:
        """A value and its filters; `'now' | date: "%H"` is a clock."""
        found = tokens(self.made.text, begin, stop, _NAME)
        if not found:
            return NOTHING
        head, filters = found[0], _filters(found)
        if head.kind == "string" and len(found) == 1:
            return Value(constant=head.text, at=SourceRange(0, head.start + 1, head.end - 1))
        values = [self._name(head)] if head.kind == "name" else []
        calls: list[Call] = []
        if head.kind == "string" and self.row.has("clocks", head.text) and filters and filters[0][0].text == "date":
            layout = next((one.text for one in filters[0][1:] if one.kind == "string"), None)
            form = None if layout is None else strftime_of(layout, "")
            calls.append(Call("now", SourceRange(0, head.start, filters[0][-1].end), form))
        for each in filters:
            if self.row.has("chances", each[0].text):
                calls.append(Call(f"|{each[0].text}", SourceRange(0, each[0].start, each[-1].end), None))
            values += [
                self._name(one)
                for one, behind in zip(each[1:], [*each[2:], None], strict=False)
                if one.kind == "name" and (behind is None or behind.text != ":")
            ]
        value = joined([*values, Value(calls=tuple(calls))])
        return value._replace(filler="call") if calls else value

    def _name(self, one: Token) -> Value:
        made = self.made
        first, _, rest = one.text.partition(".")
        if one.text in _WORDS or first in _OF_LOOPS:
            return NOTHING
        for region in reversed(made.regions):
            if (held := region.scope.get(first)) is not None:
                return inner(held, rest)
        if first in made.set:
            return made.set[first]
        return made.argument(one.text)


def _filters(found: list[Token]) -> list[list[Token]]:
    """The tokens behind each `|`."""
    filters: list[list[Token]] = []
    for one in found:
        if one.kind == "sign" and one.text == "|":
            filters.append([])
        elif filters:
            filters[-1].append(one)
    return [each for each in filters if each]
