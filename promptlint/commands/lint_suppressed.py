"""Findings that comments of a file answer, and what is wrong with such comments."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from promptlint.finding import Finding
from promptlint.lint.suppressions import Fault, Range, applied, strays, suppressions
from promptlint.lint_facts import Suppressed
from promptlint.prompt import Document
from promptlint.read.lines import locations


class Commented(NamedTuple):
    """A file with its comments; a template brings others."""

    document: Document
    comments: tuple[Range, ...]


def answered(
    findings: Sequence[Finding],
    files: Sequence[Commented],
    ran: Collection[str],
    known: Collection[str],
    wanted: Collection[str],
) -> tuple[list[Finding], list[Suppressed]]:
    """The findings that are left, with those about the comments themselves that are `wanted`; and those answered.

    `ran`: rules that have looked at these files; `known`: all that there are.
    """
    left, gone = list(findings), []
    for file in files:
        if "promptlint:" not in file.document.text:
            continue
        here = [each for each in left if each.location.path == file.document.path]
        found = suppressions(file.document.text, file.comments)
        outcome = applied([(each.rule, each.location.line) for each in here], found, ran, known)
        for finding, reason in zip(here, outcome.reasons, strict=True):
            if reason is not None:
                left.remove(finding)
                gone.append(Suppressed(finding, "comment", reason))
        faults = (*outcome.faults, *strays(file.document.text, file.comments, known))
        left += [_finding(fault, file.document) for fault in faults if fault.rule in wanted]
    return left, gone


def _finding(fault: Fault, document: Document) -> Finding:
    start, end = fault.range
    here, stop = locations(document, [(start, end), (end, end)])
    low = document.text.rfind("\n", 0, start) + 1
    high = document.text.find("\n", start)
    line = document.text[low : high if high >= 0 else len(document.text)].rstrip("\r")
    return Finding(
        rule=fault.rule,
        severity="warning",
        confidence="certain",
        message=fault.message,
        location=here,
        pointer="",
        related=(),
        lost_tokens=None,
        lost_usd=None,
        fix=fault.fix,
        end_line=stop.line,
        end_column=stop.column,
        excerpt=line,
        mark=(start - low, end - low),
    )
