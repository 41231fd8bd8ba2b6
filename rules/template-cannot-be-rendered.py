"""Templates that run into the limits of the process that renders them, or reach out of its sandbox."""

from collections.abc import Iterator

from promptlint.lint.hit import Hit
from promptlint.lint.subject import TemplateSubject
from promptlint.template import SourceRange


def check(subject: TemplateSubject) -> Iterator[Hit]:
    """One hit; a template that only takes no made-up values is none."""
    shown = subject.rendered()
    if shown is None or shown.failure is None:
        return
    lines = subject.template.files[0].text.splitlines(keepends=True)
    line = min(shown.failure.line or 1, max(len(lines), 1))
    start = sum(map(len, lines[: line - 1]))
    end = start + len(lines[line - 1].rstrip()) if lines else 0
    yield Hit(SourceRange(0, start, end), {"reason": shown.failure.reason.rstrip(".")})
