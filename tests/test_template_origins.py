"""Origins of single constructs: literals and their places, lines, filters, formats."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

import jinja2
import pytest

from promptlint.errors import PromptlintError
from promptlint.prompt import Origin, Rendering
from promptlint.render.template import Template, rendering
from promptlint.render.template.environment import TrackingChat
from promptlint.render.template.literals import as_read
from promptlint.render.template.origins import MOST, Origins, told
from promptlint.render.template.pieces import Piece
from promptlint.render.template.process import Renderer
from promptlint.render.template.tracked import Tracked, pieces_of
from real_models import templates
from template_checks import assert_true

NOW = datetime(2031, 2, 3, 4, 5, 6)
DATA: dict[str, Any] = {
    "messages": [{"role": "user", "content": " ab\tc\n"}],
    "tools": [{"name": "f", "n": 3, "x": None, "on": True}],
    "d": {'v"w': "x\ny", "n": [1, None, {"z": "ä"}], "/x~": ["y"]},
    "a": "one two",
    "n": 42,
    "f": 2.5,
}


@pytest.fixture(scope="module")
def renderer() -> Iterator[Renderer]:
    with Renderer() as renderer:
        yield renderer


def render(renderer: Renderer, source: str) -> Rendering:
    got = renderer.render(Template("t", source, "chat"), DATA, now=NOW)
    assert_true(got, DATA, {"": source})
    return got


def test_literals_of_real_templates_stand_where_jinja_says() -> None:
    count = 0
    for path in templates().values():
        source = path.read_bytes().decode("utf-8")
        read = as_read(source, False)
        last = -1
        for token in TrackingChat(NOW)._tokenize(source, None):
            if token.type in ("data", "string") and token.value:
                assert type(token.value) is Tracked
                first = pieces_of(token.value)[0][3]
                assert first is not None
                assert first > last
                assert read.count("\n", 0, first) + 1 == token.lineno
                last = first
                count += 1
    assert count > 3000


@pytest.mark.parametrize("feed", ["\n", "\r\n", "\r"])
def test_lines_are_counted_whatever_ends_them(feed: str, renderer: Renderer) -> None:
    source = feed.join(("a", "{%- if true %}", "  b{{ 'x' }}", "{%- endif %}", "", "{{ a }}c", ""))
    got = render(renderer, source)
    assert got.text == "a  bx\none twoc"
    assert [(origin.kind, origin.line, origin.column) for origin in got.origins] == [
        ("template", 1, 1),
        ("template", 3, 1),
        ("template", 3, 8),
        ("template", 5, 1),
        ("value", 6, None),
        ("template", 6, 8),
    ]


@pytest.mark.parametrize(
    "source",
    [
        r"{{ 'a\nb\\c\'d\"e\x41\u00e9\U0001F600\N{BULLET}\101\q\
f' }}",
        r"""{{ 'a' "b\n" 'c' }}{{ '' '' }}{{ 'é\é' }}""",
        "{# a #}{% raw %}{{ raw }}\n{%- x %}{% endraw %}b{{- 'c' -}}  \n d {%+ if 1 %}e{% endif %}",
        "{{ 'x' * 3 }}{{ ('ab' * 2)[1:3] }}{{ '\\n\\n'[1:] * 2 }}",
        "\ufeffa\u2028b\x0cc\x85d\n{{ '\u2028\x0b' }}e",
        "{%- macro m(x) -%}\n<{{ x }}>\n{%- endmacro -%}\n\n{{ m(a) }}",
        "{% macro c(x) %}[{{ caller() }}{{ x }}]{% endmacro %}{% call c('y') %}z{% endcall %}",
        "{% set v %}{{ a }}-\n{% endset %}{{ v[2:9] }}{{ v | trim }}",
        "{% generation %}{{ a }}{% endgeneration %}",
        "{% filter upper %}{{ a }}x{% endfilter %}",
        "{{ d }}{{ d | string }}{{ tools }}{{ [a, 1, {'k': a}] }}{{ (a, n) }}",
        "{{ d | tojson }}{{ d | tojson(indent=2) }}{{ {'k': a, 'n': [n, none]} | tojson(separators=(',', ':')) }}",
        "{{ n }}{{ f }}{{ n + 1 }}{{ n ~ 'x' ~ f ~ true }}{{ -n }}{{ none }}{{ loop }}",
        "{{ '%s=%s %%' % (a, n) }}{{ '{}-{x}{}'.format(a, n, x=n) }}{{ '{a}'.format_map({'a': a}) }}{{ '%5s' % a }}",
        "{{ a | replace('o', '00') | indent(2) }}{{ messages[0].content | indent('> ', true, true) }}",
        "{{ a.split() | join('\\n') }}{{ a | list | join('.') }}{{ a | upper | lower | capitalize }}",
        "{{ a | safe + '<' }}{{ '<' + (a | safe) }}{{ a | e }}{{ a | title }}{{ a | center(20) }}{{ a | wordwrap(3) }}",
        "{{ strftime_now('%Y') }}{{ strftime_now('') }}",
        "{% for k, v in d.items() %}{{ k }}={{ v }}\n{% endfor %}{% for c in a %}{{ c }}{{ loop.index }}{% endfor %}",
        "{% set ns = namespace(t='') %}{% for m in messages %}{% set ns.t = ns.t ~ m.role %}{% endfor %}{{ ns.t }}",
        "{% autoescape true %}a{{ a }}<{{ '&' ~ n }}{% endautoescape %}",
    ],
)
def test_origins_are_true(source: str, renderer: Renderer) -> None:
    render(renderer, source)


def test_a_printed_value_tells_the_line_that_prints_it(renderer: Renderer) -> None:
    source = "{% macro m(x) %}\n{{ x }}{% endmacro %}\n{% set b = a %}\n\n{{ m(a) }}{{ b }}{{ tools | tojson\n}}"
    lines = {origin.line for origin in render(renderer, source).origins if origin.kind != "template"}
    assert lines == {2, 5}


def test_what_goes_on_in_another_line_is_told_apart(renderer: Renderer) -> None:
    got = render(renderer, "{{ a[:3] -}}\n{{ a[3:] }}")
    assert got.origins == (Origin(0, 3, "value", ("a",), 0, line=1), Origin(3, 7, "value", ("a",), 3, line=2))


@pytest.mark.parametrize(
    ("source", "kinds"),
    [
        ("{{ '<%s>%s %%' % (a, n) }}", "template value template serialised template"),
        ("{{ '<%(k)s>' % {'k': a} }}", "template value template"),
        ("{{ '<{}>{x}{}.'.format(a, n, x=a) }}", "template value template value serialised template"),
        ("{{ '<{a}>'.format_map({'a': a}) }}", "template value template"),
        ("{{ '<' ~ n ~ true ~ '>' }}", "template serialised computed template"),
        ("{{ (a ~ '\n' ~ a) | indent(2) }}", "value call value"),
        ("{{ [a, n, a[:1]] | join('-') }}", "value template serialised template value"),
        ("{{ a | safe + '<' }}", "value computed"),
        ("{{ '-' + (a | safe) }}", "template value"),
        ("{{ a.replace(' ', '__') }}", "value template value"),
        ("{{ [a] }}", "computed serialised value serialised computed"),
        ("{{ {'k': a} | tojson }}", "call template call serialised value serialised call"),
        ("{{ a | title }}{{ a | center(9) }}", "computed"),
    ],
)
def test_parts_of_an_expression_keep_their_origins(source: str, kinds: str, renderer: Renderer) -> None:
    assert " ".join(origin.kind for origin in render(renderer, source).origins) == kinds


def test_parts_of_json_lead_to_their_parts(renderer: Renderer) -> None:
    got = render(renderer, "{{ d | tojson }}")
    assert got.text == '{"v\\"w": "x\\ny", "n": [1, null, {"z": "ä"}], "/x~": ["y"]}'
    found = {(origin.kind, origin.path, origin.char): got.text[origin.start : origin.end] for origin in got.origins}
    assert found["key", ("d", 'v"w'), 0] == "v"
    assert found["changed", ("d", 'v"w'), 1] == "\\n"
    assert found["value", ("d", 'v"w'), 2] == "y"
    assert found["serialised", ("d", "n", 0), None] == "1"
    assert found["serialised", ("d", "n", 1), None] == "null"
    assert found["value", ("d", "n", 2, "z"), 0] == "ä"


def test_changed_case_leads_to_its_character(renderer: Renderer) -> None:
    got = render(renderer, "{{ (a | upper)[4:] }}")
    assert got.origins == (Origin(0, 3, "changed", ("a",), 4, line=1),)


def test_added_names_of_reasoning_lead_to_the_one_that_was_sent() -> None:
    given = {"messages": [{"role": "assistant", "content": None, "reasoning": "why"}]}
    source = "{{ messages[0] | tojson }}"
    with Renderer() as renderer:
        got = renderer.render(Template("t", source, "chat"), given, now=NOW)
    assert got.text == '{"thinking": "why", "role": "assistant", "reasoning": "why", "reasoning_content": "why"}'
    assert_true(got, given, {"": source})
    added = [origin.path for origin in got.origins if got.text.startswith(("thinking", "reasoning_c"), origin.start)]
    assert added == [("messages", 0, "reasoning")] * 2
    values = {origin.path for origin in got.origins if origin.kind == "value"}
    assert values == {("messages", 0, "reasoning"), ("messages", 0, "role")}


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("a\n{{ raise_exception('no\nsystem') }}", "t:2: no system"),
        ("{% macro m() %}\n{{ raise_exception('x') }}{% endmacro %}{{ m() }}", "t:2: x"),
        ("\n\n{{ 1 + 'a' }}", "t:3: TypeError: unsupported operand"),
        ("\n{% if %}", "t:2: Expected an expression"),
        ("\n{{ a", "t:2: unexpected end of template"),
        ("{{ nothing() }}", "t:1: 'nothing' is undefined"),
        ("{{ a | nothing }}", "t:1: No filter named 'nothing'"),
        ("\n{{ messages.append(1) }}", "t:2: access to attribute 'append'"),
        ("{{ '\\x4' }}", "t:1: "),
    ],
)
def test_a_failure_tells_template_line_and_reason(source: str, message: str, renderer: Renderer) -> None:
    with pytest.raises(PromptlintError) as caught:
        render(renderer, source)
    assert caught.value.message.startswith(message)
    assert "\n" not in caught.value.message


def test_one_child_serves_many_templates(renderer: Renderer) -> None:
    render(renderer, "{{ a }}")
    child = renderer._child
    with pytest.raises(PromptlintError):
        render(renderer, "{{ raise_exception('x') }}")
    assert render(renderer, "{{ n }}").text == "42"
    assert renderer._child is child
    later = renderer.render(Template("t", "{{ strftime_now('%Y') }}", "chat"), DATA, now=datetime(2040, 1, 1))
    assert later.text == "2040"


def test_an_old_jinja_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    job = rendering.Job("x", "chat", (), DATA, NOW, "transformers")
    rendering.compiled(job)
    monkeypatch.setattr(jinja2, "__version__", "3.1.5")
    with pytest.raises(rendering.Failure, match="sandbox"):
        rendering.compiled(job)


def test_behind_the_most_origins_one_covers_the_rest() -> None:
    pieces: list[Piece] = [(1, "value", ("a",), 2 * number, 1) for number in range(MOST + 5)]
    origins = Origins(len(pieces))
    for part in told(pieces, {}):
        origins.add(part)
    found = origins.all()
    assert len(found) == MOST + 1
    assert found[-2].char == 2 * MOST - 2
    assert (found[-1].kind, found[-1].start, found[-1].end) == ("unknown", MOST, MOST + 5)


def test_a_key_that_is_too_long_to_tell_is_unknown() -> None:
    pieces: list[Piece] = [(1, "value", ("a" * 100_000,), 0, 1), (1, "value", ("b",), 0, 1)]
    (part,) = told(pieces, {})
    origins = Origins(2)
    origins.add(part)
    assert [origin.kind for origin in origins.all()] == ["unknown", "value"]
