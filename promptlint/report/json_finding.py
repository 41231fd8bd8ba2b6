"""A finding, as every JSON report shows it: every field is written out by hand (schemas/report.schema.json)."""

from typing import Any

from promptlint.finding import Finding
from promptlint.prompt import Location
from promptlint.report.secrets import mask

Object = dict[str, Any]


def finding(found: Finding) -> Object:
    """Strings are as in the input, but secrets are masked."""
    return {
        "rule": found.rule,
        "severity": found.severity,
        "confidence": found.confidence,
        "message": mask(found.message),
        "location": _location(found.location),
        "pointer": pointer(found.pointer),
        "related": [_location(location) for location in found.related],
        "lost_tokens": found.lost_tokens,
        "lost_usd": found.lost_usd,
        "fix": mask(found.fix),
    }


def _location(location: Location) -> Object:
    return {
        "path": mask(location.path),
        "start": location.start,
        "end": location.end,
        "line": location.line,
        "column": location.column,
    }


def pointer(found: str | tuple[str, ...]) -> str | list[str]:
    """A JSON pointer, or several where JSON inside a string is entered."""
    return mask(found) if isinstance(found, str) else [mask(part) for part in found]
