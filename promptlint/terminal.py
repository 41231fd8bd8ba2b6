"""What the terminal can show: progress, columns, colour."""

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager


def progress(what: str, verb: str = "compared") -> Callable[[int, int], None] | None:
    """Says on a terminal how many of them are done, once it has taken a second; wipes that line at the end."""
    if not sys.stderr.isatty():
        return None
    start = time.monotonic()

    def show(done: int, of: int) -> None:
        if time.monotonic() - start > 1:
            sys.stderr.write("\r\x1b[K" if done == of else f"\r{done} of {of} {what} {verb}")
            sys.stderr.flush()

    return show


@contextmanager
def saying() -> Iterator[Callable[[str], None]]:
    """Inside, says on a terminal what is being done, each in the place of the last; wipes that line at the end."""
    if not sys.stderr.isatty():
        yield lambda what: None
        return

    def show(what: str) -> None:
        from promptlint.report.escape import line

        room = max(os.get_terminal_size(sys.stderr.fileno()).columns - 1, 20)
        sys.stderr.write(f"\r\x1b[K{line(what)[:room]}")
        sys.stderr.flush()

    try:
        yield show
    finally:
        show("")


def width() -> int:
    """Columns for text: those of the terminal within reason, 80 elsewhere."""
    if not sys.stdout.isatty():
        return 80
    return max(50, min(os.get_terminal_size(sys.stdout.fileno()).columns, 120))


def colored(choice: str) -> bool:
    """Colour only on a terminal, unless the user or the environment says otherwise."""
    if choice != "auto":
        return choice == "always"
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or sys.stdout.isatty()
