"""`promptlint init` and `promptlint config`: a configuration to begin with, and what holds."""

import json
import os
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from promptlint.commands.config import config_schema, config_show
from promptlint.commands.init import init
from promptlint.config import Config, find
from promptlint.config.display import COMMENTED
from promptlint.config.settings import _KEYS
from promptlint.errors import PromptlintError
from promptlint.prompt import Document
from promptlint.read.sources import read

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


def put(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def uncommented(here: Path) -> Config:
    """The configuration that was written, with every setting in it in force."""
    text = (here / "promptlint.yaml").read_text(encoding="utf-8")
    put(here / "promptlint.yaml", re.sub(r"(?m)^#(?! )|^#(?=  )", "", text))
    return find(str(here))


ANTHROPIC = '{"model": "claude-sonnet-5", "system": "You are kind.", "messages": [{"role": "user", "content": "Hi"}]}'
CHAT = '{"messages": [{"role": "system", "content": "You are kind."}, {"role": "user", "content": "Hi"}]}'


def test_init_names_what_looks_like_a_prompt(here: Path) -> None:
    put(here / "prompts/support.j2", "You are an assistant of {{ shop }}. {{ question }}")
    put(here / "prompts/answer.j2", "You are an assistant. {% include 'parts/tone.j2' %} {{ question }}")
    put(here / "prompts/parts/tone.j2", "Be kind.")
    put(here / "vars/one.yaml", "shop: Tea\nquestion: Where?\n")
    put(here / "vars/two.json", '[{"shop": "Tea", "question": "Who?"}, {"question": "When?", "shop": "Ink"}]')
    put(here / "vars/three.yaml", "shop: Tea\n")
    put(here / "other/letter.j2", "You are a writer. {{ address }}")
    put(here / "other/letter.yaml", "address: Here\n")
    put(here / "other/note.j2", "You are a writer. {{ weather }}")
    put(here / "agents/a.jinja", "You are an expert.")
    put(here / "agents/b.jinja", "You are an agent.")
    put(here / "site/page.j2", "<html><body><p>{{ question }}</p></body></html>")
    put(here / "site/row.j2", "{% extends 'page.j2' %}<table><tr><td>{{ a }}</td></tr></table>")
    put(here / "deploy/nginx.conf.j2", "server { listen {{ port }}; }")
    put(here / "requests/a.json", ANTHROPIC)
    put(here / "requests/b.json", ANTHROPIC)
    put(here / "mixed/a.json", ANTHROPIC)
    put(here / "mixed/b.json", ANTHROPIC)
    put(here / "mixed/package.json", '{"name": "x"}')
    put(here / "chats/a.json", CHAT)
    put(here / "model/tokenizer_config.json", '{"chat_template": "{% for m in messages %}{{ m.role }}{% endfor %}"}')
    put(here / "logs/monday.jsonl", f"{ANTHROPIC}\n{ANTHROPIC}\n")
    put(here / "logs/plain.jsonl", '{"level": "info"}\n')
    put(here / "evals/promptfooconfig.yaml", "prompts: ['Answer: {{q}}']\nproviders: [openai:gpt-5]\n")
    text = init()
    assert text == (
        "promptlint.yaml written; each setting stands in it as a comment, and 14 files that look like prompts\n"
    )
    assert find(".") == Config(path="promptlint.yaml")
    found = {entry.paths: entry for entry in uncommented(here).prompts}
    assert {paths: entry.kind for paths, entry in found.items()} == {
        ("prompts/*.j2",): "template",
        ("other/letter.j2",): "template",
        ("other/note.j2",): "template",
        ("agents/*.jinja",): "template",
        ("requests/*.json",): "request",
        ("mixed/a.json", "mixed/b.json"): "request",
        ("chats/a.json",): "request",
        ("logs/monday.jsonl",): "recorded",
        ("evals/promptfooconfig.yaml",): "promptfoo",
    }
    assert found["prompts/*.j2",].vars == ("vars/one.yaml", "vars/two.json")  # the third gives no question
    assert found["other/letter.j2",].vars == ("other/letter.yaml",)
    assert found["other/note.j2",].vars == ()
    assert found["chats/a.json",].chat_template == "model/tokenizer_config.json"
    assert found["requests/*.json",].chat_template is None
    written = (here / "promptlint.yaml").read_text(encoding="utf-8")
    assert "# 2 Jinja templates, among them a Jinja template with question\n" in written
    assert "# a Jinja template with weather\n" in written


def test_init_does_not_look_into_what_is_not_of_the_project(here: Path) -> None:
    for folder in (".git", "node_modules/x", ".venv/lib", "venv/lib", "ours/vendor", "ignored", "site-packages/y"):
        put(here / folder / "a.j2", "You are an assistant.")
    put(here / ".gitignore", "ignored/\n")
    (here / ".git/objects").mkdir()
    assert init() == "promptlint.yaml written; each setting stands in it as a comment\n"


def test_init_and_names_of_files_that_mean_something_in_yaml(here: Path) -> None:
    names = [
        "a: b.j2",
        "*.j2",
        "it's #1.j2",
        "- x.j2",
        '"q".j2',
        "back\\slash.j2",
        "\u202e.j2",
        "\U0001f600.j2",
    ]
    names = [*names, "new\nline.j2", "[a].j2", "{b}.j2", "a, b.j2", "1.5.j2"]
    for number, name in enumerate(names):
        put(here / f"{number}" / name, "You are an assistant.")
    put(here / "x # y/a.j2", "You are an assistant.")
    put(here / "x # y/b.j2", "You are an assistant.")
    init()
    wanted = {(f"{number}/{name}",) for number, name in enumerate(names)} | {("x # y/*.j2",)}
    assert {entry.paths for entry in uncommented(here).prompts} == wanted


def test_init_passes_over_what_cannot_be_read(here: Path) -> None:
    (here / "prompts").mkdir()
    (here / "prompts/bytes.j2").write_bytes(b"You are \xff")
    (here / "prompts/bytes.json").write_bytes(b'{"messages": "\xff"}')
    put(here / "prompts/broken.j2", "You are an assistant. {% if %}")
    put(here / "prompts/deep.json", '{"messages": ' + "[" * 5000 + "]" * 5000 + "}")
    put(here / "prompts/deep.j2", "You are an assistant. {{ " + "(" * 5000 + ")" * 5000 + " }}")
    put(here / "prompts/log.jsonl", "{")
    put(here / "prompts/vars.yaml", "a: [")
    put(here / "prompts/promptfooconfig.yaml", "prompts: [a\nproviders: b")
    (here / "prompts/gone.j2").symlink_to("nowhere")
    put(here / "prompts/good.j2", "You are an assistant. {{ a }}")
    os.mkfifo(here / "prompts/pipe.j2")
    assert init().endswith(", and 1 file that looks like a prompt\n")
    assert [entry.paths for entry in uncommented(here).prompts] == [("prompts/good.j2",)]


def test_init_opens_only_so_many_files(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(30):
        put(here / f"data/{number}.json", '{"x": 1}')
    put(here / "z/prompts/good.json", ANTHROPIC)
    monkeypatch.setattr("promptlint.commands.init_found._MOST_OPENED", 5)
    opened: list[str] = []

    def counted(path: str, **how: Any) -> Document:
        opened.append(path)
        return read(path, **how)

    monkeypatch.setattr("promptlint.commands.init_found.read", counted)
    assert init().endswith(", and 1 file that looks like a prompt\n")
    assert len(opened) == 5
    assert "# There are very many files here" in (here / "promptlint.yaml").read_text()


def test_init_in_another_folder(here: Path) -> None:
    put(here / "in/prompts/a.j2", "You are an assistant.")
    put(here / "b.j2", "You are an assistant.")
    init("in")
    assert [entry.paths for entry in uncommented(here / "in").prompts] == [("prompts/a.j2",)]


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
