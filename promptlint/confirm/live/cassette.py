"""What was sent and answered, in a file: a cassette of VCR in JSON, with the times of the parts of each answer.

A cassette holds prompts and answers, but no key: keys are added by the connection, below it. `promptlint lint` and
`diff` read it like any other recorded traffic.
"""

import json
import os
from typing import Any

from promptlint.confirm.live.calls import Answer, Call, Carrier, Chunk
from promptlint.confirm.live.keys import hidden, holds, kept_whole
from promptlint.errors import PromptlintError
from promptlint.facts.servers import interface
from promptlint.read.names import shown

_LARGEST = 1 << 31  # of sizes, statuses and seconds in a file
_OUR_OWN = ("cache_salt",)  # fields of a body that are drawn anew on each run


class Recording:
    """A carrier whose calls go through another one and are kept; `keep` writes the file."""

    def __init__(self, path: str, inner: Carrier, key: str = "") -> None:
        self.path = path
        self._inner, self._key = inner, key
        self._kept: list[dict[str, Any]] = []
        self.refused = ""
        """Why nothing is written, or ""."""

    def send(self, call: Call) -> Answer:
        """The answer of the other carrier. Raises PromptlintError, and sends nothing, if the key is in the request."""
        refuse_key("\n".join((call.url, call.body, *(value for _, value in call.headers))), self._key)
        answer = self._inner.send(call)
        text = hidden(answer.text, self._key, call.body)
        if not kept_whole(answer, answer.saying(text), self._key):
            self.refused = "not recorded: an answer holds the key in pieces, or where it cannot be hidden"
        self._kept.append(_interaction(call, answer, text, self._key))
        return answer

    def close(self) -> None:
        """Close the other carrier."""
        self._inner.close()

    @property
    def is_paid(self) -> bool:
        """Whether a prompt was answered: that has cost something, and is worth keeping."""
        return any(
            one["request"]["method"] == "POST" and 200 <= one["response"]["status"]["code"] < 300 for one in self._kept
        )

    def keep(self, ended: str = "") -> None:
        """Write the file; `ended`: why it is incomplete. Raises PromptlintError if it cannot or must not be written."""
        if self.refused:
            raise PromptlintError(self.refused, "")
        value = {"version": 1, **({"incomplete": ended} if ended else {}), "interactions": self._kept}
        text = json.dumps(value, ensure_ascii=False, indent=1) + "\n"
        from promptlint.files import replace_file

        try:
            replace_file(self.path, text.encode())
        except (OSError, ValueError) as error:
            said = getattr(error, "strerror", None) or str(error)
            raise PromptlintError(f"{shown(self.path)} cannot be written: {said}") from None


class Replaying:
    """A carrier that answers from a file: each call once, those alike in their order. No connection is made.

    `ended`: why the recording is incomplete, or "".
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._left, self.ended = _read(path)

    def send(self, call: Call) -> Answer:
        """The recorded answer. Raises PromptlintError for a call that the file does not hold."""
        wanted = _likeness(call)
        for index, (likeness, answer) in enumerate(self._left):
            if likeness == wanted:
                del self._left[index]
                return answer
        path = "/" + call.url.split("/", 3)[3]
        raise PromptlintError(
            f"{shown(self._path)} holds no such request to {shown(path)} (any more)",
            "the requests or options are not those that were recorded: delete the file to record anew",
        )

    def close(self) -> None:
        """There is nothing to close."""


def refuse_key(text: str, key: str) -> None:
    """Raise PromptlintError for a request that holds the key: it is recorded as it is sent."""
    if holds(text, key):
        raise PromptlintError(
            "a request holds the key, so the cassette would hold it too; it was not sent",
            "take the key out of the request, or leave out --cassette",
        )


def _interaction(call: Call, answer: Answer, text: str, key: str) -> dict[str, Any]:
    """`text`: of the answer, without the key, and as long as before: the times of parts go by lengths."""
    return {
        "request": {
            "method": call.method,
            "uri": call.url,
            "headers": {name: [value] for name, value in call.headers},
            "body": call.body,
        },
        "response": {
            "status": {"code": answer.status, "message": ""},
            "headers": {name: [hidden(value, key)] for name, value in answer.headers.items()},
            "body": {"string": text},
            "parts": [[round(chunk.seconds, 6), len(chunk.data)] for chunk in answer.chunks],
        },
    }


def _read(path: str) -> tuple[list[tuple[Any, Answer]], str]:
    try:
        with open(path, encoding="utf-8") as file:
            value = json.load(file)
        ended = value.get("incomplete")
        return [_replayed(entry) for entry in value["interactions"]], shown(ended) if isinstance(ended, str) else ""
    except OSError as error:
        raise PromptlintError(f"{shown(path)} cannot be read: {error.strerror}") from None
    except (ValueError, KeyError, TypeError, AttributeError, IndexError, ArithmeticError, RecursionError):
        raise PromptlintError(f"{shown(path)} is no cassette", "delete it to record one") from None


def _replayed(entry: Any) -> tuple[Any, Answer]:
    """Raises TypeError or ValueError for fields of other types."""
    request, response = entry["request"], entry["response"]
    call = Call(request["method"], _text(request["uri"]), _text(request.get("body") or ""))
    data = _text(response["body"]["string"]).encode()
    headers = {name.lower(): _text(values[0]) for name, values in response["headers"].items()}
    return _likeness(call), Answer(_count(response["status"]["code"]), headers, _parts(data, response.get("parts")))


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(value)
    return value


def _count(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= _LARGEST:
        raise ValueError(value)
    return value


def _time(value: Any) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value <= _LARGEST:
        raise ValueError(value)
    return float(value)


def _parts(data: bytes, parts: Any) -> tuple[Chunk, ...]:
    """The answer in its parts; in one, where the lengths do not add up (a file that was edited)."""
    cut = [(_time(seconds), _count(size)) for seconds, size in parts or ()]
    if sum(size for _, size in cut) != len(data):
        return (Chunk(cut[-1][0] if cut else 0.0, data),)
    chunks, start = [], 0
    for seconds, size in cut:
        chunks.append(Chunk(seconds, data[start : start + size]))
        start += size
    return tuple(chunks)


def _likeness(call: Call) -> Any:
    """What two calls must have in common to be the same: not the host, not what is drawn anew on each run."""
    path = call.url.split("/", 3)[3] if call.url.count("/") >= 3 else ""
    if not call.body:
        return call.method, path, None
    body = json.loads(call.body)
    if isinstance(body, dict):
        body = {name: value for name, value in body.items() if name not in _OUR_OWN}
        for asked in (interface("openai").diagnostics, interface("anthropic").diagnostics):
            options = body.get(asked.field)
            if isinstance(options, dict):
                body[asked.field] = {name: value for name, value in options.items() if name != asked.previous}
    return call.method, path, body


def carrier(path: str | None, connect: Any, key: str) -> Carrier:
    """Replays the cassette that is there, records one that is not; without a path, the connection itself."""
    if path is None:
        return _connected(connect)
    if os.path.exists(path):
        return Replaying(path)
    folder = os.path.dirname(path) or os.curdir
    if not os.path.isdir(folder):
        raise PromptlintError(f"{shown(folder)} is no folder", "make it first, or name another --cassette")
    return Recording(path, _connected(connect), key)


def _connected(connect: Any) -> Carrier:
    made: Carrier = connect()
    return made
