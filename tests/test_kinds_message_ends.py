"""GPT-5.6 and later: one entry a request at the end of a message, and explicit breakpoints.

Sources: developers.openai.com/api/docs/guides/prompt-caching, after 2026-09-10 (the guide); type definitions of
openai 3.57.0 (the package).
"""

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from cache_pairs import ask, rule
from documents import rendered
from promptlint.cache import message_ends
from promptlint.cache.message_ends import Wish
from promptlint.commands.diff import diff
from promptlint.errors import PromptlintError
from promptlint.facts.providers import provider
from promptlint.finding import Diff
from promptlint.money.breakeven import padding_bound

OPENAI = provider("openai")
ENDS = rule("openai", "message-ends")
BREAK = {"prompt_cache_breakpoint": {"mode": "explicit"}}
EXPLICIT = {"prompt_cache_options": {"mode": "explicit"}}
GUIDE = "The harbour master reads the gauge and writes it down. " * 200  # about 2,400 tokens


def chat(*messages: tuple[str, Any], **fields: Any) -> dict[str, Any]:
    return {"model": "gpt-5.6-terra", "messages": [{"role": r, "content": c} for r, c in messages], **fields}


def part(words: str, *, marked: bool = True) -> dict[str, Any]:
    return {"type": "text", "text": words, **(BREAK if marked else {})}


def end_of(value: dict[str, Any], message: int) -> int:
    """Characters up to the end of a message."""
    item = rendered(value).items[message]
    return item.char + len(item.text)


def written(value: dict[str, Any]) -> list[int]:
    prompt = rendered(value)
    found = message_ends.positions(prompt, OPENAI)
    return [entry.end for entry in message_ends.entries(found, OPENAI, message_ends.wish(prompt, OPENAI))]


def test_one_entry_at_the_latest_message_end() -> None:
    value = chat(("developer", "d"), ("user", "u"), ("assistant", "a"), ("user", "v"))
    assert written(value) == [end_of(value, 3)]
    answered = chat(("developer", "d"), ("user", "u"), ("assistant", "a"))
    assert written(answered) == [end_of(answered, 1)]  # an answer is no such end


def test_which_messages_end_an_entry() -> None:
    value = chat(
        ("developer", "d"),
        ("system", "e"),
        ("user", "u"),
        ("developer", "later"),
        ("assistant", "a"),
        ("tool", "1"),
        ("tool", "2"),
        ("user", "v"),
    )
    ends = [position.end for position in message_ends.message_ends(message_ends.positions(rendered(value), OPENAI))]
    assert ends == [end_of(value, number) for number in (1, 2, 6, 7)]


@pytest.mark.parametrize("messages", [[], [{"role": "user", "content": []}], [{"role": "user", "content": None}]])
def test_a_request_without_text_ends_no_entry(messages: list[dict[str, Any]]) -> None:
    value = {"model": "gpt-6-sol", "messages": messages}
    assert written(value) == []
    _, found = ask(value, value, ENDS)
    assert (found.usable, found.readable) == (0, 0)


def test_results_of_tools_in_the_responses_api() -> None:
    value = {
        "model": "gpt-6-sol",
        "instructions": "i",
        "input": [
            {"role": "user", "content": "u"},
            {"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{}"},
            {"type": "function_call", "call_id": "c2", "name": "f", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "c1", "output": "1"},
            {"type": "function_call_output", "call_id": "c2", "output": "2"},
        ],
    }
    ends = [position.end for position in message_ends.message_ends(message_ends.positions(rendered(value), OPENAI))]
    assert ends == [end_of(value, number) for number in (0, 1, 5)]


def test_at_most_four_entries() -> None:
    """Implicit: the message end and the latest three breakpoints; explicit: the latest four."""
    parts = [part(f"p{i}") for i in range(6)]
    implicit, explicit = (
        chat(("developer", parts), ("user", "u")),
        chat(("developer", parts), ("user", "u"), **EXPLICIT),
    )
    ends = [position.end for position in message_ends.positions(rendered(implicit), OPENAI)]
    assert written(implicit) == [*ends[3:6], ends[6]]
    assert written(explicit) == ends[2:6]
    assert written(chat(("developer", "d"), ("user", "u"), **EXPLICIT)) == []


def test_a_lifetime_of_its_own() -> None:
    twelve = {"type": "text", "text": "d", "prompt_cache_breakpoint": {"mode": "explicit", "ttl": "12h"}}
    prompt = rendered(chat(("developer", [twelve]), ("user", "u")))
    found, asked = message_ends.positions(prompt, OPENAI), message_ends.wish(prompt, OPENAI)
    assert [entry.lifetime for entry in message_ends.entries(found, OPENAI, asked)] == ["12h", "30m"]
    longer = rendered(chat(("user", "u"), prompt_cache_options={"ttl": "12h"}))
    assert message_ends.wish(longer, OPENAI) == Wish(False, "12h")


# The guide's five gotchas.


def test_gotcha_1_a_shared_developer_message_before_varying_questions_is_never_read() -> None:
    one, two = chat(("developer", "d"), ("user", "u")), chat(("developer", "d"), ("user", "v"))
    _, found = ask(one, two, ENDS)
    assert (found.usable, found.readable) == (0, end_of(one, 1))
    # An explicit breakpoint behind the shared part is read.
    marked = [chat(("developer", [part("d")]), ("user", question)) for question in ("u", "v")]
    _, found = ask(marked[0], marked[1], ENDS)
    assert found.usable == end_of(marked[0], 0)


def test_gotcha_2_an_explicit_request_does_not_find_the_entry_of_an_implicit_one() -> None:
    one = chat(("developer", "d"), ("user", "u"))
    grown = (("developer", "d"), ("user", "u"), ("assistant", "a"), ("user", [part("v")]))
    _, found = ask(one, chat(*grown, **EXPLICIT), ENDS)
    assert (found.usable, found.readable) == (0, end_of(one, 1))
    # A breakpoint on the old boundary finds it.
    on_it = (grown[0], ("user", [part("u")]), *grown[2:])
    _, found = ask(one, chat(*on_it, **EXPLICIT), ENDS)
    assert found.usable == found.readable
    _, found = ask(one, chat(*grown), ENDS)
    assert found.usable == found.readable


def test_gotcha_3_a_message_that_is_extended_loses_the_boundary_in_it() -> None:
    one = chat(("developer", "d"), ("user", "first"))
    for longer in ("first and second", [part("first", marked=False), part("second", marked=False)]):
        _, found = ask(one, chat(("developer", "d"), ("user", longer)), ENDS)
        assert (found.usable, found.readable) == (0, end_of(one, 1))
    appended = chat(("developer", "d"), ("user", "first"), ("user", "second"))
    _, found = ask(one, appended, ENDS)
    assert found.usable == found.readable


def test_gotcha_4_a_developer_message_behind_the_first_ones_is_no_boundary() -> None:
    later = chat(("developer", "d"), ("user", "u"), ("developer", "later"))
    assert written(later) == [end_of(later, 1)]
    looked = message_ends.lookups(message_ends.positions(rendered(later), OPENAI), Wish())
    assert end_of(later, 2) not in looked
    assert {end_of(later, 0), end_of(later, 1)} == looked.keys()


def test_gotcha_5_a_prefix_just_below_the_minimum_may_be_worth_filling_up() -> None:
    """L > M (r + (w - r) / N): with M 1,024, r 0.1, w 1.25 and ten requests from 221 tokens on."""
    bound = padding_bound(1024, 10, Decimal("1.25"), Decimal("0.1"))
    assert 220 < bound < 221


@pytest.mark.parametrize(("turns", "certainty"), [(20, "certain"), (21, "possible"), (79, "possible"), (80, None)])
def test_how_far_back_a_request_looks_is_certain_only_where_both_sources_agree(turns: int, certainty: str) -> None:
    """The guide: up to 20 message ends before the latest one. The package: the latest 80 breakpoints."""
    start = (("developer", "d"), ("user", "u"))
    more = [turn for i in range(turns) for turn in (("assistant", f"a{i}"), ("user", f"u{i}"))]
    one, two = chat(*start), chat(*start, *more)
    looked = message_ends.lookups(message_ends.positions(rendered(two), OPENAI), Wish())
    assert looked.get(end_of(one, 1)) == certainty
    _, found = ask(one, two, ENDS)
    assert found.usable == (found.readable if certainty == "certain" else 0)
    assert found.possible == (certainty == "possible")


@pytest.mark.parametrize(
    ("number", "count", "certainty"),
    [(0, 52, "certain"), (1, 52, "certain"), (2, 52, "certain"), (2, 53, "possible"), (0, 81, "possible")],
)
def test_how_many_explicit_breakpoints_are_tested(number: int, count: int, certainty: str) -> None:
    """The guide: the first 2 and the latest 50. The package: the latest 80."""
    found = message_ends.positions(rendered(chat(("user", [part(f"{i}") for i in range(count)]))), OPENAI)
    assert message_ends.lookups(found, Wish(explicit=True)).get(found[number].end) == certainty


def test_the_write_ends_exactly_at_the_marker_and_the_next_call_reads_exactly_that() -> None:
    """As in 3 of 3 recorded pairs: no rounding to 128 or to anything else."""
    one = chat(("developer", [part("d" * 1000)]), ("user", "u"), **EXPLICIT)
    two = chat(("developer", [part("d" * 1000)]), ("user", "v"), **EXPLICIT)
    _, found = ask(one, two, ENDS)
    assert found.readable == found.usable == end_of(one, 0)


# Through `diff`.


def compare(folder: Path, old: dict[str, Any], new: dict[str, Any]) -> Diff:
    for name, value in (("a.json", old), ("b.json", new)):
        (folder / name).write_text(json.dumps(value), "utf-8")
    (found,) = diff(str(folder / "a.json"), str(folder / "b.json")).diffs
    return found


def test_the_trap_is_told_with_the_place_for_a_breakpoint(tmp_path: Path) -> None:
    one, two = chat(("developer", GUIDE), ("user", "Now?")), chat(("developer", GUIDE), ("user", "High water?"))
    found = compare(tmp_path, one, two)
    assert (found.verdict, found.boundary.unit, found.boundary.usable_tokens) == ("bust", "message", 0)
    (trap,) = [change for change in found.changes if change.cause == "marker-after-volatile"]
    assert (trap.severity, trap.certainty, "/messages/0/content" in trap.fix) == ("warning", "possible", True)


def test_instructions_cannot_carry_a_breakpoint(tmp_path: Path) -> None:
    one, two = ({"model": "gpt-6-sol", "instructions": GUIDE, "input": question} for question in ("Now?", "Later?"))
    found = compare(tmp_path, one, two)
    (trap,) = [change for change in found.changes if change.cause == "marker-after-volatile"]
    assert "block of its own" in trap.fix


def test_a_conversation_that_goes_on_is_no_trap(tmp_path: Path) -> None:
    one = chat(("developer", GUIDE), ("user", "Now?"))
    found = compare(tmp_path, one, chat(("developer", GUIDE), ("user", "Now?"), ("assistant", "No."), ("user", "Now?")))
    assert (found.verdict, [change.cause for change in found.changes]) == ("kept", ["turn-appended"])
    assert found.boundary.usable_tokens == found.a.prompt_tokens


def test_explicit_only_without_a_breakpoint_caches_nothing(tmp_path: Path) -> None:
    one, two = (chat(("developer", GUIDE), ("user", question), **EXPLICIT) for question in ("Now?", "Later?"))
    found = compare(tmp_path, one, two)
    assert (found.verdict, found.boundary.lost_tokens) == ("kept", 0)
    assert "marker-missing" in [change.cause for change in found.changes if change.severity == "warning"]


def test_an_entry_that_one_source_puts_out_of_reach_is_only_possibly_lost(tmp_path: Path) -> None:
    start = (("developer", GUIDE), ("user", "u"))
    more = [turn for i in range(30) for turn in (("assistant", f"a{i}"), ("user", f"u{i}"))]
    found = compare(tmp_path, chat(*start), chat(*start, *more))
    assert found.verdict == "unknown"
    (fault,) = [change for change in found.changes if change.cause == "marker-out-of-reach"]
    assert (fault.certainty, fault.severity) == ("possible", "warning")


def test_too_many_breakpoints_are_told_and_refuse_nothing(tmp_path: Path) -> None:
    value = chat(("developer", [part(f"{GUIDE}{i}") for i in range(5)]), ("user", "u"))
    found = compare(tmp_path, value, value)
    assert found.verdict == "same"
    (fault,) = [change for change in found.changes if change.cause == "marker-limit"]
    assert (fault.affects, "5 markers, 3 of them" in fault.message) == ("nothing", True)


def test_message_ends_are_no_blocks(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps(chat(("user", "u"))), "utf-8")
    with pytest.raises(PromptlintError, match="at the ends of messages, not in blocks"):
        diff(str(tmp_path / "a.json"), str(tmp_path / "a.json"), block_size=16)
