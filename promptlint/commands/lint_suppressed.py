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
    is_prompt: bool = True  # what stands beside its comments reaches a prompt
    may_serve_others: bool = False  # what another file gives may be answered here: nobody can say what is unused


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
    about: list[Finding] = []
    gone: list[Suppressed] = []
    for file in files:
        if "promptlint:" not in file.document.text:
            continue
        here = [each for each in findings if each.location.path == file.document.path]
        found = suppressions(file.document.text, file.comments)
        looked = () if file.may_serve_others else ran
        outcome = applied([(each.rule, each.location.line) for each in here], found, looked, known)
        gone += [
            Suppressed(finding, "comment", reason)
            for finding, reason in zip(here, outcome.reasons, strict=True)
            if reason is not None
        ]
        lost = strays(file.document.text, file.comments, known) if file.is_prompt else ()
        faults = (*outcome.faults, *lost)
        about += [_finding(fault, file.document) for fault in faults if fault.rule in wanted]
    answers = {one.finding for one in gone}
    return [*(one for one in findings if one not in answers), *about], gone


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
