"""What SDKs send through httpx, or its fork httpx2: `send` of the clients is wrapped while a test runs.

Every way to send goes through `send`, whatever transport answers; redirects and authentication happen below it.
"""

import functools
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any, NamedTuple

from promptlint.errors import PromptlintError
from promptlint.testing.bodies import body_of, is_json
from promptlint.testing.stable import Comparison, assert_prefix_stable

PACKAGES = ("httpx", "httpx2")
_FAILED = 400  # HTTP: from this status on nothing was answered
_LISTED = 5  # requests that were left out, in a message


class Recorded(NamedTuple):
    """A prompt that was sent."""

    url: str  # without the user, the query and the fragment, which may hold keys
    body: dict[str, Any]
    content: bytes  # the body as it was sent, without its compression
    attempts: int = 1  # how often the SDK tried

    @property
    def shown_url(self) -> str:
        """The address for a message: one line, nothing invisible."""
        from promptlint.read.names import shown

        return shown(self.url)


class Recorder:
    """The prompts that were sent, in order. What is no prompt (embeddings, files, GET) is left out."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.clear()

    def clear(self) -> None:
        """Forget all."""
        with self._lock:
            self._sent: list[Recorded] = []
            self._failed: dict[tuple[str, bytes], int] = {}
            self._left_out: list[str] = []

    @property
    def requests(self) -> tuple[Recorded, ...]:
        """So far; what is sent later is not in it. Another try of a request that failed is no request of its own."""
        with self._lock:
            return tuple(self._sent)

    @property
    def left_out(self) -> tuple[str, ...]:
        """What else was sent, and why it is no prompt: for a test that misses a request."""
        with self._lock:
            return tuple(self._left_out)

    def assert_prefix_stable(self, **options: Any) -> tuple[Comparison, ...]:
        """`promptlint.testing.assert_prefix_stable` of all requests, with its options.

        Fails if fewer than two were recorded.
        """
        __tracebackhide__ = True
        requests = self.requests
        if len(requests) < 2:
            raise AssertionError(self._too_few(len(requests)))
        return assert_prefix_stable(*requests, **options)

    def _too_few(self, count: int) -> str:
        said = f"two requests or more can be compared, {count or 'none'} {'was' if count < 2 else 'were'} recorded"
        left_out = self.left_out
        if not left_out:
            return f"{said}; what is not sent with {' or '.join(PACKAGES)} is not seen"
        more = f" and {len(left_out) - _LISTED} more" if len(left_out) > _LISTED else ""
        return f"{said}; left out: {', '.join(left_out[:_LISTED])}{more}"

    def _add(self, method: str, url: str, content: bytes | None, encoding: str) -> tuple[str, bytes] | None:
        """Record a request, and give the key under which `_fail` finds it; None for what is no prompt."""
        why, body, plain = "", None, b""
        if method != "POST" or content is None:
            why = "no JSON" if method == "POST" else ""
        else:
            why, body, plain = body_of(url, content, encoding)
        with self._lock:
            if body is None:
                self._left_out.append(f"{method} {_shown(url)}{f' ({why})' if why else ''}")
                return None
            key = (url, plain)
            index = self._failed.pop(key, None)
            if index is None:
                self._sent.append(Recorded(url, body, plain))
            else:
                self._sent[index] = self._sent[index]._replace(attempts=self._sent[index].attempts + 1)
            return key

    def _fail(self, key: tuple[str, bytes]) -> None:
        """The request was not answered: if it comes again, that is another try."""
        with self._lock:
            for index in range(len(self._sent) - 1, -1, -1):
                if (self._sent[index].url, self._sent[index].content) == key:
                    self._failed[key] = index
                    return


def _shown(text: str) -> str:
    from promptlint.read.names import shown

    return shown(text)


class _Wire:
    """One client class whose `send` is wrapped."""

    def __init__(self, client: type) -> None:
        self.client = client
        self.recorders: list[Recorder] = []
        self.original: Any = client.__dict__["send"]
        self.wrapper = (_async_send if client.__name__ == "AsyncClient" else _send)(self)
        setattr(client, "send", self.wrapper)  # noqa: B010

    def undo(self) -> None:
        """Give the class its method back, unless somebody has wrapped it once more: then ours lets all pass."""
        if self.client.__dict__.get("send") is self.wrapper:
            setattr(self.client, "send", self.original)  # noqa: B010

    def sent(self, request: Any, content: bytes | None) -> list[tuple[Recorder, tuple[str, bytes]]]:
        """Every recorder that took the request, and under which key."""
        method, url = str(request.method).upper(), _address(request.url)
        encoding = request.headers.get("content-encoding", "")
        made = [(recorder, recorder._add(method, url, content, encoding)) for recorder in tuple(self.recorders)]
        return [(recorder, key) for recorder, key in made if key is not None]


def _send(wire: _Wire) -> Any:
    @functools.wraps(wire.original)
    def send(self: Any, request: Any, *args: Any, **kwargs: Any) -> Any:
        marks = wire.sent(request, _content(request)) if wire.recorders else []
        try:
            response = wire.original(self, request, *args, **kwargs)
        except BaseException:
            _failed(marks)
            raise
        if response.status_code >= _FAILED:
            _failed(marks)
        return response

    return send


def _async_send(wire: _Wire) -> Any:
    @functools.wraps(wire.original)
    async def send(self: Any, request: Any, *args: Any, **kwargs: Any) -> Any:
        marks = wire.sent(request, await _async_content(request)) if wire.recorders else []
        try:
            response = await wire.original(self, request, *args, **kwargs)
        except BaseException:
            _failed(marks)
            raise
        if response.status_code >= _FAILED:
            _failed(marks)
        return response

    return send


def _failed(marks: list[tuple[Recorder, tuple[str, bytes]]]) -> None:
    for recorder, key in marks:
        recorder._fail(key)


def _content(request: Any) -> bytes | None:
    """The body, if it is JSON; one that streams is read, and httpx sends what was read."""
    if _streams(request, "__iter__"):
        request.read()
    return _held(request)


async def _async_content(request: Any) -> bytes | None:
    if _streams(request, "__aiter__"):
        await request.aread()
    return _held(request)


def _streams(request: Any, way: str) -> bool:
    """Whether the body is JSON that comes bit by bit; what says no type may be anything, and is left alone."""
    told = is_json(request.headers.get("content-type", ""))
    return request.method == "POST" and told and not hasattr(request, "_content") and hasattr(request.stream, way)


def _held(request: Any) -> bytes | None:
    kind = request.headers.get("content-type")
    return getattr(request, "_content", None) if kind is None or is_json(kind) else None


def _address(url: Any) -> str:
    return f"{url.scheme}://{url.netloc.decode('ascii', 'replace')}{url.path}"


_lock = threading.Lock()
_wires: list[_Wire] = []
_active: list[Recorder] = []


@contextmanager
def record_requests() -> Iterator[Recorder]:
    """Record while the context lasts; several may last at once, in any order and in several threads.

    Raises PromptlintError if neither httpx nor httpx2 is installed.
    """
    recorder = Recorder()
    with _lock:
        if not _active:
            _wires[:] = [_Wire(client) for client in _clients()]
        _active.append(recorder)
        _tell()
    try:
        yield recorder
    finally:
        with _lock:
            _active[:] = [one for one in _active if one is not recorder]
            _tell()
            if not _active:
                for wire in reversed(_wires):
                    wire.undo()
                _wires.clear()


def _tell() -> None:
    """Every wire gets a list of its own, which nobody changes: a thread may be going through it."""
    for wire in _wires:
        wire.recorders = list(_active)


def _clients() -> list[type]:
    found = []
    for name in PACKAGES:
        try:
            package = import_module(name)
        except ModuleNotFoundError as error:
            if error.name != name:
                raise
        else:
            found += [package.Client, package.AsyncClient]
    if not found:
        raise PromptlintError("neither httpx nor httpx2 is installed", "pip install httpx")
    return found
