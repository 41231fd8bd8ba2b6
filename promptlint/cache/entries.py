"""Entries that earlier requests left, and which of them a request can read: the same for every kind of cache.

A kind says where a request writes entries (`entries`) and where it looks for some (`lookups`). What is read is the
longest entry that lies at such a place, whose text is equal and whose time is not over (`reuse`). Lengths are those of
the prompt up to the end of an entry, in characters or in tokens, as the caller gave them.
"""

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from promptlint.facts.providers import Provider
from promptlint.finding import Certainty

Lookups = Mapping[int, Certainty]
"""End -> whether the request certainly looks for an entry there; where it does not look at all there is no end."""

_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


class Entry(NamedTuple):
    """The beginning of a prompt, kept for later requests."""

    end: int  # its length
    lifetime: str = ""  # such as 5m; "" where none is known
    certain: bool = True  # False: it may be too short to be kept
    age_s: float | None = None  # since the start of the request that wrote it or read it last; None: not known


class Reuse(NamedTuple):
    """What a request can read of the entries that agree with its text and its key."""

    usable: int  # length of the longest entry that it finds; 0 if it finds none
    certainty: Certainty  # that it finds this one
    why: str  # what limits it: lookback, lifetime, or ""
    expired: int = 0  # length of the longest entry that it would have found in time; 0 if there is none


def reuse(entries: Iterable[Entry], lookups: Lookups, provider: Provider) -> Reuse:
    """The longest entry that is found. Where that is not certain, the answer says "possible"."""
    found: list[tuple[int, bool]] = []
    expired = elsewhere = 0
    for entry in entries:
        if entry.end not in lookups:
            elsewhere = max(elsewhere, entry.end)
        elif over(entry) and not provider.outlives:
            expired = max(expired, entry.end)
        else:
            found.append((entry.end, lookups[entry.end] == "certain" and entry.certain and not over(entry)))
    usable, sure = max(found, default=(0, True))
    certainty: Certainty = "certain" if sure else "possible"
    if expired > usable:
        return Reuse(usable, certainty, "a longer entry is older than its lifetime", expired)
    return Reuse(usable, certainty, "a longer entry lies where it does not look" if elsewhere > usable else "")


def over(entry: Entry) -> bool:
    """Whether the lifetime of an entry has passed, as far as both are known."""
    limit = seconds(entry.lifetime)
    return limit is not None and entry.age_s is not None and entry.age_s > limit


def seconds(lifetime: str) -> int | None:
    """A lifetime such as 5m or 12h; None for a name that states no time."""
    found = re.fullmatch(r"(\d+)([smhd])", lifetime)
    return int(found[1]) * _SECONDS[found[2]] if found else None
