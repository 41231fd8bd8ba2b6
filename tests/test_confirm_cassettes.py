"""Recorded answers of every interface: what is read of them, what was sent, and that no key is ever kept."""

import json
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from confirm_servers import KEY, MUCH, chat, plain, serving
from conftest import ROOT
from promptlint.commands.confirm import live
from promptlint.commands.confirm.live import LiveOptions, confirm_live
from promptlint.confirm.live.apis import APIS
from promptlint.confirm.live.calls import Call, Event
from promptlint.errors import PromptlintError
from promptlint.finding import Report
from promptlint.load.several import requests
from promptlint.prompt import Request
from promptlint.read.sources import read

FOLDER = ROOT / "fixtures" / "cassettes"
OPENAI, ANTHROPIC = "https://api.openai.com", "https://api.anthropic.com"
GEMINI, LOCAL = "https://generativelanguage.googleapis.com", "http://127.0.0.1:8000"
Row = tuple[str, str | None, int | None, int | None, str, str]
# endpoint, verdict, predicted, observed, field, the vendor's reason
WANTED: Mapping[str, Row] = {
    "openai-chat": (OPENAI, "confirmed", 1408, 1408, "usage.prompt_tokens_details.cached_tokens", ""),
    "openai-responses": (
        OPENAI, "confirmed", 0, 0, "usage.input_tokens_details.cached_tokens", "tools_changed (1,488 tokens missed)",
    ),
    "anthropic": (ANTHROPIC, "confirmed", 1770, 1770, "usage.cache_read_input_tokens", ""),
    "anthropic-miss": (
        ANTHROPIC, "confirmed", 0, 0, "usage.cache_read_input_tokens", "system_changed (about 1,770 tokens missed)",
    ),
    "gemini": (GEMINI, "confirmed", 2832, 2809, "usageMetadata.cachedContentTokenCount", ""),
    "vllm": (LOCAL, "confirmed", 352, 352, "usage.prompt_tokens_details.cached_tokens", ""),
    "sglang-silent": (LOCAL, "not_shown", 363, None, "", ""),
}  # fmt: skip


@pytest.fixture(autouse=True)
def _no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY"):
        monkeypatch.delenv(name, raising=False)


def replayed(name: str, **options: Any) -> Report:
    a, b, cassette = (str(FOLDER / name / file) for file in ("a.json", "b.json", "cassette.json"))
    return confirm_live(a, b, LiveOptions(WANTED[name][0], cassette=cassette, **options))


def sent(name: str) -> list[tuple[str, dict[str, Any], Any]]:
    """Address, headers and body of the prompts of a cassette."""
    kept = json.loads((FOLDER / name / "cassette.json").read_text("utf-8"))["interactions"]
    calls = (one["request"] for one in kept if one["request"]["method"] == "POST")
    return [(call["uri"], call["headers"], json.loads(call["body"])) for call in calls]


def test_every_cassette_is_checked() -> None:
    assert sorted(WANTED) == sorted(path.name for path in FOLDER.iterdir() if path.is_dir())


@pytest.mark.parametrize("name", WANTED)
def test_what_servers_report_is_read(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "_connection", lambda *_: pytest.fail("a cassette makes no connection"))
    report = replayed(name)
    _, *wanted = WANTED[name]
    facts = report.confirm
    assert facts is not None
    seen = facts.seen[0]
    assert [report.verdict, facts.predicted_tokens, facts.observed_tokens, seen.source, seen.miss_reason] == wanted
    assert any("nothing was sent" in note for note in report.notes)
    assert facts.speed is not None
    assert facts.speed.ttft_cold > facts.speed.ttft_warm or "miss" in name or name == "openai-responses"
    assert report.tables == ()
    about = any("is taken as equal" in note for note in report.notes)
    assert about == (report.verdict == "confirmed" and facts.predicted_tokens != facts.observed_tokens)


def test_the_vendors_own_diagnostics_are_asked_for() -> None:
    (_, _, first), (_, _, second), *_ = sent("openai-responses")
    assert "prompt_cache_options" not in first
    assert second["prompt_cache_options"] == {"comparison_response_id": "resp_1"}
    (_, headers, first), (_, _, second), *_ = sent("anthropic-miss")
    assert (first["diagnostics"], second["diagnostics"]) == (
        {"previous_message_id": None},
        {"previous_message_id": "msg_1"},
    )
    assert headers["anthropic-beta"] == ["cache-diagnosis-2026-04-07"]
    assert all("diagnostics" not in body for _, _, body in sent("vllm"))


def test_little_is_asked_for() -> None:
    limits = {name: [body for _, _, body in sent(name)] for name in WANTED}
    assert {body["max_completion_tokens"] for body in limits["openai-chat"]} == {8}
    assert {body["max_output_tokens"] for body in limits["openai-responses"]} == {16}
    assert [body["max_tokens"] for body in limits["anthropic"]] == [8, 8]
    assert {body["generationConfig"]["maxOutputTokens"] for body in limits["gemini"]} == {8}
    assert next(uri for uri, _, _ in sent("gemini")).endswith(
        "/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse"
    )


def test_a_thinking_budget_is_part_of_the_prompt_and_stays(tmp_path: Path) -> None:
    body = json.loads((FOLDER / "anthropic" / "a.json").read_text("utf-8"))
    body["thinking"] = {"type": "enabled", "budget_tokens": 2000}
    path = tmp_path / "a.json"
    path.write_text(json.dumps(body))
    report = confirm_live(str(path), str(path), LiveOptions(ANTHROPIC, dry_run=True))
    assert [row[2] for row in report.tables[0].rows[:-1]] == [2008] * 3


@pytest.mark.parametrize("name", WANTED)
def test_cassettes_hold_requests_like_other_recorded_traffic(name: str) -> None:
    found = [one for one in requests(read(str(FOLDER / name / "cassette.json"))) if isinstance(one, Request)]
    assert len(found) >= 2
    assert all(one.items for one in found if one.format != "completion")


def test_a_recording_holds_no_key_and_answers_for_the_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", KEY)
    a, b = (str(FOLDER / "vllm" / name) for name in ("a.json", "b.json"))
    cassette = tmp_path / "kept.json"
    replies = [chat(363, 0, user=KEY), chat(366, 350, user=f"Bearer {KEY}")]
    with serving(*replies) as fake:
        options = LiveOptions(fake.address, cassette=str(cassette), key_env="MY_KEY", max_usd=MUCH)
        first = confirm_live(a, b, options)
    assert all(one.headers["authorization"] == f"Bearer {KEY}" for one in fake.prompts)
    assert KEY not in cassette.read_text("utf-8")
    monkeypatch.delenv("MY_KEY")
    second = confirm_live(a, b, LiveOptions("http://127.0.0.1:1", cassette=str(cassette)))
    assert (first.verdict, second.verdict) == ("confirmed", "confirmed")
    assert first.confirm is not None
    assert second.confirm is not None
    assert first.confirm.seen == second.confirm.seen
    with pytest.raises(PromptlintError, match="no such request to /v1/chat/completions"):
        confirm_live(b, a, LiveOptions("http://127.0.0.1:1", cassette=str(cassette)))


def test_a_run_that_pays_for_nothing_leaves_no_cassette(tmp_path: Path) -> None:
    a, b = (str(FOLDER / "vllm" / name) for name in ("a.json", "b.json"))
    cassette = tmp_path / "kept.json"
    with serving(plain({}, 500)) as fake, pytest.raises(PromptlintError, match=r"\(500\)"):
        confirm_live(a, b, LiveOptions(fake.address, cassette=str(cassette), max_usd=MUCH))
    assert not cassette.exists()


def test_what_was_paid_for_is_kept_if_a_later_request_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", KEY)
    a, b = (str(FOLDER / "vllm" / name) for name in ("a.json", "b.json"))
    cassette = tmp_path / "kept.json"
    failing = plain({"error": {"message": f"no memory for {KEY}"}}, 500)
    with serving(chat(363, 0), failing) as fake, pytest.raises(PromptlintError, match="as an incomplete recording"):
        confirm_live(a, b, LiveOptions(fake.address, cassette=str(cassette), max_usd=MUCH, key_env="MY_KEY"))
    kept = json.loads(cassette.read_text("utf-8"))
    assert "(500): no memory" in kept["incomplete"]
    assert KEY not in cassette.read_text("utf-8")
    assert sum(one["request"]["method"] == "POST" for one in kept["interactions"]) == 2
    with pytest.raises(PromptlintError, match=r"the recording is incomplete \(.*\(500\): no memory"):
        confirm_live(a, b, LiveOptions("http://127.0.0.1:1", cassette=str(cassette)))


def test_an_incomplete_log_says_so_when_it_is_replayed(tmp_path: Path) -> None:
    a, b = (json.loads((FOLDER / "vllm" / name).read_text("utf-8")) for name in ("a.json", "b.json"))
    log, cassette = tmp_path / "log.jsonl", tmp_path / "kept.json"
    log.write_text("\n".join(json.dumps(one) for one in (a, b, b)))
    with serving(chat(363, 0), chat(366, 350), plain({}, 429)) as fake:
        confirm_live(str(log), None, LiveOptions(fake.address, cassette=str(cassette), max_usd=MUCH))
    again = confirm_live(str(log), None, LiveOptions("http://127.0.0.1:1", cassette=str(cassette)))
    assert again.verdict == "confirmed"
    assert any("the recording is incomplete: ended after 1 pair" in note for note in again.notes)


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "{}", '{"interactions": [1]}', '{"interactions": [{"request": {}}]}', "[" * 100_000]
)
def test_files_that_are_no_cassettes(tmp_path: Path, text: str) -> None:
    path = tmp_path / "c.json"
    path.write_text(text)
    a = str(FOLDER / "vllm" / "a.json")
    with pytest.raises(PromptlintError, match="is no cassette"):
        confirm_live(a, a, LiveOptions(LOCAL, cassette=str(path)))


def test_a_cassette_needs_its_folder(tmp_path: Path) -> None:
    a = str(FOLDER / "vllm" / "a.json")
    with pytest.raises(PromptlintError, match="is no folder"):
        confirm_live(a, a, LiveOptions(LOCAL, cassette=str(tmp_path / "no" / "c.json")))


def test_what_is_spent_is_counted(tmp_path: Path) -> None:
    """A gateway that reports more than was thought: the second request is not sent."""
    from promptlint.confirm.live import bill, session
    from promptlint.confirm.live.apis import APIS
    from promptlint.confirm.live.endpoint import endpoint
    from promptlint.confirm.live.http import Connection

    with serving(chat(10**6, 0)) as fake:
        at = bill.Tariff(None, Decimal(10), Decimal(1), "")
        asking = session.Session(
            Connection(), endpoint(fake.address), APIS["openai"], tariff=at, cap=Decimal("0.0125"), tokens=8
        )
        prompt = session.Prompt("a", {"messages": []}, "openai-chat", "m", 1000)
        asking.send(prompt, 8)
        with pytest.raises(PromptlintError, match="stopped after about"):
            asking.send(prompt, 8)
    assert len(fake.prompts) == 1


NAMES = [
    "usage", "id", "response", "choices", "delta", "content", "text", "type", "message", "timings", "cache_n",
    "prompt_n", "tokens", "prompt_tokens_details", "cached_tokens", "cache_creation", "iterations",
    "cache_read_input_tokens", "input_tokens", "diagnostics", "cache_miss_reason", "usageMetadata",
    "promptTokenCount", "candidates", "parts", "prompt_cache_diagnostics", "cache_write_tokens_details",
    "error",
]  # fmt: skip
LEAVES = (
    st.none() | st.booleans() | st.integers(-5, 10**20) | st.floats(allow_nan=False) | st.sampled_from(["", "message"])
)
VALUES = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=5)
)


@given(st.lists(VALUES, max_size=4))
@settings(max_examples=300, deadline=None)
def test_odd_answers_are_read_as_silence_at_worst(values: list[Any]) -> None:
    events = [Event(0.1, "", value) for value in values]
    for api in APIS.values():
        said = api.read(events)
        assert said.cached_tokens is None or said.cached_tokens >= 0
        assert all(api.is_output(event) in (True, False) for event in events)


@pytest.mark.parametrize("odd", [None, 3, "x", [], {}])
def test_odd_fields_of_a_request_stop_nothing(odd: Any) -> None:
    from promptlint.confirm.live.calls import Sent
    from promptlint.confirm.live.endpoint import endpoint

    names = ("prompt_cache_options", "generationConfig", "thinking", "betas", "tools", "messages", "stream_options")
    body = {"prompt": "x"} | dict.fromkeys(names, odd)
    for api in APIS.values():
        for format_name in api.formats:
            sent = Sent(body, format_name, "gpt-6", 4, compares=True, after="resp_1")
            call = api.call(sent, endpoint(LOCAL), True)
            assert isinstance(call, Call)
            assert json.loads(call.body)
