"""One file -> findings: what is in it is recognised by content, and goes to the rules of its scope."""

import os
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from promptlint.commands.lint_suppressed import Commented, answered
from promptlint.commands.options import Options
from promptlint.config import Stability
from promptlint.finding import Finding
from promptlint.lint.rule import Rule, Scope
from promptlint.lint.subject import RequestSubject, TemplateSubject
from promptlint.lint_facts import RenderedTemplate, Suggestion, Suppressed
from promptlint.prompt import Document
from promptlint.read.sources import read
from promptlint.tokens import Tokenizer

if TYPE_CHECKING:
    from promptlint.commands.lint_rendering import Stages

_OTHER_ENDS = (
    ".html", ".htm", ".yaml", ".yml", ".toml", ".ini", ".cfg", ".conf", ".env", ".properties", ".service", ".timer",
    ".tf", ".sql", ".sh", ".bash", ".ps1", ".py", ".rs", ".go", ".js", ".ts", ".css", ".scss", ".c", ".h", ".cpp",
    ".java", ".rb", ".rst", ".tex", ".csv", ".svg", "dockerfile", "makefile", "crontab",
)  # fmt: skip
_OTHER_NAMES = ("readme", "changelog", "license", "contributing", "nginx", "docker-compose")
_OTHER_HEADS = ("<!doctype", "<html", "#!", "<?xml", "from scratch", "apiversion:", "[unit]", "server {", "version: ")
SOURCES = (".py", ".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs")
TEMPLATES = (".j2", ".jinja", ".jinja2")
DATA = (".json", ".jsonl", ".ndjson", ".yaml", ".yml", ".har")
"""How names of files end, with what is in them."""


class How(NamedTuple):
    """How files are linted."""

    rules: tuple[Rule, ...]
    options: Options
    variables: Mapping[str, Stability]  # a template's variable -> how often it changes
    renderer: "Stages | None"  # None: templates are not rendered
    now: datetime
    suggest: bool = False  # work out another order of each template
    for_templates: Tokenizer | None = None  # the vocabulary of what templates are meant for, if it is another one
    answers: frozenset[str] = frozenset()  # of lint.suppressions.FAULTS: what is said of comments that answer findings
    known: frozenset[str] = frozenset()  # ids of all rules that there are

    @property
    def vocabulary(self) -> Tokenizer:
        """That of templates."""
        return self.for_templates or self.options.tokenizer


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
    files: tuple[str, ...] = ()  # that were read besides, such as included templates
    suggestions: tuple[Suggestion, ...] = ()
    suppressed: tuple[Suppressed, ...] = ()
    rendered: tuple[RenderedTemplate, ...] = ()  # what differential rendering has shown
    ran: tuple[Scope, ...] = ()  # the scopes of the rules that have looked at it
    comments: tuple[Commented, ...] = ()  # of each file that findings may be about; none once they have been heeded
    keeps: bool = True  # nothing that it depends on, such as an included template, was missing


def lint_file(path: str, how: How) -> Linted:
    """What is found in one file, without what its comments answer. Raises PromptlintError if it cannot be read."""
    if is_source(path) and os.path.isfile(path) and not os.path.getsize(path):
        return Linted(path, "empty source", ran=("source",))  # a package often has one
    found = linted(read(path), how)
    ran = [rule.id for rule in how.rules if rule.scope in found.ran]
    left, gone = answered(found.findings, found.comments, ran, how.known, how.answers)
    return found._replace(findings=tuple(left), suppressed=tuple(gone), comments=())


def linted(document: Document, how: How) -> Linted:
    """What is found in a document, its comments not yet heeded."""
    from promptlint.commands.lint_prompts import lint_prompts

    prompts = lint_prompts(document, how)
    if prompts is not None:
        return prompts
    if is_source(document.path):
        from promptlint.commands.lint_source import lint_source

        return lint_source(document, how)
    if _is_template(document):
        from promptlint.commands.lint_template import lint_template

        return lint_template(document, (), None, how)
    if document.syntax == "json" and '"chat_template"' in document.text:
        found = _chat_templates(document, how)
        if found is not None:
            return _joined(found, _as_requests(document, how))
    return _as_requests(document, how)


def _as_requests(document: Document, how: How) -> Linted:
    from promptlint.commands.lint_requests import lint_requests

    return lint_requests(document, how)


def _joined(templates: Linted, requests: Linted) -> Linted:
    """A request may bring its chat template along; a model's configuration is no request."""
    if not requests.what:
        return templates
    return requests._replace(
        what=f"{requests.what}, {templates.what}",
        findings=(*requests.findings, *templates.findings),
        notes=(*requests.notes, *templates.notes),
        rendered=templates.rendered,
        ran=(*requests.ran, *templates.ran),
        keeps=templates.keeps,
    )


def is_template(path: str) -> bool:
    """Whether a file says by its name that it is a template."""
    return path.endswith(TEMPLATES)


def is_source(path: str) -> bool:
    """Whether a file says by its name that it is Python or TypeScript."""
    return path.endswith(SOURCES) and not path.endswith(".d.ts")


def is_for_something_else(path: str, head: str) -> bool:
    """Whether a template, by its name or its first characters, makes a page, a configuration or a script."""
    name = path.replace(os.sep, "/").rpartition("/")[2].lower()
    inner = name.rpartition(".")[0]
    if inner.endswith(_OTHER_ENDS) or inner.startswith(_OTHER_NAMES):
        return True
    head = head.lstrip("\ufeff \t\r\n").lower()
    return head.startswith(_OTHER_HEADS) or "ansible_managed" in head


def _is_template(document: Document) -> bool:
    if is_template(document.path):
        return True
    return not document.path.endswith(DATA) and any(sign in document.text for sign in ("{{", "{%"))


def _chat_templates(document: Document, how: How) -> Linted | None:
    """The templates in a model's configuration; None where it holds none."""
    from promptlint.commands.lint_template import lint_template
    from promptlint.render.chat_template import templates_in

    done = [lint_template(document, found.path, found.name, how) for found in templates_in(document)]
    if not done:
        return None
    what = "chat template" if len(done) == 1 else f"{len(done)} chat templates"
    findings = tuple(finding for one in done for finding in one.findings)
    return Linted(
        document.path,
        what,
        findings,
        tuple(note for one in done for note in one.notes),
        rendered=tuple(shown for one in done for shown in one.rendered),
        ran=("template",),
        keeps=all(one.keeps for one in done),
    )


def subjects(document: Document, how: How) -> Iterator[Subject]:
    """What rules look at, and fixes edit, in a file. Raises PromptlintError if nothing known is in it."""
    from promptlint.commands.lint_prompts import is_file_of_prompts

    if is_file_of_prompts(document):
        return  # fixes are written in Jinja
    if _is_template(document):
        from promptlint.commands.lint_template import template_subject

        yield Subject(template_subject(document, (), None, how), document)
        return
    from promptlint.commands.lint_requests import request_subjects

    for subject, held in request_subjects(document, how, []):
        yield Subject(subject, held)
