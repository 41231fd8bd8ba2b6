"""Lines for a terminal: wrapping, columns, colour."""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from promptlint.report.escape import width

Paint = Callable[[str, str], str]
"""Text and style -> text."""


class Style(NamedTuple):
    """How a report is printed."""

    width: int  # columns
    excerpts: bool
    paint: Paint


_STYLES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "cyan": "36"}


def painter(color: bool) -> Paint:
    """Paints visible text in a style such as "bold red", or leaves it alone."""

    def paint(text: str, style: str) -> str:
        codes = ";".join(_STYLES[name] for name in style.split())
        return f"\x1b[{codes}m{text}\x1b[0m"

    return paint if color else lambda text, style: text


def wrap(tokens: Iterable[str], columns: int, *, first: str = "", rest: str = "") -> list[str]:
    """Fills lines of at most `columns` with tokens, one space apart, which are never broken; the first line and the
    following ones begin with `first` and `rest`. An empty token is a second space."""
    lines: list[str] = []
    current, used = first, width(first)
    empty = True
    for token in tokens:
        need = width(token)
        if not empty and used + 1 + need > columns:
            lines.append(current.rstrip())
            current, used, empty = rest, width(rest), True
        if empty and not token:
            continue
        current += token if empty else f" {token}"
        used += need if empty else need + 1
        empty = False
    return lines if empty and lines else [*lines, current.rstrip()]


def clipped(text: str, columns: int) -> str:
    """Visible text cut to so many columns, with an ellipsis where something is left out."""
    if width(text) <= columns:
        return text
    used = 0
    for index, character in enumerate(text):
        used += width(character)
        if used >= columns:
            return text[:index] + "…"
    return text


def columns(rows: Sequence[Sequence[str]], right: Sequence[bool]) -> list[str]:
    """Rows as aligned columns, two spaces apart; `right` says which are aligned to the right."""
    wide = [max(map(width, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(map(_pad, row, wide, right)).rstrip() for row in rows]


def _pad(cell: str, wide: int, right: bool) -> str:
    space = " " * (wide - width(cell))
    return space + cell if right else cell + space


def labelled(label: str, words: Iterable[str], style: Style, *, indent: int, column: int) -> list[str]:
    """Words behind a label, in a column of their own that begins `column` columns behind the indent."""
    first = f"{' ' * indent}{style.paint(label, 'dim')}{' ' * (column - len(label))}"
    return wrap(words, style.width, first=first, rest=" " * (indent + column))
