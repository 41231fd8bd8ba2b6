"""Dates that the text gives as today's; one beside a time of day is told with that."""

from collections.abc import Iterator

from promptlint.lint.hit import Hit
from promptlint.lint.subject import RequestSubject
from promptlint.lint.volatile.found import hits
from promptlint.lint.volatile.moments import dates


def check(subject: RequestSubject) -> Iterator[Hit]:
    """The first such date of each text, further ones as related places."""
    return hits(subject, dates)
