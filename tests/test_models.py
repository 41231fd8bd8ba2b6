"""Models by any of their ids, and what is known about their caches."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptlint import facts
from promptlint.facts.models import Model, minimum, model_of, names, nearest, step
from promptlint.facts.overrides import overrides
from promptlint.facts.providers import CACHES
from promptlint.prompt import Number


def model(name: str, provider: str | None = None) -> Model:
    found = model_of(name, provider)
    assert found is not None, name
    return found


@pytest.mark.parametrize(
    ("spelled", "name", "platform"),
    [
        ("claude-sonnet-4-5", "claude-sonnet-4-5", "anthropic"),
        ("claude-sonnet-4.5", "claude-sonnet-4-5", "anthropic"),
        ("Claude-Sonnet-4-5", "claude-sonnet-4-5", "anthropic"),
        (" claude-sonnet-4-5 ", "claude-sonnet-4-5", "anthropic"),
        ("claude-sonnet-4-5-20250929", "claude-sonnet-4-5", "anthropic"),
        ("claude-sonnet-4-5@20250929", "claude-sonnet-4-5", "vertex"),
        ("claude-opus-5@default", "claude-opus-5", "vertex"),
        ("claude-5.5-opus", "claude-opus-5-5", "anthropic"),
        ("claude-4-opus-20250514", "claude-opus-4", "anthropic"),
        ("anthropic/claude-opus-5", "claude-opus-5", "anthropic"),
        ("openrouter/anthropic/claude-opus-5.5", "claude-opus-5-5", "openrouter"),
        ("anthropic.claude-sonnet-4-5-20250929-v1:0", "claude-sonnet-4-5", "bedrock"),
        ("us.anthropic.claude-sonnet-4-5-20250929-v1:0", "claude-sonnet-4-5", "bedrock"),
        ("global.anthropic.claude-opus-4-6-v1", "claude-opus-4-6", "bedrock"),
        ("bedrock/us.anthropic.claude-opus-5", "claude-opus-5", "bedrock"),
        ("bedrock/converse/eu.anthropic.claude-opus-5", "claude-opus-5", "bedrock"),
        ("bedrock/us-gov-west-1/anthropic.claude-opus-5-5", "claude-opus-5-5", "bedrock"),
        ("bedrock_mantle/anthropic.claude-haiku-5-5", "claude-haiku-5-5", "bedrock"),
        ("arn:aws:bedrock:us-east-1::foundation-model/anthropic.claude-opus-4-7", "claude-opus-4-7", "bedrock"),
        ("arn:aws:bedrock:us-east-1:1:inference-profile/us.anthropic.claude-opus-5", "claude-opus-5", "bedrock"),
        ("vertex_ai/claude-opus-4-6@default", "claude-opus-4-6", "vertex"),
        ("projects/p/locations/global/publishers/anthropic/models/claude-opus-5", "claude-opus-5", "vertex"),
        ("publishers/google/models/gemini-2.5-pro", "gemini-2.5-pro", "vertex"),
        ("azure_ai/claude-opus-5", "claude-opus-5", "foundry"),
        ("azure/gpt-5.6", "gpt-5.6-sol", "azure"),
        ("gpt-5.6-terra-2026-07-30", "gpt-5.6-terra", "openai"),
        ("openai/gpt-5.4-mini", "gpt-5.4-mini", "openai"),
        ("gpt-5-1-codex-max", "gpt-5.1", "openai"),
        ("openai.gpt-6-sol", "gpt-6-sol", "bedrock"),
        ("models/gemini-3-flash", "gemini-3-flash-preview", "google"),
        ("gemini/gemini-3.8-flash", "gemini-3.8-flash", "google"),
        ("vertex_ai/gemini-4-argon", "gemini-4-argon", "vertex"),
        ("groq/openai/gpt-oss-120b", "groq/gpt-oss-120b", "groq"),
        ("cerebras/gpt-oss-120b", "cerebras/gpt-oss-120b", "cerebras"),
        ("amazon.nova-lite-v1:0", "nova-lite", "bedrock"),
        ("eu.amazon.nova-2-lite-v1:0", "nova-2-lite", "bedrock"),
        ("MiniMax-M2.5", "minimax-m2.5", "minimax"),
        ("GLM-5.3-Flash", "glm-5.3-flash", "zai"),
        ("x-ai/grok-4.7", "grok-4.7", "xai"),
        ("openrouter/moonshotai/kimi-k3", "kimi-k3", "openrouter"),
        ("mistral/mistral-large-4", "mistral-large-4", "mistral"),
    ],
)
def test_ids(spelled: str, name: str, platform: str) -> None:
    found = model(spelled)
    assert (found.name, found.platform) == (name, platform)


@pytest.mark.parametrize(
    "spelled",
    [
        "",
        "-",
        "claude",
        "claude-opus",
        "claude-opus-9",
        "claude-opus-5-6",
        "claude-opus-5-5-turbo",
        "gpt-5.6-codex",
        "ft:gpt-4o-2024-08-06:org::id",  # at another price
        "gpt-oss-120b",  # open weights: who serves it?
        "openai/gpt-oss-120b",
        "moonshotai/Kimi-K3",  # a repository of weights
        "Qwen/Qwen3.8-Max",
        "mistralai/mistral-large-4",
        "anthropic/gpt-5",
        "us.anthropic.nova-lite-v1:0",
        "azure/claude-opus-5",
        "groq/claude-opus-5",
        "my-proxy/claude-opus-5",
        "anthropic/claude-haiku-5.5:batch",
        "-20250929",
        "claude-opus-5" + "-20250929" * 1000,
        "projects/" * 10_000,
    ],
)
def test_what_is_not_known_is_unknown_and_never_the_nearest(spelled: str) -> None:
    assert model_of(spelled) is None


@pytest.mark.parametrize(
    ("spelled", "provider", "platform"),
    [
        ("claude-opus-5", "anthropic", "anthropic"),
        ("claude-opus-5", "bedrock", "bedrock"),
        ("claude-opus-5", "unknown", "anthropic"),
        ("claude-opus-5", "vllm", None),
        ("us.anthropic.claude-opus-5", "anthropic", "bedrock"),
        ("deepseek-v4-pro", "deepseek", "deepseek"),
        ("deepseek-v4-pro", "vllm", None),
        ("deepseek-v4-pro", "openai", None),
        ("kimi-k3", "groq", None),
        ("openai/gpt-oss-120b", "groq", "groq"),
        ("gpt-oss-120b", "vllm", None),
    ],
)
def test_who_serves_it_counts(spelled: str, provider: str, platform: str | None) -> None:
    found = model_of(spelled, provider)
    assert (found and found.platform) == platform


def test_a_dated_version_is_told() -> None:
    assert model("claude-opus-4-5-20251101").pinned
    assert not model("claude-opus-4-5").pinned
    assert not model("global.anthropic.claude-opus-4-6-v1").pinned
    assert model("gpt-4o-2024-08-06").name == "gpt-4o"
    assert model("gpt-4o-2024-05-13").name == "gpt-4o-2024-05-13"  # priced apart


def test_the_endpoint_of_bedrock_is_told() -> None:
    assert model("us.anthropic.claude-opus-5").endpoint == "us"
    assert model("global.anthropic.claude-opus-5").endpoint == "global"
    assert model("anthropic.claude-opus-5").endpoint == ""


DOCUMENTED = {
    512: "fable-5 mythos-5 fable-5-1 mythos-5-1 opus-5 opus-5-5 sonnet-5-5 haiku-5-5",
    1024: "opus-4-8 sonnet-5 sonnet-4-6 sonnet-4-5 opus-4-1 opus-4 sonnet-4",
    2048: "opus-4-7 mythos-preview 3-5-haiku",
    4096: "opus-4-6 opus-4-5 haiku-4-5",
}
ON_BEDROCK = {
    512: "fable-5 fable-5-1 mythos-5 mythos-5-1 opus-5",
    1024: "opus-4-8 sonnet-5 sonnet-4-6 sonnet-4-5",
    4096: "opus-4-7 opus-4-6 opus-4-5 haiku-4-5 mythos-preview",
}


@pytest.mark.parametrize(
    ("provider", "table"), [("anthropic", DOCUMENTED), ("vertex", DOCUMENTED), ("bedrock", ON_BEDROCK)]
)
def test_minimums_of_claude_by_platform(provider: str, table: dict[int, str]) -> None:
    """Opus 4.7 is 2,048 in the API and 4,096 on Bedrock."""
    for tokens, listed in table.items():
        for name in listed.split():
            figure = minimum(model(f"claude-{name}", provider))
            assert figure is not None, name
            assert figure.tokens == tokens, name


def test_what_is_documented_and_what_was_observed_stand_side_by_side() -> None:
    deepseek = model("deepseek-v4-pro")
    said, seen = step(deepseek), step(deepseek, observed=True)
    assert said is not None
    assert seen is not None
    assert (said.tokens, seen.tokens) == (64, 128)
    realtime = model("gpt-realtime")
    assert minimum(realtime) is None
    observed = minimum(realtime, observed=True)
    assert observed is not None
    assert observed.tokens == 64
    assert observed.source == (facts.table("sources")["OBS"],)


def test_unknown_minimums_are_unknown() -> None:
    for spelled in ("glm-5.3", "grok-4.7", "openrouter/openai/gpt-6-sol", "nova-2-lite", "claude-3-7-sonnet"):
        assert minimum(model(spelled)) is None


@pytest.mark.parametrize(
    ("spelled", "tokens"),
    [
        ("claude-fable-5-2", 512),
        ("claude-mythos-5-2", 512),
        ("us.anthropic.claude-fable-5-2", 512),
        ("openrouter/anthropic/claude-opus-5", 512),
        ("openrouter/anthropic/claude-opus-4.7", 2048),
        ("openrouter/anthropic/claude-haiku-4.5", 4096),
    ],
)
def test_assumed_minimums_are_told_and_not_firm(spelled: str, tokens: int) -> None:
    found = minimum(model(spelled))
    assert found is not None
    assert (found.tokens, found.assumed, found.confidence) == (tokens, True, "low")
    known = minimum(model("claude-opus-5"))
    assert known is not None
    assert not known.assumed


def test_older_sonnets_on_bedrock() -> None:
    for spelled in ("us.anthropic.claude-3-7-sonnet-20250219-v1:0", "anthropic.claude-3-5-sonnet-20241022-v2:0"):
        found = model(spelled)
        figure = minimum(found)
        assert figure is not None
        assert (found.platform, figure.tokens, found.ttls) == ("bedrock", 1024, ("5m",))
    assert model_of("anthropic.claude-3-5-sonnet-20240620-v1:0") is None  # the first version


def test_the_minimum_depends_on_the_kind_of_cache() -> None:
    qwen = model("qwen3.8-max")
    plain, marked = minimum(qwen), minimum(qwen, "markers")
    assert plain is not None
    assert marked is not None
    assert (plain.tokens, marked.tokens) == (256, 1024)


@pytest.mark.parametrize(
    ("spelled", "kind", "ttls", "default"),
    [
        ("claude-opus-5", "markers", ("5m", "1h"), "5m"),
        ("gpt-5.6", "message-ends", ("30m", "12h"), "30m"),
        ("gpt-6.1-terra", "message-ends", ("30m", "12h"), "30m"),
        ("gpt-5.5", "steps", ("24h",), "24h"),
        ("gpt-5.4", "steps", ("in_memory", "24h"), None),
        ("gpt-4o", "steps", (), None),
        ("kimi-k3", "steps", ("5m", "1h"), "5m"),
        ("gemini-2.5-pro", "prefix", (), None),
    ],
)
def test_kinds_and_lifetimes(spelled: str, kind: str, ttls: tuple[str, ...], default: str | None) -> None:
    found = model(spelled)
    assert (found.caches[0], found.ttls, found.default_ttl) == (kind, ttls, default)


def test_what_claude_keeps_of_earlier_thinking() -> None:
    assert model("claude-opus-4-5").thinking_kept == "all"
    assert model("claude-sonnet-4-6").thinking_kept == "all"
    assert model("claude-sonnet-4-5").thinking_kept == "last-turn"
    assert model("claude-haiku-4-5").thinking_kept == "last-turn"
    assert model("claude-haiku-5-5").thinking_kept is None


def test_nearest_names() -> None:
    assert nearest("claude-opus-55") == ["claude-opus-5-5", "claude-opus-5", "claude-opus-4-5"]
    assert nearest("openrouter/anthropic/claude-sonet-5")[0] == "claude-sonnet-5"
    assert nearest("moonshotai/kimi-k3")[0] == "kimi-k3"
    assert nearest("openrouter/anthropic/claude-opus-5:beta")[0] == "claude-opus-5"
    assert nearest("claude-opus-5[1m]")[0] == "claude-opus-5"
    assert nearest("zzz") == []


def test_every_row_can_be_found_and_cites_what_it_rests_on() -> None:
    table = facts.table("models")
    known = facts.table("sources")
    spellings: dict[tuple[str, str], str] = {}
    for name in names():
        found = model(name)
        assert found.name == name
        assert found.source
        assert found.confidence in ("high", "medium", "low")
        date.fromisoformat(found.checked)
        row = table["models"][name]
        assert set(row["source"]) <= set(known)
        assert set(found.caches) <= set(CACHES)
        for figure in (*found.minimums, *found.steps):
            assert figure.source
            assert figure.tokens > 0
        for spelled in (name, *row.get("ids", ())):
            assert spellings.setdefault((found.provider, spelled), name) == name
            assert model(spelled, found.provider).name == name
    for cells in (
        cell for row in table["families"].values() for key in ("minimum", "step") for cell in row.get(key, ())
    ):
        assert set(cells["source"]) <= set(known)


def test_every_reference_is_cited() -> None:
    cited = repr(facts.table("models")) + repr(facts.table("prices"))
    assert [name for name in facts.table("sources") if f"'{name}'" not in cited] == []


@given(st.text(max_size=40))
def test_any_text_is_a_name_or_none(name: str) -> None:
    found = model_of(name)
    assert found is None or found.name in names()


def test_rows_of_the_users_own() -> None:
    own = overrides(
        {
            "models": {
                "claude-opus-5": {"minimum": Number("256")},
                "house-model": {"family": "claude", "ids": ["hm-1"], "minimum": Number("100")},
                "other": {"provider": "vllm", "caches": ["steps"], "step": Number("16")},
            }
        },
        "mine.yaml",
    )
    for spelled, tokens in (("us.anthropic.claude-opus-5", 256), ("hm-1", 100), ("House-Model-20260101", 100)):
        found = model_of(spelled, own=own)
        assert found is not None
        figure = minimum(found)
        assert figure is not None
        assert (figure.tokens, figure.source) == (tokens, ("mine.yaml",))
    opus = model_of("claude-opus-5", own=own)
    assert opus is not None
    assert opus.ttls == ("5m", "1h")
    served = model_of("other", "vllm", own)
    assert served is not None
    block = step(served)
    assert block is not None
    assert block.tokens == 16
    assert model_of("hm-1") is None
