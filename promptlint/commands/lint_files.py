"""One file -> findings: what is in it is recognised by content, and goes to the rules of its scope."""

import os
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from promptlint.commands.lint_findings import Told, in_document, in_files
from promptlint.commands.options import Options
from promptlint.errors import PromptlintError
from promptlint.finding import Finding
from promptlint.lint.rule import Rule, of_scope
from promptlint.lint.run import hits
from promptlint.lint_facts import Suggestion
from promptlint.load import value_of_document
from promptlint.prompt import Document, Json, Path, Request
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

    done = [lint_template(document, path, name, how) for path, name in templates_in(document)]
    if not done:
        return None
    what = "chat template" if len(done) == 1 else f"{len(done)} chat templates"
    findings = tuple(finding for one in done for finding in one.findings)
    return Linted(document.path, what, findings, tuple(note for one in done for note in one.notes))


def _requests(document: Document, how: How) -> Linted:
    """Each request of a document, and each pair of requests of which one follows the other."""
    from promptlint.load.several import requests

    findings: list[Finding] = []
    notes: list[str] = []
    count, failed = 0, 0
    value: Json = None
    try:
        found = requests(document)
        for request in found:
            if isinstance(request, PromptlintError):
                failed += 1
                continue
            count += 1
            if value is None or request.document.text is not document.text:
                value = document.text if request.format == "text" else value_of_document(request.document)
            findings += _request(request, value, how)
    except PromptlintError as error:
        return Linted(document.path, "", reason=str(error))
    if failed:
        notes.append(f"{failed} records hold no request and were left out")
    return Linted(document.path, _what(count, document), tuple(findings), tuple(notes))


def _request(request: Request, value: Json, how: How) -> list[Finding]:
    from promptlint.commands.lint_request import subject_of

    subject = subject_of(request, how.options)
    if subject is None:
        return []
    return in_document(hits(of_scope(how.rules, "request"), subject), request.document, value, request.ends)


def _what(count: int, document: Document) -> str:
    return "request" if count == 1 else f"{count} requests"
