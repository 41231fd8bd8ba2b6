"""How far apart equal things may be, by the type of number they are computed in."""

from typing import NamedTuple

import torch
from torch import Tensor


class Precision(NamedTuple):
    """How far apart equal things may be.

    Measured for splits of a 4-layer Llama with logits of scale 1: float64 4e-15, float32 6e-6, float16 8e-3, bfloat16
    5e-2. In half precision 20 times the noise would be wider than most errors; there the factor is 4, and what lies
    below cannot be seen.
    """

    epsilon: float
    factor: float  # of the measured noise
    floor: float  # in epsilons, of logits of scale 1
    kv_floor: float  # in epsilons, of the largest key or value of a layer
    clear: float  # times the tolerance: an error above this, or a control, is no noise
    half: bool
    kept: float  # share of the spread of a layer's keys or values below which a difference is never looked at

    def tolerance(self, noise: float, logits: Tensor) -> float:
        """What equal logits may differ by, where runs without a cache differ by `noise`."""
        return max(self.factor * noise, self.floor * self.epsilon * scale(logits))


def precision(dtype: str) -> Precision:
    """The limits for a type, by its name ("float32"); one that is not known counts as float32."""
    named = getattr(torch, dtype, None)
    kind = named if isinstance(named, torch.dtype) and named.is_floating_point else torch.float32
    epsilon = torch.finfo(kind).eps
    if epsilon > 1e-4:
        return Precision(epsilon, 4, 16, 4, 2, half=True, kept=0.1)
    return Precision(epsilon, 20, 800, 64, 4, half=False, kept=2e-4)


def scale(logits: Tensor) -> float:
    """What takes the place of 1: rounding grows with the largest numbers, which are 4 in logits of scale 1."""
    return max(logits.std().item(), logits.abs().max().item() / 4)
