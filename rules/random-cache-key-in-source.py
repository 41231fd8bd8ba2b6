"""Code makes a new cache key for each request."""

from collections.abc import Iterator

from promptlint.lint.arrivals import arrivals_at
from promptlint.lint.hit import Hit
from promptlint.lint.subject import SourceSubject


def check(subject: SourceSubject) -> Iterator[Hit]:
    """Each such key."""
    return arrivals_at(subject, "cache_key")
