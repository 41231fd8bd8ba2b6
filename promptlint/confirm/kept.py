"""Keys and values that an implementation keeps, beside those of the same prompt computed whole.

A prompt is split; then its kept keys and values are looked at in two regions. The prefix was computed alone: what is
wrong there was changed after it was computed. In the suffix, the first layer that is wrong has had right input; later
ones only follow from it.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from promptlint.confirm.implementation import Checked, KeysValues
from promptlint.confirm.precision import precision
from promptlint.confirm.random_prompts import BLOCK, full_blocks, random_ids
from promptlint.confirm_facts import Suspect

_FORMATS = {
    "float8_e4m3fn": "8-bit floating point (e4m3)",
    "float8_e5m2": "8-bit floating point (e5m2)",
    "bfloat16": "bfloat16",
    "float16": "float16",
}


_OTHER = 0.4  # of the spread of a tensor: 8 bits stay below 0.25, and old data is off by about 1


class Named(NamedTuple):
    """A kind of bug, and a sentence that says what points to it."""

    suspect: Suspect
    why: str


class _Region(NamedTuple):
    """Positions `start` to `end` of both caches, all layers."""

    kept: KeysValues
    true: KeysValues
    start: int
    end: int
    allowed: float  # share of the spread of a tensor that is noise

    def pair(self, kept_layer: int, true_layer: int, kept_part: int, true_part: int) -> tuple[Tensor, Tensor]:
        """A tensor as kept and one as it should be, [heads, positions, size]; part 0: keys, 1: values."""
        kept, true = self.kept[kept_layer][kept_part], self.true[true_layer][true_part]
        return kept[:, self.start : self.end], true[:, self.start : self.end]

    def same(self, kept_layer: int, true_layer: int, kept_part: int, true_part: int) -> bool:
        """Whether they are equal but for noise."""
        kept, true = self.pair(kept_layer, true_layer, kept_part, true_part)
        return kept.shape == true.shape and not bool(_apart(kept, true, self.allowed).any())

    def wrong_layers(self) -> list[int]:
        """The layers of which keys or values are not what they should be."""
        return [i for i in range(len(self.true)) if not (self.same(i, i, 0, 0) and self.same(i, i, 1, 1))]


def _apart(kept: Tensor, true: Tensor, allowed: float) -> Tensor:
    """Which positions differ by more than noise, [positions]."""
    return (kept - true).abs().amax((0, 2)) > allowed * _spread(true)


def _spread(tensor: Tensor) -> float:
    return max(tensor.std(correction=0).item(), tensor.abs().max().item() / 4)


def shares(true: KeysValues, tokens: int, kept: KeysValues, kept_tokens: int) -> list[float] | None:
    """How far keys and values that two caches hold of the same positions are apart, for each tensor of each layer.

    As a share of the tensor's spread. A layer with a window holds the last of its `tokens` positions. None where the
    caches have not the same layers.
    """
    if len(true) != len(kept):
        return None
    found = []
    for right, held in ((a, b) for one, two in zip(true, kept, strict=True) for a, b in zip(one, two, strict=True)):
        first, held_first = tokens - right.shape[1], kept_tokens - held.shape[1]
        start, end = max(first, held_first), min(tokens, kept_tokens)
        if start >= end:
            found.append(0.0)
            continue
        a, b = right[:, start - first : end - first], held[:, start - held_first : end - held_first]
        same_form = a.shape == b.shape
        apart = (a - b).abs().max().item() if same_form else math.inf
        found.append(apart / (_spread(a) or 1.0))
    return found


def explained_by_keys_values(
    model: Checked, ids: list[int], cuts: Sequence[int], limit: float | None = None
) -> Named | None:
    """Name the kind of bug from what is kept when a prompt is computed in parts, cut at some positions.

    None: nothing can be read, nothing is wrong there, or it follows no pattern that is known. `limit`: share of a
    spread that is noise.
    """
    if not model.reads_keys_values():
        return None
    whole = model.keys_values(model.prefill(ids)[1])
    _, cache = model.prefill(ids[: cuts[0]])
    for start, end in zip(cuts, [*cuts[1:], len(ids)], strict=True):
        _, cache = model.append(cache, ids[start:end])
    split = model.keys_values(cache)
    if len(whole) != len(split):
        return None
    full = [i for i in range(len(whole)) if whole[i][0].shape[1] == split[i][0].shape[1] == len(ids)]
    true, kept = [whole[i] for i in full], [split[i] for i in full]
    limits = precision(model.dtype)
    allowed = limit or (2 * limits.kept if limits.half else limits.kept)
    behind = _Region(kept, true, cuts[-1], len(ids), allowed)
    ahead = _Region(kept, true, 0, cuts[-1], allowed)
    if wrong := ahead.wrong_layers():

        def full_is_right(size: int) -> bool:
            return _right_where_full(model, ids, size, allowed)

        places = _places(ahead, wrong, full_is_right)
        return _moved(ahead, wrong) or places or _rounded(ahead, wrong) or _keys_changed(ahead, wrong)
    if wrong := behind.wrong_layers():
        return _moved(behind, wrong[:1]) or _cast(behind, wrong[0]) or _turned(model, ids, behind, cuts)
    return None


def _moved(region: _Region, layers: list[int]) -> Named | None:
    """Right numbers in wrong places: another layer's, keys for values, another head's."""
    for i in layers:
        for j in range(len(region.true)):
            if j != i and region.same(i, j, 0, 0) and region.same(i, j, 1, 1):
                return Named("layers-swapped", f"layer {i} keeps the keys and values of layer {j}")
        if region.same(i, i, 0, 1) or region.same(i, i, 1, 0):
            return Named("keys-values-swapped", f"layer {i} keeps values where its keys belong, or keys as values")
        for part, what in enumerate(("keys", "values")):
            kept, true = region.pair(i, i, part, part)
            order = _order(kept, true, region.allowed)
            if order and order != sorted(order):
                return Named("heads-permuted", f"layer {i} keeps the {what} of its heads in the order {order}")
    return None


def _order(kept: Tensor, true: Tensor, allowed: float) -> list[int] | None:
    """For every head as kept, the number of the head that it is; None if it is none."""
    if kept.shape != true.shape:
        return None
    order = []
    for head in kept:
        same = [j for j in range(len(true)) if not bool(_apart(head[None], true[j : j + 1], allowed).any())]
        if not same:
            return None
        order.append(same[0])
    return order


def _right_where_full(model: Checked, ids: list[int], size: int, allowed: float) -> bool:
    """Whether what is kept is right behind a prefix of full blocks of `size`."""
    cut = full_blocks(size)
    ids = [*ids[:cut], *random_ids(model.vocabulary, cut + BLOCK // 2 - len(ids[:cut]), 75)]
    whole = model.keys_values(model.prefill(ids, 1)[1])
    split = model.keys_values(model.append(model.prefill(ids[:cut], 1)[1], ids[cut:])[1])
    found = shares(whole, len(ids), split, len(ids))
    return found is not None and max(found, default=0.0) <= allowed


def _keys_changed(region: _Region, layers: list[int]) -> Named | None:
    """Values are right, and nearly all keys wrong."""
    if not all(region.same(i, i, 1, 1) for i in layers):
        return None
    why = "the keys of the prefix change when tokens are appended, its values do not: are they rotated a second time?"
    return Named("unclear", why)


def _places(region: _Region, layers: list[int], full_is_right: Callable[[int], bool]) -> Named | None:
    """Some positions wrong and the others right: old data, or a block that is not full.

    `full_is_right`: whether a prefix of full blocks of a size has no such error. Smaller blocks are tried first.
    """
    bad = torch.zeros(region.end - region.start, dtype=torch.bool)
    for i in layers:
        for part in (0, 1):
            kept, true = region.pair(i, i, part, part)
            if kept.shape != true.shape:
                return None
            bad |= _apart(kept, true, region.allowed).cpu()
    places = bad.nonzero().flatten().tolist()
    if len(places) > 0.7 * len(bad) or not _large(region, layers):
        return None
    first, last = places[0], places[-1]
    which = "all layers" if len(layers) == len(region.true) else f"layer {', '.join(map(str, layers))}"
    where = f"from position {first} to {last}, {which}" if first != last else f"at position {first}, {which}"
    zero = all(not bool(t[:, places].any()) for i in layers for t in (region.kept[i][0], region.kept[i][1]))
    found = _found(region, layers, places, zero)
    if region.end % BLOCK and first == region.end - region.end % BLOCK and last == region.end - 1:
        return Named("partial-block", f"{where}, the block that is not full: {found}")
    for size in (2 * BLOCK, 4 * BLOCK):
        at_end = region.end % size and first == region.end - region.end % size and last == region.end - 1
        if at_end and full_is_right(size):
            return Named("partial-block", f"{where}, the block of {size} that is not full: {found}")
    return Named("stale-block", f"{where}: {found}")


def _large(region: _Region, layers: list[int]) -> bool:
    """Whether something is another number altogether: rounding, even to 8 bits, stays within a part of the spread."""
    return any(bool(_apart(*region.pair(i, i, part, part), _OTHER).any()) for i in layers for part in (0, 1))


def _found(region: _Region, layers: list[int], places: list[int], zero: bool) -> str:
    """What stands at these positions instead."""
    if zero:
        return "zeros are kept"
    length = len(places)
    values, true = region.kept[layers[0]][1][:, places], region.true[layers[0]][1]
    for start in range(0, region.end - length + 1):
        if start != places[0] and not bool(_apart(values, true[:, start : start + length], region.allowed).any()):
            return f"the values of position {start} and following are kept"
    return "what is kept is not what was computed"


def _rounded(region: _Region, layers: list[int]) -> Named | None:
    """Nearly right everywhere: kept with fewer bits."""
    for part in (0, 1):
        kept, true = region.pair(layers[0], layers[0], part, part)
        if kept.shape != true.shape or bool(((kept - true).abs() > 0.13 * true.abs() + 0.05 * true.std()).any()):
            return None
    few = Named("precision", "keys and values are nearly right everywhere: they are kept with fewer bits")
    return _cast(region, layers[0]) or few


def _cast(region: _Region, number: int) -> Named | None:
    """Rounded to a format that is known, on one side or the other."""
    pairs = [region.pair(number, number, part, part) for part in (0, 1)]
    if any(kept.shape != true.shape for kept, true in pairs):
        return None
    for name, text in _FORMATS.items():
        if any(_is_cast(kept, true, name) or _is_cast(true, kept, name) for kept, true in pairs):
            return Named("precision", f"keys and values are kept as {text}")
    return None


def _is_cast(kept: Tensor, true: Tensor, name: str) -> bool:
    """Whether one is the other, rounded to a format: a few numbers may round the other way, since noise came first."""
    cast = true.to(getattr(torch, name)).to(true.dtype)
    off = (kept - cast).abs() > 1e-6 * true.std()
    return not bool(torch.equal(cast, true)) and off.double().mean().item() < 0.01


def _turned(model: Checked, ids: list[int], region: _Region, cuts: Sequence[int]) -> Named | None:
    """Keys of the first layer depend on a token and its position alone: at which other position are they right?"""
    kept = region.kept[0][0][:, region.start : region.end]
    if region.same(0, 0, 0, 0):
        return None
    for offset, true in _shifted(model, ids, region.start, cuts):
        if true.shape == kept.shape and not bool(_apart(kept, true, region.allowed).any()):
            if offset == -region.start:
                return Named(
                    "position-restart",
                    "the keys of the suffix are those of a prompt that starts there: positions restart at 0",
                )
            return Named("position-offset", f"the keys of the suffix stand {offset:+d} from where they should")
    if region.same(0, 0, 1, 1):
        return Named(
            "unclear",
            "keys of the suffix are wrong and values right: positions or their rotation, by no constant that was tried",
        )
    return None


def _shifted(model: Checked, ids: list[int], start: int, cuts: Sequence[int]) -> Iterator[tuple[int, Tensor]]:
    """Keys of the first layer that the tokens from `start` on would have at other positions."""
    odd = start % BLOCK
    part = cuts[-1] - cuts[-2] if len(cuts) > 1 else start  # tokens of the part ahead, which may not have been counted
    for offset in dict.fromkeys([-start, -part, 1, -1, 2, -2, -odd, BLOCK - odd, BLOCK, -BLOCK, 3, -3, 4, -4]):
        moved = [*random_ids(model.vocabulary, offset, 79), *ids] if offset > 0 else ids[-offset:]
        if offset:
            keys = model.keys_values(model.prefill(moved)[1])[0][0]
            yield offset, keys[:, start + offset :]
