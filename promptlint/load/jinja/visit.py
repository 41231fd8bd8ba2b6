"""The walk of a syntax tree: where it is, what it has found, and which function reads which node."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NamedTuple

from jinja2 import nodes

from promptlint.load.jinja.regions import Printed
from promptlint.load.jinja.syntax import Syntax
from promptlint.load.jinja.tokens import Tokens
from promptlint.load.jinja.values import Scope, Value
from promptlint.template import SourceRange, TemplateFile, When

MOST_STEPS = 50_000  # statements and parts, of what is walked at the place where it is called or included
DEEPEST = 16  # calls and includes in one another


@dataclass
class Findings:
    """What the whole walk gathers."""

    chat: bool
    roots: tuple[str, ...]
    files: list[TemplateFile] = field(default_factory=list)
    tokens: list[Tokens] = field(default_factory=list)
    loaded: dict[str, Syntax | str | None] = field(default_factory=dict)  # a name -> the file, or why there is none
    notes: dict[tuple[str, str], str] = field(default_factory=dict)
    arguments: dict[str, Value] = field(default_factory=dict)
    blocks: "dict[str, tuple[Block, ...]]" = field(default_factory=dict)
    steps: int = 0
    keeps_state: bool = False  # a turn of a loop may leave something for the next one
    over_messages: bool = False  # a loop goes through `messages`
    reads_messages: bool = False


class Block(NamedTuple):
    """One definition of a block."""

    body: list[nodes.Node]
    tokens: Tokens


class Context(NamedTuple):
    """Where the walk is."""

    found: Findings
    tokens: Tokens
    scope: Scope
    root: Scope  # of the names that blocks see
    printed: Printed
    when: When
    active: Value  # what decides whether the walk comes here
    level: int = 0  # conditions, loops and macros around
    in_loop: bool = False
    inlined: int = 0  # macros and includes around
    macros: tuple[int, ...] = ()  # those that are being called
    files: tuple[str, ...] = ()  # those that are being included
    blocks: "Mapping[str, tuple[Block, ...]]" = MappingProxyType(
        {}
    )  # a block -> its definitions in the templates that extend this one
    above: "tuple[Block, ...]" = ()  # what `super()` prints
    quiet: bool = False  # the file extends another one, and what stands outside its blocks is not printed

    def note(self, token: int, text: str) -> None:
        """Say what was not followed, and where it is met first."""
        path = self.found.files[self.tokens.file].path
        self.found.notes.setdefault((path, text), f"{path}:{self.tokens.line(token)}: {text}")

    def may_inline(self) -> bool:
        """Whether something more may be walked at the place that calls it; else a note is left."""
        if self.found.steps < MOST_STEPS and self.inlined < DEEPEST:
            return True
        text = "what it calls and includes is followed only so far"
        self.found.notes.setdefault((self.found.files[0].path, text), f"{self.found.files[0].path}: {text}")
        return False

    def tag(self, token: int) -> SourceRange:
        """The range of the tag in which a token stands."""
        return self.tokens.range(*self.tokens.tag(token))


EXPRESSIONS: dict[type[nodes.Node], Callable[[Context, Any], Value]] = {}
STATEMENTS: dict[type[nodes.Node], Callable[[Context, Any], None]] = {}


def evaluate(context: Context, node: nodes.Node) -> Value:
    """What is known of the value of an expression."""
    return EXPRESSIONS.get(type(node), EXPRESSIONS[nodes.Expr])(context, node)


def walk(context: Context, body: Iterable[nodes.Node]) -> None:
    """Find what statements print."""
    for node in body:
        if context.inlined:
            context.found.steps += 1
        STATEMENTS[type(node)](context, node)
