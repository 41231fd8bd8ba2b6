"""What a configuration says, checked key by key. schemas/config.schema.json says the same for editors."""

import re
from typing import Any

from promptlint.config import Config, Pardon
from promptlint.config.checks import (
    Check,
    fields,
    flag,
    list_of,
    mapping,
    mapping_of,
    one_of,
    text,
    wrong,
)
from promptlint.config.prompts import Allow, Budget, PromptEntry
from promptlint.errors import PromptlintError
from promptlint.prompt import Json
from promptlint.read.names import shown

LONGEST_PATTERN = 1000
"""Characters of a rule's pattern."""

_LETTER = "[A-Za-z\\u0080-\\uffff]"
_NO_REASON = r"[^A-Za-z]*(?:todo|tbd|fixme|xxx|reason|by design|none)[^A-Za-z]*"
"""What stands where a reason should stand, and is none."""


def config_of(value: Json, path: str, where: str) -> Config:
    """The configuration that a file holds; `where` names it in messages. Raises PromptlintError."""
    found = fields(value, where, _KEYS)
    return Config(path, **{key.replace("-", "_"): held for key, held in found.items()})


def is_reason(text: str) -> bool:
    """Whether a text says why: it has letters, and is no word that stands for a reason yet to come."""
    return re.search(_LETTER, text) is not None and re.fullmatch(_NO_REASON, text, re.IGNORECASE | re.ASCII) is None


def _reason(value: Json, where: str) -> str:
    found = text(value, where)
    if not is_reason(found):
        raise wrong(value, where, "a reason: say why the finding may stay")
    return found.strip()


def _selector(value: Json, where: str) -> str:
    if not isinstance(value, str) or not re.fullmatch(r"[a-z0-9*?-]+", value):
        raise wrong(value, where, "the id of a rule such as marker-limit, in which * and ? may stand for others")
    return value


def rule_id(value: Json, where: str) -> str:
    """The id of a rule, or the label of a cause."""
    if not isinstance(value, str) or not re.fullmatch(r"[a-z0-9]+(?:-[a-z0-9]+)*", value):
        raise wrong(value, where, "the id of a rule such as marker-limit")
    return value


def _selectors(value: Json, where: str) -> tuple[str, ...]:
    found: tuple[str, ...] = list_of(_selector)(value, where)
    if not found:
        raise PromptlintError(f"{where}: an empty list selects no rule", 'leave it out, or write ["*"]')
    return found


def _pointer(value: Json, where: str) -> str:
    if not isinstance(value, str) or not re.fullmatch(r"(?:/(?:[^/~]|~[01])*)*", value):
        raise wrong(value, where, "a JSON pointer such as /messages/0/content")
    return value


def _pardon(value: Json, where: str) -> Pardon:
    known: dict[str, Check] = {"path": text, "pointer": _pointer, "rule": rule_id, "reason": _reason}
    found = fields(value, where, known, ("path", "rule", "reason"))
    return Pardon(found["path"], found.get("pointer"), found["rule"], found["reason"])


def search_pattern(value: Json, where: str) -> str:
    """A regular expression that matches some text."""
    found = text(value, where)
    if len(found) > LONGEST_PATTERN:
        raise PromptlintError(f"{where}: a pattern of {len(found):,} characters", f"at most {LONGEST_PATTERN:,}")
    import warnings

    try:
        with warnings.catch_warnings(action="ignore"):
            matches_nothing = re.compile(found).fullmatch("") is not None
    except (re.error, RecursionError, OverflowError) as error:
        raise PromptlintError(f"{where}: not a regular expression ({error})", "correct it") from None
    if matches_nothing:
        raise PromptlintError(f"{where}: it also matches where nothing stands", "write + for *, say")
    return found


def _message(value: Json, where: str) -> str:
    """A text of which only {match} is filled in."""
    found = text(value, where)
    for name, plain in message_fields(found, where):
        if name != "match" or not plain:
            raise PromptlintError(f"{where}: unknown field {{{shown(name)}}}", "there is only {match}")
    return found


def message_fields(message: str, where: str) -> list[tuple[str, bool]]:
    """The fields `{name}` of a message, each with whether it is nothing but the name. Raises PromptlintError."""
    import string

    try:
        parts = [part[1:] for part in string.Formatter().parse(message) if part[1] is not None]
    except ValueError as error:
        raise PromptlintError(f"{where}: {error}", "a brace is written {{ or }}") from None
    return [(str(name), not form and not conversion) for name, form, conversion in parts]


def _rules(value: Json, where: str) -> dict[str, dict[str, Any]]:
    if not isinstance(value, list):
        raise wrong(value, where, "a list of rules")
    found: dict[str, dict[str, Any]] = {}
    for index, item in enumerate(value):
        row = _rule(item, f"{where}.{index}")
        name = row.pop("id")
        if name in found:
            raise PromptlintError(f"{where}.{index}.id: {name} is there twice", "give each rule an id of its own")
        found[name] = row
    return found


def _rule(value: Json, where: str) -> dict[str, Any]:
    """A rule's row as rules/*.yaml has it, with the id; what was left out is filled in."""
    if "changes" in mapping(value, where):
        raise PromptlintError(f"{where}: a rule of your own has a pattern, not changes", "see rules/README.md")
    row = fields(value, where, _RULE, ("id", "scope", "pattern", "message"))
    filled = {
        "cause": "text-edited",
        "summary": row["message"],
        "severity": "warning",
        "confidence": "possible",
        "since": "",
        "why": "",
        "fix": "",
        "references": (),
    }
    return filled | row


def _facts(value: Json, where: str) -> Json:
    return value  # facts/overrides.py checks it where it is used


def _prompts(value: Json, where: str) -> tuple[PromptEntry, ...]:
    from promptlint.config.prompt_settings import prompts_of

    return prompts_of(value, where)


def _budget(value: Json, where: str) -> Budget:
    from promptlint.config.prompt_settings import budget_of

    return budget_of(value, where)


def _allow(value: Json, where: str) -> tuple[Allow, ...]:
    from promptlint.config.prompt_settings import allow_of

    return allow_of(value, where)


_RULE: dict[str, Check] = {
    "id": rule_id,
    "scope": one_of("template", "request"),
    "pattern": search_pattern,
    "message": _message,
    "cause": rule_id,
    "summary": text,
    "severity": one_of("error", "warning", "info"),
    "confidence": one_of("certain", "possible"),
    "since": text,
    "why": text,
    "fix": text,
    "references": list_of(text),
}
_KEYS: dict[str, Check] = {
    "select": _selectors,
    "ignore": list_of(_selector),
    "per-file-ignores": mapping_of(text, list_of(_selector)),
    "exclude": list_of(text),
    "respect-gitignore": flag,
    "fail-on": one_of("error", "warning", "info", "never"),
    "variables": mapping_of(text, one_of("stable", "per-session", "per-request")),
    "suppress": list_of(_pardon),
    "baseline": text,
    "model": text,
    "tokenizer": text,
    "rules": _rules,
    "facts": _facts,
    "prompts": _prompts,
    "budget": _budget,
    "allow": _allow,
}
