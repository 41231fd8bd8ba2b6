"""Random edits of a template: what `promptlint check` says against what Jinja itself renders of both revisions."""

import random
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import jinja2
import pytest

from check_projects import (
    BREAKPOINT,
    NOW,
    SETS,
    Repository,
    check,
    started,
    template,
    template_entry,
    template_project,
    tokens,
)

FACTOR, EITHER_WAY = 1.5, 0.2  # of the counts of this vendor's models: data/models.yaml, and the doubt of any estimate
MINIMUM = 1024
STEP = 128
PRINTED = (
    "{{ ticket }}",
    "{{ member }}",
    "{{ today }}",
    "{{ town }}",
    '{{ now().strftime("%H:%M") }}',
    "{% if ticket %}Yes.{% endif %}",
    "{% set late = ticket %}",
    "{# {{ ticket }} #}",
    "{{ town | upper }}",
    "{{ member | first }}{{ member | length }}",
    "{% for n in [1, 2] %}{{ n }}{% endfor %}",
)


def _edited(rng: random.Random, lines: list[str]) -> list[str]:
    """One edit, as somebody may make it."""
    found, at = list(lines), rng.randrange(len(lines))
    kind = rng.choice(("add", "append", "delete", "swap", "reword", "cut", "mark", "unmark"))
    marks = [each for each in found if each == BREAKPOINT]
    if kind == "add":
        found.insert(at, f"Note: {rng.choice(PRINTED)}")
    elif kind == "append" and found[at] != BREAKPOINT:
        found[at] += f" {rng.choice(PRINTED)}"
    elif kind == "delete" and found[at] != BREAKPOINT:
        del found[at]
    elif kind == "swap":
        other = rng.randrange(len(found))
        found[at], found[other] = found[other], found[at]
    elif kind == "reword":
        found[at] = found[at].replace(" the ", " that ", 1)
    elif kind == "cut":
        end = at + rng.randrange(50)
        found[at:end] = [each for each in found[at:end] if each == BREAKPOINT]
    elif kind in ("mark", "unmark") and marks:
        found.remove(BREAKPOINT)
        if kind == "mark" or rng.random() < 0.7:
            found.insert(rng.randrange(len(found)), BREAKPOINT)
    return found


def _revisions(seed: int, marker: str) -> tuple[list[str], list[str]]:
    """The lines before and after a change."""
    rng = random.Random(seed)
    before = template(marker=marker).split("\n")[:-1]
    for _ in range(rng.choice((0, 0, 0, 1, 2))):
        before = _edited(rng, before)
    after = _edited(rng, before)
    for _ in range(rng.choice((0, 0, 1, 2))):
        after = _edited(rng, after)
    return before, after if after != before else [*after, "More."]


def _renderings(lines: list[str]) -> list[str]:
    """With both sets of variables, each at two moments."""
    made = jinja2.Template("\n".join(lines), undefined=jinja2.StrictUndefined, keep_trailing_newline=True)
    first = datetime.fromisoformat(NOW)
    moments = first, first + timedelta(days=1, hours=1, seconds=61)
    return [made.render(**each, now=lambda at=at: at) for each in SETS for at in moments]


class Shared(NamedTuple):
    """What renderings of one revision have in common, as far as a cache keeps it."""

    text: str
    tokens: int


def _up_to_the_marker(lines: list[str]) -> Shared:
    """All or nothing: an entry is made at the marker."""
    head = lines[: len(lines) - lines[::-1].index(BREAKPOINT) - 1] if BREAKPOINT in lines else []
    found = set(_renderings([*head, ""]))
    text = found.pop()
    return Shared("", 0) if found else Shared(text, tokens(text))


def _from_the_start(lines: list[str]) -> Shared:
    """In steps, and not below the minimum."""
    texts = _renderings(lines)
    end = next((at for at, each in enumerate(zip(*texts, strict=False)) if len(set(each)) > 1), None)
    text = texts[0][: min(map(len, texts)) if end is None else end]
    return Shared(text, tokens(text))


def _size(count: int) -> str:
    low, high = (count * FACTOR * (1 + way) for way in (-EITHER_WAY, EITHER_WAY))
    return "above" if low >= MINIMUM else "below" if high < MINIMUM else "near"


def _stranded(before: Shared, after: Shared, lines: list[str]) -> int:
    """Tokens of fixed lines that were shared, are still there, and are shared no more."""
    kept = set(after.text.split("\n"))
    return sum(tokens(each) for each in before.text.split("\n")[:-1] if each in lines and each not in kept)


def _checked(made: Repository, before: list[str], after: list[str], entry: dict[str, Any]) -> dict[str, Any]:
    for lines in (before, after):
        made.commit(template_project("\n".join(lines) + "\n", entry=entry))
    found = check(made.path, "--base", "HEAD~1")
    assert found.report, found.err
    return found.touched


@pytest.mark.parametrize("first", range(0, 60, 6))
def test_a_cache_with_markers(first: int, tmp_path: Path) -> None:
    made = started(tmp_path)
    for seed in range(first, first + 6):
        before, after = _revisions(seed, BREAKPOINT + "\n")
        old, new = _up_to_the_marker(before), _up_to_the_marker(after)
        if BREAKPOINT not in before + after:
            continue  # then the end is the marker
        prompt = _checked(made, before, after, template_entry(markers="comments"))
        sizes = _size(old.tokens), _size(new.tokens)
        if sizes[0] == "above":
            assert abs(prompt["usable_tokens_before"] - old.tokens) <= 3, seed
        if sizes == ("above", "above"):
            assert abs(prompt["usable_tokens_after"] - new.tokens) <= 3, seed
        assert prompt["verdict"] in _expected(sizes, _stranded(old, new, after)), (seed, sizes, prompt)


def _expected(sizes: tuple[str, str], stranded: int) -> tuple[str, ...]:
    if sizes[0] == "below":
        return ("pass",)
    if sizes[0] == "near":
        return "pass", "fail", "unknown"
    if sizes[1] == "below":
        return ("fail",)
    return ("fail",) if stranded else ("pass",) if sizes[1] == "above" else ("unknown",)


@pytest.mark.parametrize("first", range(1000, 1060, 6))
def test_a_cache_that_needs_no_markers(first: int, tmp_path: Path) -> None:
    made = started(tmp_path)
    entry = template_entry(provider="openai", model="gpt-5.4", markers="none")
    for seed in range(first, first + 6):
        before, after = _revisions(seed, "")
        old, new = _from_the_start(before), _from_the_start(after)
        prompt = _checked(made, before, after, entry)
        for shared, usable in ((old, "usable_tokens_before"), (new, "usable_tokens_after")):
            if shared.tokens > 1.3 * MINIMUM:
                assert shared.tokens - STEP - 3 <= prompt[usable] <= shared.tokens + 3, seed
        stranded = _stranded(old, new, after)
        if old.tokens > 1.3 * MINIMUM and stranded > 2 * STEP:
            assert prompt["verdict"] == "fail", (seed, prompt)
        if not stranded and new.tokens >= max(old.tokens, 1.3 * MINIMUM):
            assert prompt["verdict"] == "pass", (seed, prompt)
