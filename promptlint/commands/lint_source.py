"""A source file -> what rules look at: the values that reach prompts through it."""

from collections.abc import Iterator
from importlib.util import find_spec

from promptlint.commands.lint_files import How, Linted
from promptlint.commands.lint_findings import in_files
from promptlint.commands.lint_suppressed import Commented
from promptlint.lint.flow.flows import Source, read_source
from promptlint.lint.flow.project import TYPESCRIPT
from promptlint.lint.run import hits
from promptlint.lint.subject import SourceSubject
from promptlint.prompt import Document
from promptlint.read.names import shown

_LONGEST = 2_000_000  # characters: more is made by a machine
_MINIFIED = 5_000  # characters of a line that nobody writes


def lint_source(document: Document, how: How) -> Linted:
    """The findings of a source file; some may lie in others of its project. Raises PromptlintError if it cannot be parsed."""
    what = "TypeScript" if document.path.endswith(TYPESCRIPT) else "Python"
    source = None if is_made_by_machine(document.text) else read_source(document)
    if source is None:
        comments = (Commented(document, ()),) if "promptlint:" in document.text else ()
        return Linted(document.path, f"{what} source", ran=("source",), comments=comments)
    subject = SourceSubject(source, how.vocabulary.count)
    told = in_files(hits(how.rules, subject), source.documents)
    notes = () if source.complete else (f"{shown(document.path)}: too much code to follow all of it",)
    return Linted(
        document.path,
        f"{what} source",
        tuple(told),
        notes,
        files=source.looked_for,
        ran=("source",),
        comments=tuple(_commented(source)),
    )


def is_made_by_machine(text: str) -> bool:
    """Whether a text is bundled or minified code."""
    if len(text) > _LONGEST:
        return True
    head = text[:200_000]
    return len(head) > _MINIFIED and max(map(len, head.splitlines())) > _MINIFIED and head.count("\n") < len(head) / 500


def has_typescript() -> bool:
    """Whether the extra that reads TypeScript is installed."""
    return all(find_spec(name) is not None for name in ("tree_sitter", "tree_sitter_typescript"))


def _commented(source: Source) -> Iterator[Commented]:
    """Each file with a comment that is for promptlint, and its comments."""
    for module, document in zip(source.modules, source.documents, strict=True):
        if "promptlint:" in document.text:
            yield Commented(document, module.comments())


