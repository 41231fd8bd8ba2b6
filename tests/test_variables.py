"""Variables of templates, from files and from the command line."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from promptlint.errors import PromptlintError
from promptlint.load.variables import load_variables, parse_kwargs
from promptlint.prompt import CharIndex, Number, Spot
from promptlint.read.places import resolve
from promptlint.read.plain import plain
from promptlint.read.sources import read

YAML = """\
today: 2026-11-29
shop: 'Larch & Finch'
flags: {beta: true, retries: 3, share: 0.50}
rules:
  - Be brief.
  - |
    Quote the order.
    Never promise.
"""
VALUES = {
    "today": "2026-11-29",
    "shop": "Larch & Finch",
    "flags": {"beta": True, "retries": 3, "share": 0.5},
    "rules": ["Be brief.", "Quote the order.\nNever promise.\n"],
}


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def fault(argument: str) -> str:
    with pytest.raises(PromptlintError) as caught:
        load_variables(read(argument))
    return str(caught.value)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("v.yaml", YAML),
        ("v.yml", YAML.replace("\n", "\r\n")),
        ("v.txt", YAML),
        ("v", json.dumps(VALUES, indent=1)),
        ("v.json", json.dumps(VALUES)),
        ("v.jsonl#1", "{}\n" + json.dumps(VALUES) + "\n"),
        ("v.json#1", json.dumps([{}, VALUES], indent=1)),
        ("v.json#1", json.dumps([{}, VALUES])),
        ("v.yaml#1", "- {}\n- " + YAML.replace("\n", "\n  ")),
        ("v.yaml#0", YAML),
    ],
)
def test_files(name: str, text: str) -> None:
    Path(name.split("#")[0]).write_text(text, newline="")
    found = load_variables(read(name))
    assert plain(found.value) == VALUES
    (place,) = resolve(found.document, [Spot((*found.path, "shop"), "value", CharIndex(8), CharIndex(13))])
    data = Path(name.split("#")[0]).read_bytes()
    assert data[place.start : place.end] == b"Finch"
    assert place.line == data[: place.start].count(b"\n") + 1


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("v.yaml", "- a: 1\n- b: 2\n", "v.yaml: the file holds 2 sets of variables; name one of them with #N, from 0"),
        ("v.json#2", "[{},\n{}]", "v.json: there is no #2; the file holds #0 to #1"),
        ("v.yaml#1", "a: 1\nb: 2\n", "v.yaml: the file holds one set of variables; name it without #1"),
        ("v.json#1", '{"a": 1}', "v.json: the file holds one set of variables; name it without #1"),
        ("v.txt", "just text", "v.txt: the variables are a string; write a mapping: NAME: VALUE on each line"),
        ("v.yaml", "# nothing\n", "v.yaml: the variables are null; write a mapping: NAME: VALUE on each line"),
        ("v.json#0", "[1]", "v.json: the variables are a number; write a mapping: NAME: VALUE on each line"),
        ("v.json", '{"a": }', "v.json:1:7: not JSON, a value expected"),
        (
            "v.jsonl",
            '{"a": 1}\n{"a": 2}\n',
            "v.jsonl:2:1: the JSON value has ended, but text follows; if this is a JSONL",
        ),
        ("v.yaml", "a: 1\na: 2\n", "v.yaml:2:1: the key a is there twice, first in line 1; keep one of them"),
        ("v.yaml", "a: !!python/name:os.system ''\n", "v.yaml:1:4: the tag !!python/name:os.system stands for more"),
        ("v.yaml", "", "v.yaml is empty; "),
        ("none.yaml", "", "none.yaml does not exist; "),
    ],
)
def test_faults(name: str, text: str, message: str) -> None:
    if not name.startswith("none"):
        Path(name.split("#")[0]).write_text(text)
    assert fault(name).startswith(message)


def test_notes() -> None:
    Path("v.yaml").write_text("country: no\n")
    found = load_variables(read("v.yaml"))
    assert plain(found.value) == {"country": False}
    assert "line 1: no is read as in YAML 1.1" in found.notes[0]


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(PLAIN)
def test_plain_is_what_json_reads(value: Any) -> None:
    from promptlint.read import json_text

    text = json.dumps(value).replace("Infinity", "1e999")
    found = plain(json_text.parse_string(text))
    assert found == json.loads(text)
    assert repr(found) == repr(json.loads(text))


def test_plain_numbers() -> None:
    texts = ["1", "1.0", "-0", "-0.0", "1E2", "1e-7", "9" * 4000]
    assert [repr(plain(Number(t))) for t in texts] == [repr(json.loads(t)) for t in texts]
    with pytest.raises(PromptlintError) as caught:
        plain([Number("9" * 5000)])
    assert str(caught.value) == "a number of 5,000 digits cannot be rendered; put it in quotes"


@pytest.mark.parametrize(
    ("texts", "value"),
    [
        ([], {}),
        (["enable_thinking=false"], {"enable_thinking": False}),
        (["a=1", "b=1.5", "c=null", 'd="x"', "e=x y", "f=", "g=[1, {}]", "h=a=b", " i = 5"], None),
        (
            ['{"enable_thinking": false, "n": 2}', "tool_style=json"],
            {"enable_thinking": False, "n": 2, "tool_style": "json"},
        ),
        (["date=2026-11-29", "version=1.2.3", "n=NaN", "yes=yes"], None),
    ],
)
def test_kwargs(texts: list[str], value: dict[str, Any] | None) -> None:
    if value is None:
        value = {}
        for name, _, text in (part.partition("=") for part in texts):
            try:
                value[name.strip()] = json.loads(text, parse_constant=str)
            except ValueError:
                value[name.strip()] = text
    assert parse_kwargs(texts) == value


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (["enable_thinking"], "--template-kwargs enable_thinking has no value; write enable_thinking=VALUE"),
        ([""], "--template-kwargs  has no value; write NAME=VALUE"),
        (["=1"], "--template-kwargs =1: an empty name is no name; write NAME=VALUE"),
        (["a-b=1"], "--template-kwargs a-b=1: a-b is no name; write NAME=VALUE"),
        (['{"a b": 1}'], '--template-kwargs {"a b": 1}: a b is no name; write NAME=VALUE'),
        (["a=1", "a=2"], "--template-kwargs gives a twice; give it once"),
        (["a=1", '{"a": 1}'], "--template-kwargs gives a twice; give it once"),
        (
            ["a=False"],
            "--template-kwargs a=False is spelled as in Python; write a=false, or a='\"False\"' for the text",
        ),
        (["a=None"], "--template-kwargs a=None is spelled as in Python; write a=null, or a='\"None\"' for the text"),
        (["{a: 1}"], "--template-kwargs {a: 1} is not JSON ("),
        (["a=" + "9" * 5000], "a number of 5,000 digits cannot be rendered; put it in quotes"),
        (["a\x1b[31m=1"], "--template-kwargs a\\x1b[31m=1: a\\x1b[31m is no name"),
    ],
)
def test_bad_kwargs(texts: list[str], message: str) -> None:
    with pytest.raises(PromptlintError) as caught:
        parse_kwargs(texts)
    assert str(caught.value).startswith(message)


def test_a_python_text_can_be_given() -> None:
    assert parse_kwargs(['a="False"']) == {"a": "False"}


def test_values_are_those_of_pyyaml() -> None:
    Path("v.yaml").write_text(YAML)
    reference = yaml.safe_load(YAML)
    assert plain(load_variables(read("v.yaml")).value) == {**reference, "today": str(reference["today"])}
