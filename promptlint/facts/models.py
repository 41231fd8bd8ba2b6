"""What is known about a model's cache: data/models.yaml as typed rows, found by any name that platforms give it."""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any, Literal, NamedTuple

from promptlint import facts
from promptlint.facts.own import NONE, Overrides
from promptlint.facts.providers import Cache
from promptlint.facts.sources import references

Confidence = Literal["high", "medium", "low"]

_LONGEST = 300  # characters of an id that is looked up


class Figure(NamedTuple):
    """A number of tokens, and where it holds."""

    tokens: int
    platforms: tuple[str, ...]  # empty: everywhere
    cache: Cache | None  # None: of every kind
    observed: bool  # seen in recorded calls; the provider does not say so
    assumed: bool  # said of the release before, or of the model at its own provider
    source: tuple[str, ...]
    checked: str  # ISO date
    confidence: Confidence


class Model(NamedTuple):
    """One model on one platform."""

    name: str  # canonical
    provider: str  # whose prices and rules hold
    platform: str  # where it runs, as far as its id or the request tells; else the provider
    endpoint: str  # of Bedrock: `us`, `eu`, `global`, ..., or ""
    pinned: bool  # the id names one dated version
    platforms: tuple[str, ...]  # all that serve it under the same rules
    caches: tuple[Cache, ...]  # the first applies by default; empty: unknown
    minimums: tuple[Figure, ...]
    steps: tuple[Figure, ...]
    ttls: tuple[str, ...]  # that a request may ask for, shortest first
    default_ttl: str | None
    lifetime: str  # what else is known of it, in words
    read_renews: bool  # a read starts the lifetime again; False: not known
    thinking_kept: Literal["all", "last-turn"] | None  # of earlier turns, in the prompt; None: unknown
    count_factor: str | None  # decimal: how many times as many tokens it counts as o200k_base; None: unknown
    source: tuple[str, ...]
    checked: str
    confidence: Confidence


class _Id(NamedTuple):
    """An id without what platforms put around a name."""

    name: str  # normalised
    platform: str | None
    vendor: str | None
    endpoint: str
    pinned: bool


def model_of(name: str, provider: str | None = None, own: Overrides = NONE) -> Model | None:
    """The model with this id, alias, dated version or platform's spelling; None if it is not known, or not which.

    `provider`: who serves it, as the request shows (a row of providers.yaml, or a platform); a model that this one is
    not known to serve is None. `own`: rows of the user's.
    """
    if not name or len(name) > _LONGEST:
        return None
    for spelled in _stripped(name):
        found = [_model(key, spelled, provider, own) for key in _keys(spelled.name, own)]
        fitting = [model for model in found if model is not None]
        fitting = [model for model in fitting if model.name in own.models] or fitting
        if fitting:
            return fitting[0] if len(fitting) == 1 else None
    return None


def names(own: Overrides = NONE) -> list[str]:
    """Every model with a row, in the order of the data; the user's own behind them."""
    return list(facts.table("models")["models"] | own.models)


def clashes(own: Overrides) -> Iterator[tuple[str, str, str]]:
    """The user's rows with an id of another row that the same one may serve: row, id, the other row."""
    for name, row in own.models.items():
        for spelled in (name, *row.get("ids", ())):
            for other in _keys(_normal(spelled), own):
                if other != name and not _serving(_row(name, own)).isdisjoint(_serving(_row(other, own))):
                    yield name, spelled, other


def nearest(name: str, own: Overrides = NONE) -> list[str]:
    """Up to three known names that look like `name`: for the hint of an error, never to take one of them."""
    import difflib

    *_, spelled = _stripped(name[:_LONGEST])
    known = {_normal(key): key for key in names(own)}
    tries = (spelled.name, spelled.name.rpartition("/")[2])  # a vendor in front, as repositories of weights have it
    found = (difflib.get_close_matches(each, list(known), n=3) for each in tries)
    return [known[close] for close in next(filter(None, found), ())]


def minimum(model: Model, kind: Cache | None = None, *, observed: bool = False) -> Figure | None:
    """The shortest prefix that this kind of cache (the default one, if None) keeps there; None: unknown."""
    return _figure(model.minimums, model, kind, observed)


def step(model: Model, kind: Cache | None = None, *, observed: bool = False) -> Figure | None:
    """Reads are multiples of it; None: unknown, or no step."""
    return _figure(model.steps, model, kind, observed)


def _figure(figures: tuple[Figure, ...], model: Model, kind: Cache | None, observed: bool) -> Figure | None:
    kind = kind or next(iter(model.caches), None)
    fitting = (
        figure
        for figure in figures
        if figure.observed == observed
        and (not figure.platforms or model.platform in figure.platforms)
        and figure.cache in (None, kind)
    )
    return next(fitting, None)


def _normal(name: str) -> str:
    """Upper case, and a dot or a dash between digits, make no difference."""
    return re.sub(r"(?<=\d)\.(?=\d)", "-", name.lower())


def _stripped(name: str) -> Iterator[_Id]:
    """The id as it is, without what platforms put in front of it, then with one suffix less each time."""
    found = _Id(name.strip().lower(), None, None, "", False)
    yield found._replace(name=_normal(found.name))  # most often this is it, and no pattern is tried
    spelling = facts.table("models")["names"]
    found = _unprefixed(found, spelling)
    yield found._replace(name=_normal(found.name))
    while True:
        for row in spelling["suffixes"]:
            match = re.search(f"(?:{row['pattern']})$", found.name)
            if match and match.start() > 0:
                platform = found.platform or row.get("platform")
                pinned = found.pinned or row.get("pins", False)
                found = found._replace(name=found.name[: match.start()], platform=platform, pinned=pinned)
                yield found._replace(name=_normal(found.name))
                break
        else:
            return


def _unprefixed(found: _Id, spelling: dict[str, Any]) -> _Id:
    while True:
        for row in spelling["prefixes"]:
            match = re.match(row["pattern"], found.name)
            if match:
                named = match.groupdict()
                found = _Id(
                    name=found.name[match.end() :],
                    platform=found.platform or row.get("platform"),
                    vendor=found.vendor or named.get("vendor"),
                    endpoint=found.endpoint or named.get("endpoint") or "",
                    pinned=False,
                )
                break
        else:
            break
    for row in spelling["vendors"]:
        if found.name.startswith(row["prefix"]) and row.get("behind") in (None, found.platform):
            return found._replace(name=found.name[len(row["prefix"]) :], vendor=found.vendor or row["vendor"])
    return found


@cache
def _index() -> dict[str, list[str]]:
    """Normalised id -> names of the models that have it."""
    index: dict[str, list[str]] = {}
    for name, row in facts.table("models")["models"].items():
        for spelled in (name, *row.get("ids", ())):
            index.setdefault(_normal(spelled), []).append(name)
    return index


def _keys(spelled: str, own: Overrides) -> list[str]:
    """The rows that an id without its surroundings names."""
    mine = [name for name, row in own.models.items() if spelled in map(_normal, (name, *row.get("ids", ())))]
    return list(dict.fromkeys((*mine, *_index().get(spelled, ()))))


def _model(key: str, spelled: _Id, provider: str | None, own: Overrides) -> Model | None:
    """The row as a model, if all that is said about vendor, platform and provider fits it."""
    row = _row(key, own)
    serving = (row["provider"], *row["platforms"])
    said = None if provider in (None, "unknown") else provider
    if spelled.vendor not in (None, row.get("vendor", row["provider"])):
        return None
    if any(place not in (None, *serving) for place in (spelled.platform, said)):
        return None
    if not row.get("named_alone", True) and row["provider"] not in (spelled.platform, said):
        return None
    return Model(
        name=key,
        provider=row["provider"],
        platform=spelled.platform or said or row["provider"],
        endpoint=spelled.endpoint,
        pinned=spelled.pinned,
        platforms=serving,
        caches=tuple(row["caches"]),
        minimums=_figures(row.get("minimum", ()), row),
        steps=_figures(row.get("step", ()), row),
        ttls=tuple(row.get("ttls", ())),
        default_ttl=row.get("default_ttl"),
        lifetime=row.get("lifetime", ""),
        read_renews=row.get("read_renews", False),
        thinking_kept=row.get("thinking_kept"),
        count_factor=str(row["count_factor"]) if "count_factor" in row else None,
        source=references(row["source"]),
        checked=row["checked"],
        confidence=row["confidence"],
    )


def _serving(row: dict[str, Any]) -> frozenset[str]:
    return frozenset((row["provider"], *row["platforms"]))


def _row(key: str, own: Overrides) -> dict[str, Any]:
    """A model's row over that of its family, and the user's over both."""
    table = facts.table("models")
    row = table["models"].get(key, {}) | own.models.get(key, {})
    full: dict[str, Any] = table["families"].get(row.get("family"), {}) | row
    return full


def _figures(cells: list[dict[str, Any]] | int, row: dict[str, Any]) -> tuple[Figure, ...]:
    """Cells of the data, or the one number that a user gives."""
    if isinstance(cells, int):
        source = references(row["source"])
        return (Figure(cells, (), None, False, False, source, row["checked"], row["confidence"]),)
    return tuple(
        Figure(
            tokens=cell["tokens"],
            platforms=tuple(cell.get("platforms", ())),
            cache=cell.get("cache"),
            observed=cell.get("observed", False),
            assumed=cell.get("assumed", False),
            source=references(cell["source"]),
            checked=cell["checked"],
            confidence=cell["confidence"],
        )
        for cell in cells
    )
