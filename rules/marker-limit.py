"""Counts the markers that the provider would read, the automatic one among them."""

from collections.abc import Iterator

from promptlint.lint.hit import Hit
from promptlint.lint.markers import faults
from promptlint.lint.subject import RequestSubject


def check(subject: RequestSubject) -> Iterator[Hit]:
    """The first marker above the limit, the others as related places."""
    return faults(subject, "marker-limit")
