"""Times of day that the text gives as the present one, or as the time at which it was made."""

from collections.abc import Iterator

from promptlint.lint.hit import Hit
from promptlint.lint.subject import RequestSubject
from promptlint.lint.volatile.found import hits
from promptlint.lint.volatile.moments import clocks


def check(subject: RequestSubject) -> Iterator[Hit]:
    """The first time of day of each text, further ones as related places."""
    return hits(subject, clocks)
