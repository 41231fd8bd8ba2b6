"""The same bugs, planted around a random Llama of transformers: what happens to positions, masks and its cache."""

import copy
from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from torch import Tensor

from promptlint.confirm_facts import Suspect

VOCABULARY = 512
Tensors = list[tuple[Tensor, Tensor]]  # keys and values of each layer, [1, kv heads, positions, head size]
Mask = Callable[[Tensor, Tensor, int], Tensor]


def causal(rows: Tensor, columns: Tensor, before: int) -> Tensor:
    return columns <= rows


class Bug(NamedTuple):
    """What goes wrong where tokens are appended, and the names that are right."""

    suspect: Suspect  # where keys and values can be read
    alone: Suspect  # from logits alone
    mask: Mask = causal
    start: Callable[[int], int] = lambda before: before
    kept: Callable[[Tensors], Tensors] | None = None


def every(change: Callable[[Tensor], Tensor]) -> Callable[[Tensors], Tensors]:
    return lambda layers: [(change(k), change(v)) for k, v in layers]


def one(number: int, change: Callable[[Tensor, Tensor], tuple[Tensor, Tensor]]) -> Callable[[Tensors], Tensors]:
    return lambda layers: [change(k, v) if i == number else (k, v) for i, (k, v) in enumerate(layers)]


def stale_block(t: Tensor) -> Tensor:
    """The second block holds what the first one does."""
    return torch.cat([t[:, :, :16], t[:, :, :16], t[:, :, 32:]], 2) if t.shape[2] >= 32 else t


def stale_token(k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
    """One token's values, in one layer, were never written."""
    wrong = v.clone()
    wrong[:, :, 10:11] = 0
    return k, wrong


def partial_zero(t: Tensor) -> Tensor:
    full = t.shape[2] // 16 * 16
    return torch.cat([t[:, :, :full], torch.zeros_like(t[:, :, full:])], 2)


def in_full_blocks(rows: Tensor, columns: Tensor, before: int) -> Tensor:
    return (columns <= rows) & ((columns < before - before % 16) | (columns >= before))


BUGS: dict[str, Bug] = {
    "rope_off_by_one": Bug("position-offset", "unclear", start=lambda before: before + 1),
    "rope_restart": Bug("position-restart", "position-restart", start=lambda before: 0),
    "mask_no_causal_in_chunk": Bug("mask", "mask", mask=lambda r, c, before: torch.ones_like(c <= r)),
    "mask_drop_prefix": Bug("prefix-unseen", "prefix-unseen", mask=lambda r, c, before: (c <= r) & (c >= before)),
    "mask_drop_last_prefix_token": Bug("mask", "mask", mask=lambda r, c, before: (c <= r) & (c != before - 1)),
    "layer_swap": Bug("layers-swapped", "unclear", kept=lambda layers: [layers[1], layers[0], *layers[2:]]),
    "kv_swap_one_layer": Bug("keys-values-swapped", "unclear", kept=one(1, lambda k, v: (v, k))),
    "stale_block": Bug("stale-block", "stale-block", kept=every(stale_block)),
    "one_layer_stale_token": Bug("stale-block", "stale-block", kept=one(1, stale_token)),
    "head_perm": Bug("heads-permuted", "unclear", kept=every(lambda t: t.flip(1))),
    "fp8_kv": Bug("precision", "precision", kept=every(lambda t: t.to(torch.float8_e4m3fn).to(t.dtype))),
    "bf16_kv": Bug("precision", "precision", kept=every(lambda t: t.to(torch.bfloat16).to(t.dtype))),
    "partial_block_unseen": Bug("partial-block", "partial-block", mask=in_full_blocks),
    "partial_block_zero": Bug("partial-block", "partial-block", kept=every(partial_zero)),
}


def random_llama(seed: int, dtype: torch.dtype = torch.float32) -> Any:
    """A Llama of three layers with random weights, attention computed openly."""
    from transformers import LlamaConfig, LlamaForCausalLM

    settings: dict[str, Any] = {
        "vocab_size": VOCABULARY, "hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 3,
        "num_attention_heads": 4, "num_key_value_heads": 2, "max_position_embeddings": 1024,
        "initializer_range": 0.15, "attn_implementation": "eager",
    }  # fmt: skip
    state = torch.get_rng_state()
    torch.manual_seed(seed)
    model: Any = LlamaForCausalLM(LlamaConfig(**settings))
    torch.set_rng_state(state)
    return model.to(dtype).eval()


class Wrapped:
    """A model of transformers as an implementation under test, with a bug or none."""

    vocabulary = VOCABULARY

    def __init__(self, model: Any, bug: Bug | None = None) -> None:
        self.model = model
        self.bug = bug
        self.dtype = str(model.dtype)

    def prefill(self, ids: list[int]) -> tuple[Tensor, Any]:
        from transformers import DynamicCache

        return self._run(ids, DynamicCache(config=self.model.config), 0, None)

    def append(self, cache: Any, ids: list[int]) -> tuple[Tensor, Any]:
        before = cache.get_seq_length()
        if self.bug and self.bug.kept:
            changed = self.bug.kept([(layer.keys, layer.values) for layer in cache.layers])
            for layer, (keys, values) in zip(cache.layers, changed, strict=True):
                layer.keys, layer.values = keys.clone(), values.clone()
        return self._run(ids, cache, before, self.bug)

    def _run(self, ids: list[int], cache: Any, before: int, bug: Bug | None) -> tuple[Tensor, Any]:
        places = torch.arange(before, before + len(ids))
        seen = (bug.mask if bug else causal)(places[:, None], torch.arange(before + len(ids))[None, :], before)
        hidden = torch.zeros(seen.shape, dtype=self.model.dtype).masked_fill(~seen, torch.finfo(self.model.dtype).min)
        positions = places - before + (bug.start(before) if bug else before)
        done = self.model(
            torch.tensor([ids]), attention_mask=hidden[None, None], position_ids=positions[None],
            cache=cache, use_cache=True,
        )  # fmt: skip
        return done.logits, cache

    def fork(self, cache: Any) -> Any:
        return copy.deepcopy(cache)

    def keys_values(self, cache: Any) -> list[tuple[Tensor, Tensor]]:
        return [(layer.keys, layer.values) for layer in cache.layers]
