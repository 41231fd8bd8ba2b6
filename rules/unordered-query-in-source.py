"""Rows of a query without ORDER BY stand in a prompt."""

from collections.abc import Iterator

from promptlint.lint.arrivals import arrivals
from promptlint.lint.hit import Hit
from promptlint.lint.subject import SourceSubject


def check(subject: SourceSubject) -> Iterator[Hit]:
    """Each such value that reaches a prompt ahead of more than its tail."""
    return arrivals(subject, {"query"})
