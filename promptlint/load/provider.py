"""Who reads a request: by its format, its model's name, or its blocks."""

import re

from promptlint import facts
from promptlint.load.blocks import Body


def provider_of(format_name: str, body: Body) -> str:
    """A key of data/providers.yaml, or "unknown"."""
    formats = facts.table("formats")
    declared: str = formats["formats"][format_name]["provider"]
    if declared in ("bedrock", "ollama"):  # they serve models of any name
        return declared
    served: str | None = formats["platforms"]["names"].get((body.platform or "").lower())
    if served is not None:
        return served
    if _names_bedrock(body.model):
        return "bedrock"
    named = by_model(body.model)
    if named != "unknown":
        return named
    if not declared.startswith("by-"):
        return declared
    platform = (body.platform or "").lower()
    return body.provider or (platform if platform in facts.table("providers") else "unknown")


def _names_bedrock(model: str | None) -> bool:
    """Whether a model's id is one that only Bedrock gives, such as us.anthropic.claude-… or an ARN."""
    rows = facts.table("models")["names"]["prefixes"]
    patterns = (row["pattern"] for row in rows if row.get("platform") == "bedrock")
    return any(re.match(pattern, (model or "").lower()) for pattern in patterns)


def by_model(model: str | None) -> str:
    """The provider of the longest known prefix of a model's name."""
    name = (model or "").lower()
    rows = [row for row in facts.table("formats")["models"] if name.startswith(row["prefix"])]
    if not rows:
        return "unknown"
    row = max(rows, key=lambda row: len(row["prefix"]))
    local = ":" in name and ":" not in row["prefix"] and "/" not in name  # name:tag is a model that Ollama runs
    return "unknown" if local else str(row["provider"])
