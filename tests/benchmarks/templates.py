"""CPU time of a rendering with its origins against plain Jinja, in one interleaved run; and what the child costs.

usage: python tests/benchmarks/templates.py [ROUNDS]        (10)

Every real template over a short conversation with tools, and over a session of 400 messages. "tracked" is all that the
origins take: preparation, tracked rendering, audit, and the rows that are sent.
"""

import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from promptlint.render.template import Template, rendering
from promptlint.render.template.origins import told
from promptlint.render.template.process import Renderer
from promptlint.render.template.values import untrack
from real_models import templates
from template_conversations import TOOLS, call, variables

NOW = datetime(2031, 2, 3, 4, 5, 6)
BOUND = 10


def main(arguments: Sequence[str]) -> int:
    """Measure and print."""
    rounds = int(arguments[0]) if arguments else 10
    for conversation, given in (("tools", variables("tools", True)), ("400 messages", session(400))):
        print(f"{'template':40} {'plain':>11} {'tracked':>11} {'ratio':>8}     {conversation}")
        ratios = []
        for name, path in templates().items():
            times = compare(path.read_bytes().decode(), given, rounds)
            if times is not None:
                plain, tracked = times
                ratios.append(tracked / plain)
                print(f"{name:40} {plain * 1e3:8.2f} ms {tracked * 1e3:8.2f} ms {ratios[-1]:6.1f} x")
        met = sum(ratio <= BOUND for ratio in ratios)
        print(f"median {statistics.median(ratios):.1f} x, worst {max(ratios):.1f} x", end=", ")
        print(f"{met} of {len(ratios)} <= {BOUND} x\n")
    for name, run in (("child and first rendering", _start), ("python -c pass", _python)):
        print(f"{name:26} {statistics.median(seconds(run) for _ in range(rounds)) * 1000:.0f} ms wall")
    return 0


def compare(source: str, given: dict[str, Any], rounds: int) -> tuple[float, float] | None:
    """Seconds of both, of the median round; None where the template refuses."""
    job = rendering.Job(source, "chat", (), given, NOW, "transformers")
    template = rendering.compiled(job)
    bare = untrack(rendering.prepared(job, template).variables)
    try:
        text = template.plain.render(bare)
    except Exception:
        return None

    def tracked() -> None:
        ready = rendering.prepared(job, template)
        pieces, notes = rendering.pieces(template, job, ready, text)
        assert pieces
        assert not notes
        list(told(pieces, template.sources))

    times = [
        (seconds(lambda: template.plain.render(bare), time.process_time), seconds(tracked, time.process_time))
        for _ in range(rounds)
    ]
    return statistics.median(one for one, _ in times), statistics.median(other for _, other in times)


def session(messages: int) -> dict[str, Any]:
    """A long session of a coding agent: this library's own source as what its tools answer."""
    source = Path(statistics.__file__).read_text("utf-8")
    turns: list[dict[str, Any]] = [{"role": "system", "content": "You are a coding agent.\n" * 50}]
    for number in range(messages // 4):
        place = number * 900 % (len(source) - 900)
        turns += (
            {"role": "user", "content": f"Look into part {number}, and tell what it does.\n" * 10},
            {
                "role": "assistant",
                "content": "",
                "reasoning_content": "First the file, then its test, then what calls it.\n" * 10,
                "tool_calls": [call({"city": f"path/{number}", "days": number}, number % 1000)],
            },
            {"role": "tool", "content": source[place : place + 900], "tool_call_id": f"callid{number % 1000:03}"},
            {"role": "assistant", "content": "It does what its name says.\n" * 20},
        )
    turns.append({"role": "user", "content": "And now?"})
    return {**variables("tools", True), "messages": turns, "tools": TOOLS * 10}


def seconds(run: Callable[[], object], clock: Callable[[], float] = time.perf_counter) -> float:
    """How long it takes."""
    start = clock()
    run()
    return clock() - start


def _start() -> None:
    with Renderer() as renderer:
        renderer.render(Template("t", "{{ messages }}", "chat"), {"messages": [{"role": "user"}]}, now=NOW)


def _python() -> None:
    subprocess.run([sys.executable, "-c", "pass"], check=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
