"""A request -> messages and tools as chat templates take them, and where these stand in the document."""

from promptlint.errors import PromptlintError
from promptlint.prompt import Json, Path, Request
from promptlint.read import json_text
from promptlint.read.descend import descend

PASSED = ("documents",)  # fields of a request that a template takes under their own names, beside messages and tools
KWARGS = "chat_template_kwargs"  # vLLM and SGLang hand its entries to the template
_FORMATS = ("openai-chat", "messages", "ollama-chat", "cohere-chat")  # of messages that are as in Chat Completions
_SHAREGPT_ROLES = {"human": "user", "gpt": "assistant", "function_call": "assistant", "observation": "tool"}

Places = dict[Path, Path | None]
"""A place among the variables of a template -> the place in the document; None for what stands in none."""


def conversation(request: Request) -> tuple[dict[str, Json], Places]:
    """Messages and tools as a chat template takes them, and where they stand in the document."""
    body: Json = {"messages": request.body} if isinstance(request.body, list) else request.body
    if request.parts:
        body = {name: descend(request.body, path[len(request.path) :]) for name, path in request.parts.items()}
    if request.format == "sharegpt" and isinstance(body, dict):
        return _sharegpt(body, request.path)
    messages = body.get("messages") if isinstance(body, dict) else None
    if request.format not in _FORMATS or not isinstance(body, dict) or not isinstance(messages, list) or not messages:
        raise PromptlintError(
            f"a chat template takes messages as in Chat Completions, not a request of the format {request.format}",
            "leave out --chat-template, or give the request that the server of the model gets",
        )
    if not all(isinstance(message, dict) and isinstance(message.get("role"), str) for message in messages):
        raise PromptlintError(
            "a chat template takes messages with a role, as in Chat Completions, and these are of another shape",
            "leave out --chat-template, or give the request that the server of the model gets",
        )
    if isinstance(request.body, list):
        return body, {("messages",): request.path}
    if request.parts:
        return body, {(name,): path for name, path in request.parts.items()}
    kwargs = body.get(KWARGS)
    places: Places = {(name,): (*request.path, KWARGS, name) for name in (kwargs if isinstance(kwargs, dict) else {})}
    return body, places | {(name,): (*request.path, name) for name in ("messages", "tools", *PASSED)}


def _sharegpt(body: dict[str, Json], path: Path) -> tuple[dict[str, Json], Places]:
    """`conversations` of `{from, value}`, the system text beside them."""
    messages: list[Json] = []
    places: Places = {("tools",): (*path, "tools")}
    if isinstance(body.get("system"), str) and body["system"]:
        messages.append({"role": "system", "content": body["system"]})
        places[("messages", 0, "content")] = (*path, "system")
    turns = body.get("conversations")
    for index, turn in enumerate(turns if isinstance(turns, list) else []):
        if not isinstance(turn, dict):
            continue
        role = str(turn.get("from"))
        here: Path = ("messages", len(messages))
        places[(*here, "role")] = (*path, "conversations", index, "from")
        places[(*here, "content")] = (*path, "conversations", index, "value")
        messages.append({"role": _SHAREGPT_ROLES.get(role, role), "content": turn.get("value")})
    tools = body.get("tools")
    if isinstance(tools, str):
        tools, places["tools",] = _entered(tools), (*path, "tools", None)
    return {"messages": messages, "tools": tools if isinstance(tools, list) else None}, places


def _entered(text: str) -> Json:
    """The value of a string that holds JSON; None if it holds none."""
    try:
        return json_text.parse_string(text)
    except ValueError:
        return None


def has_string_arguments(body: dict[str, Json]) -> bool:
    """Whether arguments of a tool call are JSON text, as OpenAI's clients send them."""
    messages = body.get("messages")
    for message in messages if isinstance(messages, list) else []:
        calls = message.get("tool_calls") if isinstance(message, dict) else None
        for call in calls if isinstance(calls, list) else []:
            function = call.get("function") if isinstance(call, dict) else None
            if isinstance(function, dict) and isinstance(function.get("arguments"), str):
                return True
    return False
