"""Chat templates, rendered turn by turn: what they rewrite, and what moves with the clock."""

import json
from pathlib import Path

import pytest

from conftest import ROOT
from lint_renderings import linted, shown, stages
from promptlint.commands.lint_rendering import Stages

__all__ = ["stages"]

RULE = "chat-template-rewrites-history"
FIXTURES = ROOT / "fixtures" / "rules" / RULE
CLOCKS = ("clock-in-template", "date-in-template")
CHAT = "{% for m in messages %}<|{{ m.role }}|>{{ m.content }}\n{% endfor %}"

CAUSES = {
    "bad_counts_messages": ("counter", 2),
    "bad_drops_reasoning": ("reasoning-dropped", 8),
    "bad_last_message_differs": ("history-rewritten", 4),
    "bad_opener": ("template-asymmetry", 7),
    "bad_stubs_results": ("content-stubbed", 6),
    "bad_tools_before_last_user": ("template-moves-text", 3),
    "bad_trims_history": ("history-trimmed", 1),
    "bad_trims_white_space": ("white-space", 3),
}


@pytest.mark.parametrize("name", sorted(path.stem for path in FIXTURES.glob("bad*.jinja")))
def test_a_rewrite_has_its_cause_and_its_line(name: str, stages: Stages) -> None:
    found = linted(FIXTURES / f"{name}.jinja", stages, RULE).findings
    assert [(each.cause, each.location.line) for each in found] == [CAUSES[name]]


def test_the_condition_that_chooses_is_related(stages: Stages) -> None:
    (found,) = linted(FIXTURES / "bad_drops_reasoning.jinja", stages, RULE).findings
    assert [where.line for where in found.related] == [7]


def test_a_template_in_a_configuration_has_its_place_there(tmp_path: Path, stages: Stages) -> None:
    text = (FIXTURES / "bad_trims_history.jinja").read_text(encoding="utf-8")
    good = (FIXTURES / "good_chatml.jinja").read_text(encoding="utf-8")
    held = [{"name": "default", "template": good}, {"name": "tool_use", "template": text}]
    path = tmp_path / "tokenizer_config.json"
    path.write_text(json.dumps({"eos_token": "</s>", "chat_template": held}, indent=1), encoding="utf-8")
    (found,) = linted(path, stages, RULE).findings
    assert found.pointer == "/chat_template/1/template"
    line = path.read_text(encoding="utf-8").splitlines()[found.location.line - 1]
    assert line[found.location.column - 1 :].startswith("{%- for message in messages[-20:]")


def test_a_template_that_wants_arguments_as_text_is_tried_so(tmp_path: Path, stages: Stages) -> None:
    calls = "{% for c in m.tool_calls or [] %}{{ c.function.arguments[:5] }}{% endfor %}"
    text = CHAT.replace("m.content }}", "m.content }}" + calls)
    found = shown(tmp_path / "a.jinja", text, stages)
    assert (found.rewrites, found.failure, found.refusal) == ((), None, None)


def test_a_template_that_refuses_some_conversations_is_tried_with_the_others(tmp_path: Path, stages: Stages) -> None:
    wants = "{% if messages[0].role != 'user' or tools %}{{ raise_exception('plain chats only') }}{% endif %}"
    found = shown(tmp_path / "a.jinja", wants + CHAT.replace("messages %}", "messages[-9:] %}"), stages)
    assert found.refusal is None
    assert [each.cause for each in found.rewrites] == ["history-trimmed"]


def test_a_template_that_refuses_all_is_a_note(tmp_path: Path, stages: Stages) -> None:
    path = tmp_path / "a.jinja"
    path.write_text("{{ raise_exception('not today') }}" + CHAT, encoding="utf-8")
    found = linted(path, stages, RULE, "template-cannot-be-rendered")
    assert found.findings == ()
    assert [note for note in found.notes if "not today" in note]


@pytest.mark.parametrize(
    ("printed", "rules"),
    [
        ("{% set f = strftime_now %}{{ f('%H:%M') }}", ["clock-in-template"]),
        ("{% macro d(x) %}{{ x('%d %b') }}{% endmacro %}{{ d(strftime_now) }}", ["date-in-template"]),
        ("{{ strftime_now('%H:%M') }}", ["clock-in-template"]),
        ("{{ strftime_now('%d %b') }} {{ strftime_now('%H:%M') }}", ["clock-in-template", "date-in-template"]),
        ("{{ strftime_now('%d %b %H:%M').split()[0] }}", ["date-in-template"]),
        ("{{ strftime_now('%H:%M') | length }}", []),
        ("{% if strftime_now('%H') | int < 12 %}Good morning.{% endif %}", ["clock-in-template"]),
        ("{% if documents %}{{ strftime_now('%H:%M') }}{% endif %}", ["clock-in-template"]),
        ("{% set strftime_now_is = 'a name' %}{{ strftime_now_is }}", []),
    ],
)
def test_the_clock_that_moves_decides_what_is_said_once(
    printed: str, rules: list[str], tmp_path: Path, stages: Stages
) -> None:
    path = tmp_path / "a.jinja"
    path.write_text(printed + "\n" + CHAT, encoding="utf-8")
    found = linted(path, stages, *CLOCKS).findings
    assert sorted(each.rule for each in found) == rules
    assert all(each.location.line == 1 for each in found)


def test_a_time_behind_the_conversation_is_no_fault(tmp_path: Path, stages: Stages) -> None:
    path = tmp_path / "a.jinja"
    path.write_text(CHAT + "{% set f = strftime_now %}{{ f('%H:%M') }}", encoding="utf-8")
    assert linted(path, stages, *CLOCKS).findings == ()
