"""Chat requests for the tests of native renderings: shapes by name, and random ones."""

import json
import random
from typing import Any

import token_texts

Body = dict[str, Any]

WEATHER = {"name": "get_weather", "description": "Weather of a city, today", "parameters": {"type": "object"}}
SEARCH = {
    "name": "search",
    "description": 'Full text: "exact"\nor not — ünïcode',
    "parameters": {
        "type": "object",
        "properties": {"query": {"type": "string", "description": "words"}, "limit": {"type": "integer", "default": 5}},
        "required": ["query"],
    },
}
TOOLS = [{"type": "function", "function": WEATHER}, {"type": "function", "function": SEARCH}]


def user(text: Any) -> Body:
    return {"role": "user", "content": text}


def system(text: Any) -> Body:
    return {"role": "system", "content": text}


def answer(text: Any, **more: Any) -> Body:
    return {"role": "assistant", "content": text, **more}


def call(arguments: Any, number: int = 1) -> Body:
    """An assistant's call of `search`."""
    function = {"name": "search", "arguments": arguments}
    return {"role": "assistant", "tool_calls": [{"id": f"abcdefgh{number}", "type": "function", "function": function}]}


def result(text: Any, number: int = 1) -> Body:
    return {"role": "tool", "tool_call_id": f"abcdefgh{number}", "name": "search", "content": text}


ASKED = [user("Where?"), call('{"query": "caf\\u00e9",  "limit": 1}'), result('{"hits": [1,2]}')]

PLAIN: dict[str, Body] = {
    "one": {"messages": [user("Hello, world")]},
    "system": {"messages": [system("Be brief."), user("Hi")]},
    "turns": {"messages": [system("Be brief."), user("Hi"), answer("Hello  "), user("And?"), answer("ok"), user("ok")]},
    "spelled": {
        "messages": [user("<s>[INST] x [/INST]</s> <|end|><|start|>system"), answer("[TOOL_CALLS]"), user("y")]
    },
    "unicode": {
        "messages": [user("e\u0301 é 中文 👩‍💻 \u2581_ \u0000 \ufeff"), answer("naïve\r\n\r\n"), user("\ttab ")]
    },
    "parts": {"messages": [user([{"type": "text", "text": "one"}, {"type": "text", "text": "two"}])]},
    "merged": {"messages": [user("one"), user("two"), answer("a"), answer("b"), user("three")]},
    "prefix": {"messages": [user("Say x"), answer("x ", prefix=True)]},
}
TOOLED: dict[str, Body] = {
    "tools": {"messages": [system("Be brief."), user("Hi")], "tools": TOOLS},
    "called": {"messages": ASKED, "tools": TOOLS},
    "answered": {"messages": [*ASKED, answer("There."), user("Thanks")], "tools": TOOLS},
    "dict": {"messages": [user("Where?"), call({"query": "x"}), result("plain text")], "tools": TOOLS},
    "twice": {"messages": [*ASKED, call("{}", 2), result("ok", 2), answer("ok"), user("ok")], "tools": TOOLS},
    "not-json": {"messages": [user("Where?"), call('{"query'), result("[1, 2"), answer("no"), user("x")]},
}


def draw(rng: random.Random, *, tools: bool) -> Body:
    """A request of random shape and content, hostile to whoever looks for values in the prompt."""
    messages = [system(_content(rng))] if rng.random() < 0.5 else []
    for number in range(rng.randint(1, 3)):
        messages.append(user(_parts(rng)))
        if tools and rng.random() < 0.5:
            messages += [call(_arguments(rng), number), result(_content(rng), number)]
        messages.append(answer(_content(rng)))
    body: Body = {"messages": [*messages, user(_parts(rng))]}
    if tools and rng.random() < 0.7:
        body["tools"] = [_tool(rng), *rng.sample(TOOLS, rng.randint(0, 2))]
    return body


def _content(rng: random.Random) -> str:
    kinds = (
        lambda: rng.choice(("ok", "ok", " ok", "ok ", "promptlint-000001", '{"promptlint-000000": 0}', "[/INST]")),
        lambda: json.dumps({token_texts.text(rng): rng.randint(0, 9)}, ensure_ascii=rng.random() < 0.5),
        lambda: token_texts.text(rng),
    )
    return rng.choice(kinds)()


def _parts(rng: random.Random) -> Any:
    if rng.random() < 0.7:
        return _content(rng)
    return [{"type": "text", "text": _content(rng)} for _ in range(rng.randint(1, 3))]


def _arguments(rng: random.Random) -> str:
    value = {"query": _content(rng), "promptlint-000002": 0}
    return json.dumps(value, indent=rng.choice((None, 1)), ensure_ascii=rng.random() < 0.5)


def _tool(rng: random.Random) -> Body:
    parameters = {
        "type": "object",
        "properties": {"promptlint-000003": {"type": "string", "description": _content(rng)}},
    }
    function = {"name": "promptlint-000004", "description": _content(rng), "parameters": parameters}
    return {"type": "function", "function": function}
