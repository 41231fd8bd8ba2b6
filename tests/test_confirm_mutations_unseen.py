"""Bugs where less can be seen: no keys and values, a cache shared with others, later steps, half precision."""

import pytest
import torch

import confirm_bugs
from confirm_bugs import BUGS, LogitsOnly, Planted
from promptlint.confirm.equivalence import equivalence
from promptlint.confirm.minimal import Minimal
from promptlint.confirm.random_prompts import random_ids


@pytest.fixture(autouse=True, scope="module")
def _one_thread() -> None:
    torch.set_num_threads(1)


def prompt(seed: int) -> list[int]:
    return random_ids(256, 96, seed)


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
    exact = equivalence(Planted(stale, 3), ids)
    right = equivalence(Minimal(3, torch.bfloat16), ids)
    wrong = equivalence(Planted(stale, 3, torch.bfloat16), ids)
    assert exact.verdict == "contradicted"
    for found in (right, wrong):
        assert (found.verdict, found.suspect) == ("not_shown", None)
        assert found.logit_diff <= found.tolerance < found.control_diff
        assert found.unseen.startswith("in bfloat16 an error below 0.")
        assert found.unseen in found.why
    assert exact.logit_diff < 2 * wrong.tolerance  # what is hidden is the error that float32 shows


@pytest.mark.parametrize("name", BUGS)
def test_half_precision_gives_no_wrong_name(name: str) -> None:
    found = equivalence(Planted(BUGS[name], 0, torch.bfloat16), prompt(0))
    assert found.verdict != "confirmed"
    assert found.suspect in (None, "unclear", BUGS[name].suspect), found.suspect_why
    if name in ("rope_restart", "mask_drop_prefix", "layer_swap", "kv_swap_one_layer", "head_perm", "stale_block"):
        assert found.verdict == "contradicted"
