"""Requests of a log: which follows which, what is found in them, what is silent."""

import copy
import json
from pathlib import Path

import pytest

from documents import document
from lint_logs import SYSTEM, Object, chat, how, in_document, in_log, rules, tool
from promptlint.commands.lint_pairs import Pairs
from promptlint.errors import PromptlintError
from promptlint.load.several import requests
from promptlint.read.sources import read
from promptlint.render import render

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
