"""What `promptlint vary` found, as JSON: every field is written out by hand (schemas/report.schema.json)."""

from typing import Any

from promptlint.report.json_side import side
from promptlint.report.secrets import mask
from promptlint.vary_facts import FirstUnit, Row, VaryFacts

Object = dict[str, Any]


def vary(found: VaryFacts) -> Object:
    return {
        **side(found.side),
        "engine": None if found.engine is None else mask(found.engine),
        "block_tokens": found.block_tokens,
        "readable_tokens": found.readable_tokens,
        "variations": [_row(row) for row in found.rows],
    }


def _row(row: Row) -> Object:
    return {
        "name": row.name,
        "group": row.group,
        "does": mask(row.does),
        "outcome": row.outcome,
        "certainty": row.certainty,
        "shared_tokens": row.shared_tokens,
        "usable_tokens": row.usable_tokens,
        "lost_tokens": row.lost_tokens,
        "lost_usd": row.lost_usd,
        "first": None if row.first is None else _first(row.first),
        "why": mask(row.why),
        "cause": row.cause or None,
        "message": mask(row.message),
        "file": None if row.file is None else mask(row.file),
    }


def _first(first: FirstUnit) -> Object:
    return {"unit": first.unit, "index": first.number, "start": first.start}
