"""What rules about markers share: the blocks of a request, its fixed part, the faults that the cache stage words."""

from collections.abc import Iterator
from typing import NamedTuple

from promptlint.cache.positions import Position, blocks, can_carry
from promptlint.cache.refusals import MarkerFault, refusals
from promptlint.cache.reuse import looked_up, size_of
from promptlint.lint.hit import Hit, Place
from promptlint.lint.subject import RequestSubject
from promptlint.prompt import RenderedItem

_ANSWERS = ("assistant", "model")
_BATCH = ("params", "requests")  # where the rows of a batch hold their requests


class Fixed(NamedTuple):
    """The tools and the system text: what conversations have in common."""

    end: int  # characters
    last: Position | None  # the last block of it that can carry a marker


def positions(subject: RequestSubject) -> list[Position]:
    """The blocks of the prompt with the markers that the provider reads; nothing where markers play no part."""
    return looked_up(subject.prompt, subject.rule)[0] if subject.rule.by_entries else []


def faults(subject: RequestSubject, cause: str) -> Iterator[Hit]:
    """What makes the provider refuse the request, as far as it has this cause."""
    if subject.rule.kind != "markers":
        return
    for fault in refusals(positions(subject), subject.request, subject.provider):
        if fault.cause == cause:
            yield hit_of(fault)


def refused(subject: RequestSubject) -> bool:
    """Whether the provider rejects the request for its markers."""
    found = positions(subject) if subject.rule.kind == "markers" else []
    return next(refusals(found, subject.request, subject.provider), None) is not None


def hit_of(fault: MarkerFault) -> Hit:
    """A fault in the words of the stage that found it."""
    assert fault.new is not None
    others = tuple(Place(path) for path in fault.extra if path != fault.new)
    return Hit(
        Place(fault.new),
        related=others,
        message=fault.message,
        fix=fault.fix or None,
        confidence=fault.certainty,
        severity=fault.severity,
    )


def fixed(subject: RequestSubject) -> Fixed:
    """The part in front of the messages, without tools that are loaded later."""
    found = [p for p in blocks(subject.prompt) if p.level != "messages"]
    fit = [p for p in found if can_carry(p, subject.provider)]
    return Fixed(found[-1].end if found else 0, fit[-1] if fit else None)


def is_long(subject: RequestSubject, end: int) -> bool:
    """Whether so many characters of the prompt are certainly enough for this model to cache them."""
    rule = subject.rule
    return end > 0 and rule.minimum.tokens > 0 and size_of(end, rule, subject.count) == "above"


def messages(subject: RequestSubject) -> list[RenderedItem]:
    """The messages of the prompt."""
    return [item for item in subject.prompt.items if item.item.level == "messages"]


def answers(subject: RequestSubject) -> list[RenderedItem]:
    """What the model has said before: its messages, and calls that stand among them."""
    return [item for item in messages(subject) if _is_answer(item)]


def in_batch(subject: RequestSubject) -> bool:
    """Whether the request is a row of a batch, whose rows run in any order and side by side."""
    path = subject.request.path
    return any(step in _BATCH for step in path) or (
        path == ("body",) and '"custom_id"' in subject.request.document.text
    )


def setting(subject: RequestSubject, name: str) -> object:
    """A field at the top of the request; None if it is not there."""
    return subject.request.settings.get((*subject.request.path, name))


def _is_answer(item: RenderedItem) -> bool:
    if item.item.role is not None:
        return item.item.role in _ANSWERS
    return any(segment.kind in ("tool_call", "thinking") for segment in item.item.segments)
