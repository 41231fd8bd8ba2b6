"""ERB: Ruby between `<%` and `%>`."""

import re

from promptlint.load.delimited.code import value_of
from promptlint.load.delimited.making import Making
from promptlint.load.delimited.scan import Piece
from promptlint.load.delimited.values import NOTHING, Value

_BLOCK = re.compile(r"(?:\bdo|\{)\s*(?:\|([^|]*)\|)?\s*\Z")
_LOOPS = re.compile(
    r"\.(?:each\w*|map|flat_map|select|reject|filter|times|upto|downto|step|zip)(?:\([^()]*\))?(?:\.\w+)*\s*\Z|\bloop\s*\Z"
)
_SET = re.compile(r"\s*(@?\w+)\s*(?:\|\|)?=(?![=~>])\s*")
_TAIL = 200  # characters in front of `do` that tell whether it is a loop


class Erb:
    """Reads the tags of one template."""

    def __init__(self, made: Making, pieces: list[Piece]) -> None:
        self.made, self.row = made, made.language

    def piece(self, piece: Piece) -> None:
        """Read one tag."""
        made, text = self.made, self.made.text
        block = _BLOCK.search(text[piece.inner : piece.stop])
        stop = piece.inner + block.start() if block else piece.stop
        if piece.kind == "print":
            self._print(piece, stop)
        else:
            made.tag(piece)
            self._statement(piece, stop, block)
            return
        if block:
            made.open(piece, "do", NOTHING, made.range(piece.inner, stop), "always")

    def _print(self, piece: Piece, stop: int) -> None:
        made = self.made
        word = re.compile(r"\s*(\w+)").match(made.text, piece.inner, stop)
        if word is not None and self.row.has("includes", word[1]):
            made.note(piece, f"{made.text[piece.inner : stop].strip()!r} is not followed")
            made.hole(piece, value_of(made, word.end(), stop)._replace(constant=None, at=None), None, "block")
            return
        value = value_of(made, piece.inner, stop)
        made.hole(piece, value, made.range(piece.inner, stop))

    def _statement(self, piece: Piece, stop: int, block: "re.Match[str] | None") -> None:
        made, text = self.made, self.made.text
        found = re.compile(r"\s*(\w+|\})\s*").match(text, piece.inner, piece.stop)
        word, begin = (found[1], found.end()) if found else ("", piece.inner)
        if word in ("end", "}"):
            made.close()
        elif self.row.has("loops", word):
            inside = re.compile(r"(\w+)\s+in\s+").match(text, begin, stop) if word == "for" else None
            self._loop(piece, inside.end() if inside else begin, stop, [inside[1]] if inside else [])
        elif self.row.has("conditions", word):
            made.open(piece, word, self._plain(begin, piece.stop), made.range(begin, piece.stop), "maybe")
        elif self.row.has("branches", word):
            at = made.range(begin, piece.stop)
            made.branch(self._plain(begin, piece.stop), at if at.start < at.end else None)
        elif block:
            names = [name.strip(" ()*&") for name in (block[1] or "").split(",") if name.strip(" ()*&")]
            if _LOOPS.search(text[max(piece.inner, stop - _TAIL) : stop]):
                self._loop(piece, piece.inner, stop, names)
            else:
                made.open(piece, "do", self._plain(piece.inner, stop), made.range(piece.inner, stop), "always")
        elif setting := _SET.match(text, piece.inner, piece.stop):
            made.set[setting[1].lstrip("@")] = self._plain(setting.end(), piece.stop)._replace(filler="set")

    def _loop(self, piece: Piece, begin: int, stop: int, names: list[str]) -> None:
        """A loop; the items of a hash come as two names."""
        made = self.made
        tail = max(begin, stop - _TAIL)
        written = made.text[tail:stop]
        method = re.search(r"\.(each\w*|map|times|\w+)(?:\([^()]*\))?\s*\Z", written)
        over = tail + method.start() if method else stop
        value = self._plain(begin, over)
        region = made.open(piece, "do", value, made.range(begin, over), "repeated")
        pairs = len(names) > 1 and (method is None or re.search("index|with", method[1]) is None)
        region.ordered = not pairs or re.search(r"\.sort(?:_by)?\b", written) is not None
        region.scope = dict.fromkeys(names, value._replace(filler="loop"))

    def _plain(self, begin: int, stop: int) -> Value:
        return value_of(self.made, begin, stop)._replace(constant=None, at=None)
