"""What each provider reuses and what keys its cache: data/providers.yaml as typed rows."""

from functools import cache
from typing import Any, Literal, NamedTuple

from promptlint import facts
from promptlint.finding import Certainty
from promptlint.prompt import Level


class Setting(NamedTuple):
    """A field beside the text that is part of the key or of the prompt."""

    field: str  # dotted; the row holds for everything below it
    level: Level  # the first level that is lost when it changes
    certainty: Certainty
    cause: str
    beyond: str  # what may be lost besides, or ""
    certain_models: str  # pattern of the models for which the effect is certain, or ""
    default_unknown: bool  # what an omitted field means is not published
    reason: str  # what the provider's own diagnostics call a miss by this field, or ""


class Provider(NamedTuple):
    """One row of data/providers.yaml."""

    name: str
    cache: Literal["markers", "prefix"]
    assumed: bool  # the rule is an assumption
    lookback: int  # positions, the marker's own counted as the first
    marker_limit: int
    lifetimes: tuple[str, ...]  # longest first
    default_lifetime: str
    unmarkable: frozenset[str]  # kinds of segments that carry no marker
    runs: frozenset[str]  # kinds of segments of which several in a row count as one position
    bound_models: str  # pattern of the models for which the rule gives an upper bound only, or ""
    implicit: bool  # what is not marked may be reused, too
    counts: str  # why token counts are only "about"
    settings: tuple[Setting, ...]
    defaults: dict[str, str]  # dotted field -> the value that an omitted field has
    request_only: frozenset[str]


@cache
def provider(name: str) -> Provider:
    """The row of a provider; the row `unknown` for a name that has none."""
    table = facts.table("providers")
    row = table.get(name, table["unknown"])
    settings = table[row["settings_like"]] if "settings_like" in row else row
    return Provider(
        name=name,
        cache=row["cache"],
        assumed=row.get("assumed", False),
        lookback=row.get("lookback", 0),
        marker_limit=row.get("marker_limit", 0),
        lifetimes=tuple(row.get("lifetimes", ())),
        default_lifetime=row.get("default_lifetime", ""),
        unmarkable=frozenset(row.get("unmarkable", ())),
        runs=frozenset(row.get("runs", ())),
        bound_models=row.get("bound_models", ""),
        implicit=row.get("implicit", False),
        counts=row["counts"],
        settings=tuple(_setting(entry) for entry in settings["settings"]),
        defaults=settings["defaults"],
        request_only=frozenset(settings["request_only"]["fields"]),
    )


def _setting(row: dict[str, Any]) -> Setting:
    level: Level = row["level"]
    certainty: Certainty = row["certainty"]
    return Setting(
        field=row["field"],
        level=level,
        certainty=certainty,
        cause=row.get("cause", "setting-changed"),
        beyond=row.get("beyond", ""),
        certain_models=row.get("certain_models", ""),
        default_unknown=row.get("default_unknown", False),
        reason=row.get("reason", ""),
    )


def is_known(name: str) -> bool:
    """Whether a provider has a row of its own."""
    return name in facts.table("providers")


def names() -> list[str]:
    """Every provider with a row, by name."""
    return sorted(facts.table("providers"))
