"""Faults on which comparable tools were measured: each has its place, its cause and its smallest explanation."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

import peer_inputs
from official import reference
from promptlint.commands.diff import diff
from promptlint.commands.lint import lint
from promptlint.commands.lint_settings import LintOptions
from promptlint.finding import Change, Diff
from promptlint.report import write
from promptlint.tokens import open_tokenizer

Ask = Callable[[peer_inputs.Pair], Diff]


@pytest.fixture
def ask(tmp_path: Path) -> Ask:
    def compare(pair: peer_inputs.Pair) -> Diff:
        paths = tmp_path / "before.json", tmp_path / "after.json"
        for path, request in zip(paths, pair, strict=True):
            path.write_bytes(json.dumps(request, ensure_ascii=False).encode())
        return diff(*map(str, paths)).diffs[0]

    return compare


def common(a: Sequence[object], b: Sequence[object]) -> int:
    return next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))


def first(body: Diff) -> Change:
    return next(change for change in body.changes if change.level != "settings")


def system(request: dict[str, Any]) -> str:
    text: str = request["system"][0]["text"] if "system" in request else request["messages"][0]["content"]
    return text


def test_c1_a_date_in_the_system_text(ask: Ask) -> None:
    pair = peer_inputs.date()
    change = first(ask(pair))
    char = common(*map(system, pair))
    assert (change.cause, change.level, change.within) == ("date-rollover", "system", "/system/0/text")
    for place in (change.a, change.b):
        assert (place.pointer, place.atom, place.char, place.byte) == ("/system/0/text", "value", char, char)


def test_c2_the_key_order_of_one_schema(ask: Ask) -> None:
    change = first(ask(peer_inputs.key_order()))
    properties = "/tools/2/function/parameters/properties"
    assert (change.cause, change.level, change.within) == ("key-order", "tools", properties)
    assert (change.a.pointer, change.a.atom, change.a.char) == (f"{properties}/label", "key", 0)
    assert (change.b.pointer, change.b.atom, change.b.char) == (f"{properties}/share", "key", 0)


@pytest.mark.parametrize("form", peer_inputs.forms())
def test_c3_five_forms_of_one_text(ask: Ask, form: str) -> None:
    pair = peer_inputs.forms()[form]
    a, b = map(system, pair)
    body = ask(pair)
    change = first(body)
    char = common(a, b)
    assert change.cause == form.split(" (")[0]
    assert change.within == "/messages/0/content"
    for place, text in ((change.a, a), (change.b, b)):
        assert (place.pointer, place.char) == ("/messages/0/content", char)
        assert place.byte == len(text[:char].encode())
    assert len(body.changes) == 1


def test_c4_a_tool_inserted_in_the_middle(ask: Ask) -> None:
    body = ask(peer_inputs.tool_inserted())
    change = first(body)
    assert (change.cause, change.level) == ("items-changed", "tools")
    assert "weigh_packet" in change.message
    assert change.b.pointer in ("/tools/2", "/tools/2/name")
    assert change.within in ("/tools", "/tools/2")
    assert len(body.changes) == 1


def test_c6_a_clock_ahead_of_a_long_template(tmp_path: Path) -> None:
    bays = "".join(f"{bay}. Keep bay {bay} clear before the van.\n" for bay in range(1, 60))
    path = tmp_path / "c6.j2"
    path.write_text(
        f"You are the night desk.\nShift opened {{{{ now() }}}}.\n\n{bays}\nDriver asks: {{{{ question }}}}\n"
    )
    report = lint([str(path)], LintOptions(cache=False))
    (finding,) = report.findings
    assert (finding.rule, finding.location.line, finding.location.column) == ("clock-in-template", 2, 17)
    assert finding.lost_tokens == open_tokenizer(None).count(f".\n\n{bays}\nDriver asks: ")


def test_c9_two_hundred_thousand_tokens_are_counted_exactly(ask: Ask, tmp_path: Path) -> None:
    pair = peer_inputs.large()
    encoding = reference("o200k_base", tmp_path / "cache")
    texts = [f"system\n{system(request)}\nuser\n{request['messages'][1]['content']}\n" for request in pair]
    a, b = (encoding.encode_ordinary(text) for text in texts)
    body = ask(pair)
    char = common(*map(system, pair))
    assert (body.a.prompt_tokens, body.b.prompt_tokens) == (len(a), len(b))
    assert body.a.prompt_bytes == len(texts[0])
    assert body.boundary.shared_tokens == common(a, b)
    assert body.boundary.shared_bytes == common(*texts)
    assert [(change.a.char, change.b.char) for change in body.changes] == [(char, char)]


def test_invisible_characters_are_visible_in_the_report(tmp_path: Path) -> None:
    pair = peer_inputs.forms()["invisible-character (zero width)"]
    paths = tmp_path / "a.json", tmp_path / "b.json"
    for path, request in zip(paths, pair, strict=True):
        path.write_text(json.dumps(request), "utf-8")
    text = write(diff(*map(str, paths)), "text")
    assert "\u200b" not in text
    assert "200B" in text.upper()
