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
        location=location(sides[0]),
        pointer=sides[0].pointer,
        related=(location(sides[1]),),
        lost_tokens=change.lost_tokens,
        lost_usd=share(diff, change),
        fix=change.fix,
    )


def share(diff: Diff, change: Change) -> str | None:
    """What the tokens of this change cost: each costs the same. None: no price is known, or no token is counted."""
    whole, usd, tokens = diff.boundary.lost_tokens, diff.boundary.lost_usd, change.lost_tokens
    if not whole or usd is None or tokens is None:
        return None
    from decimal import Decimal

    return f"{(Decimal(usd) * tokens / whole).normalize():f}"


def location(place: Place) -> Location:
    """One side of a change as the place of a finding."""
    return Location(place.path, SourceByte(place.start), SourceByte(place.end), place.line, place.column)
