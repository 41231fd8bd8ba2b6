"""A file that holds prompts -> their templates, and where the text of each stands."""

import os
import re
from collections.abc import Iterator
from typing import NamedTuple

from promptlint.errors import PromptlintError
from promptlint.load import front_matter
from promptlint.load.delimited import read_delimited
from promptlint.load.delimited.languages import Language, language, named_so
from promptlint.load.delimited.scan import Fault, located
from promptlint.load.jinja import read_template
from promptlint.load.placed import chained, shifted
from promptlint.load.prompt_files import baml, semantic_kernel
from promptlint.load.prompt_files.found import Stored, StoredText, text_at
from promptlint.load.turns import with_turns
from promptlint.prompt import Document, Json, Path
from promptlint.read.names import shown
from promptlint.template import Hole, SourceRange, Template, TemplateFile

_JINJA_TAG = "{%"
_HANDLEBARS = re.compile(r"\{\{~?(?:#(?:if|each|unless|with)\s|/(?:if|each|unless|with)~?\}\}|>\s*\w)")


class Placed(NamedTuple):
    """A template, and at which path of the document each of its first files stands; (): it is the whole file."""

    template: Template
    paths: tuple[Path, ...] = ((),)


def is_known(path: str, text: str) -> bool:
    """Whether a file tells, by its name or by tags that only Handlebars has, in which language its prompts are."""
    return path.lower().endswith((".prompty", ".baml")) or named_so(path) is not None or _is_handlebars(text)


def _is_handlebars(text: str) -> bool:
    return _HANDLEBARS.search(text) is not None and _JINJA_TAG not in text


def of_file(document: Document) -> list[Placed]:
    """The prompts of a file that is known.

    Raises PromptlintError, with line and column, for what cannot be read.
    """
    path, text = document.path, document.text
    if path.lower().endswith(".baml"):
        return list(_baml(document))
    if path.lower().endswith(".prompty"):
        return [Placed(_prompty(document))]
    row = named_so(path) or language("handlebars")
    lenient = row.name in ("editor-prompt", "text")  # editors and agents take what is not quite YAML
    matter = front_matter.split(document, lenient=lenient) if _may_have_front_matter(row) else None
    begin = 0 if matter is None else matter.body
    name = row.name
    if name == "semantic-kernel":
        name = _beside(path)
    elif name == "dotprompt" and _JINJA_TAG in text:
        name = "jinja"  # other tools write Jinja into files of this name
    template = _read(path, text, name, begin, _roots(path))
    return [Placed(_noted(template, document, matter))]


def _may_have_front_matter(row: Language) -> bool:
    return row.name in ("dotprompt", "editor-prompt", "text") or row.grammar in ("handlebars", "liquid")


def _read(path: str, text: str, name: str, begin: int, roots: tuple[str, ...]) -> Template:
    """The template in `text[begin:]`."""
    if name != "jinja":
        template = read_delimited(path, text, name, begin)
    elif begin:
        # The lines ahead are kept, so that an error names the right one.
        lines = "\n" * text.count("\n", 0, begin)
        template = shifted(read_template(path, lines + text[begin:], roots), text, begin - len(lines))
        template = _without(template, begin)
    else:
        template = read_template(path, text, roots)
    return with_turns(template, "message-tags", begin, len(text)) if name != "text" else template


def _without(template: Template, begin: int) -> Template:
    """Line feeds that only stood for what is ahead of a body are no part of its first text."""
    first = next(iter(template.parts), None)
    if first is None or isinstance(first, Hole) or first.range.file or first.range.start >= begin:
        return template
    cut = begin - first.range.start
    if first.range.end > begin:
        at = first.range._replace(start=begin)
        return template._replace(parts=(first._replace(range=at, text=first.text[cut:]), *template.parts[1:]))

    def place(part: int) -> int:
        return max(part - 1, 0)

    return template._replace(
        parts=template.parts[1:],
        loops=tuple(row._replace(first=place(row.first), last=place(row.last)) for row in template.loops),
        conditions=tuple(row._replace(first=place(row.first), last=place(row.last)) for row in template.conditions),
        breakpoints=tuple(mark._replace(part=place(mark.part)) for mark in template.breakpoints),
    )


def _roots(path: str) -> tuple[str, ...]:
    return () if path == "-" else (os.path.dirname(path) or ".",)


def _noted(template: Template, document: Document, matter: front_matter.FrontMatter | None) -> Template:
    """With a note for each file that the front matter names."""
    if matter is None:
        return template
    notes = [
        f"{document.path}:{document.text.count(chr(10), 0, place) + 1}: {name!r} is not followed"
        for place, name in front_matter.references(document.text, matter.begin, matter.end)
    ]
    return template._replace(notes=(*template.notes, *notes))


def _prompty(document: Document) -> Template:
    matter = front_matter.split(document)
    begin = 0 if matter is None else matter.body
    name = "jinja" if matter is None else front_matter.language_of(matter.value)
    if name is None:
        raise PromptlintError(
            f"{shown(document.path)}: the language of its template is not known", "jinja2 and mustache are read"
        )
    template = _read(document.path, document.text, name, begin, _roots(document.path))
    return _noted(with_turns(template, "prompty", begin, len(document.text)), document, matter)


def _baml(document: Document) -> Iterator[Placed]:
    text = document.text
    try:
        found = list(baml.blocks(text))
        comments = tuple(SourceRange(0, start, end) for start, end in baml.comments(text))
    except Fault as fault:
        raise located(document.path, text, fault) from None
    for number, block in enumerate(found):
        lines = "\n" * text.count("\n", 0, block.start)
        template = read_template(document.path, lines + text[block.start : block.end], ())
        template = _without(shifted(template, text, block.start - len(lines)), block.start)
        template = with_turns(template, "baml", block.start, block.end)
        yield Placed(template if number else template._replace(comments=(*template.comments, *comments)))


def _beside(path: str) -> str:
    """The language that the `config.json` beside a `skprompt.txt` tells."""
    from promptlint.load import value_of_document
    from promptlint.read.sources import read

    config = os.path.join(os.path.dirname(path), "config.json")
    if not os.path.isfile(config):
        return "semantic-kernel"
    try:
        return semantic_kernel.language_beside(value_of_document(read(config, max_bytes=1 << 20)))
    except PromptlintError:
        return "semantic-kernel"


def of_stored(document: Document, value: Json, stored: Stored) -> tuple[Placed | None, list[str]]:
    """A prompt of a document as one template over all its texts; and why some of them are not read."""
    done: list[tuple[str | None, Template, bool]] = []
    paths: list[Path] = []
    failed = [f"{document.path}: {note}" for note in stored.notes]
    for text in stored.texts:
        written = text_at(value, *(step for step in text.path if step is not None))
        if written is None:
            continue
        try:
            template = _stored(document.path, written, text)
        except PromptlintError as error:
            where = "/".join(map(str, text.path))
            failed.append(f"{document.path}: {where} is left out: {error.message.removeprefix(f'{document.path}:')}")
            continue
        done.append((text.role, template, text.marked))
        paths.append(text.path)
    if not done:
        return None, failed
    return Placed(chained(document.path, stored.texts[0].language, done), tuple(paths)), failed


def _stored(path: str, written: str, text: StoredText) -> Template:
    if text.is_name:
        whole = SourceRange(0, 0, len(written))
        hole = Hole(whole, whole, "argument", (written,), (), "repeated")
        empty = read_delimited(path, "", "text")
        return empty._replace(files=(TemplateFile(path, written),), parts=(hole,), arguments=(written,))
    template = _read(path, written, text.language, 0, ())
    if text.turns:
        template = with_turns(template, text.turns, 0, len(written)) if not template.turns else template
    if text.repeated:
        template = template._replace(parts=tuple(part._replace(when="repeated") for part in template.parts))
    return template
