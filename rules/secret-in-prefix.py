"""Known shapes of keys, tokens and passwords. The message never quotes them."""

from collections.abc import Iterator

from promptlint.lint.hit import Hit
from promptlint.lint.subject import RequestSubject
from promptlint.lint.volatile.found import hits
from promptlint.lint.volatile.keys import keys


def check(subject: RequestSubject) -> Iterator[Hit]:
    """The first of each text, further ones as related places."""
    return hits(subject, keys)
