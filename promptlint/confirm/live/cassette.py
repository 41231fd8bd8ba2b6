"""What was sent and answered, in a file: a cassette of VCR in JSON, with the times of the parts of each answer.

A cassette holds prompts and answers, but no key: keys are added by the connection, below it. `promptlint lint` and
`diff` read it like any other recorded traffic.
"""

import json
import os
from typing import Any

from promptlint.confirm.live.calls import Answer, Call, Carrier, Chunk, held
from promptlint.errors import PromptlintError
from promptlint.read.names import shown

_OUR_OWN = ("cache_salt",)  # fields of a body that are drawn anew on each run
_BESIDE = ("prompt_cache_options.comparison_response_id", "diagnostics.previous_message_id")


class Recording:
    """A carrier whose calls go through another one and are kept; `keep` writes the file."""

    def __init__(self, path: str, inner: Carrier, key: str = "") -> None:
        self._path, self._inner, self._key = path, inner, key
        self._kept: list[dict[str, Any]] = []

    def send(self, call: Call) -> Answer:
        """The answer of the other carrier."""
        answer = self._inner.send(call)
        self._kept.append(_interaction(call, answer, self._key))
        return answer

    def close(self) -> None:
        """Close the other carrier."""
        self._inner.close()

    def keep(self) -> None:
        """Write the file, once all went well. Raises PromptlintError if it cannot be written."""
        text = json.dumps({"version": 1, "interactions": self._kept}, ensure_ascii=False, indent=1) + "\n"
        from promptlint.files import replace_file

        try:
            replace_file(self._path, text.encode())
        except (OSError, ValueError) as error:
            said = getattr(error, "strerror", None) or str(error)
            raise PromptlintError(f"{shown(self._path)} cannot be written: {said}") from None


class Replaying:
    """A carrier that answers from a file: each call once, those alike in their order. No connection is made."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._left = _read(path)

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


def _interaction(call: Call, answer: Answer, key: str) -> dict[str, Any]:
    def clean(text: str) -> str:
        return text.replace(key, "[key]") if key else text

    return {
        "request": {
            "method": call.method,
            "uri": call.url,
            "headers": {name: [value] for name, value in call.headers},
            "body": clean(call.body),
        },
        "response": {
            "status": {"code": answer.status, "message": ""},
            "headers": {name: [clean(value)] for name, value in answer.headers.items()},
            "body": {"string": clean(answer.text)},
            "parts": [[round(chunk.seconds, 6), len(chunk.data)] for chunk in answer.chunks],
        },
    }


def _read(path: str) -> list[tuple[Any, Answer]]:
    try:
        with open(path, encoding="utf-8") as file:
            value = json.load(file)
        return [_replayed(entry) for entry in value["interactions"]]
    except OSError as error:
        raise PromptlintError(f"{shown(path)} cannot be read: {error.strerror}") from None
    except (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError):
        raise PromptlintError(f"{shown(path)} is no cassette", "delete it to record one") from None


def _replayed(entry: Any) -> tuple[Any, Answer]:
    request, response = entry["request"], entry["response"]
    call = Call(request["method"], request["uri"], request.get("body") or "")
    data = response["body"]["string"].encode()
    headers = {name.lower(): values[0] for name, values in response["headers"].items()}
    return _likeness(call), Answer(int(response["status"]["code"]), headers, _parts(data, response.get("parts")))


def _parts(data: bytes, parts: Any) -> tuple[Chunk, ...]:
    """The answer in its parts; in one, where the lengths do not add up (a file that was edited)."""
    if not parts or sum(size for _, size in parts) != len(data):
        return (Chunk(parts[-1][0] if parts else 0.0, data),)
    chunks, start = [], 0
    for seconds, size in parts:
        chunks.append(Chunk(float(seconds), data[start : start + size]))
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
        for way in _BESIDE:
            outer, inner = way.split(".")
            if isinstance(held(body, outer), dict):
                body[outer] = {name: value for name, value in body[outer].items() if name != inner}
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
