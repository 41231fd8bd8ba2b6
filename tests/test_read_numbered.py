"""`FILE#N`: a record of a JSONL, or an entry of any other document."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptlint.errors import PromptlintError
from promptlint.read.numbered import numbered
from promptlint.read.sources import read, read_pair

LINES = '\n{"a": 1}\n{"b": "é"}\n'
PRETTY = json.dumps({"log": {"entries": [{"n": 0}, {"n": 1}]}}, indent=2) + "\n"


def parts(text: str, number: int, codec: str = "utf-8", size: int = 5) -> tuple[str, int | None, int | None]:
    """What is read, the record and the entry."""
    data = text.encode(codec)
    found = numbered([data[i : i + size] for i in range(0, len(data), size)], number, "a", 1000)
    return found.stretch.data.decode(found.stretch.codec), found.record, found.entry


@pytest.mark.parametrize("codec", ["utf-8", "utf-8-sig", "utf-16", "utf-16-be", "utf-32-le"])
@pytest.mark.parametrize("size", [1, 3, 8, 1000])
def test_lines_and_documents_in_any_encoding(codec: str, size: int) -> None:
    mark = "" if codec in ("utf-8-sig", "utf-16") else "\ufeff"
    assert parts(mark + LINES, 1, codec, size) == ('{"b": "é"}', 1, None)
    assert parts(mark + PRETTY, 1, codec, size) == (PRETTY, None, 1)
    assert parts(mark + PRETTY.replace("\n", "\r\n"), 0, codec, size)[1:] == (None, 0)


@pytest.mark.parametrize(
    "text",
    [
        PRETTY,
        "[\n" + '{"role": "user"}\n]',
        '[{"role": "user"},\n{"role": "user"}]',
        '{"log": {"entries": [\n{"n": 0},\n{"n": 1}\n]}}',
        "interactions:\n- request:\n    body: '{}'\n",
        "# comment\n---\ninteractions: []\n",
        "You are a helpful assistant.\nBe brief.\n",
        '{"log":\n',
    ],
)
def test_a_document_of_several_lines_is_read_whole(text: str) -> None:
    for number in (0, 7):
        assert parts(text, number) == (text, None, number)


@pytest.mark.parametrize("blank", ["", "\n", "\r\n \t\r\n", "\n" * 40])
def test_a_single_line_is_record_0_and_may_have_entries(blank: str) -> None:
    line = '{"log": {"entries": [{}, {}]}}'
    assert parts(f"{blank}{line}{blank}", 0) == (line, 0, 0)
    assert parts(f"{blank}{line}{blank}", 1) == (f"{blank}{line}{blank}", None, 1)


@pytest.mark.parametrize("broken", ['est"}]}', '{"a": "cut off', '{"a" 1}', "2026-11-29 started"])
def test_a_log_whose_first_line_is_broken_keeps_its_records(broken: str) -> None:
    assert parts(f'{broken}\n{{"b": 1}}\n{{"c": 1}}\n', 1) == ('{"b": 1}', 1, None)


@given(
    values=st.lists(st.recursive(st.none() | st.text() | st.integers(), st.lists, max_leaves=5), min_size=2),
    size=st.integers(1, 9),
)
def test_every_line_of_a_jsonl_is_a_record(values: list[object], size: int) -> None:
    lines = [json.dumps(value, ensure_ascii=False) for value in values]
    for number, line in enumerate(lines):
        assert parts("\n".join(lines), number, size=size) == (line, number, None)


def test_a_log_is_read_no_further_than_its_record() -> None:
    def chunks() -> Iterator[bytes]:
        yield b'{"a": 1}\n{"b": 2}\n'
        yield b'{"c"'
        raise AssertionError("read on")

    assert numbered(chunks(), 0, "a", 1000).record == 0


def test_a_document_over_the_limit() -> None:
    with pytest.raises(PromptlintError) as caught:
        numbered([b'{\n"a": "', b"x" * 100, b'"}'], 0, "a", 50)
    assert str(caught.value) == "a is larger than 50 bytes; cut it down first"
    with pytest.raises(PromptlintError) as caught:
        numbered([b'{"a": "', b"x" * 100, b'"}'], 0, "a", 50)
    assert str(caught.value) == "a#0 is larger than 50 bytes; cut it down first"


def test_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.har").write_text(PRETTY)
    Path("a.yaml").write_text("# x\nmessages: []\n")
    Path("b.yaml").write_text('{"messages": []}')
    Path("notes").write_text("interactions: are logged below\n")
    Path("cassette").write_text("---\n# recorded\n\ninteractions:\n- request: {}\nversion: 1\n")
    Path("log.yaml").write_text('{"messages": []}\n{"messages": []}\n')
    har = read("a.har#1")
    assert (har.path, har.record, har.entry, har.text, har.syntax) == ("a.har", None, 1, PRETTY, "json")
    assert [d.entry for d in read_pair("a.har#0", "a.har#1")] == [0, 1]
    assert (read("a.yaml").syntax, read("a.yaml").entry) == ("yaml", None)
    assert (read("a.yaml#0").syntax, read("a.yaml#0").entry) == ("yaml", 0)
    assert read("b.yaml").syntax == "json"
    assert (read("cassette").syntax, read("notes").syntax) == ("yaml", "json")
    assert (read("log.yaml#1").syntax, read("log.yaml#1").record) == ("json", 1)
