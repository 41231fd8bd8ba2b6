"""Bugs of prefix caches, planted into the minimal model one at a time, each with the name that it should be given."""

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor

from promptlint.confirm.minimal import (
    HEAD_SIZE,
    HEADS,
    KV_HEADS,
    Cache,
    LayerCache,
    Minimal,
    mlp,
    normed,
    rotated,
    split,
)
from promptlint.confirm_facts import Suspect

Change = Callable[["Planted", Cache], Cache]
Mask = Callable[[Tensor, Tensor, int], Tensor]


def causal(rows: Tensor, columns: Tensor, before: int) -> Tensor:
    return columns <= rows


class Bug(NamedTuple):
    """What goes wrong in `append` behind a cache, and the names that are right."""

    suspect: Suspect  # where keys and values can be read
    alone: Suspect  # from logits alone
    mask: Mask = causal  # positions of queries [n, 1], of keys [1, m], tokens before -> what may be seen
    start: Callable[[int], int] = lambda before: before  # position of the first appended token
    kept: Change | None = None  # changes what is kept of the prefix, ahead of use


def layer(cache: Cache, number: int, keys: Tensor | None = None, values: Tensor | None = None) -> Cache:
    """The cache with other keys or values in one layer."""
    old = cache[number]
    new = LayerCache(old.keys if keys is None else keys, old.values if values is None else values)
    return (*cache[:number], new, *cache[number + 1 :])


def every(change: Callable[[Tensor], Tensor]) -> Change:
    return lambda model, cache: tuple(LayerCache(change(kept.keys), change(kept.values)) for kept in cache)


def cast(dtype: torch.dtype) -> Change:
    return every(lambda t: t.to(dtype).to(t.dtype))


def stale_block(model: "Planted", cache: Cache) -> Cache:
    """The second block is that of another prompt."""
    length = cache[0].keys.shape[1]
    if length < 32:
        return cache
    old = model.prefill([(7 * i + 3) % 251 for i in range(length)])[1]
    return tuple(
        LayerCache(*(torch.cat([a[:, :16], b[:, 16:32], a[:, 32:]], 1) for a, b in zip(kept, other, strict=True)))
        for kept, other in zip(cache, old, strict=True)
    )


def block_twice(t: Tensor) -> Tensor:
    """The third block is the first one again: a wrong entry of a block table."""
    return torch.cat([t[:, :32], t[:, :16], t[:, 48:]], 1) if t.shape[1] >= 48 else t


def stale_token(model: "Planted", cache: Cache) -> Cache:
    """One token's values, in one layer, were never written."""
    values = cache[1].values.clone()
    values[:, 10:11] = 0
    return layer(cache, 1, values=values)


def partial_zero(t: Tensor) -> Tensor:
    full = t.shape[1] - t.shape[1] % 16
    return torch.cat([t[:, :full], torch.zeros_like(t[:, full:])], 1)


def values_late(model: "Planted", cache: Cache) -> Cache:
    """Values of the block that is not full stand one place too far. (Keys and values together would do no harm.)"""
    full = cache[0].keys.shape[1] // 16 * 16
    late = [torch.cat([kept.values[:, :full], kept.values[:, full:].roll(1, 1)], 1) for kept in cache]
    return tuple(LayerCache(kept.keys, values) for kept, values in zip(cache, late, strict=True))


def seen_in_full_blocks(rows: Tensor, columns: Tensor, before: int) -> Tensor:
    return causal(rows, columns, before) & ((columns < before - before % 16) | (columns >= before))


BUGS: dict[str, Bug] = {
    "rope_off_by_one": Bug("position-offset", "unclear", start=lambda before: before + 1),
    "rope_one_back": Bug("position-offset", "unclear", start=lambda before: before - 1),
    "rope_restart": Bug("position-restart", "position-restart", start=lambda before: 0),
    "mask_no_causal_in_chunk": Bug("mask", "mask", mask=lambda r, c, before: torch.ones_like(c <= r)),
    "mask_sees_the_next": Bug("mask", "mask", mask=lambda r, c, before: c <= r + 1),
    "mask_not_itself": Bug("mask", "mask", mask=lambda r, c, before: c < r),
    "mask_not_the_one_ahead": Bug("mask", "mask", mask=lambda r, c, before: (c <= r) & (c != r - 1)),
    "mask_drop_prefix": Bug("prefix-unseen", "prefix-unseen", mask=lambda r, c, before: (c <= r) & (c >= before)),
    "mask_drop_last_prefix_token": Bug("mask", "mask", mask=lambda r, c, before: (c <= r) & (c != before - 1)),
    "layer_swap": Bug("layers-swapped", "unclear", kept=lambda model, cache: (cache[1], cache[0], cache[2])),
    "layer_swap_behind": Bug("layers-swapped", "unclear", kept=lambda model, cache: (cache[0], cache[2], cache[1])),
    "kv_swap_one_layer": Bug(
        "keys-values-swapped", "unclear", kept=lambda model, cache: layer(cache, 1, cache[1].values, cache[1].keys)
    ),
    "head_perm": Bug("heads-permuted", "unclear", kept=every(lambda t: t.flip(0))),
    "head_perm_values_of_one_layer": Bug(
        "heads-permuted", "unclear", kept=lambda model, cache: layer(cache, 2, values=cache[2].values.flip(0))
    ),
    "stale_block": Bug("stale-block", "stale-block", kept=stale_block),
    "stale_block_table": Bug("stale-block", "stale-block", kept=every(block_twice)),
    "one_layer_stale_token": Bug("stale-block", "stale-block", kept=stale_token),
    "fp8_kv": Bug("precision", "precision", kept=cast(torch.float8_e4m3fn)),
    "bf16_kv": Bug("precision", "precision", kept=cast(torch.bfloat16)),
    "partial_block_unseen": Bug("partial-block", "partial-block", mask=seen_in_full_blocks),
    "partial_block_zero": Bug("partial-block", "partial-block", kept=every(partial_zero)),
    "partial_block_late": Bug("partial-block", "unclear", kept=values_late),
}


class Planted(Minimal):
    """The minimal model with a bug in what it does behind a cache; prompts that are computed whole are right."""

    def __init__(self, bug: Bug, seed: int = 0, dtype: torch.dtype = torch.float32, stored: bool = True) -> None:
        """`stored`: what is changed is kept; else only attention reads it so, and `keys_values` shows nothing."""
        super().__init__(seed, dtype)
        self.bug = bug
        self.stored = stored

    def append(self, cache: Cache, ids: Sequence[int]) -> tuple[Tensor, Cache]:
        before = cache[0].keys.shape[1]
        if before == 0:
            return super().append(cache, ids)
        read = self.bug.kept(self, cache) if self.bug.kept else cache
        kept = read if self.stored else cache
        places = torch.arange(before, before + len(ids))
        positions = places - before + self.bug.start(before)
        seen = self.bug.mask(places[:, None], torch.arange(before + len(ids))[None, :], before)
        x, longer = self.embedding[torch.tensor(ids)], []
        for weights, attended, stored in zip(self.layers, read, kept, strict=True):
            q = rotated(split(normed(x) @ weights.query, HEADS), positions)
            k = rotated(split(normed(x) @ weights.key, KV_HEADS), positions)
            v = split(normed(x) @ weights.value, KV_HEADS)
            keys, values = torch.cat([attended.keys, k], 1), torch.cat([attended.values, v], 1)
            longer.append(LayerCache(torch.cat([stored.keys, k], 1), torch.cat([stored.values, v], 1)))
            shared = HEADS // KV_HEADS
            scores = q @ keys.repeat_interleave(shared, 0).transpose(1, 2) / math.sqrt(HEAD_SIZE)
            share = scores.masked_fill(~seen, -math.inf).softmax(-1)
            found = (share @ values.repeat_interleave(shared, 0)).transpose(0, 1).reshape(len(ids), -1)
            x = x + found @ weights.output
            x = x + mlp(weights, normed(x))
        return normed(x) @ self.head, tuple(longer)


OF_THE_EXPERIMENT = (
    "rope_off_by_one", "rope_restart", "mask_no_causal_in_chunk", "mask_drop_prefix", "mask_drop_last_prefix_token",
    "layer_swap", "kv_swap_one_layer", "stale_block", "one_layer_stale_token", "head_perm", "fp8_kv", "bf16_kv",
    "partial_block_unseen", "partial_block_zero",
)  # fmt: skip
"""Those that stand for the kinds; the others are variants of them."""


class LogitsOnly:
    """An implementation whose cache cannot be looked into."""

    def __init__(self, model: Any) -> None:
        self.prefill, self.append, self.vocabulary = model.prefill, model.append, model.vocabulary


class SharedList(Minimal):
    """A copy of the cache that is none: what another request has put behind the prefix stays there."""

    def fork(self, cache: Any) -> Any:
        return cache

    def prefill(self, ids: Sequence[int]) -> tuple[Tensor, Any]:
        logits, cache = super().prefill(ids)
        return logits, [cache]

    def append(self, cache: Any, ids: Sequence[int]) -> tuple[Tensor, Any]:
        if isinstance(cache, tuple):
            return super().append(cache, ids)
        logits, cache[0] = super().append(cache[0], ids)
        return logits, cache

    def keys_values(self, cache: Any) -> list[tuple[Tensor, Tensor]]:
        return super().keys_values(cache[0])


class SharedPool(SharedList):
    """Blocks come from a pool; the third one is given away again while it is still in use."""

    def __init__(self, seed: int = 0) -> None:
        super().__init__(seed)
        self.pool: Cache = ()

    def prefill(self, ids: Sequence[int]) -> tuple[Tensor, Any]:
        logits, cache = Minimal.prefill(self, ids)
        if len(ids) >= 48:
            self.pool = tuple(LayerCache(kept.keys[:, 32:48], kept.values[:, 32:48]) for kept in cache)
        return logits, cache

    def append(self, cache: Any, ids: Sequence[int]) -> tuple[Tensor, Any]:
        if cache[0].keys.shape[1] >= 48:
            cache = tuple(
                LayerCache(*(torch.cat([t[:, :32], new, t[:, 48:]], 1) for t, new in zip(kept, block, strict=True)))
                for kept, block in zip(cache, self.pool, strict=True)
            )
        return Minimal.append(self, cache, ids)

    def keys_values(self, cache: Any) -> list[tuple[Tensor, Tensor]]:
        return Minimal.keys_values(self, cache)


class ByContent(Minimal):
    """Blocks of a prefix are kept by their own tokens, whatever stands ahead of them."""

    def __init__(self, seed: int = 0, size: int = 16, newest: bool = False) -> None:
        """`newest`: of two requests that have a block, the later one's is kept, not the earlier one's."""
        super().__init__(seed)
        self.size, self.newest = size, newest
        self.pool: dict[Any, Cache] = {}

    def key(self, ids: Sequence[int], start: int) -> Any:
        return start, tuple(ids[start : start + self.size])

    def prefill(self, ids: Sequence[int]) -> tuple[Tensor, Any]:
        logits, cache = super().prefill(ids)
        for start in range(0, len(ids) - self.size + 1, self.size):
            block = tuple(LayerCache(*(t[:, start : start + self.size] for t in kept)) for kept in cache)
            if self.newest or self.key(ids, start) not in self.pool:
                self.pool[self.key(ids, start)] = block
        return logits, (cache, list(ids))

    def append(self, cache: Any, ids: Sequence[int]) -> tuple[Tensor, Any]:
        if isinstance(cache[0], LayerCache):
            return super().append(cache, ids)
        (kept, before), size = cache, self.size
        for start in range(0, len(before) - size + 1, size):
            block = self.pool.get(self.key(before, start))
            if block is not None:
                kept = tuple(
                    LayerCache(*(torch.cat([t[:, :start], b[i], t[:, start + size :]], 1) for i, t in enumerate(one)))
                    for one, b in zip(kept, block, strict=True)
                )
        logits, longer = super().append(kept, ids)
        return logits, (longer, [*before, *ids])

    def keys_values(self, cache: Any) -> list[tuple[Tensor, Tensor]]:
        return super().keys_values(cache[0])


class ByFirstBlock(ByContent):
    """All blocks are kept by the first one of their request."""

    def key(self, ids: Sequence[int], start: int) -> Any:
        return start, tuple(ids[: self.size])


class ForgetsSteps(Minimal):
    """Positions are counted from the end of the prompt, so that a second append stands where the first one did."""

    def prefill(self, ids: Sequence[int]) -> tuple[Tensor, Any]:
        logits, cache = super().prefill(ids)
        return logits, (cache, len(ids))

    def append(self, cache: Any, ids: Sequence[int]) -> tuple[Tensor, Any]:
        if not isinstance(cache[1], int):
            return super().append(cache, ids)
        kept, counted = cache
        late = Bug("unclear", "unclear", start=lambda before: counted)
        logits, longer = Planted.append(_as_planted(self, late), kept, ids)
        return logits, (longer, counted)

    def keys_values(self, cache: Any) -> list[tuple[Tensor, Tensor]]:
        return super().keys_values(cache[0])


def _as_planted(model: Minimal, bug: Bug) -> Planted:
    """The same weights with another bug."""
    planted = Planted.__new__(Planted)
    planted.__dict__.update(model.__dict__, bug=bug, stored=True)
    return planted
