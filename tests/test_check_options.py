"""Budgets, declared losses, commands, folders and upgrades of `promptlint check`."""

import json
import os
import sys
from datetime import date
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

import check_requests as r
from check_projects import (
    RULES,
    SETS,
    Checked,
    Files,
    check,
    environment,
    repository,
    settings,
    template,
    template_entry,
    template_project,
    write,
)
from check_samples import few_samples, judge
from promptlint.check_facts import Allowed
from promptlint.commands.check import run
from promptlint.commands.check.run import CheckOptions

FAILING = template().replace("guide.\n", "guide. The ticket is {{ ticket }}.\n", 1)
COLD = template().replace("Keep to this guide.", "Follow this guide.")
MORE = template((*RULES, *(f"{each} Say so twice." for each in RULES[:15])))
"""A quarter longer."""


def checked(folder: Path, after: str, *arguments: str, **more: Any) -> Checked:
    """An edit of the template, under settings that hold before and after."""
    made = repository(folder / "repository", template_project(**more), template_project(after, **more))
    return check(made.path, "--base", "main", *arguments)


def broken(found: Checked) -> list[str]:
    """The lines of the budget that the prompt breaks."""
    return [each["budget"] for each in found.touched["reasons"]]


LIMITS: list[tuple[str, dict[str, Any], list[str]]] = [
    (FAILING, {}, ["max-lost-tokens-per-request"]),
    (FAILING, {"max-lost-tokens-per-request": 100}, ["max-lost-tokens-per-request"]),
    (FAILING, {"max-lost-tokens-per-request": 10_000}, []),
    (FAILING, {"max_lost_tokens_per_request": 10_000}, []),
    (FAILING, {"max-lost-tokens-per-request": 10_000, "max-usd-per-day": 5}, ["max-usd-per-day"]),
    (FAILING, {"max-lost-tokens-per-request": 10_000, "max-usd-per-day": 1000}, []),
    (FAILING, {"max-lost-tokens-per-request": 10_000, "min-cacheable-share": 0.5}, ["min-cacheable-share"]),
    (FAILING, {"max-lost-tokens-per-request": 10_000, "min-cacheable-share": "50%"}, ["min-cacheable-share"]),
    (COLD, {"min-cacheable-share": 0.5}, []),
    (COLD, {"max-lost-tokens-once": 500}, ["max-lost-tokens-once"]),
    (COLD, {"max-lost-tokens-once": 10_000}, []),
    (COLD, {}, []),
    (MORE, {"max-prefix-growth": "5%"}, ["max-prefix-growth"]),
    (MORE, {"max-prefix-growth": "60%"}, []),
    (MORE, {"max-prefix-growth": 100}, ["max-prefix-growth"]),
    (MORE, {"max-prefix-growth": 5000}, []),
    (MORE, {"max_prefix_growth": "5%"}, ["max-prefix-growth"]),
]


@pytest.mark.parametrize("of_entry", [False, True])
@pytest.mark.parametrize(("after", "limits", "expected"), LIMITS, ids=range(len(LIMITS)))
def test_each_limit(after: str, limits: dict[str, Any], expected: list[str], of_entry: bool, tmp_path: Path) -> None:
    more: dict[str, Any] = {"entry": template_entry(budget=limits)} if of_entry else {"budget": limits}
    found = checked(tmp_path, after, **more)
    assert broken(found) == expected, found.out
    assert {each["verdict"] for each in found.touched["reasons"]} <= {"fail"}
    assert (found.code, found.report["verdict"]) == ((1, "fail") if expected else (0, "pass"))


@pytest.mark.parametrize(("own", "general", "code"), [(10_000, 0, 0), (0, 10_000, 1)])
def test_the_budget_of_an_entry_counts_first(own: int, general: int, code: int, tmp_path: Path) -> None:
    key = "max-lost-tokens-per-request"
    found = checked(tmp_path, FAILING, entry=template_entry(budget={key: own}), budget={key: general})
    assert found.code == code


def test_a_limit_within_the_band_of_the_counts_is_unknown(tmp_path: Path) -> None:
    """2,400 tokens of ours are 2,850 to 4,280 of the model's."""
    limit = {"max-lost-tokens-per-request": 3000}
    found = checked(tmp_path, FAILING, budget=limit)
    assert (found.code, found.report["verdict"]) == (0, "unknown"), found.out
    assert [each["verdict"] for each in found.touched["reasons"]] == ["unknown"]
    assert {each["severity"] for each in found.report["findings"]} <= {"warning", "info"}
    strict = check(tmp_path / "repository", "--base", "main", "--strict")
    assert (strict.code, strict.report["verdict"]) == (1, "unknown")


def test_strict_changes_nothing_where_all_is_certain(tmp_path: Path) -> None:
    assert checked(tmp_path / "cold", COLD, "--strict").code == 0
    assert checked(tmp_path / "failing", FAILING, "--strict").code == 1


def test_a_limit_that_is_broken_without_a_cause_is_a_finding_of_its_own(tmp_path: Path) -> None:
    found = checked(tmp_path, MORE, budget={"max-prefix-growth": 100})
    finding = next(each for each in found.report["findings"] if each["rule"] == "budget")
    assert finding["severity"] == "error"
    assert "max-prefix-growth" in finding["message"]


# Losses that are meant to be.


def _allow(until: str, prompt: str = "support") -> list[dict[str, str]]:
    return [{"prompt": prompt, "reason": "the ticket has to come first", "until": until}]


@pytest.mark.parametrize(
    ("until", "prompt", "verdict"),
    [
        ("2027-05-03", "support", "pass"),
        ("2027-05-02", "support", "fail"),
        ("2027-12-01", "sup*", "pass"),
        ("2027-12-01", "other", "fail"),
        ("2027-12-01", "suppor", "fail"),
    ],
)
def test_a_declared_loss_passes_until_its_last_day(
    until: str, prompt: str, verdict: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = _allow(until, prompt)
    made = repository(tmp_path, template_project(allow=rows), template_project(FAILING, allow=rows))
    monkeypatch.chdir(made.path)
    with mock.patch.dict(os.environ, environment(), clear=True):
        report = run.check(CheckOptions(base="main", today=date(2027, 5, 3)))
    assert report.check is not None
    (found,) = report.check.prompts
    assert found.verdict == report.verdict == verdict
    assert (found.lost_tokens_per_request or 0) > 2000
    if verdict == "pass":
        assert found.allowed == Allowed("the ticket has to come first", until)
        assert {each.severity for each in report.findings} <= {"info", "warning"}


def test_a_declared_loss_that_has_run_out_is_told(tmp_path: Path) -> None:
    rows = _allow("2020-02-29")
    found = checked(tmp_path, FAILING, allow=rows)
    assert found.code == 1
    assert "2020-02-29" in found.out


def test_a_loss_may_be_declared_in_the_change_that_brings_it(tmp_path: Path) -> None:
    made = repository(tmp_path, template_project(), template_project(FAILING, allow=_allow("2099-06-01")))
    assert check(made.path, "--base", "main").code == 0


@pytest.mark.parametrize("row", [{"until": "2027-06-01"}, {"reason": "x"}, {"reason": "x", "until": "soon"}])
def test_a_declaration_needs_a_reason_and_a_day(row: dict[str, str], tmp_path: Path) -> None:
    found = checked(tmp_path, COLD, allow=[{"prompt": "support"} | row])
    assert (found.code, found.out) == (2, "")
    assert "promptlint.yaml" in found.err


# Commands.

_SCRIPT = """\
import json
from pathlib import Path

Path({ran!r}).write_text("ran")
print({text!r})
"""


def _commanded(ran: Path, edit: r.Edit) -> Files:
    body = r.anthropic(SETS[0])
    edit(body, SETS[0])
    script = _SCRIPT.format(ran=str(ran), text=json.dumps(body, indent=2))
    entry = {"name": "built", "command": [sys.executable, "tools/print_prompt.py"]}
    return {"promptlint.yaml": settings(entry), "tools/print_prompt.py": script}


def test_a_command_runs_only_if_it_is_allowed_to(tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    made = repository(tmp_path / "repository", _commanded(ran, r.unchanged), _commanded(ran, r.marker_dropped))
    found = check(made.path, "--base", "main")
    assert not ran.exists()
    assert found.code != 1
    (prompt,) = found.body["prompts"]
    assert (prompt["change"], prompt["lost_tokens_per_request"]) == ("unrendered", None)
    assert "--allow-exec" in found.out
    allowed = check(made.path, "--base", "main", "--allow-exec")
    assert ran.exists()
    assert (allowed.code, allowed.touched["causes"][0]["cause"]) == (1, "marker-missing")


def test_a_command_that_prints_a_new_word_costs_one_cold_start(tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    made = repository(tmp_path / "repository", _commanded(ran, r.unchanged), _commanded(ran, r.reworded))
    found = check(made.path, "--base", "main", "--allow-exec")
    assert found.code == 0, found.out + found.err
    assert found.touched["lost_tokens_once"] > 2000


def test_a_command_that_fails_is_bad_input(tmp_path: Path) -> None:
    files = _commanded(tmp_path / "ran", r.unchanged)
    after = files | {"tools/print_prompt.py": "raise SystemExit('no database')\n"}
    found = check(repository(tmp_path / "repository", files, after).path, "--base", "main", "--allow-exec")
    assert found.code == 2
    assert found.body["errors"]
    assert "Traceback" not in found.err


# Two folders, and upgrades.


@pytest.mark.parametrize("sample", few_samples(), ids=[each.name for each in few_samples()])
def test_two_folders(sample: Any, tmp_path: Path) -> None:
    write(tmp_path / "old", sample.before)
    write(tmp_path / "new", sample.after)
    judge(sample, check(tmp_path, "old", "new"))


def test_a_folder_that_is_missing_is_bad_input(tmp_path: Path) -> None:
    write(tmp_path / "old", template_project())
    found = check(tmp_path, "old", "new")
    assert (found.code, found.out, len(found.err.splitlines())) == (2, "", 1)


def _served(folder: Path) -> Path:
    write(folder, r.chat() | {"model/clock.jinja": CLOCK})
    return folder


CLOCK = r.CHAT.replace("library.\n", 'library at {{ strftime_now("%H:%M") }}.\n', 1)


def test_the_same_requests_under_two_tokenizers(tmp_path: Path) -> None:
    folder = _served(tmp_path)
    same = check(folder, "--tokenizer-a", "o200k_base", "--tokenizer-b", "o200k_base")
    assert (same.code, same.report["verdict"]) == (0, "pass"), same.err
    assert same.touched["lost_tokens_once"] == 0
    other = check(folder, "--tokenizer-a", "o200k_base", "--tokenizer-b", "bytes")
    assert other.touched["lost_tokens_once"] > 2000
    assert other.touched["usable_tokens_after"] > other.touched["usable_tokens_before"]


def test_the_same_requests_under_two_chat_templates(tmp_path: Path) -> None:
    folder = _served(tmp_path)
    old = "model/chat_template.jinja"
    same = check(folder, "--template-a", old, "--template-b", old)
    assert (same.code, same.touched["lost_tokens_once"]) == (0, 0), same.err
    found = check(folder, "--template-a", old, "--template-b", "model/clock.jinja")
    assert (found.code, found.report["verdict"]) == (1, "fail"), found.out
    assert found.touched["causes"][0]["cause"] == "clock"
    assert found.touched["causes"][0]["path"] == "model/clock.jinja"


def test_requests_named_on_the_command_line(tmp_path: Path) -> None:
    folder = _served(tmp_path)
    found = check(folder, "--tokenizer-a", "o200k_base", "--tokenizer-b", "bytes", "chats/desk.json")
    assert [each["path"] for each in found.body["prompts"]] == ["chats/desk.json"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--base", "main", "--lock", "promptlint.lock"), "several things to check against"),
        (("--staged", "--lock", "promptlint.lock"), "several things to check against"),
        (("--base", "main", "old", "new"), "several things to check against"),
        (("--base", "main", "--tokenizer-a", "o200k_base", "--tokenizer-b", "o200k_base"), "several things to check"),
        (("--tokenizer-a", "o200k_base"), "one tokenizer is not enough"),
        (("--template-b", "model/clock.jinja"), "one template is not enough"),
        ((), "against what?"),
        (("one",), "a check compares two folders"),
    ],
)
def test_what_cannot_be_meant_is_refused(arguments: tuple[str, ...], words: str, tmp_path: Path) -> None:
    found = check(_served(tmp_path), *arguments)
    assert (found.code, found.out) == (2, "")
    assert words in found.err
    assert "internal error" not in found.err
