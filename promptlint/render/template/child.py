"""The process that renders: a template is a program that somebody else wrote, so it runs here, under limits.

Standard input brings one JSON job a line: {"template": {"source", "dialect", "roots"}, or null for the last one,
"variables", "now", "profile"}. Standard output takes the frames of its answer: the text, its origins and the end, or
an error. A text stands even where the process ends before its origins.
"""

import json
import os
import sys
from datetime import datetime
from typing import Any, BinaryIO

from promptlint.render.template import frames, origins, rendering
from promptlint.render.template.limits import MEMORY, limit_job, limit_process

_SHOWN = 500  # characters of a reason


def main() -> None:
    """Answer jobs until standard input ends."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # nothing but frames on the pipe
    limit_process()
    template: rendering.Compiled | None = None
    last: tuple[Any, ...] = ()
    given: dict[str, Any] = {}
    for line in sys.stdin.buffer:
        limit_job()
        try:
            task = json.loads(line)
            given = task["template"] or given
            job = rendering.Job(
                given["source"],
                given["dialect"],
                tuple(given["roots"]),
                task["variables"],
                datetime.fromisoformat(task["now"]),
                task["profile"],
            )
            compiled_for = (job.source, job.dialect, job.roots, job.now, job.profile)
            if template is None or last != compiled_for:
                template, last = rendering.compiled(job), compiled_for
            _answer(answers, job, template)
        except rendering.Failure as failure:
            _report(answers, failure)
        except RecursionError:
            _report(answers, rendering.Failure("its variables are nested too deeply"))
        except MemoryError:
            # What is left may not be enough for another job: this process ends here.
            _report(answers, rendering.Failure(f"it needs more than {MEMORY // 2**20} MiB of memory"), last=True)
            return


def _answer(answers: BinaryIO, job: rendering.Job, template: rendering.Compiled) -> None:
    given = rendering.prepared(job, template)
    text, more = rendering.plain_text(template, given)
    data = text.encode("utf-8", "surrogatepass")
    if len(data) > frames.LARGEST_TEXT:
        raise rendering.too_long()
    frames.write(answers, frames.TEXT, data)
    pieces, followed = rendering.pieces(template, job, given, text)
    for part in origins.told(pieces, template.sources):
        frames.write(answers, frames.ORIGINS, part)
    if len(pieces) > origins.MOST:
        followed.append(f"only the first {origins.MOST:,} origins are given")
    frames.write(answers, frames.END, json.dumps({"notes": [*given.notes, *more, *followed]}).encode())


def _report(answers: BinaryIO, failure: rendering.Failure, last: bool = False) -> None:
    reason = failure.reason if len(failure.reason) <= _SHOWN else failure.reason[:_SHOWN] + "…"
    report = {"template": failure.template, "line": failure.line, "reason": reason, "hint": failure.hint, "last": last}
    frames.write(answers, frames.ERROR, json.dumps(report).encode())
