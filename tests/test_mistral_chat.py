"""Mistral's chat format against mistral-common: ids, what the next turn shares, and what bad input gives."""

import sys
from collections.abc import Callable
from functools import cache
from itertools import takewhile
from pathlib import Path
from typing import Any

import pytest
from mistral_common.protocol.instruct.request import ChatCompletionRequest
from mistral_common.tokens.tokenizers.base import SpecialTokens

import native_requests as requests
from promptlint.errors import PromptlintError
from promptlint.render.native import NativePrompt, render_mistral
from test_mistral import DATA, SENTENCE_PIECE, TEKKEN, opened, tekken


@cache
def version_file(version: str) -> str:
    """A small tekken.json of a version that mistral-common has no file of."""
    import atexit
    import tempfile

    folder = tempfile.TemporaryDirectory()
    atexit.register(folder.cleanup)
    path = Path(folder.name) / f"tekken_{version}.json"
    names = list(dict.fromkeys(token.value for token in SpecialTokens))
    special = [{"rank": rank, "token_str": name, "is_control": True} for rank, name in enumerate(names)]
    sizes = {"default_num_special_tokens": len(names), "default_vocab_size": 260 + len(names)}
    path.write_bytes(tekken(config=sizes | {"version": version}, special_tokens=special))
    return str(path)


def render_version(version: str) -> Callable[[Any], NativePrompt]:
    return lambda body: render_mistral(body, version_file(version))


PATHS = {name.rpartition(".")[2] if "model" in name else name: str(DATA / name) for name in [*SENTENCE_PIECE, *TEKKEN]}


def path_of(version: str) -> str:
    return PATHS.get(version) or version_file(version)


def own(body: dict[str, Any], path: str) -> list[int]:
    """By mistral-common's own message classes."""
    request: Any = ChatCompletionRequest.model_validate(body)
    tokens: list[int] = opened(path).encode_chat_completion(request).tokens
    return tokens


@pytest.mark.parametrize("version", ["v1", "v2", "v3", "v7", *TEKKEN, "v11", "v13"])
def test_a_chat_has_the_ids_of_mistral_common(version: str) -> None:
    path = path_of(version)
    for body in (requests.PLAIN | ({} if version == "v1" else requests.TOOLED)).values():
        assert list(render_mistral(body, path).ids) == own(body, path)


def test_the_text_of_a_chat() -> None:
    body = {
        "messages": [requests.system("Be brief."), requests.user("Hi <s>"), requests.answer("Ho"), requests.user("x")]
    }
    texts_of = {
        "v1": "<s> [INST] Be brief.\n\nHi <s> [/INST] Ho</s> [INST] x [/INST]",
        "v3": "<s>[INST] Hi <s>[/INST] Ho</s>[INST] Be brief.\n\nx[/INST]",
        "v7": "<s>[SYSTEM_PROMPT] Be brief.[/SYSTEM_PROMPT][INST] Hi <s>[/INST] Ho</s>[INST] x[/INST]",
        "v13": "<s>[SYSTEM_PROMPT]Be brief.[/SYSTEM_PROMPT][INST]Hi <s>[/INST]Ho</s>[INST]x[/INST]",
    }
    for version, text in texts_of.items():
        assert render_mistral(body, path_of(version)).text == text


def shared(a: NativePrompt, b: NativePrompt) -> int:
    pairs = zip(a.ids, b.ids, strict=False)
    return len(list(takewhile(lambda pair: pair[0] == pair[1], pairs)))


@pytest.mark.parametrize(
    ("version", "kept"), [("v2", 1), ("v3", 1), (TEKKEN[0], 1), ("v7", 6), ("v11", 12), ("v13", None)]
)
def test_what_the_next_turn_shares(version: str, kept: int | None) -> None:
    """Versions 2 to 11 put the tools at the last user message, so two turns share only what precedes that message."""
    turns = [requests.system("Be brief."), requests.user("Hi"), requests.answer("Ho"), requests.user("And?")]
    turns += [requests.answer("Nothing."), requests.user("Well")]
    one, two, three = (
        render_mistral({"messages": turns[:end], "tools": requests.TOOLS}, path_of(version)) for end in (2, 4, 6)
    )
    if kept is None:
        assert (shared(one, two), shared(two, three)) == (len(one.ids), len(two.ids))
        return
    assert shared(one, two) == kept
    assert shared(two, three) == two.ends.index(len(two.text.partition("[AVAILABLE_TOOLS]")[0].encode())) + 1
    assert "moves them" in one.notes[1]


def test_notes() -> None:
    prompt = render_mistral(requests.PLAIN["one"], PATHS["v3"])
    assert len(prompt.notes) == 1
    assert prompt.notes[0].startswith("rendered by mistral-common ")
    assert prompt.notes[0].endswith(" for tokenizer version v3")


def test_a_name_without_a_version(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.model"
    path.write_bytes((DATA / SENTENCE_PIECE[0]).read_bytes())
    prompt = render_mistral(requests.PLAIN["system"], str(path))
    assert list(prompt.ids) == own(requests.PLAIN["system"], PATHS["v1"])
    assert "v1" in prompt.notes[1]


def call_id(name: str) -> dict[str, Any]:
    call = requests.call("{}")
    return call | {"tool_calls": [call["tool_calls"][0] | {"id": name}]}


def result_id(name: str) -> dict[str, Any]:
    return requests.result("x") | {"tool_call_id": name}


def tool_of(**changes: Any) -> dict[str, Any]:
    return {"type": "function", "function": requests.WEATHER | changes}


REFUSED: dict[str, tuple[str, Any, str]] = {
    "last-assistant": (
        "v3",
        {"messages": [requests.user("x"), requests.answer("y")]},
        "Expected last role User or Tool",
    ),
    "tool-id": ("v3", {"messages": [requests.user("x"), call_id("call_1"), result_id("call_1")]}, "a length of 9"),
    "no-tool-id": ("v3", {"messages": [*requests.ASKED[:2], {"role": "tool", "content": "x"}]}, "no 'tool_call_id'"),
    "order": (
        "v3",
        {"messages": [requests.user("x"), requests.result("y")]},
        "Unexpected role 'tool' after role 'user'",
    ),
    "answers": (
        "v3",
        {"messages": [*requests.ASKED, requests.result("y"), requests.answer("z"), requests.user("x")]},
        "Not the same number",
    ),
    "tools-v1": ("v1", {"messages": requests.ASKED}, "Tools not implemented"),
    "both": (
        "v3",
        {"messages": [requests.user("x"), requests.ASKED[1] | {"content": "y"}, requests.ASKED[2]]},
        "not both",
    ),
    "thinking": (
        "v3",
        {"messages": [requests.user("x"), requests.answer("y", reasoning="z"), requests.user("x")]},
        "ThinkChunk",
    ),
    "effort": ("v3", requests.PLAIN["one"] | {"reasoning_effort": "low"}, "not supported"),
    "schema": ("v3", requests.PLAIN["one"] | {"tools": [tool_of(parameters={"type": 5})]}, "Invalid tool schema"),
    "name": ("v3", requests.PLAIN["one"] | {"tools": [tool_of(name="a b")]}, "Function name was a b"),
    "other-tool": ("v3", requests.PLAIN["one"] | {"tools": [{"type": "web_search"}]}, "function"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_refused_request_is_one_line(case: str) -> None:
    version, body, reason = REFUSED[case]
    with pytest.raises(PromptlintError) as caught:
        render_mistral(body, PATHS[version])
    assert caught.value.message.startswith("mistral-common refuses the request: ")
    assert reason in caught.value.message
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["tekken.json", "tokenizer.model.v3", "tokenizer.model.v99", "vocabulary.json", "x"])
def test_a_bad_file_for_a_chat_is_one_line(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    for data in (None, b"", b"{}", b'{"config": {"version": "v3"}}', tekken(config={"version": "v99"}), tekken()[:-99]):
        if data is not None:
            path.write_bytes(data)
        with pytest.raises(PromptlintError, match="mistral-common cannot read it") as caught:
            render_mistral(requests.PLAIN["one"], str(path))
        assert "\n" not in str(caught.value)


def test_a_hostile_pattern_is_one_line(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "tekken.json"
    path.write_bytes(tekken(config={"pattern": "a*"}))
    with pytest.raises(PromptlintError, match="refuses the request"):
        render_mistral(requests.PLAIN["one"], str(path))
    capfd.readouterr()


def test_a_chat_without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mistral_common.tokens.tokenizers.mistral", None)
    with pytest.raises(PromptlintError) as caught:
        render_mistral(requests.PLAIN["one"], "no such tekken.json")
    assert caught.value.hint == "pip install 'promptlint-cache[mistral]'"


def test_results_that_are_put_in_another_order() -> None:
    """Versions from 11 on sort results as they were called for; two that are equal are still told apart."""
    calls = requests.call("{}", 1)["tool_calls"] + requests.call("{}", 2)["tool_calls"]
    results = [requests.result("same", 2), requests.result("same", 1)]
    body = {"messages": [requests.user("x"), {"role": "assistant", "tool_calls": calls}, *results]}
    for version, order in (("v7", [2, 3]), ("v11", [3, 2]), ("v13", [3, 2])):
        prompt = render_mistral(body, path_of(version))
        found = [o.path for o in prompt.origins if prompt.text[o.start : o.end] == "same"]
        assert found == [("messages", number, "content") for number in order]
