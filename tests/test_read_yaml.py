"""YAML is read as PyYAML reads it, and nothing that it holds does harm."""

import json
import math
import subprocess
import sys
from pathlib import Path as File
from typing import Any

import pytest
import yaml
from hypothesis import given, settings

from promptlint.errors import PromptlintError
from promptlint.prompt import Json, Number
from promptlint.read.yaml_nodes import compose
from promptlint.read.yaml_text import parse
from yaml_texts import VALUES, document, dumped, value


def fault(text: str) -> str:
    with pytest.raises(PromptlintError) as caught:
        parse(document(text))
    return str(caught.value)


@pytest.fixture(params=["libyaml", "python"])
def loader(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """With libyaml, and without it."""
    compose.cache_clear()
    if request.param == "python":
        monkeypatch.delattr(yaml, "CSafeLoader")


SCALARS = """\
int: [1, -7, 0, 123456789012345678901234567890, 0x1F, +3]
float: [1.0, 1.10, -0.5, 1.5e+300, .5, 1., -0.0]
nulls: [null, ~, Null]
bool: [true, False, TRUE]
text: [2026-11-29, 2026-11-29T10:15:00Z, '5', "true", a b, 1.2.3, "", <<, =, 0xZZ]
tagged: [!!str 5, !!int "6", !!float 7.5, !!bool "yes", !!null "", !!binary aMOpCg==, !!binary /wA=]
null: key
5: key
true: key
anchors: &a [&b x, *b]
again: *a
"""


@pytest.mark.usefixtures("loader")
def test_scalars() -> None:
    numbers = value(SCALARS)
    assert numbers == {
        "int": [Number(t) for t in ("1", "-7", "0", "123456789012345678901234567890", "31", "3")],
        "float": [Number(t) for t in ("1.0", "1.10", "-0.5", "1.5e+300", "0.5", "1.0", "-0.0")],
        "nulls": [None, None, None],
        "bool": [True, False, True],
        "text": ["2026-11-29", "2026-11-29T10:15:00Z", "5", "true", "a b", "1.2.3", "", "<<", "=", "0xZZ"],
        "tagged": ["5", Number("6"), Number("7.5"), True, None, "hé\n", "/wA="],
        "null": "key",
        "5": "key",
        "true": "key",
        "anchors": ["x", "x"],
        "again": ["x", "x"],
    }
    assert parse(document(SCALARS))[1] == ()


@pytest.mark.usefixtures("loader")
@pytest.mark.parametrize("text", ["yes", "Off", "010", "1_000", "12:30:45", "0b11", "1e3", "1.5e3", "0o17"])
def test_what_yaml_1_2_reads_otherwise_is_noted(text: str) -> None:
    found, notes = parse(document(f"- 1\n- {text}\n- '{text}'\n"))
    reference = yaml.safe_load(text)
    assert isinstance(found, list)
    assert found[1:] == [reference if isinstance(reference, bool | str) else Number(str(reference)), text]
    assert notes == (f"line 2: {text} is read as in YAML 1.1 (PyYAML); in YAML 1.2 it means something else",)
    assert parse(document(f"- {text}\n" * 9))[1][3:] == ("6 further values that YAML 1.1 and 1.2 read differently",)


@pytest.mark.usefixtures("loader")
def test_merge_keys() -> None:
    """As yaml.org/type/merge.html says: own keys win, then the first mapping of a list. PyYAML 6.0.4 errs in lists."""
    text = (
        "a: &a {x: 1, y: 1}\nb: &b {y: 2, z: 2}\n"
        "c: {w: 0, <<: [*a, *b], z: 3}\nd: &d\n  <<: *a\n  y: 4\ne: {<<: *d}\nf: {<<: {}}\ng: {'<<': 1}\n"
    )
    found = plain(value(text))
    assert found["c"] == {"x": 1, "y": 1, "z": 3, "w": 0}
    assert (found["d"], found["e"], found["f"], found["g"]) == ({"x": 1, "y": 4}, {"x": 1, "y": 4}, {}, {"<<": 1})


def plain(found: Json) -> Any:
    if isinstance(found, dict):
        return {key: plain(held) for key, held in found.items()}
    if isinstance(found, list):
        return [plain(held) for held in found]
    return json.loads(found.text) if isinstance(found, Number) else found


@settings(deadline=None, max_examples=200)
@given(dumped(VALUES))
def test_what_pyyaml_writes_is_read_back(pair: tuple[Any, str]) -> None:
    """The reference is what PyYAML reads, which is not always what it was given."""
    _, text = pair
    reference = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    assert same(plain(value(text)), reference)


def same(found: Any, reference: Any) -> bool:
    if isinstance(reference, dict):
        names = [name if isinstance(name, str) else None for name in reference]
        return len(found) == len(names) and all(map(same, found.values(), reference.values()))
    if isinstance(reference, list):
        return len(found) == len(reference) and all(map(same, found, reference))
    if isinstance(reference, float):
        return math.isclose(found, reference, rel_tol=1e-15)
    return bool(found == reference)


@pytest.mark.usefixtures("loader")
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: 1\nb: 2\na: 3\n", "a.yaml:3:1: the key a is there twice, first in line 1; keep one of them"),
        ("{a: 1, 'a': 2}", "a.yaml:1:8: the key a is there twice, first in line 1; keep one of them"),
        ("<<: {}\n<<: {}\n", "a.yaml:2:1: the key << is there twice, first in line 1; keep one of them"),
        ("<<: [1]\n", "a.yaml:1:5: << takes a mapping, or a list of them; name one by its anchor"),
        ("? [a]\n: b\n", "a.yaml:1:3: a key that is a list or a mapping; a key is a text"),
        ("a: !!python/object/apply:os.system [x]", "a.yaml:1:4: the tag !!python/object/apply:os.system stands for "),
        (
            "a: !!python/name:os.system ''",
            "a.yaml:1:4: the tag !!python/name:os.system stands for more than plain data",
        ),
        ("- !Thing {a: 1}", "a.yaml:1:3: the tag !Thing stands for more than plain data; remove the tag"),
        ("!!set {a, b}", "a.yaml:1:1: the tag !!set stands for more than plain data; remove the tag"),
        ("a: !!binary '%'", "a.yaml:1:4: !!binary holds what is no base64; remove the tag if it is a text"),
        ("a: !!int x", "a.yaml:1:4: x is no number that JSON knows; put it in quotes if it is a text"),
        ("a: !!bool x", "a.yaml:1:4: x is no boolean; write true or false"),
        ("a: [1, .nan]", "a.yaml:1:8: .nan is no number that JSON knows; put it in quotes if it is a text"),
        ("a: " + "1_" * 5000 + "1", "a.yaml:1:4: 1_1_"),
        ("a: 1\n---\nb: 2\n", "a.yaml:2:1: a second YAML document begins here; keep one document in the file"),
        ("a: &a [*a]", "a.yaml:1:8: *a stands within what it names; write out what is meant"),
        ("a: *b", "a.yaml:1:4: not YAML (found undefined alias"),
        ("a: &a 1\nb: &a 2", "a.yaml:2:4: not YAML (found duplicate anchor"),
        ("a:\n\t- b", "a.yaml:2:1: not YAML (found character"),
        ("a: [b, c", "a.yaml:1:9: not YAML ("),
        ("a: 'b", "a.yaml:1:6: not YAML (found unexpected end of stream"),
        ("a: b: c", "a.yaml:1:5: not YAML (mapping values are not allowed"),
        ("a: \x00", "a.yaml:1:4: YAML forbids the raw character U+0000; write it as an escape in double quotes"),
        ("a: '\ufeff'", "a.yaml:1:5: YAML forbids the raw character U+FEFF"),
        ('a: "\\ud83d\\ude00"', "a.yaml:1:"),
    ],
)
def test_faults(text: str, message: str) -> None:
    assert fault(text).startswith(message)
    assert len(fault(text)) < 400


def test_hints() -> None:
    assert fault("a:\n\t- b").endswith("; YAML indents with spaces")
    assert fault("a: *b").endswith("; each anchor has a name of its own, and stands before its aliases")
    assert fault('"\\ud83d\\ude00"').endswith("; write the character itself")


@pytest.mark.usefixtures("loader")
@pytest.mark.parametrize("text", ["# nothing\n", "---\n", "---\n...\n", "\n\n"])
def test_an_empty_document_is_null(text: str) -> None:
    assert parse(document(text)) == (None, ())


LAUGHS = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{b}: &{b} [{','.join([f'*{a}'] * 9)}]\n" for a, b in zip("abcdefghi", "bcdefghij", strict=True)
)
CHAIN = "a0: &a0 {k: 1}\n" + "".join(f"a{i}: &a{i}\n  <<: *a{i - 1}\n  k{i}: 1\n" for i in range(1, 2000))
BOMBS = {
    "laughs": (LAUGHS, "aliases make the text more than 10 times as long; use fewer of them"),
    "merges": (CHAIN, "nested more than 100 levels deep; no request needs this"),
    "long": (f"a: &a '{'x' * 10**6}'\nb: [{'*a,' * 100}]", "aliases make the text more than 10 times as long"),
    "aliases": (f"a: &a 1\nb: [{'*a,' * 20_000}]", "more than 10,000 aliases; write out what they name"),
    "flow": ("[" * 200_000, ""),
    "block": ("- " * 100_000, "nested more than 100 levels deep"),
    "keys": ("? " * 100_000, "nested more than 100 levels deep"),
    "indents": ("".join(" " * i + "a:\n" for i in range(2000)), "nested more than 100 levels deep"),
    "digits": ("a: " + ":".join(["59"] * 3000), "is no number that JSON knows"),
    "tag": ("!" + "a" * 10**5 + " x", "stands for more than plain data"),
}


@pytest.mark.usefixtures("loader")
@pytest.mark.parametrize("name", BOMBS)
def test_bombs(name: str) -> None:
    text, message = BOMBS[name]
    assert message in fault(text)


def test_bombs_cost_no_memory(tmp_path: File) -> None:
    """All of them, one after the other, in a process that may hold 400 MB."""
    resource = pytest.importorskip("resource")
    assert resource
    for name, (text, _) in BOMBS.items():
        (tmp_path / f"{name}.yaml").write_text(text)
    script = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_AS, (400 << 20, 400 << 20))\n"
        "from promptlint.errors import PromptlintError\n"
        "from promptlint.read.sources import read\n"
        "from promptlint.read.yaml_text import parse\n"
        "for name in sys.argv[1:]:\n"
        "    try: parse(read(name))\n"
        "    except PromptlintError: print('refused')\n"
    )
    names = [str(tmp_path / f"{name}.yaml") for name in BOMBS]
    done = subprocess.run(
        [sys.executable, "-c", script, *names], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.split() == ["refused"] * len(BOMBS)


def test_more_values_than_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("promptlint.read.yaml_nodes.MAX_NODES", 100)
    assert value("- 1\n" * 99) == [Number("1")] * 99
    assert fault("- 1\n" * 100) == "a.yaml:100:3: more than 100 values; cut the file down"
