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
    found = equivalence(LogitsOnly(Planted(bug, 0)), prompt(0))
    assert (found.verdict, found.suspect) == ("contradicted", bug.alone), found.suspect_why


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


@pytest.mark.parametrize("alone", [False, True])
@pytest.mark.parametrize(("size", "newest"), [(16, False), (16, True), (64, False)])
def test_a_block_that_is_reused_behind_another_beginning_is_found(size: int, newest: bool, alone: bool) -> None:
    for seed in range(3):
        model = confirm_bugs.ByContent(seed, size, newest)
        found = equivalence(LogitsOnly(model) if alone else model, random_ids(256, 160, seed))
        assert (found.verdict, found.suspect) == ("contradicted", "stale-block"), found.why
        rows = {split.name: split.logit_diff for split in found.splits}
        assert rows["other beginning"] > 10 * found.tolerance
        assert size != 16 or "a block is reused behind another beginning" in found.suspect_why
        assert max(diff for name, diff in rows.items() if not name.startswith("other ")) < found.tolerance


@pytest.mark.parametrize("newest", [False, True])
def test_a_prefix_that_is_known_by_its_first_block_only_is_found(newest: bool) -> None:
    for seed in range(3):
        found = equivalence(confirm_bugs.ByFirstBlock(seed, 16, newest), random_ids(256, 160, seed))
        assert (found.verdict, found.suspect) == ("contradicted", "stale-block"), found.suspect_why


def test_positions_that_forget_the_last_step_are_found_in_the_third_part() -> None:
    for seed in range(5):
        found = equivalence(confirm_bugs.ForgetsSteps(seed), prompt(seed))
        assert (found.verdict, found.suspect) == ("contradicted", "position-offset"), found.suspect_why
        diffs = {split.name: split.logit_diff for split in found.splits}
        assert diffs["unaligned"] < found.tolerance < diffs["in steps"]


def test_half_precision_is_confirmed_by_what_is_kept_and_says_what_it_cannot_see() -> None:
    ids = random_ids(256, 448, 1)
    found = equivalence(Minimal(3, torch.bfloat16), ids)
    assert (found.verdict, found.suspect) == ("confirmed", None)
    assert found.logit_diff <= found.tolerance < found.control_diff
    assert found.unseen.startswith("in bfloat16 an error in reading the cache below 0.")
    assert found.unseen.endswith(" % of a layer's spread, cannot be seen")
    assert found.unseen in found.why
    alone = equivalence(HalfLogitsOnly(Minimal(3, torch.bfloat16)), ids)
    assert (alone.verdict, alone.suspect) == ("not_shown", None)
    assert alone.unseen in alone.why
    assert alone.unseen.endswith("cannot be seen, such as one stale token in one layer: use float32 to confirm")


class HalfLogitsOnly(LogitsOnly):
    dtype = "bfloat16"


@pytest.mark.parametrize("seed", range(4))
def test_half_precision_finds_a_stale_token_in_what_is_kept(seed: int) -> None:
    ids, stale = random_ids(256, 448, 1), BUGS["one_layer_stale_token"]
    found = equivalence(Planted(stale, seed, torch.bfloat16), ids)
    assert (found.verdict, found.suspect) == ("contradicted", "stale-block"), found.why
    assert "position 10, layer 1" in found.suspect_why
    if seed == 3:  # where the logits alone do not show it
        assert found.logit_diff <= found.tolerance
        read_badly = equivalence(Planted(stale, seed, torch.bfloat16, stored=False), ids)
        assert (read_badly.verdict, bool(read_badly.unseen)) == ("confirmed", True)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_half_precision_accuses_no_right_model(dtype: torch.dtype) -> None:
    for seed in range(6):
        found = equivalence(Minimal(seed, dtype), random_ids(256, 160 + 9 * seed, seed), seed=seed)
        assert (seed, found.verdict, found.suspect) == (seed, "confirmed", None), found.why


@pytest.mark.parametrize("name", BUGS)
def test_half_precision_gives_no_wrong_name(name: str) -> None:
    found = equivalence(Planted(BUGS[name], 0, torch.bfloat16), prompt(0))
    assert found.verdict != "confirmed" or name == "bf16_kv"  # which is what this model keeps
    assert found.suspect in (None, "unclear", BUGS[name].suspect), found.suspect_why
    if name in ("rope_restart", "mask_drop_prefix", "layer_swap", "kv_swap_one_layer", "head_perm", "stale_block"):
        assert found.verdict == "contradicted"
