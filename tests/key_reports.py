"""What the tests of `promptlint key` share: inputs, and its report as JSON and tables."""

import json
from pathlib import Path
from typing import Any

import jsonschema

from conftest import ROOT
from promptlint.commands.key import EngineOptions
from promptlint.finding import Report
from promptlint.report import write

SCHEMA = jsonschema.Draft202012Validator(
    json.loads((ROOT / "promptlint/schemas/report.schema.json").read_text("utf-8"))
)
FIXTURES = ROOT / "fixtures"
DEMO = FIXTURES / "demo" / "before.json"
VLLM = EngineOptions("vllm==0.33.0", "sha256_cbor", "0", 16)
SEQUENCE = list(range(1, 49))


def as_json(report: Report) -> Any:
    found = json.loads(write(report, "json"))
    SCHEMA.validate(found)
    return found["key"]


def table(report: Report, title: str) -> list[tuple[str | int | None, ...]]:
    return [row for found in report.tables if found.title.startswith(title) for row in found.rows]


def saved(path: Path, value: Any) -> str:
    path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return str(path)


def ids(folder: Path, name: str = "ids.json", tokens: list[int] | None = None, **extra: Any) -> str:
    return saved(folder / name, {"token_ids": SEQUENCE if tokens is None else tokens, "extra": extra})
