"""The same edits in every format that a request can have."""

import copy
from collections.abc import Callable
from typing import Any

import pytest

from documents import rendered
from promptlint.boundary import text_divergences

Edit = Callable[[Any], object]

PICTURE = {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "A" * 400, "detail": "low"}}
CHAT: Any = {
    "model": "gpt-5",
    "messages": [
        {"role": "system", "content": "You are careful and helpful."},
        {"role": "user", "content": [{"type": "text", "text": "Look at the picture."}, PICTURE]},
        {
            "role": "assistant",
            "content": None,
            "reasoning_content": "I should read the file",
            "tool_calls": [
                {
                    "id": "call_a1B2c3D4e5",
                    "type": "function",
                    "function": {"name": "read", "arguments": '{"a": "x", "b": "y"}'},
                }
            ],
        },
        {"role": "tool", "tool_call_id": "call_a1B2c3D4e5", "content": '{"rows": [1, 2.50, 3], "t": "caf\\u00e9"}'},
        {"role": "assistant", "content": "<think>Count them.</think>The file holds three rows."},
        {"role": "user", "content": "And what else is in it?"},
    ],
}
RESPONSES: Any = {
    "model": "gpt-5",
    "instructions": "Be careful and helpful.",
    "input": [
        {"role": "user", "content": "Look at the file please."},
        {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "I should read"}]},
        {"type": "function_call", "call_id": "call_a1B2c3D4", "name": "read", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "call_a1B2c3D4", "output": "three rows are in the file"},
        {"role": "assistant", "content": [{"type": "output_text", "text": "Three rows."}]},
        {"role": "user", "content": "What else?"},
    ],
}
GEMINI: Any = {
    "systemInstruction": {"parts": [{"text": "Be careful."}]},
    "tools": [{"functionDeclarations": [{"name": name, "description": "d"} for name in ("read", "write")]}],
    "contents": [
        {"role": "user", "parts": [{"text": "Look at the file."}]},
        {
            "role": "model",
            "parts": [
                {"text": "let me see", "thought": True},
                {"functionCall": {"name": "read", "args": {"a": 1, "b": 2}}},
            ],
        },
        {"role": "user", "parts": [{"functionResponse": {"name": "read", "response": {"x": [1, 2], "y": "z"}}}]},
        {"role": "model", "parts": [{"text": "Two."}]},
    ],
}
BEDROCK: Any = {
    "modelId": "anthropic.claude",
    "system": [{"text": "Be careful."}],
    "messages": [
        {"role": "user", "content": [{"text": "Look at the file."}]},
        {
            "role": "assistant",
            "content": [
                {"reasoningContent": {"reasoningText": {"text": "let me see", "signature": "s"}}},
                {"toolUse": {"toolUseId": "tooluse_a1B2c3D4", "name": "read", "input": {"a": 1}}},
            ],
        },
        {
            "role": "user",
            "content": [{"toolResult": {"toolUseId": "tooluse_a1B2c3D4", "content": [{"text": "three rows of text"}]}}],
        },
    ],
}


def put(*path: Any, to: Any) -> Edit:
    def change(request: Any) -> None:
        for step in path[:-1]:
            request = request[step]
        if to is None:
            del request[path[-1]]
        else:
            request[path[-1]] = to

    return change


def chat(*path: Any, to: Any = None) -> tuple[Any, Edit]:
    return CHAT, put("messages", *path, to=to)


def responses(*path: Any, to: Any = None) -> tuple[Any, Edit]:
    return RESPONSES, put(*path, to=to)


def gemini(*path: Any, to: Any = None) -> tuple[Any, Edit]:
    return GEMINI, put(*path, to=to)


def bedrock(*path: Any, to: Any = None) -> tuple[Any, Edit]:
    return BEDROCK, put(*path, to=to)


ARGUMENTS = (2, "tool_calls", 0, "function", "arguments")
TURNED = list(reversed(GEMINI["tools"][0]["functionDeclarations"]))
EDITS: list[tuple[str, tuple[Any, Edit]]] = [
    ("role-changed", chat(0, "role", to="developer")),
    ("white-space", chat(*ARGUMENTS, to='{"a":"x","b":"y"}')),
    ("key-order", chat(*ARGUMENTS, to='{"b": "y", "a": "x"}')),
    ("history-rewritten", chat(*ARGUMENTS, to='{"a": "x", "b": "z"}')),
    ("history-rewritten", chat(*ARGUMENTS, to='{"b": "y", "a": "z"}')),
    ("escape-form", chat(3, "content", to='{"rows": [1, 2.50, 3], "t": "café"}')),
    ("number-form", chat(3, "content", to='{"rows": [1, 2.5, 3], "t": "caf\\u00e9"}')),
    ("list-order", chat(3, "content", to='{"rows": [3, 2.50, 1], "t": "caf\\u00e9"}')),
    ("content-stubbed", chat(3, "content", to="Output removed.")),
    ("history-rewritten", chat(3, "content", to='{"rows": [1, 2.50')),
    ("reasoning-dropped", chat(2, "reasoning_content")),
    ("reasoning-dropped", chat(4, "content", to="The file holds three rows.")),
    ("history-rewritten", chat(4, "content", to="<think>Count them.</think>The file holds 3 rows.")),
    ("image-changed", chat(1, "content", 1, "image_url", "url", to="data:image/png;base64," + "B" * 400)),
    ("image-changed", chat(1, "content", 1, "image_url", "url", to="https://a.b/c.png")),
    ("image-changed", chat(1, "content", 1, "image_url", "detail", to="high")),
    ("image-changed", chat(1, "content", 1)),
    ("content-stubbed", chat(1, "content", 1, to={"type": "text", "text": "[image removed]"})),
    ("identifier", chat(2, "tool_calls", 0, "id", to="call_Zz9Yy8Xx7W")),
    ("text-edited", responses("instructions", to="Be careful and helpful. It is 10:05.")),
    ("reasoning-dropped", responses("input", 1)),
    ("content-stubbed", responses("input", 3, "output", to="[cleared]")),
    (
        "content-shape",
        responses("input", 0, "content", to=[{"type": "input_text", "text": "Look at the file please."}]),
    ),
    ("identifier", responses("input", 2, "call_id", to="call_Zz8Yy7Xx")),
    ("reasoning-dropped", gemini("contents", 1, "parts", 0)),
    ("key-order", gemini("contents", 1, "parts", 1, "functionCall", "args", to={"b": 2, "a": 1})),
    ("key-order", gemini("contents", 2, "parts", 0, "functionResponse", "response", to={"y": "z", "x": [1, 2]})),
    ("list-order", gemini("contents", 2, "parts", 0, "functionResponse", "response", "x", to=[2, 1])),
    ("list-order", gemini("tools", 0, "functionDeclarations", to=TURNED)),
    ("items-changed", gemini("tools", 0, "functionDeclarations", 0)),
    ("content-shape", gemini("contents", 0, "parts", to=[{"text": "Look at "}, {"text": "the file."}])),
    ("reasoning-dropped", bedrock("messages", 1, "content", 0)),
    ("identifier", bedrock("messages", 2, "content", 0, "toolResult", "toolUseId", to="tooluse_Zz9Yy8Xx")),
    ("content-stubbed", bedrock("messages", 2, "content", 0, "toolResult", "content", to=[{"text": "[cut]"}])),
    ("turn-appended", bedrock("messages", 2)),
]


@pytest.mark.parametrize(("label", "edit"), EDITS)
def test_an_edit_has_one_label(label: str, edit: tuple[Any, Edit]) -> None:
    old, change = edit
    new = copy.deepcopy(old)
    change(new)
    assert [d.cause for d in text_divergences(rendered(old), rendered(new))] == [label]


TEXTS = [
    ("Hi\nIt is 10:05 now\nBye", "Hi\nIt is 10:06 now\nBye", ("clock", 13, "a time of day moved: 10:05 became 10:06")),
    ("Hi\nBye", "Hi\nBye now", ("turn-appended", 6, "4 characters appended")),
    ("Hi\nBye now", "Hi\nBye", ("turn-appended", 6, "the second text is the first without its last 4")),
    ("Hi\nBye", "Ho\nBye now", ("text-edited", 1, "the text differs at 2 places")),
]


@pytest.mark.parametrize(("old", "new", "expected"), TEXTS)
def test_plain_text(old: str, new: str, expected: tuple[str, int, str]) -> None:
    (found,) = text_divergences(rendered(old, "text"), rendered(new, "text"))
    assert (found.cause, found.a.char, found.message) == expected


def test_bare_tools() -> None:
    one = {"name": "read", "description": "d", "inputSchema": {"type": "object", "properties": {"a": {}, "b": {}}}}
    turned = {**one, "inputSchema": {"type": "object", "properties": {"b": {}, "a": {}}}}
    (found,) = text_divergences(rendered([one]), rendered([turned]))
    assert (found.cause, found.within) == ("key-order", (0, "inputSchema", "properties"))
    (found,) = text_divergences(rendered([one]), rendered([one, {**one, "name": "w"}]))
    assert (found.cause, found.message) == ("items-changed", "added w")
