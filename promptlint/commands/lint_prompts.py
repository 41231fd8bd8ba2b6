"""Files of prompts in other languages than Jinja, and documents that hold prompts -> findings."""

import os
from collections.abc import Iterator, Sequence
from functools import cache, partial

from promptlint.commands.lint_files import DATA, SOURCES, TEMPLATES, How, Linted
from promptlint.commands.lint_findings import in_files
from promptlint.commands.lint_suppressed import Commented
from promptlint.commands.lint_template import fixed_tokens
from promptlint.errors import PromptlintError
from promptlint.finding import Finding
from promptlint.lint.comments import Range, comments_of
from promptlint.lint.run import hits
from promptlint.lint.subject import TemplateSubject
from promptlint.load.prompt_files import Stored, prompts_in
from promptlint.load.prompt_files.reading import Placed, is_known, of_file, of_stored
from promptlint.prompt import Document
from promptlint.read.sources import read

_LONGEST = 2_500_000  # characters, as of a Jinja template
_DOCUMENTS = (".json", ".yaml", ".yml")
_SIGNS = ("_type", "constructor", "templateConfiguration", "template", "prompts")  # of a document with prompts
_MOST_FILES = 50  # that one document names


def lint_prompts(document: Document, how: How) -> Linted | None:
    """The findings of a file of prompts; None where it is none, and is to be looked at in other ways.

    Raises PromptlintError for a file that says by its name what it is, and cannot be read.
    """
    if document.path.lower().endswith(_DOCUMENTS):
        return _of_document(document, how)
    if not is_file_of_prompts(document):
        return None
    placed = of_file(document)
    findings = [finding for one in placed for finding in _findings(one, document, how)]
    return Linted(
        document.path,
        _what(placed),
        tuple(findings),
        tuple(note for one in placed for note in one.template.notes),
        files=tuple(file.path for one in placed for file in one.template.files[1:]),
        ran=("template",),
        keeps=not document.path.endswith("skprompt.txt")  # another file tells its language
        and not any(one.template.missing or one.template.notes for one in placed),
        comments=(*_commented(document, placed),),
    )


def is_file_of_prompts(document: Document) -> bool:
    """Whether a file holds nothing but prompts, and says so by its name or, if that says nothing, by its tags."""
    path = document.path
    if path.endswith((*TEMPLATES, *DATA, *SOURCES)) or len(document.text) > _LONGEST:
        return False
    return is_known(path, document.text)


def _what(placed: Sequence[Placed]) -> str:
    if len(placed) != 1:
        return f"{len(placed)} templates"
    return "text" if placed[0].template.language == "text" else "template"


def _findings(placed: Placed, document: Document, how: How) -> list[Finding]:
    """What the rules say of one template; it is not rendered."""
    template = placed.template
    count = how.vocabulary.count
    subject = TemplateSubject(template, how.variables, count, cache(partial(fixed_tokens, template, count)))
    own = len(placed.paths)
    documents = (*[document] * own, *(read(file.path) for file in template.files[own:]))
    return in_files(hits(how.rules, subject), documents, placed.paths[0], placed.paths[1:])


def _commented(document: Document, placed: Sequence[Placed]) -> Iterator[Commented]:
    """The comments of a file: those of its language, and of the text or the YAML around."""
    found: set[Range] = {
        (at.start, at.end) for one in placed for at in one.template.comments if at.file == 0 and one.paths[0] == ()
    }
    if placed and placed[0].template.language in ("text", "editor-prompt"):
        found |= {*comments_of(document.text, "text")}
    yield Commented(document, tuple(sorted(found)))


def _of_document(document: Document, how: How) -> Linted | None:
    if len(document.text) > _LONGEST or not any(sign in document.text for sign in _SIGNS):
        return None
    from promptlint.load import value_of_document

    try:
        value = value_of_document(document)
    except PromptlintError:
        return None  # what is wrong is said where requests are looked for
    found = prompts_in(value)
    if found is None:
        return None
    done = [of_stored(document, value, stored) for stored in found]
    placed = [one for one, _ in done if one is not None]
    followed = [linted for stored in found for linted in _followed(document, stored, how)]
    findings = [finding for one in placed for finding in _findings(one, document, how)]
    notes = [note for _, failed in done for note in failed]
    notes += [note for one in placed for note in one.template.notes]
    return Linted(
        document.path,
        _what(placed) if placed else "template list",
        (*findings, *(finding for linted in followed for finding in linted.findings)),
        tuple(dict.fromkeys((*notes, *(note for linted in followed for note in linted.notes)))),
        ran=("template",),
        keeps=False,  # what it names may change, or come
        comments=(Commented(document, comments_of(document.text, document.syntax)), *_comments(followed)),
    )


def _comments(followed: Sequence[Linted]) -> Iterator[Commented]:
    return (each for linted in followed for each in linted.comments)


def _followed(document: Document, stored: Stored, how: How) -> Iterator[Linted]:
    """The findings of files that a prompt names inside the folder of its document; no program text is among them."""
    from promptlint.commands.lint_files import linted

    folder = os.path.dirname(document.path) or "."
    for _, name in stored.files[:_MOST_FILES]:
        path = os.path.join(folder, name)
        inside = not os.path.isabs(name) and _is_inside(folder, path)
        if document.path == "-" or document.revision is not None or not inside or not os.path.isfile(path):
            yield Linted(document.path, "", notes=(f"{document.path}: {name!r} is not followed",))
            continue
        try:
            held = read(path.replace(os.sep, "/").removeprefix("./"))
            yield linted(held, how) if not _names_others(held) else Linted(held.path, "")
        except PromptlintError as error:
            yield Linted(document.path, "", notes=(f"{document.path}: {name!r} is left out: {error.message}",))


def _names_others(held: Document) -> bool:
    """Whether a file may name others in its turn: it is not followed, or two could name each other without end."""
    return held.path.lower().endswith(DATA) and "prompts" in held.text and "file://" in held.text


def _is_inside(folder: str, path: str) -> bool:
    real, inner = os.path.realpath(folder), os.path.realpath(path)
    try:
        return os.path.commonpath((real, inner)) == real
    except ValueError:  # on another drive
        return False
