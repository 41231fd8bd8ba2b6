"""Laws of every kind of cache, for any request."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cache_pairs import reused, rule
from documents import rendered
from promptlint.boundary.divergence import shared_chars
from promptlint.cache.reuse import left
from promptlint.cache.rule import Rule
from promptlint.cache.steps import floor

MARKS = st.sampled_from([None, None, "5m", "1h"])
BLOCKS = st.lists(st.tuples(st.text("ab", max_size=3), MARKS), max_size=4)
ROLES = st.sampled_from(["system", "user", "assistant", "tool"])
MESSAGES = st.lists(st.tuples(ROLES, BLOCKS), max_size=8)
KINDS = (
    rule("anthropic"),
    rule("bedrock"),
    rule("qwen", "markers"),
    rule("openai", "message-ends"),
    rule("openai", "steps", step=128),
    rule("google"),
    rule("unknown"),
)


def chat(messages: list[Any], *, explicit: bool) -> dict[str, Any]:
    def block(words: str, ttl: str | None) -> dict[str, Any]:
        mark = {"prompt_cache_breakpoint": {"mode": "explicit", "ttl": ttl}} if ttl else {}
        return {"type": "text", "text": words, **mark}

    options = {"prompt_cache_options": {"mode": "explicit"}} if explicit else {}
    said = [{"role": role, "content": [block(*one) for one in blocks]} for role, blocks in messages]
    return {"model": "m", "messages": said, **options}


@pytest.mark.parametrize("by", KINDS, ids=lambda by: f"{by.provider.name} {by.kind}")
@given(MESSAGES, MESSAGES, st.integers(0, 8), st.booleans(), st.booleans())
@settings(deadline=None, max_examples=40)
def test_what_is_read_was_written_and_is_equal(
    by: Rule, one: list[Any], other: list[Any], keep: int, explicit_a: bool, explicit_b: bool
) -> None:
    a = rendered(chat(one, explicit=explicit_a), "openai-chat")
    b = rendered(chat(one[:keep] + other, explicit=explicit_b), "openai-chat")
    shared, found = shared_chars(a, b), reused(a, b, by)
    written = {entry.end for entry in left(a, by, lambda chars: chars).entries}
    assert 0 <= found.usable <= found.readable <= len(a.text)
    assert found.usable <= shared
    assert found.sure <= found.readable
    assert not by.by_entries or found.usable in {0, *written}
    assert all(reused(a, b, by, less).usable <= found.usable for less in range(0, shared, 3))


@pytest.mark.parametrize("by", KINDS, ids=lambda by: f"{by.provider.name} {by.kind}")
@given(MESSAGES, st.booleans())
@settings(deadline=None, max_examples=40)
def test_a_request_that_is_sent_again_reads_all_that_it_left(by: Rule, messages: list[Any], explicit: bool) -> None:
    a = rendered(chat(messages, explicit=explicit), "openai-chat")
    found = reused(a, a, by)
    assert found.usable == found.readable
    assert not found.possible


@given(st.integers(0, 10_000), st.integers(1, 10_000), st.integers(1, 2048), st.integers(0, 2))
def test_steps(shared: int, prompt: int, step: int, held_back: int) -> None:
    read = floor(min(shared, prompt), prompt, step, held_back)
    assert 0 <= read <= min(shared, prompt)
    assert read % step == 0
    assert held_back == 0 or read < prompt
