"""Conversations that templates treat in different ways, for comparing with the reference."""

from typing import Any

TOOLS: list[dict[str, Any]] = [
    {
        "type": "function",
        "function": {
            "name": "get_weather",
            "description": 'Wetter für "Orte" <b>&\nzwei Zeilen',
            "parameters": {
                "type": "object",
                "properties": {
                    "city": {"type": "string", "description": "city, e.g. 東京"},
                    "days": {"type": "integer", "minimum": 1, "maximum": 1.5e16},
                    "unit": {"type": "string", "enum": ["C", "F"], "default": "C"},
                },
                "required": ["city"],
            },
        },
    },
    {
        "type": "function",
        "function": {"name": "noop", "description": "does nothing", "parameters": {"type": "object", "properties": {}}},
    },
]


def call(arguments: Any, number: int = 0, name: str = "get_weather") -> dict[str, Any]:
    """A tool call; some templates want an id of nine characters."""
    return {"id": f"callid{number:03}", "type": "function", "function": {"name": name, "arguments": arguments}}


def _turn(role: str, content: Any, **more: Any) -> dict[str, Any]:
    return {"role": role, "content": content, **more}


SYSTEM = _turn("system", "  You are Zoë.\r\nBe brief.\n")
ARGUMENTS = {"city": 'Pa"ris\n東京 \\ 😀', "days": 3, "deep": {"x": [1, 2.5, None, True], "": "~/"}, "user": "user"}
RESULT = '{"t": 21.5, "s": "sönnig"}\n'

CONVERSATIONS: dict[str, list[dict[str, Any]]] = {
    "one": [_turn("user", "Hello, world")],
    "system": [SYSTEM, _turn("user", " \t leading and trailing \n\n")],
    "turns": [
        SYSTEM,
        _turn("user", "first"),
        _turn("assistant", "\n\nfirst answer  "),
        _turn("user", "second"),
        _turn("assistant", "second answer"),
        _turn("user", "third"),
    ],
    "unicode": [_turn("user", "üñí 😀 e\u0301 \u2028 \ufeff \u202e \x00 \x1b[31m 👩‍👩‍👧")],
    "crlf": [_turn("user", "a\r\nb\rc\n\n"), _turn("assistant", "\r\n"), _turn("user", "")],
    "control": [
        _turn("user", "user\n<|im_end|>[INST] <s> <|eot_id|> <start_of_turn> {{ x }} {% raw %}"),
        _turn("assistant", "assistant<|im_start|>user"),
        _turn("user", "user"),
    ],
    "think": [
        _turn("user", "q1"),
        _turn("assistant", "<think>\nstep one\nstep one\n</think>\n\n  answer one"),
        _turn("user", "q2"),
        _turn("assistant", "</think>x</think> last"),
        _turn("user", "q4"),
    ],
    "reasoning": [
        _turn("user", "q1"),
        _turn("assistant", "answer one", reasoning_content="\n why \n"),
        _turn("user", "q2"),
        _turn("assistant", "answer two", reasoning="because", thinking=None),
        _turn("user", "q3"),
    ],
    "tools": [
        SYSTEM,
        _turn("user", "weather?"),
        _turn("assistant", "", reasoning_content="need tool", tool_calls=[call(ARGUMENTS)]),
        _turn("tool", RESULT, name="get_weather", tool_call_id="callid000"),
        _turn("assistant", " It is 21.5 "),
        _turn("user", "thanks"),
    ],
    "string arguments": [
        _turn("user", "weather?"),
        _turn("assistant", None, tool_calls=[call('{"city": "Köln",  "days": 1}')]),
        _turn("tool", "ok", name="get_weather", tool_call_id="callid000"),
    ],
    "two calls": [
        _turn("user", "weather?"),
        _turn("assistant", "on it", tool_calls=[call({"city": "A"}, 1), call({}, 2, "noop")]),
        _turn("tool", "r1", name="get_weather", tool_call_id="callid001"),
        _turn("tool", "r2", name="noop", tool_call_id="callid002"),
        _turn("assistant", "done"),
        _turn("user", "and now?"),
    ],
    "parts": [
        _turn(
            "user",
            [{"type": "text", "text": " part one "}, {"type": "image"}, {"type": "text", "text": "part two\n"}],
        ),
        _turn("assistant", [{"type": "text", "text": "seen"}]),
        _turn("user", [{"type": "text", "text": "ok"}]),
    ],
    "result parts": [
        _turn("user", "look"),
        _turn("assistant", None, tool_calls=[call({"city": "Oslo"})]),
        _turn("tool", [{"type": "text", "text": "cold "}], tool_call_id="callid000"),
    ],
    "developer": [_turn("developer", "Answer in verse."), _turn("user", "why?")],
    "null": [_turn("user", "q"), _turn("assistant", None), _turn("user", "q again", name=None)],
}
WITH_TOOLS = frozenset(("tools", "string arguments", "two calls", "result parts"))


def variables(name: str, prompt: bool) -> dict[str, Any]:
    """The variables of one rendering: the conversation, its tools, special tokens and switches."""
    given: dict[str, Any] = {
        "messages": CONVERSATIONS[name],
        "bos_token": "<|bos|>",
        "eos_token": "<|eos|>",
        "pad_token": "<|pad|>",
        "add_generation_prompt": prompt,
        "enable_thinking": prompt,
    }
    return given | {"tools": TOOLS} if name in WITH_TOOLS else given
