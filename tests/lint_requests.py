"""Requests for tests of rules, and what `lint` finds in them."""

import json
import pathlib
from typing import Any

from promptlint.commands.lint import lint
from promptlint.commands.lint_settings import LintOptions
from promptlint.finding import Finding

MARK = {"type": "ephemeral"}
LONG = "The pier attendant reads the tide table and writes the height of the water into the book. " * 60  # 1,100 tokens
LONGER = LONG * 2
QUESTION = {"role": "user", "content": "Is it late?"}


def found(folder: pathlib.Path, value: Any, rule: str, name: str = "request.json") -> list[Finding]:
    """The findings of one rule; `value` is written as JSON, a text as it stands."""
    path = folder / name
    path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    report = lint([str(path)], LintOptions(select=(rule,)))
    assert report.lint is not None
    assert not report.lint.errors
    assert all(finding.rule == rule for finding in report.findings)
    return list(report.findings)


def claude(system: Any, *messages: Any, **fields: Any) -> dict[str, Any]:
    return {
        "model": "claude-opus-5",
        "max_tokens": 9,
        "system": system,
        "messages": list(messages or [QUESTION]),
        **fields,
    }


def gpt(developer: Any, *messages: Any, **fields: Any) -> dict[str, Any]:
    first = {"role": "developer", "content": developer}
    return {"model": "gpt-6.1-sol", "messages": [first, *(messages or [QUESTION])], **fields}


def text(words: str, mark: object = None) -> dict[str, Any]:
    return {"type": "text", "text": words} | ({"cache_control": mark} if mark else {})


def source_at(folder: pathlib.Path, finding: Finding, name: str = "request.json") -> str:
    """What stands in the file where a finding begins."""
    return (folder / name).read_bytes()[finding.location.start :].decode()
