"""What a command returns: a Report of findings, tables and one body. The report writers know nothing else."""

from typing import TYPE_CHECKING, Literal, NamedTuple

from promptlint.prompt import AtomKind, Location
from promptlint.side import Certainty as Certainty
from promptlint.side import Side as Side

if TYPE_CHECKING:
    from promptlint.check_facts import CheckFacts
    from promptlint.confirm_facts import ConfirmFacts
    from promptlint.key_facts import KeyFacts, KeyParting
    from promptlint.lint_facts import LintFacts
    from promptlint.model_facts import ModelFacts
    from promptlint.vary_facts import VaryFacts

Severity = Literal["error", "warning", "info"]
Affects = Literal["prefix", "suffix", "key", "nothing"]
Unit = Literal["token", "step", "block", "message", "marker"]
ChangeLevel = Literal["tools", "system", "messages", "settings"]
Verdict = Literal[
    "same", "kept", "bust", "refused", "wrong_reuse", "unknown", "pass", "fail",
    "confirmed", "contradicted", "not_shown",
]  # fmt: skip


class Place(NamedTuple):
    """One side of a change. `char` and `byte` count from 0 inside the decoded value (or key)."""

    path: str  # file, as given
    revision: str | None
    record: int | None  # what `#N` named
    pointer: str | tuple[str, ...]  # RFC 6901; several where a string that holds JSON is entered
    atom: AtomKind
    line: int
    column: int
    start: int  # source bytes of the differing stretch, half-open
    end: int
    char: int
    byte: int
    excerpt: str | None  # decoded text around the place, untrusted; None where this side has nothing
    mark: tuple[int, int]  # the differing characters inside `excerpt`


class TemplateLine(NamedTuple):
    """The line of a template that printed the text at a change."""

    path: str  # of the file that holds the template
    pointer: str | tuple[str, ...]  # of its text inside a JSON file, else ""
    name: str | None  # where a model has several
    line: int  # of the template's own text, from 1, as is `column`
    column: int | None  # None where an expression printed it
    excerpt: str  # that line, untrusted


class Change(NamedTuple):
    """One divergence with its meaning."""

    cause: str  # a label of data/causes.yaml
    message: str
    level: ChangeLevel
    certainty: Certainty
    affects: Affects
    severity: Severity
    a: Place
    b: Place
    within: str | tuple[str, ...]  # pointer of the smallest value that explains it: in B, or in A where B has nothing
    also: tuple[str | tuple[str, ...], ...]  # pointers (side B) of further places with the same cause
    shared_bytes: int | None  # bytes of prompt that are equal before this change
    shared_tokens: int | None
    alone_tokens: int | None  # shared tokens if this were the only change
    after_fix_tokens: int | None  # shared tokens when this and all earlier changes are undone
    fix: str
    lost_tokens: int | None = None  # of what the first request cached, if this were the only change
    template_a: TemplateLine | None = None  # where a template made the prompts
    template_b: TemplateLine | None = None


class Boundary(NamedTuple):
    """Where two prompts stop being equal, and what that leaves."""

    shared_bytes: int | None  # None: token ids without a vocabulary
    shared_tokens: int | None  # None: not counted
    usable_tokens: int | None
    lost_tokens: int | None
    lost_usd: str | None  # decimal; None: no price is known, or nothing is lost or counted
    unit: Unit
    exact: bool
    band: str  # how far off the counts may be, "" where they are exact
    why: str  # one sentence: what the cache can reuse and why not more
    token_note: str  # why the first differing token begins before the first differing byte, or ""
    shared_blocks: int | None = None  # with a block size
    price: str = ""  # which prices `lost_usd` rests on and from when, or why there are none; "" if nothing is lost


class Diff(NamedTuple):
    """The body of one comparison."""

    verdict: Verdict
    a: Side
    b: Side
    boundary: Boundary
    changes: tuple[Change, ...]


class Finding(NamedTuple):
    """Something that a user should look at."""

    rule: str
    severity: Severity
    confidence: Certainty
    message: str
    location: Location
    pointer: str | tuple[str, ...]
    related: tuple[Location, ...]
    lost_tokens: int | None
    lost_usd: str | None  # of these tokens, at the prices of the boundary
    fix: str
    cause: str = ""  # a label of data/causes.yaml, where the rule is none itself
    end_line: int = 0  # behind the last character, from 1; 0: not known
    end_column: int = 0
    excerpt: str | None = None  # the source line of the location, untrusted
    mark: tuple[int, int] = (0, 0)  # the characters of it that the finding is about
    fingerprint: str = ""  # of rule, file and text, but not of the line: it stays when lines move


class Table(NamedTuple):
    """Rows under columns; `columns` are names with their unit, such as `read_tokens`."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str | int | None, ...], ...]


class Vocabulary(NamedTuple):
    """One vocabulary that `promptlint tokenizers` knows."""

    name: str  # what --tokenizer takes
    kind: str
    tokens: int
    sha256: str
    cuts: bool  # a part of a text can be tokenized alone
    models: str  # for which it is exact, or ""
    source: str  # who says so, or ""
    place: str | None  # the file, "built in", or None: it is not on this machine
    get: str  # how to get it then, or ""


class Report(NamedTuple):
    """What every command returns."""

    command: str
    verdict: Verdict | None
    findings: tuple[Finding, ...] = ()
    tables: tuple[Table, ...] = ()
    notes: tuple[str, ...] = ()
    diffs: tuple[Diff, ...] = ()  # one for two files, one for each pair of two folders
    folders: bool = False  # the inputs were two folders
    vocabularies: tuple[Vocabulary, ...] = ()
    models: "tuple[ModelFacts, ...]" = ()
    one_model: bool = False  # a name was given
    keys: "tuple[KeyFacts, ...]" = ()  # of one request, or of two
    parting: "KeyParting | None" = None  # of two
    varied: "VaryFacts | None" = None
    lint: "LintFacts | None" = None
    check: "CheckFacts | None" = None
    confirm: "ConfirmFacts | None" = None
