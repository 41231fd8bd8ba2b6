"""Counts of turns, requests and messages, and what is left of a budget."""

from collections.abc import Iterator

from promptlint.lint.hit import Hit
from promptlint.lint.subject import RequestSubject
from promptlint.lint.volatile.counters import counters
from promptlint.lint.volatile.found import hits


def check(subject: RequestSubject) -> Iterator[Hit]:
    """The first count of each text, further ones as related places."""
    return hits(subject, counters)
