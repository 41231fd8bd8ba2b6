"""Where wanted values stand in JSON text: one walk that descends only towards them.

Everything else is skipped by the C scanner. A string that is itself JSON text is entered where a path says so
(step None): its decoded text is a layer of its own, which knows its way back to the text around it.
"""

import re
from bisect import bisect_left
from collections.abc import Iterable, Mapping
from contextlib import suppress
from json import JSONDecoder
from typing import NamedTuple, Optional

from promptlint.prompt import Path, Step
from promptlint.read.surrogates import mended

_skip = JSONDecoder(parse_int=str, parse_float=str, parse_constant=str).raw_decode  # no limit on digits, nothing built
_space = re.compile(r"[ \t\n\r]*").match
_flat = re.compile(r'\[[^\[\]{}"]*\]').match
_commas = re.compile(",").finditer
_ESCAPE = re.compile(r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u.{4}|.)", re.DOTALL)


class Escapes(NamedTuple):
    """Of the raw content of a string: which decoded characters are escapes, and how much longer they made it so far."""

    at: list[int]
    longer: list[int]

    def raw(self, char: int) -> int:
        """Characters of the raw content before decoded character `char`."""
        before = bisect_left(self.at, char)
        return char + (self.longer[before - 1] if before else 0)

    @property
    def total(self) -> int:
        """Characters that decoding takes away."""
        return self.longer[-1] if self.longer else 0


class Layer(NamedTuple):
    """A text that is walked: the document, or a decoded string whose raw content begins at `begin` of `outer`."""

    text: str
    outer: Optional["Layer"]
    begin: int
    escapes: Escapes
    ends: Mapping[int, int] = {}  # where values begin -> where they end, as far as known


class Span(NamedTuple):
    """Characters `start:end` of a layer: a value or key with its quotes, or the place before a closing bracket."""

    layer: Layer
    start: int
    end: int


class Node:
    """A wanted path: what was found there, and the wanted paths below it."""

    __slots__ = ("children", "key", "value")

    def __init__(self) -> None:
        self.children: dict[Step, Node] = {}
        self.value: Span | None = None
        self.key: Span | None = None


def find(text: str, paths: Iterable[Path], ends: Mapping[int, int]) -> Node:
    """The tree of `paths` with the spans of those that exist in the JSON `text`. Never raises.

    `ends`: where values begin -> where they end, as far as known; these are not scanned to be passed over.
    """
    root = Node()
    for path in paths:
        node = root
        for step in path:
            node = node.children.setdefault(step, Node())
    _enter(Layer(text, None, 0, Escapes([], []), ends), root)
    return root


def lookup(root: Node, path: Path) -> tuple[Node, bool]:
    """The node of `path`, or else of its nearest ancestor that exists; and whether it is the former.

    A node may hold a span of an earlier duplicate of its parent, which the last one does not have: it lies outside.
    """
    node = root
    for step in path:
        child = node.children[step]
        if node.value is None or child.value is None or not _holds(node.value, child.value):
            return node, False
        node = child
    return node, True


def escapes(text: str, start: int, end: int) -> Escapes:
    """The escapes of the raw string content `text[start:end]`."""
    at: list[int] = []
    longer: list[int] = []
    total = 0
    if text.find("\\", start, end) >= 0:
        for found in _ESCAPE.finditer(text, start, end):
            first, last = found.span()
            at.append(first - start - total)
            total += last - first - 1
            longer.append(total)
    return Escapes(at, longer)


def _holds(outer: Span, inner: Span) -> bool:
    if inner.layer is outer.layer:
        return outer.start <= inner.start < outer.end
    return inner.layer.outer is outer.layer and inner.layer.begin == outer.start + 1


def _enter(layer: Layer, node: Node) -> None:
    with suppress(ValueError, RecursionError):  # not JSON, or not to its end: what was found before stays found
        _value(layer, _after_space(layer.text, 0), node)


def _value(layer: Layer, begin: int, node: Node) -> int:
    """Notes the value that begins at `begin` and the wanted ones in it; returns its end."""
    opening = layer.text[begin : begin + 1] if node.children else ""
    if opening == "{":
        end = _members(layer, begin, node)
    elif opening == "[":
        flat = _flat(layer.text, begin)
        end = _scalars(layer, begin, flat.end(), node) if flat else _elements(layer, begin, node)
    else:
        value, end = _skip(layer.text, begin)
        if isinstance(value, str) and opening == '"' and None in node.children:
            inner = Layer(mended(value), layer, begin + 1, escapes(layer.text, begin + 1, end - 1))
            _enter(inner, node.children[None])
    node.value = Span(layer, begin, end)
    return end


def _members(layer: Layer, begin: int, node: Node) -> int:
    text, children = layer.text, node.children
    place = _after_space(text, begin + 1)
    while text[place : place + 1] != "}":
        key, colon = _skip(text, place)
        child = children.get(mended(key)) if isinstance(key, str) else None
        if child:
            child.key = Span(layer, place, colon)
        place = _after_space(text, _expect(text, _after_space(text, colon), ":"))
        end = _value(layer, place, child) if child else _end(layer, place)
        place = _next(text, end, "}")
    _close(layer, begin, place, node)
    return place + 1


def _elements(layer: Layer, begin: int, node: Node) -> int:
    text, children = layer.text, node.children
    place, index = _after_space(text, begin + 1), 0
    while text[place : place + 1] != "]":
        child = children.get(index)
        end = _value(layer, place, child) if child else _end(layer, place)
        place, index = _next(text, end, "]"), index + 1
    _close(layer, begin, place, node)
    return place + 1


def _end(layer: Layer, begin: int) -> int:
    known = layer.ends.get(begin)
    return _skip(layer.text, begin)[1] if known is None else known


def _scalars(layer: Layer, begin: int, end: int, node: Node) -> int:
    """An array of nothing but numbers and literals, such as token ids: its commas are enough."""
    text = layer.text
    edges = [begin, *(comma.start() for comma in _commas(text, begin, end)), end - 1]
    for step, child in node.children.items():
        if isinstance(step, int) and 0 <= step < len(edges) - 1:
            first = _after_space(text, edges[step] + 1)
            last = first + len(text[first : edges[step + 1]].rstrip(" \t\r\n"))
            if first < last:
                child.value = Span(layer, first, last)
    _close(layer, begin, end - 1, node)
    return end


def _close(layer: Layer, begin: int, bracket: int, node: Node) -> None:
    """The end of a container is the path step "-", unless it is an object with such a key."""
    child = node.children.get("-")
    if child and (child.value is None or not _holds(Span(layer, begin, bracket), child.value)):
        child.value = Span(layer, bracket, bracket)


def _next(text: str, end: int, bracket: str) -> int:
    """The place of the next entry, or of the closing bracket."""
    place = _after_space(text, end)
    if text[place : place + 1] == bracket:
        return place
    return _after_space(text, _expect(text, place, ","))


def _expect(text: str, place: int, sign: str) -> int:
    if text[place : place + 1] != sign:
        raise ValueError(f"{sign} expected at {place}")
    return place + 1


def _after_space(text: str, place: int) -> int:
    if text[place : place + 1] > " ":
        return place
    found = _space(text, place)
    return found.end() if found else place
