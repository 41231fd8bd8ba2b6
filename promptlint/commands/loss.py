"""What lost tokens cost a request, on the prices of a day."""

from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import NamedTuple

from promptlint import facts
from promptlint.cache.minimum import EITHER_WAY
from promptlint.cache.positions import Position
from promptlint.cache.rule import Rule
from promptlint.facts.models import Model, model_of
from promptlint.facts.own import NONE, Overrides
from promptlint.facts.prices import Prices, modifiers_of, prices_of
from promptlint.facts.providers import Cache
from promptlint.finding import Boundary
from promptlint.money.cost import lost
from promptlint.prompt import Json, Request
from promptlint.read.names import shown

_EITHER_WAY = Decimal(str(EITHER_WAY))


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
    batch: bool = False,
    exact: bool = True,
    own: Overrides = NONE,
) -> Loss:
    """What it costs that `tokens` of a prompt of `prompt_tokens` are not read from the cache.

    `ttl`: the lifetime for which the request writes them again ("" if its cache asks for none); None: it does not, and
    they cost the input price. `settings`: what `billing_settings` gives. `batch`: it is a row of a batch. `exact`: the
    tokens are counted as the model counts them.
    """
    where = model.name if model.platform == model.provider else f"{model.name} on {model.platform}"
    unpriced = f"{where} in a batch" if batch else where
    modifiers = modifiers_of(model, settings, batch=batch)
    if modifiers is None:
        asked = ", ".join(f"{field} {value}" for field, value in settings.items())
        return Loss(None, f"no price is known for {unpriced}{f' with {asked}' if asked else ''}")
    prices = prices_of(model, on, kind=kind, modifiers=modifiers, own=own)
    usd = None if prices is None else lost(tokens, prices, prompt_tokens, ttl)
    if prices is None or usd is None:
        return Loss(None, f"no price of reads and writes is known for {unpriced} on {on}")
    since = f"since {prices.start}" if prices.start else f"checked {prices.checked}"
    with_modifiers = f", {' and '.join(prices.modifiers)}" if prices.modifiers else ""
    peak = f", outside peak hours ({prices.peak.times} times as much within)" if prices.peak else ""
    tier = "" if exact else _tier_nearby(model, prices, prompt_tokens)
    return Loss(usd, f"prices of {where}{with_modifiers}, {since}{peak}{tier}")


def _tier_nearby(model: Model, prices: Prices, prompt_tokens: int) -> str:
    """What is to say of a count that is about, if the model's own may fall in another tier."""
    middle = prompt_tokens * Decimal(model.count_factor or 1)
    low, high = middle * (1 - _EITHER_WAY), middle * (1 + _EITHER_WAY)
    for tier in prices.tiers:
        if prompt_tokens <= tier.above < high:
            return f"; the real count may fall in the dearer tier above {tier.above:,}"
        if low <= tier.above < prompt_tokens:
            return f"; the real count may fall below the dearer tier above {tier.above:,}, which is taken here"
    return ""


def priced(
    limits: Boundary, rule: Rule, markers: Sequence[Position], request: Request, prompt_tokens: int, own: Overrides
) -> Boundary:
    """The boundary with what its lost tokens cost the second request today.

    `markers`: blocks of the second request, where markers decide.
    """
    if not limits.lost_tokens:
        return limits
    found = price_of(limits.lost_tokens, rule, markers, request, prompt_tokens, own, exact=limits.exact)
    return limits._replace(lost_usd=as_text(found.usd), price=found.note)


def as_text(usd: Decimal | None) -> str | None:
    """Dollars as reports keep them."""
    return None if usd is None else f"{usd.normalize():f}"


def price_of(
    tokens: int,
    rule: Rule,
    markers: Sequence[Position],
    request: Request,
    prompt_tokens: int,
    own: Overrides,
    *,
    exact: bool,
) -> Loss:
    """What it costs a request today that so many of its tokens are not read; see `loss` and `priced`."""
    model = model_of(request.model or "", rule.provider.name, own)
    if model is None:
        named = f"no price is known for {shown(request.model)}" if request.model else "no price: no model is named"
        return Loss(None, named)
    kind: Cache = rule.kind
    ttl = _written_for(rule, model, markers, request)
    mixed = len({position.marker.ttl or rule.provider.default_lifetime for position in markers if position.marker}) > 1
    found = loss(
        model,
        tokens,
        prompt_tokens,
        on=date.today(),
        kind=kind,
        ttl=ttl,
        settings=billing_settings(request),
        batch=in_batch(request),
        exact=exact,
        own=own,
    )
    return found._replace(note=found.note + (f", all as written for {ttl}" if mixed else ""))


def _written_for(rule: Rule, model: Model, positions: Sequence[Position], request: Request) -> str | None:
    """The lifetime for which the second request writes its prompt; None if it writes nothing."""
    ends = [position.marker for position in positions if position.marker is not None]
    if rule.kind == "markers":
        return (ends[-1].ttl or rule.provider.default_lifetime) if ends else None
    said = request.settings.get((*request.path, "prompt_cache_options"))
    options: dict[str, Json] = said if isinstance(said, dict) else {}
    asked = options.get("ttl")
    lifetime = asked if isinstance(asked, str) else model.default_ttl or ""
    if rule.kind != "message-ends":
        return lifetime
    if not ends and options.get("mode") == "explicit":
        return None
    return next((marker.ttl for marker in reversed(ends) if marker.ttl), lifetime)


def in_batch(request: Request) -> bool:
    """Whether a request is a field of a batch's row: an object that has a `custom_id`."""
    *above, field = request.path or ("",)
    document = request.document
    if field not in ("params", "body") or None in above or "custom_id" not in document.text:
        return False
    from promptlint.read import json_text, yaml_text

    holder, _ = yaml_text.parse(document) if document.syntax == "yaml" else json_text.parse(document)
    for step in above:
        holder = holder[step]  # type: ignore[index]  # the path was found in this very value
    return isinstance(holder, dict) and "custom_id" in holder


def billing_settings(request: Request) -> dict[str, str]:
    """The fields of a request that change its prices, where they stand at its top."""
    fields = facts.table("prices")["neutral"]
    found = ((path[-1], value) for path, value in request.settings.items() if path[:-1] == request.path)
    return {str(name): value for name, value in found if name in fields and isinstance(value, str)}
