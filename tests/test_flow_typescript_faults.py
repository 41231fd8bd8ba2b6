"""TypeScript that is broken, huge, hostile or none at all: never anything but an answer or one clear error."""

import subprocess
import sys
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from code_texts import everything, translated
from promptlint.errors import PromptlintError
from promptlint.lint.flow.code import Assign, Branch, Name, Text
from promptlint.lint.flow.typescript import reading
from typescript_samples import CHAT

PATHS = st.sampled_from(["a.ts", "a.tsx"])
PIECES = [
    "`",
    "${",
    "}",
    "{",
    "(",
    ")",
    "<",
    ">",
    '"',
    "'",
    "/",
    "/*",
    "*/",
    "//",
    "=>",
    "?",
    ":",
    "\n",
    "\\",
    "@",
    "#",
]
PIECES += [
    "é",
    "😀",
    "\ufeff",
    "\r",
    "\u2028",
    "\ud800",
    "import ",
    "export ",
    "class ",
    "async ",
    "yield ",
    "case ",
    ";",
]


def read(path: str, source: str) -> int:
    """Translate a file with all bodies; the number of nodes, or -1 if it is refused."""
    module, refusal = None, ""
    try:
        module = reading.parse(path, source)
        found = everything(module)
    except PromptlintError as error:
        refusal = str(error)
    if module is None or refusal:
        assert refusal.startswith(f"{path}:1:" if "\n" not in source else f"{path}:")
        return -1
    for node in found:
        if hasattr(node, "span"):
            start, end = module.chars(node.span)
            assert 0 <= start <= end <= len(source)
    assert all(source[start] in "/<" for start, _ in module.comments())
    return len(found)


def test_the_sample_is_read_without_a_fault() -> None:
    tree = reading._tree("a.ts", CHAT.encode(), "typescript")
    assert not tree.root_node.has_error
    assert read("a.ts", CHAT) > 800


@settings(max_examples=150, deadline=None)
@given(PATHS, st.integers(0, len(CHAT)), st.integers(0, len(CHAT)))
def test_any_part_of_a_file(path: str, start: int, end: int) -> None:
    read(path, CHAT[min(start, end) : max(start, end)])


@settings(max_examples=200, deadline=None)
@given(PATHS, st.lists(st.tuples(st.integers(0, len(CHAT)), st.integers(0, 5), st.sampled_from(PIECES)), max_size=12))
def test_a_file_with_random_changes(path: str, changes: list[tuple[int, int, str]]) -> None:
    source = CHAT
    for at, removed, piece in changes:
        source = source[:at] + piece + source[at + removed :]
    read(path, source)


@settings(max_examples=150, deadline=None)
@given(PATHS, st.lists(st.sampled_from([*PIECES, "a", "b", "1", "if", "else", "function", "[", "]"]), max_size=60))
def test_random_symbols(path: str, pieces: list[str]) -> None:
    read(path, "".join(pieces))


def test_what_is_broken_is_left_out() -> None:
    assert translated("const a = 1;\nconst = = 3 );\nconst c = 'q';\n") == "a = #; c = 'q'"
    assert "b = #" in translated("function f() {\n  const a = 1;\n}\nfunction g() {\nconst b = 2;\n")
    assert translated("class A { m() {} ] n() { return 1 } }\nb()").endswith("b()")


OTHERS = {
    "the translations of Qt": ('<?xml version="1.0"?>\n<!DOCTYPE TS>\n<TS version="2.1"></TS>', "XML"),
    "those without a head": ("<!DOCTYPE TS><TS><context><name>A</name></context></TS>", "XML"),
    "a video": ("G@\0\x11\0" + "\ufffd" * 183 + "G", "binary data"),
    "prose": ("The quick brown fox, jumps over the lazy dog. " * 9, "most of this file"),
    "Python": ("import os\n\n\ndef main():\n    '''Doc.'''\n    for x in os.walk('.'):\n        print(f'{x}')\n" * 3,
               "most of this file"),
    "nothing but brackets": ("{[(" * 2_000, "most of this file"),
}  # fmt: skip


@pytest.mark.parametrize("name", OTHERS)
def test_what_is_no_typescript_is_refused(name: str) -> None:
    source, expected = OTHERS[name]
    with pytest.raises(PromptlintError, match=expected) as caught:
        reading.parse("dir/a.ts", source)
    assert str(caught.value).startswith("dir/a.ts:1:")
    assert "\n" not in str(caught.value)
    assert caught.value.hint


@pytest.mark.parametrize("source", ["", "\n", "\ufeff", "// nothing", "#!/usr/bin/env node\n", ";"])
def test_empty_files_are_files(source: str) -> None:
    assert translated(source) == ""


DEEP = ["(", "[", "!", "{a:", "f(", "x=>", "await ", "a=", "`${", "if(a)", "a**", "a.b(", "l:"]


@pytest.mark.parametrize("piece", DEEP)
@pytest.mark.parametrize("count", [120, 1_000, 20_000])
def test_deep_code_is_read_or_refused(piece: str, count: int) -> None:
    closing = {"(": ")", "[": "]", "{a:": "}", "f(": ")", "`${": "}`", "a.b(": ")"}.get(piece, "")
    nodes = read("a.ts", "x = " * (piece not in ("if(a)", "l:")) + piece * count + "y" + closing * count)
    assert (nodes == -1) == (count > 120)


def test_the_place_of_what_is_too_deep_is_told() -> None:
    with pytest.raises(PromptlintError, match=r"^a\.ts:3:\d\d\d: the code is nested too deeply"):
        reading.parse("a.ts", "a();\n// é\nb = " + "(" * 600 + "1" + ")" * 600)


@pytest.mark.parametrize(("sign", "kind"), [("+", "Text"), ("-", "Operation"), ("||", "Choice"), ("&&", "Choice")])
def test_long_chains_are_flat(sign: str, kind: str) -> None:
    (statement,) = reading.parse("a.ts", "x = a" + f" {sign} a" * 5_000).body
    assert isinstance(statement, Assign)
    assert type(statement.value).__name__ == kind


def test_a_long_sum_is_one_text() -> None:
    (statement,) = reading.parse("a.ts", "x = 'a'" + " + b" * 4_999).body
    assert isinstance(statement, Assign)
    assert isinstance(statement.value, Text)
    assert len(statement.value.parts) == 5_000


MANY = {
    "else if": "if (a) { b() } else " * 3_000 + "{ c() }",
    "cases": "switch (a) {" + "case 1: b(); break;" * 3_000 + "}",
    "cases that go on": "switch (a) {" + "case 1: b();" * 3_000 + "}",
    "answers": "x = " + "a ? b : " * 3_000 + "c",
    "mixed signs": "x = " + "a + b - c * " * 3_000 + "d",
}


@pytest.mark.parametrize("name", MANY)
def test_long_chains_do_not_nest(name: str) -> None:
    body = reading.parse("a.ts", MANY[name]).body
    assert _height(body) < 100
    assert len(str(body)) < 200 * len(MANY[name])  # nothing is written out again and again


def _height(node: object) -> int:
    deepest, waiting = 0, [(node, 0)]
    while waiting:
        each, height = waiting.pop()
        deepest = max(deepest, height)
        if isinstance(each, tuple):
            waiting += [(part, height + 1) for part in each]
    return deepest


def test_many_arms_keep_their_tests_and_bodies() -> None:
    source = "".join(f"if (a{number}) b{number}(); else " for number in range(100)) + "c();"
    (branch,) = reading.parse("a.ts", source).body
    assert isinstance(branch, Branch)
    names = [node.name for node in everything(reading.parse("a.ts", source)) if isinstance(node, Name)]
    assert sorted(names) == sorted([f"{kind}{number}" for number in range(100) for kind in "ab"] + ["c"])


HOSTILE = {
    "types or numbers": "a<b,",
    "patterns or numbers": "a<b|",
    "open patterns": "=/[",
    "quotes": '"',
    "arrows or brackets": "(a,",
    "objects": "{a:",
    "conditions of types": "type A<T>=T extends (a:",
    "elements": "<a b={",
    "comments": "// é\n",
    "texts": "`a${b}`,",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_end_soon(name: str) -> None:
    start = time.thread_time()
    read("a.tsx", HOSTILE[name] * (60_000 // len(HOSTILE[name])))
    assert time.thread_time() - start < 8


def test_symbols_that_keep_the_parser_busy() -> None:
    """Without a limit this takes minutes."""
    pieces = ["(", ")", "{", "}", "[", "]", "a", '"', "`", "${", "=>", "<", ">", "class", "=", ";", "\n", "/", "?", ":"]
    number, found = 1, []
    for _ in range(60_000):
        number = number * 1_103_515_245 + 12_345 & 0x7FFFFFFF
        found.append(pieces[(number >> 16) % len(pieces)])
    start = time.thread_time()
    read("a.tsx", " ".join(found))
    assert time.thread_time() - start < 8


def test_twice_as_much_takes_about_twice_as_long() -> None:
    def seconds(count: int) -> float:
        start = time.thread_time()
        read("a.ts", CHAT.partition("\n")[2] * count)
        return time.thread_time() - start

    seconds(2)
    assert min(seconds(16) for _ in range(3)) < 8 * min(seconds(4) for _ in range(3))


def run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_the_parser_is_loaded_only_when_it_is_needed() -> None:
    code = "import sys; from promptlint.lint.flow.typescript import reading as t; a = 'tree_sitter' in sys.modules; "
    assert run(code + "t.parse('a.ts', ''); print(a, 'tree_sitter' in sys.modules)") == "False True"


@pytest.mark.parametrize("missing", ["tree_sitter", "tree_sitter_typescript"])
def test_a_missing_extra_is_named(missing: str) -> None:
    code = f"""
import sys
sys.modules[{missing!r}] = None
from promptlint.errors import PromptlintError
from promptlint.lint.flow.typescript import reading
try:
    reading.parse("a.ts", "a")
except PromptlintError as error:
    print(error)
"""
    assert run(code) == ("a.ts: TypeScript needs an extra that is not installed; pip install 'promptlint-cache[ts]'")
