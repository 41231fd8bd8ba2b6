"""Which lines of two texts differ."""

import random
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptlint.check_facts import Hunk
from promptlint.read.hunks import at_line, hunks, nearest

TEXTS = st.lists(st.sampled_from(["a\n", "b\n", "c\n", "\n", "a\r\n", "b\r", "long line\n"]), max_size=30).map("".join)
LONGER = st.lists(st.integers(0, 60).map(lambda number: f"{number}\n"), max_size=120).map("".join)


def lines_of(text: str) -> list[str]:
    """Lines with their ends: LF, CR LF, and a lone CR."""
    parts = [part.splitlines(keepends=True) for part in text.split("\n")]
    rows = [
        row
        for number, part in enumerate(parts)
        for row in ([*part[:-1], (part or [""])[-1] + "\n"] if number < len(parts) - 1 else part)
    ]
    return rows


def applied(old: str, new: str, found: tuple[Hunk, ...]) -> str:
    """`old` with every hunk put in; that a hunk tells its own lines is compared on the way."""
    before, after = lines_of(old), lines_of(new)
    made: list[str] = []
    done = 0
    for each in found:
        begin = each.old_start - (each.old_lines > 0)
        made += before[done:begin]
        assert len(made) == each.new_start - (each.new_lines > 0)
        done = begin + each.old_lines
        put = after[len(made) : len(made) + each.new_lines]
        told = [f"-{line}" for line in before[begin:done]] + [f"+{line}" for line in put]
        assert each.lines == tuple(line.removesuffix("\n") for line in told)
        made += put
    return "".join([*made, *before[done:]])


@pytest.mark.parametrize("kind", [TEXTS, LONGER])
def test_hunks_make_the_new_text_of_the_old(kind: st.SearchStrategy[str]) -> None:
    @given(kind, kind)
    def law(old: str, new: str) -> None:
        found = hunks(old, new, "p", shown=1000)
        assert applied(old, new, found) == new
        assert bool(found) == (old != new)
        for first, second in pairwise(found):  # at least one equal line lies between two
            assert second.old_start - (second.old_lines > 0) > first.old_start - (first.old_lines > 0) + first.old_lines
        short = hunks(old, new, "p", shown=4)
        assert [each[:5] for each in short] == [each[:5] for each in found]
        assert all(len(each.lines) == min(4, each.old_lines + each.new_lines) for each in short)

    law()


@given(LONGER, st.randoms(use_true_random=False))
def test_few_edits_are_few_hunks(text: str, choice: random.Random) -> None:
    rows = [f"{number} {row}" for number, row in enumerate(text.splitlines(keepends=True))]
    edited = sorted(choice.sample(range(len(rows)), min(3, len(rows))))
    new = [f"edited {row}" if number in edited else row for number, row in enumerate(rows)]
    found = hunks("".join(rows), "".join(new), "p")
    assert sorted(line for each in found for line in range(each.new_start, each.new_start + each.new_lines)) == [
        number + 1 for number in edited
    ]


def test_as_git_has_them(tmp_path: Path) -> None:
    old = "".join(f"{number}\n" for number in range(100))
    new = (
        old.replace("3\n4\n", "3\nx\ny\n4\n", 1).replace("50\n51\n", "").replace("70\n", "seventy\n").removesuffix("\n")
    )
    (tmp_path / "old").write_text(old)
    (tmp_path / "new").write_text(new)
    line = ["git", "diff", "--no-index", "--no-ext-diff", "-U0", "old", "new"]
    told = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True, check=False).stdout
    headers = [row.split(" @@")[0] for row in told.splitlines() if row.startswith("@@")]

    def span(start: int, lines: int) -> str:
        return f"{start}" if lines == 1 else f"{start},{lines}"

    found = hunks(old, new, "p")
    assert [f"@@ -{span(*each[1:3])} +{span(*each[3:5])}" for each in found] == headers
    assert found[0] == Hunk("p", 4, 0, 5, 2, ("+x", "+y"))


def test_added_and_deleted_files() -> None:
    assert hunks(None, "a\nb", "p") == (Hunk("p", 0, 0, 1, 2, ("+a", "+b")),)
    assert hunks("a\nb", None, "p") == (Hunk("p", 1, 2, 0, 0, ("-a", "-b")),)
    assert hunks(None, "", "p") == hunks("", None, "p") == hunks("a", "a", "p") == hunks("", "", "p") == ()


def test_ends_of_lines_count() -> None:
    assert hunks("a\nb\n", "a\r\nb\r\n", "p") == (Hunk("p", 1, 2, 1, 2, ("-a", "-b", "+a\r", "+b\r")),)
    assert hunks("a\nb\n", "a\nb", "p") == (Hunk("p", 2, 1, 2, 1, ("-b", "+b")),)
    assert hunks("a\rb\n", "a\rc\n", "p") == (Hunk("p", 2, 1, 2, 1, ("-b", "+c")),)
    assert hunks("a\x0cb\u2028c\n", "a\x0cb\u2028d\n", "p")[0][:5] == ("p", 1, 1, 1, 1)


def test_few_lines_are_kept_of_both_sides() -> None:
    old, new = "".join(f"{n}\n" for n in range(50)), "".join(f"x{n}\n" for n in range(50))
    assert hunks(old, new, "p", shown=4)[0].lines == ("-0", "-1", "+x0", "+x1")
    assert hunks(old, "x\n", "p", shown=4)[0].lines == ("-0", "-1", "-2", "+x")
    assert hunks("x\n", new, "p", shown=4)[0].lines == ("-x", "+x0", "+x1", "+x2")
    assert hunks("x\n", "y" * 10_000, "p")[0].lines == ("-x", f"+{'y' * 400}…")


def test_hunk_of_a_line() -> None:
    first, second, third = Hunk("p", 3, 1, 3, 2, ()), Hunk("p", 9, 2, 9, 0, ()), Hunk("p", 12, 0, 11, 1, ())
    found = (first, second, third)
    expected = {1: None, 2: None, 3: first, 4: first, 5: None, 8: None, 9: second, 10: second, 11: third, 12: None}
    assert {line: at_line(found, line) for line in expected} == expected
    closest = {1: first, 4: first, 6: first, 7: second, 10: second, 11: third, 99: third}
    assert {line: nearest(found, line) for line in closest} == closest
    assert at_line((), 1) is nearest((), 1) is None


def test_between_two_deletions() -> None:
    """Find what was deleted in front of a line first: whatever stands there took its place."""
    found = hunks("a\nx\nb\ny\nc\n", "a\nb\nc\n", "p")
    assert [each.lines for each in found] == [("-x",), ("-y",)]
    assert [at_line(found, line) for line in (1, 2, 3)] == [found[0], found[0], found[1]]
    everything = hunks("a\n", "", "p")
    assert at_line(everything, 1) == everything[0]


def steps(old: str, new: str) -> int:
    """How many lines of Python it takes; what these hand to C grows with the size of the stretches."""
    count = 0

    def watch(frame: FrameType, event: str, argument: object) -> Any:
        nonlocal count
        count += event == "line"
        return watch

    before = sys.gettrace()
    sys.settrace(watch)
    try:
        hunks(old, new, "p")
    finally:
        sys.settrace(before)
    return count


@pytest.mark.parametrize("name", ["line ends", "two lines in turn", "all equal", "shuffled", "nested", "shifted twins"])
def test_time_grows_with_the_size(name: str) -> None:
    size = 8000
    choice = random.Random(1)
    rows = [f"{number}\n" for number in range(size)]
    twins = [f"{number // 2}\n" for number in range(size)]
    ruler = [f"{(number & -number).bit_length()}\n" for number in range(1, size)]
    pairs = {
        "line ends": (rows, [f"{row[:-1]}\r\n" for row in rows]),
        "two lines in turn": (["a\n", "b\n"] * (size // 2), ["b\n", "c\n"] * (size // 2)),
        "all equal": (["a\n"] * size, ["b\n", *["a\n"] * (size // 2), "b\n"]),
        "shuffled": (rows, choice.sample(rows, size)),
        "nested": (ruler, ruler[7:] + ruler[3:50]),
        "shifted twins": (twins, ["x\n", *twins[1:], "y\n"]),
    }
    old, new = pairs[name]
    small = steps("".join(old[: size // 8]), "".join(new[: size // 8]))
    assert steps("".join(old), "".join(new)) < 8 * 3 * max(small, 200)
