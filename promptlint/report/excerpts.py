"""Both sides of a change, one above the other, with carets under the characters that differ."""

from typing import NamedTuple

from promptlint.finding import Change, Place
from promptlint.report.escape import cells, width
from promptlint.report.layout import wrap
from promptlint.report.secrets import mask

_CUT = "…"
_NAMED = 3
_LEAST = 20  # columns


class _Side(NamedTuple):
    name: str
    text: str  # secrets masked
    shown: list[str]  # one cell for each character of `text`
    mark: tuple[int, int]


class _Window(NamedTuple):
    text: str
    start: int  # column of the first marked character
    columns: int  # of the marked characters that are shown


def excerpt_lines(change: Change, room: int) -> list[str]:
    """Lines of at most `room` columns (20 at least): `a | text`, `b | text`, carets, and code points where reading is
    not enough. A side that has nothing has no line."""
    room = max(room, _LEAST)
    sides = [_side(name, place) for name, place in (("a", change.a), ("b", change.b)) if place.excerpt is not None]
    windows = _windows(sides, room - len("a | "))
    lines: list[str] = []
    for index, (side, window) in enumerate(zip(sides, windows, strict=True)):
        if not side.shown:
            lines.append(f"{side.name}   (empty)")
            continue
        lines.append(f"{side.name} | {window.text}")
        below = windows[1] if index == 0 and len(sides) == 2 and sides[1].shown else None
        if below is None or (below.start, below.columns) != (window.start, window.columns):
            lines.append(f"  | {' ' * window.start}{'^' * window.columns}")
    return lines + _code_points(sides, room)


def marked_lines(excerpt: str, marked: tuple[int, int], room: int) -> list[str]:
    """One text: `| text`, and carets below its marked characters; code points where reading is not enough. No carets
    where the text as a whole is meant: nothing is marked at its very start."""
    marked = (min(marked[0], len(excerpt)), min(marked[1], len(excerpt)))  # a mark may go on in the next line
    text = mask(excerpt, marked, cut=True)
    side = _Side("", text, cells(text, marked), marked)
    room = max(room, _LEAST)
    [window] = _windows([side], room - len("| "))
    points = _code_points([side], room) if text[slice(*marked)].strip(" ") else []  # dots tell of spaces
    carets = [] if marked == (0, 0) else [f"| {' ' * window.start}{'^' * window.columns}"]
    return [f"| {window.text}", *carets, *points]


def _side(name: str, place: Place) -> _Side:
    excerpt, (start, end) = place.excerpt or "", place.mark
    cut = place.char > start
    text = mask(excerpt, place.mark, cut=cut)
    shown = cells(text, place.mark)
    if cut:  # an ellipsis stands for what lies before
        return _Side(name, _CUT + text, [_CUT, *shown], (start + 1, end + 1))
    return _Side(name, text, shown, place.mark)


def _windows(sides: list[_Side], room: int) -> list[_Window]:
    """Cuts the sides to `room` columns around their marks and lets the marks begin in one column."""
    before = [width("".join(side.shown[: side.mark[0]])) for side in sides]
    behind = [width("".join(side.shown[side.mark[0] :])) for side in sides]
    budget = max(room // 3, room - max(behind, default=0) - 2)
    start = max((min(columns, budget) for columns in before), default=0)
    return [_window(side.shown, side.mark, start, room) for side in sides]


def _window(shown: list[str], mark: tuple[int, int], start: int, room: int) -> _Window:
    first, columns = mark[0], 0
    while first > 0 and columns + width(shown[first - 1]) + (first > 1) <= start:
        first -= 1
        columns += width(shown[first])
    while first < mark[0] and not width(shown[first]):  # a combining mark without its letter
        first += 1
    head = _CUT if first else ""
    indent = start - columns - width(head)
    last, columns = mark[0], start
    while last < len(shown) and columns + width(shown[last]) + (last + 1 < len(shown)) <= room:
        columns += width(shown[last])
        last += 1
    tail = _CUT if last < len(shown) else ""
    text = " " * indent + head + "".join(shown[first:last]) + tail
    return _Window(text, start, max(1, width("".join(shown[mark[0] : min(mark[1], last)]))))


def _code_points(sides: list[_Side], room: int) -> list[str]:
    """Names the first differing characters where their look is not enough: accents, look-alikes, the invisible."""
    marked = [side.text[slice(*side.mark)] for side in sides]
    shown = [cell for side in sides for cell in side.shown[slice(*side.mark)][:_NAMED]]
    escaped = any(cell == "·" or cell.startswith("\\u") for cell in shown)
    short = all(len(text) <= _NAMED for text in marked)
    if not (escaped or (short and not "".join(marked).isascii())):
        return []
    named = [(side.name, _names(text)) for side, text in zip(sides, marked, strict=True) if text]
    return [
        row for name, words in named for row in wrap(words, room, first=f"{name}   " if name else "  ", rest="      ")
    ]


def _names(text: str) -> list[str]:
    """Words that name the characters: all of a short text, otherwise the first and what is invisible behind it."""
    from unicodedata import name

    count = len(text)
    if count > _NAMED:
        count = 1
        while count < _NAMED and not text[count].isalnum() and not " " <= text[count] <= "~":
            count += 1
    points = []
    for char in text[:count]:
        words = "" if char.isascii() and char.isalnum() else name(char, "")
        points.append(f"U+{ord(char):04X} {words}".rstrip())
    return ", ".join(points).split(" ")
