"""The one connection: no redirects, no proxy of the environment, certificates checked, size and time bounded."""

import queue
import threading
import time
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any, NamedTuple

from promptlint.confirm.live.calls import Answer, Call, Chunk
from promptlint.errors import PromptlintError
from promptlint.read.names import shown

MAX_BYTES = 16 << 20
"""The largest answer that is read."""

_KEPT = ("content-type", "retry-after", "location", "server")
_CONNECT = 10.0  # seconds


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
                for data in _bounded(response.iter_bytes()):
                    put(Chunk(time.perf_counter() - began[0], data))
                    if stopped.is_set():
                        return
            put(_End())
        except PromptlintError as error:
            put(_End(error))
        except Exception as error:  # whatever it is, the one who waits must hear of it
            put(_End(unanswered(error, call, self._httpx)))


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
        return PromptlintError(f"the certificate of {host} is not to be trusted", "nothing was sent to it")
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
