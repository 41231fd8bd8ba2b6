"""Planted bugs: each is found and named, and a right model is never accused."""

from typing import Any

import pytest
import torch

import confirm_bugs
import confirm_transformers_bugs as llama
from confirm_bugs import BUGS, LogitsOnly, Planted
from promptlint.confirm.equivalence import equivalence
from promptlint.confirm.minimal import Minimal
from promptlint.confirm.random_prompts import random_ids

SEEDS = range(20)


@pytest.fixture(autouse=True, scope="module")
def _one_thread() -> None:
    torch.set_num_threads(1)


@pytest.fixture(scope="module")
def llamas() -> list[Any]:
    return [llama.random_llama(seed) for seed in range(4)]


def prompt(seed: int) -> list[int]:
    return random_ids(256, 112, seed)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_right_model_is_confirmed(seed: int) -> None:
    for model in (Minimal(seed), LogitsOnly(Minimal(seed)), Minimal(seed, torch.float64)):
        found = equivalence(model, random_ids(256, 96 + 9 * seed, seed), seed=seed)
        assert (found.verdict, found.suspect, found.suspect_why, found.unseen) == ("confirmed", None, "", "")
        assert found.logit_diff < found.tolerance / 5  # room for another machine's rounding
        assert found.control_diff > 100 * found.tolerance
        assert all(split.top1_agree == 1 for split in found.splits)


@pytest.mark.parametrize("name", BUGS)
def test_a_bug_of_the_minimal_model_is_named(name: str) -> None:
    bug = BUGS[name]
    for seed in SEEDS:
        found = equivalence(Planted(bug, seed), prompt(seed))
        assert (seed, found.verdict, found.suspect) == (seed, "contradicted", bug.suspect), found.suspect_why
        assert found.suspect_why


@pytest.mark.parametrize("name", BUGS)
def test_it_is_named_or_left_unclear_from_logits_alone(name: str) -> None:
    bug = BUGS[name]
    for seed in range(2):
        found = equivalence(LogitsOnly(Planted(bug, seed)), prompt(seed))
        assert (seed, found.verdict, found.suspect) == (seed, "contradicted", bug.alone), found.suspect_why


@pytest.mark.parametrize("name", [name for name, bug in BUGS.items() if bug.kept])
def test_what_is_kept_well_and_read_badly_gets_no_wrong_name(name: str) -> None:
    found = equivalence(Planted(BUGS[name], 1, stored=False), prompt(1))
    assert (found.verdict, found.suspect) == ("contradicted", BUGS[name].alone), found.suspect_why


@pytest.mark.parametrize("name", llama.BUGS)
def test_a_bug_around_a_llama_is_named(name: str, llamas: list[Any]) -> None:
    bug = llama.BUGS[name]
    for seed, model in enumerate(llamas):
        found = equivalence(llama.Wrapped(model, bug), prompt(seed))
        assert (seed, found.verdict, found.suspect) == (seed, "contradicted", bug.suspect), found.suspect_why
    alone = equivalence(LogitsOnly(llama.Wrapped(llamas[0], bug)), prompt(0))
    assert (alone.verdict, alone.suspect) == ("contradicted", bug.alone), alone.suspect_why


def test_a_right_llama_is_confirmed(llamas: list[Any]) -> None:
    for seed, model in enumerate(llamas):
        found = equivalence(llama.Wrapped(model), random_ids(llama.VOCABULARY, 130, seed))
        assert (found.verdict, found.suspect) == ("confirmed", None), found.why


@pytest.mark.parametrize("shared", [confirm_bugs.SharedList, confirm_bugs.SharedPool])
def test_the_tail_of_a_donor_is_found(shared: type[confirm_bugs.SharedList]) -> None:
    for seed in range(5):
        found = equivalence(shared(seed), prompt(seed))
        assert (found.verdict, found.suspect) == ("contradicted", "stale-block"), found.why
        assert "request" in found.suspect_why


def test_positions_that_forget_the_last_step_are_found_in_the_third_part() -> None:
    for seed in range(5):
        found = equivalence(confirm_bugs.ForgetsSteps(seed), prompt(seed))
        assert (found.verdict, found.suspect) == ("contradicted", "position-offset"), found.suspect_why
        diffs = {split.name: split.logit_diff for split in found.splits}
        assert diffs["unaligned"] < found.tolerance < diffs["in steps"]


def test_half_precision_confirms_nothing_and_says_what_it_cannot_see() -> None:
    ids = random_ids(256, 448, 1)
    stale = BUGS["one_layer_stale_token"]
    exact = equivalence(Planted(stale, 2), ids)
    right = equivalence(Minimal(2, torch.bfloat16), ids)
    wrong = equivalence(Planted(stale, 2, torch.bfloat16), ids)
    assert exact.verdict == "contradicted"
    for found in (right, wrong):
        assert (found.verdict, found.suspect) == ("not_shown", None)
        assert found.logit_diff <= found.tolerance
        assert found.unseen.startswith("in bfloat16 an error below 0.")
        assert found.unseen in found.why
    assert exact.logit_diff < 2 * wrong.tolerance  # what is hidden is the error that float32 shows


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
@pytest.mark.parametrize("name", BUGS)
def test_half_precision_gives_no_wrong_name(name: str, dtype: torch.dtype) -> None:
    found = equivalence(Planted(BUGS[name], 0, dtype), prompt(0))
    assert found.verdict != "confirmed"
    assert found.suspect in (None, "unclear", BUGS[name].suspect), found.suspect_why
    if name in ("rope_restart", "mask_drop_prefix", "layer_swap", "kv_swap_one_layer", "head_perm", "stale_block"):
        assert found.verdict == "contradicted"
