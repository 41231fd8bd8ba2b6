"""Counts the markers that the provider would read, the automatic one among them."""

from collections.abc import Iterator

from promptlint.cache.unread import ignored
from promptlint.lint.hit import Hit
from promptlint.lint.markers import faults, hit_of
from promptlint.lint.subject import RequestSubject


def check(subject: RequestSubject) -> Iterator[Hit]:
    """The first marker above the limit, the others as related places."""
    yield from faults(subject, "marker-limit")
    fault = ignored(subject.prompt, subject.rule)
    if fault is not None:
        yield hit_of(fault)
