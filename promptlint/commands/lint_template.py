"""A template -> what rules look at: its parts, and what rendering it shows."""

import os
from collections.abc import Callable, Iterator
from functools import cache, partial
from itertools import accumulate

from promptlint.commands.lint_files import How, Linted
from promptlint.commands.lint_findings import in_files
from promptlint.commands.lint_rendering import notes, rendered, tables
from promptlint.commands.lint_suppressed import Commented
from promptlint.errors import PromptlintError
from promptlint.lint.run import hits
from promptlint.lint.subject import TemplateSubject
from promptlint.lint_facts import Suggestion
from promptlint.load import value_of_document
from promptlint.prompt import Document, Path, TemplateSource
from promptlint.read.descend import descend
from promptlint.read.names import shown
from promptlint.read.sources import read
from promptlint.template import Template, Text

_LONGEST = 2_500_000  # characters: of more, the memory of a small machine would not do


def lint_template(document: Document, path: Path, name: str | None, how: How) -> Linted:
    """The findings of a template in a file of its own, or at `path` of a JSON document."""
    subject = template_subject(document, path, name, how)
    template = subject.template
    documents = (document, *(read(file.path) for file in template.files[1:]))
    findings = in_files(hits(how.rules, subject), documents, path)
    shown = subject.rendered() if any(rule.rendered for rule in how.rules) else None
    return Linted(
        document.path,
        "chat template" if template.is_chat else "template",
        tuple(findings),
        (
            *template.notes,
            *(() if shown is None else notes(document.path, shown)),
        ),
        rendered=() if shown is None else tables(shown, documents, path, how.variables),
        files=tuple(file.path for file in template.files[1:]),
        suggestions=tuple(_suggested(subject, document, path)) if how.suggest else (),
        ran=("template",),
        keeps=not (template.notes or template.missing) and (shown is None or not shown.untried),
        comments=() if path else tuple(_commented(template, documents)),
    )


def _suggested(subject: TemplateSubject, document: Document, path: Path) -> Iterator[Suggestion]:
    """Another order of a template in a file of its own."""
    from promptlint.lint.order import suggest

    found = None if path else suggest(subject, document.path)
    if found is not None:
        yield found


def _commented(template: Template, documents: tuple[Document, ...]) -> Iterator[Commented]:
    """Each file of a template with its comments."""
    for number, document in enumerate(documents):
        ranges = tuple(sorted((one.start, one.end) for one in template.comments if one.file == number))
        yield Commented(document, ranges)


def template_subject(document: Document, path: Path, name: str | None, how: How) -> TemplateSubject:
    """Raises PromptlintError for a template that does not parse."""
    from promptlint.load.jinja import read_template

    text = document.text if not path else str(descend(value_of_document(document), path))
    if len(text) > _LONGEST:
        raise PromptlintError(
            f"{shown(document.path)}: {len(text):,} characters are too many for a template", "split it, or exclude it"
        )
    roots = () if path or document.path == "-" else (os.path.dirname(document.path) or ".",)
    template = read_template(name or document.path, text, roots)
    count = how.vocabulary.count
    source = TemplateSource(document, path, name, text)
    return TemplateSubject(
        template,
        how.variables,
        count,
        cache(partial(fixed_tokens, template, count)),
        rendered(template, source, roots, how.renderer, now=how.now, count=count),
    )


def fixed_tokens(template: Template, count: Callable[[str], int]) -> list[int]:
    """Tokens of the text that each rendering prints: ahead of each part, and of all parts."""
    sizes = (count(part.text) if isinstance(part, Text) and part.when == "always" else 0 for part in template.parts)
    return list(accumulate(sizes, initial=0))
