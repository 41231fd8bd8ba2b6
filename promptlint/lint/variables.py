"""How often a variable of a template changes: declared, or guessed from its name (data/volatile.yaml)."""

import re
from collections.abc import Mapping
from functools import cache, lru_cache
from typing import NamedTuple

from promptlint import facts
from promptlint.config import Stability
from promptlint.config.selection import stability_of


class Guess(NamedTuple):
    """What is known or guessed of a variable."""

    often: Stability
    declared: bool  # by the configuration; else guessed from the name
    cause: str  # a label of data/causes.yaml
    what: str  # what such a value is, for a sentence
    weak: bool = False  # a name that says little: only enough for a hint


def guess(name: str, declared: Mapping[str, Stability]) -> Guess | None:
    """What is known of a dotted name; None where nothing is."""
    often = stability_of(name, declared)
    if often is not None:
        known = _by_name(name) or Guess("per-request", False, "per-turn-context", "a value")
        return known._replace(often=often, declared=True)
    return _by_name(name)


def snake(name: str) -> str:
    """A name in snake case."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower().strip("_")


@lru_cache(4096)
def _by_name(name: str) -> Guess | None:
    """What the last name of a path says; of what lies in an item, such as the date of a letter, it says nothing."""
    *owners, last = [snake(part) for part in name.split(".")]
    first = owners[0] if owners else last
    if last == "id" and owners:
        last = f"{owners[-1]}_id"
    words = _words(last)
    if last in _row("person") or (owners and f"{owners[-1]}_{last}" in _row("person")):
        return Guess("per-session", False, "per-turn-context", "the name or number of a user")
    if words & _row("harmless"):
        return None
    if {first, last} & _row("fetched_whole") or (words | _words(first)) & _row("fetched"):
        return Guess("per-request", False, "per-turn-context", "text chosen for the question")
    if owners and first not in _row("holders") and last != f"{owners[-1]}_id":
        return None
    return _of_word(last, words)


def _of_word(last: str, words: frozenset[str]) -> Guess | None:
    if _made_of(words, "time", "day", "beside_time"):
        return Guess("per-request", False, "clock", "a time")
    if _made_of(words, "day", "beside_time"):
        return Guess("per-session", False, "date-rollover", "a date")
    if words & _row("id") or ("id" in words and words & _row("id_of_request")):
        return Guess("per-request", False, "identifier", "an id")
    if "id" in words and words & _row("id_of_session"):
        return Guess("per-session", False, "identifier", "the id of a session")
    if last in _row("count"):
        return Guess("per-request", False, "counter", "a count")
    if last in _row("questions") or _made_of(words, "question", "beside_question"):
        return Guess("per-request", False, "per-turn-context", "the question of a request")
    if last in _row("input"):
        return Guess("per-request", False, "per-turn-context", "the input of a request", weak=True)
    return None


def _words(name: str) -> frozenset[str]:
    return frozenset(word for word in re.split(r"[_\d]+", name) if word)


def _made_of(words: frozenset[str], first: str, *others: str) -> bool:
    """Whether a name has one of the first words, and none but these and the others."""
    return bool(words & _row(first)) and words <= _row(first).union(*map(_row, others))


@cache
def _row(name: str) -> frozenset[str]:
    return frozenset(facts.table("volatile")["variables"][name])
