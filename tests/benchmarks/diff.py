"""CPU time of whole `promptlint diff` processes against a json + tiktoken script, in one interleaved run.

The growth from 1 MB to 4 MB is that of the time above an empty run: a diff of two requests of one short message.

usage: python tests/benchmarks/diff.py [ROUNDS]        (5; needs the `test` extra)

The large requests are made of this Python's own library, so every machine has them: about 4 MB and 0.9 million tokens.
"""

import compileall
import json
import os
import statistics
import sys
import sysconfig
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import promptlint
from official import write_cache

LARGE_BYTES = 3_900_000
PROMPTLINT = (str(Path(sys.executable).with_name("promptlint")),)
# The same command on a machine without the optional faster tokenizer.
WITHOUT_FAST = (
    sys.executable,
    "-c",
    "import sys; sys.modules['rs_bpe'] = None; from promptlint.cli import main; main()",
)

# What a careful user writes: parse, render in one pass, tokenize both, compare.
SCRIPT = """
import json, sys, tiktoken
def render(request):
    parts = [json.dumps(request.get("tools", []), ensure_ascii=False, separators=(",", ":"))]
    for message in request["messages"]:
        parts += ("<|im_start|>", message["role"], "\\n", message["content"], "<|im_end|>\\n")
    return "".join(parts)
a, b = (render(json.loads(open(path, "rb").read())) for path in sys.argv[1:])
encoding = tiktoken.get_encoding("o200k_base")
a, b = (encoding.encode(text, disallowed_special=()) for text in (a, b))
first = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
print(len(a), len(b), "first differing token", first, a[first : first + 3], b[first : first + 3])
"""


class Target(NamedTuple):
    """A ratio that DESIGN section 11 asks for."""

    name: str
    of: str
    to: str
    bound: float
    at_least: bool


TARGETS = (
    Target("--first, change at 97 %", "script 97 %", "first 97 %", 15, True),
    Target("full, tiktoken alone, 97 %", "script 97 %", "full, tiktoken 97 %", 1.8, True),
    Target("full, fast tokenizer, 97 %", "script 97 %", "full 97 %", 3.5, True),
    Target("--first, change at 5 %", "script 5 %", "first 5 %", 15, True),
    Target("full, tiktoken alone, 5 %", "script 5 %", "full, tiktoken 5 %", 1.8, True),
    Target("full, fast tokenizer, 5 %", "script 5 %", "full 5 %", 3.5, True),
    Target("--help", "help", "pass", 5, False),
    Target("small full diff with counts", "small", "pass", 12, False),
)


def main(arguments: Sequence[str]) -> int:
    """Measure, then print the times and how they stand to the targets."""
    rounds = int(arguments[0]) if arguments else 5
    with tempfile.TemporaryDirectory() as folder:
        commands = dict(_commands(Path(folder)))
        environment = {**os.environ, "TIKTOKEN_CACHE_DIR": str(Path(folder) / "cache")}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        compileall.compile_dir(Path(promptlint.__file__).parent, quiet=1)  # as an installer does
        times = measure(commands, rounds, environment)
    for name, seconds in times.items():
        print(f"{name:24} {seconds * 1000:9.1f} ms CPU")
    print()
    for target in TARGETS:
        print_ratio(target.name, times[target.of] / times[target.to], target.bound, target.at_least)
    for name in ("full", "full, tiktoken"):
        large, quarter = (times[f"{name} {size}"] - times[f"{name}, empty"] for size in ("97 %", "1 MB"))
        print_ratio(f"4 MB to 1 MB, {name}", large / quarter, 4.6, False)
    return 0


def measure(commands: Mapping[str, Sequence[str]], rounds: int, environment: Mapping[str, str]) -> dict[str, float]:
    """Run each command in turn, `rounds` times after one unmeasured time; give the median CPU seconds of each."""
    times: dict[str, list[float]] = {name: [] for name in commands}
    for turn in range(rounds + 1):
        for name, command in commands.items():
            seconds = _cpu_seconds(command, environment)
            if turn:
                times[name].append(seconds)
    return {name: statistics.median(seconds) for name, seconds in times.items()}


def _cpu_seconds(command: Sequence[str], environment: Mapping[str, str]) -> float:
    quiet = [(os.POSIX_SPAWN_OPEN, stream, os.devnull, os.O_WRONLY, 0) for stream in (1, 2)]
    child = os.posix_spawn(command[0], tuple(command), environment, file_actions=quiet)
    _, status, usage = os.wait4(child, 0)
    if os.waitstatus_to_exitcode(status):
        raise SystemExit(f"failed: {' '.join(command)}")
    return usage.ru_utime + usage.ru_stime


def _commands(folder: Path) -> Iterator[tuple[str, Sequence[str]]]:
    write_cache(folder / "cache")
    script = folder / "script.py"
    script.write_text(SCRIPT, "utf-8")
    for name, share in (("97 %", 0.97), ("5 %", 0.05)):
        pair = _write_pair(folder / name, LARGE_BYTES, share)
        yield f"script {name}", (sys.executable, str(script), *pair)
        yield f"first {name}", (*PROMPTLINT, "diff", "--first", *pair)
        yield f"full {name}", (*PROMPTLINT, "diff", *pair)
        yield f"full, tiktoken {name}", (*WITHOUT_FAST, "diff", *pair)
    quarter = _write_pair(folder / "quarter", LARGE_BYTES // 4, 0.97)
    yield "full 1 MB", (*PROMPTLINT, "diff", *quarter)
    yield "full, tiktoken 1 MB", (*WITHOUT_FAST, "diff", *quarter)
    empty = _write_requests(folder / "empty", *({"messages": [{"role": "user", "content": text}]} for text in "ab"))
    yield "full, empty", (*PROMPTLINT, "diff", *empty)
    yield "full, tiktoken, empty", (*WITHOUT_FAST, "diff", *empty)
    small = _write_pair(folder / "small", 3_000, 0.5)
    yield "small", (*PROMPTLINT, "diff", *small)
    yield "small --first", (*PROMPTLINT, "diff", "--first", *small)
    yield "help", (*PROMPTLINT, "--help")
    yield "pass", (sys.executable, "-c", "pass")


def _write_pair(folder: Path, size: int, share: float) -> tuple[str, str]:
    """Write two chat requests of about `size` bytes whose first change lies at `share` of the messages."""
    messages = list(_messages(size))
    request = {"model": "gpt-4o", "tools": _tools(60 if size > 100_000 else 4), "messages": messages, "temperature": 0}
    at = int(len(messages) * share)
    text = messages[at]["content"]
    changed = {**messages[at], "content": f"{text[:100]} [2026-11-29T10:00:00Z]{text[100:]}"}
    other = {**request, "messages": [*messages[:at], changed, *messages[at + 1 :]]}
    return _write_requests(folder, request, other)


def _write_requests(folder: Path, *requests: dict[str, Any]) -> tuple[str, str]:
    folder.mkdir()
    paths = folder / "a.json", folder / "b.json"
    for path, request in zip(paths, requests, strict=True):
        path.write_bytes(json.dumps(request, ensure_ascii=False).encode())
    return str(paths[0]), str(paths[1])


def _messages(size: int) -> Iterator[dict[str, Any]]:
    """Give messages of 200 to 9,000 characters of library source until they hold `size` bytes."""
    text = library()
    yield {"role": "system", "content": "You are a coding agent.\n" + text[: min(6_000, size // 2)]}
    at, written = 6_000, min(6_000, size // 2)
    for number in range(1, 1 + size):
        if written >= size:
            return
        length = min(200 + number * 2_749 % 8_800, max(200, size // 2))
        role = ("user", "assistant", "tool")[number % 3]
        message = {"role": role, "content": text[at : at + length]}
        yield message | ({"tool_call_id": f"call_{number:06d}"} if role == "tool" else {})
        at, written = at + length, written + length


def library() -> str:
    """Source texts of this Python's own library, several megabytes."""
    folder = Path(sysconfig.get_path("stdlib"))
    files = sorted(
        path for name in ("*.py", "asyncio/*.py", "email/*.py", "idlelib/*.py") for path in folder.glob(name)
    )
    text = "\n".join(path.read_text("utf-8", "replace") for path in files)
    # Some installations carry a smaller library; the same text again is as good for a shared prefix.
    return text * (2 + LARGE_BYTES // len(text))


def _tools(count: int) -> list[dict[str, Any]]:
    names = sorted(name for name in sys.stdlib_module_names if not name.startswith("_"))[:count]
    schema = {"type": "object", "properties": {"name": {"type": "string"}, "depth": {"type": "integer"}}}
    return [
        {"type": "function", "function": {"name": name, "description": f"Explain {name}.", "parameters": schema}}
        for name in names
    ]


def print_ratio(name: str, ratio: float, bound: float, at_least: bool) -> None:
    """One line: a ratio and how it stands to its target."""
    kept = ratio >= bound if at_least else ratio <= bound
    print(f"{name:34} {ratio:7.2f} x   target {'>=' if at_least else '<='} {bound:g} x   {'ok' if kept else 'NOT MET'}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
