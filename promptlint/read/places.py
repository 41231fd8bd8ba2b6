"""Values -> places: which bytes, line and column of a file hold some characters of a decoded value."""

from collections.abc import Mapping, Sequence

from promptlint.prompt import Document, Location, Path, Spot
from promptlint.read.lines import locations
from promptlint.read.spans import Escapes, Node, Span, escapes, find, lookup

_UNKNOWN: Mapping[int, int] = {}


def resolve(document: Document, spots: Sequence[Spot], ends: Mapping[int, int] = _UNKNOWN) -> list[Location]:
    """The places of `spots` in the file, in their order, by one walk of the document.

    In a string or key, characters count after decoding; in a number, literal, array or object, as written. The empty
    path means the text of the whole document as it stands. What lies beyond an end means that end; a path that does
    not exist gives the start of its nearest ancestor that does. So does what a string holds in base64: its place is
    where the string begins. `ends` are those of a Request. Never raises.
    """
    if document.syntax == "yaml":
        from promptlint.read.yaml_places import yaml_ranges

        return locations(document, yaml_ranges(document.text, spots, _ranges))
    return locations(document, _ranges(document.text, spots, ends))


def pointer(path: Path) -> str | tuple[str, ...]:
    """The RFC 6901 pointer of `path`; one for each text, outermost first, where a path enters a decoded string."""
    parts = [""]
    for step in path:
        if step is None:
            parts.append("")
        else:
            parts[-1] += "/" + str(step).replace("~", "~0").replace("/", "~1")
    return parts[0] if len(parts) == 1 else tuple(parts)


def _ranges(text: str, spots: Sequence[Spot], ends: Mapping[int, int] = _UNKNOWN) -> list[tuple[int, int]]:
    """Characters of a JSON text."""
    root = find(text, [spot.path for spot in spots], ends)
    tables: dict[tuple[int, int], Escapes] = {}
    return [_range(text, root, spot, tables) for spot in spots]


def _range(whole: str, root: Node, spot: Spot, tables: dict[tuple[int, int], Escapes]) -> tuple[int, int]:
    if not spot.path:
        size = len(whole)
        return min(spot.char, size), min(max(spot.char, spot.end), size)
    node, exists = lookup(root, spot.path)
    span = (node.key if spot.atom == "key" and exists else None) or node.value
    if span is None:
        return 0, 0
    if not exists:
        begin = _document_char(span, span.start)
        return begin, begin
    text = span.layer.text
    if text[span.start : span.start + 1] != '"' or span.start == span.end:
        chars = [min(span.start + char, span.end) for char in (spot.char, max(spot.char, spot.end))]
    else:
        identity = id(span.layer), span.start
        if identity not in tables:
            tables[identity] = escapes(text, span.start + 1, span.end - 1)
        table = tables[identity]
        size = span.end - span.start - 2 - table.total
        chars = [span.start + 1 + table.raw(min(char, size)) for char in (spot.char, max(spot.char, spot.end))]
    return _document_char(span, chars[0]), _document_char(span, chars[1])


def _document_char(span: Span, char: int) -> int:
    layer = span.layer
    while layer.outer is not None:
        char = layer.begin + layer.escapes.raw(char)
        layer = layer.outer
    return char
