"""Holes of templates in running text: `{{ name }}`, `${name}`, `<%= name %>`, `[object Object]`, empty values."""

from collections.abc import Iterator

from promptlint.lint.hit import Hit
from promptlint.lint.subject import RequestSubject
from promptlint.lint.volatile.found import Found, hits
from promptlint.lint.volatile.holes import holes, is_open

_EMPTY = ("object", "value")  # a renderer has been at work and had nothing to print


def check(subject: RequestSubject) -> Iterator[Hit]:
    """The first of each text, further ones as related places; of a template's own file only what it prints empty."""
    kept = _is_template(subject)

    def found(text: str, in_argument: bool) -> Iterator[Found]:
        return (one for one in holes(text, in_argument) if not kept or one.what in _EMPTY)

    return hits(subject, found)


def _is_template(subject: RequestSubject) -> bool:
    """Whether the file is there to be filled: written as YAML or text, without a question, or with holes in it."""
    request = subject.request
    if request.format == "text" or (request.document.syntax == "yaml" and not request.path):
        return True
    said = [text.text for text in subject.texts() if text.level == "messages" and text.role != "assistant"]
    return not said or any(map(is_open, said))
