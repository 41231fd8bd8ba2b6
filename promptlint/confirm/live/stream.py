"""Server-sent events, however the network cuts them."""

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from promptlint.confirm.live.calls import Answer
from promptlint.errors import PromptlintError

_LONGEST_LINE = 4 << 20  # bytes


class Event(NamedTuple):
    """One event. `seconds`: since the request went out, when its last line came; None: the answer did not stream."""

    seconds: float | None
    name: str
    value: Any  # of its JSON


class Lines:
    """Bytes -> events, as the standard has them: lines end in LF, CR or CRLF, comments begin with a colon."""

    def __init__(self) -> None:
        self._rest = b""
        self._data: list[str] = []
        self._name = ""
        self._first = True

    def feed(self, data: bytes) -> Iterator[tuple[str, str]]:
        """Name and data of each event that these bytes complete. Raises PromptlintError for an endless line."""
        held = self._rest + data
        *lines, self._rest = _split(held)
        if len(self._rest) > _LONGEST_LINE:
            raise PromptlintError("the server sends a line without an end", "is it an API that streams?")
        for line in lines:
            yield from self._line(line)

    def end(self) -> Iterator[tuple[str, str]]:
        """What is left, of a stream that ended without its last blank line."""
        for line in (self._rest.rstrip(b"\r"), b""):
            yield from self._line(line)
        self._rest = b""

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


def events(answer: Answer) -> list[Event]:
    """The events of an answer, `[DONE]` left out; a plain JSON answer is one event without a time.

    Raises PromptlintError for what is neither, and for data that is not JSON.
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
        f"the server answers with {kind[:60]}, not with JSON", "is --endpoint the address of an API?"
    )
