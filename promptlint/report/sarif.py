"""The report as SARIF 2.1.0, for code scanning. Written by hand: the objects are those of the standard.

Prose is visible text, because viewers print it as it comes; `](`, which would make a link of it, is broken up. Columns
are Unicode code points. What exceeds the limits of GitHub's code scanning is left out, the cheapest first, and said.
"""

import json
from typing import Any

from promptlint import __version__
from promptlint.finding import Finding, Report
from promptlint.lint_facts import LintFacts, Suppressed
from promptlint.prompt import Location
from promptlint.report.escape import line
from promptlint.report.findings import costliest, errors, exact, fingerprints, known_rules, relative, told
from promptlint.report.phrases import pointer
from promptlint.report.sarif_rules import LEVELS, descriptor, prose
from promptlint.report.secrets import mask

Object = dict[str, Any]

_MOST_RESULTS = 25_000
_MOST_LOCATIONS = 1_000  # of one result
_BASE = "%SRCROOT%"
_SAFE = "/-._~!$&'()*+,;=@"  # of a relative reference; a colon would look like a scheme


def write(report: Report) -> str:
    """Pure ASCII, indented by two, keys in a fixed order."""
    body = {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [_run(report)],
    }
    return json.dumps(body, indent=2, allow_nan=False).replace("##", "#\\u0023") + "\n"


def _run(report: Report) -> Object:
    facts = report.lint
    answered = facts.suppressed if facts is not None else ()
    given: list[tuple[Finding, Suppressed | None]] = [(found, None) for found in costliest(report.findings)]
    given += [(each.finding, each) for each in answered]
    names = fingerprints(found for found, _ in given)
    rules = known_rules(report)
    index = {name: number for number, name in enumerate(rules)}
    results, counted = [], exact(report)
    for (found, answer), name in zip(given[:_MOST_RESULTS], names, strict=False):
        result = _result(found, name, index[found.rule], report, counted)
        if answered:  # all results have the property, or none
            result["suppressions"] = [] if answer is None else [_suppression(answer)]
        results.append(result)
    return {
        "tool": {
            "driver": {
                "name": "promptlint",
                "version": __version__,
                "semanticVersion": __version__,
                "rules": [descriptor(rule) for rule in rules.values()],
            }
        },
        "invocations": [_invocation(report, facts, len(given) - len(results))],
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {_BASE: {"description": {"text": "The folder in which promptlint ran."}}},
        "results": results,
    }


def _invocation(report: Report, facts: LintFacts | None, left: int) -> Object:
    failed = errors(report)
    skipped = facts.skipped if facts is not None else ()
    said = [("error", line(error)) for error in failed]
    said += [("note", f"skipped {line(path)}: {line(reason)}") for path, reason in skipped]
    said += [("note", line(note)) for note in report.notes]
    said += [("warning", f"{left:,} more results are left out; the JSON report has all.")] if left else []
    return {
        "executionSuccessful": not failed,
        "toolExecutionNotifications": [{"level": level, "message": {"text": prose(text)}} for level, text in said],
    }


def _result(found: Finding, fingerprint: str, rule: int, report: Report, counted: bool) -> Object:
    properties = {
        "cause": line(found.cause or ("" if report.lint is not None or found.rule == "budget" else found.rule)),
        "confidence": found.confidence,
        "lostTokens": found.lost_tokens,
        "lostUsd": found.lost_usd,
        "fix": line(found.fix),
    }
    return {
        "ruleId": line(found.rule),
        "ruleIndex": rule,
        "level": LEVELS[found.severity],
        "message": {"text": prose(told(found, exact=counted))},
        "locations": [_location(found)],
        **({"relatedLocations": _related(found, report)} if found.related else {}),
        "partialFingerprints": {"promptlintContent/v1": fingerprint},
        "properties": {name: value for name, value in properties.items() if value not in (None, "")},
    }


def _related(found: Finding, report: Report) -> list[Object]:
    role = "The other prompt." if report.diffs else "Belongs to it."
    return [
        {"id": number, "message": {"text": role}, "physicalLocation": _physical(where)}
        for number, where in enumerate(found.related[: _MOST_LOCATIONS - 1], 1)
    ]


def _location(found: Finding) -> Object:
    name = pointer(found.pointer)
    logical = {"logicalLocations": [{"fullyQualifiedName": name, "kind": "value"}]} if name else {}
    end = (found.end_line, found.end_column) if found.end_line else None
    return {"physicalLocation": _physical(found.location, end), **logical}


def _physical(where: Location, end: tuple[int, int] | None = None) -> Object:
    """Without a known end the region is that of the line's rest, and names no bytes. Byte 0 of another line than the
    first means that bytes are not known."""
    region = {"startLine": where.line, "startColumn": where.column}
    if where.end == where.start and (where.start or (where.line, where.column) == (1, 1)):
        end = (where.line, where.column)
    if end is not None:
        region |= {"endLine": end[0], "endColumn": end[1]}
        region |= {"byteOffset": where.start, "byteLength": where.end - where.start}
    return {"artifactLocation": _artifact(where.path), "region": region}


def _artifact(path: str) -> Object:
    from urllib.parse import quote

    name = mask(relative(path))
    if name.startswith("/"):
        return {"uri": "file://" + quote(name, safe=_SAFE, errors="surrogatepass")}
    return {"uri": quote(name, safe=_SAFE, errors="surrogatepass"), "uriBaseId": _BASE}


def _suppression(each: Suppressed) -> Object:
    kind = "inSource" if each.how == "comment" else "external"
    return {"kind": kind, "status": "accepted", "justification": prose(line(each.reason))}
