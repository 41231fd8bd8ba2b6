"""The Messages API of Anthropic, and of servers that took it over."""

from collections.abc import Sequence
from typing import Any

from promptlint.confirm.live.calls import Call, Event, Reported, Sent, dumps, held, misfit, number
from promptlint.confirm.live.endpoint import Endpoint
from promptlint.facts.servers import interface

_LEFT_OUT = frozenset(("stream", "max_tokens", "betas", "anthropic_version", "anthropic_beta"))


def call(sent: Sent, place: Endpoint, salts: bool = False) -> Call:
    """The request that asks for one prompt."""
    body = {name: value for name, value in sent.body.items() if name not in _LEFT_OUT}
    body |= {"model": sent.model, "stream": True, "max_tokens": answer_tokens(sent.body, sent.tokens)}
    betas = [flag.strip() for flag in sent.betas.split(",") if flag.strip()]
    known = interface("anthropic")
    if sent.compares:
        asked = known.diagnostics
        body[asked.field] = {asked.previous: sent.after}
        betas += [] if asked.flag in betas else [asked.flag]
    headers = [known.version] if known.version else []
    headers += [("anthropic-beta", ",".join(betas))] if betas else []
    return Call("POST", place.below("/messages", "/v1", versioned=True), dumps(body), tuple(headers))


def answer_tokens(body: Any, tokens: int) -> int:
    """The limit of an answer: above the budget of its thinking, which is part of the prompt and cannot be changed."""
    budget = number(held(body, "thinking", "budget_tokens"))
    return tokens if budget is None else budget + max(tokens, 1)


def is_output(event: Event) -> bool:
    """Whether an event brings a part of the answer."""
    return bool(held(event.value, "type") == "content_block_delta")


def is_answer(event: Event) -> bool:
    """Whether an event is one of this interface."""
    kind = held(event.value, "type")
    return isinstance(kind, str) and kind.startswith(("message", "content_block"))


def read(events: Sequence[Event]) -> Reported:
    """What the events of one answer report: the input of this API leaves out what was read and written."""
    usage: dict[str, Any] = {}
    found = Reported()
    for event in events:
        value = event.value
        message = value if held(value, "type") == "message" else held(value, "message")
        if isinstance(held(message, "id"), str):
            found = found._replace(id=message["id"])
        for holder in (message, value):
            said = held(holder, "usage")
            usage |= {name: each for name, each in said.items() if each is not None} if isinstance(said, dict) else {}
            reason = _diagnosis(holder)
            found = found._replace(miss_reason=reason or found.miss_reason)
    return _counted(found, usage)


def _counted(found: Reported, usage: dict[str, Any]) -> Reported:
    (way,) = interface("anthropic").cached
    fresh, cached = number(usage.get("input_tokens")), number(held(usage, *way))
    written = number(usage.get("cache_creation_input_tokens")) or 0
    passes = usage.get("iterations")
    counts = ("input_tokens", *way, "cache_creation_input_tokens")
    return found._replace(
        wrong=misfit((f"usage.{name}", usage.get(name)) for name in counts),
        prompt_tokens=None if fresh is None else fresh + (cached or 0) + written,
        cached_tokens=cached,
        source="" if cached is None else ".".join(("usage", *way)),
        written=_by_lifetime(usage.get("cache_creation"), written),
        output_tokens=number(usage.get("output_tokens")),
        is_sum=isinstance(passes, list) and len(passes) > 1,
    )


def _by_lifetime(split: Any, written: int) -> dict[str, int]:
    found = {ttl: number(held(split, f"ephemeral_{ttl}_input_tokens")) or 0 for ttl in ("5m", "1h")}
    if sum(found.values()) != written:
        found = {"5m": written}
    return {ttl: tokens for ttl, tokens in found.items() if tokens}


def _diagnosis(message: Any) -> str:
    reason = held(message, "diagnostics", "cache_miss_reason")
    kind, missed = held(reason, "type"), number(held(reason, "cache_missed_input_tokens"))
    if not isinstance(kind, str):
        return ""
    return f"{kind} (about {missed:,} tokens missed)" if missed is not None else kind
