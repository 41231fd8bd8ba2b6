"""The published JSON Schema says what the program does: the same keys, and the same answer to each example."""

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from promptlint.commands.config import config_schema, config_show
from promptlint.config import Config, Pardon, find
from promptlint.config.display import COMMENTED
from promptlint.config.settings import _KEYS, _RULE
from promptlint.errors import PromptlintError
from promptlint.facts.overrides import _MODEL, _PRICES, _PROVIDER, overrides

SCHEMA: dict[str, Any] = json.loads(config_schema())
DEFINITIONS = SCHEMA["$defs"]
UNCOMMENTED = re.sub(r"(?m)^#(?! )|^#(?=  )", "", COMMENTED)
RULE = "{id: a-b, scope: template, pattern: x+, message: '{match}'}"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def test_each_key_is_in_the_schema_and_in_the_program() -> None:
    fields = {name.replace("_", "-") for name in Config._fields} - {"path"}
    assert fields == _KEYS.keys() == SCHEMA["properties"].keys()
    assert DEFINITIONS["rule"]["properties"].keys() == _RULE.keys()
    assert DEFINITIONS["pardon"]["properties"].keys() == {*Pardon._fields}
    assert DEFINITIONS["model"]["properties"].keys() == _MODEL.keys()
    assert DEFINITIONS["prices"]["properties"].keys() == _PRICES.keys()
    assert DEFINITIONS["provider"]["properties"].keys() == _PROVIDER.keys()


def test_the_defaults_of_the_schema_are_those_of_the_program(here: Path) -> None:
    said = json.loads(config_show(".", as_json=True))["settings"]
    described = {key: row["default"] for key, row in SCHEMA["properties"].items() if "default" in row}
    assert described == said


def test_every_key_is_described() -> None:
    rows = [*SCHEMA["properties"].items(), *DEFINITIONS["rule"]["properties"].items()]
    assert [name for name, row in rows if "description" not in row and "$ref" not in row] == []


@pytest.mark.parametrize(
    "text",
    [
        UNCOMMENTED,
        "{}",
        "select: ['*']",
        "per-file-ignores: {a: [], '*.j2': [b-c]}",
        "variables: {a.b: stable, '*': per-session}",
        "suppress: [{path: a, rule: b, reason: ok, pointer: ''}]",
        "suppress: [{path: a, rule: b, reason: 'TODO in March, see the plan'}]",
        "suppress: [{path: a, rule: b, reason: '客户要求', pointer: /a~1b/~0/0}]",
        f"rules: [{RULE}]",
        "rules: [{id: a, scope: request, pattern: x, message: 'a {{brace}}', cause: clock, severity: error, fix: f}]",
        "facts:",
        "facts: {models: {m: {family: claude, minimum: 512, count_factor: 1.5}}}",
        "facts: {prices: {claude-opus-5: [{input: 1, from: 2026-12-01, tiers: [{above: 9, input_times: 2, "
        "output_times: 1.5}]}]}}",
        "facts: {providers: {anthropic: {lookback: 5, lifetimes: [2h], implicit: true}}}",
    ],
)
def test_both_take(text: str, here: Path) -> None:
    (here / "promptlint.yaml").write_text(text, encoding="utf-8")
    assert valid(text)
    if (facts := find(".").facts) is not None:
        overrides(facts, "facts")


@pytest.mark.parametrize(
    "text",
    [
        "[]",
        "selct: []",
        "select: []",
        "select: [A]",
        "select: x",
        "ignore: [a_b]",
        "per-file-ignores: {'': [a]}",
        "per-file-ignores: {a: b}",
        "exclude: ['']",
        "exclude: [1]",
        "respect-gitignore: 'yes'",
        "fail-on: fatal",
        "variables: {a: sometimes}",
        "suppress: [{path: a, rule: b}]",
        "suppress: [{path: a, rule: b, reason: todo}]",
        "suppress: [{path: a, rule: b, reason: ' - By Design.'}]",
        "suppress: [{path: a, rule: b, reason: '12'}]",
        "suppress: [{path: a, rule: b*, reason: why}]",
        "suppress: [{path: a, rule: b, reason: why, pointer: a}]",
        "suppress: [{path: a, rule: b, reason: why, pointer: /~2}]",
        "suppress: [{path: a, rule: b, reason: why, line: 1}]",
        "baseline: ''",
        "model: []",
        f"rules: {RULE}",
        "rules: [{id: a, scope: template, pattern: x}]",
        "rules: [{id: a, scope: pair, pattern: x, message: m}]",
        "rules: [{id: a, scope: template, pattern: x, message: '{what}'}]",
        "rules: [{id: a, scope: template, pattern: x, message: '{'}]",
        "rules: [{id: a, scope: template, pattern: x, message: ' '}]",
        "rules: [{id: a, scope: template, pattern: x, message: m, severity: fatal}]",
        "rules: [{id: a, scope: template, pattern: x, message: m, references: y}]",
        "facts: []",
        "facts: {model: {}}",
        "facts: {models: {claude-opus-5: {minimum: -1}}}",
        "facts: {models: {claude-opus-5: {ttls: ['5']}}}",
        "facts: {prices: {claude-opus-5: {inptu: 1}}}",
        "facts: {prices: {claude-opus-5: {input: '1'}}}",
        "facts: {prices: {claude-opus-5: {input: 1, tiers: [{above: 1}]}}}",
        "facts: {providers: {anthropic: {implicit: 1}}}",
    ],
)
def test_both_refuse(text: str, here: Path) -> None:
    (here / "promptlint.yaml").write_text(text, encoding="utf-8")
    assert not valid(text)
    with pytest.raises(PromptlintError):
        overrides(find(".").facts, "facts")


def valid(text: str) -> bool:
    """As an editor would see it: dates are texts."""
    value = yaml.load(text, Loader=yaml.BaseLoader) if "2026-" in text else yaml.safe_load(text)
    if "2026-" in text:
        value = _numbers(value)
    return bool(jsonschema.Draft202012Validator(SCHEMA).is_valid({} if value is None else value))


def _numbers(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _numbers(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_numbers(item) for item in value]
    return json.loads(value) if re.fullmatch(r"[0-9.]+|true|false", value) else value
