"""A bare array of messages, of the provider that its roles and blocks tell."""

import importlib
from collections.abc import Callable

from promptlint.load import anthropic, bedrock_converse, gemini, openai_chat, openai_responses
from promptlint.load.blocks import Body, required_array
from promptlint.load.recognise import family
from promptlint.prompt import Item, Json, Path

_LIBRARIES = {"harmony": "harmony", "langchain": "langchain", "otel": "genai_parts", "ai-sdk": "ai_sdk"}
_PROVIDERS = {"anthropic": "anthropic", "gemini": "google", "bedrock-converse": "bedrock"}


def load(value: Json, path: Path) -> Body:
    """The array itself, or an object with `messages`."""
    if isinstance(value, dict):
        required_array(value, "messages", path)
        body = load(value["messages"], (*path, "messages"))
        return body._replace(consumed=frozenset({"messages", "model"}))
    found = family(value) if isinstance(value, list) else None
    provider = _PROVIDERS.get(found or "")
    if found == "anthropic":
        return Body(tuple(anthropic.message_items(value, path)), frozenset(), provider=provider)
    if found == "gemini":
        return Body(tuple(gemini.message_items(value, path)), frozenset(), provider=provider)
    if found == "openai-responses":
        return Body(tuple(openai_responses.input_items(value, path)), frozenset())
    if found == "bedrock-converse":
        items, notes = bedrock_converse.message_items(value, path)
        return Body(tuple(items), frozenset(), provider=provider, notes=notes)
    if found in _LIBRARIES:
        module = importlib.import_module(f"promptlint.load.{_LIBRARIES[found]}")
        message_items: Callable[[Json, Path], list[Item]] = module.message_items
        return Body(tuple(message_items(value, path)), frozenset())
    return Body(tuple(openai_chat.message_items(value, path)), frozenset())
