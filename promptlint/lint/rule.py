"""Rules: a YAML file each in rules/, with Python of the same stem beside it where words are not enough."""

import importlib.util
import os
import sys
from collections.abc import Callable, Iterator
from functools import cache
from types import ModuleType
from typing import Any, Literal, NamedTuple

from promptlint import facts
from promptlint.errors import PromptlintError
from promptlint.finding import Certainty, Severity
from promptlint.lint.edits import Edit
from promptlint.lint.hit import Hit

Scope = Literal["template", "request", "source", "pair"]
SCOPES: tuple[Scope, ...] = ("template", "request", "source", "pair")
Fixable = Literal["safe", "unsafe"]
Check = Callable[[Any], Iterator[Hit]]
Fix = Callable[[Any, Hit], Iterator[Edit]]

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


class RuleFault(PromptlintError):
    """A rule of the user's cannot do its work."""


class Rule(NamedTuple):
    """One rule. Exactly one of `pattern`, `changes` and a Python file decides what it finds."""

    id: str
    cause: str  # a label of data/causes.yaml
    summary: str  # at most 72 characters, lower-case start, no full stop
    severity: Severity
    confidence: Certainty
    scope: Scope
    since: str
    message: str  # plain {name} fields, filled from the values of a hit
    why: str
    fix: str
    references: tuple[str, ...]
    pattern: str | None = None  # a regular expression: found in a cached prefix, a template, a source
    changes: tuple[str, ...] = ()  # scope pair: every change with one of these causes is a hit
    fixable: Fixable | None = None  # its Python file has a `fix`; "safe": the prompt stays the same, byte for byte
    rendered: bool = False  # it looks at what rendering a template shows: without that it does not run
    folder: str | None = None  # where its Python file lies; None: it has none


def built_in() -> tuple[Rule, ...]:
    """The rules that come with promptlint, sorted by id."""
    folder = _built_in_folder()
    coded = {name.removesuffix(".py") for name in os.listdir(folder) if name.endswith(".py")}
    rows = facts.table("rules")
    return tuple(rule_of(name, rows[name], folder if name in coded else None) for name in sorted(rows))


def rule_of(name: str, row: dict[str, Any], folder: str | None) -> Rule:
    """The rule of a checked row."""
    return Rule(
        id=name,
        cause=row["cause"],
        summary=row["summary"],
        severity=row["severity"],
        confidence=row["confidence"],
        scope=row["scope"],
        since=row["since"],
        message=row["message"],
        why=row["why"].strip(),
        fix=" ".join(row["fix"].split()),
        references=tuple(row["references"]),
        pattern=row.get("pattern"),
        changes=tuple(row.get("changes", ())),
        fixable=row.get("fixable"),
        rendered=row.get("rendered", False),
        folder=folder,
    )


def is_built_in(rule: Rule) -> bool:
    """Whether it comes with promptlint."""
    return rule.id in facts.table("rules")


@cache
def check_of(rule: Rule) -> Check:
    """What the rule does with a subject of its scope."""
    if rule.folder is not None:
        check: Check = _module(rule.folder, rule.id).check
        return check
    if rule.changes:
        from promptlint.lint.stock import changes

        return lambda subject: changes(rule, subject)
    from promptlint.lint.stock import pattern

    return lambda subject: pattern(rule, subject)


def fix_of(rule: Rule) -> Fix | None:
    """How what the rule finds is put right; None where it cannot be."""
    if rule.fixable is None or rule.folder is None:
        return None
    fix: Fix = _module(rule.folder, rule.id).fix
    return fix


@cache
def _module(folder: str, name: str) -> ModuleType:
    """The Python file of a rule; its module is known to `sys.modules` before it runs, as dataclasses need."""
    path = os.path.join(folder, f"{name}.py")
    module_name = f"_promptlint_rule_{name.replace('-', '_')}"
    spec = importlib.util.spec_from_file_location(module_name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[module_name] = module
    spec.loader.exec_module(module)
    return module


@cache
def _built_in_folder() -> str:
    """In a wheel the folder lies inside the package; in a checkout beside it."""
    inside = os.path.join(_PACKAGE, "_rules")
    return inside if os.path.isdir(inside) else os.path.join(os.path.dirname(_PACKAGE), "rules")
