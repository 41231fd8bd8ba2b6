"""From nodes of tree-sitter to code: which function reads which kind of node, and the texts of literals."""

import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from promptlint.lint.flow.code import Constant, Expression, Operation, Statement

if TYPE_CHECKING:
    from tree_sitter import Node

Reader = Callable[["Node"], Expression]
Writer = Callable[["Node", list[Statement]], None]
_READERS: dict[str, Reader] = {}
_WRITERS: dict[str, Writer] = {}
_ESCAPE = re.compile(r"\\(?:u\{([0-9A-Fa-f]{1,8})\}|u([0-9A-Fa-f]{4})|x([0-9A-Fa-f]{2})|(\r\n|[\s\S]))")
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "v": "\v", "f": "\f", "0": "\0"}
_ESCAPED |= dict.fromkeys(("\n", "\r", "\r\n", "\u2028", "\u2029"), "")  # a line that goes on
_SURROGATE = re.compile("[\ud800-\udfff]")


def reads(*kinds: str) -> Callable[[Reader], Reader]:
    """Name the kinds of nodes that a function makes an expression of."""

    def register(reader: Reader) -> Reader:
        _READERS.update(dict.fromkeys(kinds, reader))
        return reader

    return register


def writes(*kinds: str) -> Callable[[Writer], Writer]:
    """Name the kinds of nodes that a function makes statements of; it adds them to a list."""

    def register(writer: Writer) -> Writer:
        _WRITERS.update(dict.fromkeys(kinds, writer))
        return writer

    return register


def expression(node: "Node") -> Expression:
    """The expression that a node stands for; what is not understood is an `Operation` without operands."""
    reader = _READERS.get(node.type)
    return reader(node) if reader else unknown(node)


def field(node: "Node", name: str) -> Expression:
    """The expression in a field of a node; in broken code it may be missing."""
    child = node.child_by_field_name(name)
    return unknown(node) if child is None else expression(child)


def unknown(node: "Node") -> Expression:
    """What stands for code of which nothing is known."""
    return Operation(node.byte_range, (), keeps=False)


def inner(node: "Node") -> "Node | None":
    """The first part of a node that is neither a bracket nor a comment: what parentheses hold."""
    for child in node.children:
        if child.is_named and child.type not in ("comment", "ERROR", "type_arguments"):
            return child
    return None


def statements(nodes: Iterable["Node"]) -> tuple[Statement, ...]:
    """The statements that nodes stand for, in order."""
    found: list[Statement] = []
    for node in nodes:
        write(node, found)
    return tuple(found)


def write(node: "Node", into: list[Statement]) -> None:
    """Add the statements that a node stands for; of code that is broken what can be read in it."""
    writer = _WRITERS.get(node.type)
    if writer:
        writer(node, into)
    elif node.type == "ERROR":
        for child in node.children:
            write(child, into)


def is_statement(node: "Node") -> bool:
    """Whether something can be made of a node where statements stand."""
    return node.type in _WRITERS


def block(node: "Node | None") -> tuple[Statement, ...]:
    """The statements of `{…}`, or of the one statement that stands in its place."""
    return () if node is None else statements((node,))


def source(node: "Node") -> str:
    """The text of a node, as written."""
    return (node.text or b"").decode("utf-8", "replace")


def cooked(raw: str) -> str:
    """What stands between the quotes of a literal, with its escapes resolved."""
    if "\\" not in raw:
        return raw
    text = _ESCAPE.sub(_unescaped, raw)
    if _SURROGATE.search(text):  # two escapes that make one character, or one that makes none
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def _unescaped(match: re.Match[str]) -> str:
    digits = match[1] or match[2] or match[3]
    if digits is None:
        return _ESCAPED.get(match[4], match[4])
    code = int(digits, 16)
    return chr(code) if code <= 0x10FFFF else "\ufffd"


def quoted(node: "Node") -> str:
    """The value of a string in quotes."""
    raw = source(node)
    return cooked(raw[1:-1] if len(raw) > 1 and raw[-1] == raw[0] else raw[1:])


def key_text(node: "Node") -> str | None:
    """The name that a key has, also in quotes; None of a computed one."""
    if node.type == "string":
        return quoted(node)
    return None if node.type == "computed_property_name" else source(node)


def key_of(node: "Node") -> Expression:
    """The key of an entry, as a constant unless it is computed."""
    text = key_text(node)
    return expression(node) if text is None else Constant(node.byte_range, text)
