"""The smallest model that has everything a prefix cache depends on, written to be read.

A causal decoder: three layers of attention and MLP over byte tokens. Every layer keeps the keys and values of the
tokens that it has seen. A later token looks at them through its query and never changes them; that is why they can be
used again:

    logits, cache = model.prefill(prompt)          # everything is computed
    logits, cache = model.append(cache, more)      # only `more` is computed; `cache` is read
    logits = model.recompute(prompt + more)        # the same rows at the end, up to rounding

The weights are random, drawn from a seed, and so large that one other token clearly moves keys, values and logits.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Generator, Tensor
from torch.nn.functional import silu

VOCABULARY = 260  # 256 bytes, and four ids for marks that are not text
HIDDEN = 128  # numbers that describe a token on its way through the layers
LAYERS = 3
HEADS = 4  # of queries
KV_HEADS = 2  # of keys and values: each serves two heads of queries
HEAD_SIZE = 32
MLP = 640
THETA = 10_000.0  # of the slowest rotation
SHARPNESS = 2.0  # of attention: with 1, random weights would look at all tokens alike, and one would hardly count
ROWS = 64  # queries at a time: the scores of a long prompt would not fit into the processor's own memory


class LayerWeights(NamedTuple):
    """The matrices of one layer; each is used as `x @ matrix`."""

    query: Tensor  # [HIDDEN, HEADS * HEAD_SIZE]
    key: Tensor  # [HIDDEN, KV_HEADS * HEAD_SIZE]
    value: Tensor
    output: Tensor  # [HEADS * HEAD_SIZE, HIDDEN]
    gate: Tensor  # [HIDDEN, MLP]
    up: Tensor
    down: Tensor  # [MLP, HIDDEN]


class LayerCache(NamedTuple):
    """What one layer keeps of the tokens so far: [KV_HEADS, positions, HEAD_SIZE] each."""

    keys: Tensor  # rotated by their position already
    values: Tensor  # these know no position


Cache = tuple[LayerCache, ...]


def byte_ids(text: str) -> list[int]:
    """The tokens of a text: its bytes in UTF-8."""
    return list(text.encode("utf-8", "surrogatepass"))


class Minimal:
    """The model. It is an `Implementation`; everything that `Checked` can use is there."""

    vocabulary = VOCABULARY
    name = "minimal (seeded, 0.9M parameters)"
    attention = "explicit"
    kv_shape = (LAYERS, KV_HEADS, HEAD_SIZE)

    def __init__(self, seed: int = 0, dtype: torch.dtype = torch.float32, device: str = "cpu") -> None:
        """Draw the weights from a generator of its own: nothing else in the process has a part in them."""
        self.device = device
        self.dtype = str(dtype).removeprefix("torch.")
        generator = Generator().manual_seed(seed)

        def matrix(rows: int, columns: int, scale: float = 1.0) -> Tensor:
            # Rows of unit scale stay of unit scale: a sum of `rows` products grows by the root of their number.
            weights = torch.randn(rows, columns, generator=generator) * (scale / math.sqrt(rows))
            return weights.to(device=device, dtype=dtype)

        self.embedding = matrix(VOCABULARY, HIDDEN, math.sqrt(VOCABULARY))
        self.layers = tuple(
            LayerWeights(
                query=matrix(HIDDEN, HEADS * HEAD_SIZE, SHARPNESS),
                key=matrix(HIDDEN, KV_HEADS * HEAD_SIZE),
                value=matrix(HIDDEN, KV_HEADS * HEAD_SIZE),
                output=matrix(HEADS * HEAD_SIZE, HIDDEN),
                gate=matrix(HIDDEN, MLP),
                up=matrix(HIDDEN, MLP),
                down=matrix(MLP, HIDDEN),
            )
            for _ in range(LAYERS)
        )
        self.head = matrix(HIDDEN, VOCABULARY)
        self.empty = torch.empty(KV_HEADS, 0, HEAD_SIZE, device=device, dtype=dtype)

    def parameters(self) -> int:
        """How many numbers the weights are."""
        return sum(m.numel() for m in [self.embedding, self.head, *(m for layer in self.layers for m in layer)])

    def prefill(self, ids: Sequence[int]) -> tuple[Tensor, Cache]:
        """Compute a prompt: it is appended to a cache that holds nothing."""
        return self.append((LayerCache(self.empty, self.empty),) * LAYERS, ids)

    def recompute(self, ids: Sequence[int]) -> Tensor:
        """The logits of a whole prompt, with no cache kept: what reuse has to agree with."""
        return self.prefill(ids)[0]

    def append(self, cache: Cache, ids: Sequence[int]) -> tuple[Tensor, Cache]:
        """Compute tokens behind a cache. The cache handed in is left as it was.

        Gives the logits of these tokens, [len(ids), VOCABULARY], and the longer cache.
        """
        before = cache[0].keys.shape[1]
        # A token that follows 100 others has position 100, whether they were computed just now or long ago.
        positions = torch.arange(before, before + len(ids), device=self.device)
        x = self.embedding[torch.tensor(ids, dtype=torch.long, device=self.device)]
        longer = []
        for weights, kept in zip(self.layers, cache, strict=True):
            attended, kept = attend(weights, kept, normed(x), positions)
            x = x + attended
            x = x + mlp(weights, normed(x))
            longer.append(kept)
        return normed(x) @ self.head, tuple(longer)

    def fork(self, cache: Cache) -> Cache:
        """A copy of a cache: nothing here writes into one, so it is the cache itself."""
        return cache

    def keys_values(self, cache: Cache) -> list[tuple[Tensor, Tensor]]:
        """Keys and values of each layer, [KV_HEADS, positions, HEAD_SIZE]."""
        return [(kept.keys, kept.values) for kept in cache]


def attend(weights: LayerWeights, kept: LayerCache, x: Tensor, positions: Tensor) -> tuple[Tensor, LayerCache]:
    """Let new tokens look at those kept and at each other, backwards only. `x`: [tokens, HIDDEN]."""
    queries = rotated(split(x @ weights.query, HEADS), positions)
    keys = torch.cat([kept.keys, rotated(split(x @ weights.key, KV_HEADS), positions)], dim=1)
    values = torch.cat([kept.values, split(x @ weights.value, KV_HEADS)], dim=1)
    seen = look(queries, keys, values)
    return seen.transpose(0, 1).reshape(x.shape[0], HEADS * HEAD_SIZE) @ weights.output, LayerCache(keys, values)


def look(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """Attention: for every query a mean of the values, weighted by how well it fits their keys.

    `queries`: [HEADS, tokens, HEAD_SIZE], of the last tokens; `keys` and `values`: [KV_HEADS, positions, HEAD_SIZE].
    """
    tokens = queries.shape[1]
    by_kv_head = queries.reshape(KV_HEADS, HEADS // KV_HEADS, tokens, HEAD_SIZE) / math.sqrt(HEAD_SIZE)
    found = []
    for start in range(0, tokens, ROWS):
        part = by_kv_head[:, :, start : start + ROWS]
        rows = part.shape[2]
        end = keys.shape[1] - tokens + start + rows  # none of these rows may see further
        scores = part.reshape(KV_HEADS, -1, HEAD_SIZE) @ keys[:, :end].transpose(1, 2)
        scores = scores.reshape(KV_HEADS, -1, rows, end)
        # Row i may see all but the last rows - 1 - i of these keys: the causal mask.
        future = torch.ones(rows, rows, dtype=torch.bool, device=keys.device).triu(1)
        scores[..., end - rows :].masked_fill_(future, -math.inf)
        share = scores.softmax(-1).reshape(KV_HEADS, -1, end)
        found.append((share @ values[:, :end]).reshape(HEADS, rows, HEAD_SIZE))
    return torch.cat(found, dim=1)


def mlp(weights: LayerWeights, x: Tensor) -> Tensor:
    """What a token makes of itself, whatever stands around it."""
    return (silu(x @ weights.gate) * (x @ weights.up)) @ weights.down


def split(x: Tensor, heads: int) -> Tensor:
    """[tokens, heads * HEAD_SIZE] as [heads, tokens, HEAD_SIZE]."""
    return x.reshape(-1, heads, HEAD_SIZE).transpose(0, 1)


def normed(x: Tensor) -> Tensor:
    """Divided by the root of its mean square (RMSNorm, with all weights 1)."""
    return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-6)


def rotated(x: Tensor, positions: Tensor) -> Tensor:
    """Turn pairs of numbers by angles that grow with the position (RoPE): a product of two then tells their distance.

    `x`: [heads, tokens, HEAD_SIZE]. The angles are computed in float64, so that long prompts lose nothing.
    """
    half = HEAD_SIZE // 2
    speeds = THETA ** (-torch.arange(half, dtype=torch.float64, device="cpu") / half)
    angles = positions.cpu().double()[:, None] * speeds  # [tokens, half]
    cos, sin = angles.cos().to(x), angles.sin().to(x)
    left, right = x[..., :half], x[..., half:]
    return torch.cat([left * cos - right * sin, right * cos + left * sin], dim=-1)
