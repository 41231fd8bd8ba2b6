"""The value of a segment as the model reads it: markers gone, declared fields in order, a text block as its text.

Built from the rendered pieces, so that it cannot disagree with the prompt: a container that is printed as
nothing but one value is that value.
"""

from collections.abc import Iterator
from typing import NamedTuple

from promptlint.boundary.forms import ordered
from promptlint.prompt import AtomKind, Json, Path, RenderedItem
from promptlint.read.descend import descend


class Index(NamedTuple):
    """Where the paths of one item stand in the prompt (characters)."""

    starts: dict[tuple[Path, AtomKind], int]  # of each piece
    first: dict[Path, int]  # first character of the value at a path, behind its own key
    last: dict[Path, int]  # behind the last one, without its separator
    only: dict[Path, Path | None]  # the path of the single value printed below, None if there is more


def index(item: RenderedItem, separator: str) -> Index:
    """Places of every piece of an item and of everything that contains it."""
    built = Index({}, {}, {}, {})
    at = item.char
    for piece in item.pieces:
        end = at + len(piece.text)
        built.starts[piece.path, piece.atom] = at
        for depth in range(len(piece.path), -1, -1):
            path = piece.path[:depth]
            built.only[path] = piece.path if piece.atom == "value" and path not in built.only else None
            if depth < len(piece.path) or piece.atom == "value":
                built.first.setdefault(path, at)
            built.last[path] = end
        at = end + len(separator)
    return built


class Node(NamedTuple):
    """A value with its path; `value` is what is printed of it."""

    path: Path
    value: Json
    children: "dict[str, Node] | list[Node] | None"  # None for a scalar

    @property
    def text(self) -> str | None:
        return self.value if isinstance(self.value, str) else None


def node(value: Json, path: Path, places: Index) -> Node | None:
    """The printed part of `value`, which stands at `path`; None if nothing of it is printed."""
    if path not in places.first:
        return None
    leaf = places.only[path]
    if leaf is not None:
        return Node(leaf, descend(value, leaf[len(path) :]), None)
    if isinstance(value, dict):
        shown = sorted((places.first[(*path, key)], key) for key in value if (*path, key) in places.first)
        fields = {key: child for _, key in shown if (child := node(value[key], (*path, key), places))}
        return Node(path, {key: child.value for key, child in fields.items()}, fields)
    if isinstance(value, list):
        entries = [child for i, entry in enumerate(value) if (child := node(entry, (*path, i), places))]
        return Node(path, [child.value for child in entries], entries)
    return Node(path, value, None)


def identity(value: Json) -> object:
    """Equal for values that print the same."""
    return ordered(value)


def leaves(found: Node) -> Iterator[Node]:
    """All scalars of a value, in order."""
    if found.children is None:
        yield found
        return
    for child in found.children.values() if isinstance(found.children, dict) else found.children:
        yield from leaves(child)
