"""Worked examples: one prompt, two places for what varies; documents in front and behind; their cost."""

import json
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from documents import rendered
from promptlint.cache.markers import entries, positions
from promptlint.cache.positions import in_tokens
from promptlint.commands.diff import diff
from promptlint.facts.models import model_of
from promptlint.facts.prices import prices_of
from promptlint.facts.providers import provider
from promptlint.finding import Diff
from promptlint.money.cost import cost, split_by_ttl
from promptlint.tokens import open_tokenizer

MARK = {"cache_control": {"type": "ephemeral"}}
DAYS = ("Today is 3 May 2026. ", "Today is 4 May 2026. ")
LINE = "The harbour master reads the gauge and writes it down. "  # 11 tokens
MODELS = ("claude-opus-5", "gpt-4.1", "gpt-6-sol")


def request(model: str, system: str, question: str) -> dict[str, Any]:
    """With a marker, or a breakpoint, at the end of the system text."""
    if model.startswith("claude"):
        block = {"type": "text", "text": system, **MARK}
        return {"model": model, "max_tokens": 9, "system": [block], "messages": [{"role": "user", "content": question}]}
    block = {"type": "text", "text": system, "prompt_cache_breakpoint": {"mode": "explicit"}}
    options = {} if model == "gpt-4.1" else {"prompt_cache_options": {"mode": "explicit"}}
    messages = [{"role": "system", "content": [block]}, {"role": "user", "content": question}]
    return {"model": model, "messages": messages, **options}


def compare(folder: Path, old: dict[str, Any], new: dict[str, Any]) -> Diff:
    for name, value in (("a.json", old), ("b.json", new)):
        (folder / name).write_text(json.dumps(value), "utf-8")
    (found,) = diff(str(folder / "a.json"), str(folder / "b.json")).diffs
    return found


def stable() -> str:
    """About 9,000 tokens that never change."""
    text = LINE * 818
    assert 8_950 < open_tokenizer(None).count(text) < 9_050
    return text


@pytest.mark.parametrize("model", MODELS)
def test_a_date_in_front_of_a_stable_prompt_loses_all_of_it(tmp_path: Path, model: str) -> None:
    found = compare(tmp_path, *(request(model, day + stable(), "Now?") for day in DAYS))
    assert (found.verdict, found.changes[0].cause, found.boundary.usable_tokens) == ("bust", "date-rollover", 0)
    assert (found.boundary.lost_tokens or 0) > 8_900


@pytest.mark.parametrize("model", MODELS)
def test_a_date_behind_it_loses_nothing(tmp_path: Path, model: str) -> None:
    found = compare(tmp_path, *(request(model, stable(), day + "Now?") for day in DAYS))
    assert (found.verdict, found.boundary.lost_tokens) == ("kept", 0)
    assert (found.boundary.usable_tokens or 0) > 8_900
    assert [change.severity for change in found.changes] == ["info"]


QUESTIONS = ("Which buoy drifted?", "Who keeps the tide table?")
DOCUMENTS = tuple(f"Document {name}. {LINE * 180}" for name in ("seven", "twelve"))  # about 2,000 tokens each


def asked(number: int, *, hoisted: bool) -> dict[str, Any]:
    """A question with its retrieved document: in front of the instructions, or behind the last marker."""
    instructions = {"type": "text", "text": LINE * 360, **MARK}  # about 4,000 tokens
    found, question = ({"type": "text", "text": texts[number]} for texts in (DOCUMENTS, QUESTIONS))
    system, content = ([found, instructions], [question]) if hoisted else ([instructions], [found, question])
    return {
        "model": "claude-sonnet-5-5",
        "max_tokens": 9,
        "system": system,
        "messages": [{"role": "user", "content": content}],
    }


def test_documents_in_front_of_the_instructions_lose_them(tmp_path: Path) -> None:
    hoisted = compare(tmp_path, *(asked(number, hoisted=True) for number in (0, 1)))
    assert (hoisted.verdict, hoisted.boundary.usable_tokens) == ("bust", 0)
    suffix = compare(tmp_path, *(asked(number, hoisted=False) for number in (0, 1)))
    assert (suffix.verdict, suffix.boundary.lost_tokens) == ("kept", 0)


def test_what_documents_in_front_cost_against_documents_behind(tmp_path: Path) -> None:
    """The second request: everything is written again for 1.25 times the price, or two thirds are read for 0.05."""
    usd = {hoisted: second_request(tmp_path, hoisted=hoisted) for hoisted in (True, False)}
    ratio = usd[True] / usd[False]
    print(f"documents in front cost {ratio:.2f} times as much as documents behind")
    # 6,000 x 1.25 against 4,000 x 0.05 + 2,000
    assert Decimal("3.3") < ratio < Decimal("3.5")


def second_request(folder: Path, *, hoisted: bool) -> Decimal:
    found = compare(folder, *(asked(number, hoisted=hoisted) for number in (0, 1)))
    prompt, row, tokenizer = rendered(asked(1, hoisted=hoisted)), provider("anthropic"), open_tokenizer(None)
    blocks = in_tokens(positions(prompt, row), lambda chars: tokenizer.count(prompt.text[:chars]))
    written = [(entry.end, entry.lifetime) for entry in entries(blocks, row)]
    model = model_of("claude-sonnet-5-5")
    assert model is not None
    prices = prices_of(model, date(2026, 11, 29))
    assert prices is not None
    bill = cost(split_by_ttl(found.b.prompt_tokens or 0, found.boundary.usable_tokens or 0, written), prices)
    assert bill.input is not None
    return bill.input
