"""Files and documents of prompts in `promptlint lint`: what is said of each sample, and of what looks like one."""

import json
from pathlib import Path
from typing import Any

import pytest

from conftest import ROOT
from promptlint.commands.lint import lint
from promptlint.commands.lint_settings import LintOptions
from promptlint.finding import Report

SAMPLES = ROOT / "fixtures" / "formats"
ALONE = LintOptions(cache=False, render=False)
NEXT = "\n"
STAYS = "Quote the number of the order in each answer, and never promise a refund.\n" * 12


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def places(report: Report) -> list[tuple[str, str, int, int]]:
    return [(one.rule, one.severity, one.location.line, one.location.column) for one in report.findings]


def linted(text: str, name: str) -> Report:
    Path(name).write_text(text, encoding="utf-8")
    return lint([name], ALONE)


def errors(report: Report) -> tuple[str, ...]:
    assert report.lint is not None
    return report.lint.errors


TOLD: dict[str, list[tuple[str, str, int, int]]] = {
    "18_support.v1.prompty": [],
    "18_support.v2.prompty": [("varying-text-ahead", "info", 32, 12)],
    "19_support.prompt": [("varying-text-ahead", "info", 13, 12)],
    "more/AGENTS.md": [],
    "more/skills/orders/SKILL.md": [],
    "more/review.prompt.md": [],
    "more/bedrock_prompt.get_prompt.json": [],
    "more/agent.baml": [("varying-text-ahead", "info", 18, 40)],
    "more/langchain_prompt.json": [("varying-text-ahead", "info", 8, 26)],
    "more/langchain_prompt.yaml": [("varying-text-ahead", "info", 5, 13)],
    "more/semantic_kernel.yaml": [("varying-text-ahead", "info", 5, 60)],
    "more/support.poml": [],
    "more/support.mustache": [("varying-text-ahead", "info", 1, 27)],
    "more/support.tmpl": [("date-in-template", "warning", 1, 13)],
    "more/support.erb": [("clock-in-template", "error", 1, 14)],
    "20_promptfooconfig.yaml": [
        ("clock-in-template", "error", 3, 13),
        ("unordered-loop", "info", 7, 22),
        ("varying-text-ahead", "info", 8, 13),
    ],
}


@pytest.mark.parametrize("name", TOLD)
def test_what_is_said_of_a_sample(name: str) -> None:
    report = lint([(SAMPLES / name).as_posix()], ALONE)
    assert places(report) == TOLD[name]
    assert errors(report) == ()
    assert report.lint is not None
    assert report.lint.files[0].what in ("template", "text", "template list")


def test_the_samples_are_met_in_their_folder() -> None:
    report = lint([SAMPLES.as_posix()], ALONE)
    assert report.lint is not None
    met = {file.path.removeprefix(f"{SAMPLES.as_posix()}/") for file in report.lint.files}
    assert met >= TOLD.keys()


def wrapped(first: str) -> dict[str, tuple[str, str]]:
    """The same prompt in each language, `first` as the name of what it prints first, with its file's name."""
    return {
        "handlebars": ("a.hbs", f"It is {{{{{first}}}}}.\n{STAYS}"),
        "mustache": ("a.mustache", f"It is {{{{{first}}}}}.\n{STAYS}"),
        "dotprompt": ("a.prompt", f"---\nmodel: a\n---\nIt is {{{{{first}}}}}.\n{STAYS}"),
        "prompty": ("a.prompty", f"---\nname: a\n---\nIt is {{{{{first}}}}}.\n{STAYS}"),
        "liquid": ("a.liquid", f"It is {{{{ {first} }}}}.\n{STAYS}"),
        "go": ("a.tmpl", f"It is {{{{ .{first} }}}}.\n{STAYS}"),
        "erb": ("a.erb", f"It is <%= {first} %>.\n{STAYS}"),
        "poml": ("a.poml", f"<poml><p>It is {{{{{first}}}}}.\n{STAYS}</p></poml>"),
        "editor": ("a.prompt.md", f"---\nmode: agent\n---\nIt is ${{{first}}}.\n{STAYS}"),
        "baml": ("a.baml", f'function A(a: string) -> string {{\n  prompt #"It is {{{{ {first} }}}}.\n{STAYS}"#\n}}\n'),
        "langchain": ("a.json", json.dumps({"_type": "prompt", "template": f"It is {{{first}}}.\n{STAYS}"})),
        "untyped": (
            "a.yaml",
            f"input_variables: [a]\ntemplate: |\n  It is {{{first}}}.\n  {STAYS.replace(NEXT, ' ')}\n",
        ),
        "serialised": ("a.json", json.dumps(constructed("PromptTemplate", template=f"It is {{{first}}}.\n{STAYS}"))),
        "kernel": (
            "a.json",
            json.dumps({"template_format": "semantic-kernel", "template": f"{{{{${first}}}}} {STAYS}"}),
        ),
        "skprompt": ("skprompt.txt", f"It is {{{{${first}}}}}.\n{STAYS}"),
        "bedrock": ("a.json", json.dumps(bedrock(text={"text": f"It is {{{{{first}}}}}.\n{STAYS}"}))),
        "promptfoo": ("a.json", json.dumps({"prompts": [f"It is {{{{{first}}}}}.\n{STAYS}"], "providers": []})),
    }


def constructed(name: str, **held: Any) -> dict[str, Any]:
    return {"lc": 1, "type": "constructor", "id": ["langchain", "prompts", name], "kwargs": held}


def bedrock(**held: Any) -> dict[str, Any]:
    return {"name": "a", "variants": [{"name": "v1", "templateConfiguration": held}]}


@pytest.mark.parametrize("kind", wrapped("a"))
def test_a_time_ahead_is_told_in_each_kind_of_file_and_a_twin_is_not(kind: str) -> None:
    name, text = wrapped("current_time")[kind]
    report = linted(text, name)
    assert [(one.rule, one.severity) for one in report.findings] == [("varying-text-ahead", "warning")]
    found = report.findings[0]
    assert found.excerpt is not None
    assert found.excerpt[found.mark[0] : found.mark[1]].lstrip(".$") == "current_time"
    data = text.encode()[found.location.start : found.location.end].decode()
    assert data.lstrip(".$") == "current_time"
    assert places(linted(wrapped("shop_name")[kind][1], name)) == []


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.hbs", "{{!-- promptlint: ignore[varying-text-ahead] -- fixed by the caller --}}\n{{now}} "),
        ("a.mustache", "{{! promptlint: ignore[varying-text-ahead] -- fixed by the caller }}\n{{now}} "),
        ("a.liquid", "{% comment %} promptlint: ignore[varying-text-ahead] -- fixed {% endcomment %}\n{{now}} "),
        ("a.tmpl", "{{/* promptlint: ignore[varying-text-ahead] -- fixed by the caller */ -}}\n{{.Now}} "),
        ("a.erb", "<%# promptlint: ignore[varying-text-ahead] -- fixed by the caller -%>\n<%= now %> "),
        ("a.poml", "<!-- promptlint: ignore[varying-text-ahead] -- fixed by the caller -->\n{{now}} "),
        ("a.prompty", "---\nname: a\n---\n{# promptlint: ignore[varying-text-ahead] -- fixed #}\n{{now}} "),
        ("a.prompt.md", "<!-- promptlint: ignore[varying-text-ahead] -- fixed by the caller -->\n${now} "),
        ("a.baml", '// promptlint: ignore-file[varying-text-ahead] -- fixed\nfunction A() -> b {\n prompt #"{{now}} '),
        ("a.yaml", "# promptlint: ignore-file[varying-text-ahead] -- fixed\n_type: prompt\ntemplate: |\n  {now} "),
    ],
)
def test_a_comment_of_the_language_answers_a_finding(name: str, text: str) -> None:
    stays = STAYS.replace("\n", " ")
    text += f'{stays}"#\n}}\n' if name == "a.baml" else f"{stays}\n"
    report = linted(text, name)
    assert report.findings == ()
    assert report.lint is not None
    (answered,) = report.lint.suppressed
    assert answered.finding.rule == "varying-text-ahead"
    assert answered.reason in ("fixed", "fixed by the caller")


CHAT = {
    "system": [{"text": "You answer for a shop. It is {{today}}."}],
    "messages": [{"role": "user", "content": [{"text": "{{question}}"}]}],
}


def test_a_system_text_is_followed_by_the_conversation() -> None:
    report = linted(json.dumps(bedrock(chat=CHAT)), "a.json")
    (found,) = report.findings
    assert (found.rule, found.severity, found.lost_tokens) == ("varying-text-ahead", "info", None)
    assert "the whole conversation behind it" in found.message
    assert found.pointer == "/variants/0/templateConfiguration/chat/system/0/text"
    turned = {"system": [{"text": "You answer for a shop."}], "messages": CHAT["messages"]}
    turned["messages"] = [{"role": "user", "content": [{"text": "It is {{today}}. {{question}}"}]}]
    assert places(linted(json.dumps(bedrock(chat=turned)), "a.json")) == []


def test_a_cache_point_of_bedrock_is_a_breakpoint() -> None:
    point = {"cachePoint": {"type": "default"}}
    system = [{"text": STAYS}, point, {"text": "It is {{current_time}}."}]
    assert places(linted(json.dumps(bedrock(chat={**CHAT, "system": system})), "a.json")) == []
    system = [{"text": "It is {{current_time}}."}, {"text": STAYS}, point]
    (found,) = linted(json.dumps(bedrock(chat={**CHAT, "system": system})), "a.json").findings
    assert (found.severity, "up to the breakpoint" in found.message) == ("warning", True)


def chat_of(system: str) -> dict[str, Any]:
    def message(kind: str, text: str) -> dict[str, Any]:
        return constructed(f"{kind}MessagePromptTemplate", prompt=constructed("PromptTemplate", template=text))

    history = constructed("MessagesPlaceholder", variable_name="history")
    return constructed(
        "ChatPromptTemplate", messages=[message("System", system), history, message("Human", "{question}")]
    )


def test_a_serialised_chat_is_one_template_over_its_texts() -> None:
    (found,) = linted(json.dumps(chat_of("It is {today}. Be brief.")), "a.json").findings
    assert found.pointer == "/kwargs/messages/0/kwargs/prompt/kwargs/template"
    assert "the whole conversation" in found.message
    assert places(linted(json.dumps(chat_of("Be brief.")), "a.json")) == []
    plain = {
        "_type": "chat",
        "messages": [["system", "It is {today}."], ["placeholder", "{history}"], ["human", "{q}"]],
    }
    assert [one.pointer for one in linted(json.dumps(plain), "a.json").findings] == ["/messages/0/1"]


def test_a_block_scalar_and_an_escape_keep_their_places() -> None:
    stays = STAYS.replace("\n", " ")
    text = f"name: a\ntemplate_format: liquid\ntemplate: >\n  It is\n  {{{{ current_time }}}}.\n  {stays}\n"
    (found,) = linted(text, "a.yaml").findings
    assert (found.location.line, found.location.column) == (5, 6)
    escaped = '{"_type": "prompt", "template": "\\u00dcber \\"{current_time}\\". ' + STAYS.replace("\n", "\\n") + '"}'
    (found,) = linted(escaped, "a.json").findings
    assert escaped[found.location.column - 1 :].startswith("current_time")


def promptfoo(*prompts: Any) -> str:
    return json.dumps({"prompts": list(prompts), "providers": ["a"]})


def test_promptfoo_follows_texts_in_its_folder_and_nothing_else(here: Path) -> None:
    (here / "in").mkdir()
    clock = f"It is {{{{ now() }}}}.\n{STAYS}"
    for name in ("in/a.txt", "in/b.j2", "in/c.py", "out.txt"):
        (here / name).write_text(clock)
    (here / "in" / "link.txt").symlink_to(here / "out.txt")
    rows = [
        "file://a.txt",
        "b.j2",
        {"id": "x", "raw": clock},
        "file://c.py:make",
        "file://../out.txt",
        "file://link.txt",
    ]
    report = linted(promptfoo(*rows, "file://gone.txt", "file://p*.txt"), "in/promptfooconfig.json")
    assert sorted(one.location.path for one in report.findings) == ["in/a.txt", "in/b.j2", "in/promptfooconfig.json"]
    notes = "\n".join(report.notes)
    for name in ("c.py:make", "../out.txt", "link.txt", "gone.txt", "p*.txt"):
        assert f"{name}' is not followed" in notes
    assert errors(report) == ()


def test_a_prompt_that_cannot_be_read_is_noted_and_the_others_are_told() -> None:
    report = linted(promptfoo("{{ a", f"It is {{{{ now() }}}}.\n{STAYS}"), "a.json")
    assert [one.pointer for one in report.findings] == ["/prompts/1"]
    assert any("prompts/0 is left out" in note for note in report.notes)


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.hbs", "one\n{{#if a}}", "a.hbs:2:1: if is not closed"),
        ("a.erb", "<%= a", "a.erb:1:1: "),
        ("a.prompt", "---\na: [\n---\n", "a.prompt:3:1: not YAML"),
        ("a.baml", 'function A {\n prompt #"a', "a.baml:2:9: "),
    ],
)
def test_a_named_file_that_cannot_be_read_is_an_error_with_its_place(name: str, text: str, said: str) -> None:
    (error,) = errors(linted(text, name))
    assert error.startswith(said)
    report = lint(["."], ALONE)
    assert (errors(report), report.findings) == ((), ())


def test_text_in_handlebars_under_another_name_is_read(here: Path) -> None:
    report = linted(
        f"It is {{{{current_time}}}}.\n{{{{#each rules}}}}- {{{{this}}}}\n{{{{/each}}}}\n{STAYS}", "prompt.txt"
    )
    assert [one.rule for one in report.findings] == ["varying-text-ahead"]


def test_a_folder_of_semantic_kernel_tells_the_language(here: Path) -> None:
    (here / "config.json").write_text('{"schema": 1, "template_format": "handlebars"}')
    assert [one.rule for one in linted(f"{{{{#if a}}}}x{{{{/if}}}} {{{{now}}}} {STAYS}", "skprompt.txt").findings] == [
        "varying-text-ahead"
    ]


def test_fixes_leave_other_languages_alone(here: Path) -> None:
    text = f"<% flags.each do |k, v| %><%= k %><% end %>\n{STAYS}<%= Time.now %>\n{STAYS}"
    (here / "a.erb").write_text(text)
    report = lint(["a.erb"], ALONE._replace(fix=True, unsafe_fixes=True))
    assert {one.rule for one in report.findings} == {"unordered-loop", "clock-in-template"}
    assert (here / "a.erb").read_text() == text
    assert all("dictsort" not in one.fix for one in report.findings)


def test_declared_variables_count(here: Path) -> None:
    (here / "promptlint.yaml").write_text("variables: {shop_name: per-request, current_time: stable}\n")
    name, text = wrapped("shop_name")["erb"]
    assert [one.rule for one in linted(text, name).findings] == ["varying-text-ahead"]
    assert linted(wrapped("current_time")["erb"][1], name).findings == ()


CLEAN = {
    "a.prompty": "---\nname: a\n---\nsystem:\nYou answer for a shop since 2019-03-01.\n"
    "\nuser:\n[{{today}}] {{question}}\n",
    "a.prompt": '---\nmodel: a\n---\n{{role "system"}}You answer for {{shop}}. {{#each rules}}- {{this}}\n{{/each}}'
    '{{history}}{{role "user"}}It is {{now}}. {{question}}',
    "a.hbs": "You are a reviewer of {{language}} code.\n{{#if strict}}Be strict.{{/if}}\n"
    "{{#each letters}}On {{date}}: {{text}}\n{{/each}}{{question}}\n",
    "a.liquid": "You answer for {{ shop }}.\n{% for order in orders %}{{ order.date | date: '%F' }}: {{ order.id }}\n"
    "{% endfor %}\n"
    "{{ question }} It is {{ 'now' | date: '%H:%M' }}.",
    "a.tmpl": 'You answer for {{ .Shop }}.\n{{ range .Orders }}{{ .Time | date "15:04" }} {{ .ID }}\n'
    "{{ end }}{{ .Question }}"
    " (asked at {{ now }})",
    "a.erb": "You answer for <%= shop %>.\n<% orders.each do |order| -%>\n- <%= order.created_at.strftime('%F') %>\n"
    "<% end -%>\n"
    "<%= question %> <%= Time.now %>",
    "a.baml": 'function A(q: string, today: string) -> string {\n  client B\n  prompt #"\n    {{ _.role("system") }}\n'
    '    You answer for a shop.\n    {{ _.role("user") }}\n    {{ today }} {{ q }}\n  "#\n}\n',
    "a.json": json.dumps({"_type": "prompt", "template": f"{STAYS}\nToday is {{today}}. {{question}}"}),
}  # fmt: skip


@pytest.mark.parametrize("name", CLEAN)
def test_nothing_is_said_of_a_clean_prompt(name: str) -> None:
    report = linted(CLEAN[name], name)
    assert (places(report), errors(report)) == ([], ())
