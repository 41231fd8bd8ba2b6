"""The value of a segment as the model reads it: markers gone, declared fields in order, a text block as its text.

Built from the rendered pieces, so that it cannot disagree with the prompt: a container that is printed as
nothing but one value is that value.
"""

from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from promptlint.boundary.divergence import spot_at, spot_in_piece
from promptlint.boundary.forms import ordered
from promptlint.prompt import AtomKind, CharIndex, Json, Path, Piece, Rendered, RenderedItem, Segment, Spot


class Index(NamedTuple):
    """Where the paths of one item stand in the prompt (characters)."""

    item: RenderedItem
    order: list[int]  # where each piece starts
    starts: dict[tuple[Path, AtomKind], int]  # of each piece
    first: dict[Path, int]  # first character of the value at a path, behind its own key
    last: dict[Path, int]  # behind the last one, without its separator
    only: dict[Path, Path | None]  # the path of the single value printed below, None if there is more
    names: dict[object, int]  # a number for every different value; shared by the two sides of a comparison


def index(item: RenderedItem, separator: str, names: dict[object, int]) -> Index:
    """Places of every piece of an item and of everything that contains it."""
    built = Index(item, [], {}, {}, {}, {}, names)
    at = item.char
    for piece in item.pieces:
        built.order.append(at)
        built.starts[piece.path, piece.atom] = at
        _enter(built, piece, at)
        at += len(piece.text) + len(separator)
    for piece, start in zip(reversed(item.pieces), reversed(built.order), strict=True):
        end = start + len(piece.text)
        for path in _upwards(piece.path):
            if path in built.last:  # so are all that contain it
                break
            built.last[path] = end
        if piece.path not in built.first:  # a key whose value is printed as nothing
            built.first[piece.path] = built.last[piece.path] = end + len(separator)
    _place_segments(built, len(separator))
    return built


def _upwards(path: Path) -> Iterator[Path]:
    """A path and all that contain it, the innermost first."""
    for depth in range(len(path), -1, -1):
        yield path[:depth]


def _enter(built: Index, piece: Piece, at: int) -> None:
    """Note the first character of everything that begins with this piece, and what no longer holds one value alone.

    It goes up only as far as something changes: what contains a known place is known, and so deep values stay cheap.
    """
    single = piece.path if piece.atom == "value" else None
    for path in _upwards(piece.path):
        if path in built.first and built.only[path] is None:
            break
        built.only[path] = None if path in built.only else single
        if path != piece.path or piece.atom == "value":
            built.first.setdefault(path, at)


def _place_segments(built: Index, separator: int) -> None:
    """A segment that is the rest of its object stands apart from the fields that other segments cover."""
    item = built.item
    start = 0 if item.item.role is None else len(item.item.role) + separator
    for segment, end in zip(item.item.segments, item.segment_ends, strict=True):
        if segment.omit and start < end:
            built.first[segment.path], built.last[segment.path] = item.char + start, item.char + end - separator
        start = end


def spot_in(places: Index, rendered: Rendered, char: int, end: int) -> Spot:
    """`spot_at` for a place that mostly lies in one item, without a walk over its pieces."""
    item = places.item
    if not item.pieces or not item.char <= char < item.char + len(item.text):
        return spot_at(rendered, char, end)
    number = bisect_right(places.order, char) - 1
    return spot_in_piece(item.pieces[number], places.order[number], char, end)


def insertion(places: Index, parent: "Node", char: int) -> Spot:
    """Where something could be put into `parent`: in front of the entry that starts at `char`, or at the end."""
    path = parent.path
    if parent.children is None:
        end = CharIndex(len(parent.text or ""))
        return Spot(path, "value", end, end)
    number = bisect_right(places.order, char) - 1
    if number >= 0 and places.order[number] == char and char < places.last.get(path, 0):
        piece = places.item.pieces[number]
        if piece.path[: len(path)] == path and len(piece.path) > len(path):
            return Spot(piece.path, piece.atom, CharIndex(0), CharIndex(0))
    return Spot((*path, "-"), "value", CharIndex(0), CharIndex(0))


class Node(NamedTuple):
    """A value with its path; `value` is what is printed of it.

    Two nodes of one comparison print the same if their `key` is equal, and hold the same data in another order of
    keys if their `loose` is equal.
    """

    path: Path
    value: Json
    children: "dict[str, Node] | list[Node] | None"  # None for a scalar
    key: int
    loose: int

    @property
    def text(self) -> str | None:
        return self.value if isinstance(self.value, str) else None


def segment_node(segment: Segment, places: Index) -> Node | None:
    """The printed part of a segment; None if nothing of it is printed."""
    content = segment.content
    if segment.omit and isinstance(content, dict):
        content = {name: held for name, held in content.items() if name not in segment.omit}
        if all((*segment.path, name) not in places.first for name in content):
            return None
    return node(content, segment.path, places)


def node(value: Json, path: Path, places: Index) -> Node | None:
    """The printed part of `value`, which stands at `path`; None if nothing of it is printed."""
    if path not in places.first:
        return None
    leaf = places.only[path]
    if leaf is not None:
        return _scalar(leaf, _descend(value, leaf[len(path) :]), places)
    if isinstance(value, dict):
        shown = sorted((places.first[(*path, key)], key) for key in value if (*path, key) in places.first)
        fields = {key: child for _, key in shown if (child := node(value[key], (*path, key), places))}
        bare = [key for key in fields if ((*path, key), "key") not in places.starts]  # the text of a text block
        strict = (*bare, *((key, child.key) for key, child in fields.items()))
        loose = (*bare, *sorted((key, child.loose) for key, child in fields.items()))
        printed = {key: child.value for key, child in fields.items()}
        return Node(path, printed, fields, _named(("{", strict), places), _named(("{}", loose), places))
    if isinstance(value, list):
        entries = [child for i, entry in enumerate(value) if (child := node(entry, (*path, i), places))]
        strict_list, loose_list = tuple(child.key for child in entries), tuple(child.loose for child in entries)
        values = [child.value for child in entries]
        return Node(path, values, entries, _named(("[", strict_list), places), _named(("[]", loose_list), places))
    return _scalar(path, value, places)


def _scalar(path: Path, value: Json, places: Index) -> Node:
    name = _named(ordered(value), places)
    return Node(path, value, None, name, name)


def _named(value: object, places: Index) -> int:
    return places.names.setdefault(value, len(places.names))


def _descend(value: Json, steps: Path) -> Json:
    for step in steps:
        if isinstance(value, dict):
            value = value[str(step)]
        elif isinstance(value, list) and isinstance(step, int):
            value = value[step]
    return value
