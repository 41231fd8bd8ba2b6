"""Rules of the user's own from a folder that the command line names: their YAML is checked, and their code runs."""

import os
import re

from promptlint.config import parse_yaml, relative
from promptlint.config.checks import Check, fields, list_of, one_of, text, wrong
from promptlint.config.settings import message_fields, rule_id, search_pattern
from promptlint.errors import PromptlintError
from promptlint.lint.rule import SCOPES, Rule, rule_of
from promptlint.prompt import Json
from promptlint.read.names import shown

_NEEDED = ("summary", "severity", "confidence", "scope", "message")
_ABSENT = {"cause": "text-edited", "since": "", "why": "", "fix": "", "references": ()}


def own_rules(folder: str) -> tuple[Rule, ...]:
    """The rules of a folder, sorted by id. Raises PromptlintError for a folder or a rule that is not in order."""
    try:
        names = sorted(os.listdir(folder))
    except OSError as error:
        raise PromptlintError(f"{shown(folder)}: {error.strerror}", "--rules takes a folder of rules") from None
    folder = os.path.abspath(folder)
    found = [_rule(folder, name.removesuffix(".yaml")) for name in names if name.endswith(".yaml")]
    if not found:
        raise PromptlintError(f"{shown(folder)}: no rule is in it", "a rule is a file ID.yaml: see rules/README.md")
    return tuple(found)


def _rule(folder: str, name: str) -> Rule:
    path = os.path.join(folder, f"{name}.yaml")
    where = shown(relative(path))
    rule_id(name, where)
    row = _ABSENT | fields(parse_yaml(path), where, _KEYS, _NEEDED)
    coded = os.path.isfile(os.path.join(folder, f"{name}.py"))
    if coded + ("pattern" in row) + ("changes" in row) != 1:
        raise PromptlintError(f"{where}: what does it find?", f"give it a pattern, changes, or {name}.py beside it")
    if ("changes" in row and row["scope"] != "pair") or ("pattern" in row and row["scope"] == "pair"):
        raise PromptlintError(f"{where}: changes are found in pairs, patterns in requests and templates")
    return rule_of(name, row, folder if coded else None)


def _message(value: Json, where: str) -> str:
    """A text with plain fields: {name}."""
    found = text(value, where)
    if not all(plain and name.isidentifier() for name, plain in message_fields(found, where)):
        raise wrong(value, where, "a text with plain fields such as {match}")
    return found


def _since(value: Json, where: str) -> str:
    if not isinstance(value, str) or not re.fullmatch(r"[0-9.]*", value):
        raise wrong(value, where, 'a version in quotes such as "1.0"')
    return value


_KEYS: dict[str, Check] = {
    "summary": text,
    "cause": rule_id,
    "severity": one_of("error", "warning", "info"),
    "confidence": one_of("certain", "possible"),
    "scope": one_of(*SCOPES),
    "since": _since,
    "message": _message,
    "why": text,
    "fix": text,
    "references": list_of(text),
    "pattern": search_pattern,
    "changes": list_of(rule_id),
    "fixable": one_of("safe", "unsafe"),
}
