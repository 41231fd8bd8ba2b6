"""The last check: every piece that claims to be an exact text is compared with what stands at its origin."""

import json
from collections.abc import Callable
from functools import cache
from typing import Any

from promptlint.prompt import Path
from promptlint.render.template.literals import ESCAPE, decoded
from promptlint.render.template.pieces import Piece, Pieces, merged

_CLAIMS_NOTHING = frozenset(("call", "computed", "unknown"))
_NOTHING = object()


def audit(text: str, pieces: Pieces, variables: Any, sources: dict[str | None, str]) -> tuple[list[Piece], int]:
    """The pieces of `text`, those that do not hold demoted to unknown, and how many these are.

    `variables` are those that were given, before any preparation; `sources` the templates as the lexer reads them.
    """
    at = _reader(variables)
    kept: list[Piece] = []
    wrong = start = 0
    for piece in pieces:
        end = start + piece[0]
        if piece[1] == "serialised":
            piece = (piece[0], "serialised", _existing(piece[2], at), None, piece[4])
        elif piece[1] not in _CLAIMS_NOTHING and not _holds(text[start:end], piece, at, sources):
            wrong += 1
            piece = (piece[0], "unknown", None, None, piece[4])
        if kept and kept[-1][1] == piece[1] and (one := merged(kept[-1], piece)):
            kept[-1] = one
        else:
            kept.append(piece)
        start = end
    if start != len(text):
        return [(len(text), "unknown", None, None, None)], wrong + 1
    return kept, wrong


def _existing(path: Path, at: Callable[[Path], Any]) -> Path:
    """The path, or that of the nearest object or array around it: preparation may have added what stands there."""
    while at(path) is _NOTHING:
        path = path[:-1]
    return path


def _holds(text: str, piece: Piece, at: Callable[[Path], Any], sources: dict[str | None, str]) -> bool:
    length, kind, source, char, _ = piece
    if kind == "template":
        return char is not None and sources[source].startswith(text, char)
    if kind == "escape":
        escape = ESCAPE.match(sources[source], char or 0)
        return escape is not None and text in decoded(escape[0]) * length
    found = at(source)
    if kind == "key":
        found = source[-1] if found is not _NOTHING else None
    if not isinstance(found, str) or char is None:
        return False
    if kind == "spelled":
        return char < len(found)
    if kind == "changed":
        return found[char : char + length].upper().casefold() == text.upper().casefold()
    return found.startswith(text, char)


def _reader(variables: Any) -> Callable[[Path], Any]:
    """A function from a path to what stands there, or _NOTHING."""

    @cache
    def at(path: Path) -> Any:
        if not path:
            return variables
        holder, step = at(path[:-1]), path[-1]
        try:
            return json.loads(holder) if step is None else holder[step]
        except (KeyError, IndexError, TypeError, ValueError):
            return _NOTHING

    return at
