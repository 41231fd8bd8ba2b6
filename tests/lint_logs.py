"""Requests in logs and folders for tests of pair rules, and what these find in them."""

import json
from datetime import datetime
from functools import cache
from typing import Any

from documents import document
from promptlint.commands.lint_files import How
from promptlint.commands.lint_pairs import Pairs
from promptlint.commands.options import Options
from promptlint.errors import PromptlintError
from promptlint.finding import Finding
from promptlint.lint.rule import Rule, built_in
from promptlint.load.several import requests
from promptlint.prompt import Document
from promptlint.render import render
from promptlint.tokens import open_tokenizer

RULES = tuple(rule for rule in built_in() if rule.scope == "pair")
Object = dict[str, Any]


@cache
def reading() -> Options:
    return Options(open_tokenizer(None))


def how(*rules: Rule) -> How:
    return How(rules or RULES, reading(), {}, None, datetime(2026, 5, 3))


def in_log(*sent: Object, name: str = "log.jsonl") -> list[Finding]:
    text = "".join(f"{json.dumps(request, ensure_ascii=False)}\n" for request in sent)
    return in_document(document(text)._replace(path=name))


def in_document(held: Document) -> list[Finding]:
    pairs = Pairs(how())
    for request in requests(held):
        assert not isinstance(request, PromptlintError)
        pairs.add(request, render(request))
    return pairs.findings()


def rules(found: list[Finding]) -> list[str]:
    return [finding.rule for finding in found]


SYSTEM = "You keep the catalogue of a town library and answer at the desk.\n" + "\n".join(
    f"Shelf {number} holds the books of the year {1900 + number}." for number in range(20)
)


def chat(*turns: str, system: str = SYSTEM, **more: Any) -> Object:
    """User and assistant take turns."""
    messages = [{"role": ("user", "assistant")[place % 2], "content": text} for place, text in enumerate(turns)]
    return {"model": "local-model", "messages": [{"role": "system", "content": system}, *messages], **more}


def tool(name: str) -> Object:
    return {"type": "function", "function": {"name": name, "parameters": {"type": "object", "properties": {}}}}
