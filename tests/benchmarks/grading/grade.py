"""A case and an answer give grades. Every rule here is stated in the corpus' README."""

from typing import NamedTuple

from grading.answer import Answer, Said
from grading.cases import Case, TruePlace
from grading.forbidden import broken_promises
from grading.mentions import unmentioned

LOST_SHARE = 0.30
LOST_TOKENS = 64


class Grades(NamedTuple):
    """What was right; `outcome` is one of found, misplaced, missed, false alarm, silent (rightly)."""

    outcome: str
    cause: bool
    verdict: bool
    lost: bool
    promises: tuple[str, ...]  # what the answer said although the case forbids it
    unmentioned: tuple[str, ...]  # what it does not say although the case demands it, as far as that is judged

    def wrong(self) -> tuple[str, ...]:
        """Name the aspects that failed."""
        aspects = {
            "place": self.outcome in ("found", "silent"),
            "cause": self.cause,
            "verdict": self.verdict,
            "lost": self.lost,
            "promises": not self.promises,
            "mentions": not self.unmentioned,
        }
        return tuple(name for name, right in aspects.items() if not right)


def grade(case: Case, answer: Answer) -> Grades:
    """Grade one answer."""
    return Grades(
        outcome=_outcome(case, answer),
        cause=_cause_is_right(case, answer),
        verdict=answer.verdict in case.verdicts,
        lost=_lost_is_right(case, answer.lost_tokens),
        promises=broken_promises(case, answer),
        unmentioned=unmentioned(case, answer),
    )


def _outcome(case: Case, answer: Answer) -> str:
    texts = answer.texts()
    if not case.busts:
        return "false alarm" if answer.warnings or (texts and case.place is None) else "silent"
    if not answer.warnings:
        return "missed"
    if case.place is None:
        return "misplaced" if texts else "found"
    if not texts:
        return "missed"
    return "found" if _is_there(case.place, case.other_places, texts[0]) else "misplaced"


def _is_there(true: TruePlace, others: tuple[tuple[str, int], ...], said: Said) -> bool:
    if any((spot.pointer, spot.char) in others for spot in (said.a, said.b)):
        return True
    sides = ((true.before, said.a), (true.after, said.b))
    return all(spot == (pointer, true.atom, true.char, true.byte) for pointer, spot in sides)


def _cause_is_right(case: Case, answer: Answer) -> bool:
    """The first difference carries the cause; where no text differs, any change may."""
    texts = answer.texts()
    if case.place is None:
        return any(said.cause in case.causes for said in answer.changes)
    return bool(texts) and texts[0].cause in case.causes


def _lost_is_right(case: Case, lost: int | None) -> bool:
    if not case.lost_tokens:
        return True
    if lost is None:
        return False
    if case.lost_tokens == (0,) and not case.advisory:
        return lost == 0
    return any(abs(lost - true) <= max(LOST_SHARE * true, LOST_TOKENS) for true in case.lost_tokens)
