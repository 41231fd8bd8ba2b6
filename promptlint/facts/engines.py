"""What each engine that one hosts oneself reuses, by version: data/engines.yaml as typed rows."""

import re
from typing import Any, Literal, NamedTuple

from promptlint import facts
from promptlint.errors import PromptlintError
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
    checked = _releases(row["by_version"])
    if version is not None and not checked:
        raise PromptlintError(f"what {row['title']} does is not known by version", "leave the version out")
    wanted = checked[-1] if version is None and checked else version
    changed = {} if wanted is None else {field: _value(row, field, wanted) for field in row["by_version"]}
    return _engine(name.lower(), wanted, row | changed)


def names() -> list[str]:
    """Every engine that has a row."""
    return sorted(facts.table("engines"))


def _value(row: dict[str, Any], field: str, version: str) -> Any:
    """What a field that changed is in `version`."""
    title, rows = row["title"], row["by_version"][field]
    number = _number(version)
    if not number:
        checked = _releases(row["by_version"])
        close = nearest(version, checked) or checked[-1]
        raise PromptlintError(f"{shown(version)!r} is no version of {title}", f"such as {close}")
    for entry in rows:
        if _number(entry["first"]) <= number <= _number(entry["last"]):
            return entry["value"]
    older = [entry["last"] for entry in rows if _number(entry["last"]) < number]
    newer = [entry["first"] for entry in rows if _number(entry["first"]) > number]
    if older and newer:
        why, hint = f"it lies between {older[-1]} and {newer[0]}, which differ", "name the one that it behaves like"
    else:
        bound, known = ("newest", older[-1]) if older else ("oldest", newer[0])
        why, hint = f"{known} is the {bound} that was checked", f"take {known} if it behaves like that"
    raise PromptlintError(f"what {title} {shown(version)} does is not known: {why}", hint)


def _releases(by_version: dict[str, list[dict[str, Any]]]) -> list[str]:
    """The versions that rows name, oldest first."""
    named = {row[end] for rows in by_version.values() for row in rows for end in ("first", "last")}
    return sorted(named, key=_number)


def _number(version: str) -> tuple[int, ...]:
    """`v0.30.0` as (0, 30), numbers that compare; `.post1` and `+cpu` do not count. Empty for what is no release."""
    match = re.fullmatch(r"v?(\d{1,9}(?:\.\d{1,9})*)(?:\.?post\d+)?(?:\+[\w.]+)?", version.strip().lower())
    return tuple(map(int, re.sub(r"(\.0+)+$", "", match[1]).split("."))) if match else ()


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
