"""What holds for every native rendering: text, ids and ends belong together, and no origin is wrong."""

import json
import random
from collections.abc import Callable
from typing import Any

import pytest

import native_requests as requests
import token_texts
from promptlint.errors import PromptlintError
from promptlint.prompt import Origin
from promptlint.render.native import NativePrompt, render_harmony
from promptlint.tokens.harmony import official_ranks
from test_mistral import DATA, SENTENCE_PIECE, TEKKEN
from test_mistral_chat import render_version

Render = Callable[[Any], NativePrompt]


def harmony(body: Any) -> NativePrompt:
    return render_harmony(body, official_ranks, "2026-11-29")


def mistral(name: str) -> Render:
    from promptlint.render.native import render_mistral

    return lambda body: render_mistral(body, str(DATA / name))


RENDERS: dict[str, Render] = {
    "v1": mistral(SENTENCE_PIECE[0]),
    "v2": mistral(SENTENCE_PIECE[1]),
    "v3": mistral(SENTENCE_PIECE[2]),
    "v7": mistral(SENTENCE_PIECE[3]),
    "tekken": mistral(TEKKEN[0]),
    "v11": render_version("v11"),
    "v13": render_version("v13"),
    "harmony": harmony,
}


def at(body: Any, origin: Origin) -> Any:
    value = body
    for step in origin.path or ():
        value = value[step]
    return value


def check(prompt: NativePrompt, body: Any) -> int:
    """The laws; how many characters have an origin."""
    assert len(prompt.ends) == len(prompt.ids)
    assert list(prompt.ends) == sorted(prompt.ends)
    assert prompt.ends[-1] == len(prompt.text.encode())
    assert [o.start for o in prompt.origins] == [0, *(o.end for o in prompt.origins)][:-1]
    assert not prompt.origins or prompt.origins[-1].end == len(prompt.text)
    shown = 0
    for origin in prompt.origins:
        piece = prompt.text[origin.start : origin.end]
        if origin.kind == "value":
            assert at(body, origin)[origin.char :].startswith(piece)
        elif origin.kind == "serialised":
            value = at(body, origin)
            assert json.loads(piece) == (json.loads(value) if isinstance(value, str) else value)
        else:
            assert origin.kind == "unknown"
            continue
        shown += len(piece)
    return shown


@pytest.mark.parametrize("name", RENDERS)
def test_no_origin_is_wrong(name: str) -> None:
    rng = random.Random(41)
    shown = total = 0
    for _ in range(60):
        body = requests.draw(rng, tools=name not in ("v1", "v2"))
        prompt = RENDERS[name](body)
        shown += check(prompt, body)
        total += sum(map(len, _strings(body["messages"])))
    assert shown > 0.6 * total


def _strings(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    held = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for inner in held for text in _strings(inner)]


@pytest.mark.parametrize("name", RENDERS)
def test_equal_contents_are_told_apart(name: str) -> None:
    messages = [requests.user("ok"), requests.answer("ok"), requests.user("ok"), requests.answer("ok")]
    body = {"messages": [requests.system("ok"), *messages, requests.user([{"type": "text", "text": "ok"}] * 2)]}
    prompt = RENDERS[name](body)
    check(prompt, body)
    found = [o.path for o in prompt.origins if o.kind == "value"]
    turns = [("messages", i, "content") for i in range(1, 5)]
    last = [("messages", 5, "content", i, "text") for i in range(2)]
    first = [("messages", 0, "content")]
    assert found == (turns + first + last if name in ("v2", "v3", "tekken") else first + turns + last)


@pytest.mark.parametrize("name", RENDERS)
def test_tokens_end_where_they_say(name: str) -> None:
    """The text between two ends, tokenized again where no control token is, is the token's own."""
    body = {"messages": [requests.user("one two\u0301 中文"), requests.answer("three"), requests.user("four")]}
    prompt = RENDERS[name](body)
    data = prompt.text.encode()
    pieces = [data[start:end] for start, end in zip((0, *prompt.ends), prompt.ends, strict=False)]
    assert b"".join(pieces) == data
    same: dict[int, bytes] = {}
    for number, piece in zip(prompt.ids, pieces, strict=True):
        assert same.setdefault(number, piece) == piece


BAD: dict[str, tuple[Any, str]] = {
    "nothing": ({}, "no `messages`"),
    "number": (5, "no `messages`"),
    "text": ({"messages": "hi"}, "no `messages`"),
    "empty": ({"messages": []}, ""),
    "strings": ({"messages": ["hi"]}, "messages/0: not an object"),
    "no-role": ({"messages": [{"content": "x"}]}, "refuses the request"),
    "other-role": ({"messages": [{"role": "judge", "content": "x"}]}, "refuses the request"),
    "number-content": ({"messages": [{"role": "user", "content": 5}]}, "refuses the request"),
    "functions": ({"messages": [requests.user("x")], "functions": [{"name": "x"}]}, "does not render `functions`"),
    "anthropic": ({"messages": [requests.user("x")], "system": "y"}, "does not render `system`"),
    "function_call": ({"messages": [requests.answer(None, function_call={"name": "x"})]}, "`function_call`"),
    "image": ({"messages": [requests.user([{"type": "image_url", "image_url": {"url": "http://x/"}}])]}, "'image_url'"),
    "file": ({"messages": [requests.user([{"type": "image_url", "image_url": "file:///etc/passwd"}])]}, "'image_url'"),
    "odd-part": ({"messages": [requests.user([5])]}, "is no text part"),
    "odd-call": (
        {"messages": [requests.user("x"), requests.answer("y", tool_calls=[5]), requests.user("x")]},
        "refuses",
    ),
    "odd-tool": ({"messages": [requests.user("x")], "tools": [5]}, ""),
    "deep-tool": (
        {
            "messages": [requests.user("x")],
            "tools": [requests.TOOLS[0] | {"function": json.loads("[" * 900 + "]" * 900)}],
        },
        "",
    ),
}


@pytest.mark.parametrize("case", BAD)
@pytest.mark.parametrize("name", ["v3", "tekken", "harmony"])
def test_a_bad_request_is_one_line(name: str, case: str) -> None:
    body, reason = BAD[case]
    if (name, case) == ("harmony", "empty"):
        assert "<|start|>assistant" in harmony(body).text
        return
    with pytest.raises(PromptlintError) as caught:
        RENDERS[name](body)
    assert reason in caught.value.message
    assert "\n" not in str(caught.value)
    assert caught.value.hint


@pytest.mark.parametrize("name", ["v3", "tekken", "harmony"])
def test_bare_messages(name: str) -> None:
    messages = [requests.system("s"), requests.user("u")]
    assert RENDERS[name](messages).ids == RENDERS[name]({"messages": messages}).ids


@pytest.mark.parametrize("name", RENDERS)
def test_long_texts_take_a_moment(name: str) -> None:
    rng = random.Random(43)
    body = {"messages": [requests.user(token_texts.natural(rng, 200_000)), requests.answer("x"), requests.user("y")]}
    assert check(RENDERS[name](body), body) > 200_000
