"""Holes of templates in running text: `{{ name }}`, `${name}`, `<%= name %>`, `[object Object]`, empty values."""

from collections.abc import Iterator

from promptlint.lint.hit import Hit
from promptlint.lint.subject import RequestSubject
from promptlint.lint.volatile.found import hits
from promptlint.lint.volatile.holes import holes


def check(subject: RequestSubject) -> Iterator[Hit]:
    """The first of each text, further ones as related places."""
    return hits(subject, holes)
