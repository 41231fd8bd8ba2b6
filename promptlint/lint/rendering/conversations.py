"""Made-up conversations that chat templates treat in different ways, and the requests in the course of each."""

import json
from typing import Any, NamedTuple

Message = dict[str, Any]

TOOLS: list[dict[str, Any]] = [
    {
        "type": "function",
        "function": {
            "name": name,
            "description": says,
            "parameters": {
                "type": "object",
                "properties": {"place": {"type": "string", "description": "A town."}},
                "required": ["place"],
            },
        },
    }
    for name, says in (("tide_table", "Gives the tides of a town."), ("ferry_times", "Gives the ferries of a town."))
]


class Conversation(NamedTuple):
    """What is said, and where requests are sent: each of them holds the first so many messages."""

    name: str  # as a message says it: "in a conversation …"
    messages: list[Message]
    requests: tuple[int, ...]
    tools: bool = False
    variables: tuple[tuple[str, Any], ...] = ()  # switches that the caller sets
    reasons: bool = False  # the answers carry their reasoning


def _user(content: Any, **more: Any) -> Message:
    return {"role": "user", "content": content, **more}


def _answer(content: Any, **more: Any) -> Message:
    return {"role": "assistant", "content": content, **more}


def _call(number: int, name: str, place: str) -> Message:
    """A tool call; some templates want an id of nine characters."""
    return {"id": f"call{number:05}", "type": "function", "function": {"name": name, "arguments": {"place": place}}}


def _result(number: int, name: str, content: str) -> Message:
    return {"role": "tool", "tool_call_id": f"call{number:05}", "name": name, "content": content}


_SYSTEM: Message = {"role": "system", "content": "You answer questions of sailors.\nBe brief."}
_TIDES = json.dumps({f"{hour:02}:00": f"{hour * 7 % 40 / 10} m" for hour in range(24)})
_ASKED = [_user("When is high water in Husum?"), _user("Is that so on Sunday, too?"), _user("And in Tönning?")]
_SAID = [_answer("At noon."), _answer("An hour later then."), _answer("Ask me for the day.")]
_THOUGHT = ["Noon, by the table.", "Fifty minutes a day make an hour.", "No day is given."]
_PLAIN = [part for pair in zip(_ASKED, _SAID, strict=True) for part in pair][:5]


def _with_reasoning() -> list[Message]:
    said = [{**answer, "reasoning_content": thought} for answer, thought in zip(_SAID, _THOUGHT, strict=True)]
    return [_SYSTEM, *[part for pair in zip(_ASKED, said, strict=True) for part in pair][:5]]


def _in_text() -> list[Message]:
    said = [
        _answer(f"<think>\n{thought}\n</think>\n\n{answer['content']}")
        for answer, thought in zip(_SAID, _THOUGHT, strict=True)
    ]
    return [part for pair in zip(_ASKED, said, strict=True) for part in pair][:5]


def _with_tools(*, reasoning: bool) -> list[Message]:
    def thought(number: int) -> Message:
        return {"reasoning_content": _THOUGHT[number]} if reasoning else {}

    return [
        _SYSTEM,
        _ASKED[0],
        _answer("", tool_calls=[_call(1, "tide_table", "Husum")], **thought(0)),
        _result(1, "tide_table", _TIDES),
        _answer("", tool_calls=[_call(2, "ferry_times", "Husum")], **thought(1)),
        _result(2, "ferry_times", "none today"),
        _answer("At noon, and no ferry goes.", **thought(2)),
        _ASKED[1],
        _answer("I look.", tool_calls=[_call(3, "tide_table", "Husum")], **thought(0)),
        _result(3, "tide_table", _TIDES),
    ]


_PARALLEL = [
    _ASKED[0],
    _answer("", tool_calls=[_call(1, "tide_table", "Husum"), _call(2, "ferry_times", "Husum")]),
    _result(1, "tide_table", _TIDES),
    _result(2, "ferry_times", "none today"),
    _answer("At noon, and no ferry goes."),
    _ASKED[1],
]
_SPACED = [
    {"role": "system", "content": "\n  You answer questions of sailors.  \n\n"},
    _user("  When is high water?\n\n"),
    _answer("\n\n At noon. \n"),
    _user("\n\nThanks.  "),
    _answer("  Fair winds.\n"),
    _user(" And on Sunday? "),
]
_PARTS = [
    _user([{"type": "text", "text": "When is high water"}, {"type": "text", "text": " in Husum?"}]),
    _answer([{"type": "text", "text": "At noon."}]),
    _user([{"type": "text", "text": "Thanks."}]),
]
_SEVERAL = [
    _user("When is high water?", name="anna"),
    _user("And the next ferry?", name="boris"),
    _answer("Both at noon."),
    _user("Thanks.", name="anna"),
]
_LONG = [part for turn in range(1, 33) for part in (_user(f"Log entry {turn}?"), _answer(f"Entry {turn} is noted."))]

_SWITCHES = (
    ("enable_thinking", False, "thinking switched off"),
    ("enable_thinking", True, "thinking switched on"),
    ("thinking", True, "thinking switched on"),
)


def conversations(source: str) -> tuple[Conversation, ...]:
    """All that are tried with a template; `source` decides which switches it knows."""
    reasoned = _with_reasoning()
    found = [
        Conversation("of plain turns", [_SYSTEM, *_PLAIN], (2, 4, 6)),
        Conversation("without a system text", _PLAIN, (1, 3, 5)),
        Conversation("with reasoning", reasoned, (2, 4, 6), reasons=True),
        Conversation("with reasoning inside the answers", _in_text(), (1, 3, 5), reasons=True),
        Conversation("of plain turns with tools", [_SYSTEM, *_PLAIN], (2, 4, 6), tools=True),
        Conversation("with tool calls", _with_tools(reasoning=False), (2, 4, 6, 8, 10), tools=True),
        Conversation("with tool calls and reasoning", _with_tools(reasoning=True), (2, 4, 6, 8, 10), True, (), True),
        Conversation("with parallel tool calls", _PARALLEL, (1, 4, 6), tools=True),
        Conversation("with white space around its texts", _SPACED, (2, 4, 6)),
        Conversation("of texts in parts", _PARTS, (1, 3)),
        Conversation("of several users", _SEVERAL, (2, 4)),
        Conversation("of many turns", _LONG, (61, 63)),
    ]
    for name, value, words in _SWITCHES:
        if name in source:
            messages, reasons = (reasoned, True) if value else ([_SYSTEM, *_PLAIN], False)
            found.append(Conversation(f"with {words}", messages, (2, 4, 6), False, ((name, value),), reasons))
    return tuple(found)


def with_string_arguments(messages: list[Message]) -> list[Message]:
    """The same with the arguments of tool calls as JSON text, which some templates want."""
    text = json.dumps(messages)
    copied: list[Message] = json.loads(text)
    for message in copied:
        for call in message.get("tool_calls", ()):
            call["function"]["arguments"] = json.dumps(call["function"]["arguments"])
    return copied
