"""What a fact rests on: the short names that rows cite, as readable references (data/sources.yaml)."""

from collections.abc import Iterable

from promptlint import facts


def references(cited: Iterable[str]) -> tuple[str, ...]:
    """The reference of each short name; what is none (a user's own words) stays as it is."""
    known = facts.table("sources")
    return tuple(known.get(name, name) for name in cited)
