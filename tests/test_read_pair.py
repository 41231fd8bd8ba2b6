"""Two documents that are read together give what each gives alone, and share what is equal."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptlint.load import load
from promptlint.prompt import CharIndex, Document, SourceByte, Spot
from promptlint.read import sources
from promptlint.read.json_pair import parse_pair
from promptlint.read.json_text import parse
from promptlint.read.lines import locations
from promptlint.read.places import resolve
from promptlint.read.raw import common_prefix, common_suffix, decode_pair
from promptlint.read.sources import read, read_pair

texts = st.text(alphabet="ab\u00e9\u4e2d\U0001f600\n\r", max_size=12)
values = st.recursive(
    st.none() | st.booleans() | st.integers(0, 99) | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=12,
)
bodies = st.fixed_dictionaries(
    {"model": texts, "messages": st.lists(st.dictionaries(texts, values, max_size=3), max_size=5)}
)


def equal_start(a: str, b: str) -> int:
    return next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))


@given(texts, texts)
def test_shared_ends_of_two_texts(a: str, b: str) -> None:
    assert common_prefix(a, b) == equal_start(a, b)
    assert common_suffix(a, b, 99) == equal_start(a[::-1], b[::-1])
    assert common_suffix(a, b, 1) <= 1
    assert common_prefix("x" + a, b, 1) == common_prefix(a, b)


def test_shared_ends_of_large_texts() -> None:
    body = "x" * 1_000_000
    assert common_prefix(body + "a", body + "b") == common_suffix("a" + body, "b" + body, 2_000_000) == 1_000_000


@given(texts, texts, texts, texts)
def test_a_pair_is_decoded_as_each_alone(head: str, a: str, b: str, tail: str) -> None:
    old, new = (head + a + tail).encode(), (head + b + tail).encode()
    for found, data, other in zip(decode_pair(old, new), (old, new), (new, old), strict=True):
        assert found.text == data.decode()
        (start, start_byte), (end, end_byte) = found.anchors
        assert found.text[:start].encode() == data[:start_byte] == other[:start_byte]
        assert found.text[:end].encode() == data[:end_byte]
        assert other.endswith(data[end_byte:])
        assert start <= end


@pytest.fixture
def together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(sources, "_LARGE", 0)

    def write(*contents: bytes) -> tuple[Document, Document]:
        paths = [tmp_path / name for name in ("a.json", "b.json")]
        for path, content in zip(paths, contents, strict=True):
            path.write_bytes(content)
        return read_pair(*map(str, paths))

    return write


def _documents(a: str, b: str) -> tuple[Document, Document]:
    old, new = decode_pair(a.encode(), b.encode())
    first, second = (
        Document(name, None, None, found.text.encode(), found.text, "utf-8", SourceByte(0), 1, found.anchors)
        for name, found in (("a", old), ("b", new))
    )
    return first, second


@given(bodies, bodies, st.integers(0, 3), st.sampled_from([None, 1]))
def test_a_pair_is_parsed_as_each_alone(a: Any, b: Any, keep: int, indent: int | None) -> None:
    b["messages"] = a["messages"][:keep] + b["messages"] + a["messages"][keep:]
    documents = _documents(*(json.dumps(value, ensure_ascii=False, indent=indent) for value in (a, b)))
    for parsed, document in zip(parse_pair(*documents), documents, strict=True):
        value, notes = parse(document)
        assert parsed is not None
        assert parsed.value == value
        assert notes == ()
        for begin, end in parsed.ends.items():
            json.loads(document.text[begin:end])


@given(bodies, texts, st.data())
def test_places_are_those_of_a_document_read_alone(a: Any, extra: str, data: st.DataObject) -> None:
    b = json.loads(json.dumps(a))
    b["messages"].insert(data.draw(st.integers(0, len(b["messages"]))), {"added": extra})
    documents = _documents(
        *(json.dumps(value, ensure_ascii=False, indent=data.draw(st.sampled_from([None, 2]))) for value in (a, b))
    )
    for parsed, document in zip(parse_pair(*documents), documents, strict=True):
        alone = document._replace(anchors=())
        spots = [Spot(("messages", i), "value", CharIndex(0), CharIndex(1)) for i in range(7)]
        spots += [Spot(("messages", i, "added"), "value", CharIndex(1), CharIndex(3)) for i in range(7)]
        assert parsed is not None
        assert resolve(document, spots, parsed.ends) == resolve(alone, spots)
        ranges = [(i, min(i + 2, len(document.text))) for i in range(0, len(document.text), 3)]
        assert locations(document, ranges) == locations(alone, ranges)


@pytest.mark.parametrize(
    "text",
    [
        '{"a":1,"a":2}',
        '{"m":[{"a":1,"a":2}]}',
        '{"a":NaN}',
        '{"a":1',
        '{"a":1}x',
        '{"a":1,}',
        '{"m":[{},]}',
        '{"a" 1}',
        "{1:2}",
        '{"a":"\\ud83d"}',
        "[" * 2000,
    ],
)
def test_what_the_plain_parser_has_to_tell_is_left_to_it(text: str) -> None:
    assert parse_pair(*_documents('{"a":1}', text)) == (None, None)
    assert parse_pair(*_documents(text, '{"a":1}')) == (None, None)


def test_equal_entries_are_shared(together: Any) -> None:
    messages = [{"role": "user", "content": f"message {i} \u4e2d"} for i in range(40)]
    a, b = (
        json.dumps({"model": "m", "messages": some}, ensure_ascii=False).encode()
        for some in (messages, [*messages[:20], {"role": "user", "content": "new"}, *messages[20:]])
    )
    old, new = together(a, b)
    first, second = parse_pair(old, new)
    assert first is not None
    assert second is not None
    bodies: list[Any] = [first.value, second.value]
    x, y = (body["messages"] for body in bodies)
    assert [y[i] is x[i] for i in range(20)] == [True] * 20
    assert [y[i + 1] is x[i] for i in range(21, 40)] == [True] * 19  # message 20 begins as the new one does
    assert load(old, parsed=first).items == load(read(old.path)).items


def test_documents_of_other_encodings_are_read_one_by_one(together: Any) -> None:
    body = json.dumps({"model": "m", "messages": []})
    old, new = together(body.encode("utf-16"), body.encode())
    assert (old.anchors, new.anchors) == ((), ())
    assert old.text == new.text == body
