"""YAML is read as PyYAML reads it, and a place gives back its text."""

import json
import math
import subprocess
import sys
from itertools import pairwise
from pathlib import Path as File
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from promptlint.errors import PromptlintError
from promptlint.prompt import AtomKind, CharIndex, Document, Json, Location, Number, Path, SourceByte, Spot
from promptlint.read.places import resolve
from promptlint.read.sources import read
from promptlint.read.yaml_nodes import compose
from promptlint.read.yaml_text import parse


def document(text: str, codec: str = "utf-8") -> Document:
    return Document("a.yaml", None, None, text.encode(codec), text, codec, SourceByte(0), 1, syntax="yaml")


def value(text: str) -> Json:
    return parse(document(text))[0]


def place(text: str, *path: str | int | None, atom: AtomKind = "value", char: int = 0, end: int = 0) -> Location:
    spot = Spot(path, atom, CharIndex(char), CharIndex(max(char, end)))
    return resolve(document(text), [spot])[0]


def written(text: str, *path: str | int | None, atom: AtomKind = "value", char: int = 0, end: int = 0) -> str:
    found = place(text, *path, atom=atom, char=char, end=end)
    return text.encode()[found.start : found.end].decode()


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


# Values.

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
    assert written(text, "c", "x", end=1) == "1"
    assert place(text, "c", "y").line == 1
    assert place(text, "e", "y").line == 6


def plain(found: Json) -> Any:
    if isinstance(found, dict):
        return {key: plain(held) for key, held in found.items()}
    if isinstance(found, list):
        return [plain(held) for held in found]
    return json.loads(found.text) if isinstance(found, Number) else found


CHARACTERS = st.sampled_from(
    [*"aab#-:?|>&*!%@`'\"\\{}[], \n\t~0", "é", "\x85", "\u2028", "漢", "😀", "\r", "\x00", " ", "\n"]
)
TEXTS = st.text(CHARACTERS, max_size=30)
NUMBERS = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=10,
)
STYLES = st.sampled_from([None, None, "'", '"', "|", ">"])
DUMPERS = st.sampled_from([yaml.SafeDumper, getattr(yaml, "CSafeDumper", yaml.SafeDumper)])


@st.composite
def dumped(draw: st.DrawFn, values: st.SearchStrategy[Any]) -> tuple[Any, str]:
    """A value, and the YAML that PyYAML writes for it."""
    given_value = draw(values)
    text: str = yaml.dump(
        given_value,
        Dumper=draw(DUMPERS),
        default_style=draw(STYLES),
        default_flow_style=draw(st.sampled_from([True, False, None])),
        width=draw(st.sampled_from([10, 20, 80])),
        indent=draw(st.sampled_from([2, 4, 9])),
        allow_unicode=draw(st.booleans()),
        sort_keys=False,
        line_break=draw(st.sampled_from(["\n", "\r\n"])),
        explicit_start=draw(st.booleans()),
    )
    return given_value, text


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


# Places.


def leaves(found: Json, path: Path = ()) -> list[tuple[Path, AtomKind, str]]:
    if isinstance(found, dict):
        keys: list[tuple[Path, AtomKind, str]] = [((*path, key), "key", key) for key in found]
        return keys + [leaf for key, held in found.items() for leaf in leaves(held, (*path, key))]
    if isinstance(found, list):
        return [leaf for index, held in enumerate(found) for leaf in leaves(held, (*path, index))]
    return [(path, "value", found)] if isinstance(found, str) else []


def means(spelled: str, character: str) -> bool:
    """Whether a stretch of a YAML file is one way to write a character."""
    if spelled == character or spelled == "''" == character * 2:
        return True
    if spelled.startswith("\\"):
        return bool(yaml.safe_load(f'"{spelled}"') == character)
    return character in " \n" and not spelled.strip() and bool(spelled)


@settings(deadline=None, max_examples=300)
@given(
    dumped(st.recursive(TEXTS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3)))
)
def test_a_place_gives_back_its_text(pair: tuple[Any, str]) -> None:
    _, text = pair
    found = document(text)
    for path, atom, characters in leaves(parse(found)[0]):
        if not path:
            continue
        spots = [Spot(path, atom, CharIndex(i), CharIndex(i + 1)) for i in range(len(characters))]
        places = resolve(found, spots)
        spelled = [found.data[p.start : p.end].decode() for p in places]
        assert all(map(means, spelled, characters))
        assert all(a.end <= b.start for a, b in pairwise(places))
        whole = resolve(found, [Spot(path, atom, CharIndex(0), CharIndex(len(characters)))])[0]
        assert not places or (whole.start, whole.end) == (places[0].start, places[-1].end)


HAND = """\
# a comment
plain: one two
  three

  four
'single': 'it''s
  folded   '
double: "tab\\there \\u00e9\\x41\\
  joined \\
  \\ spaced\\n"
literal: |
  first
    second

  third
folded: &name >-
  one
  two

  three
    kept
  four
indented: |2
    two more
   one more
tagged: !!str   # why
  5
number: 0x1F
list:
- a
- {b: c, 'd e': [1, 22]}
empty: ''
nothing:
last: &z [x, *name]
"""


@pytest.mark.usefixtures("loader")
@pytest.mark.parametrize("feed", ["\n", "\r\n"])
@pytest.mark.parametrize(
    ("path", "part", "spelled"),
    [
        (("plain",), "o three\nfour", "o\n  three\n\n  four"),
        (("single",), "t's f", "t''s\n  f"),
        (("double",), "tab\there", "tab\\there"),
        (("double",), "éA", "\\u00e9\\x41"),
        (("double",), "joined  spaced", "joined \\\n  \\ spaced"),
        (("literal",), "  second\n\nthird", "  second\n\n  third"),
        (("literal",), "third\n", "third\n"),
        (("folded",), "one two\nthree", "one\n  two\n\n  three"),
        (("folded",), "  kept\nfour", "  kept\n  four"),
        (("indented",), "  two more\n one more", "  two more\n   one more"),
        (("tagged",), "5", "5"),
        (("list", 0), "a", "a"),
        (("list", 1, "b"), "c", "c"),
    ],
)
def test_hand_written_scalars(path: Path, part: str, spelled: str, feed: str) -> None:
    text = HAND.replace("\n", feed)
    found: Any = value(text)
    for step in path:
        found = found[step]
    at = found.index(part)
    assert written(text, *path, char=at, end=at + len(part)) == spelled.replace("\n", feed)


@pytest.mark.usefixtures("loader")
def test_other_places() -> None:
    assert written(HAND, "list", 1, "d e", atom="key", end=3) == "d e"
    assert written(HAND, "number", end=9) == "0x1F"
    assert written(HAND, "list", 1, end=99) == "{b: c, 'd e': [1, 22]}"
    assert written(HAND, "list", end=99) == "- a\n- {b: c, 'd e': [1, 22]}"
    assert written(HAND, "list", 1, "d e", 1, end=2) == "22"
    assert place(HAND, "empty")[1:] == (*(HAND.index("''\n") + 1,) * 2, 32, 9)
    assert place(HAND, "list", 1, "d e", "-").start == HAND.index("]}")
    assert place(HAND, "list", "-").start == HAND.index("\nempty")
    assert place(HAND, "last", 1, char=0).line == place(HAND, "folded").line
    assert place(HAND, "list", 7, "x").line == HAND[: HAND.index("- a")].count("\n") + 1
    assert place(HAND, "list", 1, "no", "such").start == HAND.index("{b")
    assert place(HAND, "absent").start == HAND.index("plain")
    assert place(HAND, "plain", None, "x").start == HAND.index("one two")
    assert place("- &a [x]\n- b:\n  - *a\n", 1, "b", "-").start == 20
    assert place("", "a").start == 0
    assert place("{", "a", 0).start == 0
    assert written(HAND, char=2, end=11) == "a comment"


def test_places_of_what_has_no_characters_of_its_own() -> None:
    assert place("a: !!binary aGk=\n", "a", char=1, end=2)[1:] == (12, 12, 1, 13)
    assert place("a: |\n \n\nb: 1\n", "a", char=0, end=1)[1:] == (3, 3, 1, 4)


BODY = {"model": "m", "messages": [{"role": "user", "content": 'A "tab"\tand é 😀\nsecond line ' + "word " * 30}]}


@pytest.mark.parametrize("style", [None, "'", '"', "|", ">"])
@pytest.mark.parametrize("ascii_only", [True, False])
def test_places_inside_json_inside_yaml(style: str | None, ascii_only: bool) -> None:
    text = yaml.dump({"body": json.dumps(BODY, ensure_ascii=ascii_only)}, default_style=style, allow_unicode=True)
    content = BODY["messages"][0]["content"]  # type: ignore[index]
    path = ("body", None, "messages", 0, "content")
    for part in ("A ", "and", "second", "word word"):
        at = content.index(part)
        assert written(text, *path, char=at, end=at + len(part)).split() == part.split()
    assert written(text, *path, char=3, end=6) == "tab"
    quote = written(text, *path, char=2, end=3)
    assert "".join(quote.split()) in (('\\\\\\"', '\\\\\\\\"') if style == '"' else ('\\"',))
    assert written(text, "body", None, "model", atom="key", end=5) == "model"


def test_files_of_any_encoding(tmp_path: File) -> None:
    text = "# é\r\na: 'x😀\r\n  y'\r\nb: [1]\r\n"
    for codec in ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-32"):
        file = tmp_path / f"{codec}.yaml"
        file.write_bytes((("\ufeff" if codec == "utf-16-le" else "") + text).encode(codec))
        found = read(str(file))
        assert parse(found)[0] == {"a": "x😀 y", "b": [Number("1")]}
        at = resolve(found, [Spot(("a",), "value", CharIndex(1), CharIndex(2))])[0]
        assert (at.line, at.column) == (2, 6)
        assert file.read_bytes()[at.start : at.end].decode(found.encoding) == "😀"


# Faults.


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
