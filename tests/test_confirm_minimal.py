"""The minimal model: what is computed with the cache is what is computed without, and nothing else has a part in it."""

import ast
import random
from pathlib import Path

import pytest
import torch

from conftest import ROOT
from promptlint.confirm import minimal
from promptlint.confirm.implementation import Checked, checked
from promptlint.confirm.minimal import Minimal, byte_ids, rotated
from promptlint.confirm.random_prompts import random_ids


@pytest.fixture(autouse=True, scope="module")
def _one_thread() -> None:
    torch.set_num_threads(1)


def test_it_is_small_and_needs_torch_alone() -> None:
    text = Path(minimal.__file__).read_text("utf-8")
    assert text.count("\n") <= 200
    names = {n.module for n in ast.walk(ast.parse(text)) if isinstance(n, ast.ImportFrom)}
    assert names <= {"collections.abc", "typing", "torch", "torch.nn.functional"}
    assert 850_000 < Minimal().parameters() < 1_000_000
    assert (ROOT / "promptlint" / "confirm" / "minimal.py").samefile(minimal.__file__)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("split", [1, 15, 16, 17, 64, 65, 198, 199])
def test_reuse_gives_what_recomputing_gives(dtype: torch.dtype, split: int) -> None:
    model, ids = Minimal(3, dtype), random_ids(260, 200, 1)
    whole = model.recompute(ids)
    first, cache = model.prefill(ids[:split])
    second, longer = model.append(cache, ids[split:])
    noise = 1e-4 if dtype == torch.float32 else 1e-12
    assert (torch.cat([first, second]) - whole).abs().max() < noise
    for (keys, values), (kept_keys, kept_values) in zip(model.prefill(ids)[1], longer, strict=True):
        assert keys.shape == (2, 200, 32)
        assert (keys - kept_keys).abs().max() < noise
        assert (values - kept_values).abs().max() < noise


def test_a_cache_is_not_changed_by_what_is_appended() -> None:
    model, ids = Minimal(), random_ids(260, 60, 1)
    _, cache = model.prefill(ids[:40])
    copies = [(k.clone(), v.clone()) for k, v in cache]
    first, _ = model.append(cache, ids[40:])
    model.append(cache, random_ids(260, 30, 2))
    again, _ = model.append(cache, ids[40:])
    assert torch.equal(first, again)
    assert all(torch.equal(k, a) and torch.equal(v, b) for (k, v), (a, b) in zip(cache, copies, strict=True))


@pytest.mark.parametrize("length", [1, 63, 64, 65, 130])
def test_no_token_sees_what_follows_it(length: int) -> None:
    model, ids = Minimal(), random_ids(260, length + 70, 4)
    assert (model.recompute(ids)[:length] - model.recompute(ids[:length])).abs().max() < 1e-4


def test_weights_come_from_the_seed_alone() -> None:
    torch.manual_seed(1)
    random.seed(1)
    before = torch.get_rng_state()
    one = Minimal(5)
    assert torch.equal(torch.get_rng_state(), before)
    torch.manual_seed(2)
    assert torch.equal(one.layers[2].down, Minimal(5).layers[2].down)
    assert not torch.equal(one.head, Minimal(6).head)


@pytest.mark.parametrize("seed", range(5))
def test_one_other_token_moves_everything_behind_it_clearly(seed: int) -> None:
    model, ids = Minimal(seed), random_ids(260, 512, seed)
    changed = [*ids[:100], (ids[100] + 1) % 260, *ids[101:]]
    logits, cache = model.prefill(ids)
    other, moved = model.prefill(changed)
    assert 0.8 < logits.std() < 1.2
    assert (logits - other)[:100].abs().max() < 1e-4
    assert (logits - other)[400:].abs().max() > 0.05  # rounding is 3e-6
    for old, new in zip(cache, moved, strict=True):
        assert (old.keys - new.keys)[:, 100].abs().max() > 0.5
        assert (old.values - new.values)[:, 100].abs().max() > 0.5


def test_the_product_of_two_rotated_keys_depends_on_their_distance_alone() -> None:
    x, y = torch.randn(2, 1, 1, 32, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    near = [(rotated(x, torch.tensor([i])) * rotated(y, torch.tensor([i + 7]))).sum() for i in (0, 1, 5000)]
    assert max(near) - min(near) < 1e-10
    assert torch.equal(rotated(x, torch.tensor([0])), x)


def test_tokens_are_bytes() -> None:
    assert byte_ids("é!") == [0xC3, 0xA9, 0x21]
    assert byte_ids("\ud800") == [0xED, 0xA0, 0x80]  # a lone surrogate, as JSON may hold it
    assert max(byte_ids("\U0010ffff")) < Minimal.vocabulary


def test_everything_that_may_be_known_is_there() -> None:
    model = checked(Minimal(dtype=torch.float64))
    assert isinstance(model, Checked)
    assert checked(model) is model
    assert (model.vocabulary, model.device, model.dtype, model.attention) == (260, "cpu", "float64", "explicit")
    assert model.name == "minimal (seeded, 0.9M parameters)"
    logits, cache = model.prefill([1, 2, 3])
    assert logits.dtype == torch.float64
    assert [tuple(k.shape) for k, _ in model.keys_values(cache)] == [(2, 3, 32)] * 3
