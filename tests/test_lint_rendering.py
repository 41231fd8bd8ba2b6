"""Templates of applications, rendered with each variable varied: what moves the text first, and where."""

import json
import os
from pathlib import Path

import pytest

from lint_renderings import how_with, linted, shown, stages, subject
from promptlint.commands.lint_files import lint_file
from promptlint.commands.lint_rendering import Stages
from promptlint.finding import Report
from promptlint.lint.rendering.outcome import RenderedEffects
from promptlint.lint_facts import LintFacts, RenderedTemplate, VariableEffect
from promptlint.report import json as json_report
from promptlint.report import markdown, text

__all__ = ["stages"]


def places(found: RenderedEffects, text: str) -> dict[str, str | None]:
    """What prints the place that each variable moves first."""
    assert found.failure is None
    assert found.refusal is None
    return {each.name: None if each.at is None else text[each.at.start : each.at.end] for each in found.effects}


def test_each_variable_has_the_place_that_it_moves_first(tmp_path: Path, stages: Stages) -> None:
    text = "You are {{ name }}.\n{% if formal %}Say Sie.\n{% endif %}{% for rule in rules %}- {{ rule }}\n{% endfor %}"
    found = places(shown(tmp_path / "a.j2", text + "{{ name }}", stages), text)
    assert found == {"name": "{{ name }}", "formal": "Say Sie.", "rules": "{{ rule }}"}


def test_tokens_are_counted_ahead_of_the_place_and_behind_it(tmp_path: Path, stages: Stages) -> None:
    text = "You are a helper." + " {{ shop }} " + "Never say more than is asked. " * 4 + "{{ question }}"
    shop, question = shown(tmp_path / "a.j2", text, stages).effects
    count = how_with(None).vocabulary.count
    assert shop.shared_tokens == count("You are a helper. ")
    assert shop.stranded_tokens == count(" " + "Never say more than is asked. " * 4)
    assert question.shared_tokens > shop.shared_tokens
    assert question.stranded_tokens == 0


def test_a_variable_that_decides_nothing_is_said_to_have_no_effect(tmp_path: Path, stages: Stages) -> None:
    (effect,) = shown(tmp_path / "a.j2", "{% set kept = left_over %}Be brief.", stages).effects
    assert (effect.name, effect.at, effect.note) == ("left_over", None, "no effect")


def test_the_place_lies_in_the_file_that_prints_it(tmp_path: Path, stages: Stages) -> None:
    (tmp_path / "part.j2").write_text("Talk to {{ user }}.\n", encoding="utf-8")
    path = tmp_path / "a.j2"
    path.write_text("Be brief.\n{% include 'part.j2' %}{{ question }}", encoding="utf-8")
    (table,) = linted(path, stages).rendered
    assert [(row.name, Path(row.path).name, row.line, row.column) for row in table.variables] == [
        ("user", "part.j2", 1, 9),
        ("question", "a.j2", 2, 24),
    ]


def test_the_table_begins_with_what_moves_the_text_first(tmp_path: Path, stages: Stages) -> None:
    path = tmp_path / "a.j2"
    path.write_text("{% set b = last %}{% if unused %}{% endif %}It is {{ now().strftime('%H:%M') }}. {{ b }}", "utf-8")
    (table,) = linted(path, stages).rendered
    assert [row.name for row in table.variables] == ["now()", "last", "unused"]


@pytest.mark.parametrize(
    "text",
    [
        "{% macro card(u) %}{{ u.first }} {{ u.last | upper }}{% endmacro %}{{ card(user) }} {{ count + 1 }}",
        "{{ items | join(', ') }} {% for key, value in env.items() %}{{ key }}={{ value }} {% endfor %}",
        "{{ datetime.utcnow().isoformat() }} {{ datetime.now() }} {{ today.strftime('%d %b') }}",
        "{% for m in log %}{% if m.role == 'user' %}U: {{ m.text }}{% else %}{{ m.text[:9] }}{% endif %}{% endfor %}",
        "{{ price * 2 }} {{ '%s' % who }} {{ 'x' ~ z }} {{ total / n }} {{ '%.2f' | format(rate) }}",
        "{{ doc.meta.tags[0] }} {{ cfg.get('k', 1) }} {{ cfg['z'] }} {{ rows[1].name }} {{ text.split(',')[0] }}",
        "{% for i in range(size) %}{{ i }}{% endfor %} {{ pairs | dictsort }} {{ rows | map(attribute='id') | list }}",
        "{% for i in range(texts | length) %}{{ 'ABCD'[i] }}: {{ texts[i] }}{% endfor %}",
        "{% for e in examples %}{{ e.title }}: {{ e.text.strip().upper() }} {{ e.index }}{% endfor %}",
        "{{ lookup(question).answer }} {{ t('greeting') }} {{ tools | tojson(indent=2) }}",
        "{% if level not in ('low', 'high') %}{{ raise_alarm() }}{% endif %}{{ level | default('low') }}",
    ],
)
def test_values_are_made_up_that_fit_the_template(text: str, tmp_path: Path, stages: Stages) -> None:
    found = shown(tmp_path / "a.j2", text, stages)
    assert (found.failure, found.refusal, found.untried) == (None, None, "")
    assert any(effect.at is not None for effect in found.effects) or found.moved


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{{ question | as_dialect }}", "No filter named 'as_dialect'."),
        ("{% if x %}{% include 'not_there.j2' %}{% endif %}", "not_there.j2"),
    ],
)
def test_what_only_the_application_knows_is_a_note_and_no_finding(
    text: str, reason: str, tmp_path: Path, stages: Stages
) -> None:
    path = tmp_path / "a.j2"
    path.write_text(text, encoding="utf-8")
    found = linted(path, stages, "template-cannot-be-rendered")
    assert found.findings == ()
    assert any(f"{path}: not rendered: " in note and reason in note for note in found.notes)


def test_nothing_is_rendered_if_that_is_not_wanted(tmp_path: Path) -> None:
    path = tmp_path / "a.j2"
    path.write_text("{{ ''.__class__ }} {{ name }}", encoding="utf-8")
    assert subject(path, None).rendered() is None
    found = linted(path, None)
    assert "template-cannot-be-rendered" not in [each.rule for each in found.findings]
    assert found.rendered == ()


def test_no_process_is_started_for_requests(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.json"
    body = {"model": "gpt-5.2", "messages": [{"role": "user", "content": "Hello."}]}
    path.write_text(json.dumps(body), encoding="utf-8")
    monkeypatch.setattr("subprocess.Popen", None)
    with Stages() as unused:
        assert lint_file(str(path), how_with(unused)).what == "request"


def test_the_process_is_gone_in_the_end(tmp_path: Path) -> None:
    path = tmp_path / "a.j2"
    path.write_text("{{ name }}", encoding="utf-8")
    with Stages() as own:
        linted(path, own)
        child = own.of_file(str(path)).renderer._child
        assert child is not None
    with pytest.raises(ProcessLookupError):
        os.kill(child.pid, 0)


def report_of(*templates: RenderedTemplate) -> Report:
    facts = LintFacts(files=(), skipped=(), suppressed=(), rules=(), fail_on="warning", rendered=templates)
    return Report("lint", "pass", (), lint=facts)


def test_reports_say_what_moves_the_text_first() -> None:
    rows = (VariableEffect("shop", "a.j2", 2, 5, 40, 300), VariableEffect("question", "a.j2", 9, 1, 340, 0))
    report = report_of(RenderedTemplate("a.j2", "", rows))
    told = "moves the text first: about 40 tokens ahead of it, about 300 tokens of fixed text behind it"
    assert f"a.j2:2:5: shop {told}" in " ".join(text.write(report).split())
    assert f"- `a.j2:2:5`: `shop` {told}" in markdown.write(report)
    (told_in_json,) = json.loads(json_report.write(report))["lint"]["rendered"]
    assert [row["name"] for row in told_in_json["variables"]] == ["shop", "question"]


def test_reports_are_silent_where_little_stands_behind_what_moves() -> None:
    moved = RenderedTemplate("a.j2", "", (VariableEffect("shop", "a.j2", 2, 5, 40, 3),))
    still = RenderedTemplate("b.j2", "", (VariableEffect("shop", "", None, None, 40, 0, "no effect"),))
    assert "shop" not in text.write(report_of(moved, still))
    assert "shop" not in markdown.write(report_of(moved, still))


def test_names_in_reports_are_escaped() -> None:
    row = VariableEffect("a\x1b[2Jb", "\u202ea.j2", 1, 1, 0, 90)
    written = text.write(report_of(RenderedTemplate("\u202ea.j2", "", (row,))))
    assert "\x1b" not in written
    assert "\u202e" not in written
