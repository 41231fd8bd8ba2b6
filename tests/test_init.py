"""`promptlint init` and `promptlint config`: a configuration to begin with, and what holds."""

import json
import re
from pathlib import Path

import jsonschema
import pytest
import yaml

from promptlint.commands.config import config_schema, config_show
from promptlint.commands.init import init
from promptlint.config import Config, find
from promptlint.config.display import COMMENTED
from promptlint.config.settings import _KEYS
from promptlint.errors import PromptlintError

UNCOMMENTED = re.sub(r"(?m)^#(?! )|^#(?=  )", "", COMMENTED)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


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
facts: {prices: {claude-opus-5: {input: 3.10, from: 2026-01-01, write: {5m: 1.5}}}}
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
    jsonschema.Draft202012Validator(json.loads(config_schema())).validate(found["settings"])
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


def test_numbers_of_toml_are_shown_as_yaml_and_json_have_them(here: Path) -> None:
    (here / "pyproject.toml").write_text(
        "[tool.promptlint.facts.models.m]\nfamily = 'claude'\nminimum = 0x200\ncount_factor = +1_0.50e-1\n"
    )
    assert '"minimum": 512, "count_factor": 1.050' in config_show()
    assert json.loads(config_show(as_json=True))["settings"]["facts"]["models"]["m"]["count_factor"] == 1.05


def test_show_checks_facts_too(here: Path) -> None:
    (here / "promptlint.yaml").write_text("facts: {modles: {}}")
    with pytest.raises(PromptlintError, match="did you mean models"):
        config_show()


def test_nothing_that_is_shown_is_obeyed_by_a_runner(here: Path) -> None:
    (here / "promptlint.yaml").write_text("exclude: ['##[error]x', '::error::x']\n")
    for as_json in (False, True):
        text = config_show(as_json=as_json)
        assert "##[" not in text
        assert not any(line.startswith("::") for line in text.splitlines())
    (here / "promptlint.yaml").write_text(config_show())
    assert find(".").exclude == ("##[error]x", "::error::x")
