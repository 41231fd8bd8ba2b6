"""What lost tokens cost, and what is said about the price."""

import json
from collections.abc import Callable, Mapping
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from promptlint.commands.diff import diff
from promptlint.commands.loss import billing_settings, in_batch, loss
from promptlint.facts.models import Model, model_of
from promptlint.load import load
from promptlint.read.sources import read

DAY = date(2026, 11, 29)


def model(name: str) -> Model:
    found = model_of(name)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("name", "more", "usd", "note"),
    [
        ("claude-opus-5", {"ttl": "5m"}, "0.0575", "prices of claude-opus-5, checked 2026-11-29"),
        ("claude-opus-5", {}, "0.045", "prices of claude-opus-5, checked 2026-11-29"),
        (
            "us.anthropic.claude-opus-5",
            {"ttl": "5m"},
            "0.06325",
            "prices of claude-opus-5 on bedrock, regional, checked 2026-11-29",
        ),
        ("claude-opus-5", {"settings": {"speed": "fast"}}, "0.09", "prices of claude-opus-5, fast, checked 2026-11-29"),
        ("gpt-5.6", {"ttl": "30m"}, "0.046", "prices of gpt-5.6-sol, since 2026-08-21"),
        ("gpt-5.4", {"ttl": ""}, "0.0225", "prices of gpt-5.4, checked 2026-11-29"),
        (
            "deepseek-flash",
            {"ttl": ""},
            "0.00147",
            "prices of deepseek-flash, since 2026-09-10, outside peak hours (2 times as much within)",
        ),
        (
            "deepseek-flash",
            {"ttl": "", "on": datetime.fromisoformat("2026-11-27T02:00+00:00")},
            "0.00294",
            "prices of deepseek-flash, since 2026-09-10",
        ),
        ("qwen3.7-max", {"kind": "markers", "ttl": "5m"}, "0.02875", "prices of qwen3.7-max, checked 2026-11-29"),
        ("gpt-5.5-pro", {}, None, "no price of reads and writes is known for gpt-5.5-pro on 2026-11-29"),
        ("azure/gpt-4.1", {}, None, "no price of reads and writes is known for gpt-4.1 on azure on 2026-11-29"),
        (
            "claude-opus-5",
            {"ttl": "5m", "batch": True},
            "0.02875",
            "prices of claude-opus-5, batch, checked 2026-11-29",
        ),
        ("gpt-5.4", {"ttl": "", "batch": True}, "0.01125", "prices of gpt-5.4, batch, checked 2026-11-29"),
        (
            "gpt-4o",
            {"ttl": "", "batch": True},
            None,
            "no price of reads and writes is known for gpt-4o in a batch on 2026-11-29",
        ),
        ("kimi-k3", {"ttl": "5m", "batch": True}, None, "no price is known for kimi-k3 in a batch"),
        (
            "gpt-5.4",
            {"ttl": "", "batch": True, "settings": {"service_tier": "flex"}},
            None,
            "no price is known for gpt-5.4 in a batch with service_tier flex",
        ),
        (
            "gpt-4.1",
            {"settings": {"service_tier": "flex"}},
            None,
            "no price is known for gpt-4.1 with service_tier flex",
        ),
    ],
)
def test_loss(name: str, more: dict[str, Any], usd: str | None, note: str) -> None:
    found = loss(model(name), 10_000, 20_000, **{"on": DAY, **more})
    assert found.usd == (None if usd is None else Decimal(usd))
    assert found.note == note


def test_the_settings_that_change_a_price(tmp_path: Path) -> None:
    body = {
        "model": "gpt-5.5",
        "service_tier": "flex",
        "temperature": 1,
        "metadata": {"speed": "fast"},
        "messages": [{"role": "user", "content": "Hello."}],
    }
    (tmp_path / "r.json").write_text(json.dumps(body), encoding="utf-8")
    (tmp_path / "w.json").write_text(json.dumps({"headers": {}, "body": body}), encoding="utf-8")
    for name in ("r.json", "w.json"):
        assert billing_settings(load(read(str(tmp_path / name)))) == {"service_tier": "flex"}


@pytest.mark.parametrize(
    ("name", "prompt_tokens", "exact", "tier"),
    [
        ("claude-haiku-5-5", 55_000, False, ""),
        ("claude-haiku-5-5", 60_000, False, "; the real count may fall in the dearer tier above 100,000"),
        ("claude-haiku-5-5", 60_000, True, ""),
        ("claude-haiku-5-5", 100_000, False, "; the real count may fall in the dearer tier above 100,000"),
        ("claude-haiku-5-5", 100_001, False, ""),  # its own count is larger
        ("gpt-5.4", 226_000, False, ""),
        ("gpt-5.4", 230_000, False, "; the real count may fall in the dearer tier above 272,000"),
        (
            "gpt-5.4",
            300_000,
            False,
            "; the real count may fall below the dearer tier above 272,000, which is taken here",
        ),
        ("gpt-5.4", 345_000, False, ""),
    ],
)
def test_a_count_that_is_about_near_a_tier(name: str, prompt_tokens: int, exact: bool, tier: str) -> None:
    found = loss(model(name), 10_000, prompt_tokens, on=DAY, exact=exact)
    assert found.note == f"prices of {name}, checked 2026-11-29{tier}"


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        ({"custom_id": "a", "method": "POST", "url": "/v1/chat/completions", "body": "R"}, True),
        ({"custom_id": "a", "params": "R"}, True),
        ({"requests": [{"custom_id": "a", "params": "R"}]}, True),
        ({"url": "/v1/chat/completions", "body": "R"}, False),
        ("R", False),
    ],
)
def test_what_a_row_of_a_batch_is(document: Any, expected: bool, tmp_path: Path) -> None:
    content = "A custom_id in the text makes no batch."
    request = {"model": "gpt-5.4", "max_tokens": 5, "messages": [{"role": "user", "content": content}]}
    text = json.dumps(document).replace('"R"', json.dumps(request))
    (tmp_path / "r.json").write_text(text, encoding="utf-8")
    assert in_batch(load(read(str(tmp_path / "r.json")))) is expected


LONG = "word " * 6000


def priced_pair(folder: Path, make: Callable[[str], dict[str, Any]]) -> tuple[int | None, str | None, str]:
    """Lost tokens, what they cost and the note, where a stable text gets another first word."""
    for name, first in (("a.json", "one "), ("b.json", "two ")):
        (folder / name).write_text(json.dumps(make(first + LONG)), encoding="utf-8")
    limits = diff(str(folder / "a.json"), str(folder / "b.json")).diffs[0].boundary
    return limits.lost_tokens, limits.lost_usd, limits.price


def responses(options: dict[str, Any] | None, breakpoint: dict[str, Any] | None) -> Callable[[str], dict[str, Any]]:
    mark = {} if breakpoint is None else {"prompt_cache_breakpoint": {"mode": "explicit", **breakpoint}}
    more = {} if options is None else {"prompt_cache_options": options}
    return lambda text: {
        "model": "gpt-6.1-sol",
        "input": [{"role": "user", "content": [{"type": "input_text", "text": text, **mark}]}],
        **more,
    }


@pytest.mark.parametrize(
    ("options", "breakpoint", "write"),
    [
        (None, None, "2.5"),
        ({"ttl": "30m"}, None, "2.5"),
        ({"ttl": "12h"}, None, "5"),
        ({"ttl": "12h"}, {}, "5"),
        ({"mode": "explicit"}, {"ttl": "12h"}, "5"),
        ({"mode": "explicit", "ttl": "12h"}, {"ttl": "30m"}, "2.5"),
    ],
)
def test_a_write_costs_what_its_lifetime_costs(
    options: dict[str, Any] | None, breakpoint: dict[str, Any] | None, write: str, tmp_path: Path
) -> None:
    tokens, usd, _ = priced_pair(tmp_path, responses(options, breakpoint))
    assert tokens
    assert usd is not None
    assert Decimal(usd) == tokens * (Decimal(write) - Decimal("0.1")) / 1_000_000


def chat(model: str, more: Mapping[str, Any] = MappingProxyType({})) -> Callable[[str], dict[str, Any]]:
    return lambda text: {"model": model, "messages": [{"role": "user", "content": text}], **more}


@pytest.mark.parametrize(
    ("more", "write"),
    [({}, 3), ({"prompt_cache_options": {"ttl": "5m"}}, 3), ({"prompt_cache_options": {"ttl": "1h"}}, 6)],
)
def test_kimi_bills_writes_by_their_lifetime(more: dict[str, Any], write: int, tmp_path: Path) -> None:
    tokens, usd, _ = priced_pair(tmp_path, chat("kimi-k3", more))
    assert tokens
    assert usd is not None
    assert Decimal(usd) == tokens * (write - Decimal("0.3")) / 1_000_000


def test_a_batch_costs_half(tmp_path: Path) -> None:
    plain = priced_pair(tmp_path, chat("gpt-5.4"))
    row = priced_pair(tmp_path, lambda text: {"custom_id": "a", "body": chat("gpt-5.4")(text)})
    assert row[0] == plain[0]
    assert Decimal(row[1] or 0) * 2 == Decimal(plain[1] or 1)
    assert row[2].startswith("prices of gpt-5.4, batch,")


def test_that_no_price_is_known_is_said(tmp_path: Path) -> None:
    tokens, usd, price = priced_pair(tmp_path, chat("nosuch"))
    assert tokens
    assert (usd, price) == (None, "no price is known for nosuch")
    without = priced_pair(tmp_path, lambda text: {"messages": [{"role": "user", "content": text}]})
    assert without[1:] == (None, "no price: no model is named")


def test_markers_with_several_lifetimes_are_told(tmp_path: Path) -> None:
    def make(text: str) -> dict[str, Any]:
        marks = [{"cache_control": {"type": "ephemeral", "ttl": ttl}} for ttl in ("1h", "5m")]
        blocks = [{"type": "text", "text": each, **mark} for each, mark in zip((text, "Then."), marks, strict=True)]
        return {"model": "claude-opus-5", "max_tokens": 5, "messages": [{"role": "user", "content": blocks}]}

    assert priced_pair(tmp_path, make)[2].endswith(", all as written for 5m")


def test_each_finding_costs_its_share(tmp_path: Path) -> None:
    for name, words in (("a.json", ("one", "two")), ("b.json", ("uno", "due"))):
        messages = [{"role": "user", "content": f"{word} {LONG}"} for word in words]
        (tmp_path / name).write_text(json.dumps({"model": "gpt-4o", "messages": messages}), encoding="utf-8")
    report = diff(str(tmp_path / "a.json"), str(tmp_path / "b.json"))
    first, second = report.findings
    assert (first.lost_tokens, first.lost_usd) == report.diffs[0].boundary[3:5]
    assert second.lost_tokens
    assert Decimal(second.lost_usd or 0) == second.lost_tokens * Decimal("1.25") / 1_000_000  # 2.5 less a read of 1.25


def test_a_finding_without_a_price_costs_nothing_that_is_known(tmp_path: Path) -> None:
    for name, first in (("a.json", "one "), ("b.json", "two ")):
        (tmp_path / name).write_text(json.dumps(chat("nosuch")(first + LONG)), encoding="utf-8")
    (found,) = diff(str(tmp_path / "a.json"), str(tmp_path / "b.json")).findings
    assert found.lost_tokens
    assert found.lost_usd is None
