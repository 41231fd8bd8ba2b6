"""The tracked string against str: equal answers, and every character of them at its own place."""

import json
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markupsafe import Markup, escape

from promptlint.render.template import serialise
from promptlint.render.template.pieces import SLIDING, cut, joined
from promptlint.render.template.tracked import Tracked, pieces_of
from promptlint.render.template.values import TrackedMarkup, track, untrack

ALPHABET = "abxyXYßéİ\u017f \t\n\r\u2028\u00a0|-%{}'\"\\<&😀\x00"
texts = st.text(ALPHABET, max_size=14)
short = st.text(ALPHABET, max_size=2)
counts = st.integers(-2, 4)
ends = st.none() | st.integers(-20, 20)


def at(path: str, text: str) -> Tracked:
    """A tracked text that stands at a path of its own."""
    tracked = track(text, (path,))
    assert type(tracked) is Tracked
    return tracked


def sources(*known: str) -> dict[tuple[Any, ...], str]:
    return {(f"v{index}",): text for index, text in enumerate(known)}


def assert_placed(result: str, known: dict[tuple[Any, ...], str]) -> None:
    """Every known character of the result stands at the place that its piece tells."""
    pieces = pieces_of(result)
    assert sum(piece[0] for piece in pieces) == len(result)
    assert all(piece[0] > 0 for piece in pieces)
    start = 0
    for length, kind, source, offset, _ in pieces:
        char = offset or 0
        text = str.__getitem__(result, slice(start, start + length))
        if kind == "value":
            assert known[source][char : char + length] == text
        elif kind == "changed":
            assert known[source][char : char + length].upper().casefold() == text.upper().casefold()
        elif kind == "spelled":
            assert known[source][char] != text
        start += length


def assert_alike(result: Any, want: Any, known: dict[tuple[Any, ...], str]) -> None:
    assert result == want
    for part in result if isinstance(result, list | tuple) else [result]:
        assert_placed(part, known)


ONE: list[Callable[[str], Any]] = [
    *(
        getattr(str, name) and partial(lambda name, text: getattr(text, name)(), name)
        for name in (
            *("upper", "lower", "capitalize", "title", "swapcase", "casefold"),
            *("strip", "lstrip", "rstrip", "split", "rsplit", "splitlines"),
        )
    ),
    lambda text: text.splitlines(True),
    lambda text: text[::-1],
    lambda text: [*text],
    lambda text: text.split(maxsplit=1),
    lambda text: text.rsplit(None, 1),
]


@settings(deadline=None)
@given(texts)
def test_methods_of_one_string(text: str) -> None:
    for method in ONE:
        assert_alike(method(at("v0", text)), method(text), sources(text))


@settings(deadline=None)
@given(texts, short, counts)
def test_methods_with_a_separator(text: str, other: str, count: int) -> None:
    methods: list[Callable[[str, str], Any]] = [
        lambda one, two: one.strip(two),
        lambda one, two: one.lstrip(two),
        lambda one, two: one.rstrip(two),
        lambda one, two: one.removeprefix(two),
        lambda one, two: one.removesuffix(two),
        lambda one, two: one + two + one,
        lambda one, two: one.replace(two, one, count),
        lambda one, two: one.replace(two, ""),
        lambda one, two: two.join([one, "-", two]),
        lambda one, two: two.join(one),
        lambda one, two: one * count + count * two,
        lambda one, two: one.split(two, count) if two else [],
        lambda one, two: one.rsplit(two, count) if two else [],
        lambda one, two: one.partition(two) if two else (),
        lambda one, two: one.rpartition(two) if two else (),
    ]
    for method in methods:
        assert_alike(method(at("v0", text), at("v1", other)), method(text, other), sources(text, other))
        assert_alike(method(at("v0", text), other), method(text, other), sources(text, other))
        assert_alike(method(text, at("v1", other)), method(text, other), sources(text, other))


@settings(deadline=None)
@given(texts, ends, ends, st.sampled_from([None, 1, 2, 3, -1, -2]))
def test_slices(text: str, start: int | None, end: int | None, step: int | None) -> None:
    tracked = at("v0", text + "|" + text)[:]
    assert_alike(tracked[start:end:step], str(text + "|" + text)[start:end:step], sources(text + "|" + text))
    for index in range(-len(text), len(text)):
        assert_alike(at("v0", text)[index], text[index], sources(text))
    with pytest.raises(IndexError):
        at("v0", text)[len(text)]


@settings(deadline=None)
@given(st.lists(st.sampled_from(["a", "%s", "%%", "é", "%(k)s"]), max_size=5), texts, short)
def test_percent(parts: list[str], one: str, two: str) -> None:
    form = "".join(parts)
    values: Any = {"k": one} if "%(k)s" in parts else (one, two, one, two, one)[: parts.count("%s")]
    tracked: Any = (
        {"k": at("v1", one)}
        if "%(k)s" in parts
        else tuple(at(f"v{1 + index % 2}", value) for index, value in enumerate(values))
    )
    try:
        want = form % values
    except (TypeError, ValueError):
        return
    assert_alike(at("v0", form) % tracked, want, sources(form, one, two))


@settings(deadline=None)
@given(texts, st.lists(st.integers(0, 14), max_size=6))
def test_what_is_cut_and_joined_is_what_it_was(text: str, edges: list[int]) -> None:
    pieces = pieces_of(at("v0", text) + at("v1", "x").upper() + at("v0", text)[1:])
    length = sum(piece[0] for piece in pieces)
    places = sorted({0, length, *(edge for edge in edges if edge < length)})
    assert joined(cut(pieces, pairwise(places))) == pieces
    assert cut(pieces, [(place, place) for place in places]) == [()] * len(places)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)


@settings(deadline=None)
@given(
    json_values, st.booleans(), st.sampled_from([None, 0, 2, "\t"]), st.sampled_from([None, (",", ":")]), st.booleans()
)
def test_json(value: Any, ascii_only: bool, indent: Any, separators: Any, sort: bool) -> None:
    value = [value]
    tracked = track(value, ("v",))
    assert untrack(tracked) == value
    want = json.dumps(value, ensure_ascii=ascii_only, indent=indent, separators=separators, sort_keys=sort)
    got = serialise.tojson(tracked, ascii_only, indent, separators, sort)
    assert got == want
    assert_written(got, value)


@settings(deadline=None)
@given(json_values)
def test_python_s_own_form(value: Any) -> None:
    got = serialise.representation(track([value], ("v",)))
    assert got == repr([value])
    assert_written(got, [value])


def assert_written(got: str, value: Any) -> None:
    """Every character of the texts and keys is known, and stands at its place."""
    assert type(got) is Tracked
    start = 0
    for length, kind, path, offset, _ in pieces_of(got):
        char = offset or 0
        text = str.__getitem__(got, slice(start, start + length))
        found = value
        for step in path[1:-1] if kind == "key" else path[1:]:
            found = found[step]
        assert kind in ("key", "value", "spelled", "serialised")
        if kind == "key":
            assert path[-1] in found
            assert path[-1][char : char + length] == text
        elif kind == "value":
            assert found[char : char + length] == text
        elif kind == "spelled":
            assert text.startswith("\\")
            assert found[char] not in text or found[char] in "\\'\""
        start += length
    assert start == len(got)


@settings(deadline=None)
@given(texts, texts)
def test_markup(one: str, two: str) -> None:
    left, right = at("v0", one), at("v1", two)
    for got, want in (
        (TrackedMarkup(left), Markup(one)),
        (TrackedMarkup(left) + right, Markup(one) + two),
        (left + TrackedMarkup(right), one + Markup(two)),
        (TrackedMarkup(left) + Markup("<b>"), Markup(one) + Markup("<b>")),
        (escape(TrackedMarkup(left)), escape(Markup(one))),
    ):
        assert got == want
        assert isinstance(got, Markup)
        assert_alike(str(got), str(want), sources(one, two))


def test_equal_parts_are_told_apart_by_their_place() -> None:
    def chars(parts: list[str]) -> list[int | None]:
        return [piece[3] for part in parts for piece in pieces_of(part)]

    assert chars(at("v0", "x x  x").split()) == [0, 2, 5]
    assert chars(at("v0", "x x x").rsplit(" ", 1)) == [0, 4]
    assert chars(at("v0", "x x x").rsplit()) == [0, 2, 4]
    assert chars([*at("v0", "xxx")[::-1]]) == [2, 1, 0]
    assert chars(at("v0", "xaxbx").replace("a", "").split("b")) == [0, 2, 4]
    assert "value" in SLIDING


def test_a_template_cannot_tell_it_from_str() -> None:
    for tracked, plain in (
        (track("a", ()), "a"),
        (track(1, ()), 1),
        (track(1.5, ()), 1.5),
        (TrackedMarkup("a"), Markup()),
    ):
        assert {name for name in dir(tracked) if not name.startswith("_")} == {
            name for name in dir(plain) if not name.startswith("_")
        }
        assert type(tracked).__name__ == type(plain).__name__
        assert isinstance(tracked, type(plain))
    assert hash(track("a", ())) == hash("a")
    assert {track("a", ()): 1}["a"] == 1
