"""The cause of a rewrite, and its words: what `boundary` says of two prompts, said of one template."""

from promptlint.boundary.divergence import Divergence
from promptlint.boundary.shown import is_printed
from promptlint.prompt import Path, Rendered

_WORDS = {
    "reasoning-dropped": "reasoning that turn n prints is not printed any more at turn n+1",
    "template-asymmetry": "what opens the answer is not what the template prints for that turn as history",
    "template-moves-text": "{what} stands at a place that moves with the conversation",
    "history-trimmed": "the oldest messages are not printed any more when the conversation grows",
    "content-stubbed": "the result of a tool is not printed in full any more when the conversation goes on",
    "history-rewritten": "a message that turn n prints is printed otherwise at turn n+1",
    "text-edited": "text ahead of the messages is printed otherwise at turn n+1",
    "counter": "a number that counts with the conversation stands in earlier text",
    "white-space": "white space of earlier text is printed otherwise at turn n+1",
}
_LEVELS = {"tools": "the list of tools", "system": "the system text"}


def words(label: str, divergence: Divergence) -> str:
    """A sentence for the kind of rewrite."""
    said = _WORDS.get(label)
    if said is None:
        return divergence.message or "earlier text is printed otherwise at turn n+1"
    return said.format(what=_LEVELS.get(divergence.level, "text"))


def narrower(divergence: Divergence, a: Rendered, b: Rendered) -> str:
    """The label, with the evidence of the texts that differ, and of what of each message both prompts print."""
    old = a.text[divergence.a_start : divergence.a_end]
    new = b.text[divergence.b_start : divergence.b_end]
    if divergence.cause == "text-edited" and old.isdecimal() and new.isdecimal():
        return "counter"
    if divergence.cause != "history-rewritten":
        return divergence.cause
    before, after = _printed(a), _printed(b)
    lost = sorted(number for number, text in before.items() if len(after.get(number, "")) < len(text))
    roles = [_role(a, number) for number in lost]
    if not lost:
        return divergence.cause
    if all(before[number].split() == after.get(number, "").split() for number in lost):
        return "white-space"
    if set(roles) == {"tool"}:
        return "content-stubbed"
    first = next((number for number in sorted(before) if _role(a, number) not in ("system", "developer")), None)
    gone = [number for number in lost if number not in after]
    return "history-trimmed" if gone and gone[0] == first and gone == lost else divergence.cause


def _printed(prompt: Rendered) -> dict[int, str]:
    """What is printed of the content of each message."""
    found: dict[int, str] = {}
    for origin in prompt.origins:
        path: Path = origin.path or ()
        if is_printed(origin) and len(path) > 2 and path[0] == "messages" and path[2] == "content":
            number = path[1]
            assert isinstance(number, int)
            found[number] = found.get(number, "") + prompt.text[origin.start : origin.end]
    return found


def _role(prompt: Rendered, number: int) -> str:
    body = prompt.request.body
    messages = body["messages"] if isinstance(body, dict) else None
    message = messages[number] if isinstance(messages, list) else None
    return str(message["role"]) if isinstance(message, dict) else ""
