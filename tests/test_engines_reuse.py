"""What an engine reuses without limits: the rule against the simulators that were compared with the engines."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptlint.cache.paged import Group, Medium, PagedCache, block_keys, reused_without_limit
from promptlint.cache.prefix import PrefixHit, Prompt, common_length, reuse, shared_tokens
from promptlint.cache.radix import RadixCache
from promptlint.cache.slot import Slots
from promptlint.cache.steps import whole_units
from promptlint.errors import PromptlintError
from promptlint.facts.engines import engine

VLLM, SGLANG, LLAMA = engine("vllm"), engine("sglang"), engine("llama-cpp")

few_tokens = st.lists(st.integers(0, 2), min_size=1, max_size=40)
prompts = st.lists(st.tuples(few_tokens, st.sampled_from([None, "salt"])), min_size=1, max_size=8)


def asked(served: list[tuple[list[int], Any]]) -> tuple[list[Prompt], Prompt]:
    made = [Prompt(tokens, namespace) for tokens, namespace in served]
    return made[:-1], made[-1]


@given(prompts, st.integers(1, 8))
def test_paged(served: list[tuple[list[int], Any]], size: int) -> None:
    earlier, prompt = asked(served)
    requests = [(block_keys(p.tokens, size, p.namespace), len(p.tokens)) for p in (*earlier, prompt)]
    cache, hits = PagedCache(1 + 8 * 40, size), []
    for keys, length in requests:
        admitted = cache.start("r", keys, length)
        assert admitted is not None
        cache.free("r")
        hits.append(admitted.reused_tokens)
    assert list(reused_without_limit(requests, size)) == hits
    found = reuse(VLLM, earlier, prompt, unit_tokens=size)
    assert found.reused_tokens == hits[-1]
    check_order(found)


@given(prompts, st.integers(1, 8), st.sampled_from(["lru", "slru", "fifo"]))
def test_radix(served: list[tuple[list[int], Any]], size: int, policy: str) -> None:
    earlier, prompt = asked(served)
    cache, hit = RadixCache(None, size, policy), 0
    for other in (*earlier, prompt):
        request = cache.serve(other.tokens, other.namespace)
        assert request is not None
        hit = request.reused_tokens
    found = reuse(SGLANG, earlier, prompt, unit_tokens=size)
    assert found.reused_tokens == hit
    check_order(found)


@given(few_tokens, few_tokens)
def test_slot(old: list[int], new: list[int]) -> None:
    server = Slots()
    server.start(old)
    server.finish(0)
    started = server.start(new)
    assert started is not None
    found = reuse(LLAMA, [Prompt(old)], Prompt(new))
    assert found.reused_tokens == started.reused_tokens
    check_order(found)


@given(st.lists(few_tokens, min_size=2, max_size=6), st.integers(1, 4), st.booleans(), st.booleans())
def test_a_slot_that_is_surely_chosen_is_chosen(served: list[list[int]], count: int, host: bool, unified: bool) -> None:
    server, reused = Slots(count, host_memory=host, unified=unified), 0
    for tokens in served:
        started = server.start(tokens)
        assert started is not None
        server.finish(started.slot)
        reused = started.reused_tokens
    found = reuse(LLAMA, [Prompt(tokens) for tokens in served[:-1]], Prompt(served[-1]))
    assert reused <= found.reused_tokens
    assert reused == found.reused_tokens or found.certainty == "possible"


def check_order(found: PrefixHit) -> None:
    assert 0 <= found.reused_tokens <= found.shared_tokens <= found.prompt_tokens
    assert found.why


def test_an_identical_prompt_of_16_tokens_reuses_12_in_blocks_of_4() -> None:
    same = Prompt(list(range(16)))
    assert reuse(VLLM, [same], same, unit_tokens=4) == PrefixHit(
        16,
        16,
        12,
        "the prompt is known, but its last token is always computed, and so is the block that it ends",
        "certain",
    )
    assert reuse(VLLM, [same], Prompt(list(range(17))), unit_tokens=4).reused_tokens == 16
    assert reuse(SGLANG, [same], same).reused_tokens == 15
    assert reuse(LLAMA, [same], same).reused_tokens == 15
    assert reuse(VLLM, [same], same).reused_tokens == 0  # in its default blocks of 16


def test_the_first_prompt_that_leaves_another_inside_a_window_reuses_nothing_and_the_second_does() -> None:
    """Numbers of fixtures/vectors/vllm_pool_oracle.json, hybrid_full_plus_swa8_retention_0."""
    old = Prompt(list(range(40)))
    first, second = (Prompt([*range(24), *[tail] * 8]) for tail in (77, 91))
    hybrid = [Group(), Group(8)]
    assert reuse(VLLM, [old], first, unit_tokens=4, groups=hybrid).reused_tokens == 0
    assert reuse(VLLM, [old, first], second, unit_tokens=4, groups=hybrid).reused_tokens == 24
    assert reuse(engine("vllm", "0.28.0"), [old], first, unit_tokens=4, groups=hybrid).reused_tokens == 24
    assert reuse(VLLM, [old], first, unit_tokens=4).reused_tokens == 24
    assert reuse(SGLANG, [old], first, groups=hybrid).certainty == "possible"


def test_media_end_what_is_shared_where_they_differ() -> None:
    tokens = [1] * 20
    cat, dog = Medium(6, 4, "cat"), Medium(6, 4, "dog")
    assert shared_tokens(Prompt(tokens, media=(cat,)), Prompt(tokens, media=(cat,))) == 20
    assert shared_tokens(Prompt(tokens, media=(cat,)), Prompt(tokens, media=(dog,))) == 6
    assert shared_tokens(Prompt(tokens), Prompt(tokens, media=(dog,))) == 6
    assert shared_tokens(Prompt(tokens, "a", (cat,)), Prompt(tokens, "b", (cat,))) == 0
    for unit in (1, 4, 8):
        other = Prompt(tokens, media=(dog,))
        cache = PagedCache(99, unit)
        for prompt in (Prompt(tokens, media=(cat,)), other):
            admitted = cache.start("r", block_keys(prompt.tokens, unit, None, prompt.media), 20)
            cache.free("r")
        assert admitted is not None
        found = reuse(VLLM, [Prompt(tokens, media=(cat,))], other, unit_tokens=unit)
        assert found.reused_tokens == admitted.reused_tokens


def test_what_is_not_known_is_not_said_to_be() -> None:
    same = Prompt(list(range(600)))
    assert reuse(engine("tensorrt-llm"), [same], same).certainty == "possible"
    assert reuse(engine("vllm", "0.11.2"), [same], same).certainty == "possible"
    assert reuse(VLLM, [], same) == PrefixHit(
        600, 0, 0, "no earlier prompt begins with the same token in the same namespace", "certain"
    )
    parted = reuse(VLLM, [Prompt(list(range(40)))], Prompt([*range(30), 9, 9, 9, 9, 9]))
    assert parted[:3] == (35, 30, 16)
    assert parted.why == "30 tokens are shared, and only whole blocks of 16 tokens are reused"
    assert reuse(VLLM, [same], Prompt([])) == (
        0,
        0,
        0,
        "no earlier prompt begins with the same token in the same namespace",
        "certain",
    )
    assert reuse(LLAMA, [Prompt([1, 2])], Prompt([1, *[3] * 9])).certainty == "possible"  # a tenth is not enough
    assert reuse(LLAMA, [Prompt([1, 2])], Prompt([1, *[3] * 8])).certainty == "certain"
    with pytest.raises(PromptlintError, match="block of 0 tokens"):
        reuse(VLLM, [same], same, unit_tokens=0)


@given(few_tokens, few_tokens, st.integers(0, 5))
def test_common_length(a: list[int], b: list[int], start: int) -> None:
    expected = next(
        (i for i, (x, y) in enumerate(zip(a, b[start:], strict=False)) if x != y), min(len(a), max(len(b) - start, 0))
    )
    assert common_length(tuple(a), tuple(b), start) == expected


def test_whole_units() -> None:
    assert [whole_units(16, n, 4) for n in (0, 1, 4, 5, 16, 17, 99)] == [0, 0, 0, 4, 12, 16, 16]
