"""Causes and broken budgets as findings, for what shows findings: annotations, SARIF, test reports."""

from collections.abc import Iterable, Iterator

from promptlint.check_facts import CheckCause, CheckedPrompt
from promptlint.finding import Finding, Severity
from promptlint.prompt import Location, SourceByte

_OFTEN = {
    "once": "once, when it is deployed",
    "day": "by the first request of each day",
    "session": "by the first request of each session",
    "request": "by every request",
}
_RANK = {"error": 0, "warning": 1, "info": 2}


def findings_of(prompts: Iterable[CheckedPrompt]) -> tuple[Finding, ...]:
    """One for each cause, and for each broken line of a budget that has none; the worst and dearest first."""
    found = [finding for prompt in prompts for finding in (*_causes(prompt), *_reasons(prompt))]
    return tuple(sorted(found, key=_order))


def _order(found: Finding) -> tuple[object, ...]:
    return _RANK[found.severity], -(found.lost_tokens or 0), found.location.path, found.location.line, found.message


def _causes(prompt: CheckedPrompt) -> Iterator[Finding]:
    for cause in prompt.causes:
        yield Finding(
            rule=cause.cause,
            severity=_severity(prompt, cause),
            confidence=cause.certainty,
            message=f"{prompt.name}: {cause.message}; lost {_OFTEN[cause.often]}",
            location=_location(cause.path, cause.line, cause.column),
            pointer=cause.pointer,
            related=(),
            lost_tokens=cause.lost_tokens,
            lost_usd=None,
            fix=cause.fix if cause.often != "once" else "",
        )


def _severity(prompt: CheckedPrompt, cause: CheckCause) -> Severity:
    if prompt.allowed is not None or prompt.verdict == "pass":
        return "info"
    of_once = {reason.verdict for reason in prompt.reasons if reason.budget == "max-lost-tokens-once"}
    of_each = {reason.verdict for reason in prompt.reasons if reason.budget != "max-lost-tokens-once"}
    verdicts = of_once if cause.often == "once" else of_each
    return "error" if "fail" in verdicts else "warning" if "unknown" in verdicts else "info"


def _reasons(prompt: CheckedPrompt) -> Iterator[Finding]:
    """Those that no cause tells: a share, a growth, dollars."""
    told = {"max-lost-tokens-once"} if any(cause.often == "once" for cause in prompt.causes) else set()
    if any(cause.often != "once" for cause in prompt.causes):
        told |= {"max-lost-tokens-per-request", "refused", "max-usd-per-day"}
    first = prompt.causes[0] if prompt.causes else None
    for reason in prompt.reasons:
        if reason.budget in told:
            continue
        severity: Severity = "error" if reason.verdict == "fail" else "warning"
        yield Finding(
            rule="budget",
            severity="info" if prompt.allowed is not None else severity,
            confidence="certain" if reason.verdict == "fail" else "unknown",
            message=f"{prompt.name}: {reason.budget}: {reason.message}",
            location=_location(first.path, first.line, 1) if first is not None else _location(prompt.path, 1, 1),
            pointer="",
            related=(),
            lost_tokens=None,
            lost_usd=None,
            fix="",
        )


def _location(path: str, line: int, column: int) -> Location:
    return Location(path, SourceByte(0), SourceByte(0), max(line, 1), max(column, 1))
