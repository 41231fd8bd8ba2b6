"""Edits of a JSON text: the value changes as asked, and no byte elsewhere does."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptlint.lint.edits import Add, Edit, Put, Remove, Replace, Wrap, applied, splices
from promptlint.prompt import Document, Path, SourceByte
from promptlint.template import SourceRange

TEXT = '{\n  "a": 1,\n  "b": {"x": "ab\\ncd", "y": 2},\n  "c": [1, 2, 3]\n}\n'


def document(text: str) -> Document:
    return Document("x.json", None, None, text.encode(), text, "utf-8", SourceByte(0), 1)


def edited(text: str, *edits: Edit) -> str:
    """Each edit is a fix of its own."""
    return applied(text, splices(document(text), [(edit,) for edit in edits]))[0]


@pytest.mark.parametrize(
    ("edit", "old", "new"),
    [
        (Remove(("a",)), '"a": 1,\n  ', ""),
        (Remove(("c",)), ',\n  "c": [1, 2, 3]', ""),
        (Remove(("b", "x")), '"x": "ab\\ncd", ', ""),
        (Remove(("b", "y")), ', "y": 2', ""),
        (Remove(("c", 1)), ", 2", ""),
        (Put(("b", "y"), "é"), "2}", '"\\u00e9"}'),
        (Put(("b", "z"), {"t": "1h"}), "2}", '2, "z": {"t": "1h"}}'),
        (Put(("d",), True), "3]\n", '3],\n  "d": true\n'),
        (Replace(("b", "x"), 2, 3, " "), "\\n", " "),
        (Replace(("b", "x"), 0, 0, '"'), '"ab', '"\\"ab'),
        (Add(("c", 2), {"t": "x"}), "3]", '3, {"t": "x"}]'),
        (Add(("c", 0), None), "1, 2", "1, null, 2"),
        (Wrap(("b", "x"), {"t": "x"}, "k", {"m": {}}), '"ab\\ncd"', '[{"t": "x", "k": "ab\\ncd", "m": {}}]'),
    ],
)
def test_an_edit_changes_its_own_bytes_only(edit: Edit, old: str, new: str) -> None:
    assert TEXT.count(old) == 1
    assert edited(TEXT, edit) == TEXT.replace(old, new)


def test_a_compact_text_stays_compact() -> None:
    assert edited('{"a":{},"b":[{"x":1}]}', Put(("a", "k"), [True, None])) == '{"a":{"k":[true,null]},"b":[{"x":1}]}'
    assert edited('{"a":{ "b" : 1 }}', Remove(("a", "b"))) == '{"a":{}}'


def test_what_leads_nowhere_is_left_out() -> None:
    nowhere: list[Edit] = [
        Remove(("z",)),
        Remove(("c", 9)),
        Put(("a", "x"), "1"),
        Put(("c", 7), "1"),
        Replace(("a",), 0, 1, ""),
    ]
    for edit in (*nowhere, Remove(()), Add(("c", 9), "1"), Add(("a",), "1"), Wrap(("a",), {}, "k", {})):
        assert edited(TEXT, edit) == TEXT


def test_a_fix_is_made_as_a_whole_or_not_at_all() -> None:
    fix = (Remove(("a",)), Remove(("z",)))
    assert applied(TEXT, splices(document(TEXT), [fix])) == (TEXT, [False])


def test_edits_of_one_fix_that_are_in_each_others_way_are_not_made() -> None:
    fix = (Remove(("b", "x")), Remove(("b", "y")))
    assert applied(TEXT, splices(document(TEXT), [fix])) == (TEXT, [False])


def test_of_two_fixes_that_write_at_one_place_one_is_made() -> None:
    fixes = [(Put(("b", "k"), "1"),), (Put(("b", "k"), "2"),), (Put(("b", "k"), "1"),)]
    text, made = applied(TEXT, splices(document(TEXT), fixes))
    assert (text, made) == (TEXT.replace("2}", '2, "k": "1"}'), [True, False, True])


def test_a_wrapped_string_keeps_its_escapes() -> None:
    text = '{"system":"\\u00e9\\/\\ud83d\\ude00"}'
    assert edited(text, Wrap(("system",), {"type": "text"}, "text", {})) == (
        '{"system":[{"type":"text","text":"\\u00e9\\/\\ud83d\\ude00"}]}'
    )


def test_a_string_with_escapes_is_edited_in_many_places_in_linear_work() -> None:
    count = 20_000
    text = json.dumps({"a": "x\r\n" * count})
    fix = [Replace(("a",), 3 * number + 1, 3 * number + 3, "\n") for number in range(count)]
    assert json.loads(applied(text, splices(document(text), [fix]))[0]) == {"a": "x\n" * count}


def test_of_two_edits_of_one_place_the_first_is_made() -> None:
    text = "{{ a }} {{ b }}"
    first, second = SourceRange(0, 0, 7), SourceRange(0, 3, 15)
    fixes = [(Replace(first, 0, 7, "A"),), (Replace(second, 3, 15, "B"),)]
    assert applied(text, splices(document(text), fixes)) == ("A {{ b }}", [True, False])


SCALARS = st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=6)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
)


def paths(value: Any, path: Path = ()) -> list[Path]:
    """Give every place below the top."""
    found: list[Path] = []
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, inner in entries:
        found += [(*path, step), *paths(inner, (*path, step))]
    return found


@given(st.dictionaries(st.text(max_size=3), VALUES, min_size=1, max_size=4), st.data(), st.sampled_from([None, 2]))
def test_the_text_then_holds_the_edited_value(value: dict[str, Any], data: st.DataObject, indent: int | None) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=data.draw(st.booleans()))
    path = data.draw(st.sampled_from(paths(value)))
    holder: Any = value
    for step in path[:-1]:
        holder = holder[step]
    if data.draw(st.booleans()):
        new = edited(text, Remove(path))
        del holder[path[-1]]
    else:
        put = data.draw(SCALARS)
        new = edited(text, Put(path, put if not isinstance(put, int) or isinstance(put, bool) else str(put)))
        holder[path[-1]] = put if not isinstance(put, int) or isinstance(put, bool) else str(put)
    assert json.loads(new) == value
