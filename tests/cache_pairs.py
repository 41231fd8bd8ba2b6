"""Two requests and what the second reuses of the first, without minimums unless a test gives one."""

from typing import Any

from documents import rendered
from promptlint.boundary.divergence import shared_chars
from promptlint.cache.reuse import Reuse, left, reuse
from promptlint.cache.rule import Rule
from promptlint.facts.providers import Cache, provider
from promptlint.prompt import Rendered


def rule(name: str = "anthropic", kind: Cache | None = None, **fields: Any) -> Rule:
    row = provider(name)
    return Rule(row, kind or row.cache, **fields)


def reused(a: Rendered, b: Rendered, by: Rule, shared: int | None = None) -> Reuse:
    return reuse(left(a, by, _count), b, shared_chars(a, b) if shared is None else shared, _count)


def _count(chars: int) -> int:
    """A token a character."""
    return chars


def ask(old: dict[str, Any], new: dict[str, Any], by: Rule | None = None) -> tuple[Rendered, Reuse]:
    a, b = rendered(old), rendered(new)
    return a, reused(a, b, by or rule())
