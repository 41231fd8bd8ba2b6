"""A Chat Completions request as a harmony conversation: after vLLM and, for instructions, gpt-oss's chat template."""

import json
from typing import Any

from promptlint.errors import PromptlintError

_EFFORTS = {"low": "Low", "medium": "Medium", "high": "High"}
_OWN_FIELDS = frozenset({"channel", "recipient", "content_type"})
_OWN_PARTS = ("system_content", "developer_content")

Message = dict[str, Any]


def is_conversation(request: dict[str, Any]) -> bool:
    """Whether `messages` are harmony's own: with channels or recipients, or its system or developer content."""
    return any(
        _OWN_FIELDS & message.keys()
        or any(part.get("type") in _OWN_PARTS for part in _parts(message.get("content")) if isinstance(part, dict))
        for message in request["messages"]
    )


def conversation(request: dict[str, Any], today: str) -> dict[str, Any]:
    """openai-harmony's conversation JSON.

    A system or developer message at the front gives the instructions of the developer message, as in the template.
    Answers are `final`; beside tool calls they are `commentary`. Calls are `json` to `functions.NAME`.
    """
    messages = request["messages"]
    instructions = None
    if messages and messages[0].get("role") in ("system", "developer"):
        instructions, messages = _text(messages[0]), messages[1:]
    names = {
        call.get("id"): call["function"]["name"] for message in messages for call in message.get("tool_calls") or ()
    }
    turns = [turn for message in messages for turn in _turns(message, names)]
    return {"messages": [_system(request, today), *_developer(instructions, request.get("tools") or []), *turns]}


def _system(request: dict[str, Any], today: str) -> Message:
    effort = request.get("reasoning_effort") or "medium"
    if effort not in _EFFORTS:
        raise PromptlintError(f"gpt-oss has no reasoning_effort {effort!r}", "give low, medium or high")
    content = {"type": "system_content", "reasoning_effort": _EFFORTS[effort], "conversation_start_date": today}
    return {"role": "system", "content": [content]}


def _developer(instructions: str | None, tools: list[Any]) -> list[Message]:
    if not instructions and not tools:
        return []
    content: dict[str, Any] = {"type": "developer_content", "instructions": instructions or None}
    if tools:
        content["tools"] = {"functions": {"name": "functions", "tools": [_description(tool) for tool in tools]}}
    return [{"role": "developer", "content": [content]}]


def _description(tool: Any) -> dict[str, Any]:
    if not isinstance(tool, dict) or not isinstance(tool.get("function"), dict):
        raise PromptlintError("a tool that is no function: gpt-oss's own tools are not rendered", "leave it out")
    function = tool["function"]
    return {
        "name": function["name"],
        "description": function.get("description") or "",
        "parameters": function.get("parameters"),
    }


def _turns(message: Message, names: dict[Any, str]) -> list[Message]:
    role = message.get("role")
    if role == "tool":
        name = names.get(message.get("tool_call_id")) or message.get("name") or ""
        turn = {"role": "tool", "name": f"functions.{name}", "recipient": "assistant", "channel": "commentary"}
        return [turn | {"content": _text(message)}]
    if role != "assistant":
        return [{"role": role, "content": _text(message)}]
    calls = message.get("tool_calls") or ()
    said = _said("commentary" if calls else "final", _text(message))
    thought = _said("analysis", message.get("reasoning_content") or message.get("reasoning"))
    return [*said, *thought, *map(_call, calls)] if calls else [*thought, *said]


def _said(channel: str, text: str | None) -> list[Message]:
    return [{"role": "assistant", "channel": channel, "content": text}] if text else []


def _call(call: Message) -> Message:
    function = call["function"]
    arguments = function.get("arguments") or ""
    return {
        "role": "assistant",
        "channel": "commentary",
        "recipient": f"functions.{function['name']}",
        "content_type": "json",
        "content": arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False),
    }


def _text(message: Message) -> str:
    parts = _parts(message.get("content"))
    return "".join(part if isinstance(part, str) else part["text"] for part in parts)


def _parts(content: Any) -> list[Any]:
    return content if isinstance(content, list) else [content] if content else []
