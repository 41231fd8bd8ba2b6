"""What promptlint lint finds in changed lines and did not find there before."""

import os
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cache, partial
from typing import TYPE_CHECKING, NamedTuple

from promptlint.check_facts import Hunk
from promptlint.commands.check.changed import Lines
from promptlint.commands.check.trees import Sides
from promptlint.errors import PromptlintError
from promptlint.finding import Finding

if TYPE_CHECKING:
    from promptlint.commands.lint_settings import Settings

Top = Callable[[str], str | None]


class Fresh(NamedTuple):
    """New findings, and which of them make the verdict a no."""

    findings: tuple[Finding, ...] = ()
    fails: Callable[[Finding], bool] = lambda finding: False


def new_findings(sides: Sides, lines: Lines, top: Top, facts: str | None, rendered: Collection[str]) -> Fresh:
    """The findings of changed files in changed lines, without those that stood there already.

    An edited line keeps its findings: what the same rule found in the lines that these replaced is not new.
    `rendered`: templates that were rendered with their own variables; they are only read.
    """
    from promptlint.commands.lint import SUFFIXES, lint, reaches
    from promptlint.commands.lint_settings import LintOptions, Settings

    paths = [path for path in sorted(sides.touched) if path.lower().endswith(SUFFIXES)]
    if not paths:
        return Fresh()
    options = LintOptions(as_walked=True, facts=facts)
    on_disk = [path for path in paths if _is_on_disk(sides, path)]
    found: list[Finding] = []
    for render in (True, False):
        named = [sides.after.shown(path) for path in on_disk if (path in rendered) != render]
        found += lint(named, options._replace(render=render)).findings if named else ()
    settings = Settings(options)
    found += [each for path in paths if path not in on_disk for each in _of_copy(sides, path, settings)]
    fresh: list[Finding] = []
    before = cache(partial(_before, sides=sides, settings=settings))

    def fails(finding: Finding) -> bool:
        return reaches(finding, settings.config_of(finding.location.path).fail_on)

    for finding in found:
        path = top(finding.location.path)
        hunk = None if path is None else _hunk_of(finding, lines.of(path))
        if path is None or hunk is None or (finding.severity == "info" and not fails(finding)):
            continue
        if path in rendered and finding.confidence != "certain":
            continue  # a guess: that template was rendered
        if not _was_there(finding, hunk, before(path)):
            fresh.append(finding)
    return Fresh(tuple(fresh), fails)


def _is_on_disk(sides: Sides, path: str) -> bool:
    """Whether the file in the project is the one that is checked: what is staged may be another one."""
    shown = sides.after.shown(path)
    if not os.path.isfile(shown):
        return False
    sides.after.fetch((path,))
    there = sides.after.path(path)
    if os.path.realpath(shown) == os.path.realpath(there):
        return True
    with open(shown, "rb") as one, open(there, "rb") as two:
        return one.read() == two.read()


def _of_copy(sides: Sides, path: str, settings: "Settings") -> Iterator[Finding]:
    """The findings of a file that is not in the project as it is checked."""
    shown = sides.after.shown(path)
    sides.after.fetch((path,))
    for finding in _linted(sides.after.path(path), shown, settings):
        if finding.location.path == sides.after.path(path).replace(os.sep, "/"):
            yield finding._replace(location=finding.location._replace(path=shown), related=())


def _linted(path: str, shown: str, settings: "Settings") -> Sequence[Finding]:
    from promptlint.commands.lint_files import lint_file
    from promptlint.commands.lint_met import why_left_alone

    try:
        if why_left_alone(shown) is not None:
            return ()
        return lint_file(path, settings.how_of(shown)).findings
    except PromptlintError:
        return ()


def _hunk_of(finding: Finding, hunks: Sequence[Hunk]) -> Hunk | None:
    """The changed lines in which a finding stands."""
    first, last = finding.location.line, max(finding.location.line, finding.end_line)
    return next(
        (one for one in hunks if one.new_lines and one.new_start <= last and first < one.new_start + one.new_lines),
        None,
    )


def _before(path: str, sides: Sides, settings: "Settings") -> Sequence[Finding]:
    """The findings of a file as it was."""
    old = sides.old(path)
    sides.before.fetch((old,))
    copy = sides.before.path(old)
    return _linted(copy, sides.after.shown(path), settings) if os.path.isfile(copy) else ()


def _was_there(finding: Finding, hunk: Hunk, before: Sequence[Finding]) -> bool:
    return any(
        one.rule == finding.rule
        and (
            hunk.old_start <= one.location.line < hunk.old_start + hunk.old_lines
            or (one.excerpt is not None and one.excerpt == finding.excerpt)
        )
        for one in before
    )
