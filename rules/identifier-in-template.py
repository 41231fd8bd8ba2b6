"""Calls and filters that answer at random."""

from collections.abc import Iterator

from promptlint.lint.calls import hits_of_calls, is_random
from promptlint.lint.hit import Hit
from promptlint.lint.subject import TemplateSubject


def check(subject: TemplateSubject) -> Iterator[Hit]:
    """Each such call that is printed ahead of more than a tail."""
    return hits_of_calls(subject, is_random)
