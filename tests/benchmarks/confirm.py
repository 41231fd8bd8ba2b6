"""How long `promptlint confirm A B` takes, against an import of torch, and how steady the ratio is that it prints.

usage: python tests/benchmarks/confirm.py [ROUNDS]        (5; needs torch)

Whole processes in turn. The first line is judged in CPU time: on a busy machine the wall clock of the two says little.
The steadiness is that of the ratio TTFT without reuse / with reuse at 2,048 tokens, over all rounds: the largest and
the smallest against the median.
"""

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from diff import print_ratio

ROOT = Path(__file__).parents[2]
DEMO = tuple(str(ROOT / "fixtures" / "demo" / name) for name in ("before.json", "after.json"))
IMPORT = (sys.executable, "-c", "import torch")
CONFIRM = (str(Path(sys.executable).with_name("promptlint")), "confirm", *DEMO, "--format", "json")


class Cost(NamedTuple):
    """Of one process, in seconds."""

    wall: float
    cpu: float


def main(arguments: Sequence[str]) -> int:
    """Measure in turn, then print times and how they stand to the targets."""
    rounds = int(arguments[0]) if arguments else 5
    imports, runs, reports = [], [], []
    for turn in range(rounds + 1):
        first, _ = run(IMPORT)
        second, text = run(CONFIRM)
        if turn:  # the first of each only brings the files into memory
            imports.append(first)
            runs.append(second)
            reports.append(json.loads(text)["confirm"])
    for name, costs in (("import torch", imports), ("promptlint confirm A B", runs)):
        print(f"{name:24} {middle(costs).cpu:6.2f} s CPU  {middle(costs).wall:6.2f} s wall")
    cost, base = middle(runs), middle(imports)
    print_ratio("whole run / (1.3 import + 1 s), CPU", cost.cpu / (1.3 * base.cpu + 1), 1, False)
    print_ratio("whole run / (1.3 import + 1 s), wall", cost.wall / (1.3 * base.wall + 1), 1, False)
    ratios = [report["ttft_s"]["cold"] / report["ttft_s"]["warm"] for report in reports]
    print("TTFT cold / warm at 2,048:", " ".join(f"{ratio:.1f}" for ratio in ratios), f"({clock(reports)})")
    centre = statistics.median(ratios)
    print_ratio("largest against the median", max(ratios) / centre, 1.2, False)
    print_ratio("smallest against the median", min(ratios) / centre, 0.8, True)
    per_token = [report["tpot_s"]["cold"] / report["tpot_s"]["warm"] for report in reports]
    print(f"TPOT cold / warm: {statistics.median(per_token):.2f}")
    return 0


def clock(reports: Sequence[dict[str, Any]]) -> str:
    """Which clock the times are of."""
    return ", ".join({str(report.get("clock") or "unnamed clock") for report in reports})


def middle(costs: Sequence[Cost]) -> Cost:
    """The median of each figure."""
    return Cost(statistics.median(cost.wall for cost in costs), statistics.median(cost.cpu for cost in costs))


def run(command: Sequence[str]) -> tuple[Cost, str]:
    """What a process cost and printed."""
    start, before = time.perf_counter(), os.times()
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    wall, after = time.perf_counter() - start, os.times()
    used = after.children_user + after.children_system - before.children_user - before.children_system
    return Cost(wall, used), done.stdout


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
