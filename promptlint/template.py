"""A template as its author wrote it: literal text and holes in the order in which they are printed."""

from typing import Literal, NamedTuple

Filler = Literal["argument", "call", "loop", "set", "block"]
"""Who fills a hole: the caller, a function that the template calls, the variable of a loop, a value that the template
sets itself, or a whole region that a macro or a filter makes."""
When = Literal["always", "maybe", "repeated"]
"""Whether a part is printed by each rendering: "maybe" inside a condition, "repeated" inside a loop."""


class SourceRange(NamedTuple):
    """Characters `start:end` (half-open) of one of the files of a template."""

    file: int  # index into `Template.files`
    start: int
    end: int


class TemplateFile(NamedTuple):
    """One file of a template: the first is the one that was named, the others are those that it brings in."""

    path: str  # as given, with `/`
    text: str


class Call(NamedTuple):
    """A function, method or filter whose answer is printed."""

    name: str  # dotted, as written: "now", "strftime_now", "datetime.utcnow", "flags.items"; of a filter "|random"
    range: SourceRange  # from the name to the closing bracket, with methods called on the answer: now().strftime("%H")
    format: str | None  # the strftime format of the answer, if a constant one is given


class Text(NamedTuple):
    """Literal text."""

    range: SourceRange  # as it stands in the file
    text: str  # as it is printed: white-space control is done, line ends are LF
    when: When
    inside: SourceRange | None = None  # the `{{ ... }}` whose string constant it is; then `range` lies in its quotes


class Hole(NamedTuple):
    """A place at which a value is printed. Without names and calls it prints the same each time.

    `{{ "a" ~ b ~ c }}` is a text and two holes with the range of the whole.
    """

    range: SourceRange  # the whole of `{{ ... }}`
    expression: SourceRange  # what stands inside, or that operand of it
    filler: Filler
    names: tuple[str, ...]  # arguments that it depends on, also through `set`, loops and macros: "user", "user.name"
    calls: tuple[Call, ...]  # also those that reach it through `set` or the arguments of a macro
    when: When


class Loop(NamedTuple):
    """A loop that prints something."""

    range: SourceRange  # of the expression that it runs over
    over: str  # that expression, as written
    names: tuple[str, ...]  # arguments in it
    ordered: bool  # False: a set, the items of a mapping and the like, in no order that the template fixes
    first: int  # parts `first:last` (half-open) that it prints
    last: int
    calls: tuple[Call, ...] = ()  # in it


class Condition(NamedTuple):
    """A condition that decides whether parts are printed."""

    range: SourceRange  # the expression
    names: tuple[str, ...]  # arguments that it depends on
    calls: tuple[Call, ...]
    first: int  # parts `first:last` (half-open) that it decides on, those of later branches included
    last: int


BREAKPOINT = r"(?s)\s*promptlint:\s*breakpoint(?:\s+ttl=([0-9]{1,9}[smhd]))?(?:\s+--.*)?\s*"
"""What stands in a comment that is a breakpoint; the group is its lifetime."""


class Breakpoint(NamedTuple):
    """A comment `promptlint: breakpoint`: here the cached part ends."""

    range: SourceRange
    ttl: str | None
    part: int  # parts ahead of it


class Turn(NamedTuple):
    """What begins a message of a chat that a template writes out: `{{role "system"}}`, a line `system:`."""

    role: str
    range: SourceRange
    part: int  # parts that begin ahead of it


class Template(NamedTuple):
    """What is known of a template without rendering it."""

    name: str
    language: str  # "jinja", or a key of data/template_languages.yaml
    files: tuple[TemplateFile, ...]
    parts: tuple[Text | Hole, ...]
    loops: tuple[Loop, ...]
    breakpoints: tuple[Breakpoint, ...]
    arguments: tuple[str, ...]  # names that the caller must or may give, in the order of their first use
    is_chat: bool  # it goes through `messages` and prints their roles
    notes: tuple[str, ...]  # what was not followed, such as an include that is not there
    conditions: tuple[Condition, ...] = ()
    comments: tuple[SourceRange, ...] = ()  # `{# ... #}` of all files
    tags: tuple[SourceRange, ...] = ()  # `{% ... %}` of all files
    missing: tuple[str, ...] = ()  # names of templates that it would bring in, were they there
    turns: tuple[Turn, ...] = ()  # messages that it writes out, where it says so
