"""What `promptlint check` renders: what a change has reached, once, and the same each time."""

import subprocess
from pathlib import Path

import check_requests as r
from check_projects import (
    RULES,
    Checked,
    Files,
    check,
    command,
    environment,
    repository,
    settings,
    template,
    template_entry,
    template_project,
)
from check_samples import all_samples


def checked(folder: Path, before: Files, after: Files) -> Checked:
    return check(repository(folder, before, after).path, "--base", "main")


def _many(numbers: range, changed: frozenset[int] = frozenset()) -> Files:
    """A project of one entry with many templates; `changed`: which of them have the ticket in front."""
    entry = template_entry(template="prompts/*.j2")
    del entry["name"]
    files = template_project(entry=entry)
    del files["prompts/support.j2"]
    for number in numbers:
        text = template().replace("guide.\n", f"guide of desk {number}.\n", 1)
        text = text.replace("# This", "Ticket: {{ ticket }}\n# This") if number in changed else text
        files[f"prompts/desk_{number:03}.j2"] = text
    return files


CHANGED = frozenset((7, 250, 499))
_NONE: frozenset[int] = frozenset()


def test_of_five_hundred_prompts_three_are_rendered(tmp_path: Path) -> None:
    found = checked(tmp_path / "many", _many(range(500)), _many(range(500), CHANGED))
    prompts = found.body["prompts"]
    assert len(prompts) == 500
    changed = {each["path"] for each in prompts if each["change"] != "unchanged"}
    assert changed == {f"prompts/desk_{number:03}.j2" for number in CHANGED}
    assert (found.code, found.body["changed_files"]) == (0, 3)
    before, after = (
        {name: text for name, text in _many(range(500), each).items() if name in changed or "desk" not in name}
        for each in (_NONE, CHANGED)
    )
    alone = checked(tmp_path / "few", before, after)
    assert len(alone.body["prompts"]) == 3
    assert alone.body["renderings"] == found.body["renderings"]
    assert 3 * 2 * 2 <= found.body["renderings"] <= 3 * 12


def test_each_prompt_costs_the_same(tmp_path: Path) -> None:
    renderings = []
    for count in (1, 4):
        found = checked(tmp_path / str(count), _many(range(count)), _many(range(count), frozenset(range(count))))
        renderings.append(found.body["renderings"])
    assert renderings[1] == 4 * renderings[0]


def test_only_what_reads_a_changed_part_is_rendered(tmp_path: Path) -> None:
    """Through a chain of parts, and by its name alone: the two templates themselves are as they were."""
    entry = template_entry(template="prompts/*.j2")
    del entry["name"]
    included = template(("{% include 'parts/outer.j2' %}", *RULES[20:]))
    files = template_project(entry=entry) | {
        "prompts/included.j2": included,
        "prompts/parts/outer.j2": "{% include 'parts/inner.j2' %}\n",
        "prompts/parts/inner.j2": "\n".join(RULES[:20]),
        "prompts/parts/unused.j2": "nobody reads this",
    }
    new = files | {"prompts/parts/inner.j2": "\n".join(("- Be kind.", *RULES[:20]))}
    found = checked(tmp_path / "inner", files, new)
    changes = {each["path"]: each["change"] for each in found.body["prompts"]}
    assert changes == {"prompts/included.j2": "changed", "prompts/support.j2": "unchanged"}
    assert found.touched["lost_tokens_once"] > 2000
    assert found.touched["causes"][0]["path"] == "prompts/parts/inner.j2"
    unused = checked(tmp_path / "unused", files, files | {"prompts/parts/unused.j2": "nor this"})
    assert unused.body["renderings"] == 0


def test_a_changed_set_of_variables_renders_its_prompts_alone(tmp_path: Path) -> None:
    entries = template_entry(), template_entry(name="other", template="prompts/other.j2", vars=["vars/other.yaml"])
    files = template_project() | {"prompts/other.j2": template(), "vars/other.yaml": "{member: A, question: B}\n"}
    files["promptlint.yaml"] = settings(*entries)
    found = checked(tmp_path, files, files | {"vars/other.yaml": "{member: A, question: C}\n"})
    changes = {each["name"]: each["change"] for each in found.body["prompts"]}
    assert changes == {"support": "unchanged", "other": "changed"}
    assert found.code == 0


def test_a_changed_chat_template_renders_the_requests_that_name_it(tmp_path: Path) -> None:
    files = r.chat()
    found = checked(tmp_path / "changed", files, r.chat(r.CHAT.replace("serve the desk", "run the front desk")))
    assert found.touched["change"] == "changed"
    other = checked(tmp_path / "other", files, files | {"model/other.jinja": "x"})
    assert other.body["renderings"] == 0


def test_a_setting_of_one_entry_does_not_render_the_others(tmp_path: Path) -> None:
    entries = template_entry(), template_entry(name="other", template="prompts/other.j2")
    files = template_project() | {"prompts/other.j2": template(), "promptlint.yaml": settings(*entries)}
    switched = settings(entries[0], entries[1] | {"model": "claude-sonnet-5-5"})
    found = checked(tmp_path, files, files | {"promptlint.yaml": switched})
    changes = {each["name"]: each["change"] for each in found.body["prompts"]}
    assert changes == {"support": "unchanged", "other": "changed"}


def test_eight_runs_at_once_say_the_same(tmp_path: Path) -> None:
    sample = next(each for each in all_samples() if each.name == "rendered-ticket_added")
    made = repository(tmp_path / "repository", sample.before, sample.after)
    line = command("--base", "main", "--format", "json")
    known = environment(PROMPTLINT_CACHE_DIR=str(tmp_path / "cache"))
    runs = [subprocess.Popen(line, cwd=made.path, env=known, stdout=-1, stderr=-1) for _ in range(8)]
    ends = [(each.communicate(timeout=120), each.returncode) for each in runs]
    (out, err), code = ends[0]
    assert code == 1, err
    assert out.startswith(b"{")
    assert all(end == ((out, err), code) for end in ends)
    assert check(made.path, "--base", "main").out.encode() == out


def test_a_second_run_says_the_same(tmp_path: Path) -> None:
    made = repository(tmp_path, _many(range(5)), _many(range(5), frozenset((1, 3))))
    first, second = (check(made.path, "--base", "main").out for _ in range(2))
    assert first == second
