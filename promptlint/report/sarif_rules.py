"""A rule as a SARIF `reportingDescriptor`."""

from typing import Any

from promptlint.lint_facts import RuleFacts
from promptlint.report.escape import line
from promptlint.report.markdown import words
from promptlint.report.phrases import is_address

LEVELS = {"error": "error", "warning": "warning", "info": "note"}
_PRECISIONS = {"certain": "very-high", "possible": "medium", "unknown": "low"}
_SEVERITIES = {"error": "error", "warning": "warning", "info": "recommendation"}


def descriptor(rule: RuleFacts) -> dict[str, Any]:
    """Its texts, what it is by default, and how sure it is (`precision`, as code scanning sorts)."""
    summary, why, fix = (line(" ".join(text.split())) for text in (rule.summary, rule.why, rule.fix))
    links = [link for link in rule.references if is_address(link)]
    fixed = words(fix or summary)
    return {
        "id": line(rule.id),
        "shortDescription": {"text": prose(summary)},
        "fullDescription": {"text": prose(why or summary)},
        "help": {
            "text": prose(fix or summary),
            "markdown": "\n".join([fixed, *(["", *(f"- <{link}>" for link in links)] if links else [])]),
        },
        **({"helpUri": links[0]} if links else {}),
        "defaultConfiguration": {"level": LEVELS[rule.severity]},
        "properties": {
            "tags": list(dict.fromkeys(filter(None, ("prompt-cache", line(rule.cause), rule.scope)))),
            "precision": _PRECISIONS[rule.confidence],
            "problem.severity": _SEVERITIES[rule.severity],
        },
    }


def prose(visible: str) -> str:
    """Visible text in which a viewer finds neither a placeholder for an argument (`{0}`) nor a link."""
    if "{" in visible:
        import re

        visible = re.sub(r"\{(\d+)\}", r"{{\1}}", visible)
    return visible.replace("](", "]\\u{28}")
