"""`promptlint models`: the list, one model, its JSON, and what is refused."""

import json
from datetime import date
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from conftest import ROOT
from promptlint.cli import run
from promptlint.commands.models import models
from promptlint.errors import PromptlintError
from promptlint.facts.models import names
from promptlint.finding import Report
from promptlint.report import write
from promptlint.report.escape import width

SCHEMA = jsonschema.Draft202012Validator(
    json.loads((ROOT / "promptlint/schemas/report.schema.json").read_text("utf-8"))
)
DAY = date(2026, 11, 29)


def as_json(report: Report) -> Any:
    found = json.loads(write(report, "json"))
    SCHEMA.validate(found)
    return found["models"]


def table(report: Report, title: str) -> list[tuple[str | int | None, ...]]:
    return [row for found in report.tables if found.title.startswith(title) for row in found.rows]


def test_the_list_has_every_model_once() -> None:
    report = models(on=DAY)
    listed = [str(row[0]) for found in report.tables for row in found.rows]
    assert sorted(listed) == sorted(names())
    rows = {row[0]: row[1:] for found in report.tables for row in found.rows}
    assert rows["claude-opus-5-5"] == ("512", "5m, 1h", "4", "0.2", "5 / 8", "20", "")
    assert rows["gpt-5.6-sol"] == ("1,024", "30m, 12h", "4", "0.4", "5 / 10", "20", "2026-08-21")
    assert rows["gpt-5.5"] == ("1,024", "24h", "5", "0.5", "as input", "30", "")
    assert rows["gpt-6.2-sol"] == ("1,024", "30m, 12h", "unknown", "unknown", "unknown", "unknown", "")
    assert rows["gpt-5.5-pro"] == ("1,024", "24h", "30", "unknown", "unknown", "180", "")
    assert len(as_json(report)) == len(names())


@pytest.mark.parametrize("name", names())
def test_json_of_each(name: str) -> None:
    found = as_json(models(name, prefix_tokens=150_000, on=DAY))
    assert found["name"] == name
    assert len(found["curve"]) == 11 * len(found["breakeven"])


def test_json_of_one() -> None:
    found = as_json(models("anthropic/claude-opus-5.5", prefix_tokens=10_000, on=DAY))
    assert (found["name"], found["provider"], found["minimum_tokens"]) == ("claude-opus-5-5", "anthropic", 512)
    assert (found["ttls"], found["default_ttl"]) == (["5m", "1h"], "5m")
    prices = found["prices"]
    assert (prices["input"], prices["read"], prices["write"], prices["output"]) == (
        "4",
        "0.2",
        {"5m": "5", "1h": "8"},
        "20",
    )
    assert (prices["from"], prices["checked"], prices["confidence"]) == (None, "2026-11-29", "high")
    assert any("platform.claude.com" in source for source in prices["source"])
    common = {"cache": "markers", "read_multiplier": "0.05"}
    assert found["breakeven"] == [
        {**common, "ttl": "5m", "write_multiplier": "1.25", "requests": 2, "hit_share": "0.2083"},
        {**common, "ttl": "1h", "write_multiplier": "2", "requests": 3, "hit_share": "0.5128"},
    ]
    curve = {(point["ttl"], point["hit_share"]): point["usd"] for point in found["curve"]}
    assert curve["5m", "0"] == "0.05"
    assert curve["5m", "1"] == curve["1h", "1"] == "0.002"
    assert curve["1h", "0.5"] == "0.041"


def test_the_day_decides() -> None:
    assert as_json(models("gemini-4-argon", on=date(2026, 11, 30)))["prices"]["input"] == "2"
    later = as_json(models("gemini-4-argon", on=date(2026, 12, 1)))["prices"]
    assert (later["input"], later["from"]) == ("4", "2026-12-01")


def test_platforms_and_tiers_are_shown() -> None:
    report = models("claude-opus-4-7", on=DAY)
    assert [row[:2] for row in table(report, "Minimum")] == [
        ("2,048", "anthropic, vertex, foundry, aws"),
        ("2,048", "openrouter"),
        ("4,096", "bedrock"),
    ]
    assert as_json(models("us.anthropic.claude-opus-4-7", on=DAY))["minimum_tokens"] == 4096
    haiku = models("claude-haiku-5-5", on=DAY)
    assert [row[:5] for row in table(haiku, "Prices")] == [
        ("all", "0.1", "0.01", "0.125", "0.2"),
        ("prompts > 100,000", "0.5", "0.05", "0.625", "1"),
    ]


def test_break_even_as_the_reference_has_it() -> None:
    assert table(models("claude-opus-5", on=DAY), "Break-even") == [
        ("5m", "1.25", "0.1", "2", "21.7 %"),
        ("1h", "2", "0.1", "3", "52.6 %"),
    ]
    assert table(models("kimi-k3", on=DAY), "Break-even")[0] == ("5m", "1", "0.1", "2", "0.0 %")
    assert table(models("cerebras/gpt-oss-120b", on=DAY), "Break-even") == [("any", "1", "1", "never", "never")]


def test_the_chart_has_the_right_lengths() -> None:
    """36 columns are the dearest point, 1.25 without hits; the line stands at 1."""
    chart = table(models("claude-opus-5", prefix_tokens=10_000, on=DAY), "10,000 tokens of prefix, 5m")
    assert [row[0] for row in chart] == [f"{share} %" for share in range(0, 101, 10)]
    assert [row[1] for row in chart][::5] == ["62.50", "33.75", "5.00"]
    bars = [str(row[2]) for row in chart]
    assert all(bar[28] == "│" for bar in bars)
    assert [len(bar.rstrip("░│")) for bar in (bars[5], bars[10])] == [19, 3]
    assert len(bars[0]) == 36


@pytest.mark.parametrize("name", ["claude-haiku-5-5", "qwen3.7-max", "gemini-2.5-pro", "gpt-6-astra", "kimi-k3"])
def test_charts_fit_into_80_columns(name: str) -> None:
    text = write(models(name, prefix_tokens=900_000, on=DAY), "text")
    assert max(width(line) for line in text.splitlines() if "░" in line or "█" in line) <= 80


def test_a_prefix_below_the_minimum_is_told() -> None:
    notes = models("claude-haiku-4-5", prefix_tokens=4095, on=DAY).notes
    assert "4,095 tokens are below the minimum of 4,096: nothing is cached" in notes
    assert not any("below" in note for note in models("claude-haiku-4-5", prefix_tokens=4096, on=DAY).notes)


def test_a_missing_price_is_unknown() -> None:
    text = write(models("gpt-5.5-pro", prefix_tokens=5000, on=DAY), "text")
    assert "unknown" in text
    assert " 0 " not in text
    assert "no price is known on azure for 2026-11-29" in write(models("azure/gpt-6-sol", on=DAY), "text").replace(
        "\n  ", " "
    )


def test_multipliers_are_short() -> None:
    """qwen3.8-flash: 0.016 and 0.2 of 0.15 at markers; deepseek-v4-pro: 0.022 of 0.66."""
    found = models("qwen3.8-flash", on=DAY).models[0].breakeven
    assert [(each.cache, each.write_multiplier, each.read_multiplier) for each in found] == [
        ("prefix", "1", "0.2"),
        ("markers", "1.333", "0.1067"),
    ]
    assert models("deepseek-v4-pro", on=DAY).models[0].breakeven[0].read_multiplier == "0.03333"
    assert models("claude-fable-5-1", on=DAY).models[0].breakeven[0].read_multiplier == "0.025"


def test_days_before_what_is_known() -> None:
    early = date(2026, 1, 1)
    undated = "prices: since when they hold is not known; on 2026-01-01 they may have been others"
    assert undated in models("claude-opus-5", on=early).notes
    assert not any("since when" in note for note in models("claude-opus-5", on=DAY).notes)
    assert models(on=early).notes == (
        "prices: of those without a first day it is not known whether they held on 2026-01-01",
    )
    assert models(on=DAY).notes == ()
    assert "no price is known on deepseek for 2026-01-01; the first one that is known begins 2026-09-10" in (
        models("deepseek-flash", on=early).notes
    )
    assert table(models("claude-opus-5", on=DAY), "Prices")[0][-1] == "seen 2026-11-29"


def test_an_assumed_minimum_is_told() -> None:
    assert table(models("claude-fable-5-2", on=DAY), "Minimum")[0][3] == "assumed"
    text = json.loads(write(models("claude-fable-5-2", on=DAY), "json"))
    assert text["models"]["minimums"][0]["assumed"] is True


@pytest.mark.parametrize("form", ["text", "json", "markdown"])
def test_the_command_line(form: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["models", "claude-opus-5-5", "--prefix-tokens", "9000", "--on", "2026-11-29", "--format", form]) == 0
    assert "claude-opus-5-5" in capsys.readouterr().out
    assert run(["models", "--format", form]) == 0
    assert "minimax-m2.7-highspeed" in capsys.readouterr().out.replace("\\", "").replace("`", "")


def facts_file(folder: Path, text: str) -> str:
    path = folder / "facts.yaml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_facts_of_the_users_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mine = facts_file(tmp_path, "prices: {claude-opus-5: {input: 3.5, read: 0.35, write: {5m: 4.375}, output: 17.5}}\n")
    assert run(["models", "claude-opus-5", "--facts", mine, "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)["models"]["prices"]
    assert (found["input"], found["write"], found["source"]) == ("3.5", {"5m": "4.375"}, [mine])


BAD = [
    (["models", "claude-opus-55"], "unknown model claude-opus-55; nearest: claude-opus-5-5, "),
    (["models", ""], "a model without a name; write promptlint models NAME"),
    (["models", "zzz"], "unknown model zzz; promptlint models lists those that are known"),
    (["models", "moonshotai/kimi-k3"], "unknown model moonshotai/kimi-k3; nearest: kimi-k3"),
    (["models", "\x1b[31m"], "unknown model \\x1b[31m"),
    (["models", "claude-opus-5", "--on", "tomorrow"], "tomorrow: not a day; write it as 2026-11-29"),
    (["models", "claude-opus-5", "--prefix-tokens", "0"], "a prefix of 0 tokens; give a number from 1 to"),
    (["models", "claude-opus-5", "--prefix-tokens", "-1"], "a prefix of -1 tokens"),
    (["models", "claude-opus-5", "--prefix-tokens", "9" * 40], "give a number from 1 to"),
    (["models", "claude-opus-5", "--prefix-tokens", "many"], "argument --prefix-tokens: invalid int value"),
    (["models", "--prefix-tokens", "9000"], "--prefix-tokens without a model; name one"),
    (["models", "claude-opus-5", "--facts", "no-such-file.yaml"], "no-such-file.yaml"),
]


@pytest.mark.parametrize(("arguments", "message"), BAD, ids=lambda value: " ".join(value)[:40])
def test_bad_calls_are_one_line(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert message in err


def test_the_python_interface_refuses_too() -> None:
    with pytest.raises(PromptlintError, match="unknown model"):
        models("no-such-model")
