"""Renderings of one prompt: what pair rules find, which request of a log follows which, what is silent."""

import copy
import json
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from documents import document
from promptlint.commands.lint_files import How
from promptlint.commands.lint_pairs import Pairs, lint_renderings, rendering_files
from promptlint.commands.options import Options
from promptlint.errors import PromptlintError
from promptlint.facts.causes import cause
from promptlint.finding import Finding
from promptlint.lint.rule import Rule, built_in, of_scope
from promptlint.load.several import requests
from promptlint.prompt import Document
from promptlint.read.sources import read
from promptlint.render import render
from promptlint.tokens import open_tokenizer

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures" / "rules"
RULES = of_scope(built_in(), "pair")
BY_ID = {rule.id: rule for rule in RULES}
BAD = [
    pytest.param(rule, path, id=f"{rule.id}-{path.name}")
    for rule in RULES
    for path in (FIXTURES / rule.id).glob("bad*/")
]
GOOD = [
    pytest.param(path, id=f"{rule.id}-{path.name}") for rule in RULES for path in (FIXTURES / rule.id).glob("good*/")
]
Object = dict[str, Any]


@cache
def reading() -> Options:
    return Options(open_tokenizer(None))


def how(*rules: Rule) -> How:
    return How(rules or RULES, reading(), {}, None, datetime(2026, 5, 3))


def in_log(*sent: Object, name: str = "log.jsonl") -> list[Finding]:
    text = "".join(f"{json.dumps(request, ensure_ascii=False)}\n" for request in sent)
    return in_document(document(text)._replace(path=name))


def in_document(held: Document) -> list[Finding]:
    pairs = Pairs(how())
    for request in requests(held):
        assert not isinstance(request, PromptlintError)
        pairs.add(request, render(request))
    return pairs.findings()


def rules(found: list[Finding]) -> list[str]:
    return [finding.rule for finding in found]


SYSTEM = "You keep the catalogue of a town library and answer at the desk.\n" + "\n".join(
    f"Shelf {number} holds the books of the year {1900 + number}." for number in range(20)
)


def chat(*turns: str, system: str = SYSTEM, **more: Any) -> Object:
    """User and assistant take turns."""
    messages = [{"role": ("user", "assistant")[place % 2], "content": text} for place, text in enumerate(turns)]
    return {"model": "local-model", "messages": [{"role": "system", "content": system}, *messages], **more}


def tool(name: str) -> Object:
    return {"type": "function", "function": {"name": name, "parameters": {"type": "object", "properties": {}}}}


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


# --- logs: which request follows which

TALK = [
    "Where are the maps?",
    "In the gallery, on the left side.",
    "And the atlases of the north?",
    "Beside the maps, row 4.",
]
CLEAN: dict[str, list[Object]] = {
    "turns appended": [chat(*TALK[:1]), chat(*TALK[:3]), chat(*TALK, "Thank you!")],
    "sent again": [chat(*TALK[:1])] * 3,
    "two conversations side by side": [
        chat("Who lends music?"),
        chat(*TALK[:1]),
        chat("Who lends music?", "The desk in the annex.", "For how long?"),
        chat(*TALK[:3]),
    ],
    "rows of a batch": [chat(f"Sort this note: {words}") for words in ("a torn map", "a lost card", "a late novel")],
    "rows of a batch with examples": [
        chat("Sort: torn map", "repair", "Sort: lost card", "desk", f"Sort: {words}")
        for words in ("late novel", "wet atlas")
    ],
    "a title for the conversation": [
        chat(*TALK[:1]),
        chat(*TALK[:1], system="Name this talk in four words.", model="local-small"),
        chat(*TALK[:3]),
        chat(*TALK, "Thank you!"),
    ],
    "the title first": [
        chat(*TALK[:1], system="Name this talk in four words.", model="local-small"),
        chat(*TALK[:1]),
        chat(*TALK[:3]),
        chat(*TALK, "Thank you!"),
    ],
    "an answer made anew": [chat(*TALK[:1]), chat(*TALK[:3]), chat(TALK[0], "Upstairs.", "Which room?")],
    "an earlier question asked anew": [chat(*TALK[:1]), chat(*TALK, "Thanks!"), chat(*TALK[:2], "And the globes?")],
    "agents that fork from one conversation": [
        chat(*TALK[:3]),
        chat(*TALK, "Agent one: list the maps."),
        chat(*TALK, "Agent two: list the atlases."),
        chat(*TALK, "Agent one: list the maps.", "Eleven maps.", "Go on."),
        chat(*TALK, "Agent two: list the atlases.", "Two atlases.", "Go on."),
    ],
    "conversations that begin with one word": [
        chat("Hi"),
        chat("Hi", "Hello, what do you look for?", "A map of the coast."),
        chat("Hi"),
        chat("Hi", "Good day!", "Do you lend music?"),
        chat("Hi", "Hello, what do you look for?", "A map of the coast.", "Row 4.", "Thanks!"),
        chat("Hi", "Good day!", "Do you lend music?", "Yes.", "For how long?"),
    ],
    "two agents with the same tools": [
        chat("Go.", system=f"You mend books.\n{words}", tools=[tool("find"), tool("list")])
        for words in ("Use glue and thread. " * 9, "Answer letters of readers kindly. " * 9)
    ],
    "a key for each conversation": [
        chat(words, prompt_cache_key=words, model="gpt-5.1", system=SYSTEM * 5) for words in ("one", "two")
    ],
    "history summed up once": [
        chat(*TALK * 3, "Thanks!"),
        chat(*TALK * 3, "Thanks!", "Welcome.", "One more?"),
        chat("So far: the reader looked for maps and atlases.", "Welcome.", "One more?", "Yes.", "Music?"),
    ],
}  # fmt: skip


@pytest.mark.parametrize("sent", CLEAN.values(), ids=CLEAN)
def test_a_log_without_fault_is_silent(sent: list[Object]) -> None:
    assert [finding for finding in in_log(*sent) if finding.severity != "info"] == []


def clocked(*turns: str, minute: int) -> Object:
    return chat(*turns, system=f"It is 09:{minute:02}.\n{SYSTEM}")


FAULTS: dict[str, tuple[list[Object], list[str]]] = {
    "a clock in every turn": (
        [clocked(*TALK[:1], minute=1), clocked(*TALK[:3], minute=2), clocked(*TALK, "Thanks!", minute=3)],
        ["clock"],
    ),
    "a clock in the rows of a batch": (
        [clocked(f"Sort this note: {number}", minute=number) for number in range(4)],
        ["clock"],
    ),
    "a clock, and other examples in front of another question": (
        [clocked("Sort: torn map", "repair", f"Sort: {words}", minute=len(words)) for words in ("late novel", "card")],
        ["clock"],
    ),
    "an old answer rewritten": (
        [chat(*TALK[:1]), chat(*TALK[:3]), chat(TALK[0], "In the gallery to the left.", *TALK[2:], "Thanks!")],
        ["history-rewritten"],
    ),
    "a reminder that is gone one turn later": (
        [chat(f"<reminder>Be brief.</reminder>\n{TALK[0]}"), chat(*TALK[:3])],
        ["history-rewrapped"],
    ),
    "a window that slides": (
        [
            chat(*TALK, "Any globes?", "One.", "Thanks!"),
            chat(*TALK[2:], "Any globes?", "One.", "Thanks!", "Welcome.", "Bye!"),
        ],
        ["history-trimmed"],
    ),
    "two conversations, one of them with a fault": (
        [
            chat("Who lends music?"),
            chat(*TALK[:3]),
            chat("Who lends music?", "The desk in the annex.", "For how long?"),
            chat(TALK[0], "In the gallery to the left.", *TALK[2:], "Thanks!"),
        ],
        ["history-rewritten"],
    ),
    "another model": ([chat(*TALK[:1]), chat(*TALK[:3], model="other-model")], ["model-changed"]),
    "tools in another order": (
        [
            chat(*TALK[:1], tools=[tool("find"), tool("list")]),
            chat(*TALK[:3], tools=[tool("list"), tool("find")]),
        ],
        ["list-order"],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("sent", "wanted"), FAULTS.values(), ids=FAULTS)
def test_a_fault_in_a_log_is_found(sent: list[Object], wanted: list[str]) -> None:
    assert rules(in_log(*sent)) == wanted


def test_the_same_fault_in_many_records_is_one_finding_with_a_count() -> None:
    turns = [f"{('Question', 'Answer')[number % 2]} {number} of this talk" for number in range(41)]
    (found,) = in_log(*(clocked(*turns[: 2 * number + 1], minute=number) for number in range(20)))
    assert found.message.endswith("(in 19 of 19 pairs)")
    assert (found.location.line, found.related[0].line) == (20, 19)  # the pair that loses the most


def test_two_faults_of_one_pair_stay_two() -> None:
    new = [TALK[0], "In the gallery to the left.", TALK[2], "Next to them in row 5.", "Thanks!", "Welcome.", "Bye!"]
    found = in_log(chat(*TALK, "Thanks!"), chat(*new))
    assert [(finding.rule, finding.pointer) for finding in found] == [
        ("history-rewritten", "/messages/2/content"),
        ("history-rewritten", "/messages/4/content"),
    ]


def summed_up(topic: str) -> list[Object]:
    """A conversation of which the second request holds a summary."""
    turns = [f"{('Question', 'Answer')[number % 2]} {number} on {topic}, as long as it is" for number in range(9)]
    return [chat(*turns), chat(f"So far: {topic}.", *turns[7:], "Welcome.", f"More on {topic}?")]


def test_history_that_is_summed_up_again_and_again_is_a_fault() -> None:
    often = [request for topic in ("maps", "music", "globes") for request in summed_up(topic)]
    found = in_log(*often)
    assert [(finding.rule, finding.severity) for finding in found] == [("history-compacted", "error")]
    assert "(in 3 of 5 pairs)" in found[0].message
    seldom = [*often, *(chat(f"Question number {number}") for number in range(20))]
    assert [finding.severity for finding in in_log(*seldom)] == ["info"]


def test_requests_in_recorded_traffic_have_their_places_there(tmp_path: Path) -> None:
    entries = []
    for number in range(3):
        body = json.dumps(clocked("Is it open?", minute=number))
        request: Object = {"method": "POST", "url": "https://example.org/v1/chat/completions", "headers": []}
        request["postData"] = {"mimeType": "application/json", "text": body}
        entries.append({"request": request, "response": {"status": 200, "headers": [], "content": {"text": ""}}})
    path = tmp_path / "seen.har"
    path.write_text(
        json.dumps({"log": {"version": "1.2", "creator": {}, "entries": entries}}, indent=1), encoding="utf-8"
    )
    (found,) = in_document(read(str(path)))
    assert found.rule == "clock"
    assert found.message.endswith("(in 2 of 2 pairs)")
    data = path.read_bytes()
    assert data[found.location.start - 4 : found.location.end] == b"09:01"


def test_long_logs_are_compared_in_a_window(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("promptlint.commands.lint_follow._KEPT", 1)
    turns = [f"{('Question', 'Answer')[number % 2]} {number} of this talk" for number in range(41)]
    held = document("".join(f"{json.dumps(clocked(*turns[: 2 * n + 1], minute=n))}\n" for n in range(20)))
    pairs = Pairs(how())
    for request in requests(held._replace(path="log.jsonl")):
        assert not isinstance(request, PromptlintError)
        pairs.add(request, render(request))
        assert len(pairs._sent) <= 5
    assert pairs.findings()[0].message.endswith("(in 19 of 19 pairs)")


def test_a_request_is_not_changed_by_being_compared() -> None:
    sent = [chat(*TALK[:1]), chat(*TALK[:3])]
    before = copy.deepcopy(sent)
    in_log(*sent)
    assert sent == before
