"""Sections of retrieved text, memory, plans and state in the system text, or at the head of the first message."""

from collections.abc import Iterator

from promptlint.lint.hit import Hit
from promptlint.lint.subject import PrefixText, RequestSubject
from promptlint.lint.volatile.counters import counters
from promptlint.lint.volatile.found import Found, fixed_texts, hit_of, in_argument, in_prefix
from promptlint.lint.volatile.moments import clocks
from promptlint.lint.volatile.retrieved import retrieved

_LONG = 3  # messages from which a history follows the first one
_SHOWN = 6  # sections of one text that are told


def check(subject: RequestSubject) -> Iterator[Hit]:
    """The first section of each text; one with a name of every day only where a history follows."""
    messages = [number for number, item in enumerate(subject.prompt.items) if item.item.level == "messages"]
    long = len(messages) >= _LONG
    for text in fixed_texts(subject):
        found = [
            one
            for one in retrieved(text.text, in_argument(text))
            if in_prefix(subject, text, one.start, one.end) and (long or one.severity is None)
        ]
        if found:
            yield hit_of(subject, text, found[:_SHOWN])
    if long and subject.prompt.items[messages[0]].item.role == "user":
        yield from _in_message(subject, messages[0])


def _in_message(subject: RequestSubject, number: int) -> Iterator[Hit]:
    """A section at its head: replayed as it was sent it does no harm, so more than its name must say that it moves."""
    for text in subject.cached_texts():
        if text.item == number and text.atom == "value" and text.text.lstrip().startswith("<"):
            found = next(retrieved(text.text), None)
            if found is not None and not text.text[: found.start].strip() and _moves(text, found):
                yield hit_of(subject, text, [found])
            return


def _moves(text: PrefixText, found: Found) -> bool:
    inside = text.text[found.start : found.end]
    return next(clocks(inside), None) is not None or next(counters(inside), None) is not None
