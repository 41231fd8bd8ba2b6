"""Comparing runs with and without a cache: the boundary, the noise, and controls without which nothing is believed."""

import math
from typing import Any

import pytest
import torch
from torch import Tensor

from confirm_bugs import LogitsOnly
from promptlint.confirm import minimal
from promptlint.confirm.boundary import kv_boundary
from promptlint.confirm.equivalence import Longer, equivalence
from promptlint.confirm.minimal import Minimal, byte_ids, rotated
from promptlint.confirm.precision import precision
from promptlint.confirm.random_prompts import random_ids
from promptlint.errors import PromptlintError

SYSTEM = "You are a careful assistant of a small library. Answer in one sentence. " * 3


@pytest.fixture(autouse=True, scope="module")
def _one_thread() -> None:
    torch.set_num_threads(1)


@pytest.mark.parametrize(
    ("a", "b", "first"),
    [
        (SYSTEM + "Hello", SYSTEM + "Hello, and a second turn", len(SYSTEM) + 5),  # appended
        ("2026-01-02 " + SYSTEM, "2026-01-03 " + SYSTEM, 9),  # a date in front
        (SYSTEM + "tool a" + SYSTEM, SYSTEM + "tool bb" + SYSTEM, len(SYSTEM) + 5),
        (SYSTEM, SYSTEM, len(SYSTEM)),  # an identical repeat
        ("x" + SYSTEM, "y" + SYSTEM, 0),
        ("a", "b", 0),
        ("a", "a", 1),
        ("a", "ab", 1),
        ("", "ab", 0),
    ],
)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
def test_the_first_difference_is_the_common_prefix(a: str, b: str, first: int, dtype: torch.dtype) -> None:
    for one, two in ((a, b), (b, a)):
        found = kv_boundary(Minimal(1, dtype), byte_ids(one), byte_ids(two))
        assert found.first == first, found
        if one and two:
            assert found.threshold is not None
            assert first == 0 or (found.noise or 0.0) < found.threshold / 2
            assert (found.difference is None) == (first == min(len(one), len(two)))
            assert found.difference is None or found.difference > 0.5


@pytest.mark.parametrize("seed", range(8))
def test_random_prompts_part_where_their_tokens_do(seed: int) -> None:
    model, a = Minimal(seed), random_ids(260, 300, seed)
    for place in (0, 1, 15, 16, 17, 150, 298, 299):
        b = [*a[:place], (a[place] + 3) % 260, *random_ids(260, 70 + seed, place)]
        assert kv_boundary(model, a, b).first == place


def test_it_says_why_it_cannot_tell() -> None:
    found = kv_boundary(LogitsOnly(Deaf()), [1, 2, 3], [1, 2, 4])
    assert (found.first, found.difference, found.by_logits) == (None, None, False)
    assert found.why == "keys and values cannot be read, and another token changes the logits by no more than the noise"
    found = kv_boundary(Deaf(), [1, 2, 3], [1, 2, 4])
    assert (found.first, found.why) == (None, "another token changes keys and values by no more than the noise")


@pytest.mark.parametrize("seed", range(4))
def test_without_keys_and_values_the_logits_say_where_prompts_part(seed: int) -> None:
    model, a = LogitsOnly(Minimal(seed)), random_ids(260, 150, seed)
    for place in (0, 1, 15, 16, 77, 148, 149):
        b = [*a[:place], (a[place] + 1) % 260, *random_ids(260, 30 + seed, place)]
        found = kv_boundary(model, a, b)
        assert (found.first, found.by_logits) == (place, True)
        assert found.why == "keys and values cannot be read: where a and b part is told from their logits"
    same = kv_boundary(model, a, [*a, 1])
    assert (same.first, same.difference) == (150, None)


class Few(Minimal):
    """Takes few tokens, and gives the logits of the last ones where it is asked to."""

    max_tokens = 64
    largest = 0

    def prefill(self, ids: Any, keep: int = 0) -> Any:
        logits, cache = super().prefill(ids)
        self.largest = max(self.largest, keep or len(ids))
        return logits[-keep:], cache

    def append(self, cache: Any, ids: Any) -> Any:
        assert cache[0].keys.shape[1] + len(ids) <= self.max_tokens
        return super().append(cache, ids)


@pytest.mark.parametrize("most", [45, 50, 64, 100, 112, 113])
def test_a_model_of_few_positions_is_compared_on_what_fits(most: int) -> None:
    model = Few()
    model.max_tokens = most
    found = equivalence(model, random_ids(260, 300, 1), most=most)
    assert (found.verdict, found.suspect) == ("confirmed", None), found.why
    assert found.tokens <= most
    a = random_ids(260, most, 2)
    assert kv_boundary(model, a, [*a[:30], 1 - a[30] % 2, *a[31:]], most).first == 30


def test_a_model_of_hardly_any_positions_is_refused() -> None:
    with pytest.raises(PromptlintError, match="the model takes 44 tokens; it must take 45"):
        equivalence(Minimal(), most=44)


def test_no_more_logits_are_asked_for_than_are_compared() -> None:
    model = Few()
    model.max_tokens = 10_000
    kv_boundary(model, random_ids(260, 300, 1), random_ids(260, 200, 2))
    assert model.largest == 1


class Wraps(Minimal):
    """Positions behind a cache of 300 tokens or more begin anew at 256."""

    def append(self, cache: Any, ids: Any) -> Any:
        with pytest.MonkeyPatch.context() as patch:
            if cache[0].keys.shape[1] >= 300:
                patch.setattr(minimal, "rotated", lambda x, places: rotated(x, places % 256))
            return super().append(cache, ids)


def test_a_bug_that_begins_at_some_length_is_found_by_a_longer_prompt() -> None:
    ids = random_ids(260, 700, 1)
    assert equivalence(Wraps(), ids[:256]).verdict == "confirmed"
    right = equivalence(Minimal(), ids[:256], longer=[Longer("predicted", ids, 629)])
    assert right.verdict == "confirmed"
    found = equivalence(Wraps(), ids[:256], longer=[Longer("predicted", ids, 629)])
    assert (found.verdict, found.suspect) == ("contradicted", "unclear")
    assert found.suspect_why == "right behind 255 tokens, wrong behind 629: it begins at some length"
    assert (found.splits[-1].name, found.splits[-1].prefix_tokens, found.splits[-1].suffix_tokens) == (
        "predicted", 629, 71,
    )  # fmt: skip


class Never(Minimal):
    """Some ids never come."""

    def append(self, cache: Any, ids: Any) -> Any:
        logits, longer = super().append(cache, ids)
        logits[:, 250:] = -math.inf
        return logits, longer


class SometimesNever(Minimal):
    """Behind a cache some ids never come."""

    def append(self, cache: Any, ids: Any) -> Any:
        logits, longer = super().append(cache, ids)
        if cache[0].keys.shape[1]:
            logits[:, 250:] = -math.inf
        return logits, longer


def test_ids_that_never_come_are_no_error_where_all_runs_agree() -> None:
    assert equivalence(Never()).verdict == "confirmed"
    assert equivalence(SometimesNever()).verdict == "contradicted"


class Deaf(Minimal):
    """Every token is the same to it, and there is a constant for each position."""

    def append(self, cache: Any, ids: Any) -> Any:
        return super().append(cache, [7] * len(ids))


class Window(Minimal):
    """Gives the last positions of each layer, as a layer with a window does; `held`: how many, 0 for all."""

    def __init__(self, *held: int) -> None:
        super().__init__()
        self.held = held

    def keys_values(self, cache: Any) -> list[tuple[Tensor, Tensor]]:
        layers = zip(super().keys_values(cache), self.held, strict=True)
        return [(k[:, -n:], v[:, -n:]) for (k, v), n in layers]


@pytest.mark.parametrize("held", [(0, 0, 0), (20, 20, 0), (20, 20, 20), (8, 20, 33), (7, 7, 7)])
@pytest.mark.parametrize("place", [0, 3, 40, 79, 119])
def test_layers_that_hold_a_window_are_read_as_they_go(held: tuple[int, ...], place: int) -> None:
    a = random_ids(260, 120, 5)
    b = [*a[:place], (a[place] + 1) % 260, *a[place + 1 :], 9, 9]
    assert kv_boundary(Window(*held), a, b).first == place


def test_prompts_are_split_in_all_the_ways_that_matter() -> None:
    ids = random_ids(260, 200, 1)
    found = equivalence(Minimal(), ids, longer=[Longer("predicted", ids, 33)])
    rows = {split.name: (split.prefix_tokens, split.suffix_tokens) for split in found.splits}
    assert rows == {
        "aligned": (96, 104), "unaligned": (101, 99), "predicted": (33, 167), "in steps": (101, 99),
        "last token": (199, 1), "other donor": (96, 104), "second donor": (101, 99),
            "other middle": (183, 17), "other beginning": (183, 17),
    }  # fmt: skip
    assert found.verdict == "confirmed"
    assert found.logit_diff == max(split.logit_diff for split in found.splits)
    assert found.noise <= found.tolerance / 20
    assert "caches that are wrong on purpose differ by" in found.why


@pytest.mark.parametrize("ids", [None, [], [5], list(range(95)), list(range(97))])
def test_a_short_prompt_is_continued(ids: list[int] | None) -> None:
    found = equivalence(Minimal(), ids)
    assert (found.verdict, found.tokens) == ("confirmed", max(96, len(ids)) if ids else 160)
    least = {"last token": 1, "other middle": 17, "other beginning": 17}
    assert all(split.suffix_tokens >= least.get(split.name, 32) for split in found.splits)


def test_where_wrong_caches_do_not_stand_out_nothing_is_shown() -> None:
    found = equivalence(Deaf())
    assert found.verdict == "not_shown"
    assert found.logit_diff <= found.tolerance
    assert "a cache that is wrong on purpose differs by only" in found.why


class Faint(Minimal):
    """What stands ahead of a token moves its logits by no more than a little."""

    def append(self, cache: Any, ids: Any) -> Any:
        logits, longer = super().append(cache, ids)
        own = torch.cat([Minimal.prefill(self, [token])[0] for token in ids]) if cache[0].keys.shape[1] else logits
        return own + 1e-6 * logits, longer

    def prefill(self, ids: Any) -> Any:
        logits, cache = super().prefill(ids)
        return torch.cat([super(Faint, self).prefill([token])[0] for token in ids]) + 1e-6 * logits, cache


def test_a_model_that_does_not_listen_to_its_prefix_shows_nothing() -> None:
    found = equivalence(Faint())
    assert found.verdict == "not_shown"
    assert found.control_diff < found.tolerance


class Chance(Minimal):
    """Dropout was left on."""

    def append(self, cache: Any, ids: Any) -> Any:
        logits, longer = super().append(cache, ids)
        return torch.nn.functional.dropout(logits, 0.1, training=True), longer


def test_chance_is_told_apart_from_error() -> None:
    found = equivalence(Chance())
    assert (found.verdict, found.suspect) == ("not_shown", None)
    assert "two equal runs without a cache differ" in found.why


class Encoder(Minimal):
    """Tokens see what follows them: the last one is added to all."""

    def append(self, cache: Any, ids: Any) -> Any:
        logits, longer = super().append(cache, ids)
        return logits + logits[-1:], longer


def test_a_model_that_is_not_causal_is_no_matter_of_the_cache() -> None:
    found = equivalence(Encoder())
    assert (found.verdict, found.suspect) == ("contradicted", "mask")
    assert "with no cache in use" in found.why


class Near(Minimal):
    """Off by twice the tolerance behind a cache: no noise, and not clearly an error."""

    def append(self, cache: Any, ids: Any) -> Any:
        logits, longer = super().append(cache, ids)
        return logits + (2e-4 if cache[0].keys.shape[1] else 0), longer


def test_what_is_near_the_noise_is_neither() -> None:
    found = equivalence(Near())
    assert (found.verdict, found.suspect) == ("not_shown", None)
    assert "not clearly more" in found.why


def test_limits_follow_the_precision() -> None:
    assert [precision(name).half for name in ("float64", "float32", "bfloat16", "float16", "odd")] == [
        False, False, True, True, False,
    ]  # fmt: skip
    exact, single = precision("float64"), precision("float32")
    assert 1e-13 < exact.floor * exact.epsilon < 1e-12
    assert 5e-5 < single.floor * single.epsilon < 2e-4
