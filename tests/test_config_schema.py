"""The published JSON Schema says what the program does: the same keys, and the same answer to each example."""

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from promptlint.commands.config import config_schema, config_show
from promptlint.commands.init import init
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
        "provider: []",
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


def test_init_writes_a_configuration_that_says_nothing_and_shows_every_setting(here: Path) -> None:
    assert init() == "promptlint.yaml written; each setting stands in it as a comment\n"
    assert find(".") == Config(path="promptlint.yaml")
    assert yaml.safe_load(UNCOMMENTED).keys() == _KEYS.keys()
    (here / "promptlint.yaml").write_text(UNCOMMENTED)
    plain = Config()
    found = find(".")
    for key in ("select", "ignore", "exclude", "respect_gitignore", "fail_on"):  # what holds then is no example
        assert getattr(found, key) == getattr(plain, key)


def test_init_writes_nothing_over(here: Path) -> None:
    (here / "promptlint.yaml").write_text("fail-on: error\n")
    with pytest.raises(PromptlintError, match=r"^promptlint\.yaml is there already; "):
        init()
    assert (here / "promptlint.yaml").read_text() == "fail-on: error\n"
    (here / "in").mkdir()
    (here / "in/pyproject.toml").write_text("[tool.promptlint]\n")
    with pytest.raises(PromptlintError, match=r"^in/pyproject\.toml configures promptlint already; "):
        init("in")
    assert not (here / "in/promptlint.yaml").exists()


def test_init_follows_no_link(here: Path) -> None:
    (here / "promptlint.yaml").symlink_to("elsewhere")
    with pytest.raises(PromptlintError, match="is there already"):
        init()
    assert not (here / "elsewhere").exists()


def test_init_beside_a_project_file_of_others(here: Path) -> None:
    (here / "pyproject.toml").write_text("[project]\nname = 'promptlint-user'\n")
    init(str(here))
    assert find(".").path == "promptlint.yaml"


def test_init_needs_a_folder(here: Path) -> None:
    (here / "file").write_text("")
    for name in ("file", "gone"):
        with pytest.raises(PromptlintError, match=f"^{name} is no folder"):
            init(name)


SAID = """\
select: [clock, "marker-*"]
fail-on: error
variables: {"na\\tme": stable, "\\U0001F600": per-session, "\\u202e": stable}
suppress: [{path: "a b.json", rule: clock, reason: "it's #1 \\"here\\""}]
rules: [{id: a-b, scope: template, pattern: "x+", message: "{match}", references: ["https://example.com"]}]
facts: {prices: {claude-opus-5: {input: 3.10, from: 2026-01-01, write: {5m: 1.0e+1}}}}
"""


def test_show_prints_what_holds_and_from_where(here: Path) -> None:
    (here / "promptlint.yaml").write_text(SAID, encoding="utf-8")
    (here / "in").mkdir()
    text = config_show("in")
    first, *lines = text.splitlines()
    assert first == "# promptlint.yaml"
    assert "ignore: []  # default" in lines
    assert 'fail-on: "error"' in lines
    assert '"input": 3.10' in text
    assert all(line.isprintable() for line in lines)
    before = find(".")
    (here / "promptlint.yaml").write_text(text, encoding="utf-8")
    assert find(".") == before


def test_show_as_json(here: Path) -> None:
    (here / "promptlint.yaml").write_text(SAID, encoding="utf-8")
    text = config_show("promptlint.yaml", as_json=True)
    assert text.isascii()
    found = json.loads(text)
    assert (found["schema_version"], found["path"], found["settings"]["fail-on"]) == (1, "promptlint.yaml", "error")
    assert found["settings"]["variables"] == {"na\tme": "stable", "\U0001f600": "per-session", "\u202e": "stable"}
    jsonschema.Draft202012Validator(SCHEMA).validate(found["settings"])
    before = find(".")
    (here / "promptlint.yaml").write_text(json.dumps(found["settings"], ensure_ascii=False), encoding="utf-8")
    after = find(".")
    assert before._replace(facts=None) == after._replace(facts=None)


def test_show_without_a_configuration(here: Path) -> None:
    first, *lines = config_show().splitlines()
    assert first == "# no configuration: what promptlint takes for granted"
    assert all(line.endswith("  # default") for line in lines)
    with pytest.raises(PromptlintError, match=r"^gone is not there"):
        config_show("gone")


def test_show_checks_facts_too(here: Path) -> None:
    (here / "promptlint.yaml").write_text("facts: {modles: {}}")
    with pytest.raises(PromptlintError, match="did you mean models"):
        config_show()
