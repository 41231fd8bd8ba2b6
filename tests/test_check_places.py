"""Where `promptlint check` says that something stands: renamed, deleted and new files, parts, lines, records."""

from pathlib import Path

import pytest

import check_requests as r
from check_projects import (
    BREAKPOINT,
    HEAD,
    RULES,
    Checked,
    Files,
    check,
    repository,
    settings,
    template,
    template_entry,
    template_project,
)

FAILING = template().replace("guide.\n", "guide. Today is {{ today }}.\n", 1)
COLD = template().replace("Keep to this guide.", "Follow this guide.")


def checked(folder: Path, before: Files, after: Files, *arguments: str) -> Checked:
    return check(repository(folder / "repository", before, after).path, "--base", "main", *arguments)


def moved(files: Files, old: str, new: str) -> Files:
    """The files with one under another name."""
    return {new if name == old else name: text for name, text in files.items()}


def pattern(text: str, **more: str) -> Files:
    """A project whose prompts are all templates of a folder."""
    entry = template_entry(template="prompts/**/*.j2")
    del entry["name"]
    return template_project(text, entry=entry) | more


OLD, NEW = "prompts/support.j2", "prompts/desk/front.j2"


@pytest.mark.parametrize(("text", "code"), [(FAILING, 1), (COLD, 0), (template(), 0)])
def test_a_renamed_file_is_compared_with_what_it_was(text: str, code: int, tmp_path: Path) -> None:
    found = checked(tmp_path, pattern(template()), moved(pattern(text), OLD, NEW))
    assert found.code == code, found.out
    prompt = found.touched
    assert (prompt["path"], prompt["old_path"], prompt["change"]) == (NEW, OLD, "changed")
    assert len(found.body["prompts"]) == 1
    assert prompt["usable_tokens_before"] > 2000
    if text == template():
        assert (prompt["lost_tokens_once"], prompt["lost_tokens_per_request"], prompt["causes"]) == (0, 0, [])
        return
    hunk = prompt["causes"][0]["hunk"]
    assert (hunk["path"], hunk["old_start"], hunk["new_start"]) == (NEW, 1, 1)
    lines = text.split("\n")
    assert hunk["lines"] == [f"-{HEAD}", f"+{lines[0]}"]


def test_a_renamed_file_of_an_entry_that_names_it(tmp_path: Path) -> None:
    """The configuration follows the file, and the name of the prompt stays."""
    after = template_project(FAILING, entry=template_entry(template=NEW))
    found = checked(tmp_path, template_project(), moved(after, OLD, NEW))
    assert found.code == 1
    assert (found.touched["name"], found.touched["old_path"], found.touched["path"]) == ("support", OLD, NEW)


def test_a_renamed_prompt_is_still_the_same_one(tmp_path: Path) -> None:
    """Its name is another one, its file is not."""
    found = checked(tmp_path, template_project(), template_project(FAILING, entry=template_entry(name="helpdesk")))
    assert found.code == 1, found.out
    assert [each["name"] for each in found.body["prompts"]] == ["helpdesk"]


def test_a_deleted_prompt_passes_and_is_listed(tmp_path: Path) -> None:
    other = {"prompts/other.j2": template(RULES[::-1])}
    found = checked(tmp_path, pattern(template(), **other), {k: v for k, v in pattern("").items() if k != OLD} | other)
    assert (found.code, found.report["verdict"]) == (0, "pass"), found.out
    assert found.touched["change"] == "deleted"
    assert (found.touched["path"], found.touched["verdict"]) == (OLD, "pass")
    assert not found.touched["lost_tokens_per_request"]


def _with_other(**more: str) -> Files:
    """Two entries, each of which names its file."""
    entries = template_entry(), template_entry(name="other", template="prompts/other.j2")
    return (
        template_project() | {"prompts/other.j2": template(RULES[::-1]), "promptlint.yaml": settings(*entries)} | more
    )


def test_an_entry_that_goes_with_its_file_is_a_deleted_prompt(tmp_path: Path) -> None:
    found = checked(tmp_path, _with_other(), template_project())
    assert (found.code, found.report["verdict"]) == (0, "pass"), found.out
    assert (found.prompts["other"]["change"], found.prompts["other"]["verdict"]) == ("deleted", "pass")


def test_an_entry_whose_file_is_not_there_is_bad_input(tmp_path: Path) -> None:
    """Else a prompt that was moved, without its entry, would be checked no more, and nobody would notice.

    The rest is still done.
    """
    after = moved(_with_other(**{OLD: FAILING}), "prompts/other.j2", "prompts/another/name.j2")
    found = checked(tmp_path, _with_other(), after)
    assert found.code == 2, found.out
    assert any("prompts/other.j2" in each for each in found.body["errors"])
    assert found.prompts["support"]["verdict"] == "fail"
    assert found.report["verdict"] == "fail"


def test_a_new_prompt_passes_and_is_listed(tmp_path: Path) -> None:
    found = checked(tmp_path, pattern(template()), pattern(template(), **{"prompts/new.j2": template(RULES[::-1])}))
    assert (found.code, found.report["verdict"]) == (0, "pass"), found.out
    assert (found.touched["path"], found.touched["change"]) == ("prompts/new.j2", "new")
    assert found.touched["usable_tokens_after"] > 2000
    assert not found.touched["lost_tokens_per_request"]


def test_a_template_that_cannot_be_rendered_is_bad_input(tmp_path: Path) -> None:
    found = checked(tmp_path, template_project(), template_project(template() + "{% if %}\n"))
    assert found.code == 2
    assert found.touched["change"] == "unrendered"
    assert "prompts/support.j2" in found.body["errors"][0]
    assert "Traceback" not in found.out + found.err


def _parts(rules: str) -> Files:
    text = template(("{% include 'rules.j2' %}", *RULES[20:]))
    return template_project(text) | {"prompts/rules.j2": rules}


def test_a_cause_in_a_part_is_told_in_the_part(tmp_path: Path) -> None:
    before = "\n".join(RULES[:20]) + "\n"
    after = before.replace(RULES[7], RULES[7] + " The ticket is {{ ticket }}.")
    found = checked(tmp_path, _parts(before), _parts(after))
    assert found.code == 1
    cause = found.touched["causes"][0]
    assert (cause["path"], cause["line"]) == ("prompts/rules.j2", 8)
    hunk = cause["hunk"]
    assert (hunk["path"], hunk["old_start"], hunk["old_lines"], hunk["new_start"], hunk["new_lines"]) == (
        "prompts/rules.j2",
        8,
        1,
        8,
        1,
    )
    assert hunk["lines"] == [f"-{RULES[7]}", f"+{RULES[7]} The ticket is {{{{ ticket }}}}."]


@pytest.mark.parametrize("number", [0, 17, 59])
def test_the_column_is_that_of_what_varies(number: int, tmp_path: Path) -> None:
    line = (
        RULES[number].replace("; ", "; {{ ticket }} ", 1) if "; " in RULES[number] else RULES[number] + "{{ ticket }}"
    )
    found = checked(tmp_path, template_project(), template_project(template().replace(RULES[number], line)))
    cause = found.touched["causes"][0]
    assert (cause["line"], cause["hunk"]["new_start"]) == (number + 2, number + 2)
    # At the expression, or at the name in it.
    assert cause["column"] - 1 - line.index("{{ ticket") in (0, 3)


def test_of_several_edits_the_one_that_hurts_is_named(tmp_path: Path) -> None:
    """A comment ahead, a reword behind the marker, and between them the variable: no other hunk is blamed."""
    after = template().replace(HEAD, f"{{# of 3 May #}}{HEAD}").replace("# This visit", "# The visit")
    after = after.replace(RULES[30], f"{RULES[30]}\n- The ticket is {{{{ ticket }}}}.")
    found = checked(tmp_path, template_project(), template_project(after))
    assert found.code == 1
    blamed = [each for each in found.touched["causes"] if each["often"] != "once"]
    hunk = blamed[0]["hunk"]
    assert (hunk["old_start"], hunk["old_lines"], hunk["new_start"], hunk["new_lines"]) == (32, 0, 33, 1)
    assert hunk["lines"] == ["+- The ticket is {{ ticket }}."]
    assert all(each["hunk"] == hunk for each in blamed)


def test_the_marker_that_moved_is_told_at_its_line(tmp_path: Path) -> None:
    lines = template().split("\n")
    lines.remove(BREAKPOINT)
    at = lines.index("Member: {{ member }}") + 1
    after = "\n".join([*lines[:at], BREAKPOINT, *lines[at:]])
    found = checked(tmp_path, template_project(), template_project(after))
    assert found.code == 1
    hunk = found.touched["causes"][0]["hunk"]
    assert hunk["lines"] in (["+" + BREAKPOINT], ["-" + BREAKPOINT])


def test_a_pointer_says_where_in_the_request_it_is(tmp_path: Path) -> None:
    found = checked(tmp_path, r.recorded(r.unchanged), r.recorded(r.date_added))
    cause = found.touched["causes"][0]
    assert cause["pointer"] == "/system/0/text"
    assert cause["path"] in ("desk/a.json", "desk/b.json")
    text = r.recorded(r.date_added)[cause["path"]].split("\n")
    assert "Today is" in text[cause["line"] - 1]


def test_a_cause_in_a_recorded_log_is_told_in_its_line(tmp_path: Path) -> None:
    found = checked(tmp_path, r.log(r.unchanged), r.log(r.ticket_added))
    cause = found.touched["causes"][0]
    assert cause["path"] == "logs/monday.jsonl"
    assert cause["line"] in (1, 2, 3)
    assert cause["pointer"] == "/system/1/text"


def test_findings_are_those_of_the_causes(tmp_path: Path) -> None:
    found = checked(tmp_path, template_project(), template_project(FAILING))
    by_rule = {each["rule"]: each for each in found.report["findings"]}
    finding = by_rule["date-rollover"]
    assert finding["severity"] == "error"
    assert finding["location"]["path"] == OLD
    assert finding["location"]["line"] == 1
    cold = checked(tmp_path / "cold", template_project(), template_project(COLD))
    assert {each["severity"] for each in cold.report["findings"]} <= {"info"}


def test_no_excerpts_means_no_text_of_a_prompt(tmp_path: Path) -> None:
    found = checked(tmp_path, template_project(), template_project(FAILING), "--no-excerpts")
    assert found.code == 1
    assert "tool library" not in found.out
    assert "Today is" not in found.out
    assert found.touched["causes"][0]["hunk"]["new_start"] == 1


def test_new_findings_of_lint_in_changed_lines_fail_and_old_ones_do_not(tmp_path: Path) -> None:
    """The clock behind the marker harms nobody; the one that stood there before is nobody's news."""
    bad = template().replace(HEAD, f'{{{{ now().strftime("%H:%M") }}}} {HEAD}')
    found = checked(tmp_path, template_project(bad), template_project(bad.replace("# This visit", "# The visit")))
    assert (found.code, found.report["verdict"]) == (0, "pass"), found.out
    behind = template().replace("# This visit", '# This visit, {{ now().strftime("%H:%M") }}')
    found = checked(tmp_path / "behind", template_project(), template_project(behind))
    assert (found.code, found.report["verdict"]) == (0, "pass"), found.out
    rules = [each["rule"] for each in found.report["findings"]]
    assert "clock-in-template" not in rules


def test_one_place_is_told_once(tmp_path: Path) -> None:
    """A clock in the middle of a chat template is met by several renderings; it is one fault."""
    head, tail = r.CHAT.split("\n", 1)
    guide = "\n".join((head, *RULES[:30]))
    texts = [
        f"{guide}{clock}\n" + "\n".join(RULES[30:]) + f"\n{tail}" for clock in ("", ' {{ strftime_now("%H:%M") }}')
    ]
    before, after = (r.chat(each, "Be kind.") for each in texts)
    found = checked(tmp_path, before, after)
    assert found.code == 1
    places = [(each["rule"], each["location"]["path"], each["location"]["line"]) for each in found.report["findings"]]
    assert places == [("clock", "model/chat_template.jinja", 31)]
    assert 1000 < found.touched["lost_tokens_per_request"] < 1500


def test_a_marker_that_moves_ahead_of_fixed_text_is_the_cause(tmp_path: Path) -> None:
    """Nothing was added or removed: what stands behind the marker now is read anew by each request."""
    after = template(RULES[:40], f"{BREAKPOINT}\n" + "\n".join(RULES[40:]) + "\n")
    found = checked(tmp_path, template_project(), template_project(after))
    assert found.code == 1
    assert 700 < found.touched["lost_tokens_per_request"] < 900
    cause = found.touched["causes"][0]
    assert cause["cause"].startswith("marker-"), found.touched["causes"]
    assert cause["often"] != "once"
    assert cause["hunk"]["lines"] in (["+" + BREAKPOINT], ["-" + BREAKPOINT])
    assert not [each for each in found.touched["causes"] if each["cause"] == "items-changed"]
