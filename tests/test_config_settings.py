"""Settings: what a configuration may say, what is wrong with it in one line, and which rules hold for a file."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import promptlint.config
from promptlint.config import Config, Pardon, beside, find, finder
from promptlint.config.places import pardon_line
from promptlint.config.selection import (
    chosen,
    covers,
    ignored_for,
    refuse_unknown,
    refuse_unknown_rules,
    stability_of,
    within,
)
from promptlint.config.settings import is_reason
from promptlint.errors import PromptlintError

YAML = """\
select: [a-rule, "other-*"]
ignore: [other-one]
per-file-ignores: {"examples/": [a-rule], "*.j2": ["*"]}
exclude: [build, "*.bak"]
respect-gitignore: false
fail-on: info
variables: {user: per-request, "site_*": stable}
suppress:
  - {path: a.json, pointer: /messages/0, rule: a-rule, reason: sent once a day}
  - {path: "b/", rule: a-rule, reason: a test}
baseline: known.json
model: claude-opus-5
tokenizer: o200k_base
rules:
  - {id: ticket, scope: template, pattern: "T-[0-9]+", message: "{match} is new each time"}
"""
TOML = """\
[tool.promptlint]
select = ["a-rule", "other-*"]
ignore = ["other-one"]
exclude = ["build", "*.bak"]
respect-gitignore = false
fail-on = "info"
baseline = "known.json"
model = "claude-opus-5"
tokenizer = "o200k_base"
[tool.promptlint.per-file-ignores]
"examples/" = ["a-rule"]
"*.j2" = ["*"]
[tool.promptlint.variables]
user = "per-request"
"site_*" = "stable"
[[tool.promptlint.suppress]]
path = "a.json"
pointer = "/messages/0"
rule = "a-rule"
reason = "sent once a day"
[[tool.promptlint.suppress]]
path = "b/"
rule = "a-rule"
reason = "a test"
[[tool.promptlint.rules]]
id = "ticket"
scope = "template"
pattern = "T-[0-9]+"
message = "{match} is new each time"
"""
WANTED = Config(
    select=("a-rule", "other-*"),
    ignore=("other-one",),
    per_file_ignores={"examples/": ("a-rule",), "*.j2": ("*",)},
    exclude=("build", "*.bak"),
    respect_gitignore=False,
    fail_on="info",
    variables={"user": "per-request", "site_*": "stable"},
    suppress=(Pardon("a.json", "/messages/0", "a-rule", "sent once a day"), Pardon("b/", None, "a-rule", "a test")),
    baseline="known.json",
    model="claude-opus-5",
    tokenizer="o200k_base",
    rules={
        "ticket": {
            "scope": "template",
            "pattern": "T-[0-9]+",
            "message": "{match} is new each time",
            "summary": "{match} is new each time",
            "cause": "text-edited",
            "severity": "warning",
            "confidence": "possible",
            "since": "",
            "why": "",
            "fix": "",
            "references": (),
        }
    },
)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(("name", "text"), [("promptlint.yaml", YAML), ("pyproject.toml", TOML)])
def test_every_setting_in_both_kinds_of_file(name: str, text: str, here: Path) -> None:
    (here / name).write_text(text)
    assert find(".") == WANTED._replace(path=name)


def test_where_nothing_is_said(here: Path) -> None:
    (here / "promptlint.yaml").write_text("")
    assert find(".") == Config(path="promptlint.yaml")
    assert (Config().select, Config().fail_on, Config().respect_gitignore) == (("*",), "warning", True)


def test_what_holds_below_is_not_added_to_what_holds_above(here: Path) -> None:
    (here / "in").mkdir()
    (here / "promptlint.yaml").write_text("fail-on: error\nexclude: [x]\n")
    (here / "in/promptlint.yaml").write_text("exclude: [y]\n")
    assert find("in/a.j2") == Config(path="in/promptlint.yaml", exclude=("y",))


def test_each_folder_is_looked_into_once(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (here / "a/b").mkdir(parents=True)
    (here / "promptlint.yaml").write_text("fail-on: error\n")
    asked: list[str] = []
    real = promptlint.config.found_in

    def counted(folder: str) -> Config | None:
        asked.append(folder)
        return real(folder)

    monkeypatch.setattr(promptlint.config, "found_in", counted)
    config_of = finder()
    for path in ("a/b/x.j2", "a/b/y.j2", "a/b", "a/z.j2", "w.j2", "-", "HEAD:a/b/x.j2", "no\0file"):
        assert config_of(path).fail_on == "error", path
    assert len(asked) == len(set(asked))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("selct: []", "unknown key selct; did you mean select?"),
        ("per_file_ignores: {}", "unknown key per_file_ignores; did you mean per-file-ignores?"),
        ("select: []", "select: an empty list selects no rule; leave it out"),
        ("select: a-rule", "select: a-rule is not a list"),
        ("ignore: [1]", "ignore.0: 1 is not the id of a rule"),
        ("ignore: [a-rule, A_Rule]", "ignore.1: A_Rule is not the id of a rule"),
        ("per-file-ignores: [a]", "per-file-ignores: a list is not a mapping"),
        ("per-file-ignores: {x: a-rule}", "per-file-ignores.x: a-rule is not a list"),
        ("per-file-ignores: {x: [a, null]}", "per-file-ignores.x.1: nothing is not the id of a rule"),
        ("exclude: [a, ' ']", "exclude.1: an empty text is not a text"),
        ("respect-gitignore: 'no'", "respect-gitignore: no is not true or false"),
        ("fail-on: eror", "fail-on: unknown eror; did you mean error?"),
        ("fail-on: 3", "fail-on: unknown 3; one of error, warning, info, never"),
        ("variables: {user: often}", "variables.user: unknown often; one of stable, per-session, per-request"),
        ("variables: {user: [stable]}", "variables.user: unknown a list"),
        ("suppress: {}", "suppress: a mapping is not a list"),
        ("suppress: [{path: a, rule: b-c}]", "suppress.0: reason is missing; needed are path, rule, reason"),
        ("suppress: [{path: a, rule: b-c, reason: ''}]", "suppress.0.reason: an empty text is not a text"),
        ("suppress: [{path: a, rule: b-c, reason: TODO}]", "suppress.0.reason: TODO is not a reason"),
        ("suppress: [{path: a, rule: b*, reason: why}]", "suppress.0.rule: b* is not the id of a rule"),
        (
            "suppress: [{path: a, rule: b, reason: why, pointer: messages}]",
            "suppress.0.pointer: messages is not a JSON",
        ),
        ("suppress: [{path: a, rule: b, reason: why, pointer: /a~2}]", "suppress.0.pointer: /a~2 is not a JSON"),
        ("suppress: [{pth: a}]", "suppress.0: unknown key pth; did you mean path?"),
        ("baseline: [x]", "baseline: a list is not a text"),
        ("model: true", "model: true is not a text"),
        ("rules: {}", "rules: a mapping is not a list of rules"),
        ("rules: [{id: a}]", "rules.0: scope is missing"),
        ("rules: [{id: A, scope: template, pattern: x, message: m}]", "rules.0.id: A is not the id of a rule"),
        (
            "rules: [{id: a, scope: pair, pattern: x, message: m}]",
            "rules.0.scope: unknown pair; one of template, request",
        ),
        ("rules: [{id: a, scope: request, pattern: '(', message: m}]", "rules.0.pattern: not a regular expression ("),
        (
            "rules: [{id: a, scope: request, pattern: 'x*', message: m}]",
            "rules.0.pattern: it also matches where nothing",
        ),
        ("rules: [{id: a, scope: request, pattern: x, message: '{it}'}]", "rules.0.message: unknown field {it}"),
        (
            "rules: [{id: a, scope: request, pattern: x, message: '{match!r}'}]",
            "rules.0.message: unknown field {match}",
        ),
        ("rules: [{id: a, scope: request, pattern: x, message: '{'}]", "rules.0.message: "),
        (
            "rules: [{id: a, scope: request, changes: [x], message: m}]",
            "rules.0: a rule of your own has a pattern, not",
        ),
        (
            f"rules: [{{id: a, scope: request, pattern: {'x' * 1001}, message: m}}]",
            "rules.0.pattern: a pattern of 1,001",
        ),
        (
            "rules: [{id: a, scope: request, pattern: x, message: m}, {id: a, scope: request, pattern: y, message: m}]",
            "rules.1.id: a is there twice",
        ),
        ("fail-on: [", "promptlint.yaml:1:11: "),
        ("a: &x [*x]", "promptlint.yaml"),
        ("select: [a]\nselect: [b]", "is there twice"),
        ("\x00", "promptlint.yaml"),
        ("\x1b[31m: 1", "promptlint.yaml"),
        ('"\\e[31m": 1', "unknown key \\x1b[31m"),
    ],
)
def test_what_is_wrong_is_said_in_one_line_with_its_place(text: str, message: str, here: Path) -> None:
    (here / "promptlint.yaml").write_text(text)
    with pytest.raises(PromptlintError) as fault:
        find(".")
    assert message in str(fault.value)
    assert str(fault.value).startswith("promptlint.yaml")
    assert str(fault.value).isprintable()


def test_a_place_in_a_table_of_toml(here: Path) -> None:
    (here / "pyproject.toml").write_text('[tool.promptlint.variables]\nuser = "often"\n')
    with pytest.raises(PromptlintError, match=r"^pyproject\.toml: tool\.promptlint\.variables\.user: unknown often; "):
        find(".")


def test_files_that_are_no_text(here: Path) -> None:
    (here / "pyproject.toml").write_bytes(b"promptlint = '\xff'")
    with pytest.raises(PromptlintError, match=r"pyproject\.toml: not TOML"):
        find(".")
    (here / "pyproject.toml").unlink()
    (here / "promptlint.yaml").write_bytes(b"a: \xff")
    with pytest.raises(PromptlintError, match=r"promptlint\.yaml"):
        find(".")


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("sent once a day", True),
        ("ok", True),
        ("客户要求", True),
        ("", False),
        ("--", False),
        ("12", False),
        ("TODO", False),
        ("todo: ", False),
        ("fixme!", False),
        ("todo in March, see the plan", True),
    ],
)
def test_what_is_a_reason(text: str, wanted: bool) -> None:
    assert is_reason(text) is wanted


IDS = ("clock", "marker-limit", "marker-order", "secret")


@pytest.mark.parametrize(
    ("select", "ignore", "wanted"),
    [
        (["*"], [], {"clock", "marker-limit", "marker-order", "secret"}),
        (["marker-*"], [], {"marker-limit", "marker-order"}),
        (["*"], ["marker-*", "clock"], {"secret"}),
        (["clock"], ["clock"], set()),
        (["cloc?"], [], {"clock"}),
        (["marker"], [], set()),
    ],
)
def test_ignore_is_stronger_than_select(select: list[str], ignore: list[str], wanted: set[str]) -> None:
    assert chosen(IDS, select, ignore) == wanted


def test_per_file_ignores_are_about_the_folder_of_the_configuration(here: Path) -> None:
    (here / "in/examples").mkdir(parents=True)
    (here / "examples").mkdir()
    (here / "in/promptlint.yaml").write_text("per-file-ignores: {/examples: [a], '*.j2': [b, c]}\n")
    config = find("in")
    assert ignored_for(config, "in/examples/x.json") == ("a",)
    assert ignored_for(config, "in/examples/x.j2") == ("a", "b", "c")
    assert ignored_for(config, str(here / "in/other/x.j2")) == ("b", "c")
    assert ignored_for(config, "in/other/examples/x.json") == ()
    assert within(config, "in/examples/x.json") == "examples/x.json"
    assert within(config, "-") == "-"


def test_a_later_pattern_takes_nothing_back_from_an_earlier_one() -> None:
    config = Config(per_file_ignores={"*.j2": ("a",), "!x.j2": ("b",)})
    assert ignored_for(config, "x.j2") == ("a",)


def test_patterns_cover_what_is_in_a_folder() -> None:
    assert covers("a/", "a/b/c.json")
    assert covers("*.json", "a/b/c.json")
    assert not covers("a/", "a")
    assert not covers("b.json", "a/b.json.txt")


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("user", "per-request"),
        ("user.name", "per-request"),
        ("user.company", "stable"),
        ("user.company.name", "stable"),
        ("site_name", "stable"),
        ("site_id", "per-session"),
        ("username", None),
        ("", None),
    ],
)
def test_how_often_a_variable_changes(name: str, wanted: str | None) -> None:
    variables: Mapping[str, Any] = {
        "user": "per-request",
        "user.company": "stable",
        "site_*": "stable",
        "site_id": "per-session",
    }
    assert stability_of(name, variables) == wanted


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"select": ("clocks",)}, "c.yaml: select: no rule clocks; did you mean clock?"),
        ({"ignore": ("x*",)}, "c.yaml: ignore: no rule x*; promptlint rules lists them"),
        (
            {"per_file_ignores": {"*.j2": ("secrt",)}},
            "c.yaml: per-file-ignores.*.j2: no rule secrt; did you mean secret?",
        ),
        (
            {"suppress": (Pardon("a", None, "clok", "why"),)},
            "c.yaml: suppress.0.rule: no rule clok; did you mean clock?",
        ),
    ],
)
def test_rules_that_there_are_not(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(PromptlintError) as fault:
        refuse_unknown_rules(Config(path="c.yaml", **settings), IDS)
    assert str(fault.value) == message


def test_rules_that_there_are() -> None:
    refuse_unknown(["*", "mark?r-*", "secret"], IDS, "--select")
    refuse_unknown_rules(Config(path="c.yaml", select=("clock",)), IDS)


def test_paths_that_a_configuration_names(here: Path) -> None:
    (here / "in").mkdir()
    (here / "in/promptlint.yaml").write_text("baseline: known.json\n")
    assert beside(find("in"), "known.json").replace("\\", "/") == "in/known.json"
    assert beside(Config("promptlint.yaml"), "known.json") == "known.json"


@pytest.mark.parametrize(
    ("name", "text", "lines"),
    [
        ("promptlint.yaml", YAML, [9, 10]),
        ("pyproject.toml", TOML, [16, 21]),
        ("pyproject.toml", '[tool.promptlint]\nsuppress = [\n{path="a",rule="b",reason="why"}]\n', [2]),
    ],
)
def test_the_line_of_an_entry_of_suppress(name: str, text: str, lines: list[int], here: Path) -> None:
    (here / name).write_text(text)
    assert [pardon_line(find("."), index) for index in range(len(lines))] == lines
