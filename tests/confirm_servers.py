"""A server on loopback that answers what a test tells it to, and keeps what it was asked."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from promptlint.commands.confirm.live import LiveOptions, confirm_live
from promptlint.finding import Report

MUCH = Decimal(100)
"""More dollars than a test could spend."""


class Reply(NamedTuple):
    """What is sent back; `parts` one after the other, with a pause between them."""

    parts: tuple[bytes, ...]
    status: int = 200
    kind: str = "text/event-stream"
    headers: tuple[tuple[str, str], ...] = ()
    pause: float = 0.0  # seconds


class Asked(NamedTuple):
    """One request that came."""

    method: str
    path: str
    headers: dict[str, str]
    body: Any


class Fake:
    """Replies in their order; the last one again and again. What has a path of its own stands in `at`."""

    def __init__(self, replies: list[Reply], at: dict[str, Reply]) -> None:
        self.replies, self.at = list(replies), at
        self.asked: list[Asked] = []
        self.address = ""
        self.left = threading.Event()  # whoever asked has gone before the end of an answer

    @property
    def prompts(self) -> list[Asked]:
        """What was asked beside the questions that cost nothing."""
        return [one for one in self.asked if one.method == "POST" and one.path not in self.at]

    def reply(self, asked: Asked) -> Reply:
        self.asked.append(asked)
        if asked.path in self.at:
            return self.at[asked.path]
        if asked.method == "GET":
            return Reply((b"{}",), 404, "application/json")
        return self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]


def events(*values: Any, end: bool = True) -> bytes:
    """A stream of JSON values, as OpenAI has it."""
    rows = [json.dumps(value) for value in values] + (["[DONE]"] if end else [])
    return "".join(f"data: {row}\n\n" for row in rows).encode()


def plain(value: Any, status: int = 200, **more: Any) -> Reply:
    return Reply((json.dumps(value).encode(),), status, "application/json", **more)


def delta(text: str) -> dict[str, Any]:
    return {"id": "c1", "choices": [{"index": 0, "delta": {"content": text}}]}


def chat(prompt: int, cached: int | None, **beside: Any) -> Reply:
    """An answer of two tokens of chat completions."""
    usage: dict[str, Any] = {"prompt_tokens": prompt, "completion_tokens": 2, **beside}
    if cached is not None:
        usage["prompt_tokens_details"] = {"cached_tokens": cached}
    return Reply((events(delta("a")), events(delta("b"), {"id": "c1", "choices": [], "usage": usage})[0:]))


def models(owner: str, name: str = "m") -> Reply:
    return plain({"object": "list", "data": [{"id": name, "owned_by": owner}]})


@contextmanager
def serving(*replies: Reply, at: dict[str, Reply] | None = None) -> Iterator[Fake]:
    """The server, while it runs."""
    fake = Fake(list(replies) or [plain({})], at or {})

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            data = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            self._answer(json.loads(data) if data else None)

        def do_GET(self) -> None:
            self._answer(None)

        def _answer(self, body: Any) -> None:
            headers = {name.lower(): value for name, value in self.headers.items()}
            reply = fake.reply(Asked(self.command, self.path.partition("?")[0], headers, body))
            try:
                self.send_response(reply.status)
                if reply.kind:
                    self.send_header("Content-Type", reply.kind)
                for name, value in reply.headers:
                    self.send_header(name, value)
                self.end_headers()
                for part in reply.parts:
                    self.wfile.write(part)
                    self.wfile.flush()
                    if reply.pause:
                        stop.wait(reply.pause)
            except OSError:
                fake.left.set()

        def log_message(self, format: str, *args: Any) -> None:
            pass

    stop = threading.Event()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    fake.address = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield fake
    finally:
        stop.set()
        server.shutdown()
        server.server_close()
        thread.join()


KEY = "sk-proj-Zq83hTnV02mMdJxW71aa"
SYSTEM = {"role": "system", "content": "Answer in one word. " + "The shop sells tea and cups. " * 40}
A: dict[str, Any] = {"model": "m", "messages": [SYSTEM, {"role": "user", "content": "Name a colour."}]}
_NEXT = [{"role": "assistant", "content": "Red."}, {"role": "user", "content": "And?"}]
B: dict[str, Any] = {"model": "m", "messages": [*A["messages"], *_NEXT]}
VLLM = {
    "/v1/models": models("vllm"),
    "/version": plain({"version": "0.32.0"}),
    "/metrics": Reply((b'vllm:cache_config_info{block_size="16",x="y"} 1.0\n',), kind="text/plain"),
    "/tokenize": plain({"tokens": list(range(400))}),
}


def written(folder: Path, **bodies: Any) -> list[str]:
    paths = [folder / f"{name}.json" for name in bodies]
    for path, body in zip(paths, bodies.values(), strict=True):
        path.write_text(json.dumps(body))
    return [str(path) for path in paths]


def asked(folder: Path, address: str, a: Any = A, b: Any = B, **options: Any) -> Report:
    """The report on two requests; a server that may be a gateway is asked only if an amount is named."""
    one, two = written(folder, a=a, b=b)
    return confirm_live(one, two, LiveOptions(address, **options))


def without_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """No key in the environment, and a proxy that is not there: it must not be asked."""
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "SSL_CERT_FILE", "SSL_CERT_DIR"):
        monkeypatch.delenv(name, raising=False)
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
