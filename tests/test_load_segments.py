"""How each format's request is taken apart: items, kinds of segment, markers, settings."""

from typing import Any

import pytest

from documents import loaded
from promptlint.prompt import Marker, Request

MARK = {"type": "ephemeral"}
POINT = {"cachePoint": {"type": "default", "ttl": "1h"}}


def shape(request: Request) -> list[tuple[str, str | None, list[str]]]:
    return [(item.level, item.role or item.name, [part.kind for part in item.segments]) for item in request.items]


def markers(request: Request) -> dict[tuple[Any, ...], Marker]:
    """Path of the marked segment -> its marker."""
    return {part.path: part.marker for item in request.items for part in item.segments if part.marker}


def anthropic(*content: Any, **fields: Any) -> Request:
    return loaded({"model": "claude-opus-5", "messages": [{"role": "user", "content": list(content)}], **fields})


def test_anthropic_blocks() -> None:
    request = anthropic(
        {"type": "text", "text": "a"},
        {"type": "thinking", "thinking": "b", "signature": "c"},
        {"type": "tool_use", "id": "1", "name": "t", "input": {}},
        {"type": "tool_result", "tool_use_id": "1", "content": "r"},
        {"type": "image", "source": {}},
        {"type": "document", "source": {}},
        {"type": "compaction", "content": "d"},
        system=[{"type": "text", "text": "s"}, {"type": "text", "text": "t"}],
        tools=[{"name": "t", "input_schema": {}}],
    )
    assert shape(request) == [
        ("tools", "t", ["tool"]),
        ("system", None, ["text"]),
        ("system", None, ["text"]),
        ("messages", "user", ["text", "thinking", "tool_call", "tool_result", "image", "document", "other"]),
    ]
    assert request.items[3].segments[0].path == ("messages", 0, "content", 0, "text")
    assert request.items[3].segments[1].path == ("messages", 0, "content", 1)


def test_anthropic_markers() -> None:
    request = anthropic(
        {"type": "text", "text": "", "cache_control": MARK},
        {"type": "tool_result", "content": [{"type": "text", "text": "r", "cache_control": {**MARK, "ttl": "5m"}}]},
        {"type": "text", "text": "a", "cache_control": None},
        tools=[
            {"name": "t", "input_schema": {"properties": {"cache_control": {}}}},
            {"name": "u", "cache_control": MARK},
        ],
        cache_control={**MARK, "ttl": "1h"},
    )
    assert request.automatic == Marker(("cache_control",), "1h")
    assert markers(request) == {
        ("tools", 1): Marker(("tools", 1, "cache_control"), None),
        ("messages", 0, "content", 0, "text"): Marker(("messages", 0, "content", 0, "cache_control"), None),
        ("messages", 0, "content", 1): Marker(("messages", 0, "content", 1, "content", 0, "cache_control"), "5m"),
    }
    assert request.settings == {}


def test_chat_messages() -> None:
    request = loaded(
        {
            "model": "gpt-5.6",
            "messages": [
                {"role": "developer", "content": [{"type": "text", "text": "s", "prompt_cache_breakpoint": {}}]},
                {"role": "system", "content": "t"},
                {"role": "user", "name": "ann", "content": [{"type": "image_url", "image_url": {"url": "u"}}]},
                {
                    "role": "assistant",
                    "content": None,
                    "reasoning_content": "r",
                    "refusal": None,
                    "tool_calls": [{"id": "1", "function": {"name": "t", "arguments": "{}"}}],
                },
                {"role": "tool", "tool_call_id": "1", "content": "x"},
                {"role": "system", "content": "late"},
            ],
            "functions": [{"name": "old", "parameters": {}}],
            "response_format": {"type": "json_object"},
        }
    )
    assert shape(request) == [
        ("tools", "old", ["tool"]),
        ("system", "developer", ["text"]),
        ("system", "system", ["text"]),
        ("messages", "user", ["image", "other"]),
        ("messages", "assistant", ["thinking", "tool_call"]),
        ("messages", "tool", ["tool_result"]),
        ("messages", "system", ["text"]),
    ]
    assert list(markers(request)) == [("messages", 0, "content", 0, "text")]
    assert set(request.settings) == {("response_format",)}


def test_a_marker_on_a_whole_chat_message_or_function_counts() -> None:
    request = loaded(
        {
            "model": "anthropic/claude-opus-5",
            "messages": [{"role": "system", "content": "s", "cache_control": MARK}, {"role": "user", "content": "u"}],
            "tools": [{"type": "function", "function": {"name": "t", "parameters": {}, "cache_control": MARK}}],
        }
    )
    assert markers(request) == {
        ("tools", 0): Marker(("tools", 0, "function", "cache_control"), None),
        ("messages", 0, "content"): Marker(("messages", 0, "cache_control"), None),
    }


def test_responses_items() -> None:
    request = loaded(
        {
            "model": "gpt-5.6",
            "instructions": "s",
            "input": [
                {"role": "developer", "content": "d"},
                {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "a"}]},
                {"type": "reasoning", "summary": [], "encrypted_content": "e"},
                {"type": "function_call", "call_id": "1", "name": "t", "arguments": "{}"},
                {
                    "type": "function_call_output",
                    "call_id": "1",
                    "output": [{"type": "input_text", "text": "r", "prompt_cache_breakpoint": {"ttl": "12h"}}],
                },
                {"type": "item_reference", "id": "x"},
            ],
            "prompt_cache_key": "k",
        }
    )
    assert shape(request) == [
        ("system", None, ["text"]),
        ("system", "developer", ["text"]),
        ("messages", "user", ["text"]),
        ("messages", None, ["thinking"]),
        ("messages", None, ["tool_call"]),
        ("messages", None, ["tool_result"]),
        ("messages", None, ["other"]),
    ]
    assert [mark.ttl for mark in markers(request).values()] == ["12h"]
    assert set(request.settings) == {("prompt_cache_key",)}


@pytest.mark.parametrize("snake", [False, True])
def test_gemini_parts(snake: bool) -> None:
    def name(camel: str, snake_case: str) -> str:
        return snake_case if snake else camel

    request = loaded(
        {
            "model": "models/gemini-3-flash",
            name("systemInstruction", "system_instruction"): {"parts": [{"text": "s"}, {"text": "t"}]},
            "tools": [
                {name("functionDeclarations", "function_declarations"): [{"name": "f"}, {"name": "g"}]},
                {"googleSearch": {}},
            ],
            "contents": [
                {
                    "role": "model",
                    "parts": [
                        {"text": "a"},
                        {"text": "b", "thought": True},
                        {name("functionCall", "function_call"): {"name": "f", "args": {}}},
                        {name("functionResponse", "function_response"): {"name": "f", "response": {}}},
                        {name("inlineData", "inline_data"): {name("mimeType", "mime_type"): "image/png", "data": ""}},
                        {name("fileData", "file_data"): {name("mimeType", "mime_type"): "application/pdf"}},
                    ],
                }
            ],
            "cachedContent": "c",
        }
    )
    assert shape(request) == [
        ("tools", "f", ["tool"]),
        ("tools", "g", ["tool"]),
        ("tools", None, ["tool"]),
        ("system", None, ["text", "text"]),
        ("messages", "model", ["text", "thinking", "tool_call", "tool_result", "image", "document"]),
    ]
    assert set(request.settings) == {("cachedContent",)}


def test_converse_markers_are_blocks_after_what_they_mark() -> None:
    request = loaded(
        {
            "modelId": "anthropic.claude-sonnet-5",
            "toolConfig": {"tools": [{"toolSpec": {"name": "t"}}, POINT], "toolChoice": {"auto": {}}},
            "system": [{"text": "s"}, POINT, {"text": "t"}],
            "messages": [
                {"role": "user", "content": [POINT, {"text": "a"}, {"toolUse": {"name": "t", "input": {}}}, POINT]}
            ],
            "inferenceConfig": {},
        }
    )
    assert shape(request) == [
        ("tools", "t", ["tool"]),
        ("system", None, ["text"]),
        ("system", None, ["text"]),
        ("messages", "user", ["text", "tool_call"]),
    ]
    assert markers(request) == {
        ("toolConfig", "tools", 0): Marker(("toolConfig", "tools", 1, "cachePoint"), "1h"),
        ("system", 0, "text"): Marker(("system", 1, "cachePoint"), "1h"),
        ("messages", 0, "content", 2): Marker(("messages", 0, "content", 3, "cachePoint"), "1h"),
    }
    assert set(request.settings) == {("toolConfig", "toolChoice"), ("inferenceConfig",)}
    assert len(request.notes) == 1


def test_token_ids_keep_the_place_of_their_array() -> None:
    request = loaded({"model": "m", "input_ids": [[7, 8]], "seed": 1})
    assert (request.token_ids, request.path, request.model) == ((7, 8), ("input_ids", 0), "m")
    assert set(request.settings) == {("seed",)}


def test_a_missing_content_is_an_empty_message() -> None:
    request = anthropic()
    assert shape(request) == [("messages", "user", [])]
    assert shape(loaded({"model": "gpt-5", "messages": [{"role": "assistant", "content": None}]}))[0][2] == []
