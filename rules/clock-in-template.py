"""Calls that answer with the current time, printed finer than a day."""

from collections.abc import Iterator

from promptlint.lint.calls import clock_of, hit_of_call
from promptlint.lint.hit import Hit
from promptlint.lint.subject import TemplateSubject


def check(subject: TemplateSubject) -> Iterator[Hit]:
    """Each such call that is printed ahead of more than a tail."""
    return hit_of_call(subject, lambda call: clock_of(call) == "time")
