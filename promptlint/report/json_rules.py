"""What `promptlint rules` knows, as JSON: every field is written out by hand (schemas/report.schema.json)."""

from promptlint.lint_facts import RuleFacts
from promptlint.report.json_finding import Object
from promptlint.report.secrets import mask


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
