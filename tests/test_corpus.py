"""Every labelled pair of the corpus, as it stands and perturbed, through the public API."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import corpus
from grading.answer import Answer, Said, Spot
from grading.cases import Case, later, pairs
from grading.forbidden import PROMISES
from grading.grade import grade
from grading.mentions import OWN, judged
from grading.perturb import PERTURBATIONS, reindented
from promptlint import facts
from promptlint.commands.diff import diff

CASES = [pytest.param(case, id=case.name) for case in pairs()]

# What a perturbation leaves alone. Everything else must be moved, so that one that moves nothing fails.
UNMOVED = {
    # No text differs, or (25) what differs is the type of a block, which may not be changed.
    "shifted": {"12", "22", "25", "32", "34", "35", "36", "37", "39", "40", "63", "64", "68", "69"},
    # No tools.
    "renamed": {"12", "15", "16", "22", "23", "26", "32", "34", "37", "40", "59"},
    "reindented": set[str](),
}
MOVED = [
    pytest.param(case, name, id=f"{name}-{case.name}")
    for name in PERTURBATIONS
    for case in pairs()
    if case.name[:2] not in UNMOVED[name]
]


def wrong(case: Case, answer: Answer) -> set[str]:
    grades = grade(case, answer)
    return {*grades.wrong(), *grades.promises, *grades.unmentioned}


@pytest.mark.parametrize("case", CASES)
def test_the_answer_is_right(case: Case) -> None:
    assert wrong(case, corpus.promptlint(case.before, case.after)) == set()


@pytest.mark.parametrize(("case", "perturbation"), MOVED)
def test_the_answer_stays_right_when_the_pair_is_perturbed(case: Case, perturbation: str, tmp_path: Path) -> None:
    moved = PERTURBATIONS[perturbation](case, tmp_path)
    assert moved is not None
    assert wrong(moved, corpus.promptlint(moved.before, moved.after)) == set()


@pytest.mark.parametrize("perturbation", PERTURBATIONS)
def test_what_is_not_perturbed_is_known(perturbation: str, tmp_path: Path) -> None:
    found = {case.name[:2] for case in pairs() if PERTURBATIONS[perturbation](case, tmp_path) is None}
    assert found == UNMOVED[perturbation]


@pytest.mark.parametrize(("case", "perturbation"), MOVED)
def test_a_perturbation_changes_both_files_and_keeps_the_fault(case: Case, perturbation: str, tmp_path: Path) -> None:
    moved = PERTURBATIONS[perturbation](case, tmp_path)
    assert moved is not None
    for old, new in ((case.before, moved.before), (case.after, moved.after)):
        assert old.read_bytes() != new.read_bytes()
        assert (json.loads(old.read_bytes()) == json.loads(new.read_bytes())) == (perturbation == "reindented")
    if moved.place is None or case.place is None:
        return  # there is no place to look at, and no `shifted` either
    assert moved.place.char - case.place.char == (17 if perturbation == "shifted" else 0)
    a, b = (
        _true_text(path, at, moved.place.atom)
        for path, at in ((moved.before, moved.place.before), (moved.after, moved.place.after))
    )
    char = moved.place.char
    assert a[:char] == b[:char]
    assert a[char : char + 1] != b[char : char + 1]


def _true_text(path: Path, at: str, atom: str) -> str:
    name = at.rpartition("/")[2]
    return name if atom == "key" else str(_value(json.loads(path.read_bytes()), at))


def _value(value: Any, at: str) -> Any:
    for step in at.split("/")[1:]:
        value = value[int(step)] if isinstance(value, list) else value[step]
    return value


@pytest.mark.parametrize("perturbed", [False, True], ids=["as it stands", "reindented"])
@pytest.mark.parametrize("case", CASES)
def test_every_place_leads_to_its_character_in_the_file(case: Case, perturbed: bool, tmp_path: Path) -> None:
    pair = reindented(case, tmp_path) if perturbed else case
    for change in diff(str(pair.before), str(pair.after)).diffs[0].changes:
        for place in (change.a, change.b):
            data = Path(place.path).read_bytes()
            line = data[: place.start].count(b"\n") + 1
            column = len(data[: place.start].rpartition(b"\n")[2].decode()) + 1
            assert (place.line, place.column) == (line, column)
            if place.excerpt is not None and place.mark[0] < place.mark[1]:
                assert data.startswith(_spellings(place.excerpt[place.mark[0]]), place.start), (change.cause, place)


def _spellings(char: str) -> tuple[bytes, ...]:
    """How a character may stand in JSON: as itself or as its short escape, or by its number."""
    short = json.dumps(char, ensure_ascii=False)[1:-1]
    units = char.encode("utf-16-be")
    number = "".join(f"\\u{units[i : i + 2].hex()}" for i in range(0, len(units), 2))
    return short.encode(), number.encode()


def test_a_character_is_spelled_as_itself_or_by_number() -> None:
    assert _spellings("n") == (b"n", b"\\u006e")
    assert _spellings("\n") == (b"\\n", b"\\u000a")
    assert _spellings("\U0001f30a") == ("\U0001f30a".encode(), b"\\ud83c\\udf0a")


def test_the_corpus_is_whole() -> None:
    counts = {"pair": len(pairs()), **later()}
    assert counts == {"pair": 29, "source": 5, "template": 2, "session": 4, "usage": 3, "events": 7}


def test_every_forbidden_sentence_has_a_check_and_no_other() -> None:
    assert {case.name[:2]: set(case.must_not_say) for case in pairs()} == {
        case.name[:2]: set(PROMISES[case.name[:2]]) for case in pairs()
    }
    assert len(PROMISES) == len(pairs())


def test_every_path_that_must_be_mentioned_is_judged() -> None:
    for case in pairs():
        lines = judged(case)
        assert {line for line in case.must_mention if "$." in line} <= set(lines), case.name
        assert set(OWN.get(case.name[:2], {})) <= set(lines), case.name
    assert {case.name[:2] for case in pairs()} >= OWN.keys()


@pytest.mark.parametrize("case", CASES)
def test_every_forbidden_sentence_can_be_caught(case: Case) -> None:
    caught = {said for liar in _liars(case) for said in grade(case, liar).promises}
    assert caught == set(case.must_not_say)


@pytest.mark.parametrize("case", CASES)
def test_an_answer_that_says_nothing_mentions_nothing(case: Case) -> None:
    assert set(grade(case, corpus.NOTHING).unmentioned) == set(judged(case))


@pytest.mark.parametrize("case", CASES)
def test_a_mention_at_another_place_does_not_count(case: Case) -> None:
    answer = corpus.promptlint(case.before, case.after)
    astray = Spot("/elsewhere", "value", 0, 0)
    moved = answer._replace(changes=tuple(said._replace(a=astray, b=astray, also=()) for said in answer.changes))
    assert {line for line in judged(case) if "$." in line} - set(grade(case, moved).unmentioned) <= NO_PLACE


# Advice, which stands in a sentence of the report; a place that must not be reported.
NO_PLACE = {
    "a breakpoint at the end of $.system[0] would have kept guide and tools",
    "a stub already present at $.messages[2] is not a change",
}


def _liars(case: Case) -> Iterator[Answer]:
    """Wrong answers of every kind: each cause at each place that someone might blame."""
    text = case.before.read_text("utf-8") + "a user-supplied value; e\u0301 and \u00e9"
    request = json.loads(case.after.read_bytes())
    last = [f"/{name}/{len(request[name]) - 1}" for name in ("messages", "input", "contents") if name in request]
    spots = [Spot(at, "value", 0, 0) for at in ("/messages", "/messages/2", "/system", "/tools", "/system/0", *last)]
    for cause in facts.table("causes"):
        for spot in spots:
            level = "tools" if spot.pointer == "/tools" else "messages"
            said = Said(cause, level, "error", "certain", "", spot, spot)
            yield Answer((said, said), "bust", 0, (cause, cause), text)


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
