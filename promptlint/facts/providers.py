"""What each provider reuses and what keys its cache: data/providers.yaml as typed rows."""

import re
from functools import cache
from typing import Any, Literal, NamedTuple, get_args

from promptlint import facts
from promptlint.finding import Certainty
from promptlint.prompt import Level

Cache = Literal["markers", "message-ends", "steps", "objects", "prefix"]
"""A kind of cache: one file each in promptlint/cache/."""
CACHES: tuple[Cache, ...] = get_args(Cache)


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
    models: str  # pattern of the models for which the row holds, or "": all
    harmless: frozenset[str]  # values between which a change does nothing


class Provider(NamedTuple):
    """One row of data/providers.yaml."""

    name: str
    cache: Cache
    cache_if_marked: Cache | None  # where the request carries markers, if that is another kind
    models: tuple[tuple[str, Cache], ...]  # pattern of a model's name -> its kind, where that is not `cache`
    assumed: bool  # the rule is an assumption
    lookback: int  # positions, the marker's own counted as the first
    marker_limit: int
    largest_minimum: int  # tokens; no model has a larger one. What is shorter may be too short for a model not known
    refuses: bool  # requests with markers that it does not take; else it leaves those markers out
    lifetimes: tuple[str, ...]  # longest first
    default_lifetime: str
    outlives: bool  # an entry may live on after its lifetime
    unmarkable: frozenset[str]  # kinds of segments that carry no marker
    runs: frozenset[str]  # kinds of segments of which several in a row count as one position
    tools_whole: bool  # another tool, or another order of them, loses every entry
    no_automatic: str  # pattern of the models that refuse a marker at the top of the request, or ""
    implicit: bool  # what is not marked may be reused, too
    hidden_start: str  # pattern of the models that count steps from text that no request shows, or ""
    held_back: int  # steps that are always computed again
    answers: bool  # the answer to a request belongs to the prefix that it leaves
    counts: str  # why token counts are only "about"
    settings: tuple[Setting, ...]
    defaults: dict[str, str]  # dotted field -> the value that an omitted field has
    request_only: frozenset[str]


@cache
def provider(name: str) -> Provider:
    """The row of a provider; the row `unknown` for a name that has none."""
    table = facts.table("providers")
    row = table.get(name, table["unknown"])
    like = table[row["like"]] | row if "like" in row else row
    settings = table[like["settings_like"]] if "settings_like" in like else like
    ignored = like.get("ignores", ())
    return Provider(
        name=name,
        cache=like["cache"],
        cache_if_marked=like.get("cache_if_marked"),
        models=tuple((entry["pattern"], entry["cache"]) for entry in like.get("models", ())),
        assumed=like.get("assumed", False),
        lookback=like.get("lookback", 0),
        marker_limit=like.get("marker_limit", 0),
        largest_minimum=like.get("largest_minimum", 0),
        refuses=like.get("refuses", False),
        lifetimes=tuple(like.get("lifetimes", ())),
        default_lifetime=like.get("default_lifetime", ""),
        outlives=like.get("outlives", False),
        unmarkable=frozenset(like.get("unmarkable", ())),
        runs=frozenset(like.get("runs", ())),
        tools_whole=like.get("tools_whole", False),
        no_automatic=like.get("no_automatic", ""),
        implicit=like.get("implicit", False),
        hidden_start=like.get("hidden_start", ""),
        held_back=like.get("held_back", 0),
        answers=like.get("answers", False),
        counts=like["counts"],
        settings=tuple(_setting(entry) for entry in settings["settings"] if entry["field"] not in ignored),
        defaults=settings["defaults"],
        request_only=frozenset((*settings["request_only"]["fields"], *ignored)),
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
        models=row.get("models", ""),
        harmless=frozenset(row.get("harmless", ())),
    )


def fits(pattern: str, model: str | None) -> bool:
    """Whether a pattern is found in a model's name. `""` fits none."""
    return bool(pattern) and re.search(pattern, (model or "").lower()) is not None


def is_known(name: str) -> bool:
    """Whether a provider has a row of its own."""
    return name in facts.table("providers")


def names() -> list[str]:
    """Every provider with a row, by name."""
    return sorted(facts.table("providers"))
