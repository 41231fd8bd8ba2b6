"""Templates of other languages than Jinja: their parts cover the text, at exact places, and nothing makes them slow."""

import re
import string
import time
from contextlib import suppress
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import ROOT
from promptlint.errors import PromptlintError
from promptlint.load.delimited import read_delimited
from promptlint.load.delimited.languages import language
from promptlint.load.delimited.reading import pieces_of
from promptlint.load.delimited.scan import Fault
from promptlint.load.turns import with_turns
from promptlint.template import Condition, Hole, Loop, SourceRange, Template, Text

SAMPLES = ROOT / "fixtures" / "formats"
BRACES = "{{a}}¦{{ b.c }}¦{¦}¦}}¦\\¦\\{{¦'¦\"¦x¦ ¦\n¦\r\n¦\u00e9¦"
FRAGMENTS = {
    "handlebars": BRACES
    + "{{#if a}}¦{{else}}¦{{/if}}¦{{#each b}}¦{{this}}¦{{/each}}¦{{{c}}}¦{{~ d ~}}¦{{! e }}¦{{> f}}"
    "¦{{!-- }} --}}¦{{g (h 1) 'i'}}¦{{{{raw}}}}¦{{{{/raw}}}}¦{{'j'}}",
    "dotprompt": BRACES + '{{role "user"}}¦{{history}}¦{{media url=a}}¦{{#each b}}¦{{/each}}¦{{^}}',
    "mustache": BRACES + "{{#a}}¦{{/a}}¦{{^a}}¦{{.}}¦{{{c}}}¦{{&d}}¦{{! e }}¦{{=<% %>=}}¦<%f%>",
    "liquid": BRACES
    + "{%- if a -%}¦{% else %}¦{% endif %}¦{% for i in b %}¦{% endfor %}¦{{- i -}}¦{% raw %}¦{% endraw %}"
    "¦{% comment %}¦{% endcomment %}¦{% assign d = a %}¦{{ 'now' | date: '%H' }}",
    "go": BRACES
    + "{{.A}}¦{{- .B -}}¦{{if .A}}¦{{else}}¦{{end}}¦{{range $i, $x := .C}}¦{{$x}}¦{{/* d */}}¦{{- /* e */ -}}"
    '¦{{ now | date "15" }}¦{{`}}`}}¦{{template "f" .}}¦{{with .G}}',
    "erb": "<%= a %>¦<% if b %>¦<% else -%>¦<% end %>¦<% c.each do |d| -%>¦<%= d -%>¦<%# e %>¦<%%¦  <%- f = 1 -%>¦%>¦<"
    "¦x¦ ¦\n¦\r\n¦\u00e9",
    "semantic-kernel": BRACES + "{{$a}}¦{{time.now}}¦{{p.f $b 'c'}}¦{{\"d\"}}",
    "poml": BRACES
    + '<p>¦</p>¦<task caption="{{a}}">¦</task>¦<!-- b -->¦<let name="c" value="1"/>¦<¦<item for="i in d">'
    '¦{{i.e}}¦</item>¦<document src="f.md"/>¦{{ new Date() }}',
    "string-template": "$a¦${b}¦$$¦$¦{¦}¦x¦ ¦\n¦1¦\u00e9¦${c.d}",
    "str-format": "{a}¦{b.c[d]!r:>{e}}¦{{¦}}¦{}¦{0}¦x¦\n¦\u00e9¦{f:%H}",
    "double-brace": BRACES + "{{c-d}}¦{{ e.f}}¦{{g h}}",
    "editor-prompt": "${selection}¦${input:a:what?}¦${b c}¦$¦x¦\n¦${workspaceFolder}¦{{a}}",
    "text": BRACES + "2026-11-29",
}


def texts(name: str, size: int = 12) -> st.SearchStrategy[str]:
    """Fragments of a language behind one another."""
    return st.lists(st.sampled_from(FRAGMENTS[name].split("¦")), max_size=size).map("".join)


def written(template: Template, at: SourceRange) -> str:
    return template.files[at.file].text[at.start : at.end]


def ranges(template: Template) -> list[SourceRange]:
    """Everything that has a place; a constant stands in its tag."""
    parts = [part.inside or part.range if isinstance(part, Text) else part.range for part in template.parts]
    return sorted({*parts, *template.tags, *template.comments})


def rebuilt(template: Template, begin: int = 0) -> str:
    """The text, from the ranges of everything in it; only white space may stand between them."""
    found = ""
    text, place = template.files[0].text, begin
    for at in ranges(template):
        gap = text[place : at.start]
        assert at.start >= place
        assert not gap.strip()
        found += gap + written(template, at)
        place = at.end
    assert not text[place:].strip()
    return found + text[place:]


@pytest.mark.parametrize("name", FRAGMENTS)
@given(data=st.data())
def test_the_parts_rebuild_the_text(name: str, data: st.DataObject) -> None:
    text = data.draw(texts(name))
    try:
        pieces = list(pieces_of(text, language(name)))
        template = read_delimited("a", text, name)
    except (Fault, PromptlintError):
        return
    assert "".join(text[piece.start : piece.end] for piece in pieces) == text
    assert all(one.end == other.start for one, other in pairwise(pieces))
    assert rebuilt(template) == text
    for part in template.parts:
        if isinstance(part, Hole):
            assert part.range.start <= part.expression.start <= part.expression.end <= part.range.end
            assert all(
                part.range.start <= call.range.start < call.range.end for call in part.calls if call.name == "now"
            )
    rows: list[Loop | Condition] = [*template.loops, *template.conditions]
    assert all(0 <= row.first < row.last <= len(template.parts) for row in rows)


@given(texts("string-template"))
def test_string_template_is_read_as_python_reads_it(text: str) -> None:
    template = read_delimited("a", text, "string-template")
    names = string.Template(text).get_identifiers()
    assert list(template.arguments) == names
    given = dict.fromkeys(names, "\0")
    printed = "".join(part.text if isinstance(part, Text) else "\0" for part in template.parts)
    assert printed == string.Template(text).safe_substitute(given)


@given(texts("str-format", 8))
def test_format_is_read_as_python_reads_it(text: str) -> None:
    try:
        wanted = list(string.Formatter().parse(text))
    except ValueError:
        with pytest.raises(PromptlintError):
            read_delimited("a", text, "str-format")
        return
    template = read_delimited("a", text, "str-format")
    holes = [part for part in template.parts if isinstance(part, Hole)]
    assert "".join(part.text if isinstance(part, Text) else "\0" for part in template.parts) == "".join(
        f"{literal}{'' if field is None else chr(0)}" for literal, field, _, _ in wanted
    )
    fields = [field for _, field, _, _ in wanted if field is not None]
    assert [written(template, hole.expression) for hole in holes] == fields


PLACES = {
    "more/support.mustache": ("mustache", ["{{today}}", "{{{shop}}}", "{{.}}", "{{question}}"], (1, 25)),
    "more/support.tmpl": ("go", ['{{ now | date "2006-01-02" }}', "{{ .Shop }}", "{{ $k }}", "{{ $v }}"], (1, 10)),
    "more/support.erb": ("erb", ['<%= Time.now.strftime("%F %T") %>', "<%= shop %>", "<%= r %>"], (1, 10)),
    "more/support.poml": ("poml", ["{{today}}", '<document src="policy.md" parser="txt"/>'], (4, 39)),
    "19_support.prompt": ("dotprompt", ["{{today}}", "{{this}}", "{{question}}"], (13, 10)),
    "more/review.prompt.md": (
        "editor-prompt",
        ["${selection}", "${file}", "${input:focus:what to look at}"],
        (7, 8),
    ),
}


@pytest.mark.parametrize("name", PLACES)
def test_the_holes_of_a_sample_are_at_their_places(name: str) -> None:
    row, holes, first = PLACES[name]
    text = (SAMPLES / name).read_text("utf-8")
    template = read_delimited(name, text, row)
    found = [part.range for part in template.parts if isinstance(part, Hole)]
    assert [written(template, at) for at in found] == holes
    line = text.count("\n", 0, found[0].start) + 1
    assert (line, found[0].start - text.rfind("\n", 0, found[0].start)) == first
    assert rebuilt(template) == text


SECONDS = 3  # a hundredth of that is enough; what takes the square of the length takes more
HOSTILE = [
    "{{",
    "{{{{",
    "{{'",
    "{{[",
    "{{#a}}",
    "{{!--",
    "<%",
    "<%= '",
    "{% raw %}",
    "{%",
    "{{a}}",
    "$",
    "${",
    "{",
    "}",
]
HOSTILE += ["{a[", "a.", ".map", "((now).a", "<a a", "{{#each a.b.c.d}}", "{{now now ", "<% a.map.map "]
HOSTILE += ["<", "<a b='", "{{`", "{{(", "\\{{", "<!--", "{{a|", '{{"\\', "{{=", "\n", " \n", "{{a}} \n", "{{$"]


GRAMMARS = ("handlebars", "mustache", "liquid", "go", "erb", "semantic-kernel", "poml", "str-format", "string-template")


@pytest.mark.parametrize("name", GRAMMARS)
@pytest.mark.parametrize("junk", HOSTILE)
def test_a_lot_of_anything_takes_no_time(name: str, junk: str) -> None:
    text = junk * ((1_000_000 if junk == "{{" else 100_000) // len(junk))
    start = time.process_time()
    said = ""
    try:
        read_delimited("a", text, name)
    except PromptlintError as error:
        said = error.message
    assert not said or re.match(r"a:\d+:\d+: ", said)
    assert time.process_time() - start < SECONDS


LONG = [("{{", "a ", "}}"), ("{{", "a.", "b}}"), ("{{", "(a ", "}}"), ("{{", "now ", "}}"), ("{{", "(now).a", "}}")]
LONG += [("<%=", "a.", "b%>"), ("<% ", "a.map", " %>"), ("<% a.map", ".map", " do |x| %><% end %>"), ("<a ", "a", ">")]
LONG += [
    ("{a", "[a", "]}"),
    ("<a ", "b='c' ", "/>"),
    ("<message ", "role='a' ", ""),
    ("", " ", "system"),
    ("${input:", "a", "}"),
]


@pytest.mark.parametrize("name", GRAMMARS)
@pytest.mark.parametrize("parts", LONG)
def test_a_long_tag_takes_no_time(name: str, parts: tuple[str, str, str]) -> None:
    opening, inside, close = parts
    start = time.process_time()
    with suppress(PromptlintError):
        template = read_delimited("a", opening + inside * (100_000 // len(inside)) + close, name)
        for turns in ("prompty", "message-tags", "baml"):
            with_turns(template, turns, 0, len(template.files[0].text))
    assert time.process_time() - start < SECONDS


@pytest.mark.parametrize("name", ["handlebars", "liquid", "go", "erb", "mustache"])
def test_one_tag_may_be_long_and_one_nest_deep(name: str) -> None:
    opening, inside, close = {
        "handlebars": ("{{", "a ", "}}"),
        "mustache": ("{{", "a ", "}}"),
        "liquid": ("{{", "a | b ", "}}"),
        "go": ("{{", "(.A) ", "}}"),
        "erb": ("<%=", "(a.b) + ", "%>"),
    }[name]
    start = time.process_time()
    assert read_delimited("a", opening + inside * 20_000 + close, name).parts
    assert time.process_time() - start < SECONDS
    deep = {
        "handlebars": "{{#if a}}",
        "mustache": "{{#a}}",
        "liquid": "{% if a %}",
        "go": "{{if .A}}",
        "erb": "<% if a %>",
    }
    with pytest.raises(PromptlintError, match="nested more than"):
        read_delimited("a", deep[name] * 5_000, name)


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("handlebars", "one\ntwo {{#if a", "a:2:5: '{{' is not closed"),
        ("handlebars", "one\n{{#if a}}two", "a:2:1: if is not closed"),
        ("handlebars", "{{#if a}}{{/each}}", "a:1:10: if is open, and each is closed"),
        ("handlebars", "{{/if}}", "a:1:1: if is closed and was never opened"),
        ("mustache", "x {{=<%=}}", "a:1:3: two delimiters are due"),
        ("liquid", "{% raw %}x", "a:1:1: raw is not closed"),
        ("go", "{{end}}", "a:1:1: end stands here"),
        ("go", "\n\n {{/* x", "a:3:2: '{{/*' is not closed"),
        ("erb", "x <%= y", "a:1:3: '<%=' is not closed"),
        ("str-format", "x }", "a:1:3: a single } stands here"),
        ("str-format", "x {a", "a:1:3: this { is not closed"),
    ],
)
def test_what_is_not_closed_is_told_with_its_place(name: str, text: str, said: str) -> None:
    with pytest.raises(PromptlintError) as error:
        read_delimited("a", text, name)
    assert said.replace("'", "") in error.value.message.replace("'", "")
