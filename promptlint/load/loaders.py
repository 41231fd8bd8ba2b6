"""The formats by name, and the function of this package that reads each."""

import importlib
from collections.abc import Callable

from promptlint.load.blocks import Body
from promptlint.prompt import Json, Path

_MODULES = {
    "anthropic": "anthropic",
    "openai-chat": "openai_chat",
    "openai-responses": "openai_responses",
    "gemini": "gemini",
    "bedrock-converse": "bedrock_converse",
    "bedrock-invoke": "anthropic",
    "ollama-chat": "ollama_chat",
    "ollama-generate": "ollama_generate",
    "cohere-chat": "cohere_chat",
    "cohere-v1": "cohere_v1",
    "harmony": "harmony",
    "sharegpt": "sharegpt",
    "completion": "completion",
    "span": "span",
    "messages": "messages",
    "tools": "tools",
    "mcp-tools": "tools",
    "text": "text",
    "token-ids": "token_ids",
}
FORMATS: tuple[str, ...] = tuple(_MODULES)


def loader(format_name: str) -> Callable[[Json, Path], Body]:
    """The `load` of one file of this package; the others are not imported, which a small diff would feel."""
    module = importlib.import_module(f"promptlint.load.{_MODULES[format_name]}")
    found: Callable[[Json, Path], Body] = module.load
    return found
