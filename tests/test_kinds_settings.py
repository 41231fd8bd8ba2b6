"""What a change outside the text invalidates, and from which level on: each row of the vendors' tables.

Source of the rows of Anthropic: platform.claude.com/docs/en/build-with-claude/prompt-caching, copy of 2026-08-21, with
the pages on thinking, effort, fast mode, structured outputs; of OpenAI: its guides on prompt caching and diagnostics.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from promptlint.commands.diff import diff
from promptlint.finding import Change, Diff

MARK = {"cache_control": {"type": "ephemeral"}}
GUIDE = "The harbour master reads the gauge and writes it down. " * 120  # about 1,450 tokens
LEVELS = ("tools", "system", "messages")


def text(words: str, **fields: Any) -> dict[str, Any]:
    return {"type": "text", "text": words, **fields}


def tool(name: str, **fields: Any) -> dict[str, Any]:
    schema = {"type": "object", "properties": {"day": {"type": "string"}, "hour": {"type": "string"}}}
    return {"name": name, "description": GUIDE, "input_schema": schema, **fields}


def request(**fields: Any) -> dict[str, Any]:
    """A marker at the end of each level, each level long enough."""
    return {
        "model": "claude-opus-5",
        "max_tokens": 9,
        "tools": [tool("gauge"), tool("buoy", **MARK)],
        "system": [text(GUIDE, **MARK)],
        "messages": [{"role": "user", "content": [text(GUIDE), text("Now?", **MARK)]}],
        **fields,
    }


@pytest.fixture
def compare(tmp_path: Path) -> Any:
    def run(old: dict[str, Any], new: dict[str, Any], **options: Any) -> Diff:
        for name, value in (("a.json", old), ("b.json", new)):
            (tmp_path / name).write_text(json.dumps(value), "utf-8")
        (found,) = diff(str(tmp_path / "a.json"), str(tmp_path / "b.json"), **options).diffs
        return found

    return run


def read_levels(found: Diff) -> int:
    """How many of the three entries the second request reads."""
    usable, lost = found.boundary.usable_tokens or 0, found.boundary.lost_tokens or 0
    share = usable / max(usable + lost, 1)
    return sum(share > least for least in (0, 0.6, 0.9))  # two of four guides in the tools, one in the system text


def costs(found: Diff) -> list[Change]:
    return [change for change in found.changes if change.affects in ("prefix", "key")]


IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}}
DOCUMENT = {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "High water at nine."}}
CITED = {**DOCUMENT, "citations": {"enabled": True}}
SEARCH = {"type": "web_search_20250305", "name": "web_search"}


def with_last(*blocks: dict[str, Any]) -> dict[str, Any]:
    """The request, with one more turn for each block; the last one is marked."""
    value = request()
    for number, block in enumerate(blocks, 1):
        asked = text("And now?", **(MARK if number == len(blocks) else {}))
        value["messages"] += [{"role": "assistant", "content": "Yes."}, {"role": "user", "content": [block, asked]}]
    return value


def inside_result(block: dict[str, Any]) -> dict[str, Any]:
    call = {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "gauge", "input": {}}]}
    result = {"type": "tool_result", "tool_use_id": "t1", "content": [block], **MARK}
    value = request()
    return {**value, "messages": [*value["messages"], call, {"role": "user", "content": [result]}]}


# name, old, new, entries that are read (3: tools, system and messages)
CERTAIN = {
    "model": (request(), request(model="claude-sonnet-5"), 0),
    "a tool added": (request(), request(tools=[tool("gauge"), tool("buoy"), tool("mast", **MARK)]), 0),
    "a tool removed": (request(), request(tools=[tool("buoy", **MARK)]), 0),
    "tools reordered": (request(), request(tools=[tool("buoy"), tool("gauge", **MARK)]), 0),
    "a tool's name": (request(), request(tools=[tool("gauges"), tool("buoy", **MARK)]), 0),
    "a tool's description": (request(), request(tools=[tool("gauge", description="x"), tool("buoy", **MARK)]), 0),
    "keys of a schema": (
        request(),
        request(
            tools=[
                tool(
                    "gauge",
                    input_schema={
                        "type": "object",
                        "properties": {"hour": {"type": "string"}, "day": {"type": "string"}},
                    },
                ),
                tool("buoy", **MARK),
            ]
        ),
        0,
    ),
    "web search on": (request(), request(tools=[*request()["tools"], SEARCH]), 1),
    "web search off": (request(tools=[*request()["tools"], SEARCH]), request(), 1),
    "citations on": (request(), with_last(CITED), 1),
    "citations off": (with_last(CITED), with_last(DOCUMENT), 1),
    "speed": (request(), request(speed="fast"), 0),
    "system": (request(), request(system=[text(f"Be kind. {GUIDE}", **MARK)]), 1),
    "tool_choice": (request(), request(tool_choice={"type": "any"}), 2),
    "tool_choice of one tool": (
        request(tool_choice={"type": "auto"}),
        request(tool_choice={"type": "tool", "name": "gauge"}),
        2,
    ),
    "parallel tools": (
        request(tool_choice={"type": "auto"}),
        request(tool_choice={"type": "auto", "disable_parallel_tool_use": True}),
        2,
    ),
    "images present": (request(), with_last(IMAGE), 2),
    "images absent": (with_last(IMAGE), request(), 2),
    "images in a result": (request(), inside_result(IMAGE), 2),
    "thinking": (request(), request(thinking={"type": "adaptive"}), 2),
    "thinking budget": (
        request(thinking={"type": "enabled", "budget_tokens": 2000}),
        request(thinking={"type": "enabled", "budget_tokens": 4000}),
        2,
    ),
    "effort": (request(output_config={"effort": "high"}), request(output_config={"effort": "low"}), 2),
    "output format": (request(), request(output_config={"format": {"type": "json_schema", "schema": {}}}), 2),
    "an earlier message": (
        request(),
        request(messages=[{"role": "user", "content": [text(f"{GUIDE}."), text("Now?", **MARK)]}]),
        2,
    ),
}


@pytest.mark.parametrize("name", CERTAIN)
def test_what_the_table_says_is_lost_is_lost_and_no_more(compare: Any, name: str) -> None:
    old, new, levels = CERTAIN[name]
    found = compare(old, new)
    assert (found.verdict, read_levels(found)) == ("bust", levels)
    assert "certain" in [change.certainty for change in costs(found)]


# What the table calls model-specific, or the vendor does not list by level.
@pytest.mark.parametrize("name", ["thinking", "thinking budget", "effort", "output format"])
def test_that_more_may_be_lost_is_said_where_it_is_not_published(compare: Any, name: str) -> None:
    (change,) = costs(compare(*CERTAIN[name][:2]))
    assert "tools and system possibly too" in change.message


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ({"betas": ["a"]}, {"betas": ["a", "b"]}),
        ({}, {"output_config": {"effort": "high"}}),  # what an omitted effort means is not published
        ({}, {"context_management": {"edits": [{"type": "clear_tool_uses_20250919"}]}}),
        ({}, {"compaction": {"type": "summarize"}}),
        ({}, {"mcp_servers": [{"name": "x", "type": "url", "url": "https://x.example"}]}),
    ],
)
def test_what_is_only_possible_is_not_asserted(compare: Any, old: dict[str, Any], new: dict[str, Any]) -> None:
    found = compare(request(**old), request(**new))
    assert (found.verdict, {change.certainty for change in costs(found)}) == ("unknown", {"possible"})


SILENT = {
    "parameters of sampling": (request(temperature=0.1, stream=False), request(temperature=1, stream=True)),
    "max_tokens, metadata": (request(), request(max_tokens=10, metadata={"user_id": "u"}, stop_sequences=["x"])),
    "place of inference": (request(), request(inference_geo="us")),
    "an appended turn": (request(), with_last(text("more"))),
    "an image more": (with_last(IMAGE), with_last(IMAGE, IMAGE)),
    "a system message in the conversation": (
        request(),
        request(messages=[*request()["messages"], {"role": "system", "content": [text("Be kind.", **MARK)]}]),
    ),
    "a document without citations": (request(), with_last({**DOCUMENT, "citations": {"enabled": False}})),
    "the default spelled out": (request(), request(tool_choice={"type": "auto"}, thinking={"type": "disabled"})),
}


@pytest.mark.parametrize("name", SILENT)
def test_what_the_table_does_not_list_costs_nothing(compare: Any, name: str) -> None:
    found = compare(*SILENT[name])
    assert found.verdict in ("same", "kept")
    assert (costs(found), found.boundary.lost_tokens) == ([], 0)


def thinking(model: str, *, asked_again: bool) -> dict[str, Any]:
    """A call with its thinking, then its result, and perhaps a new question."""
    thought = {"type": "thinking", "thinking": GUIDE, "signature": "s"}
    call = {"type": "tool_use", "id": "t1", "name": "gauge", "input": {}}
    result = {"type": "tool_result", "tool_use_id": "t1", "content": "4 m"}
    turns: list[dict[str, Any]] = [
        {"role": "assistant", "content": [thought, call]},
        {"role": "user", "content": [{**result, **({} if asked_again else MARK)}]},
    ]
    if asked_again:
        turns += [{"role": "assistant", "content": "4 m."}, {"role": "user", "content": [text("Later?", **MARK)]}]
    fields = {"model": model, "thinking": {"type": "enabled", "budget_tokens": 2000}}
    return {**request(**fields), "messages": [*request()["messages"], *turns]}


@pytest.mark.parametrize(
    ("model", "dropped"),
    [("claude-sonnet-4-5", True), ("claude-haiku-4-5", True), ("claude-sonnet-4-6", False), ("claude-opus-5", False)],
)
def test_a_new_question_removes_the_thinking_of_the_turn_before_on_older_models(
    compare: Any, model: str, dropped: bool
) -> None:
    found = compare(thinking(model, asked_again=False), thinking(model, asked_again=True))
    assert found.verdict == ("bust" if dropped else "kept")
    assert ("reasoning-dropped" in [change.cause for change in costs(found)]) == dropped
    if dropped:
        (change,) = costs(found)
        assert str(change.b.pointer).startswith("/messages/1/content/0/")
        assert read_levels(found) == 2


def test_a_result_alone_is_no_new_question(compare: Any) -> None:
    old = thinking("claude-sonnet-4-5", asked_again=False)
    call = {"type": "tool_use", "id": "t2", "name": "gauge", "input": {}}
    result = {"type": "tool_result", "tool_use_id": "t2", "content": "5 m", **MARK}
    more = [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
    found = compare(old, {**old, "tools": [tool("gauge"), tool("buoy")], "messages": [*old["messages"], *more]})
    assert (found.verdict, costs(found)) == ("kept", [])


# OpenAI


def chat(**fields: Any) -> dict[str, Any]:
    messages = [{"role": "developer", "content": GUIDE * 2}, {"role": "user", "content": "Now?"}]
    return {"model": "gpt-6-sol", "messages": messages, **fields}


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ({}, {"model": "gpt-6-luna"}, None),
        ({"prompt_cache_key": "a"}, {"prompt_cache_key": "b"}, "prompt_cache_key_changed"),
        ({"service_tier": "flex"}, {"service_tier": "auto"}, "service_tier_changed"),
        ({"reasoning_effort": "low"}, {"reasoning_effort": "high"}, "reasoning_effort_changed"),
        ({"verbosity": "low"}, {"verbosity": "high"}, "verbosity_changed"),
        ({}, {"response_format": {"type": "json_object"}}, "text_format_changed"),
        ({}, {"parallel_tool_calls": False}, None),
        ({}, {"context_management": [{"type": "compaction"}]}, "context_compacted"),
    ],
)
def test_settings_in_the_prefix_of_openai(
    compare: Any, old: dict[str, Any], new: dict[str, Any], reason: str | None
) -> None:
    found = compare(chat(**old), chat(**new))
    assert (found.verdict, found.boundary.usable_tokens) == ("bust", 0)
    (change,) = costs(found)
    assert (change.certainty, change.affects) == ("certain", "key")
    assert reason is None or reason in change.message


@pytest.mark.parametrize(
    "new",
    [
        {"tool_choice": "none"},
        {"tool_choice": {"type": "allowed_tools", "mode": "auto", "tools": []}},
        {"temperature": 1, "seed": 3, "user": "u", "metadata": {"a": "b"}},
        {"parallel_tool_calls": True, "service_tier": "auto"},
    ],
)
def test_settings_outside_the_prefix_of_openai(compare: Any, new: dict[str, Any]) -> None:
    found = compare(chat(), chat(**new))
    assert (found.verdict, costs(found)) == ("same", [])


def test_a_forced_tool_is_only_possible(compare: Any) -> None:
    found = compare(chat(), chat(tool_choice={"type": "function", "function": {"name": "gauge"}}))
    assert (found.verdict, {change.certainty for change in costs(found)}) == ("unknown", {"possible"})


def test_a_key_only_steers_the_routing_of_older_models(compare: Any) -> None:
    found = compare(chat(model="gpt-4.1", prompt_cache_key="a"), chat(model="gpt-4.1", prompt_cache_key="b"))
    assert (found.verdict, [change.certainty for change in costs(found)]) == ("unknown", ["possible"])


# Bedrock


def converse(model: str, **fields: Any) -> dict[str, Any]:
    point = {"cachePoint": {"type": "default"}}
    return {
        "modelId": model,
        "system": [{"text": GUIDE * 3}, point],
        "messages": [{"role": "user", "content": [{"text": GUIDE}, point]}],
        **fields,
    }


def tools(choice: dict[str, Any]) -> dict[str, Any]:
    spec = {"name": "gauge", "inputSchema": {"json": {"type": "object"}}}
    return {"toolConfig": {"tools": [{"toolSpec": spec}], "toolChoice": choice}}


@pytest.mark.parametrize(
    ("model", "certainty"), [("anthropic.claude-opus-4-8", "certain"), ("amazon.nova-pro-v1:0", "possible")]
)
def test_the_choice_of_tools_on_bedrock(compare: Any, model: str, certainty: str) -> None:
    """Claude keeps tools and system; of Nova one recorded pair wrote the system entry again."""
    found = compare(converse(model, **tools({"auto": {}})), converse(model, **tools({"any": {}})))
    (change,) = costs(found)
    assert (change.cause, change.certainty) == ("setting-changed", certainty)
    assert ("system and messages" in change.message) == (certainty == "possible")


def test_thinking_on_bedrock(compare: Any) -> None:
    asked = {"additionalModelRequestFields": {"thinking": {"type": "enabled", "budget_tokens": 2000}}}
    found = compare(converse("anthropic.claude-opus-4-8"), converse("anthropic.claude-opus-4-8", **asked))
    (change,) = costs(found)
    assert (found.verdict, change.certainty) == ("bust", "certain")
    assert 0 < (found.boundary.usable_tokens or 0) < (found.a.prompt_tokens or 0)


def test_an_image_on_bedrock(compare: Any) -> None:
    image = {"image": {"format": "png", "source": {"bytes": "iVBORw0KGgo="}}}
    old = converse("anthropic.claude-opus-4-8")
    turns = [{"role": "assistant", "content": [{"text": "Yes."}]}, {"role": "user", "content": [image, {"text": "?"}]}]
    found = compare(old, {**old, "messages": [*old["messages"], *turns]})
    assert (found.verdict, [change.cause for change in costs(found)]) == ("bust", ["setting-changed"])


# Others: what routes a request is told where the request shows it.


@pytest.mark.parametrize(
    ("model", "header", "provider"),
    [
        ("grok-4.7", "x-grok-conv-id", None),
        ("accounts/fireworks/models/kimi-k3", "x-session-affinity", "fireworks"),
        ("glm-5.3", "x-session-id", None),
    ],
)
def test_what_routes_a_request_may_lose_the_entry(compare: Any, model: str, header: str, provider: str | None) -> None:
    old, new = ({"headers": {header: value}, "body": chat(model=model)} for value in ("a", "b"))
    found = compare(old, new, provider=provider)
    assert (found.verdict, [change.cause for change in costs(found)]) == ("unknown", ["cache-key-changed"])


def test_effort_on_bedrock_keys_what_it_keys_at_the_vendor(compare: Any) -> None:
    """In Converse the vendor's own fields stand one level deeper."""
    point = {"cachePoint": {"type": "default"}}
    ask = {"role": "user", "content": [{"text": GUIDE * 4}, point]}
    old = {"modelId": "us.anthropic.claude-opus-5", "system": [{"text": GUIDE}, point], "messages": [ask]}
    low, high = (
        {**old, "additionalModelRequestFields": {"output_config": {"effort": effort}}} for effort in ("low", "high")
    )
    (change,) = compare(low, high).changes
    assert (change.affects, change.certainty) == ("key", "certain")
    assert "tools and system possibly too" in change.message


def test_a_new_tool_in_front_of_markers_has_one_cause(compare: Any) -> None:
    """Every entry is lost with the tools: no marker is out of reach."""
    old = request()
    found = compare(old, request(tools=[*old["tools"], tool("vane")]))
    assert [change.cause for change in found.changes if change.severity != "info"] == ["items-changed"]
    assert found.verdict == "bust"


@pytest.mark.parametrize("change", ["added", "edited", "dropped", "in front"])
def test_a_tool_that_is_loaded_later_is_outside_the_prefix(compare: Any, change: str) -> None:
    """Deferred tools take no part in the prefix: found ones are appended as references."""
    late, other = tool("vane", defer_loading=True), tool("vane", defer_loading=True, strict=True)
    tools = request()["tools"]
    old, new = {
        "added": (tools, [*tools, late]),
        "edited": ([*tools, late], [*tools, other]),
        "dropped": ([*tools, late], tools),
        "in front": (tools, [late, *tools]),
    }[change]
    found = compare(request(tools=old), request(tools=new))
    assert (found.verdict, found.boundary.lost_tokens) == ("same", 0)
    assert [(one.cause, one.affects) for one in found.changes] == [("request-only-setting", "nothing")]


def test_a_tool_that_is_loaded_at_once_now_is_new_in_the_prefix(compare: Any) -> None:
    tools = request()["tools"]
    late = request(tools=[*tools, tool("vane", defer_loading=True)])
    assert compare(late, request(tools=[*tools, tool("vane")])).verdict == "bust"
