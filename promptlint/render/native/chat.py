"""What a Chat Completions request must be before a library may render it."""

from collections.abc import Iterator
from typing import Any

from promptlint.errors import PromptlintError

_TEXT_PARTS = ("text", "thinking", "system_content", "developer_content")
_ELSEWHERE = ("system", "functions", "contents", "input")  # of other formats, or given up; nobody would render them


def chat(body: Any, library: str) -> dict[str, Any]:
    """The request, or the bare messages, as an object with `messages`. PromptlintError: it is something else.

    Pictures and sounds are refused: their tokens are no text, and a library could fetch them from elsewhere.
    """
    request = {"messages": body} if isinstance(body, list) else body
    if not isinstance(request, dict) or not isinstance(request.get("messages"), list):
        raise PromptlintError(f"{library} renders Chat Completions requests, and this has no `messages`", _HINT)
    for name in _ELSEWHERE:
        if request.get(name):
            raise PromptlintError(f"{library} does not render `{name}`", _HINT)
    for number, message in enumerate(request["messages"]):
        if not isinstance(message, dict):
            raise PromptlintError(f"messages/{number}: not an object", _HINT)
        if message.get("function_call"):
            raise PromptlintError(f"messages/{number}: {library} does not render `function_call`", _HINT)
        _check_parts(message.get("content"), f"messages/{number}/content", library)
    return request


def _check_parts(content: Any, place: str, library: str) -> None:
    for number, part in enumerate(content if isinstance(content, list) else ()):
        kind = part.get("type") if isinstance(part, dict) else None
        if kind not in _TEXT_PARTS:
            raise PromptlintError(
                f"{place}/{number}: {kind!r} is no text part, and {library} is given text only", _HINT
            )


def strings(value: Any) -> Iterator[str]:
    """Every string of a request but its keys, however deep."""
    ahead = [value]
    while ahead:
        held = ahead.pop()
        if isinstance(held, str):
            yield held
        elif isinstance(held, dict | list):
            ahead.extend(held.values() if isinstance(held, dict) else held)


def is_refusal(error: BaseException) -> bool:
    """Whether a library gave up. A panic of its Rust code is no Exception; Ctrl-C is none either, and goes on."""
    return isinstance(error, Exception) or type(error).__name__ == "PanicException"


def reason(error: BaseException) -> str:
    """What a library says, in one line."""
    if callable(found := getattr(error, "errors", None)):  # pydantic lists them
        first = found()[0]
        return f"{'/'.join(map(str, first['loc']))}: {first['msg']}"
    said = " ".join(str(getattr(error, "message", "") or error).split())
    return f"no {said}" if isinstance(error, KeyError) else said or type(error).__name__


_HINT = "give a request with messages of text, tools and tool_calls"
