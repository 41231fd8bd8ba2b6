"""The interface of OpenAI, and of the many servers that took it over: chat completions, completions, responses."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from promptlint.confirm.live.calls import Call, Event, Reported, Sent, dumps, held, misfit, number
from promptlint.confirm.live.endpoint import Endpoint
from promptlint.facts.servers import interface

_PATHS = {"openai-responses": "/responses", "completion": "/completions", "text": "/completions"}
_CHAT = "/chat/completions"
_LEFT_OUT = frozenset(("n", "best_of", "background", "stream", "stream_options", "max_tokens", "max_completion_tokens"))
_DETAILS = ("prompt_tokens_details", "input_tokens_details")


def call(sent: Sent, place: Endpoint, salts: bool) -> Call:
    """The request that asks for one prompt. `salts`: the server keeps caches apart by `cache_salt`."""
    path = _PATHS.get(sent.format, _CHAT)
    body = {name: value for name, value in sent.body.items() if name not in _LEFT_OUT}
    body |= {"model": sent.model, "stream": True}
    if path == "/responses":
        body["max_output_tokens"] = answer_tokens(sent.tokens)
        asked = interface("openai").diagnostics
        if sent.compares and sent.after and re.match(asked.models, sent.model):
            options = body.get(asked.field)
            kept = options if isinstance(options, dict) else {}
            body[asked.field] = {**kept, asked.previous: sent.after}
    else:
        body["stream_options"] = {"include_usage": True}
        newer = "max_completion_tokens" in sent.body or place.provider == "openai"
        body["max_completion_tokens" if newer and path == _CHAT else "max_tokens"] = sent.tokens
    if salts and sent.salt:
        body["cache_salt"] = sent.salt
    if sent.fresh and not salts:
        body["cache_prompt"] = False  # llama.cpp
    return Call("POST", place.below(path, "/v1"), dumps(body))


def answer_tokens(tokens: int) -> int:
    """The limit of an answer of the Responses API, which takes no small one."""
    return max(tokens, interface("openai").least_response_tokens)


def is_output(event: Event) -> bool:
    """Whether an event brings a part of the answer."""
    kind = held(event.value, "type")
    if isinstance(kind, str) and kind.startswith("response."):
        return kind.endswith(".delta") and bool(held(event.value, "delta"))
    choices = held(event.value, "choices")
    for choice in choices if isinstance(choices, list) else ():
        delta = held(choice, "delta")
        if held(choice, "text"):
            return True
        if isinstance(delta, dict) and any(value for name, value in delta.items() if name != "role"):
            return True
    return False


def is_answer(event: Event) -> bool:
    """Whether an event is one of this interface."""
    kind = held(event.value, "type")
    is_response = isinstance(kind, str) and kind.startswith("response.")
    return is_response or any(isinstance(held(event.value, name), list) for name in ("choices", "output"))


def read(events: Sequence[Event]) -> Reported:
    """What the events of one answer report."""
    usage: Mapping[str, Any] = {}
    timings: Any = None
    found = Reported()
    for event in events:
        value = event.value
        response = held(value, "response") if isinstance(held(value, "response"), dict) else value
        if isinstance(held(response, "id"), str):
            found = found._replace(id=response["id"])
        if isinstance(held(response, "usage"), dict):
            usage = response["usage"]
        timings = held(value, "timings") or timings
        found = found._replace(miss_reason=_diagnosis(response) or found.miss_reason)
    return _counted(found, usage, timings)


def _counted(found: Reported, usage: Mapping[str, Any], timings: Any) -> Reported:
    prompt = number(usage.get("prompt_tokens", usage.get("input_tokens")))
    output = number(usage.get("completion_tokens", usage.get("output_tokens")))
    ways = interface("openai").cached
    figures = [(".".join(("usage", *way)), held(usage, *way)) for way in (*ways, ("prompt_tokens",), ("input_tokens",))]
    wrong = misfit((*figures, ("timings.cache_n", held(timings, "cache_n"))))
    found = found._replace(prompt_tokens=prompt, output_tokens=output, wrong=wrong)
    for name in _DETAILS:
        written = number(held(usage, name, "cache_write_tokens"))
        if written is not None:
            found = found._replace(written=_by_lifetime(held(usage, name, "cache_write_tokens_details"), written))
    for way in ways:
        cached = number(held(usage, *way))
        if cached is not None:
            return found._replace(cached_tokens=cached, source=".".join(("usage", *way)))
    cached = number(held(timings, "cache_n"))
    if cached is not None:
        return found._replace(cached_tokens=cached, source="timings.cache_n")
    return found


def _by_lifetime(details: Any, written: int) -> dict[str, int]:
    """Written tokens by lifetime: fields are called `ttl_30m_tokens`."""
    if not isinstance(details, dict):
        return {"30m": written} if written else {}
    lifetimes = ((name.removeprefix("ttl_").removesuffix("_tokens"), number(each)) for name, each in details.items())
    return {name: tokens for name, tokens in lifetimes if tokens}


def _diagnosis(response: Any) -> str:
    """What `prompt_cache_diagnostics` says; source: developers.openai.com, guides/prompt-caching/diagnostics."""
    found = held(response, "prompt_cache_diagnostics")
    kind, reason = held(found, "type"), held(found, "reason")
    if not isinstance(kind, str):
        return ""
    said = reason if kind == "cache_miss" and isinstance(reason, str) else kind
    missed = number(held(found, "cache_missed_tokens"))
    return f"{said} ({missed:,} tokens missed)" if missed is not None else said
