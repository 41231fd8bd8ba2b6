"""Renderings of one prompt in a folder: what pair rules find, where, and what is silent."""

import json
from pathlib import Path

import pytest

from documents import document
from lint_logs import RULES, SYSTEM, chat, how, rules
from promptlint.commands.lint_pairs import Pairs, lint_renderings, rendering_files
from promptlint.errors import PromptlintError
from promptlint.facts.causes import cause
from promptlint.lint.rule import Rule
from promptlint.load.several import requests
from promptlint.render import render

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures" / "rules"
BY_ID = {rule.id: rule for rule in RULES}
BAD = [
    pytest.param(rule, path, id=f"{rule.id}-{path.name}")
    for rule in RULES
    for path in (FIXTURES / rule.id).glob("bad*/")
]
GOOD = [
    pytest.param(path, id=f"{rule.id}-{path.name}") for rule in RULES for path in (FIXTURES / rule.id).glob("good*/")
]


# --- rules and their fixtures


def test_there_are_rules_and_fixtures_to_look_at() -> None:
    assert len(RULES) > 30
    assert {rule.id for rule in RULES} == {
        path.parent.name for rule in RULES for path in (FIXTURES / rule.id).glob("bad*/")
    }
    assert len(GOOD) >= len(RULES)


def test_a_rule_is_called_as_its_cause() -> None:
    for rule in RULES:
        assert (rule.cause, rule.changes, rule.folder) == (rule.id, (rule.id,), None)
        assert not cause(rule.cause).benign
        assert len(rule.summary) <= 72
        assert rule.message.format() == rule.message
        assert rule.references


@pytest.mark.parametrize(("rule", "path"), BAD)
def test_a_bad_pair_is_found_by_its_rule(rule: Rule, path: Path) -> None:
    found = lint_renderings(str(path), how(rule))
    assert set(rules(list(found.findings))) == {rule.id}
    assert not found.notes


@pytest.mark.parametrize("path", GOOD)
def test_a_good_pair_is_silent(path: Path) -> None:
    assert lint_renderings(str(path), how()).findings == ()


# --- the place and the figures of a finding


def test_a_finding_stands_in_the_later_file_and_points_to_the_earlier_one(tmp_path: Path) -> None:
    for name, minute in (("1.json", 14), ("2.json", 15)):
        request = chat("Is it open?", system=f"It is 09:{minute}.\n{SYSTEM}")
        (tmp_path / name).write_text(json.dumps(request, indent=1), encoding="utf-8")
    (found,) = lint_renderings(str(tmp_path), how()).findings
    assert found.rule == found.cause == "clock"
    assert (found.severity, found.confidence) == ("error", "certain")
    assert [place.path.rsplit("/")[-1] for place in (found.location, *found.related)] == ["2.json", "1.json"]
    data = (tmp_path / "2.json").read_bytes()
    assert data[found.location.start : found.location.end] == b"5"
    assert found.pointer == "/messages/0/content"
    assert found.excerpt == "It is 09:15."
    assert found.excerpt[slice(*found.mark)] == "5"
    assert found.lost_tokens is not None
    assert found.lost_tokens > 250


def test_money_that_is_lost_is_told(tmp_path: Path) -> None:
    for name, minute in (("1.json", 14), ("2.json", 15)):
        text = {"type": "text", "text": f"It is 09:{minute}.\n{SYSTEM * 8}", "cache_control": {"type": "ephemeral"}}
        request = {
            "model": "claude-sonnet-4-5",
            "max_tokens": 9,
            "system": [text],
            "messages": chat("Hi")["messages"][1:],
        }
        (tmp_path / name).write_text(json.dumps(request), encoding="utf-8")
    (found,) = lint_renderings(str(tmp_path), how()).findings
    assert found.lost_usd is not None
    assert float(found.lost_usd) > 0


def test_a_rule_that_is_not_chosen_says_nothing() -> None:
    clock = chat("Is it open?", system=f"It is 09:14.\n{SYSTEM}"), chat("Is it open?", system=f"It is 09:15.\n{SYSTEM}")
    pairs = Pairs(how(BY_ID["counter"]))
    for request in requests(document("".join(f"{json.dumps(one)}\n" for one in clock))._replace(path="x.jsonl")):
        assert not isinstance(request, PromptlintError)
        pairs.add(request, render(request))
    assert pairs.findings() == []


# --- folders


def test_files_are_compared_in_the_order_of_their_names(tmp_path: Path) -> None:
    for name, count in (("c", 3), ("a", 1), ("b", 2), (".hidden", 9)):
        (tmp_path / f"{name}.txt").write_text(f"Turn {count} of 20\n{SYSTEM}", encoding="utf-8")
    found = lint_renderings(str(tmp_path), how())
    assert [path.rsplit("/")[-1] for path in rendering_files(str(tmp_path))] == ["a.txt", "b.txt", "c.txt"]
    assert found.what == "3 renderings"
    (one,) = found.findings
    assert one.rule == "counter"
    assert one.message == "a count moved: 1 became 2 (in 2 of 2 pairs)"


def test_formats_that_differ_are_noted(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps(chat("Is it open?")), encoding="utf-8")
    (tmp_path / "b.txt").write_text(SYSTEM, encoding="utf-8")
    found = lint_renderings(str(tmp_path), how())
    assert found.findings == ()
    assert "of two formats, openai-chat and text" in found.notes[0]
    assert "no two renderings to compare" in found.notes[1]


def test_a_file_that_cannot_be_read_is_noted_and_the_others_are_compared(tmp_path: Path) -> None:
    for name, count in (("a", 1), ("c", 2)):
        (tmp_path / f"{name}.txt").write_text(f"Turn {count} of 20\n{SYSTEM}", encoding="utf-8")
    (tmp_path / "b.txt").write_bytes(b"\x00\x01\xff\xfe\x00")
    found = lint_renderings(str(tmp_path), how())
    assert rules(list(found.findings)) == ["counter"]
    assert found.notes[0].startswith("left out: ")


@pytest.mark.parametrize("name", ["nowhere", "file.txt"])
def test_what_is_no_folder_is_one_clear_line(name: str, tmp_path: Path) -> None:
    (tmp_path / "file.txt").write_text("x", encoding="utf-8")
    with pytest.raises(PromptlintError, match="takes a folder"):
        lint_renderings(str(tmp_path / name), how())


def test_the_newest_question_is_no_finding_beside_others(tmp_path: Path) -> None:
    for name, minute, question in (("a.json", 14, "Where are the maps?"), ("b.json", 15, "Who lends music here?")):
        request = chat("Good day!", "Good day!", question, system=f"It is 09:{minute}.\n{SYSTEM}")
        (tmp_path / name).write_text(json.dumps(request), encoding="utf-8")
    assert rules(list(lint_renderings(str(tmp_path), how()).findings)) == ["clock"]


def test_progress_is_told(tmp_path: Path) -> None:
    for name in "abc":
        (tmp_path / name).write_text("Hello.", encoding="utf-8")
    seen: list[tuple[int, int]] = []
    lint_renderings(str(tmp_path), how(), progress=lambda done, of: seen.append((done, of)))
    assert seen == [(0, 3), (1, 3), (2, 3), (3, 3)]
