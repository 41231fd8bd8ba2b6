"""Score tools on the labelled corpus: found, misplaced, missed, false alarms.

usage: python tests/benchmarks/corpus.py [--perturbed]

To score another tool, add a function to TOOLS that gives an `Answer` for two files.
"""

import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from grading.answer import WARNING, Answer, Said, Spot
from grading.cases import Case, later, pairs
from grading.grade import Grades, grade
from grading.mentions import judged
from grading.perturb import PERTURBATIONS
from promptlint.commands.diff import diff
from promptlint.errors import PromptlintError
from promptlint.finding import Change, Place
from promptlint.report import write

Tool = Callable[[Path, Path], Answer]
OUTCOMES = ("found", "misplaced", "missed", "false alarm", "silent")
NOTHING = Answer((), None, None, (), "")  # what a tool says that cannot read its input


def promptlint(before: Path, after: Path) -> Answer:
    """Ask this project."""
    report = diff(str(before), str(after))
    body = report.diffs[0]
    return Answer(
        changes=tuple(_said(change) for change in body.changes),
        verdict=body.verdict,
        lost_tokens=body.boundary.lost_tokens,
        warnings=tuple(finding.rule for finding in report.findings if finding.severity in WARNING),
        text=write(report, "text"),
    )


TOOLS: dict[str, Tool] = {"promptlint": promptlint}


def _said(change: Change) -> Said:
    sides = (_spot(change.a), _spot(change.b))
    also = tuple(map(_joined, change.also))
    return Said(change.cause, change.level, change.severity, change.certainty, change.message, *sides, also)


def _spot(place: Place) -> Spot:
    return Spot(_joined(place.pointer), place.atom, place.char, place.byte)


def _joined(pointer: str | Sequence[str]) -> str:
    return pointer if isinstance(pointer, str) else "".join(pointer)


class Row(NamedTuple):
    """One graded case; `label` is its name, with the perturbation."""

    label: str
    case: Case
    grades: Grades

    def mentioned(self) -> tuple[int, int]:
        """Count the lines of `must_mention` that are said and those that are judged."""
        due = len(judged(self.case))
        return due - len(self.grades.unmentioned), due


def main(arguments: Sequence[str]) -> int:
    """Print one row a case and one sum a tool."""
    for name, tool in TOOLS.items():
        rows = [Row(case.name, case, _graded(case, tool)) for case in pairs()]
        if "--perturbed" in arguments:
            rows += [Row(label, case, _graded(case, tool)) for label, case in _perturbed()]
        _print_cases(name, rows)
        _print_sums(name, rows)
    print("later:", ", ".join(f"{count} {kind}" for kind, count in later().items()))
    return 0


def _graded(case: Case, tool: Tool) -> Grades:
    try:
        return grade(case, tool(case.before, case.after))
    except PromptlintError as error:
        print(f"{case.name}: {error}", file=sys.stderr)
        return grade(case, NOTHING)


def _perturbed() -> Iterator[tuple[str, Case]]:
    for case in pairs():
        for name, perturb in PERTURBATIONS.items():
            with tempfile.TemporaryDirectory() as folder:
                moved = perturb(case, Path(folder))
                if moved is not None:
                    yield f"{case.name} {name}", moved


def _print_cases(tool: str, rows: Sequence[Row]) -> None:
    print(f"{tool:60} {'outcome':12} {'cause':5} {'verdict':7} {'lost':4} {'said':5} not said; forbidden")
    for row in rows:
        grades = row.grades
        marks = ["ok" if right else "NO" for right in (grades.cause, grades.verdict, grades.lost)]
        said = "{}/{}".format(*row.mentioned())
        faults = "; ".join((*grades.unmentioned, *grades.promises)) or "-"
        print(f"{row.label:60} {grades.outcome:12} {marks[0]:5} {marks[1]:7} {marks[2]:4} {said:5} {faults}")


def _print_sums(tool: str, rows: Sequence[Row]) -> None:
    grades = [row.grades for row in rows]
    outcomes = Counter(each.outcome for each in grades)
    counts = ", ".join(f"{outcomes[name]} {name}" for name in OUTCOMES)
    cause, verdict, lost = (sum(getattr(each, name) for each in grades) for name in ("cause", "verdict", "lost"))
    kept = sum(not each.promises for each in grades)
    said, due = (sum(counted) for counted in zip(*(row.mentioned() for row in rows), strict=True))
    lines = sum(len(row.case.must_mention) for row in rows)
    print(f"\n{tool}: {counts} of {len(rows)}; right: cause {cause}, verdict {verdict}, lost {lost}, promises {kept};")
    print(f"must_mention: {said} said of {due} that are judged ({lines - due} are for a reader)\n")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
