"""What `promptlint lint` returns beside its findings, as the report writers know it."""

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from promptlint.finding import Finding


class RuleFacts(NamedTuple):
    """One rule, as a catalogue shows it."""

    id: str
    cause: str  # a label of data/causes.yaml
    summary: str
    severity: str
    confidence: str
    scope: str
    since: str
    why: str
    fix: str
    references: tuple[str, ...]


class CheckedFile(NamedTuple):
    """A file that was looked at."""

    path: str  # as given, with `/`
    what: str  # "request", "3 requests", "template", "chat template", "tool list", "text"


class Suppressed(NamedTuple):
    """A finding that its author has answered."""

    finding: "Finding"
    how: str  # "comment", "configuration", "baseline"
    reason: str


class Suggestion(NamedTuple):
    """A template in another order."""

    path: str
    text: str  # the whole template as it could be
    saved_tokens: int  # static tokens that more requests would share
    moved: tuple[str, ...]  # what was moved behind which line, a sentence each
    reader_note: str  # how to keep a value close to the question, or ""


class VariableEffect(NamedTuple):
    """Where a variable of a template first moves its text while all others stay, as renderings show it."""

    name: str  # "user_name"; of a function that answers with the time "now()"
    path: str  # of the file that prints that place, "" if it is not known
    line: int | None
    column: int | None
    shared_tokens: int  # ahead of it
    stranded_tokens: int  # of the template's own text behind it
    note: str = ""  # "declared stable"; or why no place is known: "no effect", or what the renderer said


class RenderedTemplate(NamedTuple):
    """What differential rendering has shown of a template."""

    path: str
    pointer: str | tuple[str, ...]  # of a template inside a JSON file, else ""
    variables: tuple[VariableEffect, ...]  # the one that moves the text first comes first


class FixFacts(NamedTuple):
    """What --fix did to a file, or would do."""

    path: str
    rules: tuple[str, ...]
    safe: bool  # the bytes of the prompt are the same
    proof: str  # one sentence: what the comparison of both texts has shown
    diff: str  # unified
    written: bool


class LintFacts(NamedTuple):
    """The body of `promptlint lint`."""

    files: tuple[CheckedFile, ...]
    skipped: tuple[tuple[str, str], ...]  # path and reason
    suppressed: tuple[Suppressed, ...]
    rules: tuple[RuleFacts, ...]  # those that ran
    fail_on: str  # "error", "warning", "info", "never"
    errors: tuple[str, ...] = ()  # explicit inputs that could not be read: one line each
    statistics: bool = False  # counts by rule instead of findings
    suggestions: tuple[Suggestion, ...] = ()
    fixes: tuple[FixFacts, ...] = ()
    rendered: tuple[RenderedTemplate, ...] = ()
    exact: bool = False  # lost tokens are counted as the models themselves count
