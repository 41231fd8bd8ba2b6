"""YAML text -> values as JSON has them, with every fault a clear message."""

import base64
import binascii
import math
import re
from typing import TYPE_CHECKING, Any

from promptlint.errors import PromptlintError
from promptlint.prompt import Document, Json, Number
from promptlint.read.lines import locations
from promptlint.read.names import shown
from promptlint.read.yaml_nodes import Fault, compose

if TYPE_CHECKING:
    from yaml import Node

_STANDARD = "tag:yaml.org,2002:"
_TEXTS = tuple(f"{_STANDARD}{name}" for name in ("str", "timestamp", "value", "merge"))
_BINARY = (f"{_STANDARD}binary", "!binary")  # the latter is Ruby's
_JSON_INT = r"-?(?:0|[1-9][0-9]*)"
_JSON_FLOAT = rf"{_JSON_INT}\.[0-9]+(?:[eE][-+]?[0-9]+)?"
_SAME = r"[-+]?(?:0|[1-9][0-9]*)|0x[0-9a-fA-F]+|[-+]?(?:[0-9]+\.[0-9]*|\.[0-9]+)(?:[eE][-+][0-9]+)?|(?i:true|false)"
_NUMBER_IN_1_2 = r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)[eE][-+]?[0-9]+|0o[0-7]+"
_NOTED = 3  # places named in a note; the others are counted


def parse(document: Document) -> tuple[Json, tuple[str, ...]]:
    """The value of a YAML document, and notes for the reader.

    It is what PyYAML reads (YAML 1.1), but that a number keeps its spelling where JSON has the same, a date or time and
    the key of a mapping stay texts, and `!!binary` is the text that it encodes, or base64 where it encodes none. Notes
    name what YAML 1.2 reads otherwise. Raises PromptlintError with line and column for what is no YAML, a key that is
    there twice, a tag that asks for more than data, and what is over a limit.
    """
    values = _Values()
    try:
        root = compose(document.text)
        value = None if root is None else values.of(root)
    except Fault as fault:
        raise PromptlintError(f"{_place(document, fault.char)}: {fault.message}", fault.hint) from None
    return value, tuple(_notes(document, values.ambiguous))


def members(node: "Node") -> "dict[str, tuple[Node, Node]]":
    """The keys of a mapping, each with its nodes; its own come after those that `<<` merges into it, and win.

    Raises Fault for a key that is no text or is there twice.
    """
    found: dict[str, tuple[Node, Node]] = {}
    lines: dict[str, int] = {}
    for key, child in sorted(node.value, key=lambda pair: not _is_merge(pair[0])):
        if not isinstance(key.value, str):
            raise _fault(key, "a key that is a list or a mapping", "a key is a text")
        name = key.value
        if name in lines:
            raise _fault(key, f"the key {shown(name)} is there twice, first in line {lines[name]}", "keep one of them")
        lines[name] = key.start_mark.line + 1
        found |= _merged(child) if _is_merge(key) else {name: (key, child)}
    return found


def _is_merge(key: "Node") -> bool:
    return bool(key.tag == f"{_STANDARD}merge")


def _merged(node: "Node") -> "dict[str, tuple[Node, Node]]":
    """What `<<: *name` or `<<: [*first, *second]` brings; the first that has a key counts."""
    if node.tag == f"{_STANDARD}map":
        return members(node)
    if node.tag != f"{_STANDARD}seq" or any(child.tag != f"{_STANDARD}map" for child in node.value):
        raise _fault(node, "<< takes a mapping, or a list of them", "name one by its anchor")
    return {name: pair for child in reversed(node.value) for name, pair in members(child).items()}


class _Values:
    """The values of nodes; a node that aliases share has one."""

    def __init__(self) -> None:
        self.known: dict[int, Json] = {}
        self.ambiguous: list[Node] = []  # what YAML 1.2 reads otherwise

    def of(self, node: "Node") -> Json:
        if isinstance(node.value, str):
            if _is_ambiguous(node):
                self.ambiguous.append(node)
            return scalar(node)
        if id(node) not in self.known:
            self.known[id(node)] = self._collection(node)
        return self.known[id(node)]

    def _collection(self, node: "Node") -> Json:
        if node.tag == f"{_STANDARD}map":
            return {name: self.of(child) for name, (_, child) in members(node).items()}
        if node.tag == f"{_STANDARD}seq":
            return [self.of(child) for child in node.value]
        raise _unknown_tag(node)


def scalar(node: "Node") -> str | Number | bool | None:
    """The value of a scalar node. Raises Fault for one that its tag does not allow."""
    text, kind = node.value, node.tag.removeprefix(_STANDARD)
    if node.tag in _TEXTS:
        return str(text)
    if node.tag in _BINARY:
        return _decoded(node)
    if kind == "null":
        return None
    if kind == "bool":
        from yaml import SafeLoader

        if text.lower() not in SafeLoader.bool_values:
            raise _fault(node, f"{shown(text)} is no boolean", "write true or false")
        return bool(SafeLoader.bool_values[text.lower()])
    if kind in ("int", "float"):
        return _number(node, kind)
    raise _unknown_tag(node)


def _number(node: "Node", kind: str) -> Number:
    if re.fullmatch(_JSON_INT if kind == "int" else _JSON_FLOAT, node.value):
        return Number(node.value)
    from yaml.constructor import SafeConstructor

    constructor: Any = SafeConstructor()
    try:
        value = getattr(constructor, f"construct_yaml_{kind}")(node)
        if math.isfinite(value):
            return Number(str(value))  # of a float, the shortest text that means it
    except (ValueError, OverflowError):
        pass
    raise _fault(node, f"{shown(node.value)} is no number that JSON knows", "put it in quotes if it is a text")


def _decoded(node: "Node") -> str:
    packed = "".join(node.value.split())
    try:
        return base64.b64decode(packed, validate=True).decode()
    except UnicodeDecodeError:
        return packed
    except (binascii.Error, ValueError):
        raise _fault(node, "!!binary holds what is no base64", "remove the tag if it is a text") from None


def _is_ambiguous(node: Any) -> bool:
    if node.style:
        return False
    if node.tag in _TEXTS:
        return re.fullmatch(_NUMBER_IN_1_2, node.value) is not None
    return node.tag.endswith(("bool", "int", "float")) and re.fullmatch(_SAME, node.value) is None


def _unknown_tag(node: "Node") -> Fault:
    tag = node.tag.replace(_STANDARD, "!!")
    return _fault(node, f"the tag {shown(tag)} stands for more than plain data", "remove the tag")


def _fault(node: "Node", message: str, hint: str) -> Fault:
    return Fault(node.start_mark.index, message, hint)


def _place(document: Document, char: int) -> str:
    (location,) = locations(document, [(char, char)])
    name = document.path if document.revision is None else f"{document.revision}:{document.path}"
    return f"{shown(name)}:{location.line}:{location.column}"


def _notes(document: Document, nodes: "list[Node]") -> list[str]:
    named = nodes[:_NOTED]
    places = locations(document, [(node.start_mark.index, node.start_mark.index) for node in named])
    notes = [
        f"line {place.line}: {shown(node.value)} is read as in YAML 1.1 (PyYAML); in YAML 1.2 it means something else"
        for node, place in zip(named, places, strict=True)
    ]
    if len(nodes) > len(named):
        notes.append(f"{len(nodes) - len(named)} further values that YAML 1.1 and 1.2 read differently")
    return notes
