"""Output of git, directory listings, and fields such as the working directory, the host and the platform."""

from collections.abc import Iterator

from promptlint.lint.hit import Hit
from promptlint.lint.subject import RequestSubject
from promptlint.lint.volatile.environment import environment
from promptlint.lint.volatile.found import hits


def check(subject: RequestSubject) -> Iterator[Hit]:
    """One finding for each text: what moves most, the other fields as related places."""
    return hits(subject, environment)
