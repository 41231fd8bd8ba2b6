"""What a document is, by content: formats, envelopes, pair logs, pointers, and what is refused."""

import json
from pathlib import Path
from typing import Any

import pytest

from documents import document, loaded
from promptlint.errors import PromptlintError
from promptlint.load import FORMATS, load
from promptlint.read.sources import read

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures"
SAMPLES = FIXTURES / "formats"

USER = {"role": "user", "content": "hi"}
ANTHROPIC = {"model": "claude-sonnet-5", "max_tokens": 1, "system": "s", "messages": [USER]}
CHAT = {"model": "gpt-5.6", "messages": [{"role": "system", "content": "s"}, USER]}
RESPONSES = {"model": "gpt-5.6", "instructions": "s", "input": [USER]}
GEMINI = {"contents": [{"role": "user", "parts": [{"text": "hi"}]}]}
CONVERSE = {"messages": [{"role": "user", "content": [{"text": "hi"}]}]}
ANTHROPIC_TOOL = {"name": "t", "input_schema": {"type": "object"}}
CHAT_TOOL = {"type": "function", "function": {"name": "t", "parameters": {}}}


def blocks(*content: Any, **fields: Any) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": list(content)}], **fields}


RECOGNISED = [
    (ANTHROPIC, "anthropic", "anthropic"),
    (CHAT, "openai-chat", "openai"),
    (RESPONSES, "openai-responses", "openai"),
    ({"model": "o3", "input": "hi"}, "openai-responses", "openai"),
    (GEMINI, "gemini", "google"),
    ({"system_instruction": {"parts": [{"text": "s"}]}, **GEMINI}, "gemini", "google"),
    (CONVERSE, "bedrock-converse", "bedrock"),
    ({"modelId": "m", "messages": []}, "bedrock-converse", "bedrock"),
    ({"anthropic_version": "bedrock-2023-05-31", "messages": [USER]}, "bedrock-invoke", "bedrock"),
    ({"anthropic_version": "vertex-2023-10-16", "messages": [USER]}, "anthropic", "anthropic"),
    ({"model": "claude-opus-5", "messages": [USER]}, "anthropic", "anthropic"),
    ({**ANTHROPIC, "model": "anthropic.claude-opus-4-7-v1:0"}, "anthropic", "bedrock"),
    ({**ANTHROPIC, "model": "us.anthropic.claude-sonnet-4-5-20250929-v1:0"}, "anthropic", "bedrock"),
    (
        {**ANTHROPIC, "model": "arn:aws:bedrock:us-east-1:1:inference-profile/us.anthropic.claude-x"},
        "anthropic",
        "bedrock",
    ),
    ({**ANTHROPIC, "model": "anthropic/claude-sonnet-5"}, "anthropic", "anthropic"),
    ({"model": "claude-opus-5", "messages": CHAT["messages"]}, "openai-chat", "anthropic"),
    ({"model": "x", "messages": [USER], "tools": [ANTHROPIC_TOOL]}, "anthropic", "anthropic"),
    ({"model": "x", "messages": [USER], "tools": [CHAT_TOOL]}, "openai-chat", "unknown"),
    (blocks({"type": "tool_result", "tool_use_id": "1", "content": "r"}), "anthropic", "anthropic"),
    (blocks({"type": "image_url", "image_url": {"url": "u"}}), "openai-chat", "unknown"),
    ({"model": "local-model", "messages": [USER]}, "openai-chat", "unknown"),
    ({"model": "local-model", "messages": [USER], "stop_sequences": []}, "anthropic", "anthropic"),
    ({"model": "gpt-oss-20b", "messages": [USER]}, "openai-chat", "unknown"),
    ({"model": "qwen3:8b", "messages": [USER]}, "openai-chat", "unknown"),
    ({"model": "Qwen/Qwen3-8B", "messages": [USER]}, "openai-chat", "unknown"),
    ({"model": "deepseek-chat", "messages": [USER]}, "openai-chat", "deepseek"),
    ({"model": "grok-4.6", "messages": [USER]}, "openai-chat", "xai"),
    ({"model": "kimi-k3", "messages": [USER]}, "openai-chat", "moonshot"),
    ([USER], "messages", "unknown"),
    (GEMINI["contents"], "messages", "google"),
    (CONVERSE["messages"], "messages", "bedrock"),
    (blocks({"type": "thinking", "thinking": "t"})["messages"], "messages", "anthropic"),
    ([{"type": "function_call", "call_id": "1", "name": "t", "arguments": "{}"}], "messages", "unknown"),
    ([ANTHROPIC_TOOL], "tools", "anthropic"),
    (ANTHROPIC_TOOL, "tools", "anthropic"),
    ([CHAT_TOOL], "tools", "unknown"),
    ({"tools": [{"toolSpec": {"name": "t"}}]}, "tools", "bedrock"),
    ([{"functionDeclarations": [{"name": "t"}]}], "tools", "google"),
    ({"tools": [{"name": "t", "inputSchema": {}}]}, "mcp-tools", "unknown"),
    ({"tools": [], "nextCursor": None}, "mcp-tools", "unknown"),
    ([1, 2, 3], "token-ids", "unknown"),
    ({"prompt_token_ids": [1, 2, 3]}, "token-ids", "unknown"),
    ({"input_ids": [[1, 2]], "attention_mask": [[1, 1]]}, "token-ids", "unknown"),
    ({"model": "qwen3:8b", "messages": [USER], "keep_alive": "5m"}, "ollama-chat", "ollama"),
    ({"model": "claude-like", "messages": [USER], "options": {"num_ctx": 4096}}, "ollama-chat", "ollama"),
    ({"model": "qwen3", "messages": [USER], "think": False}, "ollama-chat", "ollama"),
    ({"model": "qwen3", "prompt": "hi", "system": "s"}, "ollama-generate", "ollama"),
    ({"model": "command-a-03-2025", "messages": [USER]}, "cohere-chat", "unknown"),
    ({"model": "x", "messages": [USER], "documents": ["d"], "safety_mode": "OFF"}, "cohere-chat", "unknown"),
    ({"model": "x", "messages": [USER], "documents": [{"text": "d"}]}, "openai-chat", "unknown"),
    ({"model": "command-r", "message": "hi"}, "cohere-v1", "unknown"),
    ({"message": "hi", "chat_history": []}, "cohere-v1", "unknown"),
    ({"messages": [{"role": "assistant", "channel": "final", "content": "hi"}]}, "harmony", "unknown"),
    ([{"role": "system", "content": [{"type": "system_content"}]}], "harmony", "unknown"),
    ({"conversations": [{"from": "human", "value": "hi"}]}, "sharegpt", "unknown"),
    ({"model": "gpt-4.1", "prompt": "hi", "max_tokens": 1}, "completion", "openai"),
    ({"prompt": [1, 2, 3]}, "completion", "unknown"),
    ({"gen_ai.input.messages": "[]", "gen_ai.system_instructions": "s"}, "span", "unknown"),
    ([{"type": "human", "data": {"content": "hi"}}], "messages", "unknown"),
    ([{"role": "user", "parts": [{"type": "text", "content": "hi"}]}], "messages", "unknown"),
    ("# Title\n\nText.", "text", "unknown"),
    ("{{ name }} is asked", "text", "unknown"),
    ("{% if a %}b{% endif %}", "text", "unknown"),
    ("{name} is asked", "text", "unknown"),
    ("[INST] hi [/INST]", "text", "unknown"),
    ("[a link](target) first", "text", "unknown"),
    ("[1] a footnote", "text", "unknown"),
]


@pytest.mark.parametrize(("value", "name", "provider"), RECOGNISED)
def test_content_tells_the_format_and_the_provider(value: Any, name: str, provider: str) -> None:
    request = loaded(value)
    assert (request.format, request.provider) == (name, provider)


def test_every_format_is_recognised_by_content() -> None:
    assert {name for _, name, _ in RECOGNISED} == set(FORMATS)


@pytest.mark.parametrize(
    ("value", "path"),
    [
        ({"headers": {"a": "b"}, "body": ANTHROPIC}, ("body",)),
        ({"request": ANTHROPIC, "response": {"usage": {}}}, ("request",)),
        ({"input": ANTHROPIC, "output": {}}, ("input",)),
        ({"kwargs": ANTHROPIC, "result": {}}, ("kwargs",)),
        ({"custom_id": "1", "params": ANTHROPIC}, ("params",)),
        ({"custom_id": "1", "method": "POST", "body": ANTHROPIC}, ("body",)),
        ({"body": json.dumps(ANTHROPIC)}, ("body", None)),
        ({"request": {"headers": {}, "body": json.dumps(ANTHROPIC)}}, ("request", "body", None)),
        ({"body": {"model": "m"}, "request": ANTHROPIC}, ("request",)),
    ],
)
def test_the_request_is_found_in_its_envelope(value: Any, path: tuple[str | None, ...]) -> None:
    request = loaded(value)
    assert request.path == path
    assert request.items[0].path == (*path, "system")
    assert request.format == "anthropic"
    assert loaded(value, input_format="anthropic") == request


def test_a_field_input_of_its_own_is_no_envelope() -> None:
    assert loaded(RESPONSES).path == ()
    assert loaded({"input": RESPONSES, "output": []}).path == ("input",)
    logged = loaded({"input": [USER], "output": {}})
    assert (logged.format, logged.path) == ("messages", ("input",))


def test_an_mcp_result_is_found_in_its_json_rpc_answer() -> None:
    request = load(read(str(SAMPLES / "13_mcp_tools_list.json")))
    assert (request.format, request.path) == ("mcp-tools", ("result",))
    assert [item.name for item in request.items] == ["get_order", "open_return"]


def test_headers_and_other_fields_are_settings_under_their_path() -> None:
    request = loaded({"headers": {"Anthropic-Beta": "x"}, "body": {**ANTHROPIC, "thinking": {"type": "enabled"}}})
    assert set(request.settings) == {
        ("headers", "Anthropic-Beta"),
        ("body", "max_tokens"),
        ("body", "thinking"),
    }
    assert request.settings["body", "thinking"] == {"type": "enabled"}
    assert request.model == "claude-sonnet-5"


@pytest.mark.parametrize(
    ("pointer", "path"),
    [("/a/1", ("a", 1)), ("/a/1/", ("a", 1, "")), ("/x~1y/m~0n", ("x/y", "m~n")), ("/text", ("text", None))],
)
def test_a_pointer_leads_to_the_request(pointer: str, path: tuple[str | int | None, ...]) -> None:
    inner = {**ANTHROPIC, "": ANTHROPIC}
    value = {"a": [0, inner], "x/y": {"m~n": ANTHROPIC}, "text": json.dumps(ANTHROPIC)}
    assert loaded(value, request_path=pointer).path == path


@pytest.mark.parametrize(
    ("pointer", "said"),
    [
        ("/a/b/c", "/a is an object with x"),
        ("/a/x/3", "/a/x is an array of 1"),
        ("/a/x/0/y", "/a/x/0 is a number"),
        ("/c", "the top level is an object with a"),
        ("a.x", "write /a/x"),
    ],
)
def test_a_pointer_that_leads_nowhere_names_the_nearest_value(pointer: str, said: str) -> None:
    with pytest.raises(PromptlintError) as caught:
        loaded({"a": {"x": [1]}}, request_path=pointer)
    assert said in caught.value.hint


REFUSED: list[tuple[Any, str]] = [
    ("", "the file is empty"),
    (" \n", "the file is empty"),
    ('{"model": "m", "messages": [', "the JSON ends too early"),
    ("[1, 2", "the JSON ends too early"),
    ("[" * 1_000_000, "nested more than"),
    ('{"model": NaN}', "NaN is not JSON"),
    ({}, "an object with no fields"),
    ([], "an array"),
    ({"model": "m", "max_tokens": 1}, "an object with model, max_tokens (no messages, contents or input; tried every"),
    ({"model": "m", "messages": 5}, "/messages is a number, but an array is due there"),
    ({"model": "m", "messages": [5]}, "/messages/0 is a number, but an object is due there"),
    ({"model": "m", "messages": [{"role": 5}]}, "/messages/0/role is a number, but a string is due there"),
    (blocks(5, model="m"), "/messages/0/content/0 is a number, but a block (an object) is due there"),
    ({"model": "m", "messages": [{"role": "user", "content": {}}]}, "/messages/0/content is an object, but a string"),
    ({"model": "m", "messages": [USER], "tools": {}}, "/tools is an object, but an array is due there"),
    ({"model": "m", "messages": [USER], "tools": ["t"]}, "/tools/0 is a string, but an object is due there"),
    ({"contents": "hi"}, "/contents is a string, but an array is due there"),
    ({"systemInstruction": {}}, "a request without `contents`"),
    ({**CONVERSE, "toolConfig": []}, "/toolConfig is an array, but an object is due there"),
    ({"body": {"model": "m", "messages": None}}, "/body/messages is null, but an array is due there"),
    ({"ids": [1, "2"]}, "/ids/1 is a string, but a token id is due there"),
    ({"ids": [1, -2]}, "/ids/1 is no token id: -2"),
    ([1, 2.5], "/1 is no token id: 2.5"),
    ({"choices": [], "usage": {}}, "a response, not a request"),
    ({"custom_id": "1", "response": {"body": {}}}, "a batch result, not a request"),
    ({"id": "1", "response": {"body": {}}}, "a response, not a request"),
    ('{"a": 1}\n{"a": 2}\n\n{"a": 3}\n', "the file holds 3 records, not one request"),
]


@pytest.mark.parametrize(("value", "said"), REFUSED)
def test_what_is_no_request_is_refused_in_one_line(value: Any, said: str) -> None:
    with pytest.raises(PromptlintError) as caught:
        loaded(value)
    assert caught.value.message.startswith("given.json")
    assert said in caught.value.message
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("sample", sorted(SAMPLES.rglob("*.response.json")), ids=lambda path: path.name)
def test_a_response_is_called_a_response(sample: Path) -> None:
    with pytest.raises(PromptlintError, match="this is a response, not a request"):
        load(read(str(sample)))


def test_a_log_is_refused_with_the_way_to_one_record(tmp_path: Path) -> None:
    log = SAMPLES / "06_request_log.jsonl"
    with pytest.raises(PromptlintError) as caught:
        load(read(str(log)))
    assert caught.value.hint.endswith("06_request_log.jsonl#2")
    assert load(read(f"{log}#2")).path == ("request",)
    single = tmp_path / "single.jsonl"
    single.write_bytes(log.read_bytes().split(b"\n")[0] + b"\n")
    assert load(read(str(single))).path == ("request",)


def test_an_explicit_format_overrides_the_content() -> None:
    assert loaded({"model": "claude-x", "messages": [USER]}, "openai-chat").format == "openai-chat"
    assert loaded('{"broken": ', "text").format == "text"
    assert loaded({"prompt": "a text"}, "text", "/prompt").items[0].segments[0].path == ("prompt",)
    with pytest.raises(PromptlintError, match="a request without `contents`"):
        loaded(ANTHROPIC, "gemini")
    with pytest.raises(PromptlintError, match="unknown input format yaml"):
        loaded(ANTHROPIC, "yaml")


def test_notes_of_the_reader_are_kept() -> None:
    request = load(document('{"model": "gpt-5", "model": "gpt-6", "messages": []}'))
    assert request.model == "gpt-6"
    assert any("duplicate key" in note for note in request.notes)


def test_an_empty_system_text_is_none() -> None:
    body = {"model": "claude-sonnet-5", "max_tokens": 9, "messages": [{"role": "user", "content": "hi"}]}
    assert loaded({**body, "system": ""}).items == loaded(body).items
    marked = [{"type": "text", "text": "", "cache_control": {"type": "ephemeral"}}]
    assert len(loaded({**body, "system": marked}).items) == 2
