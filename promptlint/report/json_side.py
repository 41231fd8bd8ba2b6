"""One input, as every JSON report names it."""

from typing import Any

from promptlint.report.secrets import mask
from promptlint.side import Side


def side(found: Side) -> dict[str, Any]:
    """Its fields, written out by hand (schemas/report.schema.json)."""
    return {
        "path": mask(found.path),
        "revision": found.revision,
        "record": found.record,
        "format": found.format,
        "provider": found.provider,
        "model": found.model,
        "tokenizer": found.tokenizer,
        "exact": found.exact,
        "prompt_bytes": found.prompt_bytes,
        "prompt_tokens": found.prompt_tokens,
    }
