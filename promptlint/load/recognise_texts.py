"""Formats whose text stands in one field, or under names of their own."""

from promptlint.load.recognise import OLLAMA_FIELDS, has_options, is_cohere_model
from promptlint.prompt import Json, Number

_GENERATE_FIELDS = (*OLLAMA_FIELDS, "template", "raw", "context", "system", "images")
_COHERE_V1_FIELDS = ("chat_history", "preamble", "connectors", "conversation_id")
_NO_COMPLETION = frozenset({"prompts", "template", "input_variables", "contents", "response", "completion"})


def by_text(value: dict[str, Json]) -> str | None:
    """The format of an object with `prompt`, `message` or `conversations`, None if it is none of these."""
    turns = value.get("conversations")
    if isinstance(turns, list) and any("from" in turn or "role" in turn for turn in turns if isinstance(turn, dict)):
        return "sharegpt"
    if isinstance(value.get("message"), str) and (
        any(name in value for name in _COHERE_V1_FIELDS) or is_cohere_model(value)
    ):
        return "cohere-v1"
    prompt = value.get("prompt")
    if isinstance(prompt, str) and (any(name in value for name in _GENERATE_FIELDS) or has_options(value)):
        return "ollama-generate"
    whole = isinstance(prompt, str) or (isinstance(prompt, list) and prompt and isinstance(prompt[0], str | Number))
    return "completion" if whole and _NO_COMPLETION.isdisjoint(value) else None
