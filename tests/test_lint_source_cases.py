"""The labelled sources and their other writings: exactly the stated expressions are named, wherever they have moved."""

import ast
import re
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from conftest import ROOT
from promptlint.commands.lint import lint
from promptlint.commands.lint_settings import LintOptions
from promptlint.finding import Finding
from source_perturb import PERTURBATIONS, Perturbed, all_names, applied, masked, moved, perturbed

CORPUS, SOURCE = ROOT / "fixtures" / "corpus", ROOT / "fixtures" / "source"
DESK = SOURCE / "cases" / "c7_app.py"
IMPORTS = SOURCE / "imports"
CASES = {
    path.parent.name: case
    for path in sorted(CORPUS.glob("*/expect.yaml"))
    if (case := yaml.safe_load(path.read_text("utf-8")))["inputs"]["kind"] == "source"
}
FILES = [*(CORPUS / name / case["inputs"]["files"][0] for name, case in CASES.items()), DESK]
TWO_ENDS = "17-source-skills-in-io-completion-order"
"""Its two places are the ends of one path: where the order arises, where it is printed. Elsewhere each is a fault."""
MARKS = r"\.\w+|[()]"
Place = tuple[int, int]
"""Line and column, from 1."""


class Told(NamedTuple):
    """Where a finding lies, and all the places that it names."""

    rule: str
    at: Place
    named: frozenset[Place]


def start_of(text: str, place: Place) -> int:
    """The character at a line and column."""
    return sum(len(line) for line in text.splitlines(keepends=True)[: place[0] - 1]) + place[1] - 1


def place_of(text: str, start: int) -> Place:
    """Line and column of a character."""
    return text.count("\n", 0, start) + 1, start - text.rfind("\n", 0, start)


def now_at(text: str, other: Perturbed, place: Place) -> Place:
    """Where a place of the text stands in another writing of it."""
    return place_of(other.text, other.place(start_of(text, place)))


def told(finding: Finding) -> Told:
    places = [(at.line, at.column) for at in (finding.location, *finding.related)]
    return Told(finding.rule, places[0], frozenset(places))


def found(path: Path) -> list[Told]:
    """What `lint` says of a source, a folder or a file: warnings and errors only."""
    report = lint([str(path)], LintOptions(cache=False))
    assert report.lint is not None
    assert not report.lint.errors
    assert report.lint.files, "nothing was looked at"
    assert "text" not in {file.what for file in report.lint.files}, "a source was read as plain text"
    return [told(finding) for finding in report.findings if finding.severity != "info"]


def written(tmp_path: Path, path: Path, way: str) -> tuple[str, Perturbed, list[Told]]:
    """A source, its other writing, and what `lint` says of that."""
    text = path.read_text("utf-8")
    other = perturbed(text, path.suffix, way)
    target = tmp_path / path.name
    target.write_text(other.text, "utf-8")
    return text, other, found(target)


def stated(name: str) -> list[list[Place]]:
    """For each finding that is due of a case, the places that are right for it."""
    expect = CASES[name]["expect"]
    main = [(place["line"], place["column"]) for place in expect.get("report_at", ())]
    also = [(place["line"], place["column"]) for place in expect.get("also_accept_at", ())]
    return [main] if name == TWO_ENDS else [[place, *also] for place in main]


@pytest.mark.parametrize("way", PERTURBATIONS)
@pytest.mark.parametrize("name", CASES)
def test_a_case_in_each_writing(name: str, way: str, tmp_path: Path) -> None:
    text, other, given = written(tmp_path, CORPUS / name / CASES[name]["inputs"]["files"][0], way)
    wanted = [{now_at(text, other, place) for place in places} for places in stated(name)]
    assert len(given) == len(wanted), given
    for places in wanted:
        right = [each for each in given if (each.named if name == TWO_ENDS else {each.at}) & places]
        assert len(right) == 1, (places, given)


@pytest.mark.parametrize("way", PERTURBATIONS)
def test_the_desk_in_each_writing(way: str, tmp_path: Path) -> None:
    """A clock in an f-string, one behind two names, tools out of a set; and perhaps the keys of a parameter."""
    text, other, given = written(tmp_path, DESK, way)

    def lines(*numbers: int) -> set[int]:
        return {now_at(text, other, (number, 1))[0] for number in numbers}

    due = {"direct": lines(16), "indirect": lines(20, 21, 22), "tools": lines(33)}
    allowed = set().union(*due.values(), lines(34))
    assert {each.at[0] for each in given} <= allowed, given
    for name, numbers in due.items():
        assert len([each for each in given if each.at[0] in numbers]) == 1, (name, given)
    assert len([each for each in given if each.at[0] in lines(34)]) <= 1


def imported(kind: str) -> list[Any]:
    return [pytest.param(folder / kind, id=folder.name) for folder in sorted(IMPORTS.iterdir())]


@pytest.mark.parametrize("folder", imported("bad"))
def test_a_value_that_comes_from_another_module_is_found(folder: Path) -> None:
    expect = yaml.safe_load((folder.parent / "expect.yaml").read_text("utf-8"))
    report = lint([str(folder)], LintOptions(cache=False))
    given = [finding for finding in report.findings if finding.severity != "info"]
    assert [finding.rule for finding in given] == [expect["rule"]]
    at = given[0].location
    place = (Path(at.path).relative_to(folder).as_posix(), at.line, at.column)
    assert place in {(each["file"], each["line"], each["column"]) for each in expect["report_at"]}


@pytest.mark.parametrize("folder", imported("good"))
def test_a_value_that_stays_out_of_the_prompt_is_not_found_in_two_modules_either(folder: Path) -> None:
    assert found(folder) == []


# --- what the tests themselves rest on


def test_there_are_sources_to_look_at() -> None:
    assert len(CASES) >= 5
    assert {path.suffix for path in FILES} == {".py", ".ts"}
    assert sum(len(stated(name)) for name in CASES) == 5
    assert len(imported("bad")) == len(imported("good")) >= 3


@pytest.mark.parametrize("way", PERTURBATIONS)
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.parent.name)
def test_a_perturbed_source_is_a_source_and_differs(path: Path, way: str) -> None:
    text = path.read_text("utf-8")
    other = perturbed(text, path.suffix, way)
    assert (other.text == text) == (way == "plain")
    if path.suffix == ".py":
        ast.parse(other.text)
    else:
        code = masked(other.text, ".ts").masked
        assert all(code.count(left) == code.count(right) for left, right in ("{}", "[]", "()"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.parent.name)
def test_new_names_are_new_and_stand_for_one_name_each(path: Path) -> None:
    text = path.read_text("utf-8")
    edits = all_names(text, path.suffix)
    pairs = {(text[edit.start : edit.end], edit.new) for edit in edits}
    assert len(pairs) > 5
    assert len({old for old, _ in pairs}) == len({new for _, new in pairs}) == len(pairs)
    assert not {new for _, new in pairs} & set(re.findall(r"\w+", text))
    for edit in edits:
        start = moved(edit.start, edits)
        assert applied(text, edits)[start : start + len(edit.new)] == edit.new


@pytest.mark.parametrize("way", PERTURBATIONS)
@pytest.mark.parametrize("name", CASES)
def test_places_move_with_their_text(name: str, way: str) -> None:
    """Of each stated expression the marks that no perturbation touches stand at the new place in the old order."""
    expect = CASES[name]["expect"]
    path = CORPUS / name / CASES[name]["inputs"]["files"][0]
    text = path.read_text("utf-8")
    other = perturbed(text, path.suffix, way)
    for at in (*expect.get("report_at", ()), *expect.get("also_accept_at", ())):
        start = start_of(text, (at["line"], at["column"]))
        assert text.startswith(at["text"].strip("'").split(" OR ")[0], start)
        marks = re.findall(MARKS, at["text"])
        place = other.place(start)
        assert re.findall(MARKS, other.text[place : place + len(at["text"]) + 30])[: len(marks)] == marks
