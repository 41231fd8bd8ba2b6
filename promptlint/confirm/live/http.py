"""The one connection: no redirects, no proxy of the environment, certificates checked, size and time bounded.

And an answer that is none: one line that says what is wrong and what to do.
"""

import json
import os
import queue
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from promptlint.confirm.live.calls import Answer, Call, Chunk, held
from promptlint.confirm.live.keys import LEAST_KEY, hidden
from promptlint.errors import PromptlintError
from promptlint.read.names import shown
from promptlint.secrets import mask

MAX_BYTES = 16 << 20
"""The largest answer that is read."""

_KEPT = ("content-type", "retry-after", "location", "server")
_CONNECT = 10.0  # seconds
_SAID = 160  # characters of what a server says
_LOOKED_AT = 4000  # characters of it that are cleaned


class _End(NamedTuple):
    """The answer is complete, or will not be: then with the reason."""

    error: PromptlintError | None = None


class _Head(NamedTuple):
    status: int
    headers: dict[str, str]


class Connection:
    """Carries calls to one server. `seconds`: the longest that one call may take, all in all."""

    def __init__(self, *, key_header: tuple[str, str] | None = None, seconds: float = 120.0) -> None:
        self._httpx = _imported()
        self._seconds = seconds
        self._client = self._httpx.Client(
            follow_redirects=False,
            trust_env=False,  # a proxy of the environment would see keys and prompts
            verify=_trusted(),
            # A connection for each call: a server that closes an idle one would fail the next. Its set-up is not timed.
            limits=self._httpx.Limits(max_keepalive_connections=0),
            timeout=self._httpx.Timeout(seconds, connect=min(_CONNECT, seconds)),
            headers={"user-agent": "promptlint", "accept-encoding": "identity"},
        )
        self._secret = () if key_header is None else (key_header,)

    def send(self, call: Call) -> Answer:
        """The answer to a call. Raises PromptlintError if none comes, or not in time, or an endless one."""
        parts: queue.SimpleQueue[_Head | Chunk | _End] = queue.SimpleQueue()
        stopped = threading.Event()
        work = threading.Thread(target=self._carry, args=(call, parts.put, stopped), daemon=True)
        work.start()
        try:
            return _collected(parts, time.monotonic() + self._seconds, self._seconds, call)
        finally:
            stopped.set()

    def close(self) -> None:
        """Give the connection up."""
        self._client.close()

    def _carry(self, call: Call, put: Callable[[_Head | Chunk | _End], None], stopped: threading.Event) -> None:
        """In a thread of its own, so that a server that sends a byte now and then cannot hold us for ever."""
        began = [time.perf_counter()]

        def trace(name: str, _: Any) -> None:
            if name.endswith("send_request_headers.started"):  # the connection stands: from here on it is the server
                began[0] = time.perf_counter()

        headers = dict((*call.headers, *self._secret))
        if call.body:
            headers["content-type"] = "application/json"
        try:
            with self._client.stream(
                call.method, call.url, content=call.body.encode() or None, headers=headers, extensions={"trace": trace}
            ) as response:
                put(_Head(response.status_code, {name: response.headers.get(name, "") for name in _KEPT}))
                for data in _bounded(_as_asked(response, call)):
                    put(Chunk(time.perf_counter() - began[0], data))
                    if stopped.is_set():
                        return
            put(_End())
        except PromptlintError as error:
            put(_End(error))
        except Exception as error:  # whatever it is, the one who waits must hear of it
            put(_End(unanswered(error, call, self._httpx)))


def _trusted() -> "ssl.SSLContext | bool":
    """The certificates that the user names with SSL_CERT_FILE or SSL_CERT_DIR, as a company's own; else httpx's."""
    named = os.environ.get("SSL_CERT_FILE") or os.environ.get("SSL_CERT_DIR")
    return ssl.create_default_context() if named else True


def _as_asked(response: Any, call: Call) -> Iterator[bytes]:
    """The bytes as they come. Packed ones were not asked for: a few of them may be gigabytes, so none is unpacked.

    Raises PromptlintError for an answer that is packed; of an error it is enough to know which one.
    """
    packed = [way.strip().lower() for way in response.headers.get("content-encoding", "").split(",")]
    if all(way in ("", "identity") for way in packed):
        yield from response.iter_raw()
    elif 200 <= response.status_code < 300:
        raise PromptlintError(
            f"{_host(call)} packs its answer ({shown(', '.join(packed)[:40])}), which was not asked for",
            "is there a proxy in front of it?",
        )


def _bounded(parts: Iterator[bytes]) -> Iterator[bytes]:
    size = 0
    for data in parts:
        size += len(data)
        if size > MAX_BYTES:
            raise PromptlintError(f"the server sends more than {MAX_BYTES >> 20} MiB", "is it an API?")
        if data:
            yield data


def _collected(parts: "queue.SimpleQueue[Any]", deadline: float, seconds: float, call: Call) -> Answer:
    head: _Head | None = None
    chunks: list[Chunk] = []
    while True:
        try:
            part = parts.get(timeout=max(deadline - time.monotonic(), 0.001))
        except queue.Empty:
            raise _slow(call, seconds) from None
        if isinstance(part, _Head):
            head = part
        elif isinstance(part, Chunk):
            chunks.append(part)
        elif part.error is not None:
            raise part.error
        else:
            assert head is not None
            return Answer(head.status, {name: value for name, value in head.headers.items() if value}, tuple(chunks))


def _slow(call: Call, seconds: float) -> PromptlintError:
    return PromptlintError(
        f"{_host(call)} has not answered within {seconds:g} s", "is it busy? --timeout SECONDS waits longer"
    )


def unanswered(error: Exception, call: Call, httpx: ModuleType) -> PromptlintError:
    """Why no answer came, in words."""
    host, said = _host(call), str(error)
    if isinstance(error, httpx.ConnectTimeout):
        return PromptlintError(f"{host} cannot be reached", "is the address right, and the server up?")
    if isinstance(error, httpx.TimeoutException):
        return PromptlintError(f"{host} has not answered in time", "is it busy? --timeout SECONDS waits longer")
    if "CERTIFICATE_VERIFY_FAILED" in said:
        return PromptlintError(
            f"the certificate of {host} is not to be trusted",
            "nothing was sent to it; a company's own certificates are named with SSL_CERT_FILE",
        )
    if "SSL" in said or "TLS" in said:
        return PromptlintError(f"{host} speaks no TLS that is understood", "is it http, or another port?")
    if isinstance(error, httpx.ConnectError):
        return PromptlintError(f"{host} cannot be reached", "is the address right, and the server up?")
    if isinstance(error, httpx.RemoteProtocolError | httpx.ReadError | httpx.WriteError):
        return PromptlintError(f"{host} broke off in the middle", "its log may say why")
    return PromptlintError(f"{host} cannot be asked: {type(error).__name__}", "is --endpoint the address of an API?")


def _host(call: Call) -> str:
    return shown(call.url.split("/")[2])


def _imported() -> ModuleType:
    try:
        import httpx
    except ImportError:
        raise PromptlintError("servers are asked with httpx", "pip install 'promptlint-cache[live]'") from None
    return httpx


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
    return said_plainly(found, key)


def said_plainly(text: str, key: str = "") -> str:
    """What a server says, for people: one line, no longer than a line, without secrets, nothing invisible."""
    line = " ".join(text.split())
    line = mask(hidden(line.replace(key, "[key]") if len(key) >= LEAST_KEY else line, key)[:_LOOKED_AT])
    return shown(line if len(line) <= _SAID else line[:_SAID] + "…") if line else ""
