"""Variations of fields beside the text: thinking, tool choice, model, what only samples, what keys a cache."""

import re
from collections.abc import Iterator

from promptlint.facts import models
from promptlint.prompt import Json, Number, Path
from promptlint.vary.edit import put, removed
from promptlint.vary.variation import Source, Variation

_ANTHROPIC = ("anthropic", "bedrock-invoke")
_BUDGET = 1024  # the smallest one; max_tokens has to be larger
_ON: dict[str, Json] = {"type": "enabled", "budget_tokens": Number(str(_BUDGET))}
_CHOICES: dict[str, tuple[Path, Json, Json]] = {  # where, what demands a tool, what leaves it to the model
    "anthropic": (("tool_choice", "type"), "any", "auto"),
    "bedrock-invoke": (("tool_choice", "type"), "any", "auto"),
    "openai-chat": (("tool_choice",), "required", "auto"),
    "openai-responses": (("tool_choice",), "required", "auto"),
    "cohere-chat": (("tool_choice",), "REQUIRED", "NONE"),
    "gemini": (("toolConfig", "functionCallingConfig", "mode"), "ANY", "AUTO"),
    "bedrock-converse": (("toolConfig", "toolChoice"), {"any": {}}, {"auto": {}}),
}
_LIMITS: dict[str, tuple[Path, ...]] = {  # of the answer; the first that is sent, else the last
    "anthropic": (("max_tokens",),),
    "bedrock-invoke": (("max_tokens",),),
    "openai-chat": (("max_tokens",), ("max_completion_tokens",)),
    "openai-responses": (("max_output_tokens",),),
    "cohere-chat": (("max_tokens",),),
    "gemini": (("generationConfig", "maxOutputTokens"),),
    "bedrock-converse": (("inferenceConfig", "maxTokens"),),
    "ollama-chat": (("options", "num_predict"),),
}
_EFFORTS: dict[str, Path] = {
    "openai-chat": ("reasoning_effort",),
    "openai-responses": ("reasoning", "effort"),
    "gemini": ("generationConfig", "thinkingConfig", "thinkingLevel"),
}
_SNAKE = {"toolConfig": "tool_config", "generationConfig": "generation_config", "thinkingConfig": "thinking_config",
          "thinkingLevel": "thinking_level", "thinkingBudget": "thinking_budget",
          "functionCallingConfig": "function_calling_config", "maxOutputTokens": "max_output_tokens"}  # fmt: skip
_ADAPTIVE = r"claude-(?:opus|sonnet|haiku)-(?:4-[7-9](?!\d)|[5-9])|claude-fable"  # take no budget, and no temperature
_REASONING = r"(?:^|/)(?:gpt-[5-9]|o\d)"  # of OpenAI's models


def variations(source: Source) -> Iterator[Variation]:
    request = source.request
    thinks = _thinks(source)
    yield from _thinking(source, thinks)
    if request.format in _CHOICES and source.items("tools"):
        yield _tool_choice(source, thinks)
    if request.format in _LIMITS:
        yield _output_limit(source)
    yield from _other_model(source)
    if request.format in ("openai-chat", "openai-responses") and source.salted:
        yield _toggled(source, "cache-salt", "another cache_salt", _at(source, ("cache_salt",)), "tenant-b", "tenant-c")
    elif request.format in ("openai-chat", "openai-responses") and source.provider in ("openai", "azure"):
        path = _at(source, ("prompt_cache_key",))
        yield _toggled(source, "cache-key", "another prompt_cache_key", path, "session-2", "session-3")


def _at(source: Source, field: Path) -> Path:
    """A field of the request; Gemini's in the spelling in which the request has it, or has others beside it."""
    path = source.request.path
    body = source.at(path)
    names = body if isinstance(body, dict) else {}
    with_underscores = any("_" in name for name in names) and not any(name in names for name in _SNAKE)
    for step in field:
        holder = source.at(path) if path == source.request.path or _held(source, path) is not None else {}
        held = holder if isinstance(holder, dict) else {}
        other = _SNAKE.get(str(step), str(step))
        if source.request.format == "gemini" and step not in held and (other in held or with_underscores):
            step, with_underscores = other, True
        path = (*path, step)
    return path


def _toggled(source: Source, name: str, does: str, path: Path, wanted: Json, other: Json) -> Variation:
    """The field with another value than it has."""
    return Variation(
        name, "settings", does, put(source.value, path, other if _held(source, path) == wanted else wanted), path
    )


def _output_limit(source: Source) -> Variation:
    """Another limit of the answer: every provider takes one, and no prompt depends on it."""
    paths = [_at(source, field) for field in _LIMITS[source.request.format]]
    path = next((path for path in paths if _held(source, path) is not None), paths[-1])
    held = _held(source, path)
    limit = int(held.text) + 1 if isinstance(held, Number) and held.text.isdigit() else 4096
    return Variation(
        "output-limit", "settings", "another limit of the answer", put(source.value, path, Number(str(limit))), path
    )


def _held(source: Source, path: Path) -> Json:
    """The value of a field; None where it is not sent."""
    if path == source.request.path:
        return source.at(path)
    for depth in range(len(source.request.path), len(path)):
        holder = source.at(path[:depth])
        if not isinstance(holder, dict) or path[depth] not in holder:
            return None
    return source.at(path)


def _thinking_path(source: Source) -> Path | None:
    if source.request.format in _ANTHROPIC:
        return _at(source, ("thinking",))
    if source.request.format == "bedrock-converse":
        return _at(source, ("additionalModelRequestFields", "thinking"))
    return None


def _thinks(source: Source) -> bool:
    """Whether thinking is switched on in a field that says so."""
    path = _thinking_path(source)
    held = None if path is None else _held(source, path)
    return isinstance(held, dict) and held.get("type") != "disabled"


def _thinking(source: Source, thinks: bool) -> Iterator[Variation]:
    form, path = source.request.format, _thinking_path(source)
    if path is not None and thinks:
        yield Variation("thinking-off", "settings", "thinking switched off", removed(source.value, path), path)
    elif path is not None:
        prefill = source.request.items and source.request.items[-1].role == "assistant"  # not allowed with thinking
        if not prefill:
            yield _thinking_on(source, path)
    elif form == "openai-chat" and source.hosted:
        path = _at(source, ("chat_template_kwargs", "enable_thinking"))
        yield _toggled(source, "thinking", "enable_thinking for the chat template", path, False, True)
    elif form == "ollama-chat":
        yield _toggled(source, "thinking", "think", _at(source, ("think",)), True, False)
    elif form in _EFFORTS and (form == "gemini" or re.search(_REASONING, (source.request.model or "").lower())):
        path = _at(source, _EFFORTS[form])
        budget = _at(source, ("generationConfig", "thinkingConfig", "thinkingBudget"))
        if form == "gemini" and (_held(source, budget) is not None or "gemini-2" in (source.request.model or "")):
            yield _toggled(source, "thinking", "another budget", budget, Number("1024"), Number("2048"))
        else:
            yield _toggled(source, "thinking", "another effort", path, "high", "low")


def _thinking_on(source: Source, at: Path) -> Variation:
    """With all that the provider demands besides: room for it, no temperature, no tool that has to be used."""
    adaptive = re.search(_ADAPTIVE, source.request.model or "") is not None
    does, value = ["thinking switched on"], put(source.value, at, {"type": "adaptive"} if adaptive else _ON)
    converse = source.request.format == "bedrock-converse"
    limit = _at(source, ("inferenceConfig", "maxTokens") if converse else ("max_tokens",))
    held = _held(source, limit)
    if not adaptive and isinstance(held, Number) and held.text.isdigit() and int(held.text) <= _BUDGET:
        value = put(value, limit, Number(str(2 * _BUDGET)))
        does.append(f"{limit[-1]} raised to {2 * _BUDGET:,}")
    sampling: tuple[Path, ...] = (("temperature",), ("top_k",), ("top_p",))
    if converse:
        sampling = (("inferenceConfig", "temperature"), ("inferenceConfig", "topP"))
    for field in sampling:
        if _held(source, path := _at(source, field)) is not None:
            value = removed(value, path)
            does.append(f"{field[-1]} left out")
    choice, _, free = _CHOICES[source.request.format]
    if _held(source, path := _at(source, choice)) not in (None, free, "none"):
        value = put(value, path, free)
        does.append("no tool demanded")
    return Variation("thinking-on", "settings", ", ".join(does), value, at)


def _tool_choice(source: Source, thinks: bool) -> Variation:
    """Another choice; with thinking Anthropic takes none that demands a tool."""
    field, demand, free = _CHOICES[source.request.format]
    path = _at(source, field)
    held = _held(source, path)
    if thinks and source.request.format in _ANTHROPIC:
        wanted: Json = "auto" if held == "none" else "none"
    else:
        wanted = free if held == demand else demand
    says = {"none": "no tool is to be used"}.get(
        str(wanted), "a tool is demanded" if wanted == demand else "none is demanded"
    )
    return Variation("tool-choice", "settings", f"tool choice: {says}", put(source.value, path, wanted), path)


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
