"""What vLLM's OpenAI server does to messages and tools before it calls `apply_chat_template`.

Read in vLLM's source of 2026: `_parse_chat_message_content`, `_parse_chat_message_content_part` and
`_postprocess_messages` in vllm/entrypoints/chat_utils.py, `_detect_content_format` in vllm/renderers/hf.py, and the
`model_dump` of `FunctionDefinition` in vllm/entrypoints/openai. Not shown there, so not done here: the order of keys
inside a tool call, what `tool_choice` does to the tools, and the placeholders that stand for media where the template
takes plain strings (they depend on the model; such a request is refused). gpt-oss is rendered without a template there.
"""

import json
from collections.abc import Iterator
from typing import Any

from jinja2 import nodes

from promptlint.prompt import Path
from promptlint.render.template.prepare import Refused, key_of, object_at, spelled
from promptlint.render.template.tracked import concat
from promptlint.render.template.values import TrackedDict, TrackedList, track, written

_TEXTS = {"text": "text", "input_text": "text", "output_text": "text", "refusal": "refusal", "thinking": "thinking"}
_MEDIA = {
    "image_url": "image",
    "input_image": "image",
    "image_pil": "image",
    "image_embeds": "image",
    "audio_url": "audio",
    "input_audio": "audio",
    "audio_embeds": "audio",
    "video_url": "video",
}


def as_sent(variables: TrackedDict, template: nodes.Template) -> tuple[TrackedDict, list[str]]:
    """The variables as vLLM hands them to `apply_chat_template`, and notes; raises Refused."""
    messages = variables.get("messages")
    if not isinstance(messages, TrackedList) or not all(isinstance(message, dict) for message in messages):
        raise Refused("messages must be an array of objects")
    parts = takes_parts(template)
    sent = {**variables, "messages": TrackedList([_message(each, parts) for each in messages], messages._path)}
    tools = variables.get("tools")
    if isinstance(tools, TrackedList):
        sent["tools"] = TrackedList([_tool(tool) for tool in tools], tools._path)
    dropped = any("reasoning_content" in message and "reasoning" not in message for message in messages)
    note = "versions of vLLM differ in whether they read reasoning_content; here only reasoning is read"
    return TrackedDict(sent, variables._path), [note] if dropped else []


def takes_parts(template: nodes.Template) -> bool:
    """Whether the template walks the parts of a content, so that vLLM gives it parts; otherwise it gives strings."""
    try:
        messages = list(_aliases(template, "messages"))
        loops = [loop for loop in template.find_all(nodes.For) if any(_is(loop.iter, name) for name in messages)]
        message_names = [_name(loop.target) for loop in loops]
        return any(
            _is(loop.iter, name, "content") and bool(_name(loop.target))
            for loop in template.find_all(nodes.For)
            for name in message_names
        )
    except TypeError:  # a target that is not one name: vLLM's own search gives up there, and takes strings
        return False


def _aliases(template: nodes.Template, name: str) -> Iterator[str]:
    """The name and those that are assigned from it."""
    waiting, known = [name], {name}
    while waiting:
        current = waiting.pop(0)
        yield current
        for assignment in template.find_all(nodes.Assign):
            if _is(assignment.node, current) and _name(assignment.target) not in known:
                waiting.append(_name(assignment.target))
                known.add(waiting[-1])


def _name(target: nodes.Node) -> str:
    if not isinstance(target, nodes.Name):
        raise TypeError
    return target.name


def _is(node: nodes.Node | None, name: str, key: str | None = None) -> bool:
    """Whether the expression is the variable, or its member, perhaps filtered or sliced."""
    while isinstance(node, nodes.Filter | nodes.Test) or (
        isinstance(node, nodes.Getitem) and isinstance(node.arg, nodes.Slice)
    ):
        node = node.node
    if key is None:
        return isinstance(node, nodes.Name) and node.ctx == "load" and node.name == name
    if isinstance(node, nodes.Getitem):
        return isinstance(node.arg, nodes.Const) and node.arg.value == key and _is(node.node, name)
    return isinstance(node, nodes.Getattr) and node.attr == key and _is(node.node, name)


def _message(message: TrackedDict, parts: bool) -> TrackedDict:
    """One message: role and content, and of the rest what the server knows for that role."""
    if not isinstance(message.get("role"), str):
        raise Refused(f"{spelled(message._path)} has no role")
    role = message["role"]
    sent = {
        key_of(message, "role"): role,
        key_of(message, "content"): _content(message, parts and not _is_text_result(message)),
    }
    if role == "assistant":
        if message.get("tool_calls"):
            calls = message["tool_calls"]
            sent[key_of(message, "tool_calls")] = TrackedList([_call(call) for call in calls], calls._path)
        if message.get("reasoning") is not None:
            sent[key_of(message, "reasoning")] = message["reasoning"]
            sent[written("reasoning_content", (*message._path, "reasoning"))] = message["reasoning"]
    elif role == "tool" and "tool_call_id" in message:
        sent[key_of(message, "tool_call_id")] = message["tool_call_id"]
    for name in ("name", "task"):
        if isinstance(message.get(name), str):
            sent[key_of(message, name)] = message[name]
    if role == "developer":
        sent[key_of(message, "tools")] = message.get("tools")
    return TrackedDict(sent, message._path)


def _is_text_result(message: TrackedDict) -> bool:
    """A tool's result that is only text stays one string, whatever the template takes."""
    content = message.get("content")
    others = isinstance(content, list) and any(
        isinstance(part, dict) and part.get("type") not in _TEXTS for part in content
    )
    return bool(message["role"] == "tool" and not others)


def _content(message: TrackedDict, parts: bool) -> Any:
    """The content as the template takes it: a list of parts, or one string, joined by line feeds."""
    content = message.get("content")
    path = (*message._path, "content")
    if isinstance(content, str) and not parts:
        return content
    given = content if isinstance(content, TrackedList) else [] if content is None else [content]
    found = [part for part in (_part(each, path, parts) for each in given) if part is not None]
    if parts:
        return TrackedList(found, path)
    spaced: list[str] = []
    for text in found:
        spaced += (written("\n", path), text)
    return concat(spaced[1:])


def _part(part: Any, path: Path, parts: bool) -> Any:
    """One part: an object for a template that takes parts, else its text; None for one that is left out."""
    if isinstance(part, str):
        return object_at({"type": "text", "text": part}, path) if parts else part
    if not isinstance(part, TrackedDict):
        raise Refused(f"{spelled(path)} is neither a string nor an array of strings and objects")
    kind = part.get("type") or next((name for name in _MEDIA if name in part), None)
    if kind in _TEXTS:
        text = part.get(_TEXTS[kind])
        if text is None:
            return None
        return object_at({"type": "text", "text": text}, part._path) if parts else text
    if kind == "tool_reference":
        name = part.get("name", "")
        return object_at({"type": kind, "name": name}, part._path) if parts else name
    if kind not in _MEDIA:
        raise Refused(f"{spelled(part._path)} has a type that vLLM does not take: {kind!r}")
    if parts:
        return object_at({"type": _MEDIA[kind]}, part._path)
    raise Refused(f"vLLM puts a placeholder that depends on the model in the place of {spelled(part._path)}")


def _call(call: Any) -> Any:
    """A tool call whose arguments are an object: a string is read as JSON, what is none becomes an empty object."""
    if not isinstance(call, TrackedDict) or not isinstance(call.get("function"), TrackedDict):
        raise Refused("a tool call has no function")
    function = call["function"]
    arguments = function.get("arguments")
    path = (*function._path, "arguments")
    if isinstance(arguments, str):
        try:
            arguments = track(json.loads(arguments), (*path, None))
        except json.JSONDecodeError:
            arguments = TrackedDict({}, path)
    elif not isinstance(arguments, dict | list):
        arguments = TrackedDict({}, path)
    parsed = TrackedDict({**function, key_of(function, "arguments"): arguments}, function._path)
    return TrackedDict({**call, "function": parsed}, call._path)


def _tool(tool: Any) -> TrackedDict:
    """A tool as its model is dumped: known fields first, in their order, null where they were not sent."""
    if not isinstance(tool, TrackedDict) or not isinstance(tool.get("function"), TrackedDict):
        raise Refused("a tool has no function")
    function = tool["function"]
    known = {key_of(function, name): function.get(name) for name in ("name", "description", "parameters")}
    dumped = TrackedDict({**known, **function}, function._path)
    kind = tool.get("type", written("function", tool._path))
    return TrackedDict(
        {key_of(tool, "type"): kind, key_of(tool, "function"): dumped, **tool, "function": dumped}, tool._path
    )
