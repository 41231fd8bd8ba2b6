"""Writers of committed files that are killed, or that write at the same time: `killed_writers.py KIND FOLDER COUNT`.

Run as a process of its own, so that forking it is safe. Prints what became of the file, as JSON. KIND is a key of
WRITERS; "together-" in front of it: eight at once; "naive-" in front: written as one must not, which shows that a torn
file would be noticed.
"""

import io
import json
import os
import random
import select
import signal
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout
from functools import partial
from itertools import count
from pathlib import Path
from typing import NamedTuple

from promptlint import cli, files
from promptlint.gate.lock import NAME, LockedPrompt, LockedRendering, LockedSegment, fingerprint, write_lock
from promptlint.lint import baseline

HOUR = 3600
LONGEST = 0.03  # seconds
CLOCK = "It is {{{{ now() }}}} on day {}.\n"
TEXT = "Quote the number of the order in each answer.\n" * 60


class Writer(NamedTuple):
    """What writes the file `path`; states with other numbers give other contents."""

    path: str
    write: Callable[[int], None]


def lock() -> Writer:
    """A lock of some 160,000 bytes."""

    def prompt(name: str, state: int) -> LockedPrompt:
        texts = [f"{state}/{name}/{number}" for number in range(20)]
        held = tuple(LockedSegment(f"/messages/{n}", fingerprint(text), 50) for n, text in enumerate(texts))
        made = LockedRendering("one", 1000, 500, held, None, 1024)
        return LockedPrompt(name, f"{name}.j2", "openai", "gpt-5", "o200k_base", True, fingerprint("openai"), (made,))

    states = [[prompt(f"p{number}", state) for number in range(100)] for state in range(8)]
    return Writer(NAME, lambda state: write_lock(NAME, states[state]))


def command(path: str, source: str, texts: Sequence[str], *arguments: str) -> Writer:
    """What a command writes about a prompt that is another one each time."""
    Path("promptlint.yaml").write_text(f"prompts: [{{request: {source}, provider: openai, model: gpt-5}}]\n")

    def write(state: int) -> None:
        Path("../prompt").write_text(texts[state])
        os.replace("../prompt", source)
        with redirect_stdout(io.StringIO()):
            if cli.run([*arguments]):
                raise RuntimeError(f"promptlint {' '.join(arguments)} has failed")

    return Writer(path, write)


def lock_write() -> Writer:
    """`promptlint lock write`, of a request of 100 paragraphs."""
    texts = ["\n\n".join(f"Rule {state}/{number}: be kind." for number in range(100)) for state in range(2)]
    requests = [json.dumps({"messages": [{"role": "system", "content": text}]}) for text in texts]
    return command(NAME, "prompt.json", requests, "lock", "write")


def baseline_write() -> Writer:
    """`promptlint baseline write`, of a template with 100 faults."""
    texts = [TEXT + "".join(CLOCK.format(day) for day in range(100 * state, 100 * state + 100)) for state in range(2)]
    return command(baseline.NAME, "prompt.j2", texts, "baseline", "write", ".")


WRITERS = {"lock": lock, "lock_write": lock_write, "baseline_write": baseline_write}


def naive(path: str, data: bytes, **_: object) -> None:
    """Write as one must not."""
    with open(path, "wb") as file:
        file.write(data)


def announced(real: Callable[..., None], pipe: int) -> Callable[..., None]:
    """`real`, which writes a byte into the pipe before it begins."""

    def replaced(*arguments: object, **named: object) -> None:
        os.write(pipe, b".")
        real(*arguments, **named)

    return replaced


def forked(work: Callable[[], None]) -> int:
    """A process that does the work, as a new one would; its exit code is 1 if that fails."""
    if pid := os.fork():
        return pid
    files._swept.clear()
    try:
        work()
    except BaseException as error:
        print(repr(error), file=sys.stderr, flush=True)
        os._exit(1)
    os._exit(0)


def killed(writer: Writer, first: int, delay: float, *, inside: bool) -> bool:
    """Kill a writer `delay` seconds after it began, or after it begins to write the file; whether it lived so long."""
    here, there = os.pipe()

    def work() -> None:
        files.replace_file = announced(files.replace_file, there)
        for number in count(first):
            writer.write(number % 2)

    pid = forked(work)
    os.close(there)
    if inside:
        select.select([here], [], [], 10)  # or it has died
    time.sleep(delay)
    os.kill(pid, signal.SIGKILL)
    os.close(here)
    return os.WIFSIGNALED(os.waitpid(pid, 0)[1])


def seconds(work: Callable[[], None]) -> float:
    """How long it takes, the best of five times."""
    times = []
    for _ in range(5):
        begun = time.perf_counter()
        work()
        times.append(time.perf_counter() - begun)
    return min(times)


def scratch(path: str) -> list[str]:
    """What else stands in the folder, beside the file and what it is made from."""
    return [name for name in os.listdir(".") if name not in (path, "prompt.j2", "prompt.json", "promptlint.yaml")]


def kills(writer: Writer, times: int) -> dict[str, object]:
    """Kill writers at random moments; half of them while they write the file."""
    wholes = contents(writer, 2)
    whole = min(2 * seconds(lambda: writer.write(0)), LONGEST)
    part = min(1.2 * seconds(lambda: files.replace_file("../measured", wholes[0])), LONGEST)
    chance, found, alive = random.Random(0), [], 0
    for number in range(times):
        inside = number % 2 == 0
        delay = chance.uniform(0, part if inside else whole)
        alive += killed(writer, number // 2, delay, inside=inside)
        found.append(Path(writer.path).read_bytes())
        if found[-1] not in wholes:
            Path(writer.path).write_bytes(wholes[0])
    left = scratch(writer.path)
    for name in left:
        os.utime(name, (time.time() - 2 * HOUR,) * 2)
    status = os.waitpid(forked(lambda: writer.write(0)), 0)[1]
    return {
        "killed": alive,
        "torn": sum(data not in wholes for data in found),
        "states": [found.count(data) for data in wholes],
        "scratch": len(left),
        "ours": all(files._SCRATCH.fullmatch(name) for name in left),
        "after": [status, Path(writer.path).read_bytes() == wholes[0], scratch(writer.path)],
    }


def contents(writer: Writer, states: int) -> list[bytes]:
    """The file as each state writes it."""
    found = []
    for state in range(states):
        writer.write(state)
        found.append(Path(writer.path).read_bytes())
    return found


def together(writer: Writer, times: int) -> dict[str, object]:
    """Eight writers at once, each with contents of its own, and a reader."""
    wholes = contents(writer, 8)

    def work(state: int) -> None:
        for _ in range(times):
            writer.write(state)

    running = {forked(partial(work, state)) for state in range(8)}
    codes, found = [], []
    while running:
        found.append(Path(writer.path).read_bytes())
        pid, status = os.waitpid(-1, os.WNOHANG)
        if pid:
            running.remove(pid)
            codes.append(status)
    return {
        "codes": codes,
        "reads": len(found),
        "torn": sum(data not in wholes for data in found),
        "states": len({*found}),
        "scratch": scratch(writer.path),
    }


def main(kind: str, folder: str, times: str) -> None:
    """Print the outcome as JSON."""
    os.chdir(folder)
    *ways, name = kind.split("-")
    if "naive" in ways:
        files.replace_file = naive
    work = together if "together" in ways else kills
    print(json.dumps(work(WRITERS[name](), int(times))))


if __name__ == "__main__":
    main(*sys.argv[1:])
