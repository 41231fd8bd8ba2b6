"""A small share of the fuzz and of the mutants; both run in full by hand."""

from concurrent.futures import ThreadPoolExecutor

from template_fuzz import run
from template_mutants import MUTANTS, caught


def test_random_expressions_keep_their_text_and_no_letter_is_misplaced() -> None:
    found = run(250, 11)
    assert found["exact"] > 1000
    assert found["exact"] > 5 * found["computed"]
    assert found["refused"] < 20


def test_deliberate_faults_are_noticed() -> None:
    harmless = (*MUTANTS[0][:2], MUTANTS[0][1])
    with ThreadPoolExecutor(2) as pool:
        assert [*pool.map(caught, (harmless, MUTANTS[-1]))] == [False, True]
