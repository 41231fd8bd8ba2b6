"""What is no prompt, or none that was sent, is left alone; many requests in one document take time in proportion."""

import json
from pathlib import Path
from typing import Any

import pytest

from promptlint.commands.lint import lint
from promptlint.commands.lint_settings import LintOptions
from promptlint.finding import Report
from promptlint.lint.volatile.identifiers import identifiers
from promptlint.lint.volatile.moments import clocks
from promptlint.load import envelope, recognise
from promptlint.load.several import requests
from promptlint.read.sources import read

STAYS = "Quote the number of the order in each answer, and never promise a refund.\n" * 12
CLOCK = "It is {{ now() }}.\n" + STAYS
ALONE = LintOptions(cache=False, render=False)


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def linted(report: Report) -> list[str]:
    assert report.lint is not None
    return [file.path for file in report.lint.files]


@pytest.mark.parametrize(
    "name", ["page.html.j2", "site.yaml.jinja", "nginx.conf.j2", "Dockerfile.j2", "README.md.jinja"]
)
def test_a_template_of_something_else_is_not_met_in_a_folder(here: Path, name: str) -> None:
    (here / name).write_text(CLOCK)
    report = lint(["."], ALONE)
    assert (linted(report), report.verdict) == ([], "pass")
    assert report.lint is not None
    assert [path for path, _ in report.lint.skipped] == [name]
    assert linted(lint([name], ALONE)) == [name]  # who names it means it
    assert linted(lint([name], ALONE._replace(as_walked=True))) == []


@pytest.mark.parametrize("head", ["<!DOCTYPE html>\n", "#!/bin/sh\n", "# {{ ansible_managed }}\n", "apiVersion: v1\n"])
def test_nor_one_that_begins_so(here: Path, head: str) -> None:
    (here / "a.j2").write_text(head + CLOCK)
    assert linted(lint(["."], ALONE)) == []


@pytest.mark.parametrize("name", ["prompt.md.j2", "system.txt.jinja", "tools.xml.j2", "request.json.j2", "a.j2"])
def test_a_prompt_of_any_make_is_met(here: Path, name: str) -> None:
    (here / name).write_text(CLOCK)
    report = lint(["."], ALONE)
    assert (linted(report), [one.rule for one in report.findings]) == ([name], ["clock-in-template"])


def turns(number: int, *, answered: bool) -> dict[str, Any]:
    asked = {"role": "user", "content": f"Question {number}: where is my order? " * 3}
    said = [{"role": "assistant", "content": f"Answer {number}."}]
    system = {"role": "system", "content": f"Today is 2026-05-{number:02}.\n{STAYS}"}
    return {"messages": [system, asked, *(said if answered else [])]}


def test_examples_for_training_are_not_compared(here: Path) -> None:
    for answered in (True, False):
        (here / "a.jsonl").write_text("".join(f"{json.dumps(turns(n, answered=answered))}\n" for n in range(1, 6)))
        rules = {one.rule for one in lint(["a.jsonl"], ALONE).findings}
        assert ("date-rollover" in rules) == (not answered)


LOOP = "{% for m in messages %}{{ m.role }}: {{ m.content }}\n{% endfor %}"


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        (f"Give a title for this chat.\n{LOOP}Title:", []),
        (f"{{{{ bos_token }}}}{LOOP}assistant says", ["chat-template-rewrites-history"]),
    ],
)
def test_a_prompt_that_prints_messages_is_no_chat_template(here: Path, text: str, rules: list[str]) -> None:
    (here / "a.j2").write_text(text)
    report = lint(["a.j2"], LintOptions(cache=False))
    assert [one.rule for one in report.findings if one.severity != "info"] == rules


@pytest.mark.parametrize(
    "text",
    [
        "Explain stack traces. Example:\nTraceback (most recent)\nRequest id: 4bf92f3577b34da6a3ce929d0e0e4736",
        "Parse such headers:\nX-Request-Id: 9f86d081-884c-4d63-a1f1-2b8a0b3c4d5e\nDate: Tue, 12 Mar 2024 09:15:22 GMT",
        "A boarding pass reads:\nFlight LH 123\nCurrent time: 09:14:02",
    ],
)
def test_what_an_example_shows_is_not_the_present(text: str) -> None:
    assert [*clocks(text), *identifiers(text)] == []
    _, shown = text.split(":\n", 1)
    assert [*clocks(shown), *identifiers(shown)] != []


def test_each_request_of_an_array_is_searched_for_once(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    known, calls = recognise.format_of, [0]

    def counted(value: Any) -> str | None:
        calls[0] += 1
        return known(value)

    monkeypatch.setattr(envelope, "format_of", counted)
    effort = []
    for count in (50, 100):
        (here / "a.json").write_text(json.dumps([turns(1, answered=False)] * count))
        calls[0] = 0
        assert sum(1 for _ in requests(read("a.json"))) == count
        effort.append(calls[0])
    assert effort[1] <= 2.1 * effort[0]
