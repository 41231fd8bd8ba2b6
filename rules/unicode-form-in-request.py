"""Letters with a mark behind them that have a character of their own."""

from collections.abc import Iterator

from promptlint.lint.edits import Edit
from promptlint.lint.hit import Hit
from promptlint.lint.subject import RequestSubject
from promptlint.lint.text_fixes import composed
from promptlint.lint.volatile.characters import pieces
from promptlint.lint.volatile.found import hits


def check(subject: RequestSubject) -> Iterator[Hit]:
    """The first of each text, further ones as related places."""
    return hits(subject, pieces)


def fix(subject: RequestSubject, hit: Hit) -> Iterator[Edit]:
    """All of the text, in NFC."""
    return composed(subject, hit)
