"""Damage the samples of `fixtures/formats` and compare each with the original: an answer or a refusal, nothing else.

usage: python tests/benchmarks/fuzz.py [COUNT] [FIRST_SEED]        (200,000 from seed 0)
"""

import contextlib
import functools
import json
import multiprocessing
import random
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

from promptlint.commands.diff import diff
from promptlint.errors import PromptlintError
from promptlint.report import write

FORMATS = Path(__file__).resolve().parents[2] / "fixtures" / "formats"
REPORTS = ("text", "concise", "json", "markdown")
BUDGET_S = 5.0  # of CPU, so that a busy machine makes no failure

# Bytes that parsers and terminals trip over.
NASTY = (
    b"\xff", b"\xc3(", b"\xed\xa0\x80", b"\x00", b"\x1b[2J", b"\xef\xbb\xbf", b"\xe2\x80\xae", b"\xe2\x80\xa8", b"\r\n",
    b"\r", b"\\ud800", b"\\udc00\\ud83d", b"\\u0000", b"\\", b'"', b"NaN", b"-Infinity", b"1e999999", b"9" * 400,
    b"1.0", b"-0", b"{", b"}", b"[" * 300, b"]", b",", b":", b"null", b"::error::", b"</script>", b"{{", b"#", b"~1",
    b"e\xcc\x81",
)  # fmt: skip
VALUES: tuple[Any, ...] = (
    None, True, 0, -1, 2.5, 10**40, "", "x", "\u200b", "[]", '{"a": [1]}', "\ud7ff", [], {}, [[]], [None], {"": ""},
    {"type": "text"}, {"type": "text", "text": None}, {"text": 7}, {"role": "user"}, {"role": 3, "content": {}},
    {"type": "ephemeral"}, {"type": "image", "source": {"data": "AAAA"}}, {"name": "t", "input_schema": []},
)  # fmt: skip
KEYS = (
    "messages",
    "content",
    "role",
    "type",
    "text",
    "tools",
    "system",
    "cache_control",
    "input",
    "contents",
    "parts",
    "body",
)


class TooSlow(BaseException):
    """One case ran past its budget."""


@functools.cache
def samples() -> tuple[Path, ...]:
    """Give every sample, sorted."""
    return tuple(sorted(path for path in FORMATS.rglob("*") if path.is_file()))


def sample(seed: int) -> Path:
    """Give the sample that a seed damages."""
    return samples()[seed % len(samples())]


def mutated(seed: int) -> bytes:
    """Give the damaged bytes of one seed."""
    draw = random.Random(seed)
    data = sample(seed).read_bytes()
    for _ in range(draw.choice((1, 1, 1, 2, 3, 8))):
        data = draw.choice(MUTATIONS)(data, draw)
    return data


def failures(seeds: Iterable[int]) -> Iterator[str]:
    """Run cases; give a line with a traceback for each that neither answers nor refuses in time."""
    with tempfile.TemporaryDirectory() as folder, _alarm():
        for seed in seeds:
            fault = _run(seed, Path(folder))
            if fault:
                yield f"seed {seed} ({sample(seed).name}): {fault}"


def _run(seed: int, folder: Path) -> str:
    original = sample(seed)
    damaged = folder / original.name
    damaged.write_bytes(mutated(seed))
    record = f"#{seed % 3}" if original.suffix == ".jsonl" else ""
    signal.setitimer(signal.ITIMER_PROF, BUDGET_S)
    try:
        # Reports are part of the way: they print what is hostile.
        write(diff(f"{original}{record}", f"{damaged}{record}"), REPORTS[seed % len(REPORTS)])
    except PromptlintError as error:
        return "" if error.message and "\n" not in str(error) else f"a refusal of several lines: {error!r}"
    except (Exception, TooSlow):
        return traceback.format_exc(limit=-6)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    return ""


@contextlib.contextmanager
def _alarm() -> Iterator[None]:
    def ring(_signal: int, _frame: FrameType | None) -> None:
        raise TooSlow

    before = signal.signal(signal.SIGPROF, ring)
    try:
        yield
    finally:
        signal.signal(signal.SIGPROF, before)


def _replace_byte(data: bytes, draw: random.Random) -> bytes:
    at = draw.randrange(len(data) + 1)
    return data[:at] + bytes((draw.randrange(256),)) + data[at + 1 :]


def _insert_nasty(data: bytes, draw: random.Random) -> bytes:
    at = draw.randrange(len(data) + 1)
    return data[:at] + draw.choice(NASTY) + data[at:]


def _delete(data: bytes, draw: random.Random) -> bytes:
    at = draw.randrange(len(data) + 1)
    return data[:at] + data[at + draw.choice((1, 2, 10, 100)) :]


def _repeat(data: bytes, draw: random.Random) -> bytes:
    at = draw.randrange(len(data) + 1)
    stretch = data[at : at + draw.choice((1, 5, 50, 400))]
    return data[:at] + stretch * draw.choice((2, 3)) + data[at + len(stretch) :]


def _truncate(data: bytes, draw: random.Random) -> bytes:
    return data[: draw.randrange(len(data) + 1)]


def _encode(data: bytes, draw: random.Random) -> bytes:
    return data.decode("utf-8", "replace").encode(draw.choice(("utf-16", "utf-16-le", "utf-8-sig", "utf-32")))


def _structure(data: bytes, draw: random.Random) -> bytes:
    """Change one value, key or order of a JSON document (of one line of a JSONL); other text is left to the bytes."""
    lines = data.split(b"\n")
    row = draw.randrange(len(lines))
    try:
        value = json.loads(lines[row])
    except ValueError:
        lines, row = [data], 0
        try:
            value = json.loads(data)
        except (ValueError, RecursionError):
            return _insert_nasty(data, draw)
    nodes = list(_containers(value))
    if nodes:
        draw.choice(STRUCTURES)(draw.choice(nodes), draw)
    lines[row] = json.dumps(value, ensure_ascii=draw.random() < 0.5).encode("utf-8", "surrogatepass")
    return b"\n".join(lines)


def _containers(value: Any) -> Iterator[Any]:
    stack = [value]
    while stack:
        node = stack.pop()
        if isinstance(node, dict | list):
            yield node
            stack += node.values() if isinstance(node, dict) else node


def _key(node: Any, draw: random.Random) -> Any:
    keys = list(node) if isinstance(node, dict) else range(len(node))
    return draw.choice(keys) if keys else None


def _set(node: Any, draw: random.Random) -> None:
    key = _key(node, draw)
    if key is not None:
        node[key] = draw.choice(VALUES)


def _remove(node: Any, draw: random.Random) -> None:
    key = _key(node, draw)
    if key is not None:
        del node[key]


def _wrap(node: Any, draw: random.Random) -> None:
    key = _key(node, draw)
    if key is not None:
        node[key] = draw.choice(([node[key]], {"content": node[key]}, json.dumps(node[key])))


def _add(node: Any, draw: random.Random) -> None:
    if isinstance(node, dict):
        node[draw.choice(KEYS)] = draw.choice(VALUES)
    else:
        node.insert(draw.randrange(len(node) + 1), draw.choice(VALUES))


def _shuffle(node: Any, draw: random.Random) -> None:
    if isinstance(node, dict):
        entries = list(node.items())
        draw.shuffle(entries)
        node.clear()
        node.update(entries)
    else:
        draw.shuffle(node)


STRUCTURES: tuple[Callable[[Any, random.Random], None], ...] = (_set, _remove, _wrap, _add, _shuffle)
BYTES = (_replace_byte, _insert_nasty, _delete, _repeat, _truncate, _encode)
# Half of the damage leaves valid JSON, which gets further than broken bytes.
MUTATIONS: tuple[Callable[[bytes, random.Random], bytes], ...] = (*BYTES, *(_structure,) * len(BYTES))


def main(arguments: list[str]) -> int:
    """Run the cases on all cores; print failures and the rate."""
    count, first = [int(argument) for argument in arguments] + [200_000, 0][len(arguments) :]
    parts = [range(at, min(at + 500, first + count)) for at in range(first, first + count, 500)]
    started, found = time.perf_counter(), 0
    with multiprocessing.Pool() as pool:
        for faults in pool.imap_unordered(_listed, parts):
            found += len(faults)
            print(*faults, sep="\n", end="\n" if faults else "", flush=True)
    print(f"{count} mutations of {len(samples())} samples, {found} failures, {time.perf_counter() - started:.0f} s")
    return 1 if found else 0


def _listed(seeds: range) -> list[str]:
    return list(failures(seeds))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
