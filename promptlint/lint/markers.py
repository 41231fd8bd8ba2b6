"""Faults of markers that the cache stage knows, as hits."""

from collections.abc import Iterator

from promptlint.cache.refusals import MarkerFault, refusals
from promptlint.cache.reuse import looked_up
from promptlint.lint.hit import Hit, Place
from promptlint.lint.subject import RequestSubject


def faults(subject: RequestSubject, cause: str) -> Iterator[Hit]:
    """What makes the provider refuse the request, as far as it has this cause."""
    if subject.rule.kind != "markers":
        return
    positions = looked_up(subject.prompt, subject.rule)[0]
    for fault in refusals(positions, subject.request, subject.provider):
        if fault.cause == cause:
            yield hit_of(fault)


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
