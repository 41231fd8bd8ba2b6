"""Answers that are none, figures that cannot be right, times that say nothing, and options that are none: one line."""

import gzip
import json
from datetime import date
from decimal import Decimal
from math import ceil
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from confirm_servers import MUCH, VLLM, A, B, Reply, asked, chat, events, plain, serving, without_keys, written
from promptlint import facts
from promptlint.cli import run
from promptlint.commands.confirm.ids import _differ
from promptlint.commands.confirm.live import LiveOptions, confirm_live, noisy
from promptlint.confirm.live import bill
from promptlint.confirm.live.apis import APIS
from promptlint.confirm.live.calls import Event, misfit
from promptlint.confirm_facts import Speed
from promptlint.errors import PromptlintError
from promptlint.facts.own import Overrides

LOCAL = "http://127.0.0.1:1"


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    without_keys(monkeypatch)
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("way", ["gzip, gzip", "gzip", "br", "x\x7f"])
def test_packed_answers_are_not_unpacked(tmp_path: Path, way: str) -> None:
    """A few packed bytes may be gigabytes."""
    packed = gzip.compress(gzip.compress(b"\0" * (64 << 20), 1))
    reply = Reply((packed,), kind="application/json", headers=(("Content-Encoding", way),))
    with serving(reply) as fake, pytest.raises(PromptlintError, match=r"packs its answer \(.*not asked for") as error:
        asked(tmp_path, fake.address, max_usd=MUCH)
    assert str(error.value).isprintable()


def test_what_is_packed_is_not_read_of_an_error(tmp_path: Path) -> None:
    reply = Reply((gzip.compress(b'{"error": "no"}'),), 429, "application/json", (("Content-Encoding", "gzip"),))
    with serving(reply) as fake, pytest.raises(PromptlintError, match=r"\(429\)"):
        asked(tmp_path, fake.address, max_usd=MUCH)


def test_an_answer_that_says_that_it_is_not_packed_is_read(tmp_path: Path) -> None:
    replies = [one._replace(headers=(("Content-Encoding", "identity"),)) for one in (chat(280, 0), chat(290, 275))]
    with serving(*replies) as fake:
        assert asked(tmp_path, fake.address, max_usd=MUCH).verdict == "confirmed"


@pytest.mark.parametrize("value", [[], None, {}, 3, "x", {"ok": True}, {"choices": 3}, {"type": "message_start"}])
def test_json_that_is_no_answer(tmp_path: Path, capsys: pytest.CaptureFixture[str], value: Any) -> None:
    for reply in (plain(value), Reply((events(value),))):
        one, two = written(tmp_path, a=A, b=B)
        with serving(reply) as fake:
            code = run(["confirm", one, two, "--endpoint", fake.address, "--max-usd", "100"])
        printed = capsys.readouterr()
        assert (code, printed.out) == (2, "")
        assert printed.err.count("\n") == 1
        assert "answers otherwise than the API openai does" in printed.err


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("openai", {"choices": []}),
        ("openai", {"type": "response.created"}),
        ("openai", {"object": "response", "output": []}),
        ("anthropic", {"type": "message_start", "message": {}}),
        ("anthropic", {"type": "message", "usage": {}}),
        ("llama-server", {"content": "", "stop": True}),
        ("gemini", {"candidates": []}),
        ("gemini", {"usageMetadata": {}}),
    ],
)
def test_answers_are_told_from_each_other(name: Any, value: Any) -> None:
    assert [other for other, api in APIS.items() if api.is_answer(Event(None, "", value))] == [name]


@pytest.mark.parametrize(
    ("usage", "said"),
    [
        ({"prompt_tokens_details": {"cached_tokens": 291}}, "is 291, of a prompt of 290 tokens"),
        ({"prompt_tokens_details": {"cached_tokens": -5}}, "usage.prompt_tokens_details.cached_tokens is -5"),
        ({"prompt_tokens_details": {"cached_tokens": "275"}}, "cached_tokens is a text"),
        ({"prompt_tokens_details": {"cached_tokens": 3.7}}, "cached_tokens is 3.7"),
        ({"prompt_tokens_details": {"cached_tokens": True}}, "cached_tokens is true"),
        ({"prompt_tokens_details": {"cached_tokens": float("nan")}}, "cached_tokens is NaN"),
        ({"prompt_tokens_details": {"cached_tokens": 10**400}}, "cached_tokens is more than 1,000,000,000"),
        ({"prompt_tokens_details": {"cached_tokens": [275]}}, "cached_tokens is no number"),
        ({"prompt_tokens": -3}, "usage.prompt_tokens is -3"),
        ({"prompt_tokens": 10**400}, "usage.prompt_tokens is more than"),
        ({"prompt_tokens": "many"}, "usage.prompt_tokens is a text"),
    ],
)
@pytest.mark.parametrize("place", [0, 1, 2])
def test_figures_that_cannot_be_right_show_nothing(
    tmp_path: Path, usage: dict[str, Any], said: str, place: int
) -> None:
    """In the answer to the first request, to the second, and to the control."""
    good = [chat(290, 0), chat(290, 272), chat(290, 0)]
    beside = {"prompt_tokens_details": {"cached_tokens": 0}, **usage}
    good[place] = chat(290, None, **beside)
    at = VLLM | {"/tokenize": plain({"tokens": list(range(280))})}
    with serving(*good, at=at) as fake:
        report = asked(tmp_path, fake.address, max_usd=MUCH)
    assert report.verdict == "not_shown"
    assert report.confirm is not None
    gap = report.confirm.seen[0].gap
    assert gap.startswith("the figure cannot be right: usage.")
    assert said in gap


@pytest.mark.parametrize(
    ("name", "value", "wrong"),
    [
        ("anthropic", {"type": "message", "usage": {"input_tokens": 5, "cache_read_input_tokens": -1}}, "is -1"),
        ("gemini", {"usageMetadata": {"promptTokenCount": 10**400}}, "promptTokenCount is more than"),
        ("llama-server", {"timings": {"cache_n": "x", "prompt_n": 4}}, "timings.cache_n is a text"),
        ("openai", {"timings": {"cache_n": -(10**400)}}, "timings.cache_n is less than 0"),
        ("openai", {"usage": {"prompt_tokens": 4.0, "cached_tokens": None}}, ""),
        ("anthropic", {"type": "message", "usage": {"input_tokens": 5, "cache_read_input_tokens": 0}}, ""),
    ],
)
def test_every_interface_tells_wrong_figures(name: Any, value: Any, wrong: str) -> None:
    said = APIS[name].read([Event(None, "", value)]).wrong
    assert wrong in said
    assert bool(wrong) == bool(said)


def test_no_figure_is_no_wrong_figure() -> None:
    assert misfit([("a", None), ("b", 0), ("c", 10**9), ("d", 2.0)]) == ""


@pytest.mark.parametrize(
    "options",
    [
        ["--timeout", "nan"],
        ["--timeout", "inf"],
        ["--timeout", "1e300"],
        ["--timeout", "0"],
        ["--timeout", "-1"],
        ["--endpoint", ""],
        ["--endpoint", " "],
        ["--max-usd", "nan"],
    ],
)
def test_options_that_are_none(tmp_path: Path, capsys: pytest.CaptureFixture[str], options: list[str]) -> None:
    one, two = written(tmp_path, a=A, b=B)
    assert run(["confirm", one, two, "--endpoint", LOCAL, *options]) == 2
    printed = capsys.readouterr().err
    assert printed.count("\n") == 1
    assert "internal" not in printed
    assert "cannot be reached" not in printed


def cassette(path: Path, **changes: Any) -> str:
    answer = {"status": {"code": 200}, "headers": {"content-type": ["application/json"]}, "body": {"string": "{}"}}
    request = {"method": "GET", "uri": f"{LOCAL}/v1/models", "body": ""}
    path.write_text(json.dumps({"interactions": [{"request": request, "response": answer | changes}]}))
    return str(path)


@pytest.mark.parametrize(
    "changes",
    [
        {"headers": {"content-type": [7]}},
        {"headers": {"content-type": 7}},
        {"headers": {"content-type": []}},
        {"headers": [1]},
        {"status": {"code": "200"}},
        {"status": {"code": float("inf")}},
        {"status": {"code": float("nan")}},
        {"status": {"code": -1}},
        {"body": {"string": ["x"]}},
        {"body": None},
        {"parts": [["x", 2]]},
        {"parts": [[float("nan"), 2]]},
        {"parts": [[0.1, 3], [0.2, -1]]},
        {"parts": [[0.1, 1e999]]},
        {"parts": 3},
    ],
)
def test_cassettes_of_wrong_types(tmp_path: Path, changes: dict[str, Any]) -> None:
    one, two = written(tmp_path, a=A, b=B)
    path = cassette(tmp_path / "c.json", **changes)
    with pytest.raises(PromptlintError, match="is no cassette"):
        confirm_live(one, two, LiveOptions(LOCAL, cassette=path))


def test_a_bill_can_be_checked_by_hand(tmp_path: Path) -> None:
    at = bill.tariff("m", None, None, free="", day=date(2026, 11, 30), has_cap=True, exact=False, own=Overrides())
    line = bill.line("a", 1_000_001, 8, at)
    assert at.ceiling is not None
    dollars = at.ceiling
    assert line.rate == (
        f"prompt tokens x 1.2 (a margin: they are estimates) x ${dollars:,f} "
        f"+ output tokens x ${10 * dollars:,f}, for a million"
    )
    assert line.usd == (1_200_002 * dollars + 8 * 10 * dollars) / 1_000_000
    model = {"model": "gpt-5.4"}
    report = asked(tmp_path, "https://api.openai.com", A | model, B | model, dry_run=True)
    *rows, total = report.tables[0].rows
    assert sum(Decimal(str(row[3])) for row in rows) == pytest.approx(Decimal(str(total[3])), abs=Decimal("0.000003"))
    assert {Decimal(str(row[3])) for row in rows} == {
        round((ceil(Decimal(str(row[1])) * Decimal("1.2")) * Decimal("2.5") + 8 * 15) / 1_000_000, 6) for row in rows
    }
    assert any(
        note.startswith("usd of a request: prompt tokens x 1.2 (a margin: they are estimates) x $")
        for note in report.notes
    )


def test_dollars_have_separators() -> None:
    assert [bill.shown_usd(Decimal(each)) for each in ("1234567.5", "1000", "0.00001", "0", "12.34567")] == [
        "1,234,567.5", "1,000", "0.0001", "0", "12.3457",
    ]  # fmt: skip


def timed(cold: float | None, warm: float | None) -> Speed:
    return Speed(1.0, 0.5, cold, warm, None, None, 0.0, 1)


@pytest.mark.parametrize(
    ("cold", "warm", "says"),
    [
        (0.02, 0.03, False),
        (0.02, 0.05, True),
        (0.05, 0.02, True),
        (0.0, 0.0005, False),
        (0.0, 0.1, True),
        (None, 1, False),
    ],
)
def test_a_further_token_takes_as_long_with_reuse(cold: float | None, warm: float | None, says: bool) -> None:
    assert ("the times say nothing" in noisy(timed(cold, warm))) == says


def test_a_busy_machine_is_no_proof_of_speed(tmp_path: Path) -> None:
    at = VLLM | {"/tokenize": plain({"tokens": list(range(273))})}
    slow = chat(290, 0)._replace(pause=0.05)
    with serving(chat(280, 0), chat(290, 272), slow, at=at) as fake:
        report = asked(tmp_path, fake.address)
    assert report.verdict == "confirmed"
    assert report.confirm is not None
    assert "the times say nothing" in report.confirm.noisy
    assert "one time each, cold and warm: no proof of speed" in report.notes


@pytest.mark.parametrize(
    ("model", "said"), [(None, "as it stands, for it names no known model"), ("gpt-4o", "as openai")]
)
def test_nobody_is_called_unknown(model: str | None, said: str) -> None:
    second = SimpleNamespace(prompt_tokens=817, provider="openai" if model else "unknown")
    (note,) = _differ(cast(Any, SimpleNamespace(b=second)), cast(Any, None), cast(Any, SimpleNamespace(ids=[1, 2])))
    assert note.startswith(f"the second request is 817 tokens {said}")
    assert "unknown" not in note


def test_a_figure_of_a_logs_control_that_cannot_be_right_shows_nothing(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    log.write_text("\n".join(json.dumps(one) for one in (A, B)))
    wrong = chat(290, None, prompt_tokens_details={"cached_tokens": -1})
    at = VLLM | {"/tokenize": plain({"tokens": list(range(273))})}
    with serving(wrong, chat(280, 0), chat(290, 272), at=at) as fake:
        report = confirm_live(str(log), None, LiveOptions(fake.address))
    assert report.verdict == "not_shown"


def test_no_known_price_of_an_answer_is_beyond_what_a_bill_assumes() -> None:
    """Where no price of a model is known, the dearest prompt and so many times its price count."""
    rows = [row for rows in facts.table("prices")["models"].values() for row in rows if row.get("input")]
    assert len(rows) > 50
    assert max(row["output"] / row["input"] for row in rows if "output" in row) <= bill._OUTPUT_TIMES
