"""The YAML above a prompt: where the prompt begins, in which language it is, and that nothing in it is resolved."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import ROOT
from promptlint.errors import PromptlintError
from promptlint.load.front_matter import language_of, split
from promptlint.load.prompt_files.reading import of_file
from promptlint.prompt import Document, SourceByte
from promptlint.read.lines import locations
from promptlint.read.sources import read
from promptlint.template import Hole, Template
from test_delimited import rebuilt

SAMPLES = ROOT / "fixtures" / "formats"


def document(text: str, path: str = "a.prompty") -> Document:
    return Document(path, None, None, text.encode(), text, "utf-8", SourceByte(0), 1)


def template(text: str, path: str) -> Template:
    (placed,) = of_file(document(text, path))
    return placed.template


def places(held: Template, of: Document) -> list[tuple[str, int, int]]:
    """Each hole with its line and column."""
    found = [part.range for part in held.parts if isinstance(part, Hole)]
    rows = locations(of, [(at.start, at.end) for at in found])
    return [(of.text[at.start : at.end], row.line, row.column) for at, row in zip(found, rows, strict=True)]


@given(st.text(alphabet="-a: \n\r{}é\ufeff", max_size=40))
def test_the_parts_of_a_file_are_all_of_it(text: str) -> None:
    try:
        found = split(document(text))
    except PromptlintError:
        return
    if found is not None:
        assert text[: found.begin].strip("\ufeff").startswith("---")
        assert text[found.end : found.body].startswith("---")
        assert 0 < found.begin <= found.end < found.body <= len(text)


@pytest.mark.parametrize(
    ("text", "body"),
    [
        ("---\na: 1\n---\nbody", "body"),
        ("---\r\na: 1\r\n---\r\nbody", "body"),
        ("\ufeff---\na: 1\n--- \nbody", "body"),
        ("---\n---\nbody", "body"),
        ("---\na: 1\n---", ""),
        ("---\na: 1\nb: '---'\n---\nbody\n---\n", "body\n---\n"),
        ("---\na: 1\n", None),
        ("body\n---\na: 1\n---\n", None),
        ("----\na: 1\n---\n", None),
    ],
)
def test_where_a_prompt_begins(text: str, body: str | None) -> None:
    found = split(document(text))
    assert (None if found is None else text[found.body :]) == body


@pytest.mark.parametrize(
    ("head", "language"),
    [
        ("name: a", "jinja"),
        ("template: jinja2", "jinja"),
        ("template: mustache", "mustache"),
        ("template: {type: mustache}", "mustache"),
        ("template: {format: {kind: mustache}}", "mustache"),
        ("template: {format: {kind: jinja2}, parser: {kind: prompty}}", "jinja"),
        ("template: {format: mustache}", "mustache"),
        ("template: {format: {kind: other}}", None),
    ],
)
def test_the_language_of_a_prompty(head: str, language: str | None) -> None:
    found = split(document(f"---\n{head}\n---\n"))
    assert found is not None
    assert language_of(found.value) == language


HOLES = {
    "18_support.v1.prompty": [("{{today}}", 18, 2), ("{{question}}", 18, 13)],
    "18_support.v2.prompty": [("{{today}}", 32, 10), ("{{question}}", 36, 1)],
    "19_support.prompt": [("{{today}}", 13, 10), ("{{this}}", 15, 18), ("{{question}}", 18, 1)],
    "more/review.prompt.md": [
        ("${selection}", 7, 8),
        ("${file}", 7, 24),
        ("${input:focus:what to look at}", 7, 50),
    ],
    "more/AGENTS.md": [],
    "more/skills/orders/SKILL.md": [],
}


@pytest.mark.parametrize("name", HOLES)
def test_the_holes_of_a_sample_stand_in_its_file(name: str) -> None:
    held = read((SAMPLES / name).as_posix())
    (placed,) = of_file(held)
    assert places(placed.template, held) == HOLES[name]
    matter = split(held)
    begin = 0 if matter is None else matter.body
    assert rebuilt(placed.template, begin) == held.text[begin:]
    assert (matter is None) == (name == "more/AGENTS.md")


@pytest.mark.parametrize("body", ["a {{ b }} c", "a\n{% if b %}c{% endif %}\n", "{{ d }}", "\n\n{{ d }}", "x"])
@pytest.mark.parametrize("line", ["\n", "\r\n"])
def test_a_body_in_jinja_is_read_where_it_stands(body: str, line: str) -> None:
    text = f"---\nname: é\n---\n{body}".replace("\n", line)
    held = template(text, "a.prompty")
    begin = text.index("---", 5) + 3 + len(line)
    assert rebuilt(held, begin) == text[begin:]
    assert held.parts[0].range.start >= begin
    alone = template(body.replace("\n", line), "a.prompty")
    assert [getattr(part, "text", "") for part in held.parts] == [getattr(part, "text", "") for part in alone.parts]


def test_prompty_tells_its_messages_apart() -> None:
    held = template("---\nname: a\n---\nsystem:\nBe brief.\n\nuser:\n{{question}}\n", "a.prompty")
    assert [turn.role for turn in held.turns] == ["system", "user"]
    other = template("---\nname: a\n---\nThe user: asks\nuser [x]\n", "a.prompty")
    assert other.turns == ()


@pytest.mark.parametrize(
    ("path", "text", "said"),
    [
        ("a.prompt", "---\nmodel: [a\n---\nx", "a.prompt:3:1: not YAML"),
        ("a.prompty", "---\nname: a\nname: b\n---\nx", "a.prompty:3:1: the key 'name' is there twice"),
        ("a.prompt", "---\nmodel: a\n---\nx {{#if y", "a.prompt:4:3: '{{' is not closed"),
        ("a.prompty", "---\nname: a\n---\nx\n{% if y", "a.prompty:5: "),
        ("a.prompty", "---\ntemplate: other\n---\nx", "the language of its template is not known"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(path: str, text: str, said: str) -> None:
    with pytest.raises(PromptlintError) as error:
        template(text, path)
    assert said.replace("'", "") in error.value.message.replace("'", "")


def test_what_is_not_quite_yaml_is_taken_where_agents_take_it() -> None:
    text = "---\nname: a\ndescription: Use when: asked\n---\nBe brief.\n"
    assert template(text, "SKILL.md").parts[0].range.start == text.index("Be")
    with pytest.raises(PromptlintError):
        template(text, "a.prompt")


def test_nothing_is_resolved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEY", "secret")
    (tmp_path / "b.txt").write_text("secret")
    path = tmp_path / "a.prompty"
    path.write_text("---\nkey: ${env:KEY}\nsample: file://b.txt\nmore: ${file:b.txt}\n---\nx {{ y }}\n")
    (placed,) = of_file(read(path.as_posix()))
    notes = [note.rpartition("a.prompty:")[2] for note in placed.template.notes]
    assert notes == ["3: 'b.txt' is not followed", "4: 'b.txt' is not followed"]
    assert "secret" not in repr(placed)
