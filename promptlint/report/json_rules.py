"""What `promptlint rules` knows, as JSON: every field is written out by hand (schemas/report.schema.json)."""

from typing import Any

from promptlint.lint_facts import RuleFacts
from promptlint.report.secrets import mask

Object = dict[str, Any]


def rule(facts: RuleFacts) -> Object:
    """One rule."""
    return {
        "id": facts.id,
        "cause": facts.cause or None,
        "scope": facts.scope,
        "severity": facts.severity,
        "confidence": facts.confidence,
        "since": facts.since,
        "summary": mask(facts.summary),
        "why": mask(" ".join(facts.why.split())),
        "fix": mask(" ".join(facts.fix.split())),
        "references": list(facts.references),
    }
