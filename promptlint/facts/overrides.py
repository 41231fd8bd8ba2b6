"""Facts of the user's own, over ours: negotiated prices, new models, another limit. Checked here, cell by cell."""

import re
from datetime import date
from decimal import Decimal
from typing import Any

from promptlint import facts
from promptlint.config.checks import Check, choice, fields, flag, mapping, one_of, text, wrong
from promptlint.errors import PromptlintError
from promptlint.facts.own import Overrides
from promptlint.facts.providers import CACHES, Provider
from promptlint.prompt import Json, Number
from promptlint.read.names import shown

_LARGEST = 10**9
_DIGITS = 20  # of a number that is taken


def overrides(section: Json, where: str) -> Overrides:
    """The `facts` of a configuration, or a file of them. `where` names it in messages and as the source of the rows.

    Raises PromptlintError for an unknown key (with the nearest one), a wrong type, a negative price, a model or
    provider that is not known.
    """
    found = fields(section, where, {"models": mapping, "prices": mapping, "providers": mapping})
    stamp = {"source": [where], "checked": date.today().isoformat(), "confidence": "high"}
    models = {name: _model(name, row, f"{where}: models.{name}") for name, row in found.get("models", {}).items()}
    prices = {name: _price_rows(rows, f"{where}: prices.{name}") for name, rows in found.get("prices", {}).items()}
    cells = {
        name: _provider(name, row, f"{where}: providers.{name}") for name, row in found.get("providers", {}).items()
    }
    own = Overrides({name: stamp | row for name, row in models.items()}, {}, cells)
    _refuse_clashes(own, where)
    return own._replace(
        prices={_priced(name, rows, own, where): [stamp | row for row in rows] for name, rows in prices.items()}
    )


def with_overrides(row: Provider, own: Overrides) -> Provider:
    """A provider's row with the user's cells."""
    return row._replace(**own.providers.get(row.name, {}))


def _refuse_clashes(own: Overrides, where: str) -> None:
    from promptlint.facts import models

    for name, spelled, other in models.clashes(own):
        hint = f"write your cells under models.{shown(other)}, or take the id out"
        raise PromptlintError(f"{where}: models.{shown(name)}: {shown(spelled)} is the model {shown(other)}", hint)


def _priced(name: str, rows: list[dict[str, Any]], own: Overrides, where: str) -> str:
    """The name of the model that these rows are for; it has every lifetime that they price."""
    from promptlint.facts import models

    row_name = _known(name, own, where)
    model = models.model_of(row_name, own=own)
    priced = [ttl for row in rows if isinstance(row.get("write"), dict) for ttl in row["write"]]
    for ttl in priced if model else ():
        if model and ttl not in (*model.ttls, model.default_ttl):
            hint = f"it has {', '.join(model.ttls)}" if model.ttls else "give its ttls under models, or write: input"
            raise PromptlintError(f"{where}: prices.{shown(name)}.write: the model has no lifetime {ttl}", hint)
    return row_name


def _known(name: str, own: Overrides, where: str) -> str:
    """The model that prices are for, by any of its names."""
    from promptlint.facts import models

    row = models.model_of(name, own=own)
    if name in facts.table("models")["models"] or name in own.models:
        return name
    if row is None:
        close = models.nearest(name, own)
        hint = f"nearest: {', '.join(close)}" if close else "give it a row under models"
        raise PromptlintError(f"{where}: prices.{shown(name)}: no such model", hint)
    return row.name


def _model(name: str, row: Json, where: str) -> dict[str, Any]:
    found = fields(row, where, _MODEL)
    table = facts.table("models")
    if name not in table["models"] and "family" not in found:
        for field in ("provider", "caches"):
            if field not in found:
                raise PromptlintError(
                    f"{where}: {field} is missing",
                    f"a model that is new needs it, or a family: {', '.join(table['families'])}",
                )
        found.setdefault("platforms", [])
    return found


def _provider(name: str, row: Json, where: str) -> dict[str, Any]:
    _serving(name, where)
    return fields(row, where, _PROVIDER)


def _price_rows(rows: Json, where: str) -> list[dict[str, Any]]:
    listed = rows if isinstance(rows, list) else [rows]
    found = [
        fields(row, f"{where}.{index}" if isinstance(rows, list) else where, _PRICES)
        for index, row in enumerate(listed)
    ]
    if not any("input" in row for row in found):
        raise PromptlintError(f"{where}: no row has a price of input", "give input, in USD for a million tokens")
    for index, row in enumerate(found):
        _refuse_days(row, found[:index], where)
    return found


def _refuse_days(row: dict[str, Any], before: list[dict[str, Any]], where: str) -> None:
    """A row that ends before it begins, or begins in the same place on the same day as one before it."""
    start, end = row.get("from", ""), row.get("until", "9999")
    if start > end:
        raise PromptlintError(f"{where}: from {start} is after until {end}", "until is the last day of the row")
    for other in before:
        together = not ({*row.get("platforms", ())} and {*other.get("platforms", ())}) or not (
            {*row["platforms"]}.isdisjoint(other["platforms"])
        )
        if together and start == other.get("from", "") and row.get("cache") == other.get("cache"):
            day = f"from {start}" if start else "without a from"
            raise PromptlintError(f"{where}: two rows {day}", "give each its own from, platforms or cache")


def _decimal(value: Json, where: str, what: str) -> Decimal:
    if isinstance(value, Number) and len(value.text) <= _DIGITS:
        number = Decimal(value.text)
        if number.is_finite() and 0 <= number <= _LARGEST:
            return number
    raise wrong(value, where, f"{what}, at most {_LARGEST:,}")


def _price(value: Json, where: str) -> Decimal:
    return _decimal(value, where, "a price: USD for a million tokens, not below 0")


def _times(value: Json, where: str) -> Decimal:
    return _decimal(value, where, "a factor, not below 0")


def _count(value: Json, where: str) -> int:
    number = _decimal(value, where, "a whole number, not below 0")
    if number != int(number):
        raise wrong(value, where, "a whole number, not below 0")
    return int(number)


def _day(value: Json, where: str) -> str:
    try:
        return date.fromisoformat(text(value, where)).isoformat()
    except ValueError:
        raise wrong(value, where, "a day such as 2026-11-29") from None


def _ttl(value: Json, where: str) -> str:
    if isinstance(value, str) and re.fullmatch(r"[1-9][0-9]{0,4}[smhd]|in_memory", value):
        return value
    raise wrong(value, where, "a lifetime such as 5m or 1h")


def _list(of: Check) -> Check:
    def check(value: Json, where: str) -> list[Any]:
        if not isinstance(value, list):
            raise wrong(value, where, "a list")
        return [of(item, f"{where}.{index}") for index, item in enumerate(value)]

    return check


def _write(value: Json, where: str) -> Any:
    if value == "input":
        return value
    if not isinstance(value, dict):
        raise wrong(value, where, "a price for each lifetime, such as {5m: 1.25}, or input")
    return {_ttl(ttl, where): _price(price, f"{where}.{ttl}") for ttl, price in value.items()}


def _tier(value: Json, where: str) -> dict[str, Any]:
    found = fields(value, where, {"above": _count, "input_times": _times, "output_times": _times})
    for key in ("above", "input_times", "output_times"):
        if key not in found:
            raise PromptlintError(f"{where}: {key} is missing", "a tier has above, input_times and output_times")
    return found


def _family(value: Json, where: str) -> str:
    return choice(value, where, list(facts.table("models")["families"]), "family")


def _serving(value: Json, where: str) -> str:
    return choice(value, where, list(facts.table("providers")), "provider")


_MODEL: dict[str, Check] = {
    "family": _family,
    "provider": _serving,
    "platforms": _list(text),
    "caches": _list(one_of(*CACHES)),
    "ids": _list(text),
    "minimum": _count,
    "step": _count,
    "ttls": _list(_ttl),
    "default_ttl": _ttl,
    "lifetime": text,
    "thinking_kept": one_of("all", "last-turn"),
    "count_factor": _times,
}
_PRICES: dict[str, Check] = {
    "from": _day,
    "until": _day,
    "platforms": _list(text),
    "cache": one_of(*CACHES),
    "input": _price,
    "read": _price,
    "write": _write,
    "output": _price,
    "storage": _price,
    "tiers": _list(_tier),
    "note": text,
}
_PROVIDER: dict[str, Check] = {
    "cache": one_of(*CACHES),
    "lookback": _count,
    "marker_limit": _count,
    "lifetimes": lambda value, where: tuple(_list(_ttl)(value, where)),
    "default_lifetime": _ttl,
    "implicit": flag,
    "answers": flag,
    "held_back": _count,
}
