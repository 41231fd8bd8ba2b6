"""Which interface a request is sent through, and whether its format has one."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, NamedTuple, get_args

from promptlint.confirm.live import anthropic, gemini, llama_server, openai
from promptlint.confirm.live.calls import Call, Event, Reported, Sent
from promptlint.confirm.live.endpoint import Endpoint
from promptlint.errors import PromptlintError
from promptlint.read.names import shown

ApiName = Literal["openai", "anthropic", "llama-server", "gemini"]
NAMES: tuple[ApiName, ...] = get_args(ApiName)


class Api(NamedTuple):
    """One interface."""

    name: ApiName
    call: Callable[[Sent, Endpoint, bool], Call]
    is_output: Callable[[Event], bool]
    is_answer: Callable[[Event], bool]
    read: Callable[[Sequence[Event]], Reported]
    formats: tuple[str, ...]  # that it takes
    field: Callable[[str], tuple[str, str]]  # key -> header


def _bearer(key: str) -> tuple[str, str]:
    return "authorization", f"Bearer {key}"


_TEXTS = ("completion", "text", "token-ids")
_CHATS = ("openai-chat", "messages")
APIS: Mapping[ApiName, Api] = {
    "openai": Api(
        "openai",
        openai.call,
        openai.is_output,
        openai.is_answer,
        openai.read,
        (*_CHATS, "openai-responses", *_TEXTS),
        _bearer,
    ),
    "anthropic": Api(
        "anthropic",
        anthropic.call,
        anthropic.is_output,
        anthropic.is_answer,
        anthropic.read,
        ("anthropic",),
        lambda key: ("x-api-key", key),
    ),
    "llama-server": Api(
        "llama-server",
        llama_server.call,
        llama_server.is_output,
        llama_server.is_answer,
        llama_server.read,
        (*_CHATS, *_TEXTS),
        _bearer,
    ),
    "gemini": Api(
        "gemini",
        gemini.call,
        gemini.is_output,
        gemini.is_answer,
        gemini.read,
        ("gemini",),
        lambda key: ("x-goog-api-key", key),
    ),
}


def api_for(format_name: str, wanted: str | None) -> Api:
    """The interface for requests of a format; `wanted`: the one that the user names.

    Raises PromptlintError for a name that is none, and for a format that it does not take.
    """
    if wanted is None:
        fitting = [api for api in APIS.values() if format_name in api.formats]
        native = [api for api in fitting if api.name == "llama-server" and format_name in ("text", "token-ids")]
        if not fitting:
            formats = ", ".join(dict.fromkeys(each for api in APIS.values() for each in api.formats))
            raise PromptlintError(f"requests of the format {format_name} cannot be sent", f"one of {formats} can")
        return (native or fitting)[0]
    api = next((api for api in APIS.values() if api.name == wanted), None)
    if api is None:
        raise PromptlintError(f"unknown --api {shown(wanted)}", f"one of {', '.join(NAMES)}")
    if format_name not in api.formats:
        takes = ", ".join(api.formats)
        raise PromptlintError(f"--api {api.name} takes no request of the format {format_name}", f"it takes {takes}")
    return api


def answer_limit(body: Mapping[str, Any], format_name: str, tokens: int) -> int:
    """The most tokens that an answer can have, of which so many are asked for: some interfaces take no small limit."""
    if format_name == "anthropic":
        return anthropic.answer_tokens(body, tokens)
    return openai.answer_tokens(tokens) if format_name == "openai-responses" else tokens


_FIELDS = {
    "openai-chat": "messages",
    "messages": "messages",
    "anthropic": "messages",
    "openai-responses": "input",
    "gemini": "contents",
    "completion": "prompt",
}


def body_of(value: Any, format_name: str) -> dict[str, Any]:
    """The body to send of what a document holds. Raises PromptlintError for a record that holds more than a request."""
    if format_name in ("text", "token-ids") and not isinstance(value, dict):
        return {"prompt": value}
    if format_name == "token-ids":
        return {"prompt": next((held for held in value.values() if isinstance(held, list)), [])}
    if format_name == "messages" and isinstance(value, list):
        return {"messages": value}
    if not isinstance(value, dict) or (_FIELDS[format_name] not in value and "prompt" not in value):
        raise PromptlintError("it is a record of a request, not the request itself", "give the body that was sent")
    return dict(value)
