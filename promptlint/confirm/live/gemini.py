"""The generateContent API of Gemini."""

from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from promptlint.confirm.live.calls import Call, Event, Reported, Sent, dumps, held, misfit, number
from promptlint.confirm.live.endpoint import Endpoint

_METHOD = ":streamGenerateContent"
_CONFIGS = ("generationConfig", "generation_config")


def call(sent: Sent, place: Endpoint, salts: bool = False) -> Call:
    """The request that asks for one prompt."""
    body = {name: value for name, value in sent.body.items() if name != "model"}
    name = next((name for name in _CONFIGS if isinstance(body.get(name), dict)), _CONFIGS[0])
    limit = "maxOutputTokens" if name == _CONFIGS[0] else "max_output_tokens"
    config = body.get(name)
    body[name] = {**(config if isinstance(config, dict) else {}), limit: sent.tokens}
    base = place.path or "/v1beta"
    base = base.partition("/models/")[0].removesuffix("/models")
    model = quote(sent.model.removeprefix("models/"), safe="-._")
    address = place.url(f"{base}/models/{model}{_METHOD}")
    return Call("POST", address + ("&alt=sse" if place.query else "?alt=sse"), dumps(body))


def is_output(event: Event) -> bool:
    """Whether an event brings a part of the answer."""
    candidates = held(event.value, "candidates")
    return any(held(one, "content", "parts") for one in candidates) if isinstance(candidates, list) else False


def is_answer(event: Event) -> bool:
    """Whether an event is one of this interface."""
    known = (("candidates", list), ("usageMetadata", dict), ("promptFeedback", dict))
    return any(isinstance(held(event.value, name), kind) for name, kind in known)


def read(events: Sequence[Event]) -> Reported:
    """What the events of one answer report. A count of zero is left out by this API."""
    usage: dict[str, Any] = {}
    found = Reported()
    for event in events:
        said = held(event.value, "usageMetadata")
        usage |= said if isinstance(said, dict) else {}
        if isinstance(held(event.value, "responseId"), str):
            found = found._replace(id=event.value["responseId"])
    prompt = number(usage.get("promptTokenCount"))
    counts = ("promptTokenCount", "cachedContentTokenCount")
    found = found._replace(wrong=misfit((f"usageMetadata.{name}", usage.get(name)) for name in counts))
    if prompt is None:
        return found
    named = "cachedContentTokenCount" in usage
    answer, thoughts = (number(usage.get(name)) for name in ("candidatesTokenCount", "thoughtsTokenCount"))
    return found._replace(
        prompt_tokens=prompt,
        cached_tokens=number(usage.get("cachedContentTokenCount")) if named else 0,
        source="usageMetadata.cachedContentTokenCount" + ("" if named else " (left out: 0)"),
        output_tokens=None if answer is None and thoughts is None else (answer or 0) + (thoughts or 0),
    )
