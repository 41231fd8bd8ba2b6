"""Calls that answer with the current date, and nothing finer than a day is printed of it."""

from collections.abc import Iterator

from promptlint.lint.calls import clock_of, hits_of_calls
from promptlint.lint.hit import Hit
from promptlint.lint.rendering.confirmed import confirmed
from promptlint.lint.subject import TemplateSubject


def check(subject: TemplateSubject) -> Iterator[Hit]:
    """Each such call that is printed ahead of more than a tail."""
    hits = hits_of_calls(subject, lambda template, call: clock_of(template, call) == "day")
    return confirmed(subject, "date-rollover", hits)
