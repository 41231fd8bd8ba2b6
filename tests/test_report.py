"""The writers: expected outputs, the JSON contract, and what no reader of a report may be exposed to."""

import json
import re
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

import report_samples as samples
from conftest import ROOT, Expected
from promptlint.errors import PromptlintError
from promptlint.finding import Report
from promptlint.report import FORMS, write
from promptlint.report.escape import line, width

SCHEMA = json.loads((ROOT / "promptlint/schemas/report.schema.json").read_text())
CONTRACT = jsonschema.Draft202012Validator(SCHEMA)
PLAIN = ("text", "concise", "markdown")
FIXTURES = ROOT / "fixtures/report"

any_text = st.lists(
    st.text(st.characters(exclude_categories=()), max_size=12)
    | st.sampled_from([*samples.HOSTILE, *samples.SECRETS, "::", "##[", " ", "·", "\\", "e\u0301", "`", "|", "\r\n"]),
    max_size=5,
).map("".join)
pointers = any_text.map(lambda text: f"/{text}") | st.tuples(any_text, any_text)


@st.composite
def places(draw: st.DrawFn) -> Any:
    excerpt = draw(st.none() | any_text)
    ends = sorted(draw(st.tuples(*[st.integers(0, len(excerpt or ""))] * 2)))
    char = ends[0] + draw(st.integers(0, 3))
    return samples.place(
        excerpt,
        (ends[0], ends[1]),
        path=draw(any_text),
        pointer=draw(pointers),
        char=char,
        atom=draw(st.sampled_from(["key", "value"])),
    )


@st.composite
def reports(draw: st.DrawFn) -> Report:
    count = st.none() | st.integers(0, 10**7)
    changes = [
        samples.change(
            draw(any_text),
            draw(any_text),
            draw(places()),
            draw(places()),
            affects=draw(st.sampled_from(["prefix", "suffix", "key", "nothing"])),
            certainty=draw(st.sampled_from(["certain", "possible", "unknown"])),
            also=tuple(draw(st.lists(pointers, max_size=2))),
            shared_tokens=draw(count),
            alone_tokens=draw(count),
            fix=draw(any_text),
        )
        for _ in range(draw(st.integers(0, 3)))
    ]
    texts = {name: draw(any_text) for name in ("why", "token_note", "band")}
    report = samples.report(
        *changes,
        verdict=draw(st.sampled_from(["same", "kept", "bust", "refused", "wrong_reuse", "unknown"])),
        notes=tuple(draw(st.lists(any_text, max_size=2))),
        lost_tokens=draw(count),
        usable_tokens=draw(count),
        **texts,
    )
    return report._replace(folders=draw(st.booleans()), findings=report.findings[: draw(st.integers(0, 3))])


@pytest.mark.parametrize("name", samples.SAMPLES)
@pytest.mark.parametrize("form", FORMS)
def test_expected(name: str, form: str, expected: Expected) -> None:
    expected(FIXTURES / f"{name}.{form}.expected", write(samples.SAMPLES[name](), form))


def test_every_expected_file_is_compared() -> None:
    assert {path.name for path in FIXTURES.glob("*.expected")} == {
        f"{name}.{form}.expected" for name in samples.SAMPLES for form in FORMS
    }


def test_colour_adds_nothing_but_codes() -> None:
    for make in samples.SAMPLES.values():
        plain, painted = write(make(), "text"), write(make(), "text", color=True)
        assert painted != plain
        assert re.sub(r"\x1b\[[0-9]+(;[0-9]+)*m", "", painted) == plain


def test_unknown_format() -> None:
    with pytest.raises(PromptlintError, match="text, concise, json, sarif, github, gitlab, junit, markdown"):
        write(samples.same(), "yaml")


@given(reports(), st.integers(40, 120))
def test_text_is_harmless_and_fits(report: Report, columns: int) -> None:
    text = write(report, "text", width=columns)
    check_harmless(text)
    longest = 20 + max(width(token) for token in unbreakable(report))
    assert all(width(row) <= max(columns, longest) for row in text.split("\n"))
    assert re.sub(r"\x1b\[[0-9]+(;[0-9]+)*m", "", write(report, "text", width=columns, color=True)) == text


@given(reports())
def test_concise_is_one_line_for_each_change_that_costs_reuse(report: Report) -> None:
    text = write(report, "concise")
    check_harmless(text)
    changes = [change for diff in report.diffs for change in diff.changes]
    told = {(change.cause, change.message) for change in changes}
    others = [found for found in report.findings if (found.rule, found.message) not in told]
    breaking = [change for change in changes if change.severity != "info"]
    assert text.count("\n") == 1 + len(breaking) + len(others)


@given(reports(), st.booleans())
def test_json_keeps_the_contract(report: Report, excerpts: bool) -> None:
    text = write(report, "json", excerpts=excerpts)
    assert text.isascii()
    check_harmless(text)
    value = json.loads(text)
    CONTRACT.validate(value)
    assert json.loads(json.dumps(value)) == value


def test_json_gives_back_the_strings() -> None:
    """Whatever the characters: what is no secret comes back as it was."""
    for text in samples.HOSTILE:
        change = samples.change("c", text, samples.place(text, (1, 3), char=1), samples.place(None), fix=text)
        back = json.loads(write(samples.report(change, notes=(text,)), "json"))
        told = back["diff"]["changes"][0]
        assert (told["message"], told["fix"], back["notes"]) == (text, text, [text])
        assert told["a"]["excerpt"][slice(*told["a"]["mark"])] == text[1:3]
        assert (told["b"]["excerpt"], told["b"]["mark"], told["b"]["absent"]) == (None, None, True)


def test_schema_is_strict() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    value = json.loads(write(samples.bust(), "json"))
    for path in (
        (),
        ("diff",),
        ("diff", "a"),
        ("diff", "boundary"),
        ("diff", "changes", 0),
        ("diff", "changes", 0, "b"),
        ("findings", 0),
    ):
        broken = json.loads(json.dumps(value))
        inner = broken
        for step in path:
            inner = inner[step]
        inner["surprise"] = 1
        assert not CONTRACT.is_valid(broken), path
        del inner["surprise"]
        assert CONTRACT.is_valid(broken)
        for name in list(inner):
            kept = inner.pop(name)
            assert not CONTRACT.is_valid(broken), (path, name)
            inner[name] = kept


def test_every_object_of_the_schema_is_described() -> None:
    for name, node in SCHEMA["$defs"].items():
        assert node["description"], name
        for key, field in node.get("properties", {}).items():
            assert field.get("description") or "$ref" in field, (name, key)


def test_hidden_excerpts() -> None:
    canary = "canary-text"
    change = samples.change("clock", "It changed.", samples.place(canary, (1, 3)), samples.place(None))
    for form in FORMS:
        assert canary not in write(samples.report(change), form, excerpts=False)
        assert (canary in write(samples.report(change), form)) == (form in ("text", "json", "markdown"))
    value = json.loads(write(samples.report(change), "json", excerpts=False))
    sides = [value["diff"]["changes"][0][name] for name in "ab"]
    assert [(side["excerpt"], side["absent"]) for side in sides] == [(None, False), (None, True)]
    assert "hidden" in value["notes"][-1]


@pytest.mark.parametrize("secret", samples.SECRETS)
@pytest.mark.parametrize("form", FORMS)
def test_secrets_never_appear(secret: str, form: str) -> None:
    excerpt = f"key = {secret} end"
    other = excerpt[:18] + "Z" + excerpt[19:]
    place = samples.place(excerpt, (18, 19), path=f"{secret}.json", pointer=f"/{secret}")
    change = samples.change("c", f"from {secret} on", place, samples.place(other, (18, 19)), fix=secret, also=(secret,))
    text = write(samples.report(change, notes=(secret,), why=secret, token_note=secret), form)
    for start in range(max(7, secret.find("Bearer ") + 11), len(secret) - 6):
        assert json.dumps(secret[start : start + 6])[1:-1] not in text


def test_two_secrets_still_differ() -> None:
    one, two = "use sk-abcd1234efgh5678ijkl now", "use sk-abcd1234efXX5678ijkl now"
    change = samples.change("c", "m", samples.place(one, (17, 19)), samples.place(two, (17, 19)))
    text = write(samples.report(change), "text")
    assert text.count("use sk-a*********??******** now") == 2
    assert "  | " + " " * 17 + "^^" in text


def check_harmless(text: str) -> None:
    """Printable characters and line feeds; nothing that the runners of GitHub and Azure obey."""
    assert text.endswith("\n")
    assert all(char.isprintable() for char in text.replace("\n", ""))
    assert not any(row.strip().startswith("::") for row in text.split("\n"))
    assert not re.search(r"##[A-Za-z]*\[", text)


def unbreakable(report: Report) -> list[str]:
    """What a line may not be broken in: words, paths, pointers."""
    prose = [*report.notes, "an-unbreakable-word"]
    whole: list[str] = []
    pointers = [found.pointer for found in report.findings]
    for diff in report.diffs:
        prose += [diff.boundary.why, diff.boundary.token_note, diff.boundary.band]
        for change in diff.changes:
            prose += [change.message, change.fix]
            whole += [change.cause, change.a.path, change.b.path]
            pointers += [*change.also, change.a.pointer, change.b.pointer]
    whole += [found.location.path for found in report.findings]
    joined = [line(each) if isinstance(each, str) else " > ".join(map(line, each)) for each in pointers]
    return [*map(line, whole), *joined, *(word for text in prose for word in line(text).split(" "))]


def test_line_numbers_open_in_an_editor() -> None:
    first, *rest = write(samples.bust(), "concise").splitlines()
    assert first.startswith("bust: before.json -> after.json: about 3,630 of 3,630 cached tokens lost")
    assert all(re.fullmatch(r"after\.json:\d+:\d+: (error|warning) [a-z-]+: .+", row) for row in rest)
