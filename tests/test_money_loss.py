"""What lost tokens cost, and what is said about the price."""

import json
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from promptlint.commands.loss import billing_settings, loss
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
