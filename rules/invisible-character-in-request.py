"""Characters that show nothing, where neither the script nor a picture needs them."""

from collections.abc import Iterator

from promptlint.lint.hit import Hit
from promptlint.lint.subject import RequestSubject
from promptlint.lint.volatile.characters import invisible
from promptlint.lint.volatile.found import hits


def check(subject: RequestSubject) -> Iterator[Hit]:
    """The first of each text, further ones as related places."""
    return hits(subject, invisible)
