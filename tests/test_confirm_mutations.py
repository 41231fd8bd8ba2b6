"""Planted bugs: each is found and named, and a right model is never accused."""

import pytest
import torch

from confirm_bugs import BUGS, OF_THE_EXPERIMENT, LogitsOnly, Planted
from promptlint.confirm.equivalence import equivalence
from promptlint.confirm.minimal import Minimal
from promptlint.confirm.random_prompts import random_ids

SEEDS, FEW = range(20), range(4)


@pytest.fixture(autouse=True, scope="module")
def _one_thread() -> None:
    torch.set_num_threads(1)


def prompt(seed: int) -> list[int]:
    return random_ids(256, 96, seed)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_right_model_is_confirmed(seed: int) -> None:
    others = (LogitsOnly(Minimal(seed)), Minimal(seed, torch.float64)) if seed in FEW else ()
    for model in (Minimal(seed), *others):
        found = equivalence(model, random_ids(256, 96 + 9 * seed, seed), seed=seed)
        assert (found.verdict, found.suspect, found.suspect_why, found.unseen) == ("confirmed", None, "", "")
        assert found.logit_diff < found.tolerance / 5  # room for another machine's rounding
        assert found.control_diff > 100 * found.tolerance
        assert all(split.top1_agree == 1 for split in found.splits)


@pytest.mark.parametrize("name", BUGS)
def test_a_bug_of_the_minimal_model_is_named(name: str) -> None:
    bug = BUGS[name]
    for seed in SEEDS if name in OF_THE_EXPERIMENT else FEW:
        found = equivalence(Planted(bug, seed), prompt(seed))
        assert (seed, found.verdict, found.suspect) == (seed, "contradicted", bug.suspect), found.suspect_why
        assert found.suspect_why
