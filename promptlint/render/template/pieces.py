"""Where the characters of a string come from: pieces, and how they are cut and joined."""

from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

Piece: TypeAlias = tuple[int, str, Any, int | None, int | None]
"""Length, kind, source, character, line.

| kind | source | character |
|---|---|---|
| value, key | path of the string, or of the key that ends it | of that string; the text stands there as it is |
| changed | path of the string | of that string, one for one, in another case |
| spelled | path of the string | of the one character that this spells |
| serialised | path of the value | none |
| template | name of the included template, None for the main one | of its source; the text stands there as it is |
| escape | the same | of the escape in its source |
| call | name of the function | none |
| computed, unknown | none | none |

`line` is that of the main template's expression that printed the piece, of a call that of the call itself; 0 if it is
not in the main template; None until it is printed, and for the template's own text. A plain tuple, as there may be a
million of them.
"""
Pieces: TypeAlias = tuple[Piece, ...]

SLIDING = frozenset(("value", "key", "changed", "template"))
"""Kinds whose second character comes from the second character of the source."""
OWN_TEXT = frozenset(("template", "escape"))
"""Kinds that are the template's own text."""


def cut(pieces: Pieces, spans: Iterable[tuple[int, int]]) -> list[Pieces]:
    """The pieces of each span of characters; spans ascend and do not overlap."""
    parts: list[Pieces] = []
    index = begin = 0  # the first piece that the span may touch, and where it begins
    for start, end in spans:
        while index < len(pieces) and begin + pieces[index][0] <= start:
            begin += pieces[index][0]
            index += 1
        own: list[Piece] = []
        ahead, place = index, begin
        while place < end and start < end:
            length, kind, source, char, line = pieces[ahead]
            skipped = start - place if place < start else 0
            kept = min(end - place, length) - skipped
            if kept == length:
                own.append(pieces[ahead])
            else:
                own.append((kept, kind, source, char + skipped if char is not None and kind in SLIDING else char, line))
            place += length
            ahead += 1
        parts.append(tuple(own))
    return parts


def joined(parts: Sequence[Pieces]) -> Pieces:
    """Pieces one behind the other; a piece that continues the one before it is merged with it."""
    done: list[Piece] = []
    for part in parts:
        if done and part and (one := merged(done[-1], part[0])):
            done[-1] = one
            done.extend(part[1:])
        else:
            done.extend(part)
    return tuple(done)


def at_line(pieces: Pieces, line: int) -> Pieces:
    """The pieces as an expression of this line prints them; what an inner expression has printed keeps its line."""
    if all(piece[4] is not None or piece[1] in OWN_TEXT for piece in pieces):
        return pieces
    return tuple(
        [
            (length, "computed" if kind == "unknown" else kind, source, char, line)
            if known is None and kind not in OWN_TEXT
            else (length, kind, source, char, known)
            for length, kind, source, char, known in pieces
        ]
    )


def merged(left: Piece, right: Piece) -> Piece | None:
    """One piece, if the right one goes on where the left one ends."""
    length, kind, source, char, line = left
    if kind != right[1] or line != right[4]:
        return None
    if char is not None and (kind not in SLIDING or right[3] != char + length):
        return None
    if source is not right[2] and source != right[2]:
        return None
    return length + right[0], kind, source, char, line
