"""Which of several requests is meant, and what is refused: records without a prompt, sessions, answers, prompts."""

import json
from pathlib import Path
from typing import Any

import pytest

from documents import loaded
from input_samples import CHAT, LANGFUSE, LITELLM, PARTS, SYSTEM, otlp, value
from promptlint.errors import PromptlintError
from promptlint.load import load
from promptlint.read.sources import read

REFUSED: list[tuple[Any, str]] = [
    (
        {**LITELLM, "messages": "redacted-by-litellm"},
        "redacted-by-litellm stands in their place; only its usage is left",
    ),
    (
        {**LITELLM, "messages": [{"role": "user", "content": "redacted-by-litellm"}]},
        "redacted-by-litellm stands in their",
    ),
    ({**LITELLM, "messages": None}, "a LiteLLM log record without its messages"),
    (
        {"proxy_server_request": {}, "spend": 0, "messages": {}},
        "prompts are stored only with store_prompts_in_spend_logs",
    ),
    ({**LANGFUSE, "type": "SPAN", "input": {"question": "hi"}}, "of no known form; only generations hold a prompt"),
    ({"run_type": "chain", "inputs": {"x": 1}}, "only runs of the type llm hold a prompt"),
    (otlp(("http.method", "POST")), "a trace that holds no prompt; message content is recorded only where"),
    (otlp(("gen_ai.input.messages", "[]")), "a span that holds no prompt"),
    (
        {"parentUuid": None, "sessionId": "s", "message": {"role": "user", "content": "hi"}},
        "a line of a Claude Code session",
    ),
    ({"timestamp": "t", "type": "response_item", "payload": {}}, "a line of a Codex session"),
    ({"custom_id": "1", "result": {"type": "succeeded"}}, "a batch result, not a request"),
    ({"key": "1", "response": {"candidates": []}}, "a batch result, not a request"),
    ({"recordId": "1", "modelOutput": {}}, "a batch result, not a request"),
    ({"model": "m", "response": "hi", "done": True, "context": [1]}, "this is a response, not a request"),
    ({"request_created_at": "t", "request_path": "/v1", "request_body": None}, "a Helicone record without its body"),
    ({"_type": "prompt", "input_variables": [], "template": "{a}"}, "a LangChain prompt file, not a request"),
    ({"variants": [], "defaultVariant": "v"}, "a Bedrock prompt with variables"),
    ({"model": "m", "prompt": ["a", "b"]}, "/prompt holds 2 prompts"),
    ({"model": "m", "prompt": [["a"]], "keep_alive": 1}, "no known request"),
    (
        {"model": "m", "messages": [{"role": "user", "content": "x", "images": "a"}], "think": True},
        "/messages/0/images is a",
    ),
    ({"message": "hi", "chat_history": {}}, "/chat_history is an object, but an array is due there"),
    ({"conversations": [{"from": 5, "value": "x"}]}, "/conversations/0/from is a number"),
    ({"messages": [{"role": "user", "channel": "final", "content": 5}]}, "/messages/0/content is a number"),
]


@pytest.mark.parametrize(("given_value", "said"), REFUSED)
def test_what_holds_no_request_is_refused_with_the_reason(given_value: Any, said: str) -> None:
    with pytest.raises(PromptlintError) as caught:
        loaded(given_value)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


SEVERAL: dict[str, Any] = {
    "spans": {"resourceSpans": [*otlp(("gen_ai.input.messages", json.dumps(PARTS)))["resourceSpans"]] * 3},
    "requests": {
        "requests": [{"custom_id": str(n), "params": {"model": "claude-x", "messages": CHAT}} for n in range(3)]
    },
    "inline batch": {"batch": {"input_config": {"requests": {"requests": [{"request": {"contents": []}}] * 3}}}},
    "pages": {"data": [{**LANGFUSE, "input": CHAT}] * 3, "meta": {}},
    "array of requests": [{"model": "m", "messages": CHAT}] * 3,
    "array of records": [value["litellm"]] * 3,
    "array of rows": [value["sharegpt"]] * 3,
    "array of conversations": [CHAT] * 3,
    "with others between": [{"note": 1}, CHAT, "x", CHAT, None, CHAT],
    "nested": [{"requests": [{"params": {"messages": CHAT}}] * 2}, {"messages": CHAT}],
}


@pytest.mark.parametrize("name", SEVERAL)
def test_one_of_several_requests_is_selected(name: str, tmp_path: Path) -> None:
    path = tmp_path / "several.json"
    path.write_text(json.dumps(SEVERAL[name], indent=1), "utf-8")
    with pytest.raises(PromptlintError) as caught:
        load(read(str(path)))
    assert caught.value.message.endswith("the file holds 3 requests, not one")
    assert caught.value.hint == f"name one of them: {path}#0 to {path}#2"
    found = [load(read(f"{path}#{number}")).path for number in range(3)]
    assert len(set(found)) == 3
    assert found == sorted(found, key=str)
    with pytest.raises(PromptlintError, match="there is no #3: name one of them"):
        load(read(f"{path}#3"))


def test_the_only_request_of_a_container_is_taken(tmp_path: Path) -> None:
    path = tmp_path / "one.json"
    path.write_text(json.dumps({"requests": [{"params": {"messages": CHAT}}]}, indent=1), "utf-8")
    assert load(read(str(path))) == load(read(f"{path}#0"))._replace(document=read(str(path)))
    with pytest.raises(PromptlintError, match="the file holds one request; leave out #4"):
        load(read(f"{path}#4"))


def test_a_line_that_holds_several_requests_asks_for_a_pointer(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    line = json.dumps(SEVERAL["spans"])
    path.write_text(f"{line}\n{line}\n", "utf-8")
    with pytest.raises(PromptlintError) as caught:
        load(read(f"{path}#1"))
    pointer = "/resourceSpans/0/scopeSpans/0/spans/0"
    assert caught.value.hint == f"name one of them with --request-path {pointer}"
    assert load(read(f"{path}#1"), request_path=pointer).format == "span"


def test_an_explicit_format_holds_inside_a_record_and_a_container() -> None:
    request = loaded(value["litellm"], "anthropic")
    assert (request.format, request.items[0].segments[0].content) == ("anthropic", SYSTEM)
    assert loaded([{"note": 1}, {"contents": []}], "gemini").path == (1,)


@pytest.mark.parametrize("depth", [5, 250])
def test_containers_within_containers_end_somewhere(depth: int) -> None:
    with pytest.raises(PromptlintError, match="no known request: an array"):
        loaded("[" * depth + "{}" + "]" * depth)


def test_a_session_is_refused_as_a_whole(tmp_path: Path) -> None:
    path = tmp_path / "rollout.jsonl"
    path.write_text('{"timestamp": "t", "type": "session_meta", "payload": {}}\n' * 2, "utf-8")
    with pytest.raises(PromptlintError, match="a line of a Codex session, not a request"):
        load(read(str(path)))
