"""Every labelled pair of the corpus, as it stands and perturbed, through the public API."""

import json
from pathlib import Path

import pytest
import yaml

import corpus
from grading.answer import Answer
from grading.cases import CORPUS, Case, later, pairs
from grading.forbidden import PROMISES
from grading.grade import grade
from grading.perturb import PERTURBATIONS
from promptlint.commands.diff import diff
from promptlint.finding import Place

CASES = [pytest.param(case, id=case.name) for case in pairs()]


def wrong(case: Case, answer: Answer) -> set[str]:
    grades = grade(case, answer)
    return {*grades.wrong(), *(f"promises: {said}" for said in grades.promises)}


@pytest.mark.parametrize("case", CASES)
def test_the_answer_is_right(case: Case) -> None:
    assert wrong(case, corpus.promptlint(case.before, case.after)) == set()


@pytest.mark.parametrize("perturbation", PERTURBATIONS)
@pytest.mark.parametrize("case", CASES)
def test_the_answer_stays_right_when_the_pair_is_perturbed(case: Case, perturbation: str, tmp_path: Path) -> None:
    moved = PERTURBATIONS[perturbation](case, tmp_path)
    if moved is None:  # nothing to move: no text differs, or there is no tool
        return
    assert wrong(moved, corpus.promptlint(moved.before, moved.after)) == set()


@pytest.mark.parametrize("case", CASES)
def test_every_place_leads_to_its_character_in_the_file(case: Case) -> None:
    for change in diff(str(case.before), str(case.after)).diffs[0].changes:
        for place in (change.a, change.b):
            data = Path(place.path).read_bytes()
            line = data[: place.start].count(b"\n") + 1
            column = len(data[: place.start].rpartition(b"\n")[2].decode()) + 1
            assert (place.line, place.column) == (line, column)
            if place.excerpt is not None and place.mark[0] < place.mark[1]:
                assert _starts_with(data, place), (change.cause, place)


def _starts_with(data: bytes, place: Place) -> bool:
    """The first differing character stands at `start` in the source, as itself or as an escape."""
    assert place.excerpt is not None
    char = place.excerpt[place.mark[0]]
    return data[place.start :].startswith((char.encode(), json.dumps(char)[1:-1].encode(), b"\\"))


def test_the_corpus_is_whole() -> None:
    counts = {"pair": len(pairs()), **later()}
    assert counts == {"pair": 29, "source": 5, "template": 2, "session": 4, "usage": 3, "events": 7}


def test_every_forbidden_word_has_a_check() -> None:
    for case in pairs():
        forbidden = yaml.safe_load((CORPUS / case.name / "expect.yaml").read_text("utf-8"))["expect"]["must_not_say"]
        assert len(PROMISES[case.name[:2]]) >= len(forbidden), case.name


@pytest.mark.parametrize("case", CASES)
def test_silence_is_no_good_answer_where_a_finding_is_due(case: Case) -> None:
    assert grade(case, corpus.NOTHING).outcome == ("missed" if case.busts else "silent")


def test_a_place_one_character_off_is_misplaced() -> None:
    case = next(case for case in pairs() if case.place)
    answer = corpus.promptlint(case.before, case.after)
    first = answer.texts()[0]
    off = first._replace(b=first.b._replace(char=first.b.char + 1))
    assert grade(case, answer).outcome == "found"
    assert grade(case, answer._replace(changes=(off,))).outcome == "misplaced"


def test_the_scorer_prints_a_row_for_every_case(capsys: pytest.CaptureFixture[str]) -> None:
    assert corpus.main([]) == 0
    printed = capsys.readouterr().out
    assert all(case.name in printed for case in pairs())
    assert "later: 5 source" in printed
