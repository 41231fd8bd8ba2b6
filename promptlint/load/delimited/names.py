"""Languages that know nothing but names: string.Template, str.format, prompts of editors, plain text."""

import re
from collections.abc import Iterator

from promptlint.load.delimited.making import Making
from promptlint.load.delimited.scan import Fault, Piece
from promptlint.load.delimited.tokens import tokens
from promptlint.load.delimited.values import Value, joined
from promptlint.template import Call, SourceRange

_FIELD = re.compile(r"\s*([^.\[\]!:{}]*)((?:\.[^.\[\]!:{}]+|\[[^\[\]{}]+\])*)")


def scan_names(text: str, pattern: str, begin: int) -> Iterator[Piece]:
    """The pieces of `text[begin:]`: names, each with a hole, and what is doubled to stand for itself."""
    done = begin
    for found in re.compile(pattern).finditer(text, begin) if pattern else ():
        if found.start() > done:
            yield Piece("text", done, found.start(), done, found.start())
        groups = found.groupdict()
        if groups.get("escaped") is not None:
            done = found.end()
            yield Piece("escape", found.start(), done, found.start(), done, printed=groups["escaped"])
            continue
        key = "named" if groups.get("named") is not None else "braced"
        done = found.end()
        yield Piece("print", found.start(), done, found.start(key), found.end(key))
    if done < len(text):
        yield Piece("text", done, len(text), done, len(text))


def scan_format(text: str, begin: int) -> Iterator[Piece]:
    """The pieces of a text for `str.format`. Raises Fault for a brace that stands alone, as Python does."""
    done, brace = begin, re.compile(r"\{\{|\}\}|\{|\}")
    while found := brace.search(text, done):
        start = found.start()
        if start > done:
            yield Piece("text", done, start, done, start)
        if len(found[0]) == 2:
            done = start + 2
            yield Piece("escape", start, done, start, done, printed=found[0][0])
        elif found[0] == "}":
            raise Fault(start, "a single } stands here: two print one")
        else:
            done = _closing(text, start)
            yield Piece("print", start, done, start + 1, done - 1)
    if done < len(text):
        yield Piece("text", done, len(text), done, len(text))


def _closing(text: str, start: int) -> int:
    """Where a field ends; its format may hold fields of its own, an index may hold braces."""
    depth, place, edge = 0, start, re.compile(r"[{}]|(?<=[\w\]])\[[^\[\]]*\]")
    while found := edge.search(text, place):
        place = found.end()
        depth += {"{": 1, "}": -1}.get(found[0], 0)
        if depth == 0:
            return place
    raise Fault(start, "this { is not closed: two print one")


class Names:
    """Each hole holds one name."""

    def __init__(self, made: Making, pieces: list[Piece]) -> None:
        self.made = made

    def piece(self, piece: Piece) -> None:
        """Read one hole."""
        made = self.made
        made.hole(piece, made.argument(made.text[piece.inner : piece.stop]), SourceRange(0, piece.inner, piece.stop))


class Format:
    """A field of `str.format`: `{name.attribute[key]!r:>{width}}`."""

    def __init__(self, made: Making, pieces: list[Piece]) -> None:
        self.made = made
        self.number = 0  # of the next field without a name

    def piece(self, piece: Piece) -> None:
        """Read one field."""
        made = self.made
        values = [self._field(piece.inner, piece.stop)]
        begin = _FIELD.match(made.text, piece.inner, piece.stop)
        rest = begin.end() if begin else piece.inner
        for inner in re.compile(r"\{([^{}]*)\}").finditer(made.text, rest, piece.stop):
            values.append(self._field(inner.start(1), inner.end(1)))
        made.hole(piece, joined(values), SourceRange(0, piece.inner, rest))

    def _field(self, start: int, stop: int) -> Value:
        found = _FIELD.match(self.made.text, start, stop)
        name, inner = (found[1].strip(), found[2]) if found else ("", "")
        if not name:
            name, self.number = str(self.number), self.number + 1
        return self.made.argument(name + re.sub(r"\[([^\[\]]*)\]", r".\1", inner))


class SemanticKernel:
    """`{{$name}}`, `{{plugin.function $name}}`, `{{"text"}}`."""

    def __init__(self, made: Making, pieces: list[Piece]) -> None:
        self.made = made

    def piece(self, piece: Piece) -> None:
        """Read one hole."""
        made = self.made
        found = tokens(made.text, piece.inner, piece.stop, r"\$?[A-Za-z_]\w*(?:\.\w+)*")
        if len(found) == 1 and found[0].kind == "string":
            only = found[0]
            made.hole(piece, Value(constant=only.text, at=SourceRange(0, only.start + 1, only.end - 1)))
            return
        values = [made.argument(one.text[1:]) for one in found if one.kind == "name" and one.text.startswith("$")]
        calls: tuple[Call, ...] = ()
        if found and found[0].kind == "name" and not found[0].text.startswith("$"):
            calls = (Call(found[0].text, made.range(piece.inner, piece.stop), None),)
        made.hole(piece, joined([*values, Value(calls=calls)]))
