"""Applications' templates: Jinja's defaults, includes out of given folders only, nothing silently lost."""

import os
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import jinja2
import pytest

from promptlint.errors import PromptlintError
from promptlint.prompt import Origin, Rendering
from promptlint.render.template import Template
from promptlint.render.template.process import Renderer
from template_checks import assert_true

NOW = datetime(2031, 2, 3, 4, 5, 6)


@pytest.fixture(scope="module")
def renderer() -> Iterator[Renderer]:
    with Renderer() as renderer:
        yield renderer


def render(renderer: Renderer, source: str, variables: dict[str, Any], *roots: Path) -> Rendering:
    template = Template("main.j2", source, "application", tuple(map(str, roots)))
    return renderer.render(template, variables, now=NOW)


def refusal(renderer: Renderer, source: str, variables: dict[str, Any], *roots: Path) -> str:
    with pytest.raises(PromptlintError) as caught:
        render(renderer, source, variables, *roots)
    return str(caught.value)


VARIABLES: dict[str, Any] = {
    "name": "Zoë <b>",
    "items": ["one", "two", "three"],
    "tool": {"name": "f", "n": 3, "text": 'it\'s "<&>" é\n'},
    "on": True,
    "empty": "",
}


@pytest.mark.parametrize(
    "source",
    [
        "Hello {{ name }}!\n",
        "Hello {{ name }}!\r\n\r\n",
        "  {% if on %}\n  yes\n  {% endif %}\n  {# note #}\n{{ items | join(', ') }}",
        "{% for i in items %}{{ loop.index }}. {{ i | upper }}\n{% if i == 'two' %}{% break %}{% endif %}{% endfor %}",
        "{% set l = [] %}{% do items | list %}{{ tool | tojson }} {{ tool }} {{ tool | tojson(indent=2) }}",
        "{{ missing is defined }}{{ missing | default('none') }}{% if missing %}x{% endif %}{{ missing or 'y' }}",
        "{{ empty }}{{ name | e }}{{ (name | e) ~ '&' }}{{ name | safe + '<' }}{{ name | title }}",
        "{% macro m(x, y='q') %}[{{ x }}{{ y }}]{% endmacro %}{{ m(name) }}{{ m(x=tool.n) }}",
        "{% filter indent(2) %}{{ tool.text }}b{% endfilter %}{{ items | map('capitalize') | list }}",
        "{% autoescape true %}{{ name }}{{ '<' }}{% endautoescape %}{{ '%s %d' % (name, 3) }}",
    ],
)
def test_the_text_is_that_of_jinja(source: str, renderer: Renderer) -> None:
    environment = jinja2.Environment(extensions=["jinja2.ext.do", "jinja2.ext.loopcontrols"])
    got = render(renderer, source, VARIABLES)
    assert got.text == environment.from_string(source).render(VARIABLES)
    assert_true(got, VARIABLES, {"": source})


def test_included_text_tells_its_file(tmp_path: Path, renderer: Renderer) -> None:
    (tmp_path / "part").mkdir()
    (tmp_path / "part" / "rules.j2").write_text("Rules\nfor {{ name }}.\n")
    (tmp_path / "base.j2").write_text("<{% block body %}{% endblock %}>")
    (tmp_path / "macros.j2").write_text("{% macro hi(who) %}Hi\n{{ who }}{% endmacro %}")
    source = (
        "{% extends 'base.j2' %}{% from 'macros.j2' import hi %}\n"
        "{% block body %}{% include 'part/rules.j2' %}{{ hi(items[0]) }}{% endblock %}"
    )
    got = render(renderer, source, VARIABLES, tmp_path)
    assert got.text == "<Rules\nfor Zoë <b>.Hi\none>"
    names = {path.relative_to(tmp_path).as_posix(): path.read_text() for path in tmp_path.rglob("*.j2")}
    assert_true(got, VARIABLES, {"": source, **names})
    rules, value = got.origins[1], got.origins[2]
    assert rules == Origin(1, 11, "template", line=1, column=1, name="part/rules.j2")
    assert value == Origin(11, 18, "value", ("name",), 0)  # no line of the main template


@pytest.mark.parametrize(
    ("source", "line", "name"),
    [
        ("a\n{{ missing }}", 2, "missing"),
        ("{{ 'a' ~ missing }}", 1, "missing"),
        ("{% for x in missing %}{% endfor %}", 1, "missing"),
        ("{{ tool.missing }}", 1, "missing"),
        ("{{ missing.x }}", 1, "missing"),
        ("{{ missing | upper }}", 1, "missing"),
        ("{{ items | join(missing) }}", 1, "missing"),
        ("{{ [missing] | join }}", 1, "missing"),
    ],
)
def test_a_name_without_a_value_is_not_lost(source: str, line: int, name: str, renderer: Renderer) -> None:
    message = refusal(renderer, source, VARIABLES)
    assert message.startswith(f"main.j2:{line}: ")
    assert repr(name) in message


def test_functions_of_the_application_are_named(renderer: Renderer) -> None:
    message = refusal(renderer, "a\n\n{{ now() }}", VARIABLES)
    assert message.startswith("main.j2:3: the template calls now")
    assert "--vars" in message
    assert "No filter named 'money'" in refusal(renderer, "{{ 1 | money }}", VARIABLES)
    assert "main.j2:2: " in refusal(renderer, "a\n{% trans %}x{% endtrans %}", VARIABLES)


def test_a_value_stands_for_what_the_function_answers(renderer: Renderer) -> None:
    variables = {"now": "2026-11-29T08:05:00", "today": "Sunday", "user": {"name": "Ada"}}
    source = "{{ now() }} {{ now('UTC').strftime('%d %B') }} {{ today() }} {{ user().name }}"
    got = render(renderer, source, variables)
    assert got.text == "2026-11-29T08:05:00 29 November Sunday Ada"
    assert got.origins[0] == Origin(0, 19, "value", ("now",), 0, line=1)
    assert got.origins[2] == Origin(20, 31, "call", line=1, name="now")
    assert got.origins[-1] == Origin(39, 42, "value", ("user", "name"), 0, line=1)
    assert "ISO" in refusal(renderer, "{{ today().strftime('%d') }}", variables)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("/etc/passwd", "no path inside"),
        ("../secret.j2", "no path inside"),
        ("part/../../secret.j2", "no path inside"),
        ("..\\\\secret.j2", "no path inside"),
        ("a\\0b", "no path inside"),
        ("", "no path inside"),
        ("link.j2", "leads out"),
        ("linked/secret.j2", "leads out"),
        ("pipe.j2", "no regular file"),
        ("device.j2", "leads out"),
        (".", "no regular file"),
        ("nowhere.j2", "is not in"),
        ("latin.j2", "not UTF-8"),
        ("large.j2", "larger than"),
        ("loop.j2", "cannot be read"),
    ],
)
def test_only_files_inside_the_folder_are_read(name: str, reason: str, tmp_path: Path, renderer: Renderer) -> None:
    folder = tmp_path / "templates"
    folder.mkdir()
    (tmp_path / "secret.j2").write_text("secret")
    (folder / "link.j2").symlink_to(tmp_path / "secret.j2")
    (folder / "linked").symlink_to(tmp_path)
    (folder / "device.j2").symlink_to("/dev/zero")
    (folder / "loop.j2").symlink_to(folder / "loop.j2")
    os.mkfifo(folder / "pipe.j2")
    (folder / "latin.j2").write_bytes(b"caf\xe9")
    with open(folder / "large.j2", "wb") as large:
        large.truncate(2**33)
    for source in (f"{{% include '{name}' %}}", f"{{% extends '{name}' %}}", f"{{% import '{name}' as x %}}"):
        message = refusal(renderer, f"\n{source}", {}, folder)
        assert message.startswith("main.j2:2: ")
        assert reason in message
        assert "secret" not in message.replace(name, "")


def test_a_link_that_stays_inside_is_followed(tmp_path: Path, renderer: Renderer) -> None:
    (tmp_path / "a.j2").write_text("a")
    (tmp_path / "b.j2").symlink_to("a.j2")
    (tmp_path / "other").symlink_to(tmp_path)
    assert render(renderer, "{% include 'b.j2' %}", {}, tmp_path / "other").text == "a"


def test_a_template_that_includes_itself_is_named(tmp_path: Path, renderer: Renderer) -> None:
    (tmp_path / "a.j2").write_text("{% include 'b.j2' %}")
    (tmp_path / "b.j2").write_text("\n{% include 'a.j2' %}")
    (tmp_path / "c.j2").write_text("{% extends 'c.j2' %}")
    (tmp_path / "d.j2").write_text("{% import 'd.j2' as d %}")
    for name, include in (("a", "include 'a.j2'"), ("c", "extends 'c.j2'"), ("d", "import 'd.j2' as d")):
        message = refusal(renderer, f"{{% {include} %}}", {}, tmp_path)
        assert f"'{name}.j2' includes, imports or extends itself" in message


def test_a_missing_file_may_be_ignored_but_not_a_missing_folder(tmp_path: Path, renderer: Renderer) -> None:
    (tmp_path / "c.j2").write_text("c")
    assert render(renderer, "{% include 'a.j2' ignore missing %}b", {}, tmp_path).text == "b"
    assert render(renderer, "{% include ['a.j2', 'c.j2'] %}b", {}, tmp_path).text == "cb"
    for include in ("'a.j2'", "'a.j2' ignore missing"):
        assert "no folder is given" in refusal(renderer, f"{{% include {include} %}}", {})


def test_a_fault_in_an_included_file_is_placed_there(tmp_path: Path, renderer: Renderer) -> None:
    (tmp_path / "bad.j2").write_text("a\n{% if %}")
    (tmp_path / "missing.j2").write_text("a\n\n{{ nothing }}")
    assert refusal(renderer, "{% include 'bad.j2' %}", {}, tmp_path).startswith("bad.j2:2: ")
    assert refusal(renderer, "{% include 'missing.j2' %}", {}, tmp_path).startswith("missing.j2:3: ")


def test_variables_are_json_data(renderer: Renderer) -> None:
    for value, word in (
        (NOW, "datetime"),
        ({1: 2}, "no string"),
        ({"x": {3}}, "set"),
        (10**5000, "digits"),
        (b"", "bytes"),
    ):
        with pytest.raises(PromptlintError, match=word):
            render(renderer, "{{ a }}", {"a": value})
    deep: list[Any] = []
    for _ in range(2000):
        deep = [deep]
    with pytest.raises(PromptlintError, match="too deep"):
        render(renderer, "{{ a }}", {"a": deep})


def test_a_choice_by_chance_is_noted(renderer: Renderer) -> None:
    got = render(renderer, "{{ items | random }}", VARIABLES)
    assert got.text in VARIABLES["items"]
    assert len(got.notes) == 1
    assert got.origins
    assert "random" in got.notes[0]


def test_several_sets_of_variables(renderer: Renderer) -> None:
    texts = [render(renderer, "{{ x }}", {"x": x}).text for x in ("é\ud800", "b")]
    assert texts == ["é\ud800", "b"]
