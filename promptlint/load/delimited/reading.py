"""A template's text -> its parts."""

from collections.abc import Iterator
from typing import Protocol

from promptlint.load.delimited.cuts import Literal, printed
from promptlint.load.delimited.erb import Erb
from promptlint.load.delimited.go import Go
from promptlint.load.delimited.handlebars import Handlebars
from promptlint.load.delimited.languages import Language
from promptlint.load.delimited.liquid import Liquid
from promptlint.load.delimited.making import Making
from promptlint.load.delimited.names import Format, Names, SemanticKernel, scan_format, scan_names
from promptlint.load.delimited.poml import Poml
from promptlint.load.delimited.scan import Fault, Piece, located, scan
from promptlint.template import Template

_MOST = 150_000  # tags, comments and texts of one template


class _Grammar(Protocol):
    def piece(self, piece: Piece) -> None: ...


class _Grammars(Protocol):
    def __call__(self, made: Making, pieces: list[Piece], /) -> _Grammar: ...


_GRAMMARS: dict[str, _Grammars] = {
    "handlebars": Handlebars,
    "liquid": Liquid,
    "go": Go,
    "erb": Erb,
    "names": Names,
    "format": Format,
    "semantic-kernel": SemanticKernel,
    "poml": Poml,
}


def pieces_of(text: str, row: Language, begin: int = 0) -> Iterator[Piece]:
    """Text, tags and comments, which cover `text[begin:]` in order. Raises Fault."""
    if row.grammar == "names":
        return scan_names(text, row.pattern, begin)
    return scan_format(text, begin) if row.grammar == "format" else scan(text, row, begin)


def read(name: str, text: str, row: Language, begin: int) -> Template:
    """See `read_delimited`."""
    path = name.replace("\\", "/")
    made = Making(path, text, row)
    try:
        pieces: list[Piece] = []
        for piece in pieces_of(text, row, begin):
            pieces.append(piece)
            if len(pieces) > _MOST:
                raise Fault(piece.start, f"it is too long: more than {_MOST:,} tags and texts")
        reader = _GRAMMARS[row.grammar](made, pieces)
        for each in printed(text, pieces, row):
            if isinstance(each, Literal):
                made.literal(*each)
            elif each.kind == "comment":
                made.comment(each)
            else:
                reader.piece(each)
        if row.grammar in ("liquid", "erb", "poml"):
            while made.regions:  # these go on where a word of another extension opens or closes what is not known here
                made.close()
        return made.finish(name)
    except Fault as fault:
        raise located(path, text, fault) from None
