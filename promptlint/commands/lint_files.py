"""One file -> findings: what is in it is recognised by content, and goes to the rules of its scope."""

from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from promptlint.commands.lint_findings import in_document
from promptlint.commands.options import Options
from promptlint.errors import PromptlintError
from promptlint.finding import Finding
from promptlint.lint.rule import Rule
from promptlint.lint.run import hits
from promptlint.lint.subject import RequestSubject, TemplateSubject
from promptlint.lint_facts import Suggestion
from promptlint.load import value_of_document
from promptlint.prompt import Document, Json
from promptlint.read.sources import read

if TYPE_CHECKING:
    from promptlint.render.template.process import Renderer

TEMPLATES = (".j2", ".jinja", ".jinja2")


class How(NamedTuple):
    """How files are linted."""

    rules: tuple[Rule, ...]
    options: Options
    variables: dict[str, str]  # a template's variable -> how often it changes
    renderer: "Renderer | None"  # None: templates are not rendered
    now: datetime
    suggest: bool = False  # work out another order of each template


class Subject(NamedTuple):
    """What the rules of one scope look at, and the document (a record of a log, a whole file) that holds it."""

    subject: RequestSubject | TemplateSubject
    document: Document


class Linted(NamedTuple):
    """What one file gave."""

    path: str
    what: str  # "request", "3 requests", "template", ...; "" where nothing known is in it
    findings: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = ()
    reason: str = ""  # why nothing was linted
    comments: tuple[tuple[int, int], ...] = ()  # characters of the host's comments, for suppressions
    files: tuple[str, ...] = ()  # that were read besides, such as included templates
    suggestions: tuple[Suggestion, ...] = ()


def lint_file(path: str, how: How) -> Linted:
    """The findings of one file. Raises PromptlintError if it cannot be read."""
    document = read(path)
    if _is_template(document):
        from promptlint.commands.lint_template import lint_template

        return lint_template(document, (), None, how)
    if document.syntax == "json" and '"chat_template"' in document.text:
        found = _chat_templates(document, how)
        if found is not None:
            return found
    return _requests(document, how)


def _is_template(document: Document) -> bool:
    if document.path.endswith(TEMPLATES):
        return True
    known = document.path.endswith((".json", ".jsonl", ".ndjson", ".yaml", ".yml", ".har"))
    return not known and any(sign in document.text for sign in ("{{", "{%"))


def _chat_templates(document: Document, how: How) -> Linted | None:
    """The templates in a model's configuration; None where it holds none."""
    from promptlint.commands.lint_template import lint_template
    from promptlint.render.chat_template import templates_in

    done = [lint_template(document, found.path, found.name, how) for found in templates_in(document)]
    if not done:
        return None
    what = "chat template" if len(done) == 1 else f"{len(done)} chat templates"
    findings = tuple(finding for one in done for finding in one.findings)
    return Linted(document.path, what, findings, tuple(note for one in done for note in one.notes))


def _requests(document: Document, how: How) -> Linted:
    """Each request of a document by itself."""
    findings: list[Finding] = []
    value: Json = None
    held: Document | None = None
    count = 0
    failures: list[PromptlintError] = []
    try:
        for subject, here in _request_subjects(document, how, failures):
            count += 1
            if held is None or here.text is not held.text:
                held = here
                value = held.text if subject.request.format == "text" else value_of_document(held)
            findings += in_document(hits(how.rules, subject), held, value, subject.request.ends)
    except PromptlintError as error:
        return Linted(document.path, "", reason=str(error))
    notes = (f"{document.path}: {len(failures)} records hold no request and were left out",) if failures else ()
    return Linted(document.path, _what(count, document), tuple(findings), notes)


def subjects(document: Document, how: How) -> Iterator[Subject]:
    """What rules look at in a file. Raises PromptlintError if nothing known is in it."""
    if _is_template(document):
        from promptlint.commands.lint_template import template_subject

        yield Subject(template_subject(document, (), None, how), document)
        return
    for subject, held in _request_subjects(document, how, []):
        yield Subject(subject, held)


def _request_subjects(
    document: Document, how: How, failures: list[PromptlintError]
) -> Iterator[tuple[RequestSubject, Document]]:
    """The requests that can be read; why the others cannot is added to `failures`."""
    from promptlint.commands.lint_request import subject_of
    from promptlint.load.several import requests

    for request in requests(document):
        if isinstance(request, PromptlintError):
            failures.append(request)
            continue
        subject = subject_of(request, how.options)
        if subject is not None:
            yield subject, request.document


def _what(count: int, document: Document) -> str:
    return "request" if count == 1 else f"{count} requests"
