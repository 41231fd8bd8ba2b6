"""JSON text to values: what json.loads gives, with number texts kept and every fault a clear message."""

import json
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptlint.errors import PromptlintError
from promptlint.prompt import Document, Json, Number, SourceByte
from promptlint.read.json_text import MAX_DEPTH, parse, parse_string


def document(text: str, line: int = 1, record: int | None = None) -> Document:
    return Document("a.json", None, record, text.encode(), text, "utf-8", SourceByte(0), line)


def value(text: str) -> Json:
    return parse(document(text))[0]


def notes(text: str) -> tuple[str, ...]:
    return parse(document(text))[1]


def plain(found: Json) -> Any:
    """The value as json.loads would give it."""
    if isinstance(found, Number):
        return json.loads(found.text)
    if isinstance(found, list):
        return [plain(child) for child in found]
    if isinstance(found, dict):
        return {key: plain(child) for key, child in found.items()}
    return found


JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.text()),
    lambda inner: st.one_of(st.lists(inner, max_size=5), st.dictionaries(st.text(), inner, max_size=5)),
)


@given(sent=JSON, ascii_only=st.booleans())
def test_equals_json_loads(sent: Any, ascii_only: bool) -> None:
    text = json.dumps(sent, ensure_ascii=ascii_only)
    found = value(text)
    assert plain(found) == sent
    assert json.dumps(plain(found)) == json.dumps(sent), "the order of keys"
    assert plain(parse_string(text)) == sent


def test_numbers_stay_as_sent() -> None:
    texts = ["1", "1.0", "1e2", "1E+02", "-0", "-0.0", "9" * 5000, "1e999999999", "0.1000"]
    assert value(f"[{','.join(texts)}]") == [Number(text) for text in texts]
    assert parse_string(f"[{','.join(texts)}]") == [Number(text) for text in texts]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "a.json:1:1: the JSON ends too early, a value expected; is the file complete?"),
        (
            '{"a": [1,\n 2',
            "a.json:2:3: the JSON ends too early, a comma or a closing bracket expected; is the file complete?",
        ),
        ('{"a"', "a.json:1:5: the JSON ends too early, a colon expected; is the file complete?"),
        ("{", "a.json:1:2: the JSON ends too early, a key in double quotes expected; is the file complete?"),
        ('[\r"abc', "a.json:2:1: the string that begins here has no closing quote; is the file complete?"),
        ('{"a": 1 "b": 2}', "a.json:1:9: not JSON, a comma or a closing bracket expected"),
        ("{'a': 1}", "a.json:1:2: not JSON, a key in double quotes expected; JSON writes strings in double quotes"),
        ("[True]", "a.json:1:2: not JSON, a value expected; this is Python; json.dumps writes JSON"),
        ("[\ufeff1]", "a.json:1:2: not JSON, a value expected; the invisible character U+FEFF stands here"),
        ('["a\nb"]', "a.json:1:4: a raw control character in a string; JSON writes it as an escape such as \\n"),
        (r'["\x"]', "a.json:1:3: not an escape that JSON knows"),
        ('["a", NaN]', "a.json:1:7: NaN is not JSON; write null, or a finite number"),
        ('["NaN \\"NaN", "\\\\",\n-Infinity]', "a.json:2:1: -Infinity is not JSON; write null, or a finite number"),
        (
            '{"a": 1}\n{"a": 2}',
            "a.json:2:1: the JSON value has ended, but text follows; "
            "if this is a JSONL log, a.json#0 is its first record",
        ),
    ],
)
def test_faults(text: str, message: str) -> None:
    with pytest.raises(PromptlintError) as caught:
        value(text)
    assert str(caught.value) == message


@pytest.mark.parametrize("text", ["[1,]", '{"a":1,}', '{"a":1\n, }'])
def test_trailing_comma(text: str) -> None:
    """Where it is told depends on the version of Python."""
    with pytest.raises(PromptlintError, match=r"^a\.json:[12]:\d: not JSON, .*expected"):
        value(text)


def test_fault_in_a_record_has_the_line_of_the_file() -> None:
    with pytest.raises(PromptlintError, match=r"^a\.json:7:4: .*; each line of a JSONL holds one value$"):
        parse(document("{} {}", line=7, record=3))


@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}")])
def test_depth(opening: str, closing: str) -> None:
    def nested(depth: int) -> str:
        return opening * depth + "1" + closing * depth

    assert value(nested(MAX_DEPTH))
    assert parse_string(nested(MAX_DEPTH))
    for text in (nested(MAX_DEPTH + 1), nested(900), nested(10**6), opening * 10**6):
        with pytest.raises(PromptlintError, match=r"^a\.json: brackets are nested more than 256 levels deep; "):
            value(text)
        with pytest.raises(ValueError, match="nested too deeply"):
            parse_string(text)


def test_depth_of_accepted_values_leaves_room_for_walks() -> None:
    assert sys.getrecursionlimit() > 3 * MAX_DEPTH


def test_duplicate_keys() -> None:
    text = '{"a": 1,\n "b": [{"x/y": 1, "z": 2,\n "x/y": 3}],\n "a": 4}'
    assert value(text) == {"a": Number("4"), "b": [{"x/y": Number("3"), "z": Number("2")}]}
    assert notes(text) == (
        "duplicate key /a (line 4): the last one counts",
        "duplicate key /b/0/x~1y (line 3): the last one counts",
    )


OBJECT = '{"a": 1, "a": 2}'


def test_many_duplicate_keys_are_counted() -> None:
    def array(count: int) -> str:
        return f"[{','.join([OBJECT] * count)}]"

    assert len(notes(array(3))) == 3
    assert notes(array(40))[3:] == ("37 further objects with duplicate keys",)
    assert notes(array(4000))[3:] == ("997 or more further objects with duplicate keys",)


def test_duplicate_within_what_a_duplicate_replaced() -> None:
    assert notes('{"a": {"b": 1, "b": 2}, "a": 3}')[0] == "duplicate key /a (line 1): the last one counts"


def test_lone_surrogates_become_replacement_characters() -> None:
    text = r'{"a": ["x\ud83dy", "\ud83d\ude00", "\ude00\ud83d"], "k\udfff": {"b": "\\ud83d"}}'
    found, said = parse(document(text))
    assert found == {"a": ["x\ufffdy", "😀", "\ufffd\ufffd"], "k\ufffd": {"b": "\\ud83d"}}
    assert [note.partition(":")[0] for note in said] == ["/k\ufffd", "/a/0", "/a/2"]
    assert all("a lone surrogate was replaced by U+FFFD" in note for note in said)
    assert parse_string(text) == found


def test_lone_surrogate_alone() -> None:
    assert parse(document(r'"\ud83d"'))[0] == "\ufffd"
    assert parse_string(r'["\ud83d"]') == ["\ufffd"]


@given(st.lists(st.sampled_from([r"\ud83d", r"\ude00", r"\u0041", r"\\", "x", "ud83d", "é"])).map("".join))
def test_no_surrogate_is_left(content: str) -> None:
    found, said = parse(document(f'["{content}", {{"{content}": 0}}]'))
    assert isinstance(found, list)
    text = json.dumps(found, ensure_ascii=False, default=str)
    text.encode()
    sent = json.loads(f'"{content}"')
    assert isinstance(found[0], str)
    assert len(found[0]) == len(sent)
    assert bool(said) == any("\ud800" <= character <= "\udfff" for character in sent)


def test_many_lone_surrogates_are_counted() -> None:
    assert notes("[" + ",".join([r'"\ud83d"'] * 10) + "]")[3:] == ("7 further strings with lone surrogates",)


@given(st.text(alphabet='{}[]",:\\ \n0123456789.eE+-truefalsn'))
def test_parse_string_raises_value_error_only(text: str) -> None:
    try:
        expected = json.loads(text)
    except ValueError:
        with pytest.raises(ValueError, match=r"."):
            parse_string(text)
    else:
        assert plain(parse_string(text)) == expected
