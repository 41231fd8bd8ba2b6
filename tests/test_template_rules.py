"""The rules of templates: what moves ahead of what stays, wherever it is written; silence where nothing is lost."""

from pathlib import Path

import pytest

from lint_templates import RULES, rules_of, subject_of, told
from promptlint.lint.edits import Edit, Replace
from promptlint.lint.rule import fix_of
from promptlint.lint.run import hits

STAYS = "Rule of the house, to be followed by whoever answers. " * 6
LONG = STAYS * 60
CLOCK = [("clock-in-template", "now()")]


def message(text: str) -> str:
    ((rule, hit, _),) = told(text)
    return rule.message.format(**hit.values)


@pytest.mark.parametrize(
    "head",
    [
        "{{ now() }}",
        "{{- now() -}}",
        "{{ now() | string | upper }}",
        "{% set t = now() %}{{ t }}",
        "{% set ns = namespace(t=now()) %}{{ ns.t }}",
        "{% set t %}at {{ now() }}{% endset %}{{ t }}",
        "{% with t = now() %}{{ t }}{% endwith %}",
        "{% macro m(t) %}<{{ t }}>{% endmacro %}{{ m(now()) }}",
        "{% macro m() %}{{ now() }}{% endmacro %}{{ m() }}",
        "{% macro m() %}{{ caller() }}{% endmacro %}{% call m() %}{{ now() }}{% endcall %}",
        "{% filter upper %}at {{ now() }}{% endfilter %}",
        "{% if night %}{{ now() }}{% endif %}",
        "{% for i in range(2) %}{{ now() }}{% endfor %}",
        "{{ 'at ' ~ now() ~ '.' }}",
        "{{ 'at %s' | format(now()) }}",
    ],
)
@pytest.mark.parametrize("feed", ["\n", "\r\n", "\r"])
def test_a_clock_is_found_however_it_reaches_the_prompt(head: str, feed: str) -> None:
    text = f"You answer.\n{head}\n{STAYS}\n{{{{ question }}}}\n".replace("\n", feed)
    assert rules_of(text) == CLOCK


def test_a_clock_is_found_in_other_files(tmp_path: Path) -> None:
    (tmp_path / "head.j2").write_text("At {{ now() }}\n")
    (tmp_path / "macros.j2").write_text("{% macro m() %}{{ now() }}{% endmacro %}")
    (tmp_path / "base.j2").write_text("{% block head %}{% endblock %}" + STAYS + "{% block tail %}{% endblock %}")
    roots = (str(tmp_path),)
    assert rules_of("{% include 'head.j2' %}" + STAYS, roots) == CLOCK
    assert rules_of("{% import 'macros.j2' as m %}{{ m.m() }}" + STAYS, roots) == CLOCK
    assert rules_of("{% extends 'base.j2' %}{% block head %}{{ now() }}{% endblock %}", roots) == CLOCK
    assert rules_of("{% extends 'base.j2' %}{% block tail %}{{ now() }}{% endblock %}", roots) == []


@pytest.mark.parametrize(
    ("call", "rule"),
    [
        ("now()", "clock-in-template"),
        ("utcnow()", "clock-in-template"),
        ("datetime.datetime.now().isoformat()", "clock-in-template"),
        ("datetime.today()", "clock-in-template"),
        ("time.time()", "clock-in-template"),
        ("utils.now()", "clock-in-template"),
        ("strftime_now('%d %b %Y %H:%M')", "clock-in-template"),
        ("now() | strftime('%X')", "clock-in-template"),
        ("now().hour", "clock-in-template"),
        ("strftime_now('%d %b %Y')", "date-in-template"),
        ("now().strftime('%A %Z')", "date-in-template"),
        ("now().date()", "date-in-template"),
        ("now().isoformat()[:10]", "date-in-template"),
        ("now() | strftime('%Y')", "date-in-template"),
        ("today()", "date-in-template"),
        ("date.today()", "date-in-template"),
        ("uuid4()", "identifier-in-template"),
        ("uuid.uuid4().hex", "identifier-in-template"),
        ("['Hi', 'Hello'] | random", "identifier-in-template"),
        ("examples | shuffle", "identifier-in-template"),
        ("random.choice(greetings)", "identifier-in-template"),
        ("secrets.token_hex(8)", "identifier-in-template"),
    ],
)
def test_what_a_call_prints_decides_which_rule_speaks(call: str, rule: str) -> None:
    found = told(f"{{{{ {call} }}}}\n{STAYS}")
    assert [one.id for one, _, _ in found] == [rule]


@pytest.mark.parametrize("call", ["meeting.time()", "user.today()", "greeting()", "load('now')", "xs | first"])
def test_other_calls_are_silent(call: str) -> None:
    assert rules_of(f"{{{{ {call} }}}}\n{STAYS}") == []


@pytest.mark.parametrize(
    "text",
    [
        STAYS + "{{ now() }} {{ uuid4() }} {{ today() }} {{ question }}",
        STAYS + "{# promptlint: breakpoint #}{{ now() }} {{ uuid4() }} " + LONG,
        "2024-05-06T07:08:09Z, 09:14, 7f3a91c0-5c1e-4b1e-9d55-0c3f4a2b1e77. " + STAYS,
        "{# {{ now() }} #}{% raw %}{{ now() }}{% endraw %}" + STAYS,
        "{% set t = now() %}{% macro m() %}{{ now() }}{% endmacro %}" + STAYS,
        "{% if false %}{{ now() }}{% endif %}{% do log(now()) %}" + STAYS,
        '{"type": "string", "format": "date-time"} ' + STAYS,
        "{{ now() }} {{ question }}",
        "{{ now() }} {{ letter }}",
    ],
)
def test_what_costs_nothing_is_silent(text: str) -> None:
    assert rules_of(text) == []


def test_a_message_says_how_often_and_what_is_lost() -> None:
    assert message("{{ now() }} " + STAYS) == (
        "now() prints the time of day; computed anew by each request: 60 tokens of fixed text behind it"
    )
    assert "computed anew every minute:" in message("{{ now() | strftime('%H:%M') }} " + STAYS)
    assert "computed anew every hour:" in message("{{ now().hour }} " + STAYS)
    assert "decides what is printed by the time of day" in message("{% if now().hour < 9 %}Hi{% endif %} " + STAYS)


def test_a_message_names_the_argument_that_switches_the_clock_off() -> None:
    text = (
        "{%- if not date_string is defined %}{%- set date_string = strftime_now('%H:%M') %}{%- endif %}"
        "Today: {{ date_string }}{% for m in messages %}{{ m.role }}: {{ m.content }}{% endfor %}"
    )
    said = message(text)
    assert said.startswith("strftime_now() prints the time of day, unless the caller gives date_string;")
    assert said.endswith("the whole conversation behind it")


def test_a_format_that_is_not_known_leaves_doubt() -> None:
    ((_, hit, _),) = told("{{ now().strftime(form) }} " + STAYS)
    assert hit.confidence == "possible"


def test_an_entry_at_a_breakpoint_is_lost_as_a_whole() -> None:
    ((rule, hit, _),) = told(STAYS + "{{ now() }}{# promptlint: breakpoint #}{{ question }}")
    assert rule.id == "clock-in-template"
    assert hit.lost_tokens == 60
    assert str(hit.values["behind"]).endswith("up to the breakpoint")


def test_only_what_stands_behind_an_earlier_breakpoint_is_lost() -> None:
    mark = "{# promptlint: breakpoint #}"
    ((_, hit, _),) = told(f"{STAYS}{STAYS}{mark}{STAYS}{{{{ now() }}}}{mark}{{{{ question }}}}")
    assert hit.lost_tokens == 60


@pytest.mark.parametrize(
    ("name", "severity"),
    [
        ("current_time", "warning"),
        ("request_id", "warning"),
        ("question", "warning"),
        ("retrieved_passages", "warning"),
        ("turn_number", "warning"),
        ("today", "info"),
        ("session_id", "info"),
        ("user_name", "info"),
        ("task", "info"),
        ("context.current_time", "warning"),
        ("request.id", "warning"),
        ("session.id", "info"),
        ("user.name", "info"),
        ("letter.date", None),
        ("order.timestamp", None),
        ("faq.question", None),
        ("time_format", None),
        ("company_name", None),
        ("release_date", None),
        ("rules", None),
        ("id_of_house", None),
    ],
)
def test_a_name_tells_how_often_a_variable_changes(name: str, severity: str | None) -> None:
    found = told(f"{{{{ {name} }}}}\n{LONG}\n")
    assert [hit.severity for _, hit, _ in found] == ([] if severity is None else [severity])
    assert all(
        hit.confidence == "possible" and "guessed from its name" in str(hit.values["how"]) for _, hit, _ in found
    )


def test_the_dates_of_items_in_a_loop_are_no_clock() -> None:
    assert rules_of("{% for e in events %}{{ e.date }} {{ e.time }}: {{ e.title }}\n{% endfor %}" + LONG) == []


def test_what_is_declared_is_no_guess() -> None:
    ((_, hit, _),) = told("{{ plan }}\n" + STAYS, declared={"pl*": "per-request"})
    assert (hit.severity, hit.confidence, hit.values["how"]) == ("warning", "certain", "is declared per-request")
    assert told("{{ question }}\n" + LONG, declared={"question": "stable"}) == []
    ((_, hit, _),) = told("{{ question }}\n" + LONG, declared={"question": "per-session"})
    assert hit.severity == "info"


def test_a_variable_is_told_once_at_its_first_place() -> None:
    text = "Hi {{ question }}, {{ question }}\n" + LONG
    assert [(source, hit.at[1]) for _, hit, source in told(text) if not isinstance(hit.at, str)] == [("question", 6)]


@pytest.mark.parametrize("over", ["flags.items()", "flags.values()", "flags.keys()", "set(tools)", "folder.glob('*')"])
def test_a_loop_in_no_order_is_found(over: str) -> None:
    text = f"{{% for x in {over} %}}{{{{ x }}}}{{% endfor %}}{STAYS}"
    assert rules_of(text) == [("unordered-loop", over)]


@pytest.mark.parametrize(
    "over", ["flags | dictsort", "flags.items() | sort", "set(tools) | sort", "sorted(set(tools))", "rules", "range(3)"]
)
def test_a_loop_in_order_is_silent(over: str) -> None:
    assert rules_of(f"{{% for x in {over} %}}{{{{ x }}}}{{% endfor %}}{STAYS}") == []


def test_white_space_that_only_some_engines_print() -> None:
    loop = "{%- for m in messages %}\n{{- m.role }}{{ m.content }}\n{%- endfor %}\n"
    assert rules_of("{% set a = 1 %}\nA\n" + loop) == [("white-space-in-template", "{% set a = 1 %}")]
    assert rules_of("A\n  {% set a = 1 -%}\n" + loop) == [("white-space-in-template", "{% set a = 1 -%}")]
    assert rules_of("{# a #}\nA\n" + loop) == [("white-space-in-template", "{# a #}")]
    assert rules_of("A\n" + loop) == []
    assert rules_of("{% if tone %}\nBe {{ tone }}.\n{% endif %}\n" + STAYS) == []


def test_invisible_characters() -> None:
    assert rules_of("a\u200bb " + STAYS) == [("invisible-character-in-template", "\u200b")]
    assert rules_of("{# a\u200bb #}{{ 'a\u200bb' }}{{ '\\u200b' }} " + STAYS) == []
    assert rules_of(STAYS + "{# promptlint: breakpoint #}a\u200bb") == []
    assert rules_of(STAYS + "a\u200bb") == []


def fixed(text: str) -> str:
    """The text after the fixes of all that is found in it."""
    subject = subject_of(text)
    edits: list[Edit] = []
    for rule, hit in hits(RULES, subject):
        fix = fix_of(rule)
        edits += fix(subject, hit) if fix is not None else ()
    for edit in sorted((edit for edit in edits if isinstance(edit, Replace)), key=lambda edit: -edit.start):
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text


def test_fixes_leave_nothing_to_say() -> None:
    loops = "{% for k, v in flags.items() %}{{ k }}{{ v }}{% endfor %}{% for k in flags.keys() %}{{ k }}{% endfor %}"
    text = f"a\u200bb {loops}c\u200bd {STAYS}"
    assert len(rules_of(text)) == 3
    assert fixed(text) == text.replace("\u200b", "").replace(".items()", " | dictsort").replace(
        ".keys()", ".keys() | sort"
    )
    assert rules_of(fixed(text)) == []
