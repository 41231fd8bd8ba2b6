"""Characters that show nothing, where neither the script nor a picture needs them."""

from collections.abc import Iterator

from promptlint.lint.edits import Edit
from promptlint.lint.hit import Hit
from promptlint.lint.subject import RequestSubject
from promptlint.lint.text_fixes import invisible_removed
from promptlint.lint.volatile.characters import invisible
from promptlint.lint.volatile.found import hits


def check(subject: RequestSubject) -> Iterator[Hit]:
    """The first of each text, further ones as related places."""
    return hits(subject, invisible)


def fix(subject: RequestSubject, hit: Hit) -> Iterator[Edit]:
    """All of them, in the text that was named."""
    return invisible_removed(subject, hit)
