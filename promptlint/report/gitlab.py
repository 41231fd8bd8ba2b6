"""The report for GitLab's Code Quality widget: a JSON array, one object a finding."""

import json
from typing import Any

from promptlint.finding import Finding, Report
from promptlint.report.checked import unrendered
from promptlint.report.escape import line
from promptlint.report.findings import exact, fingerprints, relative, told

_SEVERITIES = {"error": "critical", "warning": "major", "info": "info"}


def write(report: Report) -> str:
    """Pure ASCII. What is not certain is one step less severe; findings with equal content have different
    fingerprints, since GitLab shows one of them only."""
    counted = exact(report)
    given = report.findings if report.check is None else (*report.findings, *unrendered(report.check))
    body = [_issue(found, name, counted) for found, name in zip(given, fingerprints(given), strict=True)]
    return json.dumps(body, indent=2, allow_nan=False).replace("##", "#\\u0023") + "\n"


def _issue(found: Finding, fingerprint: str, counted: bool) -> dict[str, Any]:
    where = found.location
    unsure = found.severity == "warning" and found.confidence != "certain"
    return {
        "description": told(found, exact=counted),
        "check_name": line(found.rule),
        "fingerprint": fingerprint,
        "severity": "minor" if unsure else _SEVERITIES[found.severity],
        "location": {
            "path": line(relative(where.path)),
            "lines": {"begin": where.line, "end": max(where.line, found.end_line)},
        },
    }
