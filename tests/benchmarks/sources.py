"""CPU time of `promptlint lint` on Python sources, against `ast.parse` of the same files, interleaved.

usage: python tests/benchmarks/sources.py [FOLDER...]        (the standard library; needs the `test` extra)
Target: at most 6 times. Findings are counted, for each is to be judged by hand.
"""

import ast
import os
import sys
import sysconfig
import time
import warnings
from collections.abc import Iterator
from pathlib import Path

from promptlint.commands.lint import lint
from promptlint.commands.lint_settings import LintOptions
from promptlint.errors import PromptlintError

MOST = 6.0
AT_ONCE = 40  # files between two looks at the clock


def sources(folders: list[Path]) -> Iterator[str]:
    """The files in these folders, without tests and what is installed below the standard library."""
    for folder in folders:
        for path in sorted(folder.rglob("*.py")):
            if not {"site-packages", "test", "tests"} & set(path.relative_to(folder).parts):
                yield str(path)


def parsed(paths: list[str]) -> float:
    """CPU seconds that `ast.parse` takes."""
    begun = time.process_time()
    for path in paths:
        try:
            ast.parse(Path(path).read_bytes())
        except (SyntaxError, ValueError):
            continue
    return time.process_time() - begun


def linted(paths: list[str]) -> tuple[float, int]:
    """CPU seconds that `lint` takes, and its findings of severity warning and error."""
    begun = time.process_time()
    try:
        report = lint(paths, LintOptions(cache=False, render=False))
    except PromptlintError as error:
        print(error)
        return time.process_time() - begun, 0
    worse = [finding for finding in report.findings if finding.severity != "info"]
    for finding in worse:
        where = finding.location
        print(f"{where.path}:{where.line}:{where.column}: {finding.severity} {finding.rule}: {finding.message}")
    return time.process_time() - begun, len(worse)


def main(folders: list[str]) -> None:
    warnings.simplefilter("ignore")
    paths = list(sources([Path(one) for one in folders or [sysconfig.get_paths()["stdlib"]]]))
    linted(paths[:1])  # imports
    of_parse, of_lint, found = 0.0, 0.0, 0
    for start in range(0, len(paths), AT_ONCE):
        some = paths[start : start + AT_ONCE]
        of_parse += parsed(some)
        seconds, count = linted(some)
        of_lint, found = of_lint + seconds, found + count
    size = sum(os.path.getsize(path) for path in paths)
    ratio = of_lint / of_parse
    print(f"{len(paths):,} files, {size:,} bytes: {found} findings; ast.parse {of_parse:.2f} s, lint {of_lint:.2f} s")
    print(f"{ratio:.2f} times ast.parse ({'within' if ratio <= MOST else 'MISSES'} {MOST:g})")


if __name__ == "__main__":
    main(sys.argv[1:])
