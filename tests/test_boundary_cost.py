"""Inputs on which a careless comparison would hang, overflow the stack or raise: each has an answer at once.

Sizes are such that anything quadratic would take minutes; no clock is read.
"""

import json
import random
from collections.abc import Iterator
from typing import Any

import pytest

from documents import rendered
from promptlint.boundary import text_divergences, tree
from promptlint.boundary.align import gaps
from promptlint.boundary.tree import index
from promptlint.prompt import Path
from promptlint.report.markdown import words

SEED = random.Random(2)


def chat(*texts: str) -> Any:
    return [{"role": "user", "content": text} for text in texts]


def tools(default: Any) -> Any:
    schema = {"type": "object", "default": default}
    return {"model": "m", "tools": [{"name": "t", "description": "d", "input_schema": schema}], "messages": chat("hi")}


def causes(old: Any, new: Any) -> set[str]:
    return {found.cause for found in text_divergences(rendered(old), rendered(new))}


def nested(inner: Any, depth: int) -> Any:
    for level in range(depth):
        inner = {"a": inner} if level % 2 else [inner]
    return inner


def edits(words: list[str], count: int, new: str) -> list[str]:
    changed = list(words)
    for place in SEED.sample(range(len(words)), count):
        changed[place] = new
    return changed


def test_one_message_among_many_equal_ones() -> None:
    many = ["ok"] * 40_000
    assert causes(chat(*many), chat(*many[:20_000], "odd", *many[20_000:])) == {"history-rewritten"}
    assert causes(chat("first", *many), chat(*many)) == {"history-trimmed"}


@pytest.mark.parametrize(("letters", "glue"), [("abcdefgh", " "), ("abcdef", ""), (".,;:!?-", "")])
def test_a_thousand_edits_of_one_long_line(letters: str, glue: str) -> None:
    words = ["".join(SEED.choices(letters, k=5)) for _ in range(200_000)]
    assert causes(chat(glue.join(words)), chat(glue.join(edits(words, 1000, "@@@")))) == {"history-rewritten"}


def test_lines_of_two_kinds() -> None:
    old, new = ("\n".join(SEED.choices("ab", k=100_000)) for _ in range(2))
    assert causes(chat(old), chat(new)) == {"history-rewritten"}


@pytest.mark.parametrize("inner", ["x", [str(i) for i in range(600)]], ids=["a word", "a long list"])
def test_values_nested_as_deep_as_the_parser_allows(inner: Any) -> None:
    assert causes(tools(nested(inner, 240)), tools(nested("y", 240))) == {"item-edited"}
    assert causes(tools(nested([inner, 1], 240)), tools(nested([inner, 2], 240))) == {"item-edited"}


TAGS = {
    "nested": ("<context>" * 50_000, "</context>" * 50_000),
    "of different names": ("".join(f"<t{i}>" for i in range(50_000)), ""),
    "open": ("<a " * 100_000, ""),
    "never closed": ("<think>" * 50_000, ""),
    "only their start": ("<" * 200_000, ""),
    "with a long name": ("<" + "a" * 200_000, ""),
}


@pytest.mark.parametrize(("before", "behind"), TAGS.values(), ids=TAGS)
def test_tags(before: str, behind: str) -> None:
    old, new = chat(f"{before}one{behind}", "go"), chat(f"{before}two{behind}", "go")
    assert causes(old, new) <= {"history-rewritten", "per-turn-context"}
    assert causes(old, chat("three", "go"))


RUNS = {
    "ampersands": "&" * 200_000,
    "digits": "1" * 500_000,
    "numbers": "1," * 200_000,
    "hexadecimal digits": "a1" * 200_000,
    "a path": "/a" * 200_000,
    "spaces": " " * 200_000,
    "line feeds": "\n" * 200_000,
    "brackets": "(" * 100_000,
    "braces": "{" * 100_000,
    "a field of dots": "\nhost: " + "." * 100_000 + " !",
    "a path of dots": "\ncwd: /" + "./" * 100_000 + " !",
    "a quoted field": "\nbranch: " + "'" * 100_000 + " !",
}


@pytest.mark.parametrize("run", RUNS.values(), ids=RUNS)
def test_a_long_run(run: str) -> None:
    assert causes(chat(f"x{run}b", "go"), chat(f"x{run}c", "go"))
    assert causes(chat(f"x{run}b", "go"), chat("x", "go"))
    assert causes(chat(f"b{run}x", "go"), chat(f"c{run[:-9]}x", "go"))


def test_long_lists_and_objects() -> None:
    rows = [{"id": i, "v": f"x{i}"} for i in range(8_000)]
    changed = [{**row, "v": "y"} if i % 20 == 0 else row for i, row in enumerate(rows)]
    assert causes(tools(rows), tools(changed)) == {"item-edited"}
    assert causes(tools(rows), tools(rows[::2])) == {"item-edited"}
    assert causes(tools(rows), tools(rows[::-1])) == {"list-order"}
    old, new = ({f"{letter}{i}": i for i in range(8_000)} for letter in "jk")
    assert causes(tools(old), tools(new)) == {"item-edited"}
    assert causes(chat(json.dumps(rows), "go"), chat(json.dumps(changed), "go")) == {"history-rewritten"}


def test_many_tools() -> None:
    def request(names: range, description: str = "d") -> Any:
        listed = [{"name": f"t{i}", "description": description, "input_schema": {}} for i in names]
        return {"model": "m", "tools": listed, "messages": chat("hi")}

    some = range(4_000)
    assert causes(request(some), request(some[::-1])) == {"list-order"}
    assert causes(request(some), request(some[1:])) == {"items-changed"}
    assert causes(request(some), request(range(4_000, 8_000))) == {"items-changed"}
    assert causes(request(some), request(some, "e")) == {"item-edited"}


def test_many_blocks() -> None:
    def request(*numbers: int) -> Any:
        return [{"role": "user", "content": [{"type": "text", "text": f"<r>{i}</r>"} for i in numbers]}, *chat("go")]

    some = range(4_000)
    assert causes(request(*some), request(*some[::2])) == {"history-rewrapped"}
    assert causes(request(*some), request(*some[::-1])) == {"list-order"}
    assert causes(request(*some), request(*(i + 4_000 for i in some))) == {"history-rewritten"}


class Counted(str):
    """A word that counts how often an alignment looks at words."""

    looks = 0

    def __hash__(self) -> int:
        Counted.looks += 1
        return super().__hash__()

    def __eq__(self, other: object) -> bool:
        Counted.looks += 1
        return super().__eq__(other)


def peeled(count: int) -> tuple[list[Counted], list[Counted]]:
    """Lists in which each round of an alignment finds one anchor and leaves almost all of the rest."""
    kept = ["s1", "u", *(word for i in range(1, count) for word in (f"s{i + 1}", f"s{i}"))]
    old, new = ([Counted(w) for k, word in enumerate(kept) for w in (f"{side}{k}", word)] for side in "ab")
    return old, new


def test_an_alignment_looks_at_each_entry_a_few_times() -> None:
    old, new = peeled(4_000)
    Counted.looks = 0
    found = gaps(old, new)
    assert found[-1].a1 == len(old) - 1
    assert Counted.looks < 100 * (len(old) + len(new))


def test_a_short_alignment_is_complete() -> None:
    old, new = peeled(40)
    assert [old[i] for gap in gaps(old, new) for i in range(gap.a0, gap.a1) if not old[i].startswith("a")] == []


def test_many_values_at_a_great_depth() -> None:
    prompts = [rendered(tools(nested({f"k{i}": i + more for i in range(3_000)}, 240))) for more in (0, 10**6)]
    (found,) = text_divergences(*prompts)
    assert (found.cause, len(found.repeats)) == ("item-edited", 2_999)
    places = index(prompts[0].items[0], "\n", {})
    assert len(places.first) < 3_000 + 300


def test_the_place_of_many_deep_values_is_found_without_a_walk_to_the_root(monkeypatch: pytest.MonkeyPatch) -> None:
    item = rendered(tools(nested({f"k{i}": i for i in range(1_000)}, 240))).items[0]
    steps = 0

    def walk(path: Path) -> Iterator[Path]:
        nonlocal steps
        for depth in range(len(path), -1, -1):
            steps += 1
            yield path[:depth]

    monkeypatch.setattr(tree, "_upwards", walk)
    index(item, "\n", {})
    assert steps < 20 * len(item.pieces)


@pytest.mark.parametrize("mark", [".", "!", "(", ")", "'", '"'])
def test_a_long_word_of_marks_in_a_markdown_report(mark: str) -> None:
    assert words(f"{mark * 200_000}x").count(mark) == 200_000
    assert words(f"x{mark * 200_000}<").count(mark) == 200_000
