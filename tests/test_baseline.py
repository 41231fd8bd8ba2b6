"""The list of known findings: by content, counted, never traded; and the commands that write, prune and check it."""

import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptlint.commands.baseline import Action, Outcome, baseline
from promptlint.commands.lint import lint
from promptlint.commands.lint_settings import LintOptions
from promptlint.errors import PromptlintError
from promptlint.lint.baseline import (
    NAME,
    Known,
    Spotted,
    as_text,
    compared,
    content,
    entries_of,
    pruned,
    read_baseline,
    relative,
    renewed,
    write_baseline,
)
from promptlint.prompt import Json

OPTIONS = LintOptions(cache=False, render=False)


def entries(*findings: tuple[str, str, str], lines: list[int] | None = None) -> tuple[Known, ...]:
    numbered = lines or list(range(len(findings)))
    return entries_of([Spotted(*one, line=line) for one, line in zip(findings, numbered, strict=True)])


def known(before: tuple[Known, ...], now: tuple[Known, ...]) -> list[bool]:
    return list(compared(before, now, {"a.j2"}, {"clock"}).known)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_lines_that_move_and_white_space_are_of_no_account() -> None:
    before = entries(("clock", "a.j2", "It is {{ now() }}."), lines=[3])
    assert entries(("clock", "a.j2", "  It is   {{ now() }}.\t"), lines=[90]) == before


@pytest.mark.parametrize(
    "other", [("nonce", "a.j2", "x y"), ("clock", "b.j2", "x y"), ("clock", "a.j2", "x z"), ("clock", "a.j2", "xy")]
)
def test_rule_path_and_text_tell_findings_apart(other: tuple[str, str, str]) -> None:
    assert entries(other)[0].fingerprint != entries(("clock", "a.j2", "x y"))[0].fingerprint


def test_parts_do_not_run_into_one_another() -> None:
    assert entries(("a", "bc", "d"))[0].fingerprint != entries(("ab", "c", "d"))[0].fingerprint


def test_a_fix_makes_no_room_for_a_new_fault() -> None:
    before = entries(("clock", "a.j2", "old"), ("clock", "a.j2", "kept"))
    now = entries(("clock", "a.j2", "kept"), ("clock", "a.j2", "new"))
    outcome = compared(before, now, {"a.j2"}, {"clock"})
    assert outcome.known == (True, False)
    assert outcome.stale == (before[0],)


def test_equal_findings_of_a_file_are_counted() -> None:
    one = ("clock", "a.j2", "same")
    before = entries(one, one)
    assert len({*before}) == 2
    assert known(before, entries(one, one, one)) == [True, True, False]
    assert known(before, entries(one, one, one, lines=[9, 1, 5])) == [False, True, True]  # the last line is the new one
    assert known(before, entries(one)) == [True]
    assert len(compared(before, entries(one), {"a.j2"}, {"clock"}).stale) == 1


def test_only_what_was_looked_for_is_gone() -> None:
    before = entries(("clock", "a.j2", "x"), ("clock", "b.j2", "x"), ("nonce", "a.j2", "x"))
    assert compared(before, (), {"a.j2"}, {"clock"}).stale == (before[0],)
    assert pruned(before, (), {"a.j2"}, {"clock"}) == tuple(sorted(before[1:]))
    new = entries(("clock", "a.j2", "y"))
    assert renewed(before, new, {"a.j2"}, {"clock"}) == tuple(sorted((*before[1:], *new)))
    assert pruned(before, new, {"a.j2"}, {"clock"}) == tuple(sorted(before[1:]))


TEXTS = st.text(st.sampled_from("ab \n:é\ud800"), max_size=4)
FOUND = st.lists(st.tuples(st.sampled_from(["clock", "nonce"]), st.sampled_from(["a.j2", "b.j2"]), TEXTS), max_size=8)


@given(before=FOUND, now=FOUND)
def test_laws(before: list[tuple[str, str, str]], now: list[tuple[str, str, str]]) -> None:
    old, new = entries(*before), entries(*now)
    everything: tuple[set[str], set[str]] = {"a.j2", "b.j2"}, {"clock", "nonce"}
    written = renewed(old, new, *everything)
    assert {*written} == {*new}
    assert compared(written, new, *everything) == ((True,) * len(new), ())
    assert {*pruned(old, new, *everything)} == {*old} & {*new}
    outcome = compared(old, new, *everything)
    assert {*outcome.stale} == {*old} - {*new}
    assert {one for one, is_known in zip(new, outcome.known, strict=True) if not is_known} == {*new} - {*old}


def marked(*texts: str) -> Json:
    blocks: list[Json] = [{"type": "text", "text": text, "cache_control": {"type": "ephemeral"}} for text in texts]
    return {"system": blocks, "temperature": True}


def test_what_is_no_text_is_known_by_the_entry_around_it() -> None:
    where = ("system", 0, "cache_control")
    before = content(marked("one"), where)
    assert content(marked("zero", "one"), ("system", 1, "cache_control")) == before
    assert content(marked("two"), where) != before
    assert content(marked("one"), ("system", 0, "type")) != before
    assert content(marked("one", "two"), ("temperature",)) == content(marked(), ("temperature",))
    assert content(marked(), ()) != content(marked("one"), ())


def test_the_file_is_the_same_for_any_order_and_has_a_line_for_each_entry(here: Path) -> None:
    found = entries(("clock", "b.j2", "x"), ("clock", "a.j2", "x"), ("nonce", "a.j2", 'say "é"'))
    text = as_text(found)
    assert as_text(reversed(found)) == text
    assert text.count("\n") == len(found) + 2
    assert "say" not in text
    assert json.loads(text).keys() == {"schema_version", "known"}
    write_baseline(NAME, found)
    assert read_baseline(NAME) == tuple(sorted(found))
    write_baseline(NAME, ())
    assert read_baseline(NAME) == ()


def test_a_file_that_is_not_there_knows_nothing(here: Path) -> None:
    assert read_baseline("gone.json") == ()


GOOD = '{"path": "a", "rule": "b", "fingerprint": "c"}'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "b.json"),
        ("{", "b.json:1:2"),
        ("[]", "b.json: not a baseline"),
        ("{}", "b.json: not a baseline"),
        ('{"schema_version": 1, "known": {}}', "b.json: not a baseline"),
        ('{"schema_version": 2, "known": []}', "b.json: a baseline of another version of promptlint"),
        ('{"schema_version": "1", "known": []}', "b.json: a baseline of another version of promptlint"),
        ('{"known": []}', "b.json: a baseline of another version of promptlint"),
        (f'{{"schema_version": 1, "known": [{GOOD}, 3]}}', "b.json: known.1 is no entry"),
        (f'{{"schema_version": 1, "known": [{GOOD[:-1]}, "more": "d"}}]}}', "b.json: known.0 is no entry"),
        ('{"schema_version": 1, "known": [{"path": "a", "rule": "b"}]}', "b.json: known.0 is no entry"),
        (
            '{"schema_version": 1, "known": [{"path": "a", "rule": "b", "fingerprint": null}]}',
            "b.json: known.0 is no entry",
        ),
        (
            f'{{"schema_version": 1, "known": [\n<<<<<<< ours\n{GOOD}\n=======\n>>>>>>> theirs\n]}}',
            "b.json: marks of a failed merge; keep the lines of both sides",
        ),
        (f"<<<<<<< ours\n{GOOD}", "b.json: marks of a failed merge"),
    ],
)
def test_files_that_are_no_baseline(text: str, message: str, here: Path) -> None:
    (here / "b.json").write_text(text)
    with pytest.raises(PromptlintError) as fault:
        read_baseline("b.json")
    assert str(fault.value).startswith(message)
    assert str(fault.value).isprintable()


def test_a_merge_that_kept_the_lines_of_both_sides_is_read(here: Path) -> None:
    ours, theirs = entries(("clock", "a.j2", "x")), entries(("clock", "b.j2", "x"))
    lines = [line.rstrip(",") for text in map(as_text, (ours, theirs)) for line in text.splitlines()[1:-1]]
    (here / NAME).write_text('{"schema_version": 1, "known": [\n' + ",\n".join([*lines, lines[0]]) + "\n]}\n")
    assert read_baseline(NAME) == tuple(sorted((*ours, *theirs)))


def test_a_file_that_cannot_be_written(here: Path) -> None:
    for path in ("gone/b.json", "no\0name"):
        with pytest.raises(PromptlintError, match="name a file that can be written"):
            write_baseline(path, ())
    assert os.listdir(here) == []


def test_paths_are_relative_to_the_baseline(here: Path) -> None:
    assert relative("a/b.j2", "base.json") == "a/b.j2"
    assert relative("a/b.j2", "a/base.json") == "b.j2"
    assert relative(str(here / "a/b.j2"), "c/base.json") == "../a/b.j2"
    assert relative("-", "c/base.json") == "-"
    name = os.fsdecode(b"a\xff.j2")
    assert relative(name, "base.json") == "a\\xff.j2"
    found = entries(("clock", relative(name, "base.json"), "x"))
    write_baseline(NAME, found)
    assert read_baseline(NAME) == found


# The commands.

CLOCK = "You answer.\nIt is {{ now() }}.\n" + "Quote the number of the order in each answer.\n" * 60
OTHER = CLOCK.replace("It is {{ now() }}.", "Today, {{ now() }}, you are kind.")


@pytest.fixture
def project(here: Path) -> Path:
    (here / "promptlint.yaml").write_text(f"baseline: {NAME}\n")
    (here / "a.j2").write_text(CLOCK)
    (here / "sub").mkdir()
    (here / "sub/b.j2").write_text(CLOCK)
    return here


def run(action: Action, *paths: str, options: LintOptions = OPTIONS) -> Outcome:
    return baseline(action, paths or (".",), options)


def told(*paths: str) -> list[str]:
    return [finding.location.path for finding in lint(paths or (".",), OPTIONS).findings]


def test_write_lists_what_is_found_and_lint_shows_what_is_new(project: Path) -> None:
    assert told() == ["a.j2", "sub/b.j2"]
    assert run("write") == Outcome(f"{NAME}: 2 findings known; 2 added, 0 taken out\n", 0, ())
    report = lint(["."], OPTIONS)
    assert (report.verdict, report.findings) == ("pass", ())
    assert report.lint is not None
    assert [one.how for one in report.lint.suppressed] == ["baseline", "baseline"]
    (project / "a.j2").write_text("{# moved #}\n\n" + CLOCK)
    assert told() == []
    (project / "a.j2").write_text(OTHER)
    assert told() == ["a.j2"]


def test_check_names_what_is_new_and_what_is_gone(project: Path) -> None:
    run("write")
    assert run("check") == Outcome(f"{NAME}: 2 findings known; 0 new, 0 gone\n", 0, ())
    (project / "a.j2").write_text(OTHER)
    outcome = run("check")
    first, new, gone = outcome.text.splitlines()
    assert (outcome.code, first) == (1, f"{NAME}: 2 findings known; 1 new, 1 gone")
    assert new.startswith("  new: a.j2:2:")
    assert gone.startswith("  gone: a.j2 ")
    assert run("check", "sub").code == 0  # nobody has looked at a.j2


def test_check_fails_for_what_is_gone_alone_and_prune_takes_it_out(project: Path) -> None:
    run("write")
    before = (project / NAME).read_bytes()
    (project / "a.j2").write_text("You answer.\n")
    (project / "sub/c.j2").write_text(OTHER)
    assert run("check", "a.j2").code == 1
    assert (project / NAME).read_bytes() == before
    assert run("prune").text == f"{NAME}: 1 finding known; 1 taken out\n"
    assert {entry.path for entry in read_baseline(NAME)} == {"sub/b.j2"}  # what is new was not added
    assert run("check", "a.j2", "sub/b.j2").code == 0
    assert run("check").code == 1


def test_files_that_are_gone_excluded_or_of_another_name(project: Path) -> None:
    run("write")
    (project / "a.j2").rename(project / "z.j2")
    assert run("check").text.splitlines()[0] == f"{NAME}: 2 findings known; 1 new, 1 gone"
    assert run("prune", "sub").text == f"{NAME}: 1 finding known; 1 taken out\n"
    (project / "promptlint.yaml").write_text(f"baseline: {NAME}\nexclude: [sub, z.j2]\n")
    assert run("prune").text == f"{NAME}: 0 findings known; 1 taken out\n"


def test_what_cannot_be_read_is_not_gone(project: Path) -> None:
    run("write")
    (project / "a.j2").write_text(CLOCK + "{% if %}")
    outcome = run("prune")
    assert {entry.path for entry in read_baseline(NAME)} == {"a.j2", "sub/b.j2"}
    assert outcome.code == 2
    outcome = run("write", "a.j2")
    assert (outcome.code, len(outcome.errors)) == (2, 1)
    assert {entry.path for entry in read_baseline(NAME)} == {"a.j2", "sub/b.j2"}


def test_a_part_of_the_project_is_written_without_losing_the_rest(project: Path) -> None:
    run("write")
    (project / "sub/b.j2").write_text(OTHER)
    (project / "a.j2").write_text("You answer.\n")
    assert run("write", "sub").text == f"{NAME}: 2 findings known; 1 added, 1 taken out\n"
    assert {entry.path for entry in read_baseline(NAME)} == {"a.j2", "sub/b.j2"}


def test_the_nearest_configuration_has_its_own_baseline(project: Path) -> None:
    (project / "sub/promptlint.yaml").write_text("baseline: mine.json\n")
    assert run("write").text.splitlines() == [
        f"{NAME}: 1 finding known; 1 added, 0 taken out",
        "sub/mine.json: 1 finding known; 1 added, 0 taken out",
    ]
    assert [entry.path for entry in read_baseline("sub/mine.json")] == ["b.j2"]
    assert told() == []


def test_from_another_folder_the_baseline_is_the_same(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run("write")
    monkeypatch.chdir(project / "sub")
    assert run("check", "..").code == 0
    assert run("check").text == f"../{NAME}: 2 findings known; 0 new, 0 gone\n"


def test_findings_that_others_answer_are_not_listed(project: Path) -> None:
    (rule,) = {finding.rule for finding in lint(["."], OPTIONS).findings}
    (project / "a.j2").write_text(f"{{# promptlint: ignore-file[{rule}] -- a test #}}\n{CLOCK}")
    reason = f"suppress: [{{path: sub/, rule: {rule}, reason: a test}}]\n"
    (project / "promptlint.yaml").write_text(f"baseline: {NAME}\n{reason}")
    assert run("write").text == f"{NAME} is not needed: nothing was found\n"
    assert not (project / NAME).exists()


def test_one_of_two_equal_findings_that_another_answers_leaves_the_other_known(project: Path) -> None:
    (project / "a.j2").write_text(CLOCK + CLOCK)
    run("write")
    assert len([entry for entry in read_baseline(NAME) if entry.path == "a.j2"]) >= 2
    assert told() == []
    rule = read_baseline(NAME)[0].rule
    text = CLOCK + CLOCK.replace("()", "()", 1).replace("You answer.\n", "").replace(
        "It is", f"{{# promptlint: ignore[{rule}] -- a test #}}\nIt is"
    )
    (project / "a.j2").write_text(text)
    assert told() == []


def test_without_a_configuration(here: Path) -> None:
    (here / "a.j2").write_text(CLOCK)
    with pytest.raises(PromptlintError, match="no configuration names a baseline; promptlint baseline write makes one"):
        run("check")
    assert run("write").text.splitlines() == [
        f"{NAME}: 1 finding known; 1 added, 0 taken out",
        f"To use it, put `baseline: {NAME}` into the promptlint.yaml beside it.",
    ]
    assert told() == ["a.j2"]
    given = OPTIONS._replace(baseline=NAME)
    assert run("check", options=given).code == 0
    assert lint(["."], given).findings == ()


def test_what_is_no_baseline_is_not_written_over(project: Path) -> None:
    (project / NAME).write_text('{"mine": 1}')
    for action in ("write", "prune", "check"):
        with pytest.raises(PromptlintError, match="not a baseline"):
            run(action)
    assert (project / NAME).read_text() == '{"mine": 1}'


def test_one_that_was_tampered_with_hides_nothing(project: Path) -> None:
    run("write")
    text = (project / NAME).read_text().replace('"fingerprint": "', '"fingerprint": "0', 1)
    (project / NAME).write_text(text)
    assert len(told()) == 1
    assert run("check").code == 1
