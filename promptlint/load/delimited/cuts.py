"""White space that tags take away: pieces of literal text -> what of them is printed."""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from promptlint.load.delimited.languages import Language
from promptlint.load.delimited.scan import Piece

_LITERAL = ("text", "escape", "raw")


class Literal(NamedTuple):
    """Literal text that is printed: characters `start:end` of the file."""

    start: int
    end: int
    printed: str


def printed(text: str, pieces: Sequence[Piece], language: Language) -> Iterator[Piece | Literal]:
    """Tags and comments as they are; each stretch of literal text as one, if anything of it is printed."""
    alone = {piece.start for piece in pieces if language.alone and _is_alone(text, piece, language)}
    ahead: Piece | None = None  # the tag in front of a stretch
    groups = [(is_text, list(group)) for is_text, group in groupby(pieces, lambda piece: piece.kind in _LITERAL)]
    for number, (is_text, group) in enumerate(groups):
        if not is_text:
            yield from group
            ahead = group[-1]
            continue
        behind = groups[number + 1][1][0] if number + 1 < len(groups) else None
        start, end = group[0].start, group[-1].end
        if ahead is not None and group[0].kind != "escape":
            stop = group[0].end
            start = _begin(text, start, stop, ahead, language, alone)
        if behind is not None and group[-1].kind != "escape":
            end = _end(text, max(start, group[-1].start), end, behind, language, alone)
        said = "".join(
            piece.printed if piece.kind == "escape" else text[max(piece.start, start) : min(piece.end, end)]
            for piece in group
        )
        if said:
            yield Literal(start, end, said)


def _begin(text: str, start: int, stop: int, tag: Piece, language: Language, alone: set[int]) -> int:
    """Where a text begins to be printed behind a tag."""
    if tag.behind:
        pattern = r"\s*" if language.cuts == "all" else r"\r?\n"
    elif tag.start in alone:
        pattern = r"[ \t]*\r?\n"
    else:
        return start
    found = re.compile(pattern).match(text, start, stop)
    return start if found is None else found.end()


def _end(text: str, start: int, end: int, tag: Piece, language: Language, alone: set[int]) -> int:
    """Where a text stops to be printed in front of a tag."""
    if tag.ahead and language.cuts == "all":
        while end > start and text[end - 1].isspace():
            end -= 1
    elif tag.ahead or tag.start in alone:
        place = end
        while place > start and text[place - 1] in " \t":
            place -= 1
        if place == 0 or text[place - 1] == "\n":
            end = place
    return end


def _is_alone(text: str, piece: Piece, language: Language) -> bool:
    """Whether a tag takes its line with it: nothing else stands on that."""
    if piece.kind not in ("tag", "comment", "statement"):
        return False
    sign = "!" if piece.kind == "comment" else text[piece.inner : piece.stop].lstrip()
    if not sign.startswith(language.alone):
        return False
    place = piece.start
    while place and text[place - 1] in " \t":
        place -= 1
    if place and text[place - 1] != "\n":
        return False
    return re.compile(r"[ \t]*(?:\r?\n|\Z)").match(text, piece.end) is not None
