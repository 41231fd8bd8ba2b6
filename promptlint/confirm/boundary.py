"""Where two prompts part, as a model shows it: the first position whose keys and values, or whose logits, differ."""

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from promptlint.confirm.implementation import Checked, Implementation, KeysValues, checked
from promptlint.confirm.precision import precision
from promptlint.confirm.random_prompts import BLOCK, other, random_ids

_TAIL = BLOCK + 1  # tokens put behind a prompt where its own rows must not change: a length that fits no block
_ROWS = 64  # rows of logits that are compared at a time


class KvBoundary(NamedTuple):
    """Where the keys and values of two prompts part."""

    first: int | None  # first position that differs, or the shorter length if none does; None: cannot be told
    noise: float | None  # largest difference ahead of it
    difference: float | None  # at it; None if none differs
    threshold: float | None  # above this, a difference counts
    why: str = ""  # why it cannot be told, or why it is told from logits
    by_logits: bool = False  # keys and values cannot be read: it is the first row of logits that differs


def kv_boundary(
    implementation: Implementation, a_ids: Sequence[int], b_ids: Sequence[int], most: int | None = None
) -> KvBoundary:
    """Compute two prompts whole and find the first position whose keys or values differ: their common prefix.

    A third prompt, the longer one with another last token and a tail, gives the noise of every layer (positions that
    must be equal, in runs of other lengths) and shows that another token can be seen at all. `most`: tokens that the
    model takes. Where keys and values cannot be read, the rows of logits are compared instead, with the same control.
    """
    model = checked(implementation)
    if not a_ids or not b_ids:
        return KvBoundary(0, None, None, None)
    longer, shorter = (list(a_ids), list(b_ids)) if len(a_ids) >= len(b_ids) else (list(b_ids), list(a_ids))
    last = longer[-1]
    tail = _TAIL if most is None else max(min(_TAIL, most - len(longer)), 0)
    control = [*longer[:-1], other(last, model.vocabulary), *random_ids(model.vocabulary, tail, last)]
    if not model.reads_keys_values():
        return _by_logits(model, longer, shorter, control)
    whole, step = _layers(model, longer)
    noises = _differences(whole, _layers(model, control, step)[0], len(longer))
    apart = _differences(whole, _layers(model, shorter, step)[0], len(shorter))
    limits = precision(model.dtype)
    usable: list[tuple[Tensor, float]] = []
    for layer, noise, difference in zip(whole, noises, apart, strict=True):
        ahead = noise[:-1].max().item() if len(longer) > 1 else 0.0
        largest = max(part.abs().max().item() for part in layer)
        threshold = max(limits.factor * ahead, limits.kv_floor * limits.epsilon * largest)
        if noise[-1].item() > 2 * threshold:
            usable.append((difference, threshold))
    if not usable:
        return KvBoundary(None, max(n.max().item() for n in noises) if noises else None, None, None, _HIDDEN)
    return _boundary(usable, len(shorter))


def _by_logits(model: Checked, longer: list[int], shorter: list[int], control: list[int]) -> KvBoundary:
    """The first row of logits that differs: a row depends on its own token, and on those ahead of it."""
    limits = precision(model.dtype)
    whole, _ = model.prefill(longer)
    noise = _apart(whole, model.prefill(control)[0])
    apart = _apart(whole, model.prefill(shorter)[0])
    ahead = noise[:-1].max().item() if len(longer) > 1 else 0.0
    threshold = limits.tolerance(ahead, whole)
    if noise[-1].item() <= 2 * threshold:
        return KvBoundary(None, noise.max().item(), None, None, _DEAF)
    return _boundary([(apart, threshold)], len(shorter))._replace(why=_ROWS_PART, by_logits=True)


def _apart(a: Tensor, b: Tensor) -> Tensor:
    """The largest difference of each row that both have, some rows at a time: those of long prompts are large."""
    count = min(len(a), len(b))
    parts = [
        (a[n : min(n + _ROWS, count)] - b[n : min(n + _ROWS, count)]).abs().amax(-1) for n in range(0, count, _ROWS)
    ]
    return torch.cat(parts).cpu()


_DEAF = "keys and values cannot be read, and another token changes the logits by no more than the noise"
_ROWS_PART = "keys and values cannot be read: where a and b part is told from their logits"
_HIDDEN = "another token changes keys and values by no more than the noise"


def _boundary(usable: list[tuple[Tensor, float]], tokens: int) -> KvBoundary:
    over = torch.stack([difference > threshold for difference, threshold in usable]).any(0)
    first = int(over.int().argmax()) if bool(over.any()) else tokens
    values = torch.stack([difference for difference, _ in usable]).amax(0)
    noise = values[:first].max().item() if first else 0.0
    difference = values[first].item() if first < tokens else None
    return KvBoundary(first, noise, difference, max(threshold for _, threshold in usable))


def _layers(model: Checked, ids: list[int], step: int = 0) -> tuple[KeysValues, int]:
    """Keys and values of all positions of a prompt, and how many tokens were computed at a time (0: all).

    Where every layer has a window, no cache holds the whole; then it is read after every few tokens.
    """
    if not step:
        layers = model.keys_values(model.prefill(ids, 1)[1])
        held = max((keys.shape[1] for keys, _ in layers), default=0)
        if held == len(ids) or held == 0:
            return [layer for layer in layers if layer[0].shape[1] == len(ids)], 0
        step = held
    _, cache = model.prefill(ids[:step], 1)
    parts = [model.keys_values(cache)]
    for start in range(step, len(ids), step):
        _, cache = model.append(cache, ids[start : start + step], 1)
        parts.append(model.keys_values(cache))
    counts = [len(ids[start : start + step]) for start in range(0, len(ids), step)]
    full = [i for i in range(len(parts[0])) if all(p[i][0].shape[1] >= n for p, n in zip(parts, counts, strict=True))]
    return [_joined([part[i] for part in parts], counts) for i in full], step


def _joined(parts: list[tuple[Tensor, Tensor]], counts: list[int]) -> tuple[Tensor, Tensor]:
    """The last positions of one layer, read again and again, as one."""
    newest = [(k[:, k.shape[1] - n :], v[:, v.shape[1] - n :]) for (k, v), n in zip(parts, counts, strict=True)]
    return torch.cat([k for k, _ in newest], 1), torch.cat([v for _, v in newest], 1)


def _differences(a: KeysValues, b: KeysValues, positions: int) -> list[Tensor]:
    """For every layer the largest difference at each position, [positions]."""
    return [
        torch.stack(
            [(x[:, :positions] - y[:, :positions]).abs().amax((0, 2)) for x, y in zip(a_one, b_one, strict=True)]
        )
        .amax(0)
        .cpu()
        for a_one, b_one in zip(a, b, strict=True)
    ]
