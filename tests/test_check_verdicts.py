"""`promptlint check`: what fails, what costs one cold start, what costs nothing; with figures, cause and hunk."""

from pathlib import Path

import pytest

from check_projects import RULES, SETS, Checked, Files, check, repository, template, template_project, variables
from check_samples import Sample, all_samples, judge

SAMPLES = all_samples()


def checked(folder: Path, before: Files, after: Files, *arguments: str) -> Checked:
    """The second of two commits against the first."""
    return check(repository(folder / "repository", before, after).path, "--base", "main", *arguments)


@pytest.mark.parametrize("sample", SAMPLES, ids=[each.name for each in SAMPLES])
def test_each_edit_gets_its_verdict_its_cause_and_its_hunk(sample: Sample, tmp_path: Path) -> None:
    judge(sample, checked(tmp_path, sample.before, sample.after))


def test_the_samples_are_those_that_the_gate_must_tell_apart() -> None:
    names = [each.name for each in SAMPLES]
    assert len(set(names)) == len(names) > 80
    assert len([each for each in SAMPLES if each.fails]) > 30
    assert len([each for each in SAMPLES if not each.fails and each.causes]) > 30
    assert len([each for each in SAMPLES if not each.causes]) > 12
    assert not [each.name for each in SAMPLES if each.before == each.after]


@pytest.mark.parametrize("sample", SAMPLES[::9], ids=[each.name for each in SAMPLES[::9]])
def test_the_reverse_of_an_edit_is_never_charged_for_each_request(sample: Sample, tmp_path: Path) -> None:
    """What puts a prompt right must not be blocked."""
    found = checked(tmp_path, sample.after, sample.before)
    assert (found.code, found.report["verdict"]) == (0, "pass"), found.out
    assert found.touched["lost_tokens_per_request"] == 0


@pytest.mark.parametrize("sample", SAMPLES[::12], ids=[each.name for each in SAMPLES[::12]])
def test_what_has_not_changed_passes_and_is_not_rendered(sample: Sample, tmp_path: Path) -> None:
    """Also a prompt that has always been bad: it is no news."""
    files = sample.after | {"README.md": "one\n"}
    found = checked(tmp_path, files, files | {"README.md": "two\n"})
    assert (found.code, found.report["verdict"]) == (0, "pass")
    assert found.body["renderings"] == 0
    assert [each["change"] for each in found.body["prompts"]] == ["unchanged"]
    assert found.prompts[found.body["prompts"][0]["name"]]["lost_tokens_per_request"] is None
    assert found.report["findings"] == []


def test_a_prompt_that_may_be_below_the_minimum_is_unknown_and_strict_blocks_it(tmp_path: Path) -> None:
    """The tokenizer is private: 735 tokens of ours may be 880 or 1,320 of the model's, whose minimum is 1,024."""
    before, after = template_project(), template_project(template(RULES[:18]))
    found = checked(tmp_path, before, after)
    assert (found.code, found.report["verdict"], found.touched["verdict"]) == (0, "unknown", "unknown"), found.out
    assert found.touched["certainty"] != "certain"
    assert found.touched["causes"][0]["cause"] == "below-minimum"
    strict = check(tmp_path / "repository", "--base", "main", "--strict")
    assert (strict.code, strict.report["verdict"], strict.body["strict"]) == (1, "unknown", True)


def test_a_prompt_far_above_the_minimum_is_certain(tmp_path: Path) -> None:
    found = checked(tmp_path, template_project(), template_project(template(RULES[:50])))
    assert (found.code, found.report["verdict"]) == (0, "pass")


def test_a_prompt_that_was_bad_before_is_not_charged_to_a_change_of_it(tmp_path: Path) -> None:
    """The time stood in front already: the new word takes nothing that was there."""
    text = template().replace("# This visit", '# This visit, {{ now().strftime("%H:%M") }}')
    bad = f'It is {{{{ now().strftime("%H:%M") }}}} now.\n{text}'
    found = checked(tmp_path, template_project(bad), template_project(bad.replace("Keep to", "Stay with")))
    assert (found.code, found.report["verdict"]) == (0, "pass"), found.out
    assert found.touched["lost_tokens_per_request"] == 0


def test_the_costliest_cause_comes_first(tmp_path: Path) -> None:
    """A reword costs once, the day costs the first request of each day, the time each request."""
    after = template().replace("Keep to this guide.", "Follow this guide.")
    after = after.replace(RULES[9], RULES[9] + ' It is {{ now().strftime("%H:%M:%S") }}.')
    found = checked(tmp_path, template_project(), template_project(after))
    assert found.code == 1
    first = found.touched["causes"][0]
    assert (first["cause"], first["line"]) == ("clock", 11)
    assert RULES[9] in found.touched["causes"][0]["hunk"]["lines"][0]


def test_a_literal_date_costs_one_cold_start(tmp_path: Path) -> None:
    """It changes when somebody edits it, not with each request."""
    after = template().replace("guide.\n", "guide of 3 May 2027.\n", 1)
    found = checked(tmp_path, template_project(), template_project(after))
    assert (found.code, found.report["verdict"]) == (0, "pass"), found.out
    assert found.touched["lost_tokens_once"] > 2000


def test_a_day_is_lost_once_a_day_and_a_minute_by_requests(tmp_path: Path) -> None:
    often = []
    for number, form in enumerate(("%d %B %Y", "%H:%M")):
        text = template().replace("guide.\n", f'guide. {{{{ now().strftime("{form}") }}}}\n', 1)
        found = checked(tmp_path / str(number), template_project(), template_project(text))
        often.append(found.touched["often"])
        assert found.code == 1
    assert often[0] == "day"
    assert often[1] in ("session", "request")


def test_a_value_that_varies_within_a_set_of_one_is_not_seen_but_its_clock_is(tmp_path: Path) -> None:
    """With one set of variables there is nothing to compare but the clock."""
    one = template_project()
    one["promptlint.yaml"] = one["promptlint.yaml"].replace("  - vars/1.yaml\n", "")
    text = template().replace("guide.\n", 'guide. It is {{ now().strftime("%H:%M") }}.\n', 1)
    found = checked(tmp_path, one, one | {"prompts/support.j2": text})
    assert (found.code, found.touched["causes"][0]["cause"]) == (1, "clock")


def test_a_set_of_variables_that_changes_is_a_change_of_the_prompt(tmp_path: Path) -> None:
    """The variable stood ahead of the marker all the time, with the same value in both sets; now they differ."""
    text = template().replace("guide.\n", "guide in {{ town }}.\n", 1)
    sets = (SETS[0], SETS[1] | {"town": "Selby"})
    found = checked(tmp_path, template_project(text), template_project(text) | variables(sets))
    assert found.code == 1, found.out
    assert found.touched["lost_tokens_per_request"] > 2000


def test_a_change_without_a_prompt_passes(tmp_path: Path) -> None:
    empty = {"promptlint.yaml": "prompts: []\n", "a.txt": "one\n"}
    found = checked(tmp_path, empty, empty | {"a.txt": "two\n"})
    assert (found.code, found.report["verdict"], found.body["prompts"]) == (0, "pass", [])
