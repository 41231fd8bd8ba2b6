"""Explicit markers: where entries are written and found, how a mixed prompt is billed, what is refused."""

import json
from pathlib import Path
from typing import Any

import pytest

from cache_pairs import ask, rule
from documents import rendered
from promptlint.cache.entries import Entry, reuse, seconds
from promptlint.cache.markers import entries, lookups, positions
from promptlint.cache.positions import in_tokens
from promptlint.cache.refusals import refusals
from promptlint.cache.unread import ignored
from promptlint.commands.diff import diff
from promptlint.facts.providers import provider
from promptlint.money.cost import split_by_ttl

ANTHROPIC = provider("anthropic")
MARK = {"cache_control": {"type": "ephemeral"}}
HOUR = {"cache_control": {"type": "ephemeral", "ttl": "1h"}}


def text(words: str, mark: dict[str, Any] | None = None) -> dict[str, Any]:
    return {"type": "text", "text": words, **(mark or {})}


def request(*content: dict[str, Any], **fields: Any) -> dict[str, Any]:
    messages = [{"role": "user", "content": list(content)}]
    return {"model": "claude-sonnet-4-6", "max_tokens": 9, "messages": messages, **fields}


def test_entries_are_written_at_markers_only_and_for_their_lifetime() -> None:
    found = positions(rendered(request(text("a", HOUR), text("b"), text("c", MARK))), ANTHROPIC)
    ends = [position.end for position in found]
    assert entries(found, ANTHROPIC) == [Entry(ends[0], "1h"), Entry(ends[2], "5m")]


def test_a_request_reads_to_the_token_what_an_earlier_one_had_read_and_written_at_that_marker() -> None:
    """As in 12 of 12 recorded pairs; moving the marker on keeps the old entry, and only the increment is written."""
    first, second = request(text("a"), text("b", MARK)), request(text("a"), text("b"), text("c", MARK))
    a, found = ask(first, second)
    assert found.usable == found.readable == found.written[-1] == len(a.text)


@pytest.mark.parametrize(
    ("read", "written", "uncached"),
    [
        (0, {"1h": 5000, "5m": 3000}, 1000),  # nothing is found
        (2000, {"1h": 3000, "5m": 3000}, 1000),  # the first hour's marker is found
        (5000, {"5m": 3000}, 1000),
        (8000, {}, 1000),  # all that is marked is found
    ],
)
def test_mixed_lifetimes_are_billed_in_three_parts(read: int, written: dict[str, int], uncached: int) -> None:
    """A: the highest hit; B: the last hour's marker behind it; C: the last marker. A is read, B - A written for an
    hour, C - B for five minutes. Source: platform.claude.com/docs/en/build-with-claude/prompt-caching.
    """
    prompt = rendered(request(text("a", HOUR), text("b", HOUR), text("c", MARK), text("d")))
    tokens = dict(zip((p.end for p in positions(prompt, ANTHROPIC)), (2000, 5000, 8000, 9000), strict=True))
    written_at = entries(in_tokens(positions(prompt, ANTHROPIC), tokens.__getitem__), ANTHROPIC)
    split = split_by_ttl(9000, read, [(entry.end, entry.lifetime) for entry in written_at])
    assert (split.read, dict(split.written), split.uncached) == (read, written, uncached)


def test_a_log_asks_each_request_what_it_finds_of_all_earlier_ones() -> None:
    """Entries of several requests, with their age: the longest one that lies in reach and is still alive is read."""
    found = positions(rendered(request(*(text(f"{i}", MARK if i == 29 else None) for i in range(30)))), ANTHROPIC)
    ends, looked = [position.end for position in found], lookups(found, ANTHROPIC)
    old, near, late = Entry(ends[5], "5m", age_s=10), Entry(ends[12], "5m", age_s=20), Entry(ends[28], "5m", age_s=301)
    assert reuse([old], looked, ANTHROPIC)[:2] == (0, "certain")  # 24 positions back
    assert reuse([old, near], looked, ANTHROPIC)[:2] == (ends[12], "certain")
    expired = reuse([old, near, late], looked, ANTHROPIC)
    assert (expired.usable, expired.expired, "lifetime" in expired.why) == (ends[12], ends[28], True)
    assert reuse([near, late._replace(age_s=300)], looked, ANTHROPIC).usable == ends[28]
    assert reuse([near, late._replace(lifetime="1h")], looked, ANTHROPIC).usable == ends[28]


@pytest.mark.parametrize(
    ("name", "limit"), [("5m", 300), ("1h", 3600), ("30m", 1800), ("24h", 86400), ("in_memory", None), ("", None)]
)
def test_lifetimes_in_seconds(name: str, limit: int | None) -> None:
    assert seconds(name) == limit


def refused(value: dict[str, Any], name: str = "anthropic") -> list[str]:
    prompt, row = rendered(value, "bedrock-invoke" if name == "bedrock" else None), provider(name)
    return [fault.cause for fault in refusals(positions(prompt, row), prompt.request, row)]


def test_the_marker_at_the_top_and_that_of_the_last_block_must_agree() -> None:
    """400 if they ask for two lifetimes; the same lifetime twice is one marker."""
    assert refused(request(text("a"), text("b", HOUR), **MARK)) == ["marker-ttl-order"]
    assert refused(request(text("a"), text("b", HOUR), **HOUR)) == []
    assert refused(request(text("a", HOUR), text("b"), **MARK)) == []
    # It walks back over a block that cannot carry it, and there meets the other.
    assert refused(request(text("a", HOUR), text(""), **MARK)) == ["marker-ttl-order"]


def test_a_marker_at_the_top_with_nothing_that_can_carry_it_is_left_out() -> None:
    assert refused(request(text(""), **MARK)) == []


@pytest.mark.parametrize(
    ("model", "causes"),
    [
        ("anthropic.claude-opus-4-6-v1", ["marker-illegal-block"]),
        ("anthropic.claude-sonnet-4-20250514-v1:0", ["marker-illegal-block"]),
        ("anthropic.claude-3-5-haiku-20241022-v1:0", ["marker-illegal-block"]),
        ("anthropic.claude-opus-4-7", []),
        ("anthropic.claude-opus-5", []),
        ("anthropic.claude-haiku-5-5", []),
    ],
)
def test_older_models_on_bedrock_refuse_a_marker_at_the_top(model: str, causes: list[str]) -> None:
    value = request(text("a"), anthropic_version="bedrock-2023-05-31", **MARK)
    assert refused({**value, "model": model}, "bedrock") == causes
    assert refused({**value, "model": model}) == []


def test_a_tool_that_is_loaded_later_and_a_message_that_is_cleared_carry_no_marker() -> None:
    tool = {"name": "gauge", "input_schema": {"type": "object"}}
    assert refused(request(text("a"), tools=[{**tool, "defer_loading": True, **MARK}])) == ["marker-illegal-block"]
    assert refused(request(text("a"), tools=[{**tool, **MARK}, {**tool, "defer_loading": True}])) == []
    value = request(text("a"))
    reminder = {"role": "system", "clear_at": "next_user_message", "content": [text("Be brief.", MARK)]}
    assert refused({**value, "messages": [*value["messages"], reminder]}) == ["marker-illegal-block"]
    assert refused({**value, "messages": [*value["messages"], {**reminder, "clear_at": None}]}) == []


@pytest.mark.parametrize("name", ["qwen", "minimax"])
def test_other_providers_take_markers_too(name: str) -> None:
    """Four markers, twenty blocks back, five minutes; runs of calls count each."""
    row = rule(name, "markers")
    value = request(*(text(f"{i}", MARK if i == 0 else None) for i in range(3)))
    assert (row.provider.marker_limit, row.provider.lookback, row.provider.lifetimes) == (4, 20, ("5m",))
    grown = request(*(text(f"{i}", MARK if i in (0, 2) else None) for i in range(3)))
    _, found = ask(value, grown, row)
    assert found.usable == found.readable > 0
    five = rendered(request(*(text(f"{i}", MARK) for i in range(5))))
    assert refused(request(*(text(f"{i}", MARK) for i in range(5))), name) == []
    assert len(entries(positions(five, row.provider), row.provider)) == 4
    fault = ignored(five, row)
    assert fault is not None
    assert (fault.cause, fault.certainty, "5 markers" in fault.message) == ("marker-limit", "possible", True)


@pytest.mark.parametrize(("model", "name"), [("MiniMax-M2.7", "minimax"), ("qwen3.8-max", "qwen")])
def test_their_markers_count_where_a_request_has_some(tmp_path: Path, model: str, name: str) -> None:
    """Without markers the longest equal prefix counts; with some, only what ends at one."""
    for marked, unit in ((True, "marker"), (False, "token")):
        block = text("The harbour master reads the gauge. " * 400, MARK if marked else None)
        for side, question in (("a", "Now?"), ("b", "Later?")):
            messages = [{"role": "user", "content": [block, text(question)]}]
            value = {"model": model, "max_tokens": 9, "messages": messages}
            (tmp_path / f"{side}.json").write_text(json.dumps(value), "utf-8")
        (found,) = diff(str(tmp_path / "a.json"), str(tmp_path / "b.json")).diffs
        assert (found.b.provider, found.boundary.unit) == (name, unit)
        assert found.verdict == "kept"  # the question alone differs
