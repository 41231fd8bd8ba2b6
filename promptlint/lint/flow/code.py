"""Source code as the data flow looks at it: one small language, into which Python and TypeScript are translated.

What has no bearing on values (types, exceptions, operators that make numbers) is left out or stands as `Operation`.
"""

from collections.abc import Callable
from typing import Literal, NamedTuple

from promptlint.facts.flow_tables import Language as Language

Span = tuple[int, ...]
"""Where a node stands, in the units of its parser: `Module.chars` makes characters of it."""


class Constant(NamedTuple):
    """A literal; `text` is None where it is no text (numbers, True, None, a pattern)."""

    span: Span
    text: str | None
    is_none: bool = False  # None, null, undefined


class Name(NamedTuple):
    """A variable. `self` and `this` are names like others."""

    span: Span
    name: str


class Member(NamedTuple):
    """`of.name`, also `of?.name`."""

    span: Span
    of: "Expression"
    name: str


class Item(NamedTuple):
    """`of[key]`; a slice `of[:10]` has the key None and its bounds as far as they are literal numbers."""

    span: Span
    of: "Expression"
    key: "Expression | None"
    until: int | None = None  # of a slice that begins at the start and ends at a known place


class Argument(NamedTuple):
    """One argument: `name` of a keyword; `spread`: `*value`, `...value`, or (with the name "**") a mapping."""

    name: str | None
    value: "Expression"
    spread: bool = False


class Call(NamedTuple):
    """`callee(arguments)`, also `new callee(...)`."""

    span: Span
    callee: "Expression"
    arguments: tuple[Argument, ...]
    is_new: bool = False


class Text(NamedTuple):
    """Pieces that are put together to a text in this order: `+`, `%`, f-strings, template literals.

    Of `+` nobody knows whether it adds numbers; the pieces decide.
    """

    span: Span
    parts: tuple["Expression", ...]


class Formatted(NamedTuple):
    """A value in an f-string with a format: `{now:%H:%M}`; `format` None: it is not a constant."""

    span: Span  # of the value
    value: "Expression"
    format: str | None


class Listing(NamedTuple):
    """`[a, *b]`, `(a, b)`, `{a, b}`."""

    span: Span
    items: tuple[Argument, ...]  # without names
    kind: Literal["list", "set"]


class Entry(NamedTuple):
    """An entry of a mapping; key None: `**value`, `...value`."""

    key: "Expression | None"
    value: "Expression"


class Mapping(NamedTuple):
    """`{key: value}`: a dict, or an object literal (shorthand `{a}` is the entry "a": a; methods are functions)."""

    span: Span
    entries: tuple[Entry, ...]


class Each(NamedTuple):
    """A comprehension: `element` for each of `over`; several loops are nested, with `flat` outside."""

    span: Span
    target: "Expression"
    over: "Expression"
    element: "Expression"
    kind: Literal["list", "set", "mapping", "stream"]  # "mapping": the element is a Mapping of one entry
    flat: bool = False  # the element is an Each whose items are taken one by one


class Choice(NamedTuple):
    """One of several values: `a if t else b`, `a or b`, `a ?? b`, `match`; `test` is only evaluated."""

    span: Span
    options: tuple["Expression", ...]
    test: "Expression | None" = None


class Lambda(NamedTuple):
    """A function as a value."""

    span: Span
    function: "Function"


class Awaited(NamedTuple):
    """`await value`."""

    span: Span
    value: "Expression"


class Operation(NamedTuple):
    """Any other operator. `keeps`: its answer still differs where an operand does (arithmetic, not comparisons)."""

    span: Span
    operands: tuple["Expression", ...]
    keeps: bool


class Binding(NamedTuple):
    """`(name := value)`, an assignment used as a value (`a ??= b` has `only_if_none`)."""

    span: Span
    target: "Expression"
    value: "Expression"
    only_if_none: bool = False


Expression = (
    Constant
    | Name
    | Member
    | Item
    | Call
    | Text
    | Formatted
    | Listing
    | Mapping
    | Each
    | Choice
    | Lambda
    | Awaited
    | Operation
    | Binding
)


class Parameter(NamedTuple):
    """A parameter. A destructured one (`{a, b}: P`) has the name "" and the `pattern`."""

    name: str
    default: Expression | None = None
    kind: Literal["one", "rest", "keywords"] = "one"
    type: str = ""  # the name of its type: "list", "string[]"; "" if it is not known
    pattern: Expression | None = None


class Function(NamedTuple):
    """A function, method or lambda; of a lambda the body is one Return."""

    span: Span  # of the whole
    name: str  # "" of a lambda
    parameters: tuple[Parameter, ...]  # with `self` in Python
    body: Callable[[], tuple["Statement", ...]]  # translated when it is asked for
    decorators: tuple[Expression, ...] = ()
    is_async: bool = False
    is_static: bool = False  # a method without `self` (or `cls`)
    is_getter: bool = False  # a property: it is called when it is read


class Assign(NamedTuple):
    """`target = value`; `adds`: `+=`. Several names are a Listing. A declared field of a class is one, too."""

    span: Span
    target: Expression
    value: Expression | None  # None: only declared
    adds: bool = False
    only_if_none: bool = False  # `??=`, `||=`
    declares: bool = False  # `const`, `let`: the name is one of this function


class Return(NamedTuple):
    """`return value`; of a generator `yield value` (`ends` False)."""

    span: Span
    value: Expression | None
    ends: bool = True


class Do(NamedTuple):
    """An expression as a statement."""

    span: Span
    value: Expression


class Branch(NamedTuple):
    """`if test: then else: otherwise`; also `try` (test None: both may run, one after the other)."""

    span: Span
    test: Expression | None
    then: tuple["Statement", ...]
    otherwise: tuple["Statement", ...]


class Loop(NamedTuple):
    """`for target in over`; without them a `while`."""

    span: Span
    target: Expression | None
    over: Expression | None
    body: tuple["Statement", ...]


class Leave(NamedTuple):
    """`raise`, `break`, `continue`: what follows in the block does not run; `value` is still evaluated."""

    span: Span
    value: Expression | None = None


class Outer(NamedTuple):
    """`global name`, `nonlocal name`: assignments are to the variable of the module, or of a function around."""

    span: Span
    names: tuple[str, ...]
    is_module: bool = True


class Define(NamedTuple):
    """A function of the module, of a class or of another function."""

    span: Span
    function: Function


class Type(NamedTuple):
    """A class. Its fields with defaults are `Assign`s of the body."""

    span: Span
    name: str
    bases: tuple[Expression, ...]
    decorators: tuple[Expression, ...]
    body: tuple["Statement", ...]


class Imported(NamedTuple):
    """One name that an import brings: `name` None is the module itself, "*" everything."""

    local: str
    module: str  # "a.b", ".clock" (Python, a dot for each level), "./clock", "openai" (TypeScript)
    name: str | None


class Import(NamedTuple):
    """`import a`, `from a import b`, `import {b} from "a"`, `const {b} = require("a")`; `export … from` is one, too."""

    span: Span
    names: tuple[Imported, ...]


Statement = Assign | Return | Do | Branch | Loop | Leave | Outer | Define | Type | Import


class Module(NamedTuple):
    """One source file, translated."""

    path: str  # as given, with `/`
    text: str
    language: Language
    body: tuple[Statement, ...]
    chars: Callable[[Span], tuple[int, int]]  # characters start:end of a span
    comments: Callable[[], tuple[tuple[int, int], ...]]  # characters start:end of each comment, in order
