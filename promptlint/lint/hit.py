"""What a rule says: where, and the words of its message. Everything else is the engine's."""

from collections.abc import Mapping
from typing import NamedTuple

from promptlint.finding import Certainty, Severity
from promptlint.prompt import AtomKind, Location, Path
from promptlint.template import SourceRange


class Place(NamedTuple):
    """Characters `start:end` of a decoded value (or key) of the document; with an empty path, of its whole text."""

    path: Path
    start: int = 0
    end: int = 0
    atom: AtomKind = "value"


class Hit(NamedTuple):
    """One fault. `at` and `related`: places of a document, ranges of a template's files, or known places in files."""

    at: "Place | SourceRange | Location"
    values: Mapping[str, str | int] = {}  # the words `{name}` of the rule's message
    related: "tuple[Place | SourceRange | Location, ...]" = ()
    lost_tokens: int | None = None  # that each request computes anew, if the rule can tell
    message: str | None = None  # instead of the rule's, where another stage has worded it
    fix: str | None = None  # instead of the rule's
    severity: Severity | None = None  # instead of the rule's
    confidence: Certainty | None = None  # instead of the rule's
    cause: str | None = None  # instead of the rule's
