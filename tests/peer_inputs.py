"""The inputs on which comparable tools were tried: a date, a key order, forms of one text, a new tool, a large pair."""

import copy
import random
import unicodedata
from typing import Any

Pair = tuple[dict[str, Any], dict[str, Any]]

GUIDE = (
    "You are the clerk of a seed bank and answer growers in two sentences. "
    "Name the drawer of each packet that you mention, and never send a packet whose test is older than two years. "
    "When a grower asks for a protected variety, say who decides and stop there. "
) * 24  # above every published minimum of 1,024 tokens


def _schema(**properties: str) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {name: {"type": kind} for name, kind in properties.items()},
        "required": list(properties),
    }


def _tool(name: str, description: str, **properties: str) -> dict[str, Any]:
    return {"name": name, "description": description, "input_schema": _schema(**properties)}


TOOLS = [
    _tool("find_packet", "Find a packet by its label.", label="string"),
    _tool("drawer_plan", "Read the plan of one cabinet.", cabinet="string", shelf="string"),
    _tool("note_germination", "Write down the result of a test.", label="string", share="number"),
    _tool("write_grower", "Send a short letter.", grower="string", text="string"),
]


def _anthropic(day: str) -> dict[str, Any]:
    text = {"type": "text", "text": f"Harvest of {day}. {GUIDE}", "cache_control": {"type": "ephemeral"}}
    question = {"role": "user", "content": "Where is packet HB-7?"}
    return {"model": "claude-sonnet-4-5", "max_tokens": 400, "tools": TOOLS, "system": [text], "messages": [question]}


def _openai(system: str, **more: Any) -> dict[str, Any]:
    messages = [{"role": "system", "content": system}, {"role": "user", "content": "Where is packet HB-7?"}]
    return {"model": "gpt-4o", "messages": messages, **more}


def date() -> Pair:
    """c1: the date in the system text."""
    return _anthropic("2026-05-08"), _anthropic("2026-05-09")


def key_order() -> Pair:
    """c2: the order of keys inside one tool's schema."""
    tools = [
        {"type": "function", "function": {k.replace("input_schema", "parameters"): v for k, v in tool.items()}}
        for tool in TOOLS
    ]
    before = _openai(GUIDE, tools=tools)
    after = copy.deepcopy(before)
    schema = after["tools"][2]["function"]["parameters"]
    schema["properties"] = dict(reversed(schema["properties"].items()))
    return before, after


def forms() -> dict[str, Pair]:
    """c3: the same text, five ways, by the cause that each must be given."""
    text = f"{GUIDE}\nDrawers:\n- cool drawer\n- Génépi chest\n{GUIDE}"
    others = {
        "white-space": text.replace("cool drawer\n", "cool drawer \n"),
        "line-endings": text.replace("\n", "\r\n"),
        "unicode-form": unicodedata.normalize("NFD", text),
        "invisible-character (byte order mark)": "\ufeff" + text,
        # As it happens when text is copied from a page: the space itself became one of no width.
        "invisible-character (zero width)": text.replace("cool drawer", "cool\u200bdrawer"),
    }
    return {cause: (_openai(text), _openai(other)) for cause, other in others.items()}


def tool_inserted() -> Pair:
    """c4: a tool that was added in the middle."""
    before = _anthropic("2026-05-08")
    after = copy.deepcopy(before)
    after["tools"].insert(2, _tool("weigh_packet", "Read the scale.", label="string"))
    return before, after


def large() -> Pair:
    """c9: about 200,000 tokens in which one word differs at three quarters."""
    draw = random.Random(41)
    letters = "abcdefghijklmnopqrstuvwxyz"
    words = ["".join(draw.choices(letters, k=draw.randint(2, 8))) for _ in range(900)]
    words += ["oat", "rye", "vetch", "clover", "bean", "sorrel", "drawer", "label", "husk", "frost", "early"] * 60
    text = " ".join(draw.choices(words, k=98_000))
    cut = len(text) * 3 // 4
    return _openai(f"{text[:cut]} drawer seven {text[cut:]}"), _openai(f"{text[:cut]} drawer eight {text[cut:]}")
