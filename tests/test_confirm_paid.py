"""What asking may cost: who is paid, what is listed before anything is sent, and what is not asked for at all."""

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from confirm_servers import (
    MUCH,
    VLLM,
    A,
    B,
    Reply,
    asked,
    chat,
    models,
    plain,
    serving,
    without_keys,
    written,
)  # fmt: skip
from promptlint.commands.confirm.live import LiveOptions, confirm_live
from promptlint.confirm.live.ask import log_sends, may_send
from promptlint.confirm.live.servers import Server
from promptlint.errors import PromptlintError
from promptlint.facts.servers import engine_servers, paid_extra

OPENAI = "https://api.openai.com"
SGLANG = {"/v1/models": models("sglang"), "/get_model_info": plain({"model_path": "m"})}
LLAMA = {
    "/v1/models": models("llamacpp"),
    "/props": plain({"default_generation_settings": {}}),
    "/apply-template": plain({"prompt": "x"}),
    "/tokenize": plain({"tokens": list(range(273))}),
}


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    without_keys(monkeypatch)
    monkeypatch.chdir(tmp_path)


def test_a_dry_run_prints_the_bill_and_sends_nothing(tmp_path: Path) -> None:
    model = {"model": "gpt-5.4"}
    one, two = written(tmp_path, a=A | model, b=B | model)
    report = confirm_live(one, two, LiveOptions("https://api.openai.com", dry_run=True))
    assert (report.verdict, report.confirm) == (None, None)
    (table,) = report.tables
    assert table.columns == ("request", "prompt_tokens", "output_tokens", "usd")
    *rows, total = table.rows
    assert len(rows) == 3
    assert all(Decimal(str(row[3])) > 0 for row in rows)
    assert Decimal(str(total[3])) < Decimal("0.01")
    assert any("nothing was sent" in note and "prices of gpt-5.4" in note for note in report.notes)


def test_what_may_be_spent(tmp_path: Path) -> None:
    one, two = written(tmp_path, a=A | {"model": "gpt-5.4"}, b=B | {"model": "gpt-5.4"})
    with pytest.raises(PromptlintError, match=r"\$0.0001 is the limit; nothing was sent"):
        confirm_live(one, two, LiveOptions("https://api.openai.com", max_usd=Decimal("0.0001")))
    with pytest.raises(PromptlintError, match="no price is known for m there"):
        asked(tmp_path, "https://gateway.example")
    report = asked(tmp_path, "https://gateway.example", max_usd=Decimal(1), dry_run=True)
    assert any("the dearest known one is assumed" in note for note in report.notes)


@pytest.mark.parametrize("at", [VLLM, SGLANG, LLAMA])
def test_an_engine_on_this_machine_costs_nothing(tmp_path: Path, at: dict[str, Reply]) -> None:
    with serving(chat(280, 0), chat(290, 272), chat(290, 0), at=at) as fake:
        report = asked(tmp_path, fake.address)
    assert fake.prompts
    assert report.tables == ()
    assert not any("spent" in note for note in report.notes)


@pytest.mark.parametrize(
    "at",
    [
        {},
        {"/v1/models": models("openai")},
        {"/v1/models": models("vllm")},  # a gateway may hand on what the one behind it says
        {**SGLANG, "/v1/models": models("vllm")},
        {**VLLM, "/v1/models": plain({"data": [{"id": "m", "owned_by": "vllm"}, {"id": "n", "owned_by": "openai"}]})},
        {**VLLM, "/version": plain({}, 404)},
    ],
)
def test_what_may_be_a_gateway_is_paid_like_any_host(tmp_path: Path, at: dict[str, Reply]) -> None:
    with serving(chat(280, 0), chat(290, 275), at=at) as fake:
        with pytest.raises(PromptlintError, match=r"no price is known for m there; 127\.0\.0\.1 does not say"):
            asked(tmp_path, fake.address)
        with pytest.raises(PromptlintError, match=r"\$0\.0001 is the limit; nothing was sent"):
            asked(tmp_path, fake.address, max_usd=Decimal("0.0001"))
        assert fake.prompts == []
        report = asked(tmp_path, fake.address, max_usd=MUCH)
    assert report.tables
    assert any("spent about" in note for note in report.notes)


def test_a_gateway_to_a_known_model_has_its_price(tmp_path: Path) -> None:
    model = {"model": "gpt-5.4"}
    with serving(chat(280, 0), chat(290, 275)) as fake:
        report = asked(tmp_path, fake.address, A | model, B | model)
    assert any("prices of gpt-5.4" in note for note in report.notes)
    assert report.tables


def test_an_amount_that_is_named_holds_for_an_engine_too(tmp_path: Path) -> None:
    with serving(chat(280, 0), at=VLLM) as fake, pytest.raises(PromptlintError, match="is the limit; nothing was sent"):
        asked(tmp_path, fake.address, max_usd=Decimal("0.0001"))
    assert fake.prompts == []


def test_a_dry_run_does_not_ask_who_is_there(tmp_path: Path) -> None:
    with serving(at=VLLM) as fake:
        report = asked(tmp_path, fake.address, dry_run=True)
    assert fake.asked == []
    assert len(report.tables[0].rows) == 5 + 1
    assert "nothing, if 127.0.0.1 says that it is vLLM" in report.notes[-1]


@pytest.mark.parametrize(("at", "kind"), [(VLLM, "vllm"), (SGLANG, "sglang"), (LLAMA, "llama-cpp"), ({}, "")])
@pytest.mark.parametrize("reads", [[0, 0], [0, 128], [0, 272], [0, 0, 0, 272]])
def test_the_bill_lists_every_request(tmp_path: Path, at: dict[str, Reply], kind: Any, reads: list[int]) -> None:
    """However a pair comes out, not more is sent than was listed; if it comes out worst, all of it."""
    replies = [chat(280 + 10 * (number % 2), cached) for number, cached in enumerate(reads)]
    with serving(*replies, at=at) as fake:
        report = asked(tmp_path, fake.address, max_usd=MUCH)
    listed = report.tables[0].rows[:-1]
    assert len(listed) == len(may_send(Server(kind, isolates=kind != "")))
    assert len(fake.prompts) <= len(listed)
    if reads == [0, 0]:
        assert len(fake.prompts) == len(listed)
    assert any("as the control" in str(row[0]) for row in listed) == (kind != "")


@pytest.mark.parametrize("kind", [*engine_servers(), ""])
def test_the_bill_of_a_log_lists_what_is_sent(tmp_path: Path, kind: Any) -> None:
    at = {"vllm": VLLM, "sglang": SGLANG, "llama-cpp": LLAMA, "": {}}[kind]
    other = {"model": "m", "messages": [{"role": "user", "content": "Nothing of it is alike."}]}
    then = {**other, "messages": [*other["messages"], {"role": "assistant", "content": "So?"}, *other["messages"]]}
    log = tmp_path / "log.jsonl"
    log.write_text("\n".join(json.dumps(one) for one in (A, other, B, then)))
    with serving(chat(280, 0), at=at) as fake:
        report = confirm_live(str(log), None, LiveOptions(fake.address, max_usd=MUCH))
    listed = report.tables[0].rows[:-1]
    assert len(fake.prompts) == len(listed)
    assert any("once more" in str(row[0]) for row in listed) == (kind == "llama-cpp")
    assert len(listed) <= len(list(log_sends([None, None, 0, 1], None)))


@pytest.mark.parametrize(
    ("format_name", "tool", "named"),
    [
        ("gemini", {"googleSearchRetrieval": {}}, "googleSearchRetrieval"),
        ("gemini", {"googleMaps": {}}, "googleMaps"),
        ("gemini", {"fileSearch": {}}, "fileSearch"),
        ("gemini", {"enterpriseWebSearch": {}}, "enterpriseWebSearch"),
        ("gemini", {"functionDeclarations": [], "urlContext": {}}, "urlContext"),
        ("gemini", {"functionDeclarations": []}, None),
        ("gemini", {"function_declarations": []}, None),
        ("openai-responses", {"type": "web_search_preview"}, "web_search_preview"),
        ("openai-responses", {"type": "shell"}, "shell"),
        ("openai-responses", {"type": "some_new_one"}, "some_new_one"),
        ("openai-responses", {"type": "local_shell"}, None),
        ("openai-responses", {"type": "function", "name": "f"}, None),
        ("openai-chat", {"type": "function", "function": {"name": "f"}}, None),
        ("openai-chat", {"googleSearch": {}}, "googleSearch"),
        ("messages", {"type": "web_search"}, "web_search"),
        ("anthropic", {"type": "web_search_20260318", "name": "web_search"}, "web_search_20260318"),
        ("anthropic", {"type": "code_execution_20260521", "name": "x"}, "code_execution_20260521"),
        ("anthropic", {"type": "bash_20250124", "name": "bash"}, None),
        ("anthropic", {"name": "f", "description": "", "input_schema": {}, "cache_control": {}}, None),
        ("anthropic", {"type": "custom", "name": "f", "input_schema": {}}, None),
    ],
)
def test_only_the_authors_own_tools_cost_nothing(format_name: str, tool: dict[str, Any], named: str | None) -> None:
    assert paid_extra({"tools": [tool]}, format_name, "m") == named


@pytest.mark.parametrize(
    ("body", "model", "named"),
    [
        ({"plugins": [{"id": "web"}]}, "m", "plugins"),
        ({"plugins": []}, "m", None),
        ({"web_search_options": {}}, "m", "web_search_options"),
        ({"mcp_servers": [{"url": "x"}]}, "m", "mcp_servers"),
        ({"search_parameters": {"mode": "on"}}, "m", "search_parameters"),
        ({}, "openai/gpt-4o:online", "openai/gpt-4o:online"),
        ({}, "gpt-4o-search-preview", "gpt-4o-search-preview"),
        ({"tools": [3, None, "x"]}, "gpt-4o", None),
    ],
)
def test_what_else_is_paid(body: dict[str, Any], model: str, named: str | None) -> None:
    assert paid_extra(body, "openai-chat", model) == named


def test_what_the_vendor_would_run_is_not_asked_for(tmp_path: Path) -> None:
    body = {"model": "gpt-5.4", "input": "x", "tools": [{"type": "web_search_preview"}]}
    with pytest.raises(PromptlintError, match="web_search_preview would be run by the vendor"):
        asked(tmp_path, OPENAI, body, body, dry_run=True)
    with pytest.raises(PromptlintError, match=r"m:online would be run by the vendor.*name another --model"):
        asked(tmp_path, OPENAI, model="m:online", dry_run=True)
