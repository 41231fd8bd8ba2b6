"""What is sent to a server, and what comes back: plain data, whoever carries it, and the events that are in it."""

import json
import math
import time
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal, NamedTuple, Protocol

from promptlint.errors import PromptlintError
from promptlint.read.names import shown

_LONGEST_LINE = 4 << 20  # bytes
_MOST_TOKENS = 10**9


class Call(NamedTuple):
    """One HTTP request. Keys are no part of it: who carries it adds them."""

    method: Literal["GET", "POST"]
    url: str
    body: str = ""  # JSON text
    headers: tuple[tuple[str, str], ...] = ()


class Chunk(NamedTuple):
    """A part of an answer, as it came."""

    seconds: float  # since the request went out
    data: bytes


class Answer(NamedTuple):
    """One HTTP response. `headers`: lower case, those that are of use."""

    status: int
    headers: Mapping[str, str]
    chunks: tuple[Chunk, ...]

    @property
    def body(self) -> bytes:
        return b"".join(chunk.data for chunk in self.chunks)

    @property
    def text(self) -> str:
        return self.body.decode("utf-8", "replace")

    def saying(self, text: str) -> "Answer":
        """The same with another text, in one part."""
        return self._replace(chunks=(Chunk(self.chunks[-1].seconds if self.chunks else 0.0, text.encode()),))


class Carrier(Protocol):
    """Who carries calls: a connection, or a cassette."""

    def send(self, call: Call) -> Answer:
        """The answer, whatever its status. Raises PromptlintError if none comes."""

    def close(self) -> None:
        """Nothing more is sent."""


class Reported(NamedTuple):
    """What a server says of one request. None: it does not say."""

    prompt_tokens: int | None = None  # all of them, those that were read among them
    cached_tokens: int | None = None
    source: str = ""  # the field that says so
    written: Mapping[str, int] = {}  # tokens by lifetime
    output_tokens: int | None = None
    id: str | None = None
    miss_reason: str = ""
    output_ids: tuple[int, ...] = ()  # token ids of the answer
    is_sum: bool = False  # over passes inside the call, so that it says nothing of one prompt
    wrong: str = ""  # a figure that cannot be right, in words


class Timing(NamedTuple):
    """Seconds since the request went out."""

    first: float | None  # until the first token; None: the answer did not stream
    whole: float
    output_tokens: int | None

    @property
    def per_token(self) -> float | None:
        """For each token behind the first: (latency - TTFT) / (output tokens - 1), as vLLM defines it."""
        if self.first is None or self.output_tokens is None or self.output_tokens < 2:
            return None
        return max(self.whole - self.first, 0.0) / (self.output_tokens - 1)


class Sent(NamedTuple):
    """One prompt and how it is asked."""

    body: Mapping[str, Any]  # as the author wrote it
    format: str  # a key of data/formats.yaml
    model: str
    tokens: int  # of the answer, at most
    salt: str = ""  # of a server that keeps caches apart by salts
    fresh: bool = False  # reuse nothing, where the server can be told so
    compares: bool = False  # the vendor's diagnostics are asked for
    after: str | None = None  # the id of the answer to compare with
    betas: str = ""  # the flags of a recorded request, where the API has them


def dumps(value: Any) -> str:
    """JSON text as it is sent: keys in their order, letters as they are."""
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    except ValueError:
        raise PromptlintError("a number of the request is too large to be sent", "put it in quotes") from None


def number(value: Any) -> int | None:
    """A count of tokens, if it is one that can be right."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MOST_TOKENS else None


def misfit(figures: Iterable[tuple[str, Any]]) -> str:
    """The first of these figures that is there and no count of tokens, in words; "" if there is none."""
    for name, value in figures:
        if value is not None and number(value) is None:
            return f"{name} is {'a text' if isinstance(value, str) else _short(value)}"
    return ""


def _short(value: Any) -> str:
    if isinstance(value, int) and abs(value) > _MOST_TOKENS:
        return "less than 0" if value < 0 else f"more than {_MOST_TOKENS:,}"
    return json.dumps(value)[:20] if isinstance(value, int | float) else "no number"


def held(value: Any, *names: str) -> Any:
    """What stands in an object behind these names; None if nothing does."""
    for name in names:
        if not isinstance(value, dict):
            return None
        value = value.get(name)
    return value


class Event(NamedTuple):
    """One event. `seconds`: since the request went out, when its last line came; None: the answer did not stream."""

    seconds: float | None
    name: str
    value: Any  # of its JSON


class Lines:
    """Bytes -> events, as the standard has them: lines end in LF, CR or CRLF, comments begin with a colon.

    Linear in the bytes, however they are cut: what is left of a line is joined once, when its end has come.
    """

    def __init__(self) -> None:
        self._parts: list[bytes] = []  # of the line that has not ended
        self._size = 0
        self._data: list[str] = []
        self._name = ""
        self._first = True

    def feed(self, data: bytes) -> Iterator[tuple[str, str]]:
        """Name and data of each event that these bytes complete. Raises PromptlintError for an endless line."""
        half = bool(self._parts) and self._parts[-1].endswith(b"\r")  # of a CRLF, perhaps
        if data and (half or b"\n" in data or b"\r" in data):
            *lines, rest = _split(b"".join((*self._parts, data)))
            self._parts, self._size = [rest], len(rest)
            for line in lines:
                yield from self._line(line)
        elif data:
            self._parts.append(data)
            self._size += len(data)
        if self._size > _LONGEST_LINE:
            raise PromptlintError("the server sends a line without an end", "is it an API that streams?")

    def end(self) -> Iterator[tuple[str, str]]:
        """What is left, of a stream that ended without its last blank line."""
        for line in (b"".join(self._parts).rstrip(b"\r"), b""):
            yield from self._line(line)
        self._parts, self._size = [], 0

    def _line(self, raw: bytes) -> Iterator[tuple[str, str]]:
        line = raw.decode("utf-8", "replace")
        if self._first:
            line, self._first = line.removeprefix("\ufeff"), False
        if not line:
            if self._data:
                yield self._name, "\n".join(self._data)
            self._data, self._name = [], ""
            return
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if field == "data":
            self._data.append(value)
        elif field == "event":
            self._name = value


def _split(data: bytes) -> list[bytes]:
    """Lines, and what follows the last. A CR at the very end may be half of a CRLF, so it waits for more."""
    tail = b""
    if data.endswith(b"\r"):
        data, tail = data[:-1], b"\r"
    lines = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
    lines[-1] += tail
    return lines


def events(answer: Answer, until: float = math.inf) -> list[Event]:
    """The events of an answer, `[DONE]` left out; a plain JSON answer is one event without a time.

    `until`: on the monotonic clock. Raises PromptlintError for what is neither, for data that is not JSON, and if
    reading takes longer.
    """
    kind = answer.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind == "application/json" or (not kind and answer.body[:1] == b"{"):
        return [Event(None, "", value_of(answer.text))]
    if kind not in ("text/event-stream", ""):
        raise _unfit(kind)
    lines, found = Lines(), []
    last = 0.0
    for chunk in answer.chunks:
        last = chunk.seconds
        if time.monotonic() > until:
            raise PromptlintError("the answer takes too long to read", "--timeout SECONDS waits longer")
        found += [
            Event(last, name, value_of(data)) for name, data in lines.feed(chunk.data) if data.strip() != "[DONE]"
        ]
    found += [Event(last, name, value_of(data)) for name, data in lines.end() if data.strip() != "[DONE]"]
    if not found:
        raise PromptlintError("the server ended its answer before it began", "its log may say why")
    return found


def value_of(text: str) -> Any:
    """The value of JSON that a server sent. Raises PromptlintError if it is not JSON."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise PromptlintError("the server's answer is not JSON", "is --endpoint the address of an API?") from None


def _unfit(kind: str) -> PromptlintError:
    if kind in ("text/html", "application/xhtml+xml"):
        return PromptlintError("the server answers with a web page", "is --endpoint the address of an API?")
    return PromptlintError(
        f"the server answers with {shown(kind[:60])}, not with JSON", "is --endpoint the address of an API?"
    )
