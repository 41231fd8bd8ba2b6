"""Templates that run away, eat memory or reach out of the sandbox: a finding in the end, and no process left."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from lint_renderings import linted, stages
from promptlint.commands.lint_rendering import Stages
from promptlint.render.template.process import Renderer

__all__ = ["stages"]

RULE = "template-cannot-be-rendered"
CHAT = "{% for m in messages %}{{ m.role }}{{ m.content }}{% endfor %}"
ENDLESS = "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}"

HOSTILE = {
    "memory": ("{{ 'a' * 10**9 }}", "memory"),
    "memory in a chat": ("{{ 'a' * 10**9 }}" + CHAT, "memory"),
    "text that doubles": (
        "{% set n = namespace(s='a') %}{% for i in range(60) %}{% set n.s = n.s ~ n.s %}{% endfor %}{{ n.s }}",
        "memory",
    ),
    "list": ("{{ [0] * 10**9 }}", "memory"),
    "padding": ("{{ '%999999999d' % 1 }}", "memory"),
    "range": ("{% for i in range(10**9) %}x{% endfor %}", "100,000"),
    "recursion": ("{% macro a(n) %}{{ a(n + 1) }}{{ a(n + 1) }}{% endmacro %}{{ a(0) }}", "too deeply"),
    "itself": ("Be brief. {% include 'hostile.j2' %}", "includes, imports or extends itself"),
    "attribute": ("{{ ''.__class__.__mro__[1].__subclasses__() }}", "unsafe"),
    "attribute in a chat": (CHAT + "{{ ''.__class__.__mro__ }}", "unsafe"),
    "attribute by a filter": ("{{ '' | attr('__class__') }}", "unsafe"),
    "attribute by a format": ("{{ '{0.__class__}'.format(name) }}", "unsafe"),
    "globals": ("{{ cycler.__init__.__globals__.os.popen('id').read() }}", "unsafe"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_it_is_a_finding(name: str, tmp_path: Path, stages: Stages) -> None:
    text, reason = HOSTILE[name]
    path = tmp_path / "hostile.j2"
    path.write_text(text, encoding="utf-8")
    (found,) = linted(path, stages, RULE).findings
    assert reason in found.message
    assert found.severity == "warning"


def test_no_more_templates_of_a_file_are_rendered_once_one_runs_away(tmp_path: Path) -> None:
    held = [{"name": name, "template": text} for name, text in (("a", CHAT), ("b", ENDLESS + CHAT), ("c", ENDLESS))]
    path = tmp_path / "tokenizer_config.json"
    path.write_text(json.dumps({"chat_template": held}), encoding="utf-8")
    with Stages() as own:
        own._renderer = Renderer(0.5)
        found = linted(path, own, RULE)
    assert [(each.pointer, "too long" in each.message) for each in found.findings] == [
        ("/chat_template/1/template", True)
    ]
    assert [note for note in found.notes if "another template of this file" in note]


def test_the_next_file_is_rendered_all_the_same(tmp_path: Path, stages: Stages) -> None:
    bad, good = tmp_path / "a.j2", tmp_path / "b.j2"
    bad.write_text("{{ 'a' * 10**9 }}", encoding="utf-8")
    good.write_text("You are {{ name }}.", encoding="utf-8")
    assert len(linted(bad, stages, RULE).findings) == 1
    found = linted(good, stages, RULE)
    assert found.findings == ()
    assert [row.name for table in found.rendered for row in table.variables] == ["name"]


def test_the_line_of_the_fault_is_told(tmp_path: Path, stages: Stages) -> None:
    path = tmp_path / "a.j2"
    path.write_text("Be brief.\n\n{{ ''.__class__ }}\n", encoding="utf-8")
    (found,) = linted(path, stages, RULE).findings
    assert (found.location.line, found.location.column) == (3, 1)
    assert found.excerpt == "{{ ''.__class__ }}"


def test_a_template_that_is_long_is_a_note(tmp_path: Path, stages: Stages) -> None:
    path = tmp_path / "a.j2"
    path.write_text("Be brief. " * 120_000 + "{{ name }}", encoding="utf-8")
    found = linted(path, stages, RULE)
    assert found.findings == ()
    assert any("1,200,010 characters are too many" in note for note in found.notes)


def test_no_process_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[subprocess.Popen[bytes]] = []
    start = subprocess.Popen

    def noted(*args: Any, **named: Any) -> "subprocess.Popen[bytes]":
        started.append(start(*args, **named))
        return started[-1]

    monkeypatch.setattr(subprocess, "Popen", noted)
    with Stages() as own:
        own._renderer = Renderer(0.3)
        for name in ("a.j2", "b.j2"):
            path = tmp_path / name
            path.write_text(ENDLESS, encoding="utf-8")
            linted(path, own, RULE)
    assert len(started) == 2
    for child in started:
        with pytest.raises(ProcessLookupError):
            os.kill(child.pid, 0)
