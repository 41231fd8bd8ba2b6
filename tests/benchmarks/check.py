"""CPU time of `promptlint check` over 500 prompts of which 3 changed, in one run against `python -c pass`.

usage: python tests/benchmarks/check.py [ROUNDS]        (5; needs the `test` extra)
"""

import compileall
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import promptlint
from check_projects import RULES, Files, settings, started, template, template_entry, variables, write
from conftest import ROOT
from diff import PROMPTLINT, measure, print_ratio

PROMPTS, CHANGED = 500, (3, 250, 499)
TARGET = 40


def main(arguments: Sequence[str]) -> int:
    """Measure, then print the times and how they stand to the target."""
    rounds = int(arguments[0]) if arguments else 5
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        environment = {**os.environ, "PROMPTLINT_CACHE_DIR": str(folder / "results")}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        for made in (Path(promptlint.__file__).parent, ROOT / "rules"):
            compileall.compile_dir(made, quiet=1)  # as an installer does
        _repository(folder / "project")
        os.chdir(folder / "project")
        times = measure(
            {"pass": [sys.executable, "-c", "pass"], "check": [*PROMPTLINT, "check", "--base", "HEAD"]},
            rounds,
            environment,
        )
        os.chdir(ROOT)
    for command, seconds in times.items():
        print(f"{command:28} {seconds * 1000:9.1f} ms CPU")
    print()
    print_ratio(f"{PROMPTS} prompts, {len(CHANGED)} changed", times["check"] / times["pass"], TARGET, at_least=False)
    return 0


def _repository(folder: Path) -> None:
    """One commit, and changes that are not committed."""
    made = started(folder)
    entry = template_entry(template="prompts/*.j2", name="desk")
    files: Files = {f"prompts/{number:03}.j2": _prompt(number) for number in range(PROMPTS)}
    write(folder, files | variables() | {"promptlint.yaml": settings(entry)})
    made.git("add", "--all")
    made.git("commit", "--quiet", "--message", "all")
    write(folder, {f"prompts/{number:03}.j2": _prompt(number, " at length") for number in CHANGED})


def _prompt(number: int, more: str = "") -> str:
    start = number % len(RULES)
    return template((f"- You are number {number}{more}.", *RULES[start:], *RULES[:start]))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
