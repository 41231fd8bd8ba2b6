"""llama.cpp's own server, which is in the wheel xllamacpp, with one model."""

import json
import os
import subprocess
import sys
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import token_ggufs


class Server(NamedTuple):
    """A server that runs."""

    model: str
    address: str

    def ask(self, path: str, **body: Any) -> Any:
        """The answer to a request; without a body it is a GET."""
        data, headers = json.dumps(body).encode() if body else None, {"Content-Type": "application/json"}
        request = urllib.request.Request(self.address + path, data, headers)
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(request, timeout=60) as response:
            return json.load(response)

    def applied(self, body: Mapping[str, Any]) -> str:
        """The prompt that the server makes of a Chat Completions request."""
        prompt: str = self.ask("/apply-template", **body)["prompt"]
        return prompt


def model(vocabulary: Mapping[str, Any], template: str, *, bos: bool = False) -> bytes:
    own = {"llama.context_length": 4096, "tokenizer.chat_template": template, "tokenizer.ggml.add_bos_token": bos}
    return token_ggufs.loadable({**vocabulary, **own})


def needed() -> None:
    """Skip the test where the wheel is missing, unless it must not be."""
    if os.environ.get("REAL_MODELS") != "required":
        pytest.importorskip("xllamacpp")


@contextmanager
def running(held: bytes, folder: Path) -> Iterator[Server]:
    """A server of this model, whose files are in the folder."""
    path, log = folder / "model.gguf", folder / "log"
    path.write_bytes(held)
    with (
        log.open("w") as errors,
        subprocess.Popen(
            [sys.executable, __file__, str(path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        ) as process,
    ):
        try:
            assert process.stdout is not None
            address = process.stdout.readline().strip()
            assert address.startswith("http"), log.read_text(encoding="utf-8", errors="replace")
            yield Server(str(path), address)
        finally:
            process.kill()


def serve(path: str) -> None:
    """Print the address of a server of the model at `path`, which runs until standard input ends: one a process."""
    import xllamacpp

    parameters = xllamacpp.CommonParams()
    parameters.model.path, parameters.n_ctx, parameters.warmup = path, 4096, False
    parameters.n_parallel, parameters.cache_ram_mib = 1, 0
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = 1
    server = xllamacpp.Server(parameters)
    print(server.listening_address, flush=True)
    sys.stdin.read()
    os._exit(0)


if __name__ == "__main__":
    serve(sys.argv[1])
