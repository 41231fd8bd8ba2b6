"""What the detectors look at grows no faster than the text: counted in work, not in time."""

from collections.abc import Callable
from itertools import pairwise
from types import ModuleType

import pytest

from promptlint.lint.volatile import counters, environment, identifiers, moments, people, quiet, retrieved
from promptlint.lint.volatile.found import Detector
from promptlint.lint.volatile.scan import compiled, line_of, near

MOST = 2000  # candidates of one text that are looked at
CANDIDATES: list[tuple[ModuleType, Detector, str]] = [
    (moments, moments.clocks, "Now: 10:15:02.\n"),
    (moments, moments.dates, "Today is 2026-11-29.\n"),
    (identifiers, identifiers.identifiers, "session id: 9f31c07ab2\n"),
    (counters, counters.counters, "12,345 tokens left.\n"),
    (people, people.people, "The user's name is Ana.\n"),
    (environment, environment.environment, "cwd: /srv/app\n"),
    (retrieved, retrieved.retrieved, "Relevant passages:\n[1] The tide table.\n\n"),
]
UNITS = ["<example>\n", "Example:\n", "# Example\n", "Examples\n\n", "```\n", "Q: a\nA: b\n", "Answer:\n", "\n\n"]


def counting(function: Callable[..., bool], calls: list[int]) -> Callable[..., bool]:
    def counted(*args: object, **named: object) -> bool:
        calls.append(1)
        return function(*args, **named)

    return counted


@pytest.mark.parametrize(("module", "detect", "unit"), CANDIDATES, ids=[row[0].__name__ for row in CANDIDATES])
def test_a_text_of_nothing_but_candidates_is_looked_at_so_often_and_not_more(
    module: ModuleType, detect: Detector, unit: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[int] = []
    monkeypatch.setattr(module, "is_quiet", counting(lambda *_, **__: True, calls))
    assert not list(detect(unit * 3 * MOST, False))
    assert 0 < len(calls) <= 2 * MOST


@pytest.mark.parametrize("unit", UNITS)
def test_the_blocks_of_examples_stand_apart_and_in_order(unit: str) -> None:
    """`in_range` looks them up by halving, and no character is read for two of them."""
    text = unit * 500
    found = quiet._blocks(text, True)
    assert all(start < end for start, end in found)
    assert all(one[1] < other[0] for one, other in pairwise(found))
    assert sum(end - start for start, end in found) <= len(text)


@pytest.mark.parametrize(("before", "after"), [(0, 0), (3, 5), (50, 50)])
def test_a_search_near_signs_reads_each_character_once(before: int, after: int) -> None:
    text = "..x...x........x.......................x" * 50
    found = [match.start() for match in near("x", r"[.x]", text, before, after)]
    signs = [match.start() for match in compiled("x").finditer(text)]
    around = {place for sign in signs for place in range(max(sign - before, 0), min(sign + 1 + after, len(text)))}
    assert found == sorted(around)


def test_a_line_is_followed_so_far_and_no_farther() -> None:
    text = "a" * 1000
    assert line_of(text, 500, 10) == (490, 510)
    assert line_of("one\ntwo\nthree", 5) == (4, 7)
