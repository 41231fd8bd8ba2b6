"""Changes that cost something -> findings, the dearest first."""

from collections.abc import Iterable

from promptlint.finding import Change, Diff, Finding, Place
from promptlint.prompt import Location, SourceByte


def findings_of(diffs: Iterable[Diff]) -> tuple[Finding, ...]:
    """One finding for each change at warning level or above."""
    found = [_finding(one, change) for one in diffs for change in one.changes if change.severity != "info"]
    return tuple(sorted(found, key=lambda f: (-(f.lost_tokens or 0), f.location.path, f.location.start)))


def _finding(diff: Diff, change: Change) -> Finding:
    sides = (change.b, change.a) if change.b.excerpt is not None or change.a.excerpt is None else (change.a, change.b)
    return Finding(
        rule=change.cause,
        severity=change.severity,
        confidence=change.certainty,
        message=change.message,
        location=_location(sides[0]),
        pointer=sides[0].pointer,
        related=(_location(sides[1]),),
        lost_tokens=change.lost_tokens,
        lost_usd=None,
        fix=change.fix,
    )


def _location(place: Place) -> Location:
    return Location(place.path, SourceByte(place.start), SourceByte(place.end), place.line, place.column)
