"""CPU time of `promptlint lint`, in one run: whole processes against `python -c pass`, and rules on twice the text.

usage: python tests/benchmarks/lint.py [ROUNDS]        (5; needs the `test` extra)
"""

import compileall
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from pathlib import Path

import promptlint
from conftest import ROOT
from diff import PROMPTLINT, measure, print_ratio
from promptlint.commands.lint_files import How
from promptlint.commands.lint_request import subject_of
from promptlint.commands.lint_template import template_subject
from promptlint.commands.options import Options
from promptlint.errors import PromptlintError
from promptlint.lint.rule import Check, Scope, built_in, check_of
from promptlint.lint.subject import RequestSubject, TemplateSubject
from promptlint.load import load
from promptlint.prompt import Document, SourceByte
from promptlint.tokens import open_tokenizer

HALF = 1_000_000  # characters; the other text has twice as many
LINEAR = 2.5
# What rules look for, or begin to: each is repeated until the text is long enough.
ADVERSARIAL = {
    "digits": "1234567890",
    "hex": "0a1b2c3d-4e5f-",
    "dates": "2026-11-29 ",
    "half a date": "2026-1",
    "months": "November 29, 20",
    "times": "10:15:",
    "letters": "a",
    "words": "today is ",
    "spaces": " ",
    "lines": "a \n",
    "returns": "\r",
    "open holes": "{{",
    "holes": "{{ name }} ",
    "shell": "${a",
    "percent": "%(a",
    "quotes": '"',
    "backticks": "`",
    "brackets": "<a",
    "paths": "/home/a",
    "mail": "a@a.",
    "users": "user: a, ",
    "secret": "sk-abc",
    "key": "AKIA",
    "marks": "e\u0301",
    "invisible": "\u200b",
    "turns": "turn 1 of ",
    "document": "<document>a</document>\n",
    "git": "On branch a\n",
}


def main(arguments: Sequence[str]) -> int:
    """Measure, then print the times and how they stand to the targets."""
    rounds = int(arguments[0]) if arguments else 5
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "PROMPTLINT_CACHE_DIR": str(Path(folder) / "results")}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        for made in (Path(promptlint.__file__).parent, ROOT / "rules"):
            compileall.compile_dir(made, quiet=1)  # as an installer does
        times = measure(dict(_commands(Path(folder))), rounds, environment)
    for name, seconds in times.items():
        print(f"{name:28} {seconds * 1000:9.1f} ms CPU")
    print()
    print_ratio("one template, --no-render", times["template"] / times["pass"], 12, at_least=False)
    print_ratio("300 templates, unchanged", times["300 templates"] / times["pass"], 15, at_least=False)
    print()
    _print_worst("request", _request)
    _print_worst("template", _template)
    return 0


def _commands(folder: Path) -> Iterator[tuple[str, Sequence[str]]]:
    text = (ROOT / "fixtures/demo/support.j2").read_text("utf-8")
    many = folder / "many"
    many.mkdir()
    for number in range(300):
        (many / f"{number}.j2").write_text(text.replace("garden", f"garden {number}"), "utf-8")
    lint = (*PROMPTLINT, "lint", "--exit-zero", "--no-render")
    yield "pass", (sys.executable, "-c", "pass")
    yield "template", (*lint, "--no-cache", str(ROOT / "fixtures/demo/support.j2"))
    yield "request", (*lint, "--no-cache", str(ROOT / "fixtures/demo/before.json"))
    yield "300 templates", (*lint, str(many))


def _print_worst(scope: Scope, subject: Callable[[str], RequestSubject | TemplateSubject | None]) -> None:
    """The largest ratio of each rule, and the text with which it comes about."""
    worst: dict[str, tuple[float, str]] = {}
    for name, piece in ADVERSARIAL.items():
        one, two = (subject(piece * (size // len(piece))) for size in (HALF, 2 * HALF))
        if one is None or two is None:
            continue
        for rule in built_in():
            if rule.scope == scope:
                seconds = [_seconds(check_of(rule), held) for held in (one, two)]
                ratio = seconds[1] / max(seconds[0], 0.02)  # below that, noise
                worst[rule.id] = max(worst.get(rule.id, (0.0, "")), (ratio, f"{name}, {seconds[1] * 1000:.0f} ms"))
    for rule_id, (ratio, text) in sorted(worst.items()):
        print_ratio(f"{rule_id} ({text})", ratio, LINEAR, at_least=False)


def _seconds(check: Check, subject: RequestSubject | TemplateSubject) -> float:
    best = float("inf")
    for _ in range(3):
        start = time.process_time()
        list(check(subject))
        best = min(best, time.process_time() - start)
    return best


def _how() -> How:
    return How((), Options(open_tokenizer(None)), {}, None, datetime(2026, 11, 29))


def _document(text: str, path: str) -> Document:
    return Document(path, None, None, text.encode(), text, "utf-8", SourceByte(0), 1)


def _request(text: str) -> RequestSubject | None:
    text = f"You answer for a shop.\n{text}"
    return subject_of(load(_document(text, "prompt.txt"), input_format="text"), _how().options)


def _template(text: str) -> TemplateSubject | None:
    try:
        return template_subject(_document(text, "prompt.j2"), (), None, _how())
    except PromptlintError:  # it does not parse
        return None


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
