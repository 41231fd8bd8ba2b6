"""How engines, stores and routers name blocks, by version: data/block_keys.yaml as typed rows."""

from typing import NamedTuple

from promptlint import facts
from promptlint.errors import PromptlintError
from promptlint.facts import engines
from promptlint.facts.versions import at_version
from promptlint.read.names import nearest, shown


class KeyRule(NamedTuple):
    """One row of data/block_keys.yaml, for one version. What each field says stands at the top of that file."""

    engine: str
    title: str
    version: str | None  # None: not known by version
    unit: str
    block_tokens: int  # by default
    partial: str
    hashes: tuple[str, ...]  # the default first
    digest: str
    unset_seed: str
    adapter: str | None
    medium: str | None
    salt: str | None
    lookahead: bool
    storage_seed: str | None
    event_seed: str | None
    events: bool
    source: str
    checked: str  # ISO date


def key_rule(engine: str, version: str | None = None) -> KeyRule:
    """How an engine makes its keys; None stands for the newest version that was checked.

    Raises PromptlintError for an engine or a version whose keys are not known.
    """
    name = engine.lower()
    row = facts.table("block_keys").get(name)
    if row is None:
        raise _unknown(name)
    wanted, changed = at_version(row, version)
    row = row | changed
    return KeyRule(
        engine=name,
        title=row["title"],
        version=wanted,
        unit=row["unit"],
        block_tokens=row["block_tokens"],
        partial=row.get("partial", ""),
        hashes=tuple(row["hashes"]),
        digest=row.get("digest", "bytes"),
        unset_seed=row.get("unset_seed", "random"),
        adapter=row.get("adapter"),
        medium=row.get("medium"),
        salt=row.get("salt"),
        lookahead=row.get("lookahead", False),
        storage_seed=row.get("storage_seed"),
        event_seed=row.get("event_seed"),
        events=row.get("events", False),
        source=row["source"],
        checked=row["checked"],
    )


def names() -> list[str]:
    """Every engine whose keys are known."""
    return sorted(facts.table("block_keys"))


def _unknown(name: str) -> PromptlintError:
    if name in engines.names():
        row = engines.engine(name)
        if row.cache == "slot":
            why = f"{row.title} has no keys: it compares the tokens of a slot one by one"
        else:
            why = f"the keys of {row.title} are not known byte for byte"
        return PromptlintError(why, "promptlint diff and promptlint vary say what is shared")
    close = nearest(name, names())
    return PromptlintError(
        f"unknown engine {shown(name)}", f"did you mean {close}?" if close else f"take one of {', '.join(names())}"
    )
