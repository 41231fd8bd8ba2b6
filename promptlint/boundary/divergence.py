"""One divergence of two prompts: where it stands on both sides and what it is called."""

from bisect import bisect_right
from typing import NamedTuple

from promptlint.finding import ChangeLevel
from promptlint.prompt import CharIndex, Path, Piece, Rendered, RenderedItem, Spot
from promptlint.read.raw import common_prefix

# Fields whose value is an id that was made for a call, a result or an item.
ID_FIELDS = frozenset(("id", "call_id", "tool_call_id", "tool_use_id", "toolUseId", "response_id", "item_id"))


class Divergence(NamedTuple):
    """Characters `a_start:a_end` of prompt A stand as `b_start:b_end` in prompt B.

    Where a side has nothing, its range is empty and stands where the other side's text would be inserted.
    Changes of settings have no text: their ranges are empty and `a`, `b` give the place.
    """

    cause: str
    level: ChangeLevel
    a_start: int
    a_end: int
    b_start: int
    b_end: int
    within: Path  # smallest value that explains it: in B, or in A where B has nothing
    message: str
    a: Spot
    b: Spot
    a_present: bool = True
    b_present: bool = True
    old: str = ""  # the differing words, to recognise a repeat
    new: str = ""
    field: str = ""  # of a setting: its dotted name
    repeats: "tuple[Divergence, ...]" = ()
    rendered: bool = False  # it stands in a prompt whose bytes are known
    fix: str = ""  # where that of the cause does not help


def item_at(rendered: Rendered, char: int) -> RenderedItem | None:
    """The item that holds this character of the prompt (the last one at the very end)."""
    if not rendered.items:
        return None
    index = bisect_right(rendered.items, char, key=lambda item: item.char) - 1
    return rendered.items[max(index, 0)]


def origin_at(rendered: Rendered, char: int) -> int:
    """The number of the origin that holds a character of a template's prompt (of the last one at the very end)."""
    return max(bisect_right(rendered.origins, char, key=lambda origin: origin.start) - 1, 0)


def piece_at(item: RenderedItem, char: int, separator: int) -> tuple[Piece, int] | None:
    """The piece that holds this character of the prompt, and where in the prompt it starts."""
    start = item.char
    for piece in item.pieces:
        end = start + len(piece.text) + separator
        if char < end:
            return piece, start
        start = end
    if item.pieces:
        last = item.pieces[-1]
        return last, start - len(last.text) - separator
    return None


def spot_at(rendered: Rendered, char: int, end: int) -> Spot:
    """The place in the document of prompt characters `char:end`, cut at the end of the atom that holds `char`."""
    item = item_at(rendered, char)
    found = piece_at(item, char, len(rendered.separator)) if item else None
    if item is None or found is None:
        return Spot(rendered.request.path, "value", CharIndex(0), CharIndex(0))
    if char >= item.char + len(item.text) and rendered.separator:
        return Spot(parent_end(item.item.path), "value", CharIndex(0), CharIndex(0))
    return spot_in_piece(*found, char, end)


def spot_in_piece(piece: Piece, start: int, char: int, end: int) -> Spot:
    """The place of prompt characters `char:end` in a piece that starts at `start`, cut at the end of the piece."""
    if piece.tokens is not None:  # a hash stands for encoded data: the place is the whole value
        return Spot(piece.path, "value", CharIndex(0), CharIndex(1 << 30))
    low = min(char - start, len(piece.text))
    return Spot(piece.path, piece.atom, CharIndex(low), CharIndex(max(low, min(end - start, len(piece.text)))))


def parent_end(path: Path) -> Path:
    """The end of the list that holds `path`: where one more entry would stand."""
    return (*path[:-1], "-") if path and isinstance(path[-1], int) else path


def byte_at(rendered: Rendered, char: int) -> int:
    """Bytes of the prompt before one of its characters."""
    item = item_at(rendered, char)
    if item is None:
        return 0
    before = item.text[: char - item.char]
    return item.byte + (len(before) if before.isascii() else len(before.encode()))


def shared_chars(a: Rendered, b: Rendered) -> int:
    """Equal characters at the start of two prompts; items that both hold are compared once, as wholes."""
    start = 0
    for x, y in zip(a.items, b.items, strict=False):
        if x.text != y.text:
            break
        start += len(x.text)
    return start + common_prefix(a.text, b.text, start, start)
