"""An answer that is none: one line that says what is wrong and what to do."""

import json
from urllib.parse import urlsplit

from promptlint.confirm.live.calls import Answer, Call, held
from promptlint.errors import PromptlintError
from promptlint.read.names import shown
from promptlint.secrets import mask

_SAID = 160  # characters of what a server says


def checked(call: Call, answer: Answer, *, key: str = "", variable: str = "") -> Answer:
    """The answer, if it is one. `key` is hidden in what the server says. Raises PromptlintError for the others."""
    if 200 <= answer.status < 300:
        return answer
    parts = urlsplit(call.url)
    host = shown(parts.netloc)
    if 300 <= answer.status < 400:
        raise _redirected(host, answer, call)
    said = said_by(answer, key)
    raise PromptlintError(
        f"{host} {_what(answer.status, parts.path)} ({answer.status}){f': {said}' if said else ''}",
        _hint(answer, parts.path, variable, bool(key)),
    )


def _redirected(host: str, answer: Answer, call: Call) -> PromptlintError:
    there = answer.headers.get("location", "")
    try:
        other = urlsplit(there).netloc or urlsplit(call.url).netloc
    except ValueError:
        other = ""
    where = shown(other.rpartition("@")[2]) or "an address that is none"
    return PromptlintError(
        f"{host} sends the request on to {where} ({answer.status})",
        "keys are not carried to another address: give that one with --endpoint if you trust it",
    )


def _what(status: int, path: str) -> str:
    known = {
        400: "refuses the request",
        401: "refuses the key",
        402: "wants to be paid first",
        403: "does not allow it",
        404: f"has no {shown(path)}, or no such model",
        405: f"takes no request at {shown(path)}",
        408: "gave up waiting",
        413: "finds the request too large",
        422: "refuses the request",
        429: "is asked too often, or the quota is used up",
        529: "is overloaded",
    }
    return known.get(status) or ("fails" if status >= 500 else "refuses the request")


def _hint(answer: Answer, path: str, variable: str, has_key: bool) -> str:
    if answer.status in (401, 403):
        named = variable or "the variable that --key-env names"
        return f"is the key in {named} the right one?" if has_key else f"put a key into {named}"
    if answer.status in (404, 405):
        return "is --endpoint the base address (https://host/v1), --api the right one, and --model served there?"
    if answer.status == 429:
        wait = answer.headers.get("retry-after", "")
        after = f"in {wait} s" if wait.isdecimal() and len(wait) < 7 else "later"
        return f"run it again {after}; nothing was tried twice"
    return "its log may say more" if answer.status >= 500 else ""


def said_by(answer: Answer, key: str = "") -> str:
    """What a server says is wrong: one line, no longer than a line, without secrets."""
    text = answer.text
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return ""
    return message_of(value, key)


def message_of(value: object, key: str = "") -> str:
    """The message of an error object of any API, or ""."""
    if isinstance(value, list) and value:
        value = value[0]
    error = held(value, "error")
    ways = (held(error, "message"), error, held(value, "message"), held(value, "detail"))
    found = next((each for each in ways if isinstance(each, str) and each.strip()), "")
    line = " ".join(found.split())
    if key:
        line = line.replace(key, "[key]")
    line = mask(line)
    return shown(line if len(line) <= _SAID else line[:_SAID] + "…") if line else ""
