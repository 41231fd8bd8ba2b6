"""What llama.cpp's server does to messages and tools before its chat template prints them, and behind what it prints.

Read in common/chat.cpp of 2026, and compared with the server in PyPI xllamacpp 2026.10.11549. Not done here: what it
does for the templates that it has code of its own for (`_OWN_CODE`), media, the value of `enable_thinking`, a message
to go on with where the template prints reasoning, integers of more than 64 bits, and what its Jinja itself does
otherwise, such as to read members of what is undefined.
"""

import json
from datetime import datetime
from typing import Any, NoReturn

import jinja2
from markupsafe import soft_str

from promptlint.prompt import Path
from promptlint.render.template import serialise
from promptlint.render.template.filters import called
from promptlint.render.template.llama_caps import Caps, caps
from promptlint.render.template.prepare import Prepared, Refused, key_of, object_at, spelled
from promptlint.render.template.tracked import concat
from promptlint.render.template.values import TrackedDict, TrackedFloat, TrackedList, track, untrack, written

_GPT_OSS = "<|channel|>"
_OWN_CODE = (
    (_GPT_OSS,),
    ("[SYSTEM_PROMPT]", "[TOOL_CALLS]", "[ARGS]"),
    (">>>all", ">>>${recipient}"),
    ("<|tool_calls_section_begin|>", "<|tool_call_begin|>"),
    ("<|START_TEXT|>", "<|START_ACTION|>"),
    ("<|tool_list_start|>", "<|tool_list_end|>"),
    ("List of tools: [",),
    ("<|role_sep|>", "<|message_sep|>"),
    ("dsml_token", "DSML"),
    ("'<|tool_call>call:'",),
    ("Tool usage guidelines:", '<function name="', '<param name="'),
    ("You have access to the following functions in JSONSchema format",),
)
"""Texts by all of which it knows a template."""
_THINKING = "enable_thinking"
_REASONING = ("reasoning", "thinking")  # in a template: what a message to go on with begins with is not known here


def as_sent(variables: TrackedDict, template: jinja2.Template, source: str, now: datetime) -> Prepared:
    """The variables as llama.cpp hands them to the template, notes, and what follows the rendering. Raises Refused."""
    messages = variables.get("messages")
    if not isinstance(messages, TrackedList) or not all(isinstance(message, TrackedDict) for message in messages):
        raise Refused("messages must be an array of objects")
    beside = {**_dates(now), **_beside(variables), **_tools(variables)}
    own_code = any(all(text in source for text in texts) for texts in _OWN_CODE)
    notes = ["llama.cpp has code of its own for this template: its prompt may be another one"] if own_code else []
    if _THINKING in source and _THINKING not in variables:
        notes.append(f"llama.cpp gives {_THINKING} a value of its own: say which with --template-kwargs {_THINKING}=…")

    def prepared(sent: list[Any]) -> TrackedDict:
        held = TrackedList(_messages(sent, caps(template, source), _GPT_OSS in source), messages._path)
        return TrackedDict({**beside, "messages": held}, variables._path)

    last = _last_turn(messages)
    if last is None:
        return Prepared(prepared(messages), notes)
    if not own_code and _is_empty(last):
        before = prepared(messages[:-1])
        before.pop("add_generation_prompt", None)
        return Prepared(before, notes)
    if not own_code and not any(text in source for text in _REASONING):
        before = prepared(messages[:-1])
        if _is_only_opened(template, before):
            return Prepared(before, notes, _joined(last, "\n\n"))
    notes.append(
        "llama.cpp goes on with the last message, and how is not known for this template: it is told as a turn"
    )
    return Prepared(prepared(messages), notes)


def _dates(now: datetime) -> dict[str, Any]:
    """What every template is handed."""
    return {
        "datetime": called(now.strftime("%b %d %Y"), "datetime"),
        "date_string": called(now.strftime("%d %b %Y"), "date_string"),
    }


def _beside(variables: TrackedDict) -> dict[str, Any]:
    """What is handed on beside messages and tools, but for what is null for want of a value."""
    known = {key: value for key, value in variables.items() if key not in ("tools", "messages")}
    return {key: value for key, value in known.items() if key != "documents" or value is not None}


def _tools(variables: TrackedDict) -> dict[str, Any]:
    """The tools, if there are any."""
    tools = variables.get("tools")
    return {"tools": TrackedList([_tool(tool) for tool in tools], tools._path)} if tools else {}


def _last_turn(messages: list[Any]) -> TrackedDict | None:
    """The last message if it is the model's own: llama.cpp goes on with it."""
    if not messages or messages[-1].get("role") != "assistant":
        return None
    last: TrackedDict = messages[-1]
    if len(messages) > 1 and messages[-2].get("role") == "assistant":
        raise Refused("llama.cpp takes no two messages of the assistant at the end")
    if last.get("tool_calls"):
        raise Refused("llama.cpp goes on with the last message, and takes none with tool calls")
    return last


def _is_empty(message: TrackedDict) -> bool:
    return not message.get("content") and not message.get("reasoning_content")


def _is_only_opened(template: jinja2.Template, prepared: dict[str, Any]) -> bool:
    """Whether the generation prompt is only added behind the rest."""
    plain = untrack(prepared)
    try:
        opened = template.render({**plain, "add_generation_prompt": True})
        plain.pop("add_generation_prompt", None)
        return opened.startswith(template.render(plain))
    except jinja2.TemplateError:  # the rendering itself will tell
        return True


def _messages(messages: list[Any], taken: Caps, gpt_oss: bool) -> list[TrackedDict]:
    sent = [_message(message, taken, gpt_oss) for message in messages]
    return sent if taken.system else _merged(sent)


def _merged(messages: list[TrackedDict]) -> list[TrackedDict]:
    """A system message in front becomes part of the next one, for a template that has none."""
    if not messages or messages[0]["role"] != "system":
        return messages
    if len(messages) == 1:
        return []
    first, second = messages[:2]
    if not isinstance(first["content"], str) or not isinstance(second["content"], str):
        raise Refused("llama.cpp joins the system message with the next one, and takes only strings there")
    content = concat((first["content"], written("\n", second._path), second["content"]))
    return [TrackedDict({**second, "content": content}, second._path), *messages[2:]]


def _message(message: TrackedDict, taken: Caps, gpt_oss: bool) -> TrackedDict:
    """One message, made anew of what the server knows."""
    role = _text(message, "role") if "role" in message else _refuse(message._path, "has no role")
    if "content" not in message and not message.get("tool_calls"):
        _refuse(message._path, "has no content")
    if role == "developer" and not gpt_oss:
        role = written("system", (*message._path, "role"))
    sent: dict[str, Any] = {key_of(message, "role"): role, key_of(message, "content"): _content(message, taken)}
    for name in ("reasoning_content", "name", "tool_call_id"):
        if name in message and (text := _text(message, name)):
            sent[key_of(message, name)] = text
    calls = message.get("tool_calls")
    if calls:
        sent[key_of(message, "tool_calls")] = TrackedList([_call(call, taken) for call in calls], calls._path)
    return TrackedDict(sent, message._path)


def _content(message: TrackedDict, taken: Caps) -> Any:
    """The content: a string, or the parts for a template that takes parts."""
    content = message.get("content")
    path = (*message._path, "content")
    if content is not None and not isinstance(content, str | TrackedList):
        _refuse(path, "is neither a string nor an array")
    for part in content if isinstance(content, TrackedList) else ():
        if not isinstance(part, TrackedDict) or part.get("type") != "text":
            _refuse(part._path if isinstance(part, TrackedDict) else path, "is no text: no other part is known here")
    if not content or isinstance(content, str):
        text = content or ""
        alone = taken.parts and not taken.strings
        return TrackedList([object_at({"type": "text", "text": text}, path)], path) if alone else text
    if not taken.parts:
        return _joined(message, "\n")
    return TrackedList([_only(part, "type", "text") for part in content], path)


def _joined(message: TrackedDict, separator: str) -> str:
    """The texts of a content, with a separator behind all but what is empty in front."""
    content = message.get("content")
    if content is None or isinstance(content, str):
        return content or ""
    spaced: list[str] = []
    for part in content:
        spaced += [written(separator, (*message._path, "content"))] if any(spaced) else []
        spaced.append(_text(part, "text"))
    return concat(spaced)


def _call(call: Any, taken: Caps) -> TrackedDict:
    """A tool call: its arguments are an object for a template that reads objects, else JSON text."""
    if not isinstance(call, TrackedDict) or not isinstance(call.get("function"), TrackedDict):
        raise Refused("a tool call has no function")
    function = call["function"]
    if call.get("type") != "function" or "arguments" not in function:
        _refuse(call._path, 'must have the type "function", and arguments')
    given = function["arguments"]
    path = (*function._path, "arguments")
    if isinstance(given, str) and taken.objects:
        try:
            given = track(json.loads(given, parse_constant=_no_constant), (*path, None))
        except ValueError:
            _refuse(path, "is no JSON")
    elif not isinstance(given, str) and not taken.objects:
        given = serialise.tojson(given, separators=(",", ":"))
    made = {key_of(function, "name"): _text(function, "name"), key_of(function, "arguments"): given}
    sent = {key_of(call, "type"): call["type"], key_of(call, "function"): TrackedDict(made, function._path)}
    if "id" in call and (text := _text(call, "id")):
        sent[key_of(call, "id")] = text
    return TrackedDict(sent, call._path)


def _tool(tool: Any) -> TrackedDict:
    """A tool, made anew of what the server knows."""
    if not isinstance(tool, TrackedDict) or not isinstance(tool.get("function"), TrackedDict):
        raise Refused("a tool has no function")
    if tool.get("type") != "function":
        _refuse(tool._path, 'must have the type "function"')
    function = tool["function"]
    made = {
        key_of(function, "name"): _text(function, "name"),
        key_of(function, "description"): _text(function, "description") if "description" in function else "",
        key_of(function, "parameters"): function.get("parameters", TrackedDict({}, function._path)),
    }
    return TrackedDict(
        {key_of(tool, "type"): tool["type"], key_of(tool, "function"): TrackedDict(made, function._path)}, tool._path
    )


def string(value: Any) -> str:
    """The filter of that name."""
    if not isinstance(value, float):
        return soft_str(value)
    return written(f"{float(value):g}", value._path) if isinstance(value, TrackedFloat) else f"{value:g}"


FILTERS = {"string": string, "tojson": serialise.tojson_of_llama_cpp}
"""Filters that write floats in another way than Jinja's."""


def _only(holder: TrackedDict, *names: str) -> TrackedDict:
    return TrackedDict({key_of(holder, name): _text(holder, name) for name in names}, holder._path)


def _text(holder: TrackedDict, name: str) -> str:
    value = holder.get(name)
    return value if isinstance(value, str) else _refuse((*holder._path, name), "is no string")


def _no_constant(name: str) -> NoReturn:
    raise ValueError(name)


def _refuse(path: Path, reason: str) -> NoReturn:
    raise Refused(f"llama.cpp refuses it: {spelled(path)} {reason}")
