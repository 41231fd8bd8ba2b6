"""POML: XML whose texts and attributes hold `{{expressions}}`."""

import re

from promptlint.load.delimited.code import value_of
from promptlint.load.delimited.making import Making
from promptlint.load.delimited.scan import Piece
from promptlint.load.delimited.values import NOTHING, Value
from promptlint.template import SourceRange, Turn, When

_TAG = re.compile(r"</?([A-Za-z][\w.-]*)")
_ATTRIBUTE = re.compile(r"(?<![\w-])([\w-]++)\s*+=\s*+(?:\"([^\"]*)\"|'([^']*)')")
_ROLES = {"system-msg": "system", "human-msg": "user", "user-msg": "user", "ai-msg": "assistant"}
_UNPRINTED = ("let", "meta", "stylesheet", "output-schema", "tool-definition", "tool", "runtime")
_OUTSIDE = ("document", "include", "img", "audio", "table", "folder", "webpage")


class Poml:
    """Reads the tags of one file."""

    def __init__(self, made: Making, pieces: list[Piece]) -> None:
        self.made = made

    def piece(self, piece: Piece) -> None:
        """Read one tag or one expression."""
        made = self.made
        if piece.kind == "print":
            made.hole(piece, value_of(made, piece.inner, piece.stop))
        else:
            self._tag(piece)

    def _tag(self, piece: Piece) -> None:
        made, written = self.made, self.made.text[piece.start : piece.end]
        found = _TAG.match(written)
        name = found[1].lower() if found else ""
        if written.startswith("</"):
            made.tag(piece)
            if made.regions and name in [region.word for region in made.regions]:
                while (region := made.close()) is not None and region.word != name:
                    pass
            return
        given = {
            one[1]: (one.start(2 if one[2] is not None else 3), one[2] or one[3] or "")
            for one in _ATTRIBUTE.finditer(written)
        }
        if name == "let" and "name" in given:
            made.set[given["name"][1]] = self._given(piece, given)
        if name in _ROLES:
            made.turns.append(Turn(_ROLES[name], SourceRange(0, piece.start, piece.end), len(made.parts)))
        if "src" in given and name in _OUTSIDE:
            made.note(piece, f"{given['src'][1]!r} is not followed")
            made.hole(piece, NOTHING, filler="block")
        else:
            self._printing(piece, name)
        if not written.rstrip(">").endswith("/"):
            self._open(piece, name, given)

    def _given(self, piece: Piece, given: dict[str, tuple[int, str]]) -> Value:
        """What `<let name="x" value="expression"/>` gives a name; a constant is the same each time."""
        if "value" not in given:
            return Value((), filler="set")
        start = piece.start + given["value"][0]
        value = value_of(self.made, start, start + len(given["value"][1]))
        return value._replace(constant=None, at=None, filler="set")

    def _open(self, piece: Piece, name: str, given: dict[str, tuple[int, str]]) -> None:
        made = self.made
        region = None
        ways: tuple[tuple[str, When], ...] = (("for", "repeated"), ("if", "maybe"))
        for word, when in ways:
            if word not in given:
                continue
            start = piece.start + given[word][0]
            stop = start + len(given[word][1])
            inside = re.compile(r"\s*(\w+)\s+in\s+").match(made.text, start, stop)
            begin = inside.end() if inside else start
            value = value_of(made, begin, stop)._replace(constant=None, at=None)
            region = made.open(piece, "" if region else name, value, made.range(begin, stop), when)
            if inside:
                region.scope[inside[1]] = value._replace(filler="loop")
        if region is None:
            made.open(piece, name, NOTHING, made.range(piece.start, piece.end), "always")

    def _printing(self, piece: Piece, name: str) -> None:
        """The expressions in the attributes of a tag stand between two halves of it."""
        made, start = self.made, piece.start
        if name not in _UNPRINTED:
            for found in re.compile(r"\{\{(.*?)\}\}", re.DOTALL).finditer(made.text, piece.start, piece.end):
                made.tags.append(SourceRange(0, start, found.start()))
                start = found.end()
                whole = Piece("print", found.start(), start, found.start(1), found.end(1))
                made.hole(whole, value_of(made, found.start(1), found.end(1)))
        made.tags.append(SourceRange(0, start, piece.end))
