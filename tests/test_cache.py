"""What a provider can still read of a cached prompt."""

from typing import Any

import pytest

from cache_pairs import ask, reused, rule
from documents import loaded, rendered
from promptlint.boundary.settings import setting_differences
from promptlint.cache.markers import positions
from promptlint.cache.meaning import setting_meaning
from promptlint.cache.reuse import level_start
from promptlint.cache.steps import whole_units
from promptlint.facts.providers import CACHES, provider

ANTHROPIC = provider("anthropic")
MARK = {"cache_control": {"type": "ephemeral"}}


def blocks(count: int, *marked: int, first: str = "block 0", **fields: Any) -> dict[str, Any]:
    """An Anthropic request with one user message of `count` text blocks."""
    texts = [first, *(f"block {i}" for i in range(1, count))]
    content = [{"type": "text", "text": text, **(MARK if i in marked else {})} for i, text in enumerate(texts)]
    return {"model": "claude-sonnet-5", "max_tokens": 9, "messages": [{"role": "user", "content": content}], **fields}


@pytest.mark.parametrize(("marker", "usable"), [(3, True), (4, True), (22, True), (23, False), (40, False)])
def test_twenty_positions_are_tested_the_marker_counted_as_the_first(marker: int, usable: bool) -> None:
    a, found = ask(blocks(4, 3), blocks(41, marker))
    assert found.readable == len(a.text)
    assert found.usable == (len(a.text) if usable else 0)


def test_only_positions_that_the_first_request_marked_can_be_read() -> None:
    a, found = ask(blocks(10, 2, 9), blocks(10, 9, first="block 0"))
    assert found.usable == len(a.text)
    changed = blocks(10, 2, 9)
    changed["messages"][0]["content"][5]["text"] = "other"
    a, found = ask(blocks(10, 2, 9), changed)
    ends = [position.end for position in positions(a, ANTHROPIC)]
    assert found.usable == ends[2]  # not ends[4], up to which the text is equal
    assert found.readable == ends[9]


def test_nothing_is_written_without_a_marker() -> None:
    _, found = ask(blocks(4), blocks(4, 3))
    assert (found.readable, found.usable) == (0, 0)
    assert "no cache marker" in found.why


def test_an_old_marker_that_was_removed_is_still_read() -> None:
    a, found = ask(blocks(4, 3), blocks(8, 7))
    assert found.usable == found.readable == len(a.text)


def test_the_automatic_marker_stands_on_the_last_block_that_can_carry_one() -> None:
    request = {**blocks(3), **MARK}
    request["messages"][0]["content"].append({"type": "text", "text": ""})
    found = positions(rendered(request), ANTHROPIC)
    assert [position.marker is not None for position in found] == [False, False, True, False]


def test_an_entry_counts_only_where_the_text_is_equal_up_to_its_end() -> None:
    prompt = rendered(blocks(4, 1, 3))
    end = positions(prompt, ANTHROPIC)[1].end
    assert reused(prompt, prompt, rule(), end).usable == end
    assert reused(prompt, prompt, rule(), end - 1).usable == 0


def test_a_prompt_that_is_a_start_of_the_first_loses_nothing() -> None:
    _, found = ask(blocks(9, 2, 8), blocks(5, 2))
    assert found.readable == found.usable > 0


@pytest.mark.parametrize(
    ("tokens", "prompt", "size", "full"),
    [(0, 10, 4, 0), (7, 10, 4, 4), (8, 10, 4, 8), (8, 8, 4, 4), (9, 9, 4, 8), (64, 64, 16, 48), (65, 65, 16, 64)],
)
def test_full_blocks_and_the_last_token_rule(tokens: int, prompt: int, size: int, full: int) -> None:
    """floor(min(shared, n - 1) / size) * size, as vLLM's KVCacheManager answers."""
    assert whole_units(tokens, prompt, size) == full


def test_a_level_starts_behind_the_levels_before_it() -> None:
    request = blocks(2, system="Be brief.", tools=[{"name": "f", "input_schema": {"type": "object"}}])
    prompt = rendered(request)
    by_level = {item.item.level: item.char for item in prompt.items}
    assert level_start(prompt, "tools") == 0
    assert level_start(prompt, "system") == by_level["system"]
    assert level_start(prompt, "messages") == by_level["messages"]


def meaning(old: dict[str, Any], new: dict[str, Any]) -> tuple[str, str, str, str | None]:
    (found,) = setting_differences(loaded(old), loaded(new))
    row, a = provider(loaded(new).provider), rendered(old)
    readable = reused(a, a, rule(row.name)).readable
    said = setting_meaning(found, a, loaded(new), row, readable)
    return said.cause, said.affects, said.certainty, said.lost_level


CHAT = {"messages": [{"role": "user", "content": "hi"}]}


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ({"temperature": 0}, {"temperature": 1}, ("request-only-setting", "nothing", "certain", None)),
        ({}, {"metadata": {"user_id": "u"}}, ("request-only-setting", "nothing", "certain", None)),
        ({}, {"tool_choice": {"type": "any"}}, ("setting-changed", "key", "certain", "messages")),
        ({}, {"tool_choice": {"type": "auto"}}, ("request-only-setting", "nothing", "certain", None)),
        ({}, {"thinking": {"type": "disabled"}}, ("request-only-setting", "nothing", "certain", None)),
        ({}, {"thinking": {"type": "adaptive"}}, ("setting-changed", "key", "certain", "messages")),
        ({}, {"speed": "fast"}, ("model-changed", "key", "certain", "tools")),
        ({}, {"model": "claude-opus-5"}, ("model-changed", "key", "certain", "tools")),
        ({}, {"betas": ["x"]}, ("beta-header-changed", "key", "possible", None)),
        ({}, {"a_field_of_tomorrow": 1}, ("setting-changed", "nothing", "unknown", None)),
    ],
)
def test_fields_of_anthropic(old: dict[str, Any], new: dict[str, Any], said: tuple[str, ...]) -> None:
    assert meaning({**blocks(1, 0), **old}, {**blocks(1, 0), **new}) == said


@pytest.mark.parametrize(
    ("model", "field", "said"),
    [
        ("gpt-5.6", "prompt_cache_key", ("cache-key-changed", "key", "certain", "tools")),
        ("gpt-6.1-sol", "prompt_cache_key", ("cache-key-changed", "key", "certain", "tools")),
        ("gpt-4.1", "prompt_cache_key", ("cache-key-changed", "key", "possible", None)),
        ("gpt-5", "reasoning_effort", ("setting-changed", "key", "certain", "tools")),
        ("gpt-5", "seed", ("request-only-setting", "nothing", "certain", None)),
        ("my-model", "cache_salt", ("cache-key-changed", "key", "certain", "tools")),
    ],
)
def test_fields_of_chat(model: str, field: str, said: tuple[str, ...]) -> None:
    assert meaning({"model": model, **CHAT, field: "a"}, {"model": model, **CHAT, field: "b"}) == said


def test_every_provider_row_can_be_read_and_names_causes_that_exist() -> None:
    from promptlint import facts
    from promptlint.facts.causes import cause
    from promptlint.facts.providers import names

    for name in names():
        row = provider(name)
        assert row.cache in CACHES
        assert all(cause(setting.cause).label == setting.cause for setting in row.settings)
        assert not {setting.field for setting in row.settings} & row.request_only
        assert facts.table("providers")[name]["source"]


def call(number: int) -> dict[str, Any]:
    return {"type": "tool_use", "id": f"t{number}", "name": "f", "input": {}}


def result(number: int, **marker: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": f"t{number}", "content": "ok", **marker}


def test_parallel_calls_and_their_results_are_one_position_each() -> None:
    """As the vendor counts on its own API; a platform without `runs` counts each block."""
    old = blocks(1, 0)
    calls = {"role": "assistant", "content": [call(i) for i in range(12)]}
    results = {"role": "user", "content": [*(result(i) for i in range(11)), result(11, **MARK)]}
    new = {**blocks(1), "messages": [*blocks(1)["messages"], calls, results]}
    a, b = rendered(old), rendered(new)
    assert reused(a, b, rule()).usable == len(a.text)
    assert reused(a, b, rule("bedrock")).usable == 0


def test_unmarked_prefixes_of_a_platform_that_may_cache_them_are_unknown() -> None:
    prompt = rendered(blocks(3))
    found = reused(prompt, prompt, rule("bedrock"))
    assert found.readable == 0
    assert "not known" in found.why


def test_a_field_matters_only_where_something_of_its_level_was_cached() -> None:
    system = [{"type": "text", "text": "Be brief.", **MARK}]
    old, new = blocks(1, system=system), blocks(1, system=system, tool_choice={"type": "any"})
    assert meaning(old, new) == ("setting-changed", "nothing", "certain", None)
    assert meaning(blocks(1), {**blocks(1), "model": "claude-opus-5"}) == ("model-changed", "nothing", "certain", None)


def test_the_order_of_keys_of_an_output_schema_counts() -> None:
    def with_schema(*names: str) -> dict[str, Any]:
        schema = {"type": "object", "properties": {name: {"type": "string"} for name in names}}
        return {"model": "gpt-5", **CHAT, "response_format": {"type": "json_schema", "json_schema": {"schema": schema}}}

    assert meaning(with_schema("a", "b"), with_schema("b", "a"))[:3] == ("setting-changed", "key", "certain")


@pytest.mark.parametrize("value", ["auto", {"type": "auto"}])
def test_a_default_that_is_spelled_out_changes_nothing(value: Any) -> None:
    assert meaning(blocks(1, 0), {**blocks(1, 0), "tool_choice": value})[0] == "request-only-setting"


def test_a_default_that_is_not_published_makes_the_effect_possible() -> None:
    sent = {**blocks(1, 0), "output_config": {"effort": "high"}}
    assert meaning(blocks(1, 0), sent)[2] == "possible"
    assert meaning(sent, {**sent, "output_config": {"effort": "low"}})[2] == "certain"
