"""A source file -> what rules look at: the values that reach prompts through it."""

from collections.abc import Iterator
from contextlib import suppress

from promptlint.commands.lint_files import How, Linted
from promptlint.commands.lint_findings import in_files
from promptlint.commands.lint_suppressed import Commented
from promptlint.errors import PromptlintError
from promptlint.lint.flow.flows import Source, read_source
from promptlint.lint.flow.project import TYPESCRIPT, parse
from promptlint.lint.run import hits
from promptlint.lint.subject import SourceSubject
from promptlint.prompt import Document

CUT_OFF = "some sources hold more code than is followed: what reaches a prompt on long ways may be missed there"
MADE_BY_MACHINE = "bundled and minified sources, and those of more than two million characters, are not looked at"
_LONGEST = 2_000_000  # characters: more is made by a machine
_MINIFIED = 5_000  # characters of a line that nobody writes


def lint_source(document: Document, how: How) -> Linted:
    """The findings of a source file; some may lie in others of its project.

    Raises PromptlintError for what seems to put prompts together and cannot be parsed, and for such TypeScript without
    the extra that reads it.
    """
    what = "TypeScript" if document.path.endswith(TYPESCRIPT) else "Python"
    if is_made_by_machine(document.text):
        return Linted(document.path, f"{what} source", notes=(MADE_BY_MACHINE,), ran=("source",))
    source = read_source(document)
    if not source.modules:
        comments = tuple(_commented_alone(document))
        return Linted(document.path, f"{what} source", files=source.looked_for, ran=("source",), comments=comments)
    subject = SourceSubject(source, how.vocabulary.count)
    told = in_files(hits(how.rules, subject), source.documents)
    return Linted(
        document.path,
        f"{what} source",
        tuple(told),
        () if source.complete else (CUT_OFF,),
        files=source.looked_for,
        ran=("source",),
        comments=tuple(_commented(source)),
    )


def is_made_by_machine(text: str) -> bool:
    """Whether a text is bundled or minified code: mostly lines that nobody writes, full of signs."""
    if len(text) > _LONGEST:
        return True
    long = [line for line in text[:200_000].splitlines() if len(line) > _MINIFIED] if len(text) > _MINIFIED else []
    size = sum(map(len, long))
    return size > len(text[:200_000]) / 2 and sum(line.count(sign) for line in long for sign in "(){};,") > size / 20


def _commented(source: Source) -> Iterator[Commented]:
    """Each file with a comment that is for promptlint, and its comments."""
    for number, (module, document) in enumerate(zip(source.modules, source.documents, strict=True)):
        if "promptlint:" in document.text:
            yield Commented(document, module.comments(), is_prompt=False, may_serve_others=number > 0)


def _commented_alone(document: Document) -> Iterator[Commented]:
    """A file in which no prompt is put together, if it has such a comment; what cannot be parsed has none."""
    if "promptlint:" in document.text:
        with suppress(PromptlintError):
            module = parse(document.path, document.text)
            yield Commented(document, module.comments(), is_prompt=False, may_serve_others=True)
