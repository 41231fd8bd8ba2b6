"""Bugs that look like others: a wrong name costs more time than none."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import pytest
import torch
from torch import Tensor

from confirm_bugs import Bug, LogitsOnly, Planted
from promptlint.confirm import minimal
from promptlint.confirm.equivalence import equivalence
from promptlint.confirm.minimal import Cache, LayerCache, Minimal
from promptlint.confirm.random_prompts import random_ids


@pytest.fixture(autouse=True, scope="module")
def _one_thread() -> None:
    torch.set_num_threads(1)


def masked(seen: Callable[[Tensor, Tensor], Tensor]) -> Callable[[int], Planted]:
    bug = Bug("mask", "mask", mask=lambda rows, columns, before: (columns <= rows) & seen(rows, columns))
    return lambda seed: Planted(bug, seed)


def placed(start: Callable[[int], int]) -> Callable[[int], Planted]:
    return lambda seed: Planted(Bug("unclear", "unclear", start=start), seed)


class Sharper(Minimal):
    """Behind a cache the scores of attention are scaled otherwise."""

    def append(self, cache: Cache, ids: Sequence[int]) -> tuple[Tensor, Cache]:
        if not cache[0].keys.shape[1]:
            return super().append(cache, ids)
        own = self.layers
        self.layers = tuple(layer._replace(query=layer.query * 1.2) for layer in own)
        try:
            return super().append(cache, ids)
        finally:
            self.layers = own


class Turned(Minimal):
    """Behind a cache positions turn keys at another speed."""

    def append(self, cache: Cache, ids: Sequence[int]) -> tuple[Tensor, Cache]:
        with pytest.MonkeyPatch.context() as patch:
            if cache[0].keys.shape[1]:
                patch.setattr(minimal, "THETA", 500_000.0)
            return super().append(cache, ids)


class Unscaled(Minimal):
    """Behind a cache scores are not divided by the root of the head size."""

    def append(self, cache: Cache, ids: Sequence[int]) -> tuple[Tensor, Cache]:
        with pytest.MonkeyPatch.context() as patch:
            if cache[0].keys.shape[1]:
                patch.setattr(minimal, "look", lambda q, k, v: _LOOK(q * math.sqrt(q.shape[-1]), k, v))
            return super().append(cache, ids)


class OtherQueries(Minimal):
    """Behind a cache two heads of queries are exchanged."""

    def append(self, cache: Cache, ids: Sequence[int]) -> tuple[Tensor, Cache]:
        with pytest.MonkeyPatch.context() as patch:
            if cache[0].keys.shape[1]:
                patch.setattr(minimal, "look", lambda q, k, v: _LOOK(q[[0, 2, 1, 3]], k, v))
            return super().append(cache, ids)


class Noisy(Minimal):
    """Behind a cache chance has a part in the logits."""

    keys_values: Any = None

    def append(self, cache: Cache, ids: Sequence[int]) -> tuple[Tensor, Cache]:
        logits, longer = super().append(cache, ids)
        return (logits + torch.randn_like(logits) * 1e-2 if cache[0].keys.shape[1] else logits), longer


class WrongAlone(Minimal):
    """A single token behind a cache is taken for another one."""

    def append(self, cache: Cache, ids: Sequence[int]) -> tuple[Tensor, Cache]:
        single = cache[0].keys.shape[1] and len(ids) == 1
        return super().append(cache, [(ids[0] + 1) % self.vocabulary] if single else ids)


_LOOK = minimal.look


def kept(change: Callable[[Tensor], Tensor], keys_only: bool = False) -> Callable[[int], Planted]:
    def changed(model: Planted, cache: Cache) -> Cache:
        return tuple(LayerCache(change(one.keys), one.values if keys_only else change(one.values)) for one in cache)

    return lambda seed: Planted(Bug("unclear", "unclear", kept=changed), seed)


def without_partial(tensor: Tensor, size: int = 64) -> Tensor:
    full = tensor.shape[1] // size * size
    return torch.cat([tensor[:, :full], torch.zeros_like(tensor[:, full:])], 1)


WINDOW = masked(lambda rows, columns: columns > rows - 32)
VARIANTS: dict[str, tuple[Callable[[int], Any], set[str]]] = {
    "the softmax is 1.2 times as sharp": (Sharper, {"unclear"}),
    "rotation of another speed": (Turned, {"unclear"}),
    "the first token is masked": (masked(lambda rows, columns: columns > 0), {"mask", "unclear"}),
    "the last 32 keys only": (WINDOW, {"mask"}),
    "the last 64 keys only": (masked(lambda rows, columns: columns > rows - 64), {"mask"}),
    "scores are not scaled": (Unscaled, {"unclear"}),
    "other heads of queries": (OtherQueries, {"unclear"}),
    "chance": (Noisy, {"unclear"}),
    "a single token is another": (WrongAlone, {"unclear"}),
    "keys are rotated twice": (
        kept(lambda t: minimal.rotated(t, torch.arange(t.shape[1])), keys_only=True),
        {"unclear"},
    ),
    "the last 100 keys only": (masked(lambda rows, columns: columns > rows - 100), {"mask", "unclear"}),
    "100 tokens of the prefix are kept": (
        lambda seed: Planted(Bug("mask", "mask", mask=lambda r, c, before: (c <= r) & (c >= before - 100)), seed),
        {"mask", "unclear"},
    ),
    "the block of 64 that is not full": (kept(without_partial), {"partial-block"}),
    "positions end at 40": (placed(lambda before: min(before, 40)), {"position-offset", "unclear"}),
    "positions of whole blocks": (placed(lambda before: (before + 15) // 16 * 16), {"position-offset", "unclear"}),
}


@pytest.mark.parametrize("alone", [False, True])
@pytest.mark.parametrize("name", VARIANTS)
def test_a_bug_that_looks_like_another_gets_no_wrong_name(name: str, alone: bool) -> None:
    made, names = VARIANTS[name]
    for seed in range(2):
        model = LogitsOnly(made(seed)) if alone else made(seed)
        found = equivalence(model, random_ids(256, 160, seed))
        assert (seed, found.verdict) == (seed, "contradicted")
        assert found.suspect in names, found.suspect_why


@pytest.mark.parametrize("alone", [False, True])
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("scores are not scaled", "or how they are weighed"),
        ("other heads of queries", "or how they are weighed"),
        ("chance", "it is not deterministic"),
        ("a single token is another", "and a single one is wrong"),
        ("the last 100 keys only", "which tokens are seen"),
        ("100 tokens of the prefix are kept", "right behind 85 tokens, wrong behind 143: it begins at some length"),
        ("the block of 64 that is not full", "of 64 that is not full"),
        ("the first token is masked", "the first token of a prefix cannot be seen"),
        ("keys are rotated twice", "rotated a second time"),
    ],
)
def test_what_is_said_of_it_is_true(name: str, words: str, alone: bool) -> None:
    model = VARIANTS[name][0](0)
    found = equivalence(LogitsOnly(model) if alone else model, random_ids(256, 160, 0))
    if alone and name == "keys are rotated twice":
        words = "or how they are weighed"  # from logits alone
    assert words in found.suspect_why


def test_a_window_is_told_by_its_width() -> None:
    found = equivalence(WINDOW(0), random_ids(256, 160, 0))
    assert found.suspect_why == "behind the cache a token sees the last 32 tokens at most, itself among them"


@pytest.fixture
def _eight_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Activations as 8 bits and one scale for all tokens of a call."""
    exact = minimal.normed

    def rounded(x: Tensor) -> Tensor:
        step = exact(x).abs().max() / 127
        return (exact(x) / step).round() * step

    monkeypatch.setattr(minimal, "normed", rounded)


@pytest.mark.usefixtures("_eight_bits")
def test_numbers_that_depend_on_what_is_computed_with_them_are_no_missing_mask() -> None:
    for seed in range(3):
        found = equivalence(Minimal(seed), random_ids(256, 160, seed))
        assert found.verdict != "confirmed"
        assert found.suspect in (None, "precision", "unclear"), found.suspect_why
        assert "hide what reuse does" in found.why or found.suspect


class Coarse(Minimal):
    """As above, but behind a cache only."""

    def append(self, cache: Cache, ids: Sequence[int]) -> tuple[Tensor, Cache]:
        if not cache[0].keys.shape[1]:
            return super().append(cache, ids)
        exact = minimal.normed

        def rounded(x: Tensor) -> Tensor:
            step = exact(x).abs().max() / 127
            return (exact(x) / step).round() * step

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(minimal, "normed", rounded)
            return super().append(cache, ids)


@pytest.mark.parametrize("alone", [False, True])
def test_coarse_numbers_behind_a_cache_are_no_missing_mask(alone: bool) -> None:
    for seed in range(2):
        model = LogitsOnly(Coarse(seed)) if alone else Coarse(seed)
        found = equivalence(model, random_ids(256, 160, seed))
        assert found.verdict == "contradicted"
        assert found.suspect in ("precision", "unclear"), found.suspect_why
