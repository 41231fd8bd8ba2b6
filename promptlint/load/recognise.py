"""Which format a value has, by content."""

from collections.abc import Iterator
from functools import cache

from promptlint import facts
from promptlint.load.blocks import kinds
from promptlint.prompt import Json, Number

_CONVERSE = ("modelId", "toolConfig", "inferenceConfig", "additionalModelRequestFields")
_CHAT_FIELDS = (
    "functions",
    "response_format",
    "max_completion_tokens",
    "frequency_penalty",
    "logit_bias",
    "tool_calls",
)
_MESSAGES_FIELDS = ("stop_sequences", "output_config", "mcp_servers", "context_management")
OLLAMA_FIELDS = ("keep_alive", "think", "format")
_COHERE_FIELDS = ("citation_options", "safety_mode", "strict_tools")
_COHERE_MODELS = ("command", "c4ai-")
_TEXT_FIELDS = frozenset({"prompt", "message", "conversations"})
_LANGCHAIN_TYPES = ("human", "ai", "system", "tool", "function", "AIMessageChunk")
_RESPONSES_FIELDS = (
    "instructions",
    "previous_response_id",
    "max_output_tokens",
    "store",
    "truncation",
    "text",
)
_TOOL_FIELDS = ("input_schema", "inputSchema", "toolSpec", "functionDeclarations", "function_declarations")
_NAMED_TOOL_FIELDS = ("parameters", "parametersJsonSchema", "parameters_json_schema")
TOKEN_ID_FIELDS = ("prompt_token_ids", "input_ids", "token_ids", "ids", "tokens")
RECORD = "record"
"""What `format_of` says of a logging tool's record; the format of what it holds is known only once it is read."""
_OBJECTS = ("chat.completion", "chat.completion.chunk", "text_completion", "response", "embedding")


def format_of(value: Json) -> str | None:
    """The format of a request (or RECORD), or None if the value is none by itself."""
    if isinstance(value, list):
        return _array_format(value)
    if not isinstance(value, dict):
        return None
    if not _tell_tales().isdisjoint(value):
        from promptlint.load import records, span

        if records.row_of(value) is not None:
            return RECORD
        if span.convention(value) is not None:
            return "span"
    if "contents" in value or (
        ("systemInstruction" in value or "system_instruction" in value) and "input" not in value
    ):
        return "gemini"
    if "messages" in value:
        return _chat_format(value)
    if is_response(value):
        return None
    if _is_responses(value):
        return "openai-responses"
    if not _TEXT_FIELDS.isdisjoint(value):
        from promptlint.load.recognise_texts import by_text

        told = by_text(value)
        if told is not None:
            return told
    if isinstance(value.get("tools"), list) and not ("model" in value or "modelId" in value):
        return "mcp-tools" if _is_mcp(value) else "tools"
    if is_tool(value):
        return "tools"
    return "token-ids" if any(isinstance(value.get(name), list) for name in TOKEN_ID_FIELDS) else None


@cache
def _tell_tales() -> frozenset[str]:
    """Fields that no plain request has, and a record or a span has: the first ones of each row."""
    formats = facts.table("formats")
    names = {row["has"][0] for row in formats["records"]} | {"attributes", "tags"}
    for row in formats["spans"]:
        names |= {row["messages"]} if "messages" in row else set()
        for name in ("role", "content", "message.role", "message.content") if "flat" in row else ():
            names.add(f"{row['flat']}.0.{name}")
    return frozenset(names)


def has_options(value: dict[str, Json]) -> bool:
    """Whether a request has the options of Ollama."""
    return isinstance(value.get("options"), dict)


def is_cohere_model(value: dict[str, Json]) -> bool:
    """Whether a request is for a model of Cohere, by its name there."""
    model = value.get("model")
    return isinstance(model, str) and model.startswith(_COHERE_MODELS)


def is_response(value: dict[str, Json]) -> bool:
    """Whether an object is what a provider answered."""
    if value.get("object") in _OBJECTS or isinstance(value.get("choices"), list) or "candidates" in value:
        return True
    if value.get("type") == "message" and ("stop_reason" in value or "usage" in value):
        return True
    output = value.get("output")
    if isinstance(output, dict) and "message" in output and "stopReason" in value:
        return True
    return isinstance(value.get("done"), bool) and isinstance(value.get("message", value.get("response")), dict | str)


def is_tool(value: Json) -> bool:
    """Whether an object defines a tool, in any provider's shape."""
    if not isinstance(value, dict) or "role" in value or "content" in value:
        return False
    if any(isinstance(value.get(name), dict | list) for name in _TOOL_FIELDS):
        return True
    if isinstance(value.get("name"), str) and any(isinstance(value.get(name), dict) for name in _NAMED_TOOL_FIELDS):
        return True
    return value.get("type") == "function" and ("function" in value or "name" in value)


def _is_mcp(value: dict[str, Json]) -> bool:
    tools = value["tools"]
    return "nextCursor" in value or (isinstance(tools, list) and any("inputSchema" in tool for tool in _dicts(tools)))


def _is_responses(value: dict[str, Json]) -> bool:
    held = value.get("input")
    if isinstance(held, dict) or "response" in value:
        return False
    if "input" in value:
        return "model" in value or "output" not in value
    stored = isinstance(value.get("prompt"), dict)
    return "model" in value and (stored or any(name in value for name in _RESPONSES_FIELDS))


def _array_format(value: list[Json]) -> str | None:
    if not value:
        return None
    if all(isinstance(entry, Number) for entry in value):
        return "token-ids"
    if is_tool(value[0]):
        return "tools"
    if not is_message(value[0]):
        return None
    return "harmony" if family(value) == "harmony" else "messages"


def is_message(value: Json) -> bool:
    """Whether an object is one entry of a conversation, of any provider or library."""
    if not isinstance(value, dict):
        return False
    if isinstance(value.get("role"), str):
        return True
    return isinstance(value.get("type"), str) and (value["type"] in kinds("openai") or _is_langchain(value))


def _is_langchain(message: dict[str, Json]) -> bool:
    if message.get("type") == "constructor":
        names = message.get("id")
        last = names[-1] if isinstance(names, list) and names else None
        return isinstance(last, str) and "Message" in last
    inner = message.get("data")
    held = inner if isinstance(inner, dict) else message
    return message.get("type") in _LANGCHAIN_TYPES and "content" in held


def _chat_format(value: dict[str, Json]) -> str:
    if "anthropic_version" in value:
        version = value["anthropic_version"]
        return "bedrock-invoke" if isinstance(version, str) and version.startswith("bedrock") else "anthropic"
    if any(name in value for name in _CONVERSE):
        return "bedrock-converse"
    messages, tools = value.get("messages"), value.get("tools")
    messages = messages if isinstance(messages, list) else []
    found = family(messages)
    if found in ("bedrock-converse", "harmony"):
        return found
    if any(name in value for name in OLLAMA_FIELDS) or has_options(value):
        return "ollama-chat"
    if any(name in value for name in _COHERE_FIELDS) or is_cohere_model(value):
        return "cohere-chat"
    if "system" in value or any("input_schema" in tool for tool in _dicts(tools)):
        return "anthropic"
    if any(name in value for name in _CHAT_FIELDS) or any("function" in tool for tool in _dicts(tools)):
        return "openai-chat"
    if found in ("anthropic", "openai-chat"):
        return found
    model = value.get("model")
    by_name = isinstance(model, str) and model.startswith("claude")
    return "anthropic" if by_name or any(name in value for name in _MESSAGES_FIELDS) else "openai-chat"


def family(messages: list[Json]) -> str | None:
    """The format whose messages these are, if roles or block types tell."""
    for index, message in enumerate(_dicts(messages)):
        if isinstance(message.get("parts"), list):
            return "otel" if any("type" in part for part in _dicts(message["parts"])) else "gemini"
        if isinstance(message.get("channel"), str) or isinstance(message.get("recipient"), str):
            return "harmony"
        if message.get("role") in ("tool", "developer") or "tool_calls" in message or "function_call" in message:
            return "openai-chat"
        if "role" not in message and isinstance(message.get("type"), str):
            return "langchain" if _is_langchain(message) else "openai-responses"
        if index == 0 and message.get("role") == "system":
            typed = any(block.get("type") == "system_content" for block in _dicts(message.get("content")))
            return "harmony" if typed else "openai-chat"
        for block in _dicts(message.get("content")):
            found = _block_family(block)
            if found:
                return found
    return None


def _block_family(block: dict[str, Json]) -> str | None:
    kind = block.get("type")
    if not isinstance(kind, str):
        known = "type" not in block and any(name in block for name in ("text", "cachePoint", *kinds("bedrock")))
        return "bedrock-converse" if known else None
    if kind in ("system_content", "developer_content"):
        return "harmony"
    if kind in ("tool-call", "tool-result"):
        return "ai-sdk"
    if kind in ("input_text", "output_text", "input_image", "input_file"):
        return "openai-responses"
    if kind in kinds("anthropic") or (kind == "text" and "citations" in block):
        return "anthropic"
    return "openai-chat" if kind in kinds("openai") else None


def _dicts(value: Json) -> Iterator[dict[str, Json]]:
    return (entry for entry in value if isinstance(entry, dict)) if isinstance(value, list) else iter(())
