"""TypeScript and JavaScript as the data flow looks at it, with tree-sitter."""

from collections.abc import Callable, Iterator
from functools import cache
from time import thread_time
from typing import TYPE_CHECKING, Literal

from promptlint.errors import PromptlintError
from promptlint.lint.flow.code import Module, Span
from promptlint.lint.flow.typescript.functions import TOO_DEEP
from promptlint.lint.flow.typescript.imports import commonjs
from promptlint.lint.flow.typescript.nodes import is_statement, statements
from promptlint.read.names import shown

# They add the functions that read their kinds of nodes.
from promptlint.lint.flow.typescript import expressions, operators, statements as others  # noqa: F401 # isort: skip

if TYPE_CHECKING:
    from tree_sitter import Language, Node, Tree

_Grammar = Literal["typescript", "tsx"]
Range = tuple[int, int]
_TYPED = (".ts", ".mts", ".cts")
_DEEPEST = 250  # nodes within nodes; each takes two calls
_FOLLOWED = {("binary_expression", "left"), ("ternary_expression", "alternative")}  # in a loop, however many
_BROKEN = "most of this file cannot be read as TypeScript or JavaScript"
_SECONDS, _SECONDS_PER_BYTE = 1.0, 4e-6  # of the processor, for the parser: forty times what it takes
_CHUNK = 1 << 16
# Each `<` may begin a list of types or compare numbers. Until the statement ends, the parser keeps both in mind: its
# memory grows with the square of their number.
_MANY_OPEN = b"<" * 1_000
_ENDS = bytes.maketrans(b">{}", b";;;")
_OTHERS = bytes(set(range(256)) - set(b"<>;{}"))
_INSIDE = bytes(range(0x80, 0xC0))  # bytes that begin no character
_STEP = 512  # bytes between two places whose characters are known


def parse(path: str, text: str) -> Module:
    """Translate a file; whether it may hold JSX depends on its name. The bodies of functions are read on demand.

    Code that is broken is left out. Raises PromptlintError: a file that is no code at all, code that is nested
    hundreds of levels deep, and a missing extra.
    """
    _refuse_others(path, text)
    grammar: _Grammar = "typescript" if path.lower().endswith(_TYPED) else "tsx"
    data = text.encode("utf-8", "replace")
    if _MANY_OPEN in data.translate(_ENDS, _OTHERS):
        raise PromptlintError(f"{shown(path)}:1:1: {TOO_DEEP}", "leave the file out")
    tree = _tree(path, data, grammar)
    chars = _characters(text, data)
    root = tree.root_node
    if root.has_error:
        _refuse_broken(path, text, data, root, chars)
    _refuse_deep(path, text, root, chars)
    try:
        body = commonjs(statements(root.children))
    except RecursionError:
        raise PromptlintError(f"{shown(path)}: {TOO_DEEP}", "split the expression") from None
    return Module(path, text, "typescript", body, chars, cache(lambda: _comments(tree, data, grammar, chars)))


def _tree(path: str, data: bytes, grammar: _Grammar) -> "Tree":
    try:
        from tree_sitter import Parser

        language = _language(grammar)
    except ImportError:
        raise PromptlintError(
            f"{shown(path)}: TypeScript needs an extra that is not installed", "pip install 'promptlint-cache[ts]'"
        ) from None
    parser, until = Parser(language), thread_time() + _SECONDS + _SECONDS_PER_BYTE * len(data)
    try:
        tree = parser.parse(lambda at, _: data[at : at + _CHUNK], progress_callback=lambda _, __: thread_time() > until)
    except ValueError:  # a few random symbols can keep the parser busy for minutes
        raise PromptlintError(f"{shown(path)}:1:1: {_BROKEN}", "mend it, or leave it out") from None
    return parser.parse(data, tree)  # what was read is taken over: only a tree of bytes gives its nodes' texts quickly


@cache
def _language(grammar: _Grammar) -> "Language":
    import tree_sitter_typescript as grammars
    from tree_sitter import Language

    return Language(grammars.language_typescript() if grammar == "typescript" else grammars.language_tsx())


def _refuse_others(path: str, text: str) -> None:
    """Translations of Qt and videos have the suffix `.ts`, too."""
    start = text[:200].lstrip("\ufeff \t\r\n")
    other = "XML" if start.startswith(("<?xml", "<!DOCTYPE")) else "binary data" if "\0" in text else ""
    if other:
        raise PromptlintError(f"{shown(path)}:1:1: this is {other}, no TypeScript", "leave the file out")


def _refuse_broken(path: str, text: str, data: bytes, root: "Node", chars: Callable[[Span], Range]) -> None:
    """Refuse a file of which most cannot be read."""
    broken = list(_broken(root))
    lost = sum(end - start - data.count(b" ", start, end) for start, end in broken)
    if 2 * lost > len(data) - data.count(b" "):
        at = _place(text, chars(broken[0])[0])
        raise PromptlintError(
            f"{shown(path)}:{at}: most of this file cannot be read as TypeScript or JavaScript",
            "mend it, or leave it out",
        )


def _broken(root: "Node") -> Iterator[Span]:
    """The bytes that belong to no statement that can be read."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if not node.is_error:
            waiting += reversed([child for child in node.children if child.has_error])
            continue
        at = node.start_byte
        for child in node.children:
            if is_statement(child):
                yield at, child.start_byte
                at = child.end_byte
        yield at, node.end_byte
        waiting += reversed([child for child in node.children if child.has_error])


def _refuse_deep(path: str, text: str, root: "Node", chars: Callable[[Span], Range]) -> None:
    if _depth(root) <= _DEEPEST:
        return
    node = _too_deep(root)
    if node is not None:
        at = _place(text, chars(node.byte_range)[0])
        raise PromptlintError(f"{shown(path)}:{at}: {TOO_DEEP}", "split the expression, or leave the file out")


def _depth(root: "Node") -> int:
    cursor, depth, deepest = root.walk(), 0, 0
    down, right, up = cursor.goto_first_child, cursor.goto_next_sibling, cursor.goto_parent
    while True:
        if down():
            depth += 1
            if depth > deepest:
                deepest = depth
            continue
        while not right():
            if not up():
                return deepest
            depth -= 1


def _too_deep(root: "Node") -> "Node | None":
    """The first node that is too deep for recursion. Chains of operators and of `else if` are followed otherwise."""
    cursor, depths = root.walk(), [0]
    kinds = [root.type]
    while True:
        if cursor.goto_first_child():
            kinds.append("")
            depths.append(0)
        else:
            while not cursor.goto_next_sibling():
                if not cursor.goto_parent():
                    return None
                kinds.pop()
                depths.pop()
        node = cursor.node
        assert node is not None
        kind, above, field = node.type, kinds[-2], cursor.field_name
        follows = kind == above and (kind, field) in _FOLLOWED
        follows = follows or kind == "else_clause" or (above == "else_clause" and kind == "if_statement")
        kinds[-1], depths[-1] = kind, depths[-2] + (not follows)
        if depths[-1] > _DEEPEST:
            return node


def _place(text: str, char: int) -> str:
    """LINE:COLUMN of a character, both counted from 1."""
    return f"{text.count(chr(10), 0, char) + 1}:{char - text.rfind(chr(10), 0, char)}"


def _characters(text: str, data: bytes) -> Callable[[Span], Range]:
    """What turns bytes into characters of the text."""
    if len(text) == len(data):
        return lambda span: (span[0], span[1])

    @cache
    def known() -> list[int]:
        counts = [0]
        for start in range(0, len(data), _STEP):
            counts.append(counts[-1] + len(data[start : start + _STEP].translate(None, _INSIDE)))
        return counts

    def char(at: int) -> int:
        start = at - at % _STEP
        return known()[at // _STEP] + len(data[start:at].translate(None, _INSIDE))

    return lambda span: (char(span[0]), char(span[1]))


def _comments(tree: "Tree", data: bytes, grammar: _Grammar, chars: Callable[[Span], Range]) -> tuple[Range, ...]:
    if b"//" not in data and b"/*" not in data and b"<!--" not in data:
        return ()
    from tree_sitter import Query, QueryCursor

    query = Query(_language(grammar), "[(comment) (html_comment)] @comment")
    found = QueryCursor(query).captures(tree.root_node).get("comment", [])
    return tuple(chars(span) for span in sorted(node.byte_range for node in found))
