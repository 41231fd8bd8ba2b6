"""Calls and filters that answer at random."""

from collections.abc import Iterator

from promptlint.lint.calls import hit_of_call, is_random
from promptlint.lint.hit import Hit
from promptlint.lint.subject import TemplateSubject


def check(subject: TemplateSubject) -> Iterator[Hit]:
    """Each such call that is printed ahead of more than a tail."""
    return hit_of_call(subject, is_random)
