"""A place gives back its text: JSON is written with a note of where each character went, and `resolve` must agree."""

import json
import re
from pathlib import Path as File
from random import Random
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from promptlint.prompt import AtomKind, CharIndex, Document, Location, Path, SourceByte, Spot
from promptlint.read.json_text import parse
from promptlint.read.places import pointer, resolve
from promptlint.read.sources import read

Offsets = list[int]  # where each character of a value begins, and where the last one ends
Placed = dict[tuple[Path, AtomKind], tuple[str, Offsets]]  # the decoded characters, and their offsets in the text


class Members(NamedTuple):
    """An object with its keys as written, repeated ones too."""

    pairs: list[tuple[str, Any]]


class Inner(NamedTuple):
    """A string that holds JSON text."""

    value: Any


def document(text: str, codec: str = "utf-8", start: int = 0, line: int = 1) -> Document:
    return Document("a.json", None, None, text.encode(codec), text, codec, SourceByte(start), line)


def spot(*path: str | int | None, atom: AtomKind = "value", char: int = 0, end: int | None = None) -> Spot:
    return Spot(path, atom, CharIndex(char), CharIndex(char if end is None else end))


def joined(text: str) -> str:
    """Pairs of surrogates as one character, as JSON reads them."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


CHARACTERS = st.sampled_from([*'ab-/~01 "\\{}[],:\n\t\r\x00', "é", "\u2028", "漢", "😀", "\ud83d", "\ude00"])
STRINGS = st.lists(CHARACTERS, max_size=8).map("".join).map(joined)
NUMBERS = st.sampled_from([0, -1, 12.5, 10**30, 1e300]).map(json.dumps).map(json.loads)
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.one_of(st.none(), st.booleans(), NUMBERS, STRINGS),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.lists(st.tuples(STRINGS, inner), max_size=4).map(Members),
        inner.map(Inner),
    ),
    max_leaves=12,
)


class Writer:
    """Writes JSON with random white space and escapes, and notes the places of all atoms."""

    def __init__(self, chance: Random, spaces: str) -> None:
        self.text = ""
        self.placed: Placed = {}
        self.starts: dict[Path, int] = {}
        self.chance = chance
        self.spaces = ["", "", *spaces, spaces]

    def gap(self) -> None:
        self.text += self.chance.choice(self.spaces)

    def note(self, path: Path, atom: AtomKind, characters: str, offsets: Offsets) -> None:
        self.placed[path, atom] = characters.replace("\ud83d", "\ufffd").replace("\ude00", "\ufffd"), offsets

    def raw(self, path: Path, begin: int) -> None:
        self.note(path, "value", self.text[begin:], list(range(begin, len(self.text) + 1)))

    def string(self, characters: str) -> Offsets:
        self.text += '"'
        offsets = []
        for character in characters:
            offsets.append(len(self.text))
            self.text += self.chance.choice(spellings(character))
        offsets.append(len(self.text))
        self.text += '"'
        return offsets

    def value(self, path: Path, value: Any) -> None:
        self.starts[path] = begin = len(self.text)
        if isinstance(value, str):
            self.note(path, "value", value, self.string(value))
        elif isinstance(value, Inner):
            self.inner(path, value)
        elif isinstance(value, Members):
            self.members(path, value)
            self.raw(path, begin)
        elif isinstance(value, list):
            self.elements(path, value)
            self.raw(path, begin)
        else:
            self.text += json.dumps(value)
            self.raw(path, begin)

    def inner(self, path: Path, value: Inner) -> None:
        writer = Writer(self.chance, " \n")
        writer.gap()
        writer.value((), value.value)
        offsets = self.string(writer.text)
        self.note(path, "value", writer.text, offsets)
        for (below, atom), (characters, own) in writer.placed.items():
            self.note((*path, None, *below), atom, characters, [offsets[place] for place in own])
        self.starts.update({(*path, None, *below): offsets[place] for below, place in writer.starts.items()})

    def members(self, path: Path, value: Members) -> None:
        last = {mended(key): number for number, (key, _) in enumerate(value.pairs)}
        self.text += "{"
        for number, (key, child) in enumerate(value.pairs):
            self.text += "," * (number > 0)
            self.gap()
            before = dict(self.placed), dict(self.starts)
            below = (*path, mended(key))
            self.note(below, "key", key, self.string(key))
            self.gap()
            self.text += ":"
            self.gap()
            self.value(below, child)
            self.gap()
            if last[mended(key)] != number:
                self.placed, self.starts = before
        if not value.pairs:
            self.gap()
        if "-" not in last:
            self.note((*path, "-"), "value", "", [len(self.text)])
        self.text += "}"

    def elements(self, path: Path, value: list[Any]) -> None:
        self.text += "["
        for number, child in enumerate(value):
            self.text += "," * (number > 0)
            self.gap()
            self.value((*path, number), child)
            self.gap()
        self.note((*path, "-"), "value", "", [len(self.text)])
        self.text += "]"


def mended(text: str) -> str:
    return re.sub("[\ud800-\udfff]", "\ufffd", text)


def spellings(character: str) -> list[str]:
    """All ways of JSON to write one character."""
    units = character.encode("utf-16-be", "surrogatepass").hex()
    escaped = "".join(f"\\u{units[i : i + 4]}" for i in range(0, len(units), 4))
    found = [escaped, re.sub("[a-f]", lambda m: m[0].upper(), escaped)]
    short = {"\n": "\\n", "\t": "\\t", "\r": "\\r", '"': '\\"', "\\": "\\\\", "/": "\\/"}
    found += [short[character]] * 2 if character in short else []
    if character >= " " and character not in '"\\' and not "\ud800" <= character <= "\udfff":
        found += [character] * 3
    return found


ROOTS = st.one_of(st.lists(VALUES, max_size=4), st.lists(st.tuples(STRINGS, VALUES), max_size=4).map(Members))


def write(root: Any, chance: Random, spaces: str) -> Writer:
    writer = Writer(chance, spaces)
    writer.gap()
    writer.value((), root)
    writer.gap()
    writer.placed.pop(((), "value"))
    return writer


def line_column(text: str, place: int) -> tuple[int, int]:
    breaks = [found.end() for found in re.finditer("\r\n|\r|\n", text) if found.end() <= place]
    return len(breaks) + 1, place - (breaks[-1] if breaks else 0) + 1


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> File:
    return tmp_path_factory.mktemp("places") / "a.json"


@settings(max_examples=300, deadline=None)
@given(
    root=ROOTS,
    chance=st.randoms(use_true_random=True),
    codec=st.sampled_from(["utf-8", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"]),
    mark=st.booleans(),
)
def test_place_gives_back_its_text(file: File, root: Any, chance: Random, codec: str, mark: bool) -> None:
    writer = write(root, chance, " \n\r\t")
    content = ("\ufeff" * mark + writer.text).encode(codec)
    file.write_bytes(content)
    found = read(str(file))
    parse(found)
    check(found, content, writer.text, writer.placed, chance)


@settings(max_examples=100, deadline=None)
@given(
    roots=st.lists(ROOTS, min_size=1, max_size=3),
    chance=st.randoms(use_true_random=True),
    codec=st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
    feed=st.sampled_from(["\n", "\r\n", "\n\n", "\n \r\n"]),
)
def test_place_in_a_record(file: File, roots: list[Any], chance: Random, codec: str, feed: str) -> None:
    writers = [write(root, chance, " \t\r") for root in roots]
    number = chance.randrange(len(roots))
    whole = feed.join(writer.text for writer in writers)
    content = whole.encode(codec)
    file.write_bytes(content)
    found = read(f"{file}#{number}")
    begin = sum(len(writer.text) + len(feed) for writer in writers[:number])
    placed = {
        key: (characters, [begin + offset for offset in offsets])
        for key, (characters, offsets) in writers[number].placed.items()
    }
    check(found, content, whole, placed, chance)


def check(found: Document, content: bytes, text: str, placed: Placed, chance: Random) -> None:
    """Random ranges of all atoms of `placed`, whose offsets count in the decoded text of the file."""
    mark = len(content) - len(text.encode(found.encoding))
    spots, wanted = [], []
    for (path, atom), (characters, offsets) in placed.items():
        char = chance.randint(0, len(characters))
        end = chance.randint(char, len(characters) + 2)
        spots.append(Spot(path, atom, CharIndex(char), CharIndex(end)))
        wanted.append((offsets[char], offsets[min(end, len(characters))], characters[char:end]))
    for location, (begin, stop, characters) in zip(resolve(found, spots), wanted, strict=True):
        raw = content[location.start : location.end].decode(found.encoding)
        assert raw == text[begin:stop]
        assert location.start == mark + len(text[:begin].encode(found.encoding))
        assert (location.line, location.column) == line_column(text, begin)
        assert raw == characters or "\\" in raw


@settings(max_examples=200, deadline=None)
@given(root=ROOTS, chance=st.randoms(use_true_random=True))
def test_unescaped_source_equals_the_value(root: Any, chance: Random) -> None:
    """The same law without the writer's offsets."""
    writer = write(root, chance, " \n")
    source = writer.text.encode()
    for (path, atom), (characters, _) in writer.placed.items():
        if None in path or not characters:
            continue  # escaped more than once
        char = chance.randrange(len(characters))
        (location,) = resolve(document(writer.text), [Spot(path, atom, CharIndex(char), CharIndex(len(characters)))])
        raw = source[location.start : location.end].decode()
        if source[location.end : location.end + 1] == b'"':
            raw = mended(json.loads(f'"{raw}"'))
        assert raw == characters[char:]


@settings(max_examples=200, deadline=None)
@given(root=ROOTS, chance=st.randoms(use_true_random=True))
def test_missing_path_gives_the_start_of_its_ancestor(root: Any, chance: Random) -> None:
    writer = write(root, chance, " \n")
    for path, begin in writer.starts.items():
        (location,) = resolve(document(writer.text), [spot(*path, "no such key", 7, char=3, end=9)])
        assert location.start == location.end == len(writer.text[:begin].encode())


@given(text=st.text(), char=st.integers(0, 50), size=st.integers(0, 50))
def test_plain_text(text: str, char: int, size: int) -> None:
    (location,) = resolve(document(text, "utf-16-le", 2), [spot(char=char, end=char + size)])
    assert (
        text.encode("utf-16-le")[location.start - 2 : location.end - 2].decode("utf-16-le") == text[char : char + size]
    )
    assert (location.line, location.column) == line_column(text, min(char, len(text)))


@given(text=st.text(), path=st.lists(st.one_of(st.text(), st.integers(0, 9), st.none()), max_size=4).map(tuple))
def test_any_text_and_path_give_a_location(text: str, path: Path) -> None:
    (location,) = resolve(document(text), [Spot(path, "key", CharIndex(0), CharIndex(1))])
    assert 0 <= location.start <= location.end <= len(text.encode())


def places(text: str, *spots: Spot) -> list[str]:
    return [text.encode()[place.start : place.end].decode() for place in resolve(document(text), list(spots))]


def test_last_duplicate_is_meant() -> None:
    text = '{"a": {"x": 1, "gone": 2}, "a": {"x": 3}}'
    found = resolve(document(text), [spot("a", "x", end=9), spot("a", "gone"), spot("a", atom="key", end=9)])
    assert [place.start for place in found] == [text.index("3"), text.rindex("{"), text.rindex("a")]


def test_strings_within_strings() -> None:
    text = json.dumps({"a": json.dumps({"b": json.dumps({"c": "x\n😀y"})})})
    assert places(text, spot("a", None, "b", None, "c", char=3, end=4)) == ["y"]
    assert places(text, spot("a", None, "b", None, "c", char=2, end=3)) == [r"\\\\ud83d\\\\ude00"]
    assert places(text, spot("a", None, "b", None, atom="value", end=1)) == ["{"]
    assert resolve(document(text), [spot("a", None, "z")])[0].start == text.index('{\\"b')


def test_ends() -> None:
    text = '{"a": [1, 2 ], "b": {"-": 5}, "c": [ ] }'
    starts = [
        place.start for place in resolve(document(text), [spot("a", "-"), spot("-"), spot("b", "-"), spot("c", "-")])
    ]
    assert starts == [text.index("]"), len(text) - 1, text.index("5"), text.rindex("]")]


def test_numbers_and_literals() -> None:
    assert places('[1.50, true, "x"]', spot(0, char=2, end=3), spot(1, char=1, end=9), spot(2, end=9)) == [
        "5",
        "rue",
        "x",
    ]


def test_line_breaks() -> None:
    text = '\r\n\r[\n\r\n"a\\r\\n",\r"b"]'
    assert [place[3:] for place in resolve(document(text, line=5), [spot(0), spot(1)])] == [(9, 2), (10, 2)]


def test_five_thousand_digits() -> None:
    assert resolve(document("[" + "7" * 5000 + ', "x"]'), [spot(1)])[0] == Location(
        "a.json", SourceByte(5004), SourceByte(5004), 1, 5005
    )


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ((), ""),
        (("a/b", "m~n", 0, "-"), "/a~1b/m~0n/0/-"),
        (("a", None, "b", 1), ("/a", "/b/1")),
        (("a", None), ("/a", "")),
        ((None, "x", None, 0), ("", "/x", "/0")),
    ],
)
def test_pointer(path: Path, expected: str | tuple[str, ...]) -> None:
    assert pointer(path) == expected
