"""The bugs of test_confirm_mutations.py around a random Llama of transformers."""

from typing import Any

import pytest
import torch

import confirm_transformers_bugs as llama
from confirm_bugs import LogitsOnly
from promptlint.confirm.equivalence import equivalence
from promptlint.confirm.random_prompts import random_ids


@pytest.fixture(autouse=True, scope="module")
def _one_thread() -> None:
    torch.set_num_threads(1)


@pytest.fixture(scope="module")
def llamas() -> list[Any]:
    return [llama.random_llama(seed) for seed in range(4)]


def prompt(seed: int) -> list[int]:
    return random_ids(llama.VOCABULARY, 96, seed)


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


def test_in_bfloat16_a_stale_token_is_found_in_what_is_kept(llamas: list[Any]) -> None:
    ids = random_ids(256, 448, 1)
    bug = llama.BUGS["one_layer_stale_token"]
    half = llama.random_llama(3, torch.bfloat16)
    assert equivalence(llama.Wrapped(llamas[3], bug), ids).verdict == "contradicted"
    right, wrong = equivalence(llama.Wrapped(half), ids), equivalence(llama.Wrapped(half, bug), ids)
    assert (right.verdict, right.suspect) == ("confirmed", None), right.why
    assert right.unseen.startswith("in bfloat16 an error in reading the cache below 0.")
    assert (wrong.verdict, wrong.suspect) == ("contradicted", "stale-block"), wrong.why
    assert wrong.logit_diff <= 2 * wrong.tolerance  # which the logits alone would not show
