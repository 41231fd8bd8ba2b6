"""Requests in the shapes of servers, libraries and loggers, as values; `value[name]` is one of them."""

import json
from typing import Any

SYSTEM = "Antworte knapp.\n\tSchließe mit „Gruß“."
QUESTION = 'Wo ist "A-1042"? \\ 😀'
TOOL = {"type": "function", "function": {"name": "find", "description": "Look up.", "parameters": {"type": "object"}}}
CHAT = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": QUESTION}]
CALL = {"id": "c1", "type": "function", "function": {"name": "find", "arguments": '{"id": "A-1042"}'}}
PARTS = [
    {
        "role": "user",
        "parts": [{"type": "text", "content": QUESTION}, {"type": "uri", "uri": "https://example.test/a"}],
    },
    {"role": "assistant", "parts": [{"type": "tool_call", "id": "c1", "name": "find", "arguments": {"id": "A"}}]},
    {"role": "tool", "parts": [{"type": "tool_call_response", "id": "c1", "response": {"found": 1.50}}]},
]
SDK = [
    {"role": "system", "content": SYSTEM},
    {
        "role": "user",
        "content": [
            {
                "type": "text",
                "text": QUESTION,
                "providerOptions": {"anthropic": {"cacheControl": {"type": "ephemeral", "ttl": "1h"}}},
            }
        ],
    },
    {
        "role": "assistant",
        "content": [{"type": "tool-call", "toolCallId": "c1", "toolName": "find", "input": {"b": 1, "a": 2}}],
    },
    {
        "role": "tool",
        "content": [
            {"type": "tool-result", "toolCallId": "c1", "toolName": "find", "output": {"type": "text", "value": "r"}}
        ],
    },
]
LANGCHAIN = [
    {
        "lc": 1,
        "type": "constructor",
        "id": ["langchain", "schema", "messages", "SystemMessage"],
        "kwargs": {"content": SYSTEM},
    },
    {
        "lc": 1,
        "type": "constructor",
        "id": ["langchain", "schema", "messages", "HumanMessage"],
        "kwargs": {
            "content": [{"type": "text", "text": QUESTION, "cache_control": {"type": "ephemeral"}}],
            "type": "human",
        },
    },
    {
        "lc": 1,
        "type": "constructor",
        "id": ["langchain", "schema", "messages", "AIMessageChunk"],
        "kwargs": {
            "content": "",
            "tool_calls": [{"name": "find", "args": {"b": 1, "a": 2}, "id": "c1", "type": "tool_call"}],
            "response_metadata": {"model": "m"},
        },
    },
    {
        "lc": 1,
        "type": "constructor",
        "id": ["langchain", "schema", "messages", "ToolMessage"],
        "kwargs": {"content": "r", "tool_call_id": "c1", "status": "success", "type": "tool"},
    },
]


def text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def otlp(*attributes: tuple[str, Any], **span: Any) -> dict[str, Any]:
    """A trace of one span, with typed values."""
    pairs = [{"key": name, "value": typed(value)} for name, value in attributes]
    return {"resourceSpans": [{"scopeSpans": [{"spans": [{"name": "chat", "attributes": pairs, **span}]}]}]}


def typed(value: Any) -> dict[str, Any]:
    """A value as OTLP writes it in JSON."""
    if isinstance(value, dict):
        return {"kvlistValue": {"values": [{"key": name, "value": typed(held)} for name, held in value.items()]}}
    if isinstance(value, list):
        return {"arrayValue": {"values": [typed(held) for held in value]}}
    return {"stringValue": value} if isinstance(value, str) else {"intValue": str(value)}


LANGFUSE = {"id": "o", "trace_id": "t", "type": "GENERATION", "provided_model_name": "claude-sonnet-5"}
LITELLM = {
    "id": "1",
    "call_type": "acompletion",
    "model": "gpt-5.6",
    "model_parameters": {"tools": [TOOL], "temperature": 0},
}
LANGSMITH = {
    "id": "r",
    "run_type": "llm",
    "extra": {"invocation_params": {"model": "claude-sonnet-5", "tools": [TOOL], "_type": "chat"}},
}

value: dict[str, Any] = {
    "ollama chat": {
        "model": "qwen3:8b",
        "keep_alive": "10m",
        "options": {"num_ctx": 8192},
        "tools": [TOOL],
        "messages": [
            *CHAT,
            {
                "role": "assistant",
                "content": "",
                "thinking": "hm",
                "tool_calls": [{"function": {"name": "find", "arguments": {"b": 1}}}],
            },
            {"role": "tool", "tool_name": "find", "content": "r"},
            {"role": "user", "content": "And this?", "images": ["iVBORw0KGgo="]},
        ],
    },
    "ollama generate": {
        "model": "m",
        "system": SYSTEM,
        "prompt": QUESTION,
        "context": [1, 22, 333],
        "suffix": "end",
        "images": ["aGk="],
        "keep_alive": 0,
    },
    "completion": {"model": "m", "prompt": QUESTION, "suffix": "end", "max_tokens": 5},
    "completion of one": {"model": "m", "prompt": [QUESTION]},
    "cohere": {
        "model": "command-a-03-2025",
        "tools": [TOOL],
        "messages": [
            *CHAT,
            {"role": "assistant", "tool_plan": "I look.", "tool_calls": [CALL]},
            {
                "role": "tool",
                "tool_call_id": "c1",
                "content": [{"type": "document", "document": {"data": {"b": "1", "a": "2"}}}],
            },
        ],
        "documents": ["a text", {"id": "d1", "data": {"title": "Returns", "text": "Ten days."}}],
        "citation_options": {"mode": "FAST"},
    },
    "cohere v1": {
        "message": QUESTION,
        "preamble": SYSTEM,
        "chat_history": [
            {"role": "USER", "message": "hi"},
            {"role": "CHATBOT", "message": "yes", "tool_calls": [{"name": "find", "parameters": {"b": 1}}]},
        ],
        "documents": [{"title": "Returns", "snippet": "Ten days."}],
        "tools": [{"name": "find", "description": "d", "parameter_definitions": {"id": {"type": "str"}}}],
        "tool_results": [{"call": {"name": "find", "parameters": {}}, "outputs": [{"r": "1"}]}],
        "connectors": [{"id": "web-search"}],
        "conversation_id": "c",
    },
    "sharegpt": {
        "system": SYSTEM,
        "tools": text([{"name": "find", "description": "Look up.", "parameters": {"type": "object"}}]),
        "conversations": [
            {"from": "human", "value": QUESTION},
            {"from": "function_call", "value": '{"name": "find"}'},
            {"from": "observation", "value": "r"},
            {"from": "gpt", "value": "Packed."},
        ],
    },
    "langchain": LANGCHAIN,
    "langchain data": [
        {"type": "system", "data": {"content": SYSTEM}},
        {"type": "ai", "data": {"content": "", "additional_kwargs": {"tool_calls": [CALL]}}},
    ],
    "genai messages": PARTS,
    "genai span": otlp(
        ("gen_ai.provider.name", "aws.bedrock"),
        ("gen_ai.request.model", "anthropic.claude-sonnet-5"),
        ("gen_ai.request.temperature", 0),
        ("gen_ai.system_instructions", text([{"type": "text", "content": SYSTEM}])),
        ("gen_ai.input.messages", text(PARTS)),
        ("gen_ai.tool.definitions", text([TOOL])),
    ),
    "genai span, structured": otlp(("gen_ai.input.messages", PARTS), ("gen_ai.request.model", "m")),
    "genai span, plain": {"attributes": {"gen_ai.input.messages": PARTS, "gen_ai.request.model": "m"}},
    "genai events": otlp(
        ("gen_ai.request.model", "m"),
        events=[
            {"name": "gen_ai.system.message", "attributes": [{"key": "content", "value": {"stringValue": SYSTEM}}]},
            {"name": "gen_ai.user.message", "attributes": [{"key": "content", "value": {"stringValue": QUESTION}}]},
            {"name": "gen_ai.choice", "attributes": [{"key": "message", "value": {"stringValue": "no part"}}]},
        ],
    ),
    "openllmetry": otlp(
        ("gen_ai.prompt.0.role", "system"),
        ("gen_ai.prompt.0.content", SYSTEM),
        ("gen_ai.prompt.1.tool_calls.0.name", "find"),
        ("gen_ai.prompt.1.tool_calls.0.arguments", "{}"),
        ("gen_ai.prompt.1.role", "assistant"),
        ("gen_ai.prompt.10.content", QUESTION),
        ("gen_ai.prompt.10.role", "user"),
        ("gen_ai.prompt.2.content", "r"),
        ("gen_ai.prompt.2.role", "tool"),
        ("llm.request.functions.0.name", "find"),
        ("llm.request.functions.0.parameters", '{"type": "object"}'),
        ("gen_ai.request.model", "m"),
    ),
    "openinference": otlp(
        ("llm.model_name", "gpt-5.6"),
        ("llm.invocation_parameters", text({"temperature": 0, "tools": [TOOL], "tool_choice": "auto"})),
        ("llm.input_messages.0.message.role", "system"),
        ("llm.input_messages.0.message.contents.0.message_content.type", "text"),
        ("llm.input_messages.0.message.contents.0.message_content.text", SYSTEM),
        ("llm.input_messages.1.message.content", QUESTION),
        ("llm.input_messages.1.message.role", "user"),
        ("llm.tools.0.tool.json_schema", text(TOOL)),
    ),
    "openinference, nested": {
        "attributes": {
            "llm": {"model_name": "m", "input_messages": [{"message": {"role": "user", "content": QUESTION}}]}
        }
    },
    "jaeger": {
        "data": [
            {
                "spans": [
                    {
                        "tags": [
                            {"key": "gen_ai.prompt.0.content", "type": "string", "value": QUESTION},
                            {"key": "gen_ai.prompt.0.role", "type": "string", "value": "user"},
                        ]
                    }
                ]
            }
        ]
    },
    "ai sdk span": otlp(
        ("ai.model.id", "claude-sonnet-5"),
        ("ai.model.provider", "anthropic.messages"),
        ("ai.prompt.messages", text(SDK)),
        ("ai.prompt.tools", [text({"type": "function", "name": "find", "inputSchema": {"b": 1, "a": 2}})]),
    ),
    "langfuse": {**LANGFUSE, "input": CHAT, "model_parameters": {"max_tokens": 5}},
    "langfuse text": {**LANGFUSE, "input": QUESTION},
    "langfuse JSON text": {**LANGFUSE, "input": text({"messages": CHAT, "tools": [TOOL]})},
    "langfuse API": {
        "traceId": "t",
        "type": "GENERATION",
        "model": "gpt-5.6",
        "input": {"messages": CHAT, "tools": [TOOL]},
    },
    "braintrust": {
        "span_attributes": {"type": "llm"},
        "input": CHAT,
        "metadata": {"model": "gpt-5.6", "tools": [TOOL]},
    },
    "litellm": {**LITELLM, "messages": CHAT},
    "litellm text": {**LITELLM, "messages": QUESTION},
    "litellm request": {**LITELLM, "messages": {"system": SYSTEM, "messages": CHAT[1:], "max_tokens": 5}},
    "litellm spend log": {
        "request_id": "1",
        "spend": 0.1,
        "messages": {},
        "proxy_server_request": text({"model": "gpt-5.6", "messages": CHAT, "tools": [TOOL]}),
    },
    "langsmith": {**LANGSMITH, "inputs": {"messages": [LANGCHAIN]}},
    "langsmith chat": {**LANGSMITH, "inputs": {"messages": CHAT, "tools": [TOOL]}},
    "langsmith prompts": {**LANGSMITH, "inputs": {"prompts": [QUESTION]}},
    "helicone": {"request_id": "1", "request_path": "/v1", "request_body": {"model": "gpt-5.6", "messages": CHAT}},
    "bedrock batch": {
        "recordId": "1",
        "modelInput": {"anthropic_version": "bedrock-2023-05-31", "messages": CHAT[1:], "system": SYSTEM},
    },
    "gemini batch": {"key": "1", "request": {"contents": [{"role": "user", "parts": [{"text": QUESTION}]}]}},
}
