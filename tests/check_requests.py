"""Requests of the front desk in the forms in which a project keeps them, and the edits that are made to them.

A request is made anew for each set of values; an edit changes it, and knows the values, so that one edit serves a
template of a request (the values are its variables), recordings and a log (each has its own values), and a plain file.
"""

import json
from collections.abc import Callable
from typing import Any

from check_projects import HEAD, MARK, MODEL, RULES, SETS, TRAFFIC, Files, settings, tokens, variables

Body = dict[str, Any]
Values = dict[str, str]
Edit = Callable[[Body, Values], object]
"""Changes the request in place; the values are those of its recording, or names of variables."""

HOLES: Values = {name: f"{{{{ {name} }}}}" for name in SETS[0]}
GPT = "gpt-5.4"
THIRD: Values = SETS[1] | {
    "member": "Cleo Marsh",
    "question": "Is the telescope free on Friday?",
    "today": "5 May 2027",
}


def _tool(tool: str, about: str, /, **fields: str) -> Body:
    properties = {key: {"type": "string", "description": text} for key, text in fields.items()}
    schema = {"type": "object", "properties": properties, "required": list(fields)}
    return {"name": tool, "description": about, "input_schema": schema}


def _tools() -> list[Body]:
    return [
        _tool("find_item", "Looks an item up by its name.", name="Words of the name.", depot="Town of the depot."),
        _tool("show_loans", "Lists what a member has at home.", card="Number on the card.", since="First day, ISO."),
        _tool("book_repair", "Hands an item to the workshop.", item="Its inventory number.", fault="What is broken."),
    ]


WAITLIST = _tool("join_waitlist", "Puts a member on the list of an item.", item="Inventory number.", card="Its number.")


def _sections() -> list[Body]:
    """The guide in six blocks of text."""
    lines = (HEAD, *RULES)
    return [{"type": "text", "text": "\n".join(lines[at : at + 11])} for at in range(0, len(lines), 11)]


def anthropic(values: Values) -> Body:
    """Tools, the guide with a marker at its end, the member behind it, a question."""
    guide = _sections()
    guide[-1]["cache_control"] = dict(MARK)
    member = {"type": "text", "text": f"Member: {values['member']}"}
    messages = [{"role": "user", "content": values["question"]}]
    return {"model": MODEL, "max_tokens": 400, "tools": _tools(), "system": [*guide, member], "messages": messages}


def openai(values: Values) -> Body:
    """The same without markers, which this model does not know."""
    asked = f"Member: {values['member']}\n{values['question']}"
    messages = [{"role": "system", "content": _sections()}, {"role": "user", "content": asked}]
    tools = [{"type": "function", "function": _as_function(each)} for each in _tools()]
    return {"model": GPT, "tools": tools, "messages": messages}


def _as_function(tool: Body) -> Body:
    return {"name": tool["name"], "description": tool["description"], "parameters": tool["input_schema"]}


def sections(body: Body) -> list[Body]:
    """The blocks of the system text."""
    found = body["system"] if "system" in body else body["messages"][0]["content"]
    assert isinstance(found, list)
    return found


def strings(value: Any) -> list[str]:
    """All keys and texts of a value, in order: about what the model reads of it."""
    if isinstance(value, dict):
        return [text for key, each in value.items() for text in (key, *strings(each))]
    return [text for each in value for text in strings(each)] if isinstance(value, list) else [str(value)]


def fixed_tokens(body: Body) -> int:
    """About how many tokens the tools and the guide have, which is what all requests share."""
    guide = [each["text"] for each in sections(body)[:6]]
    return tokens("\n".join([*strings(body.get("tools", [])), *guide]))


# Edits that each request loses by.


def date_added(body: Body, values: Values) -> None:
    sections(body).insert(0, {"type": "text", "text": f"Today is {values['today']}."})


def ticket_added(body: Body, values: Values) -> None:
    sections(body).insert(1, {"type": "text", "text": f"The ticket of this call is {values['ticket']}."})


def ticket_halfway(body: Body, values: Values) -> None:
    """What stands in front of it can still be read."""
    sections(body).insert(3, {"type": "text", "text": f"The ticket of this call is {values['ticket']}."})


def member_ahead(body: Body, values: Values) -> None:
    blocks = sections(body)
    if "system" in body:
        blocks.insert(0, blocks.pop())
    else:
        blocks.insert(0, {"type": "text", "text": f"Member: {values['member']}"})
        body["messages"][1]["content"] = values["question"]


def marker_behind(body: Body, values: Values) -> None:
    del sections(body)[5]["cache_control"]
    sections(body)[6]["cache_control"] = dict(MARK)


def marker_on_question(body: Body, values: Values) -> None:
    del sections(body)[5]["cache_control"]
    block = {"type": "text", "text": body["messages"][0]["content"], "cache_control": dict(MARK)}
    body["messages"][0]["content"] = [block]


def marker_dropped(body: Body, values: Values) -> None:
    del sections(body)[5]["cache_control"]


def shrunk(body: Body, values: Values) -> None:
    """No tools and four lines: far below each minimum, however the model counts."""
    body.pop("tools")
    blocks = sections(body)
    blocks[0]["text"] = "\n".join(blocks[0]["text"].split("\n")[:5])
    if "cache_control" in blocks[5]:
        blocks[0]["cache_control"] = blocks[5]["cache_control"]
    del blocks[1:6]


# Edits that cost one cold start.


def reworded(body: Body, values: Values) -> None:
    block = sections(body)[2]
    block["text"] = block["text"].replace("thank the member", "thank the member warmly", 1)


def tidied(body: Body, values: Values) -> None:
    block = sections(body)[0]
    block["text"] = block["text"].replace("library.  Keep", "library. Keep")


def tool_reordered(body: Body, values: Values) -> None:
    body["tools"].append(body["tools"].pop(0))


def _waitlist(body: Body) -> Body:
    return dict(WAITLIST) if "system" in body else {"type": "function", "function": _as_function(WAITLIST)}


def tool_at_end(body: Body, values: Values) -> None:
    body["tools"].append(_waitlist(body))


def tool_in_front(body: Body, values: Values) -> None:
    body["tools"].insert(0, _waitlist(body))


def keys_flipped(body: Body, values: Values) -> None:
    tool = body["tools"][1]
    schema = tool["input_schema"] if "input_schema" in tool else tool["function"]["parameters"]
    schema["properties"] = dict(reversed(schema["properties"].items()))


def model_switched(body: Body, values: Values) -> None:
    body["model"] = "gpt-5.2" if body["model"] == GPT else "claude-sonnet-5-5"


# Edits that cost nothing.


def suffix_reworded(body: Body, values: Values) -> None:
    if "system" in body:
        sections(body)[6]["text"] = f"The member who asks this is called {values['member']}"
    else:
        body["messages"][1]["content"] = f"Member: {values['member']} asks this: {values['question']}"


def request_only(body: Body, values: Values) -> None:
    """What is neither read by the model nor part of a key."""
    body["max_tokens"] = 350


def unchanged(body: Body, values: Values) -> None:
    """No edit."""


def _made(make: Callable[[Values], Body], values: Values, edit: Edit) -> Body:
    body = make(values)
    edit(body, values)
    return body


def _pretty(body: Any) -> str:
    return json.dumps(body, indent=2) + "\n"


def rendered(edit: Edit) -> Files:
    """A template that renders a whole request, with two sets of variables."""
    entry = {"name": "desk", "template": "prompts/request.json.j2", "vars": ["vars/0.yaml", "vars/1.yaml"]}
    found = {"promptlint.yaml": settings(entry | {"traffic": TRAFFIC})}
    return found | {"prompts/request.json.j2": _pretty(_made(anthropic, HOLES, edit)), **variables()}


def recorded(edit: Edit) -> Files:
    """Two files that are renderings of one prompt."""
    entry = {"name": "desk", "recorded": ["desk/a.json", "desk/b.json"], "traffic": TRAFFIC}
    files = {f"desk/{name}.json": _pretty(_made(anthropic, each, edit)) for name, each in zip("ab", SETS, strict=True)}
    return {"promptlint.yaml": settings(entry), **files}


def log(edit: Edit) -> Files:
    """A log with three requests of one prompt."""
    lines = "".join(json.dumps(_made(anthropic, each, edit)) + "\n" for each in (*SETS, THIRD))
    entry = {"name": "desk", "recorded": ["logs/monday.jsonl"], "traffic": TRAFFIC}
    return {"promptlint.yaml": settings(entry), "logs/monday.jsonl": lines}


def log_openai(edit: Edit) -> Files:
    """A log with three requests of a provider that caches without being asked."""
    lines = "".join(json.dumps(_made(openai, each, edit)) + "\n" for each in (*SETS, THIRD))
    entry = {"name": "desk", "recorded": ["logs/monday.jsonl"], "traffic": TRAFFIC}
    return {"promptlint.yaml": settings(entry), "logs/monday.jsonl": lines}


def plain(edit: Edit) -> Files:
    """One request of a provider that caches at markers."""
    entry = {"name": "desk", "request": "requests/desk.json", "traffic": TRAFFIC}
    return {"promptlint.yaml": settings(entry), "requests/desk.json": _pretty(_made(anthropic, SETS[0], edit))}


def plain_openai(edit: Edit) -> Files:
    """One request of a provider that caches without being asked."""
    entry = {"name": "desk", "request": "requests/desk.json", "traffic": TRAFFIC}
    return {"promptlint.yaml": settings(entry), "requests/desk.json": _pretty(_made(openai, SETS[0], edit))}


def promptfoo(edit: Edit) -> Files:
    """Messages in a file that a promptfoo configuration names, with two tests."""
    body = _made(openai, HOLES, edit)
    asked = {
        "prompts": ["file://prompts/answer.json"],
        "providers": [f"openai:{body['model']}"],
        "tests": [{"vars": dict(each)} for each in SETS],
    }
    entry = {"name": "desk", "promptfoo": "promptfooconfig.yaml", "traffic": TRAFFIC}
    entry |= {"provider": "openai", "model": body["model"]}
    own = {"promptlint.yaml": settings(entry), "promptfooconfig.yaml": settings_of(asked)}
    return own | {"prompts/answer.json": _pretty(body["messages"])}


def settings_of(value: Body) -> str:
    """YAML, in the order given."""
    import yaml

    return yaml.safe_dump(value, sort_keys=False)


CHAT = (
    "<|system|>You serve the desk of a tool library.\n"
    "{%- for message in messages %}\n"
    "<|{{ message.role }}|>{{ message.content }}\n"
    "{%- endfor %}\n"
    "{%- if add_generation_prompt %}\n"
    "<|assistant|>\n"
    "{%- endif %}\n"
)


def chat(template: str = CHAT, guide: str = "\n".join((HEAD, *RULES))) -> Files:
    """Messages that the chat template of an own server renders."""
    messages = [{"role": "system", "content": guide}, {"role": "user", "content": SETS[0]["question"]}]
    entry = {"name": "desk", "request": "chats/desk.json", "chat-template": "model/chat_template.jinja"}
    entry |= {"engine": "vllm==0.33.0", "tokenizer": "o200k_base"}
    files = {"chats/desk.json": _pretty({"model": "own-model", "messages": messages})}
    return {"promptlint.yaml": settings(entry | {"traffic": TRAFFIC}), "model/chat_template.jinja": template} | files
