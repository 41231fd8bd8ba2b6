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


@pytest.mark.parametrize("model", ["gemini-2.5-pro", "claude-opus-5"])
def test_sampling_fields_of_the_chat_form_key_nothing(compare: Any, model: str) -> None:
    """Whoever serves the model through an OpenAI-shaped endpoint."""
    old = {"model": model, "messages": [{"role": "system", "content": GUIDE * 6}, {"role": "user", "content": "Now?"}]}
    new = {**old, "temperature": 1, "seed": 4, "user": "u", "stream": True, "stream_options": {"include_usage": True}}
    found = compare(old, {**new, "frequency_penalty": 1, "n": 2})
    assert found.verdict == "kept" or found.verdict == "same"


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


@pytest.mark.parametrize(("repeats", "certain"), [(1, False), (6, True)])
def test_of_a_model_that_is_not_known_a_short_loss_is_only_possible(compare: Any, repeats: int, certain: bool) -> None:
    """About 1,450 tokens, where other models need up to 4,096; then six times as many."""
    old, new = (
        {
            "model": "claude-9-zeta",
            "max_tokens": 9,
            "system": [text(first + GUIDE * repeats, **MARK)],
            "messages": [{"role": "user", "content": "Now?"}],
        }
        for first in ("", "No. ")
    )
    found = compare(old, new)
    assert found.verdict == ("bust" if certain else "unknown")
    assert found.changes[0].certainty == ("certain" if certain else "possible")
    assert any("minimum is not known" in change.message for change in found.changes) is not certain


def test_far_below_a_listed_minimum_of_gemini_a_read_is_unlikely(compare: Any) -> None:
    """Hits below it were seen, so it is not impossible."""
    old = {
        "model": "gemini-2.5-pro",
        "systemInstruction": {"parts": [{"text": GUIDE[:2000]}]},
        "contents": [{"role": "user", "parts": [{"text": "Now?"}]}],
    }
    found = compare(old, {**old, "contents": [{"role": "user", "parts": [{"text": "And then?"}]}]})
    assert "unlikely to be cached" in found.boundary.why
    assert any("unlikely to be cached" in change.message for change in found.changes)


def gemini(name: str | None, **fields: Any) -> dict[str, Any]:
    body = {"model": "gemini-2.5-pro", "contents": [{"role": "user", "parts": [{"text": "Now?"}]}], **fields}
    return body if name is None else {**body, "cachedContent": f"cachedContents/{name}"}


@pytest.mark.parametrize("other", ["log", None])
def test_how_much_is_lost_with_a_cached_object_is_not_known(compare: Any, other: str | None) -> None:
    """Its tokens stand in no request."""
    found = compare(gemini("guide"), gemini(other))
    assert (found.verdict, found.boundary.lost_tokens, found.changes[0].lost_tokens) == ("bust", None, None)
    assert "not told" in found.boundary.why
    assert compare(gemini("guide"), gemini("guide", safetySettings=[])).boundary.lost_tokens == 0


@pytest.mark.parametrize(
    "field",
    [
        {"systemInstruction": {"parts": [{"text": "Be brief."}]}},
        {"tools": [{"functionDeclarations": [{"name": "gauge"}]}]},
        {"toolConfig": {"functionCallingConfig": {"mode": "ANY"}}},
    ],
)
def test_what_belongs_into_a_cached_object_may_be_refused_beside_it(compare: Any, field: dict[str, Any]) -> None:
    found = compare(gemini("guide", **field), gemini("guide", **field))
    assert [(one.cause, one.severity, one.certainty) for one in found.changes if one.severity != "info"] == [
        ("marker-illegal-block", "warning", "possible")
    ]
    assert all(one.severity == "info" for one in compare(gemini(None, **field), gemini(None, **field)).changes)


@pytest.mark.parametrize(
    ("model", "verdict"), [("claude-haiku-5-5", "unknown"), ("claude-haiku-4-5", "bust"), ("claude-opus-5", "kept")]
)
def test_thinking_that_a_new_question_may_remove(compare: Any, model: str, verdict: str) -> None:
    """Whether Haiku 5.5 keeps it is in no source."""
    call = {"type": "tool_use", "id": "1", "name": "gauge", "input": {}}
    result = {"type": "tool_result", "tool_use_id": "1", "content": "4", **MARK}
    thought = {"type": "thinking", "thinking": GUIDE, "signature": "s"}
    turns = [
        {"role": "user", "content": "Read."},
        {"role": "assistant", "content": [thought, call]},
        {"role": "user", "content": [result]},
    ]
    more = [{"role": "assistant", "content": [text("4.")]}, {"role": "user", "content": [text("Sure?", **MARK)]}]
    old = {"model": model, "max_tokens": 9, "system": [text(GUIDE * 4, **MARK)], "messages": turns}
    found = compare(old, {**old, "messages": [*turns, *more]})
    assert found.verdict == verdict
    assert [one.certainty for one in found.changes if one.cause == "reasoning-dropped"] == {
        "unknown": ["possible"],
        "bust": ["certain"],
        "kept": [],
    }[verdict]


def asked(model: str, question: str, **fields: Any) -> dict[str, Any]:
    messages = [{"role": "system", "content": GUIDE * 2}, {"role": "user", "content": question}]
    return {"model": model, "messages": messages, **fields}


@pytest.mark.parametrize(
    "model", ["gpt-5.2", "gpt-5.5", "deepseek-v4-pro", "grok-4.7", "qwen3.7-max", "nobody-knows-it"]
)
def test_another_question_behind_a_shared_guide_loses_nothing(compare: Any, model: str) -> None:
    """What the newest message alone holds could be shared by no two requests."""
    found = compare(asked(model, "Where is the buoy?"), asked(model, "And what does the gauge say?"))
    assert (found.verdict, found.boundary.lost_tokens) == ("kept", 0)
    assert [(one.affects, one.severity) for one in found.changes] == [("suffix", "info")]


def test_a_clock_in_front_of_a_long_newest_message_loses_what_follows(compare: Any) -> None:
    old, new = (asked("gpt-5.2", f"It is {time}. {GUIDE}") for time in ("10:42", "10:49"))
    found = compare(old, new)
    assert found.verdict == "bust"
    assert found.changes[0].cause == "clock"


def test_an_earlier_question_that_was_rewritten_is_lost(compare: Any) -> None:
    old = asked("gpt-5.2", GUIDE)
    new = asked("gpt-5.2", "Something else, at length. " * 40)
    new["messages"] += [{"role": "assistant", "content": "4."}, {"role": "user", "content": "Sure?"}]
    assert compare(old, new).verdict == "bust"


@pytest.mark.parametrize(("marked", "verdict"), [(False, "bust"), (True, "kept")])
def test_a_breakpoint_behind_the_guide_saves_it_from_the_question(compare: Any, marked: bool, verdict: str) -> None:
    """From GPT-5.6 on the guide is shared only if an entry ends with it."""
    mark = {"prompt_cache_breakpoint": {"mode": "explicit"}} if marked else {}
    old, new = (
        {
            "model": "gpt-5.6-sol",
            "input": [
                {"role": "developer", "content": [{"type": "input_text", "text": GUIDE, **mark}]},
                {"role": "user", "content": [{"type": "input_text", "text": question}]},
            ],
        }
        for question in ("Where is the buoy?", "And the gauge?")
    )
    assert compare(old, new).verdict == verdict


@pytest.mark.parametrize(("at", "verdict"), [(0, "bust"), (5, "unknown")])
def test_steps_from_a_hidden_start_are_certain_only_a_whole_step_away(compare: Any, at: int, verdict: str) -> None:
    """GPT-5.5 counts its 2,048 tokens from the start of a message that no request shows."""
    pages = [GUIDE] * 6
    old = asked("gpt-5.5", "Now?")
    old["messages"][0]["content"] = "".join(pages)
    pages[at] = f"No. {GUIDE}"
    new = asked("gpt-5.5", "Now?")
    new["messages"][0]["content"] = "".join(pages)
    found = compare(old, new)
    assert found.verdict == verdict
    if at:
        assert "approximate" in found.boundary.why
