"""What lost tokens cost a request, on the prices of a day."""

from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import NamedTuple

from promptlint import facts
from promptlint.cache.positions import Position
from promptlint.cache.rule import Rule
from promptlint.facts.models import Model, model_of
from promptlint.facts.own import NONE, Overrides
from promptlint.facts.prices import modifiers_of, prices_of
from promptlint.facts.providers import Cache
from promptlint.finding import Boundary
from promptlint.money.cost import lost
from promptlint.prompt import Request


class Loss(NamedTuple):
    """Dollars, and on which price they rest."""

    usd: Decimal | None  # None: a price is not known
    note: str  # which prices, of when; or why there are none


def loss(
    model: Model,
    tokens: int,
    prompt_tokens: int,
    *,
    on: date,
    kind: Cache | None = None,
    ttl: str | None = None,
    settings: Mapping[str, str] = {},
    own: Overrides = NONE,
) -> Loss:
    """What it costs that `tokens` of a prompt of `prompt_tokens` are not read from the cache.

    `ttl`: the lifetime for which the request writes them again ("" if its cache asks for none); None: it does not, and
    they cost the input price. `settings`: what `billing_settings` gives.
    """
    where = model.name if model.platform == model.provider else f"{model.name} on {model.platform}"
    modifiers = modifiers_of(model, settings)
    if modifiers is None:
        asked = ", ".join(f"{field} {value}" for field, value in settings.items())
        return Loss(None, f"no price is known for {where} with {asked}")
    prices = prices_of(model, on, kind=kind, modifiers=modifiers, own=own)
    usd = None if prices is None else lost(tokens, prices, prompt_tokens, ttl)
    if prices is None or usd is None:
        return Loss(None, f"no price of reads and writes is known for {where} on {on}")
    since = f"since {prices.start}" if prices.start else f"checked {prices.checked}"
    with_modifiers = f", {' and '.join(prices.modifiers)}" if prices.modifiers else ""
    peak = f", outside peak hours ({prices.peak.times} times as much within)" if prices.peak else ""
    return Loss(usd, f"prices of {where}{with_modifiers}, {since}{peak}")


def priced(
    limits: Boundary, rule: Rule, markers: Sequence[Position], request: Request, prompt_tokens: int, own: Overrides
) -> Boundary:
    """The boundary with what its lost tokens cost the second request today.

    `markers`: blocks of the second request, where markers decide.
    """
    model = model_of(request.model or "", rule.provider.name, own)
    if model is None or not limits.lost_tokens:
        return limits
    kind: Cache = rule.kind
    found = loss(
        model,
        limits.lost_tokens,
        prompt_tokens,
        on=date.today(),
        kind=kind,
        ttl=_written_for(rule, model, markers),
        settings=billing_settings(request),
        own=own,
    )
    usd = None if found.usd is None else f"{found.usd.normalize():f}"
    return limits._replace(lost_usd=usd, price=found.note)


def _written_for(rule: Rule, model: Model, positions: Sequence[Position]) -> str | None:
    """The lifetime for which the second request writes its prompt; None if it writes nothing."""
    if rule.kind == "markers":
        ends = [position.marker for position in positions if position.marker is not None]
        return (ends[-1].ttl or rule.provider.default_lifetime) if ends else None
    return (model.default_ttl or "") if rule.kind == "message-ends" else ""


def billing_settings(request: Request) -> dict[str, str]:
    """The fields of a request that change its prices, where they stand at its top."""
    fields = facts.table("prices")["neutral"]
    found = ((path[-1], value) for path, value in request.settings.items() if path[:-1] == request.path)
    return {str(name): value for name, value in found if name in fields and isinstance(value, str)}
