"""`promptlint check`: sets, records and entries that come and go, and what is lost of text that moves or repeats."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest
import yaml

import check_requests as r
from check_projects import (
    BREAKPOINT,
    HEAD,
    MARK,
    PREFIX_TOKENS,
    RULES,
    SETS,
    Checked,
    Files,
    check,
    repository,
    settings,
    template,
    template_entry,
    template_project,
    tokens,
)

Sets = tuple[r.Values, ...]

PLAIN = template(marker="")
MARKED = template_entry()
AUTOMATIC = template_entry(provider="openai", model=r.GPT, markers="none")
BLOCKS = {key: held for key, held in AUTOMATIC.items() if key not in ("provider", "model")}
BLOCKS |= {"engine": "vllm==0.33.0", "tokenizer": "o200k_base"}
CACHES: dict[str, tuple[dict[str, Any], str]] = {"markers": (MARKED, f"{BREAKPOINT}\n"), "automatic": (AUTOMATIC, "")}
"""How what serves the template caches: the entry, and the marker of the text."""
each_cache = pytest.mark.parametrize("cache", CACHES)


def checked(folder: Path, before: Files, after: Files) -> Checked:
    return check(repository(folder / "repository", before, after).path, "--base", "main")


def listed(sets: Sets, text: str, entry: dict[str, Any]) -> Files:
    """The template with all its sets of variables in one list."""
    found = template_project(text, entry=entry | {"vars": ["vars/sets.yaml"]})
    kept = {name: held for name, held in found.items() if not name.startswith("vars/")}
    return kept | {"vars/sets.yaml": yaml.safe_dump([dict(each) for each in sets])}


def assert_nothing_lost(found: Checked) -> None:
    assert (found.code, found.report["verdict"]) == (0, "pass"), found.out
    prompt = found.touched
    assert (prompt["change"], prompt["lost_tokens_per_request"], prompt["lost_tokens_once"]) == ("changed", 0, 0)
    assert prompt["usable_tokens_before"] == prompt["usable_tokens_after"] > 2000
    assert prompt["causes"] == found.report["findings"] == []


# What a prompt is rendered with.


@each_cache
@pytest.mark.parametrize("sets", [(*SETS, r.THIRD), (r.THIRD, *SETS), SETS[::-1]], ids=["more", "in front", "turned"])
def test_a_set_more_or_elsewhere_takes_nothing(cache: str, sets: Sets, tmp_path: Path) -> None:
    entry, marker = CACHES[cache]
    text = template(marker=marker)
    assert_nothing_lost(checked(tmp_path, listed(SETS, text, entry), listed(sets, text, entry)))


@pytest.mark.parametrize("form", [r.log, r.log_openai])
def test_a_record_more_takes_nothing(form: Any, tmp_path: Path) -> None:
    after = form(r.unchanged)
    first, second, _ = after["logs/monday.jsonl"].splitlines(keepends=True)
    assert_nothing_lost(checked(tmp_path, after | {"logs/monday.jsonl": first + second}, after))


@pytest.mark.parametrize("at", [0, 2])
def test_a_test_of_promptfoo_more_takes_nothing(at: int, tmp_path: Path) -> None:
    before = r.promptfoo(r.unchanged)
    asked = yaml.safe_load(before["promptfooconfig.yaml"])
    asked["tests"].insert(at, {"vars": dict(r.THIRD)})
    assert_nothing_lost(checked(tmp_path, before, before | {"promptfooconfig.yaml": r.settings_of(asked)}))


@each_cache
def test_three_sets_of_which_the_last_two_differ(cache: str, tmp_path: Path) -> None:
    """The first two have the same town, so that they lose nothing."""
    entry, marker = CACHES[cache]
    sets = (*SETS, r.THIRD | {"town": "Selby"})
    texts = template(marker=marker), "Desk in {{ town }}. " + template(marker=marker)
    found = checked(tmp_path, *(listed(sets, text, entry) for text in texts))
    assert (found.code, found.report["verdict"]) == (1, "fail"), found.out
    assert found.touched["lost_tokens_per_request"] > 2000
    assert "town" in found.touched["causes"][0]["message"]


def _log(*bodies: r.Body) -> Files:
    lines = "".join(json.dumps(each) + "\n" for each in bodies)
    return {"promptlint.yaml": settings({"name": "desk", "recorded": ["log.jsonl"]}), "log.jsonl": lines}


def test_three_records_of_which_the_last_is_refused(tmp_path: Path) -> None:
    """Five markers are more than the provider takes."""
    bodies = [r.anthropic(each) for each in (*SETS, r.THIRD)]
    marked = copy.deepcopy(bodies[2])
    for block in marked["system"][:5]:
        block["cache_control"] = dict(MARK)
    found = checked(tmp_path, _log(*bodies), _log(*bodies[:2], marked))
    assert (found.code, found.report["verdict"]) == (1, "fail"), found.out
    assert ("refused", "fail") in {(each["budget"], each["verdict"]) for each in found.touched["reasons"]}
    assert found.touched["causes"][0]["cause"] == "marker-limit"


# Entries.


def _two(first: dict[str, Any], second: dict[str, Any], text: str | None = None) -> Files:
    return {**template_project(text), "promptlint.yaml": settings(first, second), "README.md": str(first["name"])}


NIGHT = template_entry(name="night", model="claude-opus-5", vars=["vars/1.yaml", "vars/0.yaml"])


def test_two_entries_of_one_file_are_told_apart_by_their_names(tmp_path: Path) -> None:
    """Also where they change places, and where nothing changes but another file."""
    clean = _two(MARKED, NIGHT)
    for number, after in enumerate((clean | {"README.md": "another"}, _two(NIGHT, MARKED))):
        found = checked(tmp_path / str(number), clean, after)
        assert (found.code, found.report["verdict"], found.body["renderings"]) == (0, "pass", 0), found.out
        assert {name: each["change"] for name, each in found.prompts.items()} == dict.fromkeys(
            ("support", "night"), "unchanged"
        )


def test_a_change_of_one_of_two_entries_is_one_of_its_prompt(tmp_path: Path) -> None:
    found = checked(tmp_path, _two(MARKED, NIGHT), _two(MARKED, NIGHT | {"model": "claude-sonnet-5"}))
    assert found.prompts["support"]["change"] == "unchanged"
    assert [each["cause"] for each in found.prompts["night"]["causes"]] == ["model-changed"]
    assert found.code == 0


# Which text is lost.


@each_cache
def test_a_loss_is_found_though_text_behind_the_prefix_goes_as_well(cache: str, tmp_path: Path) -> None:
    """The prompt has fewer tokens that are not cached than before, and yet what was cached is so no more."""
    entry, marker = CACHES[cache]
    behind = f"{marker}For {{{{ member }}}}\n"
    before = template(RULES[:40], behind + "".join(f"Remember: {each}\n" for each in RULES[:50]))
    after = "Ticket {{ ticket }}.\n" + template(RULES[:40], behind)
    found = checked(tmp_path, template_project(before, entry=entry), template_project(after, entry=entry))
    assert (found.code, found.report["verdict"]) == (1, "fail"), found.out
    assert 0.9 * tokens("\n".join(RULES[:40])) < found.touched["lost_tokens_per_request"] < PREFIX_TOKENS


@each_cache
def test_text_that_goes_is_not_lost_though_other_text_comes_behind_the_prefix(cache: str, tmp_path: Path) -> None:
    entry, marker = CACHES[cache]
    notes = "".join(f"- On the {day}th, count what hangs on hook {3 * day}, and tell the depot.\n" for day in range(29))
    before = template(marker=marker)
    after = template(RULES[12:], f"{marker}For {{{{ member }}}}\n{notes}")
    found = checked(tmp_path, template_project(before, entry=entry), template_project(after, entry=entry))
    assert (found.code, found.report["verdict"]) == (0, "pass"), found.out
    prompt = found.touched
    assert prompt["lost_tokens_per_request"] == 0
    assert prompt["usable_tokens_after"] < prompt["usable_tokens_before"] - 400
    assert prompt["prompt_tokens_after"] - prompt["usable_tokens_after"] > 400


@pytest.mark.parametrize("entry", [AUTOMATIC, BLOCKS], ids=["openai", "vllm"])
@pytest.mark.parametrize(
    "ahead", ["", "- Greet the member by name, and thank them.\n"], ids=["in front", "second line"]
)
def test_text_that_repeats_is_lost_like_any_other(entry: dict[str, Any], ahead: str, tmp_path: Path) -> None:
    """No word of it is new, and no run of words."""
    line = "- Greet the member by name, and thank them.\n"
    before = HEAD + "\n" + line * 300 + "Member: {{ member }}\n"
    after = ahead + "Ticket {{ ticket }}.\n" + before
    found = checked(tmp_path, template_project(before, entry=entry), template_project(after, entry=entry))
    assert (found.code, found.report["verdict"]) == (1, "fail"), found.out
    prompt = found.touched
    assert 0.9 * tokens(line * 300) < prompt["lost_tokens_per_request"] <= prompt["usable_tokens_before"]
