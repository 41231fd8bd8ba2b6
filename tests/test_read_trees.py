"""Patterns over lists of files, and what differs between two folders."""

import os
from fnmatch import fnmatchcase
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptlint.errors import PromptlintError
from promptlint.read import renames
from promptlint.read.renames import Changed, print_of, renamed
from promptlint.read.trees import files_below, folder_changes, matching

PATHS = [
    ".github/prompts/x.j2",
    "a.j2",
    "a/[id]/p.j2",
    "a/b/c/d.j2",
    "a/b/d.j2",
    "a/b/d.json",
    "a/.hidden.j2",
    "a/.hidden/d.j2",
    "a/d.j2",
    "ab/d.j2",
    "A/d.j2",
    "a/x\ny.j2",
]


@pytest.mark.parametrize(
    ("pattern", "folder", "found"),
    [
        ("a/d.j2", "", ["a/d.j2"]),
        ("./a//d.j2", "", ["a/d.j2"]),
        ("d.j2", "a/", ["a/d.j2"]),
        ("*.j2", "", ["a.j2"]),
        ("*.j2", "a/", ["a/d.j2", "a/x\ny.j2"]),
        ("a/*", "", ["a/d.j2", "a/x\ny.j2"]),
        ("a/?.j2", "", ["a/d.j2"]),
        ("*/d.j2", "", ["A/d.j2", "a/d.j2", "ab/d.j2"]),
        ("[ab]/d.j2", "", ["a/d.j2"]),
        ("[!ab]/d.j2", "", ["A/d.j2"]),
        ("a/[id]/p.j2", "", ["a/[id]/p.j2"]),
        ("a/[[]id]/*.j2", "", ["a/[id]/p.j2"]),
        ("*.j2", "a/[id]/", ["a/[id]/p.j2"]),
        ("../[i]*/../d.j2", "a/b/", ["a/d.j2"]),
        ("a/**/d.j2", "", ["a/b/c/d.j2", "a/b/d.j2", "a/d.j2"]),
        ("**/d.j*", "a/b/", ["a/b/c/d.j2", "a/b/d.j2", "a/b/d.json"]),
        ("**/b/**/d.j2", "", ["a/b/c/d.j2", "a/b/d.j2"]),
        ("a/b/**", "", ["a/b/c/d.j2", "a/b/d.j2", "a/b/d.json"]),
        ("a/**/**/c/*", "", ["a/b/c/d.j2"]),
        ("**", "a/b/c/", ["a/b/c/d.j2"]),
        ("a/**/.h*", "", ["a/.hidden.j2"]),
        ("a/.hidden/*", "", ["a/.hidden/d.j2"]),
        (".github/**/*.j2", "", [".github/prompts/x.j2"]),
        ("../d.j2", "a/b/", ["a/d.j2"]),
        ("../../ab/*.j2", "a/b/", ["ab/d.j2"]),
        ("../../../a.j2", "a/b/", []),
        ("/a/d.j2", "", []),
        ("a", "", []),
        ("a/", "", []),
        ("", "", []),
        ("a/[", "", []),
        ("a*b/d.j2", "", ["ab/d.j2"]),
        ("*.j2/x", "", []),
    ],
)
def test_patterns(pattern: str, folder: str, found: list[str]) -> None:
    assert matching(PATHS, pattern, folder) == sorted(found)


NAMES = st.lists(
    st.text("ab.", min_size=1, max_size=3).filter(lambda name: name not in (".", "..")), min_size=1, max_size=4
)


def fits(names: list[str], pattern: list[str]) -> bool:
    """The meaning of a pattern, tried in every way."""
    if not pattern or not names:
        return not names and all(each == "**" for each in pattern)
    if pattern[0] == "**":
        return fits(names, pattern[1:]) or (not names[0].startswith(".") and fits(names[1:], pattern))
    shown = pattern[0].startswith(".") or not names[0].startswith(".")
    return shown and fnmatchcase(names[0], pattern[0]) and fits(names[1:], pattern[1:])


@given(NAMES, st.lists(st.sampled_from(["a", "*", "a*", "?", "**", ".*", "[ab]", "b"]), min_size=1, max_size=5))
def test_every_way_to_match_is_found(names: list[str], pattern: list[str]) -> None:
    whole = [*pattern, "*"] if pattern[-1] == "**" else pattern
    assert bool(matching(["/".join(names)], "/".join(pattern), "")) == fits(names, whole)


def test_hostile_patterns_end() -> None:
    path = "/".join(["a"] * 300)
    assert matching([path], "/".join(["**/a*a*a*a*a*a*a*a"] * 100), "") == []
    assert matching(["a" * 5000], "*a" * 2000 + "b", "") == []


def put(folder: Path, name: str, content: str) -> None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode())


def test_files_of_a_folder(tmp_path: Path) -> None:
    put(tmp_path, "in/a", "1")
    put(tmp_path, "in/x/y/b", "12")
    put(tmp_path, "in/.git/config", "1")
    put(tmp_path, "in/.hidden", "1")
    put(tmp_path, "out/c", "1")
    os.symlink("x/y/b", tmp_path / "in/link")
    os.symlink("../out/c", tmp_path / "in/leads-out")
    os.symlink("../out", tmp_path / "in/folder")
    os.symlink("nothing", tmp_path / "in/broken")
    os.mkfifo(tmp_path / "in/pipe")
    assert files_below(str(tmp_path / "in")) == {"a": 1, "link": 2, "x/y/b": 2}
    for none in ("in/a", "none", "in\0"):
        with pytest.raises(PromptlintError, match="is no folder; name two folders"):
            files_below(str(tmp_path / none))


def test_two_folders(tmp_path: Path) -> None:
    text = "".join(f"line {number}\n" for number in range(20))
    old, new = tmp_path / "old", tmp_path / "new"
    for folder in (old, new):
        put(folder, "same", "1")
    put(old, "edited", "1")
    put(new, "edited", "2")
    put(old, "longer", "1")
    put(new, "longer", "11")
    put(old, "moved/a", text)
    put(new, "elsewhere/b", text)
    put(old, "moved/edited", text.replace("line", "row"))
    put(new, "elsewhere/edited", text.replace("line", "row").replace("7", "seven"))
    put(old, "gone", "nothing like it\n" * 9)
    put(new, "came", "of another kind\n" * 9)
    assert folder_changes(str(old), str(new)) == [
        Changed(None, "came"),
        Changed("edited", "edited"),
        Changed("moved/a", "elsewhere/b"),
        Changed("moved/edited", "elsewhere/edited"),
        Changed("gone", None),
        Changed("longer", "longer"),
    ]
    assert folder_changes(str(old), str(old)) == []


def found(gone: dict[str, str], came: dict[str, str]) -> dict[str, str]:
    return renamed(*({path: print_of(text.encode()) for path, text in each.items()} for each in (gone, came)))


def test_renames() -> None:
    text = "".join(f"line {number}\n" for number in range(20))
    assert found({"a/x": text, "b/y": text}, {"c/y": text, "d/x": text}) == {"a/x": "d/x", "b/y": "c/y"}
    assert found({"a/x": text}, {"b/y": text, "b/x": text.replace("1", "one")}) == {"a/x": "b/y"}
    assert found({"x": text}, {"y": text.replace("\n", "\r\n")}) == {"x": "y"}
    assert found({"x": ""}, {"y": ""}) == {}
    assert found({"x": text}, {"y": text[: len(text) // 2 - 9]}) == {}
    assert found({"x": text}, {"near": text + "more\n", "far": text + "more\n" * 9}) == {"x": "near"}
    one_line = '{"a": "some words here", "b": "and some others", "c": "the end of it"}'
    assert found({"x": one_line}, {"y": one_line.replace("the end", "it goes on")}) == {"x": "y"}
    assert found({"x": text, "z": text}, {"y": text}) == {"x": "y"}


def test_work_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compare files of one name only where there are too many, and nothing that is too large."""
    text = "".join(f"line {number}\n" for number in range(20))
    monkeypatch.setattr(renames, "_MOST_PAIRS", 2)
    gone = {"a/x": text + "a\n", "b/y": text + "b\n"}
    assert found(gone, {"c/x": text, "c/z": text}) == {"a/x": "c/x"}
    monkeypatch.setattr(renames, "_LARGEST", 10)
    assert found({"x": text}, {"x2": text + "x"}) == {}
    assert found({"x": text}, {"x2": text}) == {"x": "x2"}
