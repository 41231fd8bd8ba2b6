"""Damaged input never ends in a traceback or a hang: a fixed share of what `benchmarks/fuzz.py` tries."""

import pytest

import fuzz

MUTATIONS = 20_000
PARTS = 20  # so that a failure names a small range to run again


@pytest.mark.parametrize("part", range(PARTS))
def test_damaged_samples_are_compared_or_refused(part: int) -> None:
    count = MUTATIONS // PARTS
    failures = list(fuzz.failures(range(part * count, (part + 1) * count)))
    assert failures == []


def test_mutations_are_spread_over_all_samples() -> None:
    names = [path.name for path in fuzz.samples()]
    tried = {fuzz.sample(seed).name for seed in range(MUTATIONS)}
    assert tried == set(names)
    assert len(names) > 40


def test_a_seed_gives_the_same_damage_again() -> None:
    assert [fuzz.mutated(seed) for seed in range(50)] == [fuzz.mutated(seed) for seed in range(50)]


def test_most_damage_is_damage() -> None:
    changed = sum(fuzz.mutated(seed) != fuzz.sample(seed).read_bytes() for seed in range(500))
    assert changed > 450


def test_a_hang_and_a_crash_are_failures(monkeypatch: pytest.MonkeyPatch) -> None:
    def hang(*_: str) -> None:
        while True:
            pass

    def crash(*_: str) -> None:
        raise RecursionError

    monkeypatch.setattr(fuzz, "BUDGET_S", 0.05)
    for fault, name in ((hang, "TooSlow"), (crash, "RecursionError")):
        monkeypatch.setattr(fuzz, "diff", fault)
        (failure,) = fuzz.failures([3])
        assert name in failure
