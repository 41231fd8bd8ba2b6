"""How one model caches on one platform: the provider's row and the model's figures together."""

from typing import NamedTuple

from promptlint.cache.minimum import Minimum
from promptlint.facts.models import Model, minimum, model_of, step
from promptlint.facts.own import NONE, Overrides
from promptlint.facts.providers import Cache, Provider, fits
from promptlint.finding import Unit
from promptlint.prompt import Rendered

_UNITS: dict[Cache, Unit] = {"markers": "marker", "message-ends": "message"}


class Rule(NamedTuple):
    """What decides how much of a prompt is reused."""

    provider: Provider
    kind: Cache
    minimum: Minimum = Minimum()
    step: int = 1  # tokens; what is read is a multiple of it
    observed: bool = False  # the step was seen in recorded calls and is not documented
    shifted: bool = False  # steps are counted from the start of text that no request shows
    strips_thinking: bool = False  # a new message of the user removes the thinking of earlier turns
    may_strip_thinking: bool = False  # whether it does is not known

    @property
    def by_entries(self) -> bool:
        """Whether only the ends of entries can be read, not any prefix."""
        return self.kind in ("markers", "message-ends")

    @property
    def unit(self) -> Unit:
        return _UNITS.get(self.kind, "step" if self.step > 1 else "token")


def has_markers(*prompts: Rendered) -> bool:
    """Whether any of these requests asks for markers."""
    return any(
        prompt.request.automatic is not None
        or any(segment.marker is not None for item in prompt.items for segment in item.item.segments)
        for prompt in prompts
    )


def rule_of(provider: Provider, model: str | None, *, marked: bool, exact: bool, own: Overrides = NONE) -> Rule:
    """The rule for a model on a provider's platform.

    `marked`: a request asks for markers; `exact`: tokens are counted as the model counts them; `own`: the user's facts.
    """
    if provider.assumed:
        return Rule(provider, provider.cache, Minimum(exact=exact))
    known = model_of(model or "", provider.name, own)
    kind = kind_of(provider, model, known, marked=marked)
    if known is None:
        least = _unknown_minimum(provider, exact=exact)
        return Rule(provider, kind, least, may_strip_thinking=fits("claude", model))
    said, seen = step(known, kind), step(known, kind, observed=True)
    in_effect = seen or said
    return Rule(
        provider=provider,
        kind=kind,
        minimum=_minimum(known, kind, exact=exact) or _unknown_minimum(provider, exact=exact),
        step=in_effect.tokens if in_effect else 1,
        observed=seen is not None and (said is None or said.tokens != seen.tokens),
        shifted=in_effect is not None and fits(provider.hidden_start, model),
        strips_thinking=known.thinking_kept == "last-turn",
        may_strip_thinking=known.thinking_kept is None and fits("claude", model),
    )


def kind_of(provider: Provider, model: str | None, known: Model | None, *, marked: bool) -> Cache:
    """The kind of cache: what the request asks for, what is known of the model, what holds for the provider."""
    if provider.cache == "objects":
        return "objects"
    if known is not None and known.caches:
        return "markers" if marked and "markers" in known.caches else known.caches[0]
    if marked and provider.cache_if_marked is not None:
        return provider.cache_if_marked
    return next((kind for pattern, kind in provider.models if fits(pattern, model)), provider.cache)


def _unknown_minimum(provider: Provider, *, exact: bool) -> Minimum:
    """Of a model whose own is not known: no more than the largest one of the provider's models."""
    return Minimum(provider.largest_minimum, exact=exact, firm=False, known=False)


def _minimum(known: Model, kind: Cache, *, exact: bool) -> Minimum | None:
    """The documented minimum, else the observed one. It is firm unless something speaks against it."""
    said, seen = minimum(known, kind), minimum(known, kind, observed=True)
    figure = said or seen
    if figure is None:
        return None
    contradicted = seen is not None and seen.tokens < figure.tokens
    firm = said is not None and said.confidence != "low" and kind != "objects" and not contradicted
    return Minimum(figure.tokens, 1.0 if exact else float(known.count_factor or 1), exact, firm)
