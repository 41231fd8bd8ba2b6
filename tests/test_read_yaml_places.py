"""A place in a YAML file gives back its text, however a scalar is written."""

import json
from itertools import pairwise
from pathlib import Path as File
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from promptlint.prompt import AtomKind, CharIndex, Json, Location, Number, Path, Spot
from promptlint.read.places import resolve
from promptlint.read.sources import read
from promptlint.read.yaml_nodes import compose
from promptlint.read.yaml_text import parse
from yaml_texts import TEXTS, document, dumped, value


@pytest.fixture(params=["libyaml", "python"])
def loader(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """With libyaml, and without it."""
    compose.cache_clear()
    if request.param == "python":
        monkeypatch.delattr(yaml, "CSafeLoader")


def place(text: str, *path: str | int | None, atom: AtomKind = "value", char: int = 0, end: int = 0) -> Location:
    spot = Spot(path, atom, CharIndex(char), CharIndex(max(char, end)))
    return resolve(document(text), [spot])[0]


def written(text: str, *path: str | int | None, atom: AtomKind = "value", char: int = 0, end: int = 0) -> str:
    found = place(text, *path, atom=atom, char=char, end=end)
    return text.encode()[found.start : found.end].decode()


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


def test_places_of_merged_keys() -> None:
    text = "a: &a {x: 1, y: 1}\nb: &b {y: 2, z: 2}\nc: {<<: [*a, *b]}\nd: &d\n  <<: *a\n  y: 4\ne: {<<: *d}\n"
    assert written(text, "c", "x", end=1) == "1"
    assert [place(text, *path).line for path in (("c", "y"), ("c", "z"), ("e", "y"))] == [1, 2, 6]


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
