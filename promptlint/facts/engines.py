"""What each engine that one hosts oneself reuses, by version: data/engines.yaml as typed rows."""

from typing import Any, Literal, NamedTuple

from promptlint import facts
from promptlint.errors import PromptlintError
from promptlint.facts.versions import at_version
from promptlint.finding import Certainty
from promptlint.read.names import nearest, shown


class Switch(NamedTuple):
    """A setting, or a call, that changes what is reused or reported."""

    name: str
    effect: str


class Engine(NamedTuple):
    """One row of data/engines.yaml, for one version."""

    name: str
    title: str
    version: str | None  # None: the engine has no row by version
    cache: Literal["paged", "radix", "slot"]
    unit: Literal["block", "page", "token"]  # what is reused as a whole
    unit_tokens: int  # by default
    unit_note: str
    last_token: str
    eviction: str
    extra_keys: tuple[str, ...]
    switches: tuple[Switch, ...]
    certainty: Certainty  # of the rule of reuse
    unhashed_first: bool  # paged: freed blocks without a key are handed out first
    retention: int | None  # paged: where sliding windows keep blocks; see cache/paged.py
    slot_similarity: float  # slot: part of a prompt above which a slot that holds it is chosen
    source: str
    checked: str  # ISO date


def engine(name: str, version: str | None = None) -> Engine:
    """The row of an engine; None stands for the newest version that was checked.

    Raises PromptlintError for an unknown engine, and for a version of which it is not known how it behaves.
    """
    row = facts.table("engines").get(name.lower())
    if row is None:
        close = nearest(name.lower(), names())
        raise PromptlintError(
            f"unknown engine {shown(name)}", f"did you mean {close}?" if close else f"take one of {', '.join(names())}"
        )
    wanted, changed = at_version(row, version)
    return _engine(name.lower(), wanted, row | changed)


def names() -> list[str]:
    """Every engine that has a row."""
    return sorted(facts.table("engines"))


def _engine(name: str, version: str | None, row: dict[str, Any]) -> Engine:
    return Engine(
        name=name,
        title=row["title"],
        version=version,
        cache=row["cache"],
        unit=row["unit"],
        unit_tokens=row["unit_tokens"],
        unit_note=row.get("unit_note", ""),
        last_token=row["last_token"],
        eviction=row["eviction"],
        extra_keys=tuple(row["extra_keys"]),
        switches=tuple(Switch(**switch) for switch in row["switches"]),
        certainty=row["certainty"],
        unhashed_first=row.get("unhashed_first", True),
        retention=row.get("retention"),
        slot_similarity=row.get("slot_similarity", 0.0),
        source=row["source"],
        checked=row["checked"],
    )
