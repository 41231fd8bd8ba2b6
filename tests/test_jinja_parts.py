"""What is known of a template without rendering it, held against Jinja's own rendering."""

from datetime import datetime
from pathlib import Path
from typing import Any

import jinja2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jinja_laws import assert_covered, assert_ranges, assert_rendered, written
from promptlint.load.jinja import read_template
from promptlint.render.template.process import Renderer
from promptlint.render.template.types import Template as Job
from promptlint.template import Call, Hole, Template, Text

VALUES: dict[str, Any] = {
    "name": "⟦name⟧",
    "kind": "⟦kind⟧",
    "yes": True,
    "one": ["⟦item⟧"],
    "user": {"city": "⟦city⟧"},
}
WORDS = st.text("ab .:,#{}%\n\t\r-é☃", max_size=12).filter(
    lambda text: not any(sign in text + "{" for sign in ("{{", "{%", "{#")) and not text.endswith(("{", "-"))
)
DASH = st.sampled_from(("", "-", "+"))
ENDING = st.sampled_from(("", "-"))


@st.composite
def templates(draw: st.DrawFn, depth: int = 2) -> str:
    """Templates whose branches are all taken once, with the values above."""
    parts = []
    for _ in range(draw(st.integers(0, 4))):
        parts.append(draw(WORDS))
        parts.append(draw(pieces(depth)))
    return "".join([*parts, draw(WORDS)])


@st.composite
def pieces(draw: st.DrawFn, depth: int) -> str:
    a, b = draw(DASH), draw(ENDING)
    kinds = ["value", "text", "join", "comment", "raw", *(["if", "for", "set", "macro", "with"] if depth else [])]
    kind = draw(st.sampled_from(kinds))
    start = a if a != "+" else ""
    if kind in ("value", "text", "join"):
        inner = {"value": "name", "text": "'it''s'", "join": '"a" ~ user.city ~ kind ~ " é "'}[kind]
        return f"{{{{{start} {inner} {b}}}}}"
    if kind == "comment":
        return f"{{#{start} {{{{ name }}}} {b}#}}"
    if kind == "raw":
        return f"{{%{start} raw %}}{{{{ name }}}}{{% endraw {b}%}}"
    inside = draw(templates(depth - 1))
    begin, end = f"{{%{a} ", f" {b}%}}"
    return {
        "if": f"{begin}if yes{end}{inside}{begin}endif{end}",
        "for": f"{begin}for x in one{end}{inside}{{{{ x }}}}{begin}endfor{end}",
        "set": f"{begin}set made{end}{inside}{begin}endset{end}[{{{{ made }}}}]",
        "macro": f"{begin}macro m(v){end}{inside}{{{{ v }}}}{begin}endmacro{end}{{{{ m(kind) }}}}",
        "with": f"{begin}with name = kind{end}{inside}{begin}endwith{end}",
    }[kind]


def printed(template: Template) -> str:
    """What the parts print, a hole as the value that stands for its names."""
    known = {"name": "⟦name⟧", "kind": "⟦kind⟧", "user.city": "⟦city⟧", "one": "⟦item⟧"}
    return "".join(part.text if isinstance(part, Text) else known[values_of(part)[0]] for part in template.parts)


def values_of(hole: Hole) -> list[str]:
    return [name for name in hole.names if name != "yes"] or list(hole.names)


def holes(text: str, **options: Any) -> list[Hole]:
    found = read_template("t.j2", text, (), **options).parts
    return [part for part in found if isinstance(part, Hole)]


def calls(text: str) -> list[tuple[str, str, str | None]]:
    template = read_template("t.j2", text, ())
    found: list[Call] = [call for part in template.parts if isinstance(part, Hole) for call in part.calls]
    return [(call.name, written(template, call.range), call.format) for call in found]


@given(templates(), st.booleans())
def test_parts_are_what_jinja_prints(text: str, chat: bool) -> None:
    template = read_template("t.j2", text, (), chat=chat)
    environment = jinja2.Environment(trim_blocks=chat, lstrip_blocks=chat)
    assert printed(template) == environment.from_string(text).render(VALUES)
    assert_ranges(template)


@given(templates(depth=0))
def test_parts_tags_and_comments_cover_the_source_in_reading_order(text: str) -> None:
    template = read_template("t.j2", text, (), chat=False)
    assert_covered(template)
    places = [(part.inside or part.range if isinstance(part, Text) else part.range).start for part in template.parts]
    assert places == sorted(places)


CLEAN = Path(__file__).parent.parent / "fixtures" / "clean"
WHOLE = sorted(path for path in CLEAN.rglob("*") if path.suffix in (".j2", ".jinja", ".jinja2"))


@pytest.mark.parametrize("path", WHOLE, ids=lambda path: path.name)
def test_the_laws_hold_for_whole_templates(path: Path) -> None:
    assert_ranges(read_template(str(path), path.read_text(encoding="utf-8"), (str(path.parent),)))


def test_a_real_rendering_prints_the_texts_and_the_values_that_holes_name() -> None:
    text = (
        "{%- set who = user.name %}Hello {{ who }},\n{% for item in items %}- {{ item.title }}: {{ item.price }}\n"
        "{% endfor %}{% if note %}Note: {{ note | upper }}{% endif %}\nBye {{ sign ~ '!' }}\n"
    )
    variables = {"user": {"name": "Ida"}, "items": [{"title": "tea", "price": 3}], "note": "late", "sign": "the desk"}
    with Renderer() as renderer:
        rendering = renderer.render(Job("t.j2", text, "application"), variables, now=datetime(2031, 2, 3))
    assert_rendered(read_template("t.j2", text, ()), rendering)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("{{ a.b['c'] }}", ("a.b.c",)),
        ("{% set x = a %}{{ x.b }}", ("a.b",)),
        ("{% for p in pages %}{{ p.text }}{% endfor %}", ("pages.text",)),
        ("{% for k, v in flags.items() %}{{ v }}{% endfor %}", ("flags",)),
        ("{% macro m(x) %}{{ x }}{% endmacro %}{{ m(a) }}", ("a",)),
        ("{% macro m() %}{{ caller() }}{% endmacro %}{% call m() %}{{ a }}{% endcall %}", ("a",)),
        ("{% set ns = namespace(v='') %}{% for t in ts %}{% set ns.v = t.u %}{% endfor %}{{ ns.v }}", ("ts.u", "ts")),
        ("{{ a if b else c }}", ("a", "c", "b")),
        ("{% set d = given or now() %}{{ d }}", ("given",)),
        ("{% filter upper %}x{{ a }}{% endfilter %}", ("a",)),
        ("{{ range(3) }}", ()),
    ],
)
def test_a_hole_names_the_arguments_that_fill_it(text: str, names: tuple[str, ...]) -> None:
    (hole,) = holes(text)
    assert hole.names == names


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{{ now() }}", [("now", "now()", None)]),
        ("{{ now().strftime('%H:%M') }}", [("now", "now().strftime('%H:%M')", "%H:%M")]),
        ("{% set t = datetime.now() %}{{ t.strftime('%d') }}", [("datetime.now", "datetime.now()", "%d")]),
        ("{{ x | random }}", [("|random", "x | random", None)]),
        ("{{ 'a' ~ (uuid4()) ~ 'b' }}", [("uuid4", "uuid4()", None)]),
        ("{% macro m(t) %}{{ t }}{% endmacro %}{{ m(now()) }}", [("now", "now()", None)]),
    ],
)
def test_a_hole_names_the_calls_that_fill_it(text: str, expected: list[tuple[str, str, str | None]]) -> None:
    assert calls(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "{# {{ now() }} #}x",
        "{% raw %}{{ now() }}{% endraw %}x",
        "{% set t = now() %}x",
        "{% macro m() %}{{ now() }}{% endmacro %}x",
        "{% if false %}{{ now() }}{% endif %}x",
        "{% if true %}x{% else %}{{ now() }}{% endif %}",
        "{% do log(now()) %}x",
    ],
)
def test_what_is_never_printed_is_no_hole(text: str) -> None:
    assert holes(text) == []


def test_other_files_are_followed(tmp_path: Path) -> None:
    (tmp_path / "base.j2").write_text("A{% block b %}base{% endblock %}{% include 'part.j2' %}Z")
    (tmp_path / "part.j2").write_text("{{ now() }}")
    (tmp_path / "macros.j2").write_text("{% macro m(x) %}<{{ x }}>{% endmacro %}")
    text = "{% extends 'base.j2' %}{% from 'macros.j2' import m %}{% block b %}{{ super() }}{{ m(a) }}{% endblock %}"
    template = read_template("t.j2", text, (str(tmp_path),))
    told = [
        part.text if isinstance(part, Text) else (*part.names, *(call.name for call in part.calls))
        for part in template.parts
    ]
    assert told == ["A", "base", "<", ("a",), ">", ("now",), "Z"]
    assert [Path(file.path).name for file in template.files] == ["t.j2", "base.j2", "macros.j2", "part.j2"]
    assert template.notes == ()


def test_a_breakpoint_is_found_with_its_lifetime() -> None:
    template = read_template(
        "t.j2", "a{# promptlint: breakpoint ttl=1h -- the rules #}b{# promptlint: breakpoint #}", ()
    )
    assert [(mark.part, mark.ttl) for mark in template.breakpoints] == [(1, "1h"), (2, None)]
