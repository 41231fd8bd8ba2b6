"""Ids with the label of a run, a session, a request or a build, and paths with a part made at random."""

from collections.abc import Iterator

from promptlint.lint.hit import Hit
from promptlint.lint.subject import RequestSubject
from promptlint.lint.volatile.found import hits
from promptlint.lint.volatile.identifiers import identifiers


def check(subject: RequestSubject) -> Iterator[Hit]:
    """The first id of each text, further ones as related places."""
    return hits(subject, identifiers)
