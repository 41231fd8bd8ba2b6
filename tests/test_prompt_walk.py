"""Which template files of a folder are prompts: pages, charts, themes and letters are left alone without a word."""

from pathlib import Path

import pytest

from promptlint.commands.lint import lint
from promptlint.commands.lint_met import why_left_alone
from promptlint.commands.lint_settings import LintOptions

ALONE = LintOptions(cache=False, render=False)

OTHERS = {
    "app/views/orders/show.html.erb": "<h1><%= @order.title %></h1>\n<p>Ordered <%= Time.now %></p>\n",
    "app/views/orders/_row.erb": "<%= link_to order.name, order %> you should see the user here <%= Time.now %>\n",
    "app/views/mailer/notify.text.erb": "Hello <%= @user.name %>,\n\nYou must confirm. Sent <%= Time.now %>.\n",
    "config/database.yml.erb": "production:\n  url: <%= ENV['URL'] %>\n  started: <%= Time.now %>\n",
    "config/puma.erb": "[puma]\nstarted = <%= Time.now %>\nthe user = you should not\n",
    "charts/a/templates/deployment.yaml.tmpl": "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: {{ now }}\n",
    "charts/a/templates/notes.tmpl": "You should see {{ .Values.name }} at {{ now }}. The user must wait.\n",
    "site/layouts/index.tmpl": "<html><body>{{ range .Pages }}<p>{{ .Title }}</p>{{ end }}{{ now }}</body></html>\n",
    "cmd/gen/model.go.tmpl": "package model\n\nfunc New() {{ .Name }} { return {{ now }} }\n",
    "cmd/gen/type.tmpl": "package {{ .Package }}\n\n// made at {{ now }}; you must not edit this, the user will\n",
    "nginx.conf.tmpl": "server {\n  listen {{ .Port }};\n}\n# {{ now }}\n",
    "nginx.tmpl": "# {{ now }}\nserver {\n  listen {{ .Port }};\n}\n",
    "mail/welcome.tmpl": "Subject: Welcome\n\nHi {{ .Name }},\n\nYou can log in now: {{ now }}. You should reply.\n",
    "mail/invoice.mustache": "Dear {{name}},\n\nyour invoice of {{today}} is due.\n\nKind regards\n",
    "theme/sections/header.liquid": "{% schema %}{}{% endschema %}\n<div>{{ 'now' | date: '%H' }}</div>\n",
    "theme/product.liquid": "{{ product.title }} costs {{ product.price | money }}; {{ 'now' | date: '%s' }}\n",
    "web/page.hbs": "<div class='a'>{{#each items}}<li>{{name}}</li>{{/each}}<p>{{now}}</p></div>\n",
    "web/list.handlebars": "{{#each items}}<tr><td>{{name}}</td><td>{{now}}</td></tr>{{/each}}\n",
    "release/notes.hbs": "# Release {{version}} of {{date}}\n{{#each commits}}- {{subject}} ({{hash}})\n{{/each}}\n",
    "README.md.tmpl": "You are an expert. {{ now }}\n",
    "scripts/run.tmpl": "#!/bin/sh\nexport STARTED={{ now }}\n",
    "sql/report.mustache": "SELECT * FROM orders WHERE day = '{{today}}'\n",
    "docs/myagents.md": "You are an assistant. {{ now() }}\n",
}


@pytest.mark.parametrize("name", OTHERS)
def test_a_template_of_something_else_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(OTHERS[name])
    report = lint(["."], ALONE)
    assert report.lint is not None
    assert (report.findings, report.notes, report.lint.files, report.lint.errors) == ((), (), (), ())
    assert [where for where, _ in report.lint.skipped] == [name]


PROMPTS = {
    "a.erb": "You answer for <%= shop %>.\nIt is <%= Time.now %>.\n<% rules.each do |r| %><%= r %><% end %>\n",
    "b.tmpl": "You are a support agent.\nIt is {{ now }}.\n{{ range .Rules }}- {{ . }}{{ end }}\n",
    "c.hbs": "Your task is to answer. It is {{clock (now)}}.\n{{#each rules}}- {{this}}{{/each}}\n",
    "d.liquid": "system:\nIt is {{ 'now' | date: '%H' }}.\n{% for r in rules %}{{ r }}{% endfor %}\n",
    "e.mustache": "Answer in one line. The user is {{name}}, it is {{today}}.\n{{#rules}}{{.}}{{/rules}}{{a}}\n",
    "prompts/f.tmpl": "Shop: {{ .Shop }}\nIt is {{ now }}.\n{{ range .Rules }}- {{ . }}{{ end }}\n",
    "g.gotmpl": "<|im_start|>system\nIt is {{ now }}.\n{{ range .Rules }}- {{ . }}{{ end }}<|im_end|>\n",
    "h.prompty": "---\nname: a\n---\nsystem:\nIt is {{ now() }}. {{ a }}{{ b }}\nuser:\n{{ question }}\n",
    "i.prompt": '---\nmodel: a\n---\n{{role "system"}}It is {{today}}.{{role "user"}}{{question}}\n',
    "j.poml": "<poml><task>It is {{ Date.now() }}.</task><p>{{a}}{{b}}</p></poml>\n",
    "k.baml": 'function A(a: string) -> b {\n  prompt #"{{ _.role("system") }}It is {{ now() }}."#\n}\n',
    "l.prompt.md": "---\nmode: agent\n---\nIt is ${today}. Review the change with care and be brief.\n",
    "m.yaml": "template_format: handlebars\ntemplate: '<message role=\"system\">It is {{today}}.</message>'\n",
}


@pytest.mark.parametrize("name", PROMPTS)
def test_a_prompt_is_met_in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.chdir(tmp_path)
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(PROMPTS[name])
    report = lint(["."], ALONE)
    assert report.lint is not None
    assert [file.path for file in report.lint.files] == [name]
    assert len(report.findings) == 1


@pytest.mark.parametrize("name", ["AGENTS.md", "a/SKILL.md"])
def test_instructions_are_a_literal_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.chdir(tmp_path)
    path = Path(name)
    path.parent.mkdir(exist_ok=True)
    path.write_text("# Notes\nToday is 2026-11-29, 12:30:05. Use {{ now() }} and ${today} in templates.\n" * 30)
    report = lint(["."], ALONE)
    assert report.lint is not None
    assert [(file.path, file.what) for file in report.lint.files] == [(name, "text")]
    assert (report.findings, report.lint.errors) == ((), ())
    path.write_text(f"Be brief.\u200b {'Quote the number of the order in each answer. ' * 9}\n")
    assert [one.rule for one in lint(["."], ALONE).findings] == ["invisible-character-in-template"]


def test_a_file_that_is_gone_is_left_to_the_reader() -> None:
    assert why_left_alone("gone.prompt") is None
    assert why_left_alone("gone.json") is None
