"""Code puts the time of day into a prompt ahead of text that stays."""

from collections.abc import Iterator

from promptlint.lint.arrivals import arrivals
from promptlint.lint.hit import Hit
from promptlint.lint.subject import SourceSubject


def check(subject: SourceSubject) -> Iterator[Hit]:
    """Each such value that reaches a prompt ahead of more than its tail."""
    return arrivals(subject, {"clock"})
