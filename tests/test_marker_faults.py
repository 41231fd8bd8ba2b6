"""Markers that are refused, out of reach, or left behind; beside each fault a good neighbour that stays silent."""

import json
import pathlib
from typing import Any

import pytest

from cache_pairs import reused, rule
from documents import rendered
from promptlint.boundary.divergence import shared_chars
from promptlint.cache.marker_faults import moved, out_of_reach, refused_before, standing_still
from promptlint.cache.markers import positions
from promptlint.cache.refusals import MarkerFault, refusals
from promptlint.commands.diff import diff
from promptlint.facts.providers import provider
from promptlint.prompt import Path
from promptlint.read.places import pointer

MARK = {"type": "ephemeral"}
HOUR = {"type": "ephemeral", "ttl": "1h"}
MINUTES = {"type": "ephemeral", "ttl": "5m"}
UNKNOWN = {"type": "ephemeral", "ttl": "2h"}
LONG = "The harbour master reads the gauge. " * 60  # about 2,160 characters

Block = dict[str, Any]


def text(words: str = "A page of the log.", mark: dict[str, str] | None = None) -> Block:
    return {"type": "text", "text": words} | ({"cache_control": mark} if mark else {})


def texts(count: int, *marked: int) -> list[Block]:
    return [text(f"page {i}", MARK if i in marked else None) for i in range(count)]


def request(*content: Block, **fields: Any) -> dict[str, Any]:
    messages = [{"role": "user", "content": list(content)}]
    return {"model": "claude-sonnet-5", "max_tokens": 9, "messages": messages, **fields}


def at(path: Path | None) -> str | None:
    found = None if path is None else pointer(path)
    assert not isinstance(found, tuple)
    return found


def refused(value: dict[str, Any], name: str = "anthropic") -> list[MarkerFault]:
    row = provider(name)
    prompt = rendered(value)
    faults = list(refusals(positions(prompt, row), prompt.request, row))
    assert all(fault.refused and fault.old is None for fault in faults)
    return faults


def causes(value: dict[str, Any]) -> list[tuple[str, str | None]]:
    return [(fault.cause, at(fault.new)) for fault in refused(value)]


def test_five_explicit_markers_are_one_too_many() -> None:
    (fault,) = refused(request(*texts(6, 0, 1, 2, 3, 5)))
    paths = [f"/messages/0/content/{i}/text" for i in (0, 1, 2, 3, 5)]
    assert (fault.cause, at(fault.new)) == ("marker-limit", paths[4])
    assert [at(path) for path in fault.extra] == paths
    assert "5 cache markers, the limit is 4" in fault.message
    assert refused(request(*texts(6, 0, 1, 2, 5))) == []


def test_the_automatic_marker_counts() -> None:
    assert causes(request(*texts(6, 0, 1, 2, 3), cache_control=MARK)) == [
        ("marker-limit", "/messages/0/content/5/text")
    ]
    assert refused(request(*texts(6, 0, 1, 2), cache_control=MARK)) == []
    # On a block that is marked already it is no second one.
    assert refused(request(*texts(6, 0, 1, 2, 5), cache_control=MARK)) == []


def test_markers_on_tools_and_system_count() -> None:
    tool = {"name": "gauge", "input_schema": {"type": "object"}, "cache_control": MARK}
    value = request(*texts(4, 0, 1, 2), tools=[tool], system=[text(mark=MARK)])
    assert causes(value) == [("marker-limit", "/messages/0/content/2/text")]


def lifetimes(*marks: dict[str, str]) -> list[MarkerFault]:
    return refused(request(*(text(f"page {i}", mark) for i, mark in enumerate(marks))))


@pytest.mark.parametrize("short", [MARK, MINUTES])
def test_a_longer_lifetime_after_a_shorter_is_refused(short: dict[str, str]) -> None:
    (fault,) = lifetimes(HOUR, short, HOUR, HOUR)
    assert (fault.cause, at(fault.new)) == ("marker-ttl-order", "/messages/0/content/2/text")
    assert [at(path) for path in fault.extra] == ["/messages/0/content/1/text", "/messages/0/content/2/text"]
    assert "a 1h marker follows a 5m marker" in fault.message
    assert ("no ttl" in fault.message) == (short is MARK)


@pytest.mark.parametrize(
    "marks", [(HOUR, MINUTES), (HOUR, MARK), (HOUR, HOUR, MARK, MINUTES), (MARK, MINUTES), (MARK,)]
)
def test_a_shorter_lifetime_after_a_longer_or_an_equal_is_allowed(marks: tuple[dict[str, str], ...]) -> None:
    assert lifetimes(*marks) == []


def test_the_automatic_marker_has_a_lifetime() -> None:
    assert causes(request(*texts(3, 0), cache_control=HOUR)) == [("marker-ttl-order", "/messages/0/content/2/text")]
    assert refused(request(text(mark=HOUR), text("page"), cache_control=MARK)) == []


def test_an_empty_text_and_a_thinking_block_carry_no_marker() -> None:
    thinking = {"type": "thinking", "thinking": "Let me see.", "signature": "x", "cache_control": MARK}
    value = request(text("", MARK), text("page", MARK))
    value["messages"].append({"role": "assistant", "content": [thinking, text("Here.")]})
    faults = refused(value)
    assert [(fault.cause, at(fault.new)) for fault in faults] == [
        ("marker-illegal-block", "/messages/0/content/0/text"),
        ("marker-illegal-block", "/messages/1/content/0"),
    ]
    assert "empty text" in faults[0].message
    assert "thinking" in faults[1].message


def test_empty_texts_and_thinking_blocks_without_a_marker_are_no_fault() -> None:
    value = request(text(""), text("page", MARK))
    value["messages"].append(
        {"role": "assistant", "content": [{"type": "thinking", "thinking": "Hm."}, text(" ", MARK)]}
    )
    assert refused(value) == []


def test_an_illegal_marker_does_not_count_to_the_limit() -> None:
    assert [cause for cause, _ in causes(request(*texts(4, 0, 1, 2, 3), text("", MARK)))] == ["marker-illegal-block"]


@pytest.mark.parametrize(("name", "verdict"), [("anthropic", "refused"), ("openai", "same"), ("unknown", "same")])
def test_other_providers_have_no_such_rules(tmp_path: pathlib.Path, name: str, verdict: str) -> None:
    value = request(*texts(6, 0, 1, 2, 3, 4), text("page", HOUR), text("", MARK))
    (tmp_path / "a.json").write_text(json.dumps(value), "utf-8")
    report = diff(str(tmp_path / "a.json"), str(tmp_path / "a.json"), provider=name)
    assert report.verdict == verdict
    assert bool(report.findings) == (verdict == "refused")


def before(value: dict[str, Any]) -> list[MarkerFault]:
    prompt, row = rendered(value), provider("anthropic")
    return list(refused_before(positions(prompt, row), prompt.request, row))


def test_a_fault_of_the_first_request_is_told_but_refuses_nothing() -> None:
    (fault,) = before(request(*texts(6, 0, 1, 2, 3, 5)))
    assert (fault.cause, at(fault.old), fault.new, fault.refused) == (
        "marker-limit",
        "/messages/0/content/5/text",
        None,
        False,
    )
    assert "first request" in fault.message
    assert before(request(*texts(6, 0, 5))) == []


def reach(old: dict[str, Any], new: dict[str, Any], name: str = "anthropic") -> MarkerFault | None:
    row, (a, b) = provider(name), map(rendered, (old, new))
    shared = shared_chars(a, b)
    return out_of_reach(reused(a, b, rule(name)), row, shared)


def test_twenty_positions_back_is_too_far_and_nineteen_are_not() -> None:
    old = request(*texts(4, 3))
    fault = reach(old, request(*texts(30, 23)))
    assert fault is not None
    entry = "/messages/0/content/3/text"
    assert (fault.cause, at(fault.old), at(fault.new), fault.refused) == ("marker-out-of-reach", entry, entry, False)
    assert "20 positions" in fault.message
    assert "19" in fault.message
    assert reach(old, request(*texts(30, 22))) is None
    assert reach(old, request(*texts(40, 3, 39))) is None
    assert reach(old, request(*texts(40, 22, 39))) is None


@pytest.mark.parametrize("distance", [20, 21, 28])
def test_the_distance_is_what_lies_between(distance: int) -> None:
    fault = reach(request(*texts(4, 3)), request(*texts(40, 3 + distance)))
    assert fault is not None
    assert f"{distance} positions" in fault.message


@pytest.mark.parametrize("marked", [(), (1,)])
def test_no_marker_at_or_behind_the_entry(marked: tuple[int, ...]) -> None:
    fault = reach(request(*texts(4, 3)), request(*texts(8, *marked)))
    assert fault is not None
    assert "no marker at or behind" in fault.message


def test_an_entry_behind_changed_text_is_lost_by_the_text_not_by_its_marker() -> None:
    new = request(*texts(40, 39))
    new["messages"][0]["content"][2]["text"] = "another page"
    assert reach(request(*texts(4, 3)), new) is None


def test_nothing_is_out_of_reach_where_nothing_was_written() -> None:
    assert reach(request(*texts(4)), request(*texts(40, 39))) is None


def turns(calls: int, *, last: bool) -> dict[str, Any]:
    """One marked question, `calls` parallel calls and results, and perhaps a marked answer."""
    uses = [{"type": "tool_use", "id": f"toolu_{i}", "name": "gauge", "input": {"n": i}} for i in range(calls)]
    results = [{"type": "tool_result", "tool_use_id": f"toolu_{i}", "content": f"{i} m"} for i in range(calls)]
    value = request(text("Read all gauges.", None if last else MARK))
    if last:
        value["messages"] += [
            {"role": "assistant", "content": uses},
            {"role": "user", "content": [*results, text("Well?", MARK)]},
        ]
    return value


def test_a_run_of_calls_or_of_results_is_one_position() -> None:
    """Thirty calls and thirty results are two positions for Anthropic itself; Bedrock publishes no such rule."""
    old, new = turns(30, last=False), turns(30, last=True)
    assert reach(old, new) is None
    fault = reach(old, new, "bedrock")
    assert fault is not None
    assert "61 positions" in fault.message


def test_runs_that_are_divided_count_each() -> None:
    old, new = turns(1, last=False), turns(1, last=True)
    head, answer = new["messages"][0], new["messages"].pop()
    call = new["messages"].pop()
    for _ in range(10):  # twenty positions, then the marked text
        new["messages"] += [call, {**answer, "content": answer["content"][:1]}]
    new["messages"].append({"role": "user", "content": [text("Well?", MARK)]})
    fault = reach(old, new)
    assert fault is not None
    assert "21 positions" in fault.message
    assert head["content"] == [text("Read all gauges.")]


def still(old: dict[str, Any], new: dict[str, Any]) -> MarkerFault | None:
    a, b = map(rendered, (old, new))
    shared = shared_chars(a, b)
    return standing_still(reused(a, b, rule()), len(a.text), len(b.text), shared)


def test_a_marker_that_stays_while_the_conversation_grows() -> None:
    pages = [text("The rules.", MARK), text(LONG), text(LONG)]  # more than 4,096 characters behind the marker
    fault = still(request(*pages), request(*pages, text("one more")))
    assert fault is not None
    marked = "/messages/0/content/0/text"
    assert (fault.cause, at(fault.old), at(fault.new), fault.refused) == ("marker-not-advancing", marked, marked, False)
    assert "3 blocks behind it" in fault.message


def test_a_short_tail_behind_the_marker_does_not_matter() -> None:
    pages = [text("The rules.", MARK), text(LONG)]
    assert still(request(*pages), request(*pages, text(LONG))) is None


def tail(size: int) -> MarkerFault | None:
    pages = [text("The rules.", MARK), text("x" * (size - 1))]  # a line feed ends each atom
    return still(request(*pages), request(*pages, text("more")))


def test_the_tail_matters_from_4096_characters() -> None:
    assert tail(4095) is None
    assert tail(4096) is not None


def test_without_growth_nothing_stands_still() -> None:
    pages = [text("The rules.", MARK), text(LONG), text(LONG)]
    assert still(request(*pages), request(*pages)) is None
    assert still(request(*pages, text("old end")), request(*pages, text("another end"))) is None


def test_a_marker_that_follows_does_not_stand_still() -> None:
    pages = [text("The rules.", MARK), text(LONG), text(LONG)]
    assert still(request(*pages), request(*pages, text("one more", MARK))) is None


def test_a_marker_that_is_not_read_does_not_stand_still() -> None:
    pages = [text("The rules."), text(LONG), text(LONG)]
    assert still(request(*pages), request(*pages, text("one more"))) is None


def forward(old: dict[str, Any], new: dict[str, Any]) -> tuple[str, str | None, str | None] | None:
    row, (a, b) = provider("anthropic"), map(rendered, (old, new))
    faults = list(moved(reused(a, b, rule()), row))
    assert not any(fault.refused for fault in faults)
    return next(((fault.cause, at(fault.old), at(fault.new)) for fault in faults), None)


def test_another_lifetime_is_told_at_its_own_marker_beside_a_moved_one() -> None:
    hour = {"type": "ephemeral", "ttl": "1h"}
    old, new = (
        request(text("rules", MARK), text("end", MARK)),
        request(text("rules", hour), text("end"), text("more", MARK)),
    )
    row, (a, b) = provider("anthropic"), map(rendered, (old, new))
    lifetime, forward = moved(reused(a, b, rule()), row)
    assert ("5m became 1h" in lifetime.message, at(lifetime.new)) == (True, "/messages/0/content/0/text")
    assert forward.cause == "marker-moved-forward"


def test_a_marker_moved_forward() -> None:
    found = forward(request(*texts(4, 3)), request(*texts(8, 7)))
    assert found == ("marker-moved-forward", "/messages/0/content/3/text", "/messages/0/content/7/text")
    assert forward(request(*texts(4, 3)), request(*texts(8, 3, 7))) == found


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (texts(4, 3), texts(8, 3)),  # stays
        (texts(4), texts(8, 7)),  # is new
        (texts(4, 3), texts(8)),  # is gone
        (texts(4, 3), texts(40, 39)),  # too far: the entry is not read
        (texts(4, 3), [text("another start"), *texts(8, 7)[1:]]),  # the text changed
    ],
    ids=["stays", "new", "gone", "too far", "other text"],
)
def test_no_marker_moved_forward(old: list[Block], new: list[Block]) -> None:
    assert forward(request(*old), request(*new)) is None


def test_a_lifetime_that_the_provider_does_not_have_is_refused() -> None:
    assert causes(request(text(mark=UNKNOWN), text())) == [("marker-ttl-order", "/messages/0/content/0/text")]
    (fault,) = refused(request(text(mark=UNKNOWN), text()))
    assert "2h" in fault.message
    assert fault.fix == "Ask for 5m or 1h."
    assert causes(request(text(mark=HOUR), text(mark=MINUTES))) == []


def test_what_openai_writes_of_its_own_accord_is_not_called_marked(tmp_path: pathlib.Path) -> None:
    for side, question in (("a", "Now?"), ("b", "Later?")):
        messages = [{"role": "developer", "content": "Read."}, {"role": "user", "content": question}]
        (tmp_path / side).write_text(json.dumps({"model": "gpt-5.6-sol", "messages": messages}), "utf-8")
    (found,) = diff(str(tmp_path / "a"), str(tmp_path / "b")).diffs
    assert "the first prompt has about" in found.boundary.why
    assert "marked" not in found.boundary.why


@pytest.mark.parametrize(("lifetime", "warned"), [("12h", True), ("30m", False)])
def test_twelve_hours_are_for_responses(tmp_path: pathlib.Path, lifetime: str, warned: bool) -> None:
    messages = [{"role": "developer", "content": LONG}, {"role": "user", "content": "Now?"}]
    value = {"model": "gpt-5.6-sol", "messages": messages, "prompt_cache_options": {"ttl": lifetime}}
    for side in ("a", "b"):
        (tmp_path / side).write_text(json.dumps(value), "utf-8")
    (found,) = diff(str(tmp_path / "a"), str(tmp_path / "b")).diffs
    assert [change.severity for change in found.changes if "Responses" in change.message] == ["warning"] * warned


@pytest.mark.parametrize(("model", "warned"), [("gpt-5.6-sol", True), ("gpt-5.5", False)])
def test_a_retention_is_for_older_models(tmp_path: pathlib.Path, model: str, warned: bool) -> None:
    value = {"model": model, "input": LONG, "prompt_cache_retention": "24h"}
    for side in ("a", "b"):
        (tmp_path / side).write_text(json.dumps(value), "utf-8")
    (found,) = diff(str(tmp_path / "a"), str(tmp_path / "b")).diffs
    assert [change.severity for change in found.changes if "retention" in change.message] == ["warning"] * warned
