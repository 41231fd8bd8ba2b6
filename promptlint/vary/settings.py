"""Variations of fields beside the text: thinking, tool choice, model, what only samples, what keys a cache."""

from collections.abc import Iterator

from promptlint.facts import models
from promptlint.prompt import Json, Number, Path
from promptlint.vary.edit import put, removed
from promptlint.vary.variation import Source, Variation

_ANTHROPIC = ("anthropic", "bedrock-invoke")
_BUDGET = 1024  # the smallest one; max_tokens has to be larger
_ON: dict[str, Json] = {"type": "enabled", "budget_tokens": Number(str(_BUDGET))}
_CHOICES: dict[str, tuple[Path, Json]] = {
    "anthropic": (("tool_choice",), {"type": "any"}),
    "bedrock-invoke": (("tool_choice",), {"type": "any"}),
    "openai-chat": (("tool_choice",), "required"),
    "openai-responses": (("tool_choice",), "required"),
    "cohere-chat": (("tool_choice",), "REQUIRED"),
    "gemini": (("toolConfig", "functionCallingConfig", "mode"), "ANY"),
    "bedrock-converse": (("toolConfig", "toolChoice"), {"any": {}}),
}
_TEMPERATURES: dict[str, Path] = {
    "anthropic": ("temperature",),
    "bedrock-invoke": ("temperature",),
    "openai-chat": ("temperature",),
    "openai-responses": ("temperature",),
    "cohere-chat": ("temperature",),
    "gemini": ("generationConfig", "temperature"),
    "bedrock-converse": ("inferenceConfig", "temperature"),
    "ollama-chat": ("options", "temperature"),
}


def variations(source: Source) -> Iterator[Variation]:
    request, path = source.request, source.request.path
    form = request.format
    yield from _thinking(source)
    if form in _CHOICES and source.items("tools"):
        place, wanted = _CHOICES[form]
        does = "tool_choice: a tool is demanded"
        if form in _ANTHROPIC and _held(source, (*path, "thinking")) is not None:  # which takes no other choice
            wanted, does = {"type": "none"}, "tool_choice: no tool is to be used"
        yield _toggled(source, "tool-choice", does, (*path, *place), wanted)
    if form in _TEMPERATURES:
        yield _toggled(source, "temperature", "another temperature", (*path, *_TEMPERATURES[form]), Number("0.3"))
    yield from _other_model(source)
    if form in ("openai-chat", "openai-responses") and source.salted:
        yield _toggled(source, "cache-salt", "another cache_salt", (*path, "cache_salt"), "tenant-b")
    elif form in ("openai-chat", "openai-responses") and source.provider in ("openai", "azure"):
        yield _toggled(source, "cache-key", "another prompt_cache_key", (*path, "prompt_cache_key"), "session-2")


def _toggled(source: Source, name: str, does: str, path: Path, wanted: Json) -> Variation:
    """The field with another value; without it if it has this one already."""
    held = _held(source, path)
    value = removed(source.value, path) if held == wanted else put(source.value, path, wanted)
    return Variation(name, "settings", f"{does}, no more" if held == wanted else does, value, path)


def _held(source: Source, path: Path) -> Json:
    holder = source.at(path[:-1])
    return holder.get(str(path[-1])) if isinstance(holder, dict) and source.at(path[:-1]) is not None else None


def _thinking(source: Source) -> Iterator[Variation]:
    form, path = source.request.format, source.request.path
    places: dict[str, tuple[Path, Json]] = {
        "openai-chat": (("reasoning_effort",), "high"),
        "openai-responses": (("reasoning", "effort"), "high"),
        "gemini": (("generationConfig", "thinkingConfig", "thinkingBudget"), Number("1024")),
        "ollama-chat": (("think",), True),
    }
    if form in _ANTHROPIC or form == "bedrock-converse":
        at = (*path, "thinking") if form in _ANTHROPIC else (*path, "additionalModelRequestFields", "thinking")
        held = _held(source, at)
        if isinstance(held, dict) and held.get("type") != "disabled":
            yield Variation("thinking-off", "settings", "thinking switched off", removed(source.value, at), at)
        else:
            yield _thinking_on(source, at)
    elif form == "openai-chat" and source.hosted:
        at = (*path, "chat_template_kwargs", "enable_thinking")
        yield _toggled(source, "thinking", "chat_template_kwargs: enable_thinking false", at, False)
    elif form in places:
        place, wanted = places[form]
        yield _toggled(source, "thinking", f"{'.'.join(map(str, place))}: another value", (*path, *place), wanted)


def _thinking_on(source: Source, at: Path) -> Variation:
    does, value = "thinking switched on", put(source.value, at, _ON)
    form = source.request.format
    limit = (*source.request.path, *(("max_tokens",) if form in _ANTHROPIC else ("inferenceConfig", "maxTokens")))
    held = _held(source, limit)
    if isinstance(held, Number) and held.text.isdigit() and int(held.text) <= _BUDGET:
        value = put(value, limit, Number(str(2 * _BUDGET)))
        does += f", and {limit[-1]} raised to {2 * _BUDGET:,}"
    return Variation("thinking-on", "settings", does, value, at)


def _other_model(source: Source) -> Iterator[Variation]:
    """Another model of the same provider."""
    request = source.request
    known = models.model_of(request.model or "", request.provider)
    name = "modelId" if request.format == "bedrock-converse" else "model"
    path = next((place for place, named in request.named.items() if named == ("model",)), (*request.path, name))
    if known is None or source.hosted or _held(source, path) != request.model:
        return
    others = (models.model_of(other) for other in models.names())
    other = next((m for m in others if m is not None and m.provider == known.provider and m.name != known.name), None)
    if other is not None:
        written = _spelled(str(request.model), known.name, other.name)
        yield Variation("model", "settings", f"another model, {written}", put(source.value, path, written), path)


def _spelled(model: str, name: str, other: str) -> str:
    """The name of another model, as the platform of this one spells ids."""
    front, slash, _ = model.rpartition("/")
    return model.replace(name, other) if name in model else f"{front}{slash}{other}"
