"""What stands in the holes of each language: names, calls and their formats, loops, conditions, breakpoints."""

from typing import NamedTuple

import pytest

from promptlint.lint.calls import clock_of, is_random
from promptlint.load.delimited import read_delimited
from promptlint.template import Call, Hole, Template, Text


def holes(template: Template) -> list[Hole]:
    return [part for part in template.parts if isinstance(part, Hole)]


def said(template: Template, call: Call) -> str:
    return template.files[0].text[call.range.start : call.range.end]


class Case(NamedTuple):
    language: str
    text: str
    names: tuple[str, ...]  # of the last hole


NAMES = [
    Case("handlebars", "{{user.name}}", ("user.name",)),
    Case("handlebars", "{{#each notes}}{{this}}{{/each}}", ("notes",)),
    Case("handlebars", "{{#each notes}}{{title}}{{/each}}", ("notes.title",)),
    Case("handlebars", "{{#each notes}}{{../today}}{{/each}}", ("today",)),
    Case("handlebars", "{{#each notes as |note n|}}{{note.title}}{{/each}}", ("notes.title",)),
    Case("handlebars", "{{#each notes as |note n|}}{{n}}{{/each}}", ()),
    Case("handlebars", "{{#if a}}{{#each b}}{{@root.c}}{{/each}}{{/if}}", ("c",)),
    Case("handlebars", "{{#with user}}{{name}}{{/with}}", ("user.name",)),
    Case("handlebars", "{{#with user}}{{x}}{{else}}{{name}}{{/with}}", ("name",)),
    Case("handlebars", "{{#each a}}{{#if b}}{{c}}{{/if}}{{/each}}", ("a.c",)),
    Case("handlebars", "{{#each a}}{{#if b}}x{{else if d}}{{c}}{{/if}}{{/each}}", ("a.c",)),
    Case("handlebars", "{{#each a}}{{#if b}}{{../c}}{{/if}}{{/each}}", ("c",)),
    Case("handlebars", "{{json data indent=2}}", ("data",)),
    Case("mustache", "{{#letters}}{{#is_new}}{{date}}{{/is_new}}{{/letters}}", ("letters.date",)),
    Case("handlebars", "{{lookup orders 'a' b=c}}", ("orders", "c")),
    Case("handlebars", "{{{raw}}}", ("raw",)),
    Case("handlebars", "{{a.[b c].d}}", ("a.b c.d",)),
    Case("dotprompt", "{{@state.city}}", ("state.city",)),
    Case("dotprompt", "{{media url=photo}}", ("photo",)),
    Case("mustache", "{{#rules}}{{.}}{{/rules}}", ("rules",)),
    Case("mustache", "{{#letters}}{{date}}{{/letters}}", ("letters.date",)),
    Case("mustache", "{{today}}{{#letters}}{{today}}{{/letters}}", ("today",)),
    Case("mustache", "{{#has_rules}}{{today}}{{/has_rules}}", ("today",)),
    Case("mustache", "{{=<% %>=}}<% a.b %>", ("a.b",)),
    Case("liquid", "{{ user.name | upcase | append: suffix }}", ("user.name", "suffix")),
    Case("liquid", "{% for i in page.items limit: 3 %}{{ i.name }}{% endfor %}", ("page.items.name",)),
    Case("liquid", "{% assign a = b.c %}{{ a }}", ("b.c",)),
    Case("liquid", "{% capture a %}{{ b }}{% endcapture %}{{ a }}", ("b",)),
    Case("liquid", "{% echo a | strip %}", ("a",)),
    Case("go", "{{ .User.Name }}", ("User.Name",)),
    Case("go", "{{ range $k, $v := .Flags }}{{ $v.On }}{{ end }}", ("Flags.On",)),
    Case("go", "{{ range .Items }}{{ .Name }}{{ $.Shop }}{{ end }}", ("Shop",)),
    Case("go", "{{ range .A }}{{ if .B }}x{{ else if .D }}{{ .C }}{{ end }}{{ end }}", ("A.C",)),
    Case("go", "{{ range .A }}{{ if .B }}x{{ else }}{{ .C }}{{ end }}{{ end }}", ("A.C",)),
    Case("go", "{{ with .User }}{{ .Name }}{{ end }}", ("User.Name",)),
    Case("go", "{{ with .User }}x{{ else }}{{ .Name }}{{ end }}", ("Name",)),
    Case("go", "{{ $x := .A }}{{ printf `%s` $x.B }}", ("A.B",)),
    Case("erb", "<%= order.items.first %>", ("order.items.first",)),
    Case("erb", "<%= @shop %>", ("shop",)),
    Case("erb", "<%= \"Hello #{user.name}!\" %>", ("user.name",)),
    Case("erb", "<% rules.each do |r| %><%= r.text %><% end %>", ("rules.text",)),
    Case("erb", "<% t = order %><%= t.number %>", ("order.number",)),
    Case("erb", "<%= f(a, key: b) %>", ("a", "b")),
    Case("semantic-kernel", "{{ $input }}", ("input",)),
    Case("semantic-kernel", "{{ mail.find $query 'x' }}", ("query",)),
    Case("poml", "<p>{{ user.name + '!' }}</p>", ("user.name",)),
    Case("poml", "<item for=\"i in notes\">{{ i.title }}</item>", ("notes.title",)),
    Case("poml", "<task caption=\"{{ a }}\">x</task>", ("a",)),
    Case("str-format", "{a.b[c]!r:>{w}}", ("a.b.c", "w")),
    Case("str-format", "{}{}", ("1",)),
    Case("string-template", "${a}$b", ("b",)),
    Case("double-brace", "{{ my-name }}", ("my-name",)),
    Case("editor-prompt", "${input:focus:what to look at}", ("input",)),
]  # fmt: skip


@pytest.mark.parametrize("case", NAMES, ids=lambda case: case.text)
def test_a_hole_depends_on_these_names(case: Case) -> None:
    assert holes(read_delimited("a", case.text, case.language))[-1].names == case.names


CLOCKS = [
    ("handlebars", "{{formatDate (now) 'HH:mm'}}", "now", "time"),
    ("handlebars", "{{formatDate (now) 'YYYY-MM-DD'}}", "now", "day"),
    ("handlebars", "{{now 'YYYY-MM-DD'}}", "now 'YYYY-MM-DD'", "day"),
    ("liquid", "{{ 'now' | date: '%H:%M' }}", "'now' | date: '%H:%M'", "time"),
    ("liquid", '{{ "today" | date: "%Y" | append: "!" }}', '"today" | date: "%Y"', "day"),
    ("liquid", "{% assign t = 'now' | date: '%s' %}{{ t }}", "'now' | date: '%s'", "time"),
    ("go", '{{ now | date "2006-01-02" }}', 'now | date "2006-01-02"', "day"),
    ("go", '{{ now | date "2006-01-02 15:04" | quote }}', 'now | date "2006-01-02 15:04" | quote', "time"),
    ("go", '{{ date "Jan 2" now }}', 'date "Jan 2" now', "day"),
    ("go", '{{ (now).Format "15:04" }}', '(now).Format "15:04"', "time"),
    ("go", '{{ now.Format "Monday" }}', 'now.Format "Monday"', "day"),
    ("go", "{{ now.Year }}", "now.Year", "day"),
    ("go", "{{ now }}", "now", "time"),
    ("erb", "<%= Time.now.strftime('%F %T') %>", "Time.now.strftime('%F %T')", "time"),
    ("erb", "<%= Time.zone.now.to_date %>", "Time.zone.now.to_date", "day"),
    ("erb", "<%= Date.today %>", "Date.today", "day"),
    ("erb", "<% t = Time.now %><%= t.strftime('%F') %>", "Time.now", "day"),
    ("semantic-kernel", "{{time.now}}", "time.now", "time"),
    ("semantic-kernel", "{{time.date}}", "time.date", "day"),
    ("poml", "<p>{{ new Date().toISOString() }}</p>", "Date().toISOString()", "time"),
    ("poml", "<p>{{ new Date().toDateString() }}</p>", "Date().toDateString()", "day"),
    ("poml", "<p>{{ Date.now() }}</p>", "Date.now()", "time"),
]


@pytest.mark.parametrize(("name", "text", "where", "kind"), CLOCKS, ids=[row[1] for row in CLOCKS])
def test_a_clock_is_told_with_what_it_prints(name: str, text: str, where: str, kind: str) -> None:
    template = read_delimited("a", text, name)
    found = [(said(template, call), clock_of(template, call)) for call in holes(template)[-1].calls]
    assert [row for row in found if row[1] is not None] == [(where, kind)]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("handlebars", "{{formatDate order.date 'YYYY-MM-DD'}}"),
        ("liquid", "{{ order.date | date: '%H' }}"),
        ("liquid", "{{ 'now' | upcase }}"),
        ("go", '{{ .Order.Time | date "15:04" }}'),
        ("go", '{{ printf "%s now" .A }}'),
        ("erb", "<%= order.time.strftime('%F') %>"),
        ("erb", "<%= Order.count %>"),
        ("poml", "<p>{{ new Date('2026-11-29').toISOString() }}</p>"),
        ("semantic-kernel", "{{order.time}}"),
    ],
)
def test_what_looks_like_a_clock_and_is_none(name: str, text: str) -> None:
    template = read_delimited("a", text, name)
    assert [call for hole in holes(template) for call in hole.calls if clock_of(template, call)] == []


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("go", "{{ uuidv4 }}"),
        ("go", "{{ randAlphaNum 8 }}"),
        ("liquid", "{{ tips | shuffle | first }}"),
        ("erb", "<%= SecureRandom.uuid %>"),
        ("erb", "<%= rand(10) %>"),
        ("poml", "<p>{{ crypto.randomUUID() }}</p>"),
        ("handlebars", "{{uuid 4}}"),
    ],
)
def test_what_answers_at_random_is_known(name: str, text: str) -> None:
    template = read_delimited("a", text, name)
    assert any(is_random(template, call) for call in holes(template)[-1].calls)


LOOPS = [
    ("handlebars", "{{#each a}}{{this}}{{/each}}", [("a", True)]),
    ("handlebars", "{{#each a}}{{@key}}={{this}}{{/each}}", [("a", False)]),
    ("mustache", "{{#a}}{{.}}{{/a}}", [("a", True)]),
    ("mustache", "{{#is_new}}x{{/is_new}}", []),
    ("liquid", "{% for b in a reversed %}x{% else %}y{% endfor %}", [("a", True)]),
    ("go", "{{range $k, $v := .A}}{{$k}}{{end}}", [(".A", True)]),
    ("erb", "<% a.each do |b| %>x<% end %>", [("a", True)]),
    ("erb", "<% a.each do |k, v| %>x<% end %>", [("a", False)]),
    ("erb", "<% a.sort.each do |k, v| %>x<% end %>", [("a.sort", True)]),
    ("erb", "<% a.each_with_index do |b, n| %>x<% end %>", [("a", True)]),
    ("erb", "<% for b in a %>x<% end %>", [("a", True)]),
    ("poml", '<item for="b in a">x</item>', [("a", True)]),
    ("go", "{{range .A}}{{end}}", []),
]


@pytest.mark.parametrize(("name", "text", "loops"), LOOPS, ids=[row[1] for row in LOOPS])
def test_loops_are_told_with_their_order(name: str, text: str, loops: list[tuple[str, bool]]) -> None:
    template = read_delimited("a", text, name)
    assert [(loop.over, loop.ordered) for loop in template.loops] == loops
    for loop in template.loops:
        assert template.files[0].text[loop.range.start : loop.range.end] == loop.over
        assert {part.when for part in template.parts[loop.first : loop.last]} == {"repeated"}


IFS = [
    ("handlebars", "{{#if a}}x{{else if b}}y{{else}}z{{/if}}", [("a", 0, 3), ("b", 1, 3)]),
    ("handlebars", "{{#unless a}}x{{/unless}}", [("a", 0, 1)]),
    ("handlebars", "{{#each a}}x{{else}}y{{/each}}", [("a", 1, 2)]),
    ("mustache", "{{^a}}x{{/a}}", [("a", 0, 1)]),
    ("liquid", "{% if a == 1 %}x{% elsif b %}y{% endif %}", [("a == 1", 0, 2), ("b", 1, 2)]),
    ("liquid", "{% unless a %}x{% endunless %}", [("a", 0, 1)]),
    ("go", "{{if and .A .B}}x{{else if .C}}y{{end}}", [("and .A .B", 0, 2), (".C", 1, 2)]),
    ("erb", "<% if a %>x<% elsif b %>y<% end %>", [("a", 0, 2), ("b", 1, 2)]),
    ("poml", '<p if="a">x</p>', [("a", 0, 1)]),
]


@pytest.mark.parametrize(("name", "text", "wanted"), IFS, ids=[row[1] for row in IFS])
def test_conditions_decide_on_their_parts(name: str, text: str, wanted: list[tuple[str, int, int]]) -> None:
    template = read_delimited("a", text, name)
    found = [(text[one.range.start : one.range.end], one.first, one.last) for one in template.conditions]
    assert found == wanted
    for _, first, last in wanted:
        assert {part.when for part in template.parts[first:last]} == {"maybe"}


@pytest.mark.parametrize(
    ("name", "text", "printed"),
    [
        ("handlebars", "a\n  {{#if b}}\n c\n  {{/if}}\nd", "a\n c\nd"),
        ("handlebars", "a {{~ b ~}} c", "ac"),
        ("handlebars", "a {{! b }} c\n{{! d }}\ne", "a  c\ne"),
        ("handlebars", "\\{{a}} \\\\{{b}}", "{{a}} \\"),
        ("handlebars", "{{{{raw}}}} {{a}} {{{{/raw}}}}", " {{a}} "),
        ("mustache", "a\r\n{{#b}}\r\nc\r\n{{/b}}\r\nd", "a\nc\nd"),
        ("mustache", "a {{=<% %>=}} {{b}} <%={{ }}=%>c", "a  {{b}} c"),
        ("liquid", "a {%- if b -%} c {%- endif %} d", "ac d"),
        ("liquid", "a {% raw %}{{ b }}{% endraw %}", "a {{ b }}"),
        ("go", "a {{- .B -}} c {{ .D }} e", "ac  e"),
        ("go", "{{-3}} a", " a"),
        ("erb", "a\n<% if b -%>\nc\n  <%- end -%>\nd <%% e", "a\nc\nd <% e"),
        ("str-format", "{{a}} {b}", "{a} "),
        ("string-template", "$$1 $a", "$1 "),
    ],
)
def test_white_space_and_escapes_are_those_of_the_language(name: str, text: str, printed: str) -> None:
    template = read_delimited("a", text, name)
    assert "".join(part.text for part in template.parts if isinstance(part, Text)) == printed


@pytest.mark.parametrize(
    ("name", "comment"),
    [
        ("handlebars", "{{! promptlint: breakpoint ttl=1h }}"),
        ("handlebars", "{{!-- promptlint: breakpoint ttl=1h --}}"),
        ("mustache", "{{! promptlint: breakpoint ttl=1h }}"),
        ("liquid", "{% comment %} promptlint: breakpoint ttl=1h {% endcomment %}"),
        ("go", "{{/* promptlint: breakpoint ttl=1h */}}"),
        ("erb", "<%# promptlint: breakpoint ttl=1h %>"),
        ("poml", "<!-- promptlint: breakpoint ttl=1h -->"),
    ],
)
def test_a_comment_marks_a_breakpoint(name: str, comment: str) -> None:
    template = read_delimited("a", f"one {comment} two", name)
    assert [(mark.ttl, mark.part) for mark in template.breakpoints] == [("1h", 1)]
    assert [template.files[0].text[at.start : at.end] for at in template.comments] == [comment]
    broken = read_delimited("a", f"one {comment.replace('ttl', 'for')} two", name)
    assert (broken.breakpoints, len(broken.notes)) == ((), 1)


def test_what_is_not_followed_is_told_with_its_line() -> None:
    rows = [
        ("handlebars", "\n{{> part a=b}}", "'part'"),
        ("liquid", "\n{% render 'part' %}", "'part'"),
        ("go", '\n{{template "part" .}}', "'part'"),
        ("erb", "\n<%= render 'part' %>", "render 'part'"),
        ("poml", '\n<document src="part.md"/>', "'part.md'"),
    ]
    for name, text, what in rows:
        template = read_delimited("a.x", text, name)
        assert len(template.notes) == 1
        assert template.notes[0].startswith("a.x:2: ")
        assert what in template.notes[0]
        assert template.parts[-1].range.start == 1


def test_dotprompt_says_where_messages_begin() -> None:
    text = '{{role "system"}}Be brief.{{history}}{{role "user"}}{{question}}'
    template = read_delimited("a", text, "dotprompt")
    assert [(turn.role, turn.part) for turn in template.turns] == [("system", 0), ("user", 2)]
    assert [hole.names for hole in holes(template)] == [("history",), ("question",)]
