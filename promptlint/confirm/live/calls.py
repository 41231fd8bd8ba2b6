"""What is sent to a server, and what comes back: plain data, whoever carries it."""

import json
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple, Protocol

from promptlint.errors import PromptlintError


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
    """A count of tokens, if it is one."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def held(value: Any, *names: str) -> Any:
    """What stands in an object behind these names; None if nothing does."""
    for name in names:
        if not isinstance(value, dict):
            return None
        value = value.get(name)
    return value
