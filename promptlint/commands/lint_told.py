"""What findings about many requests, or many pairs, have in common is told once."""

from collections.abc import Sequence
from typing import NamedTuple

from promptlint.finding import Finding


class Told(NamedTuple):
    """A finding about one request or pair, and what it has in common with one about another."""

    key: tuple[str, str, int]  # rule, place, and which of those of this rule at this place
    finding: Finding


def joined(found: Sequence[Told], count: int, what: str) -> list[Finding]:
    """Each cause at each place once: where it costs the most, with the number of `what` of which it is true."""
    groups: dict[tuple[str, str, int], list[Finding]] = {}
    for one in found:
        groups.setdefault(one.key, []).append(one.finding)
    done = []
    for group in groups.values():
        dearest = max(group, key=lambda finding: finding.lost_tokens or 0)
        if len(group) > 1:
            dearest = dearest._replace(message=f"{dearest.message} (in {len(group)} of {count} {what})")
        done.append(dearest)
    return done


def flat(found: str | tuple[str, ...]) -> str:
    """A pointer as one text, wherever strings that hold JSON are entered."""
    return found if isinstance(found, str) else " ".join(found)
