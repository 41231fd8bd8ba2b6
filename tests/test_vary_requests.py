"""The requests that `promptlint vary` makes: changed as the row says, and such as a provider takes."""

import json
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pytest

from conftest import ROOT
from promptlint.commands.templates import TemplateOptions
from promptlint.commands.vary import vary
from promptlint.errors import PromptlintError
from promptlint.vary_facts import Row

TODAY = date(2026, 11, 30)
LONG = "word " * 2000
MARK = {"cache_control": {"type": "ephemeral"}}


def tried(folder: Path, body: Any, name: str = "request.json", **how: Any) -> dict[str, tuple[Row, Any]]:
    """Each row, and the request that was saved for it."""
    path = folder / name
    path.write_text(body if isinstance(body, str) else json.dumps(body), encoding="utf-8")
    report = vary(str(path), today=TODAY, save=str(folder / "saved"), **how)
    assert report.varied is not None
    found = {}
    for row in report.varied.rows:
        text = "" if row.file is None else Path(row.file.partition("#")[0]).read_text("utf-8")
        found[row.name] = row, json.loads(text) if text[:1] in ("{", "[") else text
    return found


def anthropic(**more: Any) -> dict[str, Any]:
    system = [{"type": "text", "text": LONG, **MARK}]
    messages = [{"role": "user", "content": "Hello."}]
    return {"model": "claude-sonnet-5", "max_tokens": 100, "system": system, "messages": messages, **more}


def tool(name: str) -> dict[str, Any]:
    return {"name": name, "description": name, "input_schema": {"type": "object", "properties": {}}}


TEXT = [{"role": "user", "parts": [{"text": LONG}]}]
NESTED: list[tuple[Any, str, tuple[str, ...], Any]] = [
    ({"model": "gpt-5.5", "input": [{"role": "user", "content": LONG}]}, "thinking", ("reasoning", "effort"), "high"),
    (
        {"model": "models/gemini-3-flash", "contents": TEXT},
        "thinking",
        ("generationConfig", "thinkingConfig", "thinkingLevel"),
        "high",
    ),
    (
        {"model": "gemini-2.5-pro", "contents": TEXT, "generation_config": {}},
        "thinking",
        ("generation_config", "thinking_config", "thinking_budget"),
        1024,
    ),
    (
        {
            "contents": TEXT,
            "generationConfig": {"maxOutputTokens": 7},
            "system_instruction": {"parts": [{"text": "x"}]},
        },
        "output-limit",
        ("generationConfig", "maxOutputTokens"),
        8,
    ),
    (
        {"modelId": "anthropic.claude-sonnet-4-5", "messages": [{"role": "user", "content": [{"text": LONG}]}]},
        "thinking-on",
        ("additionalModelRequestFields", "thinking", "type"),
        "enabled",
    ),
]


@pytest.mark.parametrize(("body", "name", "pointer", "value"), NESTED)
def test_fields_within_fields_that_are_not_there_are_made(
    body: Any, name: str, pointer: tuple[str, ...], value: Any, tmp_path: Path
) -> None:
    row, made = tried(tmp_path, body)[name]
    assert not {"generation_config", "generationConfig"} <= made.keys()
    for step in pointer:
        made = made[step]
    assert made == value
    assert row.cause != "body-form-only"


def test_thinking_is_switched_on_as_the_provider_takes_it(tmp_path: Path) -> None:
    body = anthropic(temperature=0.2, tools=[tool("a")], tool_choice={"type": "any"}, model="claude-sonnet-4-5")
    row, made = tried(tmp_path, body)["thinking-on"]
    assert made["thinking"]["budget_tokens"] < made["max_tokens"]
    assert "temperature" not in made
    assert made["tool_choice"] == {"type": "auto"}
    assert row.does == "thinking switched on, max_tokens raised to 2,048, temperature left out, no tool demanded"
    thinking = tried(tmp_path, {**made, "tool_choice": {"type": "auto", "disable_parallel_tool_use": True}})
    assert thinking["thinking-off"][1].get("thinking") is None
    assert thinking["tool-choice"][1]["tool_choice"] == {"type": "none", "disable_parallel_tool_use": True}
    newer = tried(tmp_path, anthropic())["thinking-on"][1]
    assert (newer["thinking"], newer["max_tokens"]) == ({"type": "adaptive"}, 100)
    prefill = anthropic(messages=[{"role": "user", "content": "x"}, {"role": "assistant", "content": "{"}])
    assert "thinking-on" not in tried(tmp_path, prefill)
    assert "thinking" not in tried(tmp_path, {"model": "gpt-4o", "messages": [{"role": "user", "content": LONG}]})


def test_markers_move_to_blocks_only(tmp_path: Path) -> None:
    found = tried(tmp_path, anthropic())
    assert "marker-moved-on" not in found  # the newest message is a bare text
    block = [{"type": "text", "text": "Hello."}]
    row, made = tried(tmp_path, anthropic(messages=[{"role": "user", "content": block}]))["marker-moved-on"]
    assert made["messages"][0]["content"][0]["cache_control"] == {"type": "ephemeral"}
    assert "cache_control" not in made["system"][0]
    assert row.outcome == "hit"
    point = {"prompt_cache_breakpoint": {"mode": "explicit"}}
    call = {"type": "function_call_output", "call_id": "c", "output": "x"}
    message = {"role": "user", "content": [{"type": "input_text", "text": LONG, **point}]}
    body = {"model": "gpt-5.6", "input": [message, call], "tools": [{"type": "function", "name": "f"}]}
    assert not {"marker-moved-on", "marker-moved-back", "marker-lifetime"} & tried(tmp_path, body).keys()


def test_added_tools_are_such_as_an_author_can_add(tmp_path: Path) -> None:
    search = {"type": "web_search_20250305", "name": "web_search"}
    found = tried(tmp_path, anthropic(tools=[tool("f"), tool("f_v2"), search]))
    assert [each["name"] for each in found["tool-added-last"][1]["tools"]] == ["f", "f_v2", "web_search", "f_v2_v2"]
    found = tried(tmp_path, anthropic(tools=[tool("n" * 64)]))
    assert max(len(each["name"]) for each in found["tool-added-first"][1]["tools"]) <= 64
    assert "tool-added-last" not in tried(tmp_path, anthropic(tools=[search]))


def test_a_text_put_in_front_is_a_block_like_the_others(tmp_path: Path) -> None:
    _, made = tried(tmp_path, anthropic())["system-injected"]
    assert made["system"][0] == {"type": "text", "text": "Answer in the language of the user."}
    assert made["system"][1]["cache_control"] == {"type": "ephemeral"}


def test_ids_get_another_salt_and_adapter_than_they_have(tmp_path: Path) -> None:
    extra = {"cache_salt": "tenant-b", "lora_name": "adapter-b", "lora_path": "/b"}
    found = tried(tmp_path, {"token_ids": list(range(64)), "extra": extra}, engine="vllm")
    assert found["cache-salt"][1]["extra"]["cache_salt"] != "tenant-b"
    assert found["adapter"][1]["extra"]["lora_name"] != "adapter-b"
    assert (found["cache-salt"][0].outcome, found["adapter"][0].outcome) == ("miss", "miss")


def test_tools_without_a_name_keep_their_place(tmp_path: Path) -> None:
    tools = [{"type": "function", "name": "f", "parameters": {"type": "object"}}, {"type": "web_search"}]
    found = tried(tmp_path, {"model": "gpt-5.5", "input": LONG, "tools": tools})
    assert [each["type"] for each in found["tool-added-last"][1]["tools"]] == ["function", "web_search", "function"]
    assert found["tools-reversed"][1]["tools"] == tools[::-1]


def test_a_request_that_is_refused_anyway_says_why(tmp_path: Path) -> None:
    long = {"cache_control": {"type": "ephemeral", "ttl": "1h"}}
    system = [{"type": "text", "text": "a", **MARK}, {"type": "text", "text": LONG, **long}]
    found = tried(tmp_path, anthropic(system=system))
    assert {row.cause for row, _ in found.values() if row.outcome == "refused"} == {"marker-ttl-order"}
    assert found["sent-again"][0].outcome == "refused"


def test_calls_and_results_stay_together(tmp_path: Path) -> None:
    call = {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "f", "input": {}}]}
    result = {"type": "tool_result", "tool_use_id": "t", "content": "x"}
    asked = {"role": "user", "content": "Do it."}
    waiting = tried(tmp_path, anthropic(messages=[asked, call], tools=[tool("f")]))
    assert "turn-appended" not in waiting
    more = {"role": "user", "content": [result, {"type": "text", "text": "And?"}]}
    answered = {"role": "assistant", "content": "Done."}
    messages = [asked, call, more, answered, {"role": "user", "content": "Again."}, answered]
    _, made = tried(tmp_path, anthropic(messages=messages, tools=[tool("f")]))["oldest-turn-dropped"]
    assert made["messages"] == messages[4:]


def test_a_bare_text_gets_a_turn_as_well(tmp_path: Path) -> None:
    _, made = tried(tmp_path, {"model": "gpt-5.5", "input": "Where?"})["turn-appended"]
    assert [each["role"] for each in made["input"]] == ["user", "assistant", "user"]
    assert made["input"][0]["content"] == "Where?"


def test_the_request_itself_is_never_written_over(tmp_path: Path) -> None:
    folder = tmp_path / "saved"
    folder.mkdir()
    original = folder / "model.json"
    original.write_text(json.dumps(anthropic()), encoding="utf-8")
    link = tmp_path / "link.json"
    link.symlink_to(original)
    for path in (original, link):
        with pytest.raises(PromptlintError, match="is the request itself"):
            vary(str(path), save=str(folder))
    assert json.loads(original.read_text("utf-8")) == anthropic()
    assert sorted(each.name for each in folder.iterdir()) == ["model.json"]


def test_a_file_that_a_name_leads_to_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "saved").mkdir()
    other = tmp_path / "other.json"
    other.write_text("{}", encoding="utf-8")
    (tmp_path / "saved" / "nfd.json").symlink_to(other)
    tried(tmp_path, anthropic())
    assert other.read_text("utf-8") == "{}"


def test_what_changes_nothing_says_so(tmp_path: Path) -> None:
    path = tmp_path / "request.json"
    path.write_text(json.dumps(anthropic()), encoding="utf-8")
    cells = {str(row[0]): row[-1] for row in vary(str(path)).tables[0].rows}
    assert (cells["nfd"], cells["sent-again"]) == ("no change", "nothing")


def test_what_the_provider_does_not_promise_has_a_question_mark(tmp_path: Path) -> None:
    gemini = {"model": "models/gemini-3-flash", "contents": [{"role": "user", "parts": [{"text": "Short."}]}]}
    assert tried(tmp_path, gemini)["sent-again"][0].certainty == "possible"
    marked = [{"role": "user", "content": [{"type": "text", "text": "x", **MARK}]}]
    partial, _ = tried(tmp_path, anthropic(messages=marked))["thinking-on"]
    assert (partial.outcome, partial.certainty) == ("partial", "possible")
    chat = {"model": "gpt-4o", "messages": [{"role": "user", "content": LONG}]}
    shape, _ = tried(tmp_path, chat)["text-as-block"]
    assert (shape.outcome, shape.certainty) == ("hit", "possible")


def test_a_providers_name_and_an_engines_say_the_same(tmp_path: Path) -> None:
    body = {"model": "m", "messages": [{"role": "user", "content": LONG}]}
    for name in ("llama-cpp", "sglang", "vllm", "ollama"):
        by_provider, by_engine = (tried(tmp_path, body, **{how: name}) for how in ("provider", "engine"))
        assert {key: row.usable_tokens for key, (row, _) in by_provider.items()} == {
            key: row.usable_tokens for key, (row, _) in by_engine.items()
        }


def test_a_template_with_a_clock(tmp_path: Path) -> None:
    """Its clock is no cause of what an edit of the request loses; and it is moved, too."""
    template = tmp_path / "clock.jinja"
    source = "{{ strftime_now('%d %b %Y') }}\n{% for m in messages %}{{ m.role }}: {{ m.content }}\n{% endfor %}"
    template.write_text(source, encoding="utf-8")
    body = {"model": "m", "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi."}]}
    options = TemplateOptions(chat_template=str(template), now=datetime(2026, 11, 30))
    found = tried(tmp_path, body, engine="llama-cpp", templates=options)
    assert found["space-added"][0].cause == "white-space"
    assert found["clock-tomorrow"][0].cause == "date-rollover"
    assert found["clock-tomorrow"][0].usable_tokens == 0


def test_files_are_named_as_they_are_read(tmp_path: Path) -> None:
    text = "model: m\nmessages:\n  - role: user\n    content: Hello there.\n"
    found = tried(tmp_path, text, name="request.yaml")
    assert str(found["sent-again"][0].file).endswith("sent-again.yaml")
    assert str(found["space-added"][0].file).endswith("space-added.json")
    har = tried(tmp_path, (ROOT / "fixtures" / "formats" / "14_proxy.har").read_text("utf-8"), name="x.har")
    assert str(har["space-added"][0].file).endswith("space-added.json")
