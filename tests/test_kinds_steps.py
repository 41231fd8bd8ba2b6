"""The longest prefix in steps, minimums, and objects: what recorded calls show, and what `diff` makes of it."""

import json
from pathlib import Path
from typing import Any

import pytest

from promptlint.cache.minimum import Minimum
from promptlint.cache.rule import Rule, rule_of
from promptlint.cache.steps import floor
from promptlint.commands.diff import diff
from promptlint.facts.models import model_of, names
from promptlint.facts.providers import fits, provider
from promptlint.finding import Diff

GUIDE = "The harbour master reads the gauge and writes it down. "  # 12 tokens


def rule(name: str, model: str, *, marked: bool = False) -> Rule:
    return rule_of(provider(name), model, marked=marked, exact=False)


@pytest.mark.parametrize(
    ("name", "model", "kind", "step"),
    [
        ("openai", "gpt-4o", "steps", 128),
        ("openai", "gpt-4.1-mini-2025-04-14", "steps", 128),
        ("openai", "o3", "steps", 128),
        ("openai", "gpt-5.5", "steps", 2048),
        ("openai", "gpt-5.6-sol", "message-ends", 1),
        ("openai", "gpt-6.2-astra", "message-ends", 1),
        ("openai", "gpt-7-sol", "message-ends", 1),  # not known yet, and later than 5.6
        ("openai", "ft:gpt-4o-mini:acme::1", "steps", 1),  # not known: no step is claimed
        ("azure", "gpt-4o", "steps", 128),
        ("bedrock", "openai.gpt-5.6-sol", "message-ends", 1),
        ("deepseek", "deepseek-v4-flash", "steps", 128),
        ("xai", "grok-4.7", "steps", 64),
        ("moonshot", "kimi-k3", "steps", 256),
        ("mistral", "mistral-large-4", "steps", 16),
        ("zai", "glm-5.3", "prefix", 1),
        ("google", "gemini-2.5-pro", "objects", 1),
        ("qwen", "qwen3.8-max", "prefix", 1),
        ("anthropic", "claude-opus-5", "markers", 1),
        ("anthropic", "claude-of-tomorrow", "markers", 1),
        ("bedrock", "us.anthropic.claude-sonnet-5", "markers", 1),
        ("unknown", "gpt-4o", "prefix", 1),
        ("vllm", "gpt-4o", "prefix", 1),
    ],
)
def test_the_kind_and_the_step_of_a_model(name: str, model: str, kind: str, step: int) -> None:
    found = rule(name, model)
    assert (found.kind, found.step) == (kind, step)


@pytest.mark.parametrize("name", ["qwen", "minimax"])
def test_markers_decide_where_a_request_carries_some(name: str) -> None:
    model = {"qwen": "qwen3.8-max", "minimax": "minimax-m2.7"}[name]
    assert rule(name, model).kind == "prefix"
    assert rule(name, model, marked=True).kind == "markers"


def test_models_and_providers_agree_on_the_kind() -> None:
    """Where models.yaml knows a model, the pattern of the provider's row says the same."""
    openai = provider("openai")
    for name in names():
        known = model_of(name, "openai")
        if known is not None and known.provider == "openai" and known.caches:
            newer = next((kind for pattern, kind in openai.models if fits(pattern, name)), "steps")
            assert known.caches[0] == newer, name


@pytest.mark.parametrize(
    ("step", "held_back", "shared", "prompt", "read"),
    [
        # Before GPT-5.6: multiples of 128.
        (128, 0, 1023, 2000, 896),
        (128, 0, 1100, 2000, 1024),
        (128, 0, 2304, 2304, 2304),
        # GPT-5.5: every 2,048 tokens.
        (2048, 0, 5000, 9000, 4096),
        # DeepSeek, realtime models: floor(prompt + answer), the answer being part of the shared prefix.
        (128, 0, 700 + 81, 2000, 768),
        (64, 0, 131 + 40, 401, 128),
        # Mistral: floor16(min(earlier prompt, input - 1)) - 16, exact in 19 of 21 recorded calls.
        (16, 1, 1013, 1400, 992),
        (16, 1, 1024, 1024, 992),
        (16, 1, 1025, 1025, 1008),
        (16, 1, 31, 400, 0),
        (16, 1, 32, 400, 16),
        (16, 1, 5, 400, 0),
        # No step.
        (1, 0, 7, 9, 7),
    ],
)
def test_what_is_read_of_a_shared_prefix(step: int, held_back: int, shared: int, prompt: int, read: int) -> None:
    assert floor(shared, prompt, step, held_back) == read


def test_whose_answers_belong_to_the_prefix_and_who_holds_a_step_back() -> None:
    """As seen: DeepSeek, xAI and OpenAI reuse the answer; Mistral shows no sign of it, and computes one step again."""
    assert [name for name in ("deepseek", "xai", "openai", "mistral", "cohere") if provider(name).answers] == [
        "deepseek",
        "xai",
        "openai",
    ]
    assert [name for name in ("deepseek", "mistral") if provider(name).held_back] == ["mistral"]


# Minimums


@pytest.mark.parametrize(
    ("tokens", "size"),
    [(700, "below"), (711, "below"), (712, "near"), (1024, "near"), (1066, "near"), (1067, "above"), (2000, "above")],
)
def test_a_count_that_is_not_exact_is_below_near_or_above(tokens: int, size: str) -> None:
    """With a factor of 1.2 and 20 percent either way."""
    assert Minimum(1024, 1.2).size(tokens) == size


@pytest.mark.parametrize(("tokens", "size"), [(1023, "below"), (1024, "above")])
def test_an_exact_count_is_below_or_above(tokens: int, size: str) -> None:
    assert Minimum(1024, exact=True).size(tokens) == size


def test_without_a_minimum_everything_is_above() -> None:
    assert Minimum().size(0) == "above"


def test_below_a_minimum_that_was_seen_broken_is_near() -> None:
    """Gemini read prompts of 328 to 859 tokens: unlikely, not impossible."""
    assert Minimum(2048, firm=False).size(328) == "near"
    assert not rule("google", "gemini-2.5-flash").minimum.firm
    assert not rule("google", "gemini-2.5-pro").minimum.firm


@pytest.mark.parametrize(
    ("name", "model", "tokens"),
    [
        ("anthropic", "claude-opus-5", 512),
        ("anthropic", "claude-sonnet-4-5", 1024),
        ("anthropic", "claude-opus-4-7", 2048),
        ("bedrock", "anthropic.claude-opus-4-7", 4096),
        ("anthropic", "claude-haiku-4-5", 4096),
        ("openai", "gpt-6-sol", 1024),
        ("deepseek", "deepseek-v4-pro", 64),
        ("unknown", "claude-opus-5", 0),
    ],
)
def test_minimums_by_model_and_platform(name: str, model: str, tokens: int) -> None:
    assert rule(name, model).minimum.tokens == tokens


# Through `diff`.


def compare(folder: Path, old: dict[str, Any], new: dict[str, Any], **options: Any) -> Diff:
    for name, value in (("a.json", old), ("b.json", new)):
        (folder / name).write_text(json.dumps(value), "utf-8")
    (found,) = diff(str(folder / "a.json"), str(folder / "b.json"), **options).diffs
    return found


def chat(system: str, question: str = "Now?", **fields: Any) -> dict[str, Any]:
    messages = [{"role": "system", "content": system}, {"role": "user", "content": question}]
    return {"model": "gpt-4.1", "messages": messages, **fields}


def test_usable_and_lost_are_multiples_of_the_step(tmp_path: Path) -> None:
    found = compare(
        tmp_path, chat(GUIDE * 150 + "It is 09:14." + GUIDE * 50), chat(GUIDE * 150 + "It is 09:15." + GUIDE * 50)
    )
    limits = found.boundary
    assert (found.verdict, limits.unit) == ("bust", "step")
    assert limits.shared_tokens is not None
    assert limits.usable_tokens == limits.shared_tokens // 128 * 128 > 1024
    assert limits.lost_tokens == (found.a.prompt_tokens or 0) // 128 * 128 - limits.usable_tokens
    assert found.changes[0].lost_tokens == limits.lost_tokens


def test_a_change_in_the_last_step_costs_nothing(tmp_path: Path) -> None:
    old, new = chat(GUIDE * 200, "Is it high water at 09:14?"), chat(GUIDE * 200, "Is it high water at 09:15?")
    whole, first = compare(tmp_path, old, new), compare(tmp_path, old, new, first=True)
    assert (whole.verdict, whole.boundary.lost_tokens) == ("kept", 0)
    assert [(change.cause, change.affects, change.severity) for change in whole.changes] == [
        ("clock", "suffix", "info")
    ]
    assert first.verdict == whole.verdict


def test_an_equal_part_below_the_minimum_is_not_read(tmp_path: Path) -> None:
    found = compare(
        tmp_path, chat(GUIDE * 20 + "It is 09:14." + GUIDE * 200), chat(GUIDE * 20 + "It is 09:15." + GUIDE * 200)
    )
    assert (found.verdict, found.boundary.usable_tokens) == ("bust", 0)
    assert "1,024" in found.boundary.why


def test_a_whole_prompt_below_the_minimum_caches_nothing(tmp_path: Path) -> None:
    found = compare(tmp_path, chat("It is 09:14. " + GUIDE * 20), chat("It is 09:15. " + GUIDE * 20))
    assert (found.verdict, found.boundary.lost_tokens, found.boundary.usable_tokens) == ("kept", 0, 0)
    assert {(change.cause, change.severity) for change in found.changes} == {
        ("clock", "info"),
        ("below-minimum", "info"),
    }


def test_near_the_minimum_nothing_is_asserted(tmp_path: Path) -> None:
    found = compare(tmp_path, chat("It is 09:14. " + GUIDE * 85), chat("It is 09:15. " + GUIDE * 85))
    assert 900 < (found.a.prompt_tokens or 0) < 1100
    assert found.verdict == "unknown"
    assert {change.certainty for change in found.changes if change.cause in ("clock", "below-minimum")} == {"possible"}


def test_a_model_whose_minimum_is_not_known_claims_none(tmp_path: Path) -> None:
    found = compare(tmp_path, chat("It is 09:14. ", model="gpt-of-old"), chat("It is 09:15. ", model="gpt-of-old"))
    assert (found.verdict, [change.cause for change in found.changes]) == ("bust", ["clock"])


MARK = {"cache_control": {"type": "ephemeral"}}


def claude(
    system: str, question: str = "Now?", model: str = "claude-opus-4-8", *, marked: bool = False
) -> dict[str, Any]:
    block = {"type": "text", "text": system, **(MARK if marked else {})}
    return {"model": model, "max_tokens": 9, "system": [block], "messages": [{"role": "user", "content": question}]}


def test_a_marker_below_the_minimum_is_a_finding_and_no_bust(tmp_path: Path) -> None:
    """Of fifteen recorded calls with 17 to 819 marked tokens none wrote anything."""
    found = compare(
        tmp_path, claude("It is 09:14. " + GUIDE * 15, marked=True), claude("It is 09:15. " + GUIDE * 15, marked=True)
    )
    assert (found.verdict, found.boundary.lost_tokens) == ("kept", 0)
    (fault,) = [change for change in found.changes if change.severity != "info"]
    assert (fault.cause, fault.severity, fault.affects, fault.certainty) == (
        "below-minimum",
        "warning",
        "nothing",
        "certain",
    )
    assert "1,024" in fault.message
    equal = compare(tmp_path, claude(GUIDE * 15, marked=True), claude(GUIDE * 15, marked=True))
    assert (equal.verdict, [change.cause for change in equal.changes]) == ("same", ["below-minimum"])


def test_the_same_marker_is_above_the_minimum_of_another_model(tmp_path: Path) -> None:
    for model, marked in (("claude-opus-5", True), ("claude-opus-4-7", False)):
        old, new = (claude(f"It is {clock}. " + GUIDE * 60, model=model, marked=True) for clock in ("09:14", "09:15"))
        found = compare(tmp_path, old, new)
        assert found.verdict == ("bust" if marked else "kept"), model


def test_a_marker_near_the_minimum_is_hedged(tmp_path: Path) -> None:
    old, new = (claude(f"It is {clock}. " + GUIDE * 60, marked=True) for clock in ("09:14", "09:15"))
    found = compare(tmp_path, old, new)
    assert found.verdict == "unknown"
    assert not [change for change in found.changes if change.severity != "info" and change.certainty == "certain"]


def test_a_missing_marker(tmp_path: Path) -> None:
    found = compare(tmp_path, claude(GUIDE * 200), claude(GUIDE * 200, "Later?"))
    (fault,) = [change for change in found.changes if change.severity != "info"]
    assert (found.verdict, fault.cause, fault.affects) == ("kept", "marker-missing", "suffix")
    assert "/system/0" in fault.fix


@pytest.mark.parametrize("system", [GUIDE * 20, GUIDE * 85])
def test_no_marker_is_missing_where_too_little_is_equal(tmp_path: Path, system: str) -> None:
    found = compare(
        tmp_path, claude(system, model="claude-opus-4-7"), claude(system, "Later?", model="claude-opus-4-7")
    )
    assert [change for change in found.changes if change.severity != "info"] == []


def test_a_platform_that_may_cache_without_markers_misses_none(tmp_path: Path) -> None:
    value = {
        "modelId": "anthropic.claude-opus-4-8",
        "system": [{"text": GUIDE * 200}],
        "messages": [{"role": "user", "content": [{"text": "Now?"}]}],
    }
    found = compare(tmp_path, value, {**value, "messages": [{"role": "user", "content": [{"text": "Later?"}]}]})
    assert [change for change in found.changes if change.severity != "info"] == []


# Objects


def gemini(words: str, **fields: Any) -> dict[str, Any]:
    return {"model": "gemini-2.5-pro", "contents": [{"role": "user", "parts": [{"text": words}]}], **fields}


def test_what_is_reused_by_itself_is_never_certain(tmp_path: Path) -> None:
    found = compare(tmp_path, gemini("It is 09:14. " + GUIDE * 300), gemini("It is 09:15. " + GUIDE * 300))
    assert (found.verdict, found.changes[0].certainty, found.changes[0].severity) == ("unknown", "possible", "warning")
    assert "no guarantee" in found.boundary.why


def test_an_object_is_read_whole_and_another_one_is_another_key(tmp_path: Path) -> None:
    one, two = (gemini(GUIDE * 300, cachedContent=f"cachedContents/{name}") for name in ("a", "b"))
    same = compare(tmp_path, one, one)
    assert (same.verdict, "whole object cachedContents/a" in same.boundary.why) == ("same", True)
    other = compare(tmp_path, one, two)
    assert (other.verdict, other.changes[0].cause, other.boundary.usable_tokens) == ("bust", "cache-key-changed", 0)


def test_an_unknown_provider_is_one_line_with_the_nearest_name(tmp_path: Path) -> None:
    from promptlint.errors import PromptlintError

    with pytest.raises(PromptlintError) as caught:
        compare(tmp_path, gemini("a"), gemini("b"), provider="antropic")
    assert (caught.value.message, caught.value.hint) == ("unknown provider antropic", "nearest: anthropic")
    with pytest.raises(PromptlintError, match="unknown provider") as caught:
        compare(tmp_path, gemini("a"), gemini("b"), provider="zzz")
    assert "anthropic" in (caught.value.hint or "")
