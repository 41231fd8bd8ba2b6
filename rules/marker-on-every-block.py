"""Code sets a cache marker on each of any number of blocks."""

from collections.abc import Iterator

from promptlint.lint.arrivals import arrivals_at
from promptlint.lint.hit import Hit
from promptlint.lint.subject import SourceSubject


def check(subject: SourceSubject) -> Iterator[Hit]:
    """Each such marker."""
    return arrivals_at(subject, "marker")
