"""Requests that chat templates render, and `diff` on two of them."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conftest import ROOT
from promptlint.commands.diff import diff
from promptlint.commands.templates import TemplateOptions
from promptlint.finding import Change, Diff

Message = dict[str, Any]
OURS = ROOT / "fixtures" / "templates"

TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "get_order",
            "description": "Look up one order.",
            "parameters": {"type": "object", "properties": {"order_id": {"type": "string"}}, "required": ["order_id"]},
        },
    }
]
SYSTEM: Message = {"role": "system", "content": "You answer for a shop.\nBe brief."}
ASKED: Message = {"role": "user", "content": "Where is order A-1042?"}
CALLED: Message = {
    "role": "assistant",
    "content": "",
    "reasoning_content": "An order number. I look it up.",
    "tool_calls": [
        {"id": "call00001", "type": "function", "function": {"name": "get_order", "arguments": {"order_id": "A-1042"}}}
    ],
}
RESULT: Message = {"role": "tool", "tool_call_id": "call00001", "name": "get_order", "content": '{"status": "sent"}'}
ANSWERED: Message = {"role": "assistant", "content": "It was sent.", "reasoning_content": "Sent it was."}
THANKED: Message = {"role": "user", "content": "Thanks. And A-1043?"}
LOOP: list[Message] = [SYSTEM, ASKED, CALLED, RESULT]
NEXT: list[Message] = [*LOOP, ANSWERED, THANKED]


Compare = Callable[..., Diff]
"""`compare(a, b, template, other=None, tokenizer=None, **options of templates)`"""


@pytest.fixture
def compare(tmp_path: Path) -> Compare:
    """`compare(a, b, template)`: two requests, or lists of messages, through a template."""

    def run(
        a: Any, b: Any, template: str | Path, other: Path | None = None, *, tokenizer: str | None = None, **more: Any
    ) -> Diff:
        for name, content in (("a.json", a), ("b.json", b)):
            body = content if isinstance(content, dict) else {"model": "m", "messages": content}
            (tmp_path / name).write_text(json.dumps(body, indent=1))
        templates = TemplateOptions(str(template), None if other is None else str(other), **more)
        report = diff(str(tmp_path / "a.json"), str(tmp_path / "b.json"), templates=templates, tokenizer=tokenizer)
        return report.diffs[0]

    return run


def costly(found: Diff) -> list[Change]:
    return [change for change in found.changes if change.severity != "info"]


def with_tools(messages: list[Message]) -> dict[str, Any]:
    return {"model": "m", "messages": messages, "tools": TOOLS}
