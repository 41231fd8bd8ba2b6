"""Rules about one request: markers, keys, settings, the document; places, certainty, and where they are silent."""

import json
import pathlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lint_requests import LONG, LONGER, MARK, QUESTION, claude, found, gpt, source_at, text
from promptlint.read.duplicates import repeated_keys

# markers


def test_all_markers_over_the_limit_are_named(tmp_path: pathlib.Path) -> None:
    results = [text(f"part {number}", MARK) for number in range(3)]
    (one,) = found(
        tmp_path,
        claude([text(LONG, MARK), text("Be brief.", MARK)], {"role": "user", "content": results}),
        "marker-limit",
    )
    assert one.pointer == "/messages/0/content/2/text"
    assert len(one.related) == 4
    assert (one.severity, one.confidence) == ("error", "certain")
    assert "drop" in one.fix


@pytest.mark.parametrize("held", [None, {}, {"type": "ephemeral"}])
def test_a_marker_that_is_null_is_none(tmp_path: pathlib.Path, held: object) -> None:
    blocks = [{"type": "text", "text": f"part {number}", "cache_control": held} for number in range(5)]
    findings = found(tmp_path, claude([text(LONG)], {"role": "user", "content": blocks}), "marker-limit")
    assert bool(findings) == (held is not None)


def test_a_missing_marker_is_asked_for_behind_the_tools_and_the_system_text(tmp_path: pathlib.Path) -> None:
    (one,) = found(tmp_path, claude([text("Be brief."), text(LONG)]), "marker-missing")
    assert (one.pointer, one.severity, one.confidence) == ("/system/1/text", "warning", "certain")
    assert one.fix == "Set a cache marker at /system/1/text."
    assert source_at(tmp_path, one).startswith("The pier attendant")


@pytest.mark.parametrize(
    ("changed", "severity"),
    [
        ({"model": "us.anthropic.claude-opus-5-v1:0", "anthropic_version": "bedrock-2023-05-31"}, "info"),
        ({"model": "claude-unheard-of-9"}, None),
        (
            {"model": "house-model-3"},
            "warning",
        ),  # only Anthropic's interface has such a body; its largest minimum holds
        ({"cache_control": MARK}, None),
    ],
)
def test_a_missing_marker_depends_on_who_serves_the_model(
    tmp_path: pathlib.Path, changed: dict[str, Any], severity: str | None
) -> None:
    system = LONG * 5 if changed.get("model") == "house-model-3" else LONG
    findings = found(tmp_path, claude(system) | changed, "marker-missing")
    assert [finding.severity for finding in findings] == ([severity] if severity else [])


def test_a_history_is_worth_a_marker_from_the_second_answer_on(tmp_path: pathlib.Path) -> None:
    turns = [
        QUESTION,
        {"role": "assistant", "content": LONG},
        QUESTION,
        {"role": "assistant", "content": LONG},
        QUESTION,
    ]
    assert not found(tmp_path, claude("Be brief.", *turns[:3]), "marker-missing")
    (one,) = found(tmp_path, claude("Be brief.", *turns), "marker-missing")
    assert one.pointer == "/messages/4/content"


def test_only_a_marker_behind_the_question_is_told_of(tmp_path: pathlib.Path) -> None:
    asked = {"role": "user", "content": [text("Is it late?", MARK)]}
    (one,) = found(tmp_path, claude(LONG, asked), "marker-only-on-newest-message")
    assert one.pointer == "/messages/0/content/0/text"
    assert one.lost_tokens is not None
    assert one.lost_tokens > 500
    assert not found(tmp_path, claude([text(LONG, MARK)], asked), "marker-only-on-newest-message")
    both = {"role": "user", "content": [text(LONG, MARK), text("Is it late?")]}
    assert not found(tmp_path, claude(LONG, both), "marker-only-on-newest-message")


def test_the_first_turn_with_the_automatic_marker_may_be_a_conversation(tmp_path: pathlib.Path) -> None:
    (one,) = found(tmp_path, claude(LONG, cache_control=MARK), "marker-only-on-newest-message")
    assert (one.severity, one.lost_tokens) == ("info", None)


def test_a_tail_counts_only_as_far_as_it_was_sent_before(tmp_path: pathlib.Path) -> None:
    turns = [QUESTION, {"role": "assistant", "content": "Yes."}] * 3
    huge = {"role": "user", "content": LONGER}
    assert not found(tmp_path, claude([text(LONG, MARK)], *turns, huge), "marker-not-advancing")
    (one,) = found(tmp_path, claude([text(LONG, MARK)], huge, *turns[1:], *turns, QUESTION), "marker-not-advancing")
    assert one.pointer == "/system/0/text"
    assert one.lost_tokens is not None
    assert one.lost_tokens > 1000


def test_a_marker_that_moves_with_the_conversation_makes_a_short_start_grow(tmp_path: pathlib.Path) -> None:
    (fixed,) = found(tmp_path, claude([text("Be brief.", MARK)]), "below-minimum")
    (moving,) = found(tmp_path, claude("Be brief.", {"role": "user", "content": [text("Now?", MARK)]}), "below-minimum")
    assert (fixed.severity, moving.severity) == ("warning", "info")


def test_a_refused_request_is_not_told_that_it_is_short(tmp_path: pathlib.Path) -> None:
    assert not found(tmp_path, claude([text("", MARK)]), "below-minimum")
    assert found(tmp_path, claude([text("", MARK)]), "marker-illegal-block")


@pytest.mark.parametrize("model", ["gpt-5.5", "gpt-5.2", "kimi-k3", "house-model-3"])
def test_only_models_that_write_at_message_ends_need_a_breakpoint(tmp_path: pathlib.Path, model: str) -> None:
    assert found(tmp_path, gpt(LONGER), "implicit-only")
    assert not found(tmp_path, gpt(LONGER) | {"model": model}, "implicit-only")


def test_a_conversation_reads_its_own_entries(tmp_path: pathlib.Path) -> None:
    turns = [QUESTION, {"role": "assistant", "content": "Yes."}, QUESTION]
    (one,) = found(tmp_path, gpt(LONGER, *turns), "implicit-only")
    assert (one.severity, one.lost_tokens) == ("info", None)


def test_instructions_are_told_where_a_breakpoint_can_stand(tmp_path: pathlib.Path) -> None:
    (one,) = found(tmp_path, {"model": "gpt-6.1-sol", "instructions": LONGER, "input": "Is it late?"}, "implicit-only")
    assert one.pointer == "/instructions"
    assert "developer" in one.fix
    (other,) = found(tmp_path, gpt(LONGER), "implicit-only")
    assert other.fix == "Set a breakpoint at /messages/0/content."


# keys and settings

RANDOM = [
    "7c1d1f0e-5a43-4b8e-9d55-0c2f6b1e8a90",
    "7C1D1F0E5A434B8E9D550C2F6B1E8A90",
    "0192f3a4-5b6c-7d8e-9f01-23456789abcd",
    "1795862400",
    "1795862400.123",
    "2026-11-29T10:15:30.123456+00:00",
    "20261129-gate-2026-11-29 10:15",
    "req_8f3a91c2",
    "request-1795862400123",
    "nonce:7c1d1f0e-5a43-4b8e-9d55-0c2f6b1e8a90",
    "Zk3vQ9wT1xLr8PbN2yHd",
]
LASTING = [
    "",
    "gate-7",
    "support",
    "support-v2.1",
    "support-2026-11-29",
    "conv_7c1d1f0e-5a43-4b8e-9d55-0c2f6b1e8a90",
    "session:1795862400123",
    "user-u4711",
    "tenant-42/req-form",
    "request-router-v2",
    "requests-2026",
    "6fa459ea-ee8a-3ca4-894e-db77e160355e",  # made of a name
    "886313e1-3b8a-5372-9b90-0c9aee199e5d",
    "9f2c4e61d0b7a85396e1f47c2d8b0a3e5f6c7d81",
    "CustomerSupportAssistant2",
    "HTTPServerDocsV2Prompt1",
    "12345",
    "x" * 5000,
]


@pytest.mark.parametrize("key", RANDOM)
def test_a_key_made_for_one_request_is_possible_only(tmp_path: pathlib.Path, key: str) -> None:
    (one,) = found(tmp_path, gpt("Be brief.", prompt_cache_key=key), "cache-key-random")
    assert (one.pointer, one.severity, one.confidence) == ("/prompt_cache_key", "warning", "possible")
    assert source_at(tmp_path, one).startswith(key)


@pytest.mark.parametrize("key", LASTING)
def test_a_key_that_names_something_is_silent(tmp_path: pathlib.Path, key: str) -> None:
    assert not found(tmp_path, gpt("Be brief.", prompt_cache_key=key), "cache-key-random")


def test_a_key_that_another_field_calls_the_conversation_is_silent(tmp_path: pathlib.Path) -> None:
    for other in ({"metadata": {"session_id": RANDOM[0]}}, {"user": RANDOM[0]}, {"conversation": RANDOM[0]}):
        assert not found(tmp_path, gpt("Be brief.", prompt_cache_key=RANDOM[0], **other), "cache-key-random")
    assert found(
        tmp_path, gpt("Be brief.", prompt_cache_key=RANDOM[0], metadata={"run": RANDOM[0]}), "cache-key-random"
    )


def test_a_salt_may_be_random(tmp_path: pathlib.Path) -> None:
    request = {"model": "house-model-3", "messages": [QUESTION]}
    assert not found(tmp_path, request | {"cache_salt": RANDOM[0]}, "cache-key-random")
    assert found(tmp_path, request | {"cache_salt": "1795862400123"}, "cache-key-random")


@pytest.mark.parametrize(
    ("model", "asked", "told"),
    [
        ("gpt-6.1-sol", "24h", True),
        ("gpt-5.5", "24h", False),
        ("gpt-5.5", "in_memory", True),
        ("gpt-4.1", "in-memory", False),
        ("gpt-4o", "24h", True),
        ("gpt-4o", "in_memory", False),
        ("gpt-unheard-of", "24h", False),
        ("house-model-3", "24h", False),
    ],
)
def test_retention_is_taken_by_listed_models(tmp_path: pathlib.Path, model: str, asked: str, told: bool) -> None:
    request = gpt("Be brief.", prompt_cache_retention=asked) | {"model": model}
    findings = found(tmp_path, request, "deprecated-setting")
    assert [finding.pointer for finding in findings] == (["/prompt_cache_retention"] if told else [])


# the document


def test_each_place_of_a_repeated_key_is_told(tmp_path: pathlib.Path) -> None:
    body = '{"model": "gpt-5.2",\n "seed": 1,\n "messages": [{"role": "user", "content": "Now?"}],\n "s\\u0065ed": 2}'
    (one,) = found(tmp_path, body, "duplicate-key")
    assert (one.location.line, one.pointer) == (4, "/seed")
    assert [(place.line, place.column) for place in one.related] == [(2, 2)]
    assert source_at(tmp_path, one).startswith('s\\u0065ed": 2')


def test_repeated_keys_in_another_record_are_not_of_this_one(tmp_path: pathlib.Path) -> None:
    good = json.dumps({"model": "gpt-5.2", "messages": [QUESTION]})
    bad = good[:-1] + ', "model": "gpt-5.1"}'
    findings = found(tmp_path, f"{good}\n{bad}\n{good}\n", "duplicate-key", "log.jsonl")
    assert [(finding.location.line, finding.related[0].line) for finding in findings] == [(2, 2)]


JSON_KEYS = st.sampled_from(["a", "b", 'q"', "é", ""])
TREES = st.recursive(
    st.sampled_from(["1", '"x,y"', '"{"', "null", "[]", "{}"]),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4).map(lambda parts: f"[{' , '.join(parts)}]"),
        st.lists(st.tuples(JSON_KEYS, inner), max_size=5).map(
            lambda pairs: "{" + ",\n".join(f"{json.dumps(key)} : {value}" for key, value in pairs) + "}"
        ),
    ),
    max_leaves=20,
)


@given(TREES)
def test_repeated_keys_are_those_that_the_parser_sees(source: str) -> None:
    seen: list[str] = []

    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        keys = [key for key, _ in pairs]
        seen.extend(key for key in dict.fromkeys(keys) if keys.count(key) > 1)
        return dict(pairs)

    json.loads(source, object_pairs_hook=members)
    repeated = repeated_keys(source)
    assert sorted(str(one.path[-1]) for one in repeated) == sorted(seen)
    for one in repeated:
        assert all(json.loads(source[begin:end]) == one.path[-1] for begin, end in one.earlier)
