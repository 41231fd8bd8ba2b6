"""What the user names becomes a document, or one line that says what to do."""

import gzip
import os
import socket
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from promptlint.errors import PromptlintError
from promptlint.read.records import record, whole
from promptlint.read.sources import MAX_BYTES, pair_folders, read

RECORDS = '{"a": 1}\n\n  \r\n{"b": "é"}\r\n["c\\n"]'


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def fault(argument: str, **options: Any) -> str:
    with pytest.raises(PromptlintError) as caught:
        read(argument, **options)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize(
    ("content", "text", "encoding", "start"),
    [
        (b'{"a": "\xc3\xa9"}', '{"a": "é"}', "utf-8", 0),
        (b"\xef\xbb\xbf{}", "{}", "utf-8", 3),
        ("\ufeff{é}".encode("utf-16-le"), "{é}", "utf-16-le", 2),
        ("\ufeff{é}".encode("utf-16-be"), "{é}", "utf-16-be", 2),
        ("\ufeff{é}".encode("utf-32-le"), "{é}", "utf-32-le", 4),
        ("\ufeff{é}".encode("utf-32-be"), "{é}", "utf-32-be", 4),
        ("[1]".encode("utf-16-le"), "[1]", "utf-16-le", 0),
        ("{}".encode("utf-16-be"), "{}", "utf-16-be", 0),
        ("\n{}".encode("utf-32-le"), "\n{}", "utf-32-le", 0),
        ("[]".encode("utf-32-be"), "[]", "utf-32-be", 0),
        (b"\r\nx\rz", "\r\nx\rz", "utf-8", 0),
    ],
)
def test_encodings(here: Path, content: bytes, text: str, encoding: str, start: int) -> None:
    Path("a").write_bytes(content)
    found = read("a")
    assert (found.text, found.encoding, found.start, found.line) == (text, encoding, start, 1)
    assert found.data == content[start:]
    assert (found.path, found.revision, found.record) == ("a", None, None)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"{\n 'a\xff", "a:2:4: the byte at offset 5 is not valid UTF-8"),
        (b"\xef\xbb\xbfa\r\xc3\xa9\xed\xa0\xbd", "a:2:2: the byte at offset 7 is not valid UTF-8"),
        (b"\xff\xfea\0b\0\0\xd8c\0", "a:1:3: the byte at offset 6 is not valid UTF-16-LE"),
        (b"\xff\xfea\0b", "a:1:2: the byte at offset 4 is not valid UTF-16-LE"),
    ],
)
def test_invalid_bytes(here: Path, content: bytes, message: str) -> None:
    Path("a").write_bytes(content)
    assert fault("a") == message + "; save the file as UTF-8, or as UTF-16 with a byte order mark"


def test_archive(here: Path) -> None:
    Path("a.gz").write_bytes(gzip.compress(b"{}"))
    assert fault("a.gz").endswith("this looks like a gzip archive: unpack it first")


@pytest.mark.parametrize("content", [b"", b"\xef\xbb\xbf", b"\xff\xfe"])
def test_empty_file(here: Path, content: bytes) -> None:
    Path("a").write_bytes(content)
    assert fault("a") == "a is empty; an input holds a request, messages, tools or a text"
    assert fault("a#0") == "a holds no records; a JSONL has one JSON value on each line"


@pytest.mark.parametrize(
    ("number", "text", "start", "line"), [(0, '{"a": 1}', 0, 1), (1, '{"b": "é"}', 14, 4), (2, '["c\\n"]', 27, 5)]
)
def test_records(here: Path, number: int, text: str, start: int, line: int) -> None:
    Path("log.jsonl").write_bytes(RECORDS.encode())
    found = read(f"log.jsonl#{number}")
    assert (found.path, found.record, found.text, found.start, found.line) == ("log.jsonl", number, text, start, line)


def test_record_that_does_not_exist(here: Path) -> None:
    Path("log.jsonl").write_bytes(RECORDS.encode())
    assert fault("log.jsonl#3") == "log.jsonl#3 does not exist; log.jsonl has the records #0 to #2"
    assert fault(f"log.jsonl#{'9' * 18}").endswith("log.jsonl has the records #0 to #2")


def test_invalid_byte_in_a_record(here: Path) -> None:
    Path("log.jsonl").write_bytes(b'{}\n\n{"a": "\xff"}\n')
    assert fault("log.jsonl#1").startswith("log.jsonl:3:8: the byte at offset 11 is not valid UTF-8")
    assert read("log.jsonl#0").text == "{}"


CHARACTERS = st.one_of(
    st.sampled_from(
        " \r\u0a0a\u0a00\u0d00\u2020"
    ),  # in UTF-16 and UTF-32 they have the bytes of line breaks and spaces
    st.characters(codec="utf-8", exclude_characters="\n\0"),  # NUL makes the mark of UTF-16 that of UTF-32
)


@settings(deadline=None)
@given(
    texts=st.lists(st.text(CHARACTERS), min_size=1),
    codec=st.sampled_from(["utf-8", "utf-8-sig", "utf-16-le", "utf-16-be", "utf-32-be"]),
    size=st.integers(1, 9),
)
def test_records_of_any_stream_in_chunks_of_any_size(texts: list[str], codec: str, size: int) -> None:
    """The records are the lines that are not blank, where they stand."""
    mark = "" if codec == "utf-8-sig" else "\ufeff"
    content = (mark + "\n".join(texts)).encode(codec)
    chunks = [content[i : i + size] for i in range(0, len(content), size)]
    wanted = [(line, text) for line, text in enumerate(texts) if text.strip(" \t\r")]
    for number, (line, text) in enumerate(wanted):
        found = record(chunks, number, "a", 10**6)
        stripped = text.removesuffix("\r")
        assert found.data.decode(found.codec) == stripped
        assert content[found.start :].startswith(found.data)
        assert found.start == len((mark + "".join(f"{text}\n" for text in texts[:line])).encode(codec))
        before = "".join(f"{text}\n" for text in texts[:line])
        assert found.line == 1 + before.count("\n") + before.count("\r") - before.count("\r\n")
    with pytest.raises(PromptlintError):
        record(chunks, len(wanted), "a", 10**6)
    if content != mark.encode(codec):
        everything = whole(chunks, "a", 10**6)
        assert everything.data.decode(everything.codec) == "\n".join(texts)


def test_a_file_that_bears_the_whole_name_comes_first(here: Path) -> None:
    Path("log").write_text("{}\n[]")
    Path("log#1").write_text("literal")
    Path("HEAD:log").write_text("literal too")
    assert (read("log#1").text, read("log#1").path, read("log#1").record) == ("literal", "log#1", None)
    assert read("HEAD:log").text == "literal too"
    assert read("log#0").text == "{}"


def test_limit(here: Path) -> None:
    Path("a").write_bytes(b"12345\n" + b"x" * 100 + b"\n[]")
    assert read("a", max_bytes=109).data
    assert (
        fault("a", max_bytes=108)
        == "a is larger than 108 bytes; add #N to its name for record N, from 0, of a JSONL log"
    )
    assert read("a#0", max_bytes=20).text == "12345"
    assert fault("a#1", max_bytes=20) == "a#1 is larger than 20 bytes; cut it down first"
    assert (read("a#2", max_bytes=20).text, read("a#2", max_bytes=20).start) == ("[]", 107)


def test_large_log(here: Path) -> None:
    """200 MB with one line over the limit; the file has holes, so that it costs no disk."""
    with open("log.jsonl", "wb") as log:
        log.write(b'{"first": 1}\n')
        log.seek(200 << 20)
        log.write(b'\n{"last": 2}\n')
    assert (
        fault("log.jsonl") == "log.jsonl is larger than 64 MiB; add #N to its name for record N, from 0, of a JSONL log"
    )
    assert read("log.jsonl#0").text == '{"first": 1}'
    assert fault("log.jsonl#1") == "log.jsonl#1 is larger than 64 MiB; cut it down first"
    found = read("log.jsonl#2")
    assert (found.text, found.start, found.line) == ('{"last": 2}', (200 << 20) + 1, 3)
    assert MAX_BYTES == 64 << 20


def test_missing(here: Path) -> None:
    Path("before.json").write_text("{}")
    assert fault("befor.json") == "befor.json does not exist; did you mean before.json?"
    assert fault("zzz") == "zzz does not exist; check the path"
    assert fault("befor.json#3") == "befor.json does not exist; did you mean before.json?"
    assert fault("no/such.json") == "no/such.json does not exist: there is no folder no; check the path"
    assert fault("before.json/x").startswith("before.json/x does not exist: ")
    assert fault("") == "an empty name is no file; name a file, or `-` for standard input"


def test_kinds_that_are_no_files(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("folder").mkdir()
    Path("loop").symlink_to("loop")
    Path("dangling").symlink_to("nowhere")
    Path("locked").write_text("{}")
    assert fault("folder") == "folder is a folder; name a file in it, or compare it with another folder"
    assert fault("loop") == "loop is a loop of symbolic links; name the file itself"
    assert fault("dangling") == "dangling is a symbolic link to nothing; mend the link, or name the file itself"
    assert fault("/dev/zero") == "/dev/zero is a device, not a file; save what it holds to a file"
    assert fault("/dev/null#0").startswith("/dev/null is a device")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("socket")
        assert fault("socket") == "socket is a socket, not a file; save what it holds to a file"
    monkeypatch.setattr(os, "open", refuse)
    assert fault("locked") == "locked may not be read; check its permissions"


def refuse(*_: object) -> int:
    raise PermissionError(13, "Permission denied")


def test_names_that_no_file_has(here: Path) -> None:
    assert "is too long for a file name" in fault("x" * 5000)
    assert len(fault("x" * 5000)) < 300
    assert fault("a\0b") == "a\\x00b is no file name; it contains NUL, or what no file name can hold"
    assert fault("a\nb\x1b[31m") == "a\\nb\\x1b[31m does not exist; check the path"
    assert "\\udcff" in fault("\udcff")
    assert "\\ud800" in fault("\ud800")


def test_addresses_and_drives_are_no_revisions(here: Path) -> None:
    assert fault("https://example.com/a.json") == (
        "https://example.com/a.json is an address, and nothing is read from the network; download it first"
    )
    assert "git" not in fault("C:\\x\\a.json")
    assert "git" not in fault("c:/x/a.json")


def test_folders_are_paired_by_path(here: Path) -> None:
    for name in (
        "a/x.json",
        "a/deep/y.json",
        "a/.git/z",
        "a/.hidden",
        "a/only",
        "b/x.json",
        "b/deep/y.json",
        "b/.git/z",
    ):
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text("{}")
    Path("b/new/inner").mkdir(parents=True)
    Path("b/new/inner/w").write_text("{}")
    Path("a/link").symlink_to("../b")
    Path("b/loop").symlink_to(".")
    os.mkfifo("a/pipe")
    os.mkfifo("b/pipe")
    assert pair_folders("a", "b/") == (
        [("a/deep/y.json", "b/deep/y.json"), ("a/x.json", "b/x.json")],
        ["a/only"],
        ["b/new/inner/w"],
    )


def test_folders_without_pairs(here: Path) -> None:
    Path("a").mkdir()
    Path("b").mkdir()
    Path("b/x").write_text("")
    for one, other, words in [
        ("a", "b", "a and b have no file of the same name; files are paired by their path"),
        ("b", "none", "none cannot be listed (No such file or directory); "),
        ("b/x", "b", "b/x cannot be listed (Not a directory); "),
        ("b\0", "b", "b\\x00 is no folder; "),
    ]:
        with pytest.raises(PromptlintError) as caught:
            pair_folders(one, other)
        assert str(caught.value).startswith(words)
