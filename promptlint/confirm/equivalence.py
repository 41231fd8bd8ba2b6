"""Is a prompt that was computed in two parts the same as one computed whole? With controls that must not be the same.

Bit equality cannot be asked for: splitting a prompt changes the order of additions. The noise of that is measured on
runs that use no cache, and only what stands clearly above it counts. A run whose controls do not stand out says
nothing.
"""

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

import torch
from torch import Tensor

from promptlint.confirm.implementation import Checked, Implementation, KeysValues, checked
from promptlint.confirm.kept import Named
from promptlint.confirm.random_prompts import BLOCK, other, random_ids
from promptlint.confirm.suspects import suspect
from promptlint.confirm_facts import Split, Suspect

Verdict = Literal["confirmed", "contradicted", "not_shown"]
_LEAST = 6 * BLOCK  # tokens of a prompt, so that two blocks or more stand behind every split but the last
_USUAL = 10 * BLOCK
_TAIL = BLOCK + 1  # tokens put behind a prompt where its own rows must not change: a length that fits no block


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


def precision(dtype: str) -> Precision:
    """The limits for a type, by its name ("float32"); one that is not known counts as float32."""
    named = getattr(torch, dtype, None)
    kind = named if isinstance(named, torch.dtype) and named.is_floating_point else torch.float32
    epsilon = torch.finfo(kind).eps
    half = epsilon > 1e-4
    return Precision(epsilon, 4, 16, 4, 2, half) if half else Precision(epsilon, 20, 800, 64, 4, half)


class KvBoundary(NamedTuple):
    """Where the keys and values of two prompts part."""

    first: int | None  # first position that differs, or the shorter length if none does; None: cannot be told
    noise: float | None  # largest difference ahead of it
    difference: float | None  # at it; None if none differs
    threshold: float | None  # above this, a difference counts
    why: str = ""  # why it cannot be told


class Equivalence(NamedTuple):
    """Cached against uncached logits of one prompt."""

    verdict: Verdict
    why: str  # a sentence
    splits: tuple[Split, ...]
    logit_diff: float  # largest of all splits
    control_diff: float  # smallest of the controls, which must be large
    noise: float  # of runs without a cache
    tolerance: float
    tokens: int  # of the prompt that was split
    suspect: Suspect | None = None
    suspect_why: str = ""
    unseen: str = ""  # what a run of this precision cannot see


def kv_boundary(implementation: Implementation, a_ids: Sequence[int], b_ids: Sequence[int]) -> KvBoundary:
    """Compute two prompts whole and find the first position whose keys or values differ: their common prefix.

    A third prompt, the longer one with another last token and a tail, gives the noise of every layer (positions that
    must be equal, in runs of other lengths) and shows that another token can be seen at all.
    """
    model = checked(implementation)
    if not a_ids or not b_ids:
        return KvBoundary(0, None, None, None)
    if not model.reads_keys_values():
        return KvBoundary(None, None, None, None, "keys and values of this implementation cannot be read")
    longer, shorter = (list(a_ids), list(b_ids)) if len(a_ids) >= len(b_ids) else (list(b_ids), list(a_ids))
    last = longer[-1]
    control = [*longer[:-1], other(last, model.vocabulary), *random_ids(model.vocabulary, _TAIL, last)]
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
        layers = model.keys_values(model.prefill(ids)[1])
        held = max((keys.shape[1] for keys, _ in layers), default=0)
        if held == len(ids) or held == 0:
            return [layer for layer in layers if layer[0].shape[1] == len(ids)], 0
        step = held
    _, cache = model.prefill(ids[:step])
    parts = [model.keys_values(cache)]
    for start in range(step, len(ids), step):
        _, cache = model.append(cache, ids[start : start + step])
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


class _Run(NamedTuple):
    """A prompt, computed whole, and what is known of its noise."""

    model: Checked
    ids: list[int]
    whole: Tensor  # logits [tokens, vocabulary]
    noise: float
    tolerance: float
    limits: Precision
    seed: int

    def split(self, name: str, prefix: int, rows: Tensor) -> Split:
        """Compare the rows behind a prefix."""
        true = self.whole[prefix : prefix + rows.shape[0]]
        best = true.topk(2, dim=-1)
        sure = best.values[:, 0] - best.values[:, 1] > 2 * self.tolerance
        agree = (rows.argmax(-1) == best.indices[:, 0])[sure].double()
        share = agree.mean().item() if agree.numel() else 1.0
        return Split(name, prefix, rows.shape[0], (rows - true).abs().max().item(), share)


def equivalence(
    implementation: Implementation, ids: Sequence[int] | None = None, *, prefix: int | None = None, seed: int = 0
) -> Equivalence:
    """Split a prompt in many ways, compute the parts with a cache between, and compare all logits with the whole.

    Without `ids`, 160 random tokens; fewer than 96 are continued with random ones. `prefix`: a length of interest, such
    as the predicted one, that is tried as well. The cost is that of about twelve times the prompt; where something is
    wrong, of some more short ones.
    """
    model = checked(implementation)
    ids = list(ids) if ids else random_ids(model.vocabulary, _USUAL, seed)
    ids += random_ids(model.vocabulary, _LEAST - len(ids), seed + 1)
    run = _whole(model, ids, seed)
    limits = run.limits
    if run.noise > max(0.02, 16 * limits.epsilon) * _scale(run.whole):
        return _unsteady(run)
    splits = tuple(_splits(run, prefix))
    controls = tuple(_controls(run))
    largest, control = max(split.logit_diff for split in splits), min(controls)
    verdict, why = _judge(run, largest, control)
    named: Named | None = (
        suspect(model, ids, limits.clear * run.tolerance, limits.half) if verdict == "contradicted" else None
    )
    return Equivalence(
        verdict, why, splits, largest, control, run.noise, run.tolerance, len(ids),
        named and named.suspect, named.why if named else "", _unseen(run) if limits.half else "",
    )  # fmt: skip


def _whole(model: Checked, ids: list[int], seed: int) -> _Run:
    """Compute the prompt, and twice again with more or fewer tokens: its rows must stay the same but for noise."""
    whole, _ = model.prefill(ids)
    more, _ = model.prefill([*ids, *random_ids(model.vocabulary, _TAIL, seed + 2)])
    less, _ = model.prefill(ids[:-7])
    noise = max((more[: len(ids)] - whole).abs().max().item(), (less - whole[:-7]).abs().max().item())
    limits = precision(model.dtype)
    tolerance = max(limits.factor * noise, limits.floor * limits.epsilon * _scale(whole))
    return _Run(model, ids, whole, noise, tolerance, limits, seed)


def _scale(logits: Tensor) -> float:
    """What takes the place of 1: rounding grows with the largest numbers, which are 4 in logits of scale 1."""
    return max(logits.std().item(), logits.abs().max().item() / 4)


def _splits(run: _Run, prefix: int | None) -> Iterator[Split]:
    model, ids = run.model, run.ids
    aligned = BLOCK * (len(ids) // (2 * BLOCK))
    unaligned = aligned + 5
    yield run.split("aligned", aligned, _behind(model, ids[:aligned], ids[aligned:]))
    yield run.split("unaligned", unaligned, _behind(model, ids[:unaligned], ids[unaligned:]))
    if prefix is not None and 0 < prefix < len(ids) and prefix not in (aligned, unaligned, len(ids) - 1):
        yield run.split("predicted", prefix, _behind(model, ids[:prefix], ids[prefix:]))
    yield run.split("in steps", unaligned, _in_steps(run, unaligned))
    yield run.split("last token", len(ids) - 1, _behind(model, ids[:-1], ids[-1:]))
    for number, (name, length) in enumerate({"other donor": aligned, "second donor": unaligned}.items()):
        yield _donor(run, name, length, run.seed + 10 + number)


def _behind(model: Checked, prefix: list[int], suffix: list[int]) -> Tensor:
    """Logits of a suffix whose prefix comes from the cache."""
    return model.append(model.prefill(prefix)[1], suffix)[0]


def _in_steps(run: _Run, prefix: int) -> Tensor:
    """The suffix in parts: two single tokens, a block, the rest."""
    _, cache = run.model.prefill(run.ids[:prefix])
    rows = []
    for start, end in ((0, 1), (1, 2), (2, 2 + BLOCK), (2 + BLOCK, len(run.ids))):
        part, cache = run.model.append(cache, run.ids[prefix + start : min(prefix + end, len(run.ids))])
        rows.append(part)
    return torch.cat(rows)


def _donor(run: _Run, name: str, prefix: int, seed: int) -> Split:
    """Other requests come between, and nothing of them may be left.

    One uses the same cache first and goes on with a tail of its own; its rows are compared as well.
    """
    model, ids = run.model, run.ids
    tail = random_ids(model.vocabulary, 2 * BLOCK + 3, seed)
    uncached = model.prefill([*ids[:prefix], *tail])[0][prefix:]
    _, cache = model.prefill(ids[:prefix])
    donor, _ = model.append(cache, tail)
    model.prefill(random_ids(model.vocabulary, prefix, seed + 2))  # one that shares nothing, and may want its place
    rows, _ = model.append(cache, ids[prefix:])
    split = run.split(name, prefix, rows)
    return split._replace(logit_diff=max(split.logit_diff, (donor - uncached).abs().max().item()))


def _controls(run: _Run) -> Iterator[float]:
    """Reuse that is wrong: each of these must be far from the truth, or the comparison sees nothing.

    One more token than the prompt has, another last token, and another first one. The last is tried on a short prefix,
    where a layer with a window still reaches back to it.
    """
    model, ids = run.model, run.ids
    prefix, first = BLOCK * (len(ids) // (2 * BLOCK)), BLOCK
    strange = other(ids[prefix - 1], model.vocabulary)
    wrong = [
        (prefix, [*ids[:prefix], strange], ids[prefix:]),
        (prefix, [*ids[: prefix - 1], strange], ids[prefix:]),
        (first, [other(ids[0], model.vocabulary), *ids[1:first]], ids[first : 3 * first]),
    ]
    for start, before, after in wrong:
        yield (_behind(model, before, after) - run.whole[start : start + len(after)]).abs().max().item()


def _judge(run: _Run, largest: float, control: float) -> tuple[Verdict, str]:
    clear = run.limits.clear * run.tolerance
    figures = f"cached and uncached logits differ by {largest:.2g} at most (tolerance {run.tolerance:.2g})"
    if largest > clear:
        return "contradicted", f"cached and uncached logits differ by {largest:.2g}; noise explains {run.tolerance:.2g}"
    if largest > run.tolerance:
        hidden = f"; {_unseen(run)}" if run.limits.half else ""
        return "not_shown", f"{figures}: more than the noise, but not clearly more{hidden}"
    if control <= clear:
        return "not_shown", f"{figures}, but a cache that is wrong on purpose differs by only {control:.2g}"
    if run.limits.half:
        return "not_shown", f"{figures}: nothing larger is wrong; {_unseen(run)}"
    return "confirmed", f"{figures}; caches that are wrong on purpose differ by {control:.2g} or more"


def _unseen(run: _Run) -> str:
    least = run.limits.clear * run.tolerance
    error = f"an error below {least:.2g} cannot be seen, such as one stale token in one layer"
    return f"in {run.model.dtype} {error}: use float32 to confirm"


def _unsteady(run: _Run) -> Equivalence:
    """Runs without a cache differ as much as wrong ones would: by chance, or because tokens see what follows them."""
    again = (run.model.prefill(run.ids)[0] - run.whole).abs().max().item()
    if again > run.noise / 100:
        why = f"two equal runs without a cache differ by {again:.2g}: chance has a part in this model (dropout?)"
        return Equivalence("not_shown", why, (), 0.0, 0.0, run.noise, run.tolerance, len(run.ids))
    why = f"with no cache in use, tokens added behind a prompt change its own logits by {run.noise:.2g}"
    seen = "tokens see what follows them: no causal mask when the prompt is computed whole"
    return Equivalence("contradicted", why, (), run.noise, 0.0, run.noise, run.tolerance, len(run.ids), "mask", seen)
