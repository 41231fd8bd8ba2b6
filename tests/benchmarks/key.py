"""CPU time of whole `promptlint key` processes on a prompt of a million tokens, against tokenizing it, in one run.

usage: python tests/benchmarks/key.py [ROUNDS]        (5; needs the `test` extra)

The prompt is made of this Python's own library, as in diff.py.
"""

import compileall
import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import promptlint
from diff import PROMPTLINT, library, measure, print_ratio
from official import write_cache

BYTES = 4_300_000  # about a million tokens
BOUND = 1.3
SCRIPT = """
import sys, tiktoken
text = open(sys.argv[1], encoding="utf-8").read()
print(len(tiktoken.get_encoding("o200k_base").encode(text, disallowed_special=())))
"""
KEY = {
    "vllm": ("--engine", "vllm"),
    "vllm, sha256_cbor": ("--engine", "vllm", "--hash", "sha256_cbor"),
    "vllm, --only-hashes": ("--engine", "vllm", "--only-hashes"),
    "vllm, json": ("--engine", "vllm", "--format", "json"),
    "sglang, page 64": ("--engine", "sglang", "--block-size", "64"),
    "sglang, page 1": ("--engine", "sglang"),
    "no engine": (),
}


def main(arguments: Sequence[str]) -> int:
    """Measure, then print the times and how they stand to the target."""
    rounds = int(arguments[0]) if arguments else 5
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "TIKTOKEN_CACHE_DIR": str(Path(folder) / "cache")}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        compileall.compile_dir(Path(promptlint.__file__).parent, quiet=1)  # as an installer does
        times = measure(dict(_commands(Path(folder))), rounds, environment)
    for name, seconds in times.items():
        print(f"{name:24} {seconds * 1000:9.1f} ms CPU")
    print()
    for name in KEY:
        print_ratio(name, times[name] / times["tokenize"], BOUND, at_least=False)
    return 0


def _commands(folder: Path) -> Iterator[tuple[str, Sequence[str]]]:
    write_cache(folder / "cache")
    script, prompt = folder / "script.py", folder / "prompt.txt"
    script.write_text(SCRIPT, "utf-8")
    prompt.write_text(library()[:BYTES], "utf-8")
    yield "tokenize", (sys.executable, str(script), str(prompt))
    for name, options in KEY.items():
        yield name, (*PROMPTLINT, "key", str(prompt), *options)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
