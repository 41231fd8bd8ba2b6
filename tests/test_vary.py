"""`promptlint vary`: every row is what a real comparison of the variation says."""

import json
from datetime import date
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from conftest import ROOT
from promptlint.boundary.align import common_head
from promptlint.cli import run
from promptlint.commands.diff import diff
from promptlint.commands.templates import TemplateOptions
from promptlint.commands.vary import vary
from promptlint.errors import PromptlintError
from promptlint.load import load, value_of
from promptlint.read.sources import read
from promptlint.render import render
from promptlint.report import write
from promptlint.tokens import open_tokenizer
from promptlint.vary import variations
from promptlint.vary_facts import Row, VaryFacts

SCHEMA = jsonschema.Draft202012Validator(
    json.loads((ROOT / "promptlint/schemas/report.schema.json").read_text("utf-8"))
)
FIXTURES = ROOT / "fixtures"
DEMO = FIXTURES / "demo" / "before.json"
SAMPLES = [
    FIXTURES / "formats" / name
    for name in (
        "01_anthropic_messages.request.json",
        "02_openai_chat.request.json",
        "03_openai_responses.request.json",
        "04_gemini_generate_content.request.json",
        "05_bedrock_converse.request.json",
        "13_mcp_tools_list.json",
        "more/cohere_v2_chat.request.json",
        "more/ollama_chat.request.json",
    )
]
TODAY = date(2026, 11, 30)


def varied(path: Path | str, **how: Any) -> VaryFacts:
    report = vary(str(path), today=TODAY, **how)
    SCHEMA.validate(json.loads(write(report, "json")))
    assert report.varied is not None
    return report.varied


def rows(found: VaryFacts) -> dict[str, Row]:
    return {row.name: row for row in found.rows}


def outcome(usable: int | None, lost: int | None, verdict: str) -> str:
    if verdict == "refused":
        return "refused"
    return "hit" if usable and lost == 0 else "partial" if usable else "miss"


@pytest.mark.parametrize("path", [DEMO, *SAMPLES], ids=lambda path: path.name)
def test_every_row_is_what_diff_says_of_the_saved_file(path: Path, tmp_path: Path) -> None:
    found = varied(path, save=str(tmp_path))
    assert found.rows
    for row in found.rows:
        assert row.file is not None
        again = diff(str(path), row.file).diffs[0]
        limits = again.boundary
        assert (row.shared_tokens, row.lost_tokens) == (limits.shared_tokens, limits.lost_tokens), row.name
        assert row.usable_tokens == (0 if again.verdict == "refused" else limits.usable_tokens), row.name
        assert row.outcome == outcome(limits.usable_tokens, limits.lost_tokens, again.verdict), row.name
        assert row.certainty != "certain" or again.verdict != "unknown", row.name


@pytest.mark.parametrize("engine", ["vllm==0.33.0", "sglang", "llama-cpp"])
@pytest.mark.parametrize("path", [DEMO, *SAMPLES], ids=lambda path: path.name)
def test_engines_read_what_the_token_ids_say(path: Path, engine: str, tmp_path: Path) -> None:
    """Against ids that tiktoken's vocabulary makes of the whole prompts, and the engines' rule of reuse."""
    found = varied(path, engine=engine, save=str(tmp_path))
    tokenizer = open_tokenizer(None)
    size = 16 if engine.startswith("vllm") else 1
    assert found.block_tokens == size
    old = tokenizer.encode(render(load(read(str(path)))).text)
    for row in found.rows:
        assert row.file is not None
        new = tokenizer.encode(render(load(read(row.file))).text)
        shared = common_head(old, new)
        if row.cause in ("cache-key-changed", "model-changed"):
            shared = 0
        assert row.usable_tokens == min(shared, len(new) - 1) // size * size, row.name
        if row.first is not None:
            assert row.first.number == (row.usable_tokens or 0) // size


def test_the_demo_at_a_glance(capsys: pytest.CaptureFixture[str]) -> None:
    found = rows(varied(DEMO))
    fatal = {name for name, row in found.items() if row.outcome == "miss"}
    assert fatal == {
        *("space-added", "crlf", "date-tomorrow", "system-injected", "model"),
        *("tools-reserialised", "tools-reversed", "tool-added-last", "tool-added-first"),
    }
    partial = {name for name, row in found.items() if row.outcome == "partial"}
    assert partial == {"thinking-on", "tool-choice", "marker-removed", "marker-moved-back"}
    assert found["marker-lifetime"].outcome == "refused"
    assert found["thinking-on"].first is not None
    assert (found["thinking-on"].first.unit, found["thinking-on"].first.number) == ("entry", 1)
    assert {name for name, row in found.items() if row.outcome == "hit"} == {
        *("sent-again", "fields-reordered", "nfd", "block-as-text", "turn-appended", "output-limit")
    }
    assert found["date-tomorrow"].does == "a day later: Monday, 30 November 2026 became Tuesday, 1 December 2026"
    causes = {name: row.cause for name, row in found.items()}
    assert causes["space-added"] == "white-space"
    assert causes["crlf"] == "line-endings"
    assert causes["tools-reversed"] == "list-order"
    assert causes["tools-reserialised"] == "key-order"
    assert run(["vary", str(DEMO)]) == 0
    out = capsys.readouterr().out
    assert max(map(len, out.splitlines())) <= 80


def test_names_are_unique_and_files_of_their_own() -> None:
    for path in (DEMO, *SAMPLES):
        request = load(read(str(path)))
        made = list(variations(request, value_of(request), today=TODAY, provider=request.provider))
        assert len({each.name for each in made}) == len(made)
        assert made[0].name == "sent-again"


def test_a_variation_leaves_the_request_itself_alone() -> None:
    request = load(read(str(DEMO)))
    value = value_of(request)
    before = json.dumps(value, default=str)
    for each in variations(request, value, today=TODAY, provider="anthropic"):
        assert each.value is value or json.dumps(each.value, default=str) != before or each.name == "fields-reordered"
    assert json.dumps(value, default=str) == before


@pytest.mark.parametrize(
    ("text", "does"),
    [
        ("On 2026-12-31 we close.", "a day later: 2026-12-31 became 2027-01-01"),
        ("It is 2026-11-30T23:59:59Z.", "a day later: 2026-11-30 became 2026-12-01"),
        ("No 2026-13-45, but 2026-11-30.", "a day later: 2026-11-30 became 2026-12-01"),
        ("Released 2024-01-15. Today is 2026-11-30.", "a day later: 2026-11-30 became 2026-12-01"),
        ("Mon, 30 Nov 2026 it was.", "a day later: Mon, 30 Nov 2026 became Tue, 1 Dec 2026"),
        ("Friday, 28 February 2025 it was.", "a day later: Friday, 28 February 2025 became Saturday, 1 March 2025"),
        ("It is November 9, 2026.", "a day later: November 9, 2026 became November 10, 2026"),
        ("From 09 March 2026 on.", "a day later: 09 March 2026 became 10 March 2026"),
        ("Version 2026-99-99 of 31 February 2026.", "today's date put in front of the text"),
        ("No date.", "today's date put in front of the text"),
    ],
)
def test_tomorrows_date(text: str, does: str, tmp_path: Path) -> None:
    path = tmp_path / "prompt.txt"
    path.write_text(text, encoding="utf-8")
    row = next(row for row in varied(path).rows if row.group == "text" and row.name.startswith("date-"))
    assert row.does == does


def test_letters_are_composed_where_they_were_not(tmp_path: Path) -> None:
    composed, decomposed = tmp_path / "nfc.txt", tmp_path / "nfd.txt"
    composed.write_text("Das Café öffnet früh.", encoding="utf-8")
    decomposed.write_text("Das Cafe\u0301 o\u0308ffnet fru\u0308h.", encoding="utf-8")
    assert rows(varied(composed))["nfd"].cause == "unicode-form"
    assert rows(varied(decomposed))["nfc"].cause == "unicode-form"


def test_token_ids(tmp_path: Path) -> None:
    path = tmp_path / "ids.json"
    path.write_text(json.dumps({"token_ids": list(range(100, 148)), "extra": {"cache_salt": "a"}}), encoding="utf-8")
    found = rows(varied(path, engine="vllm"))
    assert {name: (row.outcome, row.usable_tokens) for name, row in found.items()} == {
        "sent-again": ("hit", 32),
        "tokens-appended": ("hit", 48),
        "token-changed": ("partial", 16),
        "bos-doubled": ("miss", 0),
        "bos-missing": ("miss", 0),
        "cache-salt": ("miss", 0),
        "adapter": ("miss", 0),
    }


def test_a_chat_template_refuses_and_another_one_moves_the_prefix(tmp_path: Path) -> None:
    source = FIXTURES / "templates" / "drops_reasoning.jinja"
    other = tmp_path / "other.jinja"
    other.write_text(source.read_text("utf-8").replace("</think>", "</thinking>"), encoding="utf-8")
    request, templates = FIXTURES / "templates" / "turn-1.json", TemplateOptions(str(source), str(other))
    found = rows(varied(request, engine="llama-cpp", templates=templates))
    assert found["text-as-block"].outcome == "hit"  # its server makes a string of it
    refused = rows(varied(request, engine="sglang", templates=templates))["text-as-block"]
    assert refused.outcome == "refused"
    assert "TypeError" in refused.message
    assert found["turn-appended"].cause == "reasoning-dropped"
    assert found["chat-template"].outcome == "partial"


def test_another_vocabulary() -> None:
    found = rows(varied(DEMO, engine="vllm", tokenizer="o200k_base", tokenizer_b="bytes"))
    assert (found["tokenizer"].outcome, found["tokenizer"].cause) == ("miss", "retokenised")
    same = rows(varied(DEMO, engine="vllm", tokenizer="o200k_base", tokenizer_b="o200k_harmony"))
    assert (same["tokenizer"].outcome, same["tokenizer"].cause) == ("hit", "")


def test_a_request_that_leaves_nothing_says_why() -> None:
    report = vary(str(FIXTURES / "formats" / "02_openai_chat.request.json"), today=TODAY)
    assert any(note.startswith("the request leaves nothing in the cache: ") for note in report.notes)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--engine", "vlm"], "unknown engine vlm; did you mean vllm?"),
        (["--engine", "vllm==0.34.0"], "what vLLM 0.34.0 does is not known"),
        (["--engine", "vllm", "--block-size", "0"], "a block holds at least one token"),
        (["--engine", "lmcache"], "lmcache keeps blocks for engines; name the engine"),
        (["--engine", "llama-cpp", "--block-size", "16"], "llama.cpp reads any prefix, token by token"),
        (["--tokenizer-b", "bytes"], "--tokenizer-b is about engines that one hosts oneself"),
        (["--engine", "vllm", "--provider", "openai"], "--engine says who serves the request"),
        (["--save", "/dev/null/x"], "/dev/null/x: "),
        (["--chat-template-b", "x.jinja"], "there is no chat template"),
    ],
)
def test_what_cannot_be_tried_is_one_line(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["vary", str(DEMO), *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert said in err


def test_ids_have_no_other_vocabulary(tmp_path: Path) -> None:
    path = tmp_path / "ids.json"
    path.write_text("[1, 2, 3]", encoding="utf-8")
    with pytest.raises(PromptlintError, match="token ids are given"):
        vary(str(path), engine="vllm", tokenizer_b="bytes")
