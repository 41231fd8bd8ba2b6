"""Is a prompt that was computed in two parts the same as one computed whole? With controls that must not be the same.

Bit equality cannot be asked for: splitting a prompt changes the order of additions. The noise of that is measured on
runs that use no cache, and only what stands clearly above it counts. A run whose controls do not stand out says
nothing.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Literal, NamedTuple

import torch
from torch import Tensor

from promptlint.confirm.implementation import Checked, Held, Implementation, KeysValues, checked
from promptlint.confirm.kept import Named, shares
from promptlint.confirm.precision import Precision, precision, scale
from promptlint.confirm.probes import ODD, PREFIX
from promptlint.confirm.random_prompts import BLOCK, other, random_ids
from promptlint.confirm.suspects import suspect
from promptlint.confirm_facts import Split, Suspect
from promptlint.errors import PromptlintError

Verdict = Literal["confirmed", "contradicted", "not_shown"]
_LEAST = 6 * BLOCK  # tokens of a prompt, so that two blocks or more stand behind every split but the last
_USUAL = 10 * BLOCK
_TAIL = BLOCK + 1  # tokens put behind a prompt where its own rows must not change: a length that fits no block
_FEWEST = 2 * BLOCK + 8  # tokens of a prompt that can be split inside and between blocks
_SEEN = 0.2  # of what another token does: what a missing mask is above, and rounding below
_SHORT = PREFIX + ODD  # tokens of the longest prefix that is tried where something is wrong
_KEPT_LOGITS = 1 << 26  # numbers: the rows of a long prompt that are compared


class Longer(NamedTuple):
    """One more prompt, longer than the one that is split in all ways: it is split once."""

    name: str
    ids: list[int]
    prefix: int
    noise: bool = True  # whether its own noise is measured, for one more run


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


class _Run(NamedTuple):
    """A prompt, computed whole, and what is known of its noise."""

    model: Checked
    ids: list[int]
    whole: Tensor  # logits [tokens, vocabulary]
    kept: KeysValues  # of the whole; empty if they cannot be read
    noise: float
    tolerance: float
    kept_noise: list[float] | None  # for each tensor of `kept`, as a share of its spread
    limits: Precision
    seed: int
    tail: int  # tokens that still fit behind the prompt

    def split(self, name: str, prefix: int, rows: Tensor) -> Split:
        """Compare the rows behind a prefix."""
        return _compared(name, prefix, rows, self.whole[prefix : prefix + rows.shape[0]], self.tolerance)

    def allowed(self) -> float:
        """Of all layers the largest share of a spread that is explained by noise."""
        return max(self.limits.kept, self.limits.factor * max(self.kept_noise or [0.0]))


def _compared(name: str, prefix: int, rows: Tensor, true: Tensor, tolerance: float) -> Split:
    best = true.topk(min(2, true.shape[-1]), dim=-1)
    sure = best.values[:, 0] - best.values[:, -1] > 2 * tolerance
    agree = (rows.argmax(-1) == best.indices[:, 0])[sure].double()
    share = agree.mean().item() if agree.numel() else 1.0
    return Split(name, prefix, rows.shape[0], (rows - true).abs().max().item(), share)


def equivalence(
    implementation: Implementation,
    ids: Sequence[int] | None = None,
    *,
    seed: int = 0,
    most: int | None = None,
    longer: Sequence[Longer] = (),
) -> Equivalence:
    """Split a prompt in many ways, compute the parts with a cache between, and compare all logits with the whole.

    Without `ids`, 160 random tokens; fewer than 96 are continued with random ones. `longer`: other prompts, each split
    once. `most`: tokens that the model takes. Where keys and values can be read, those that are kept are compared too.
    The cost is that of about ten times the prompt and three times each longer one; where something is wrong, of some
    more short ones.
    """
    model = checked(implementation)
    ids = list(ids) if ids else random_ids(model.vocabulary, _USUAL, seed)
    ids += random_ids(model.vocabulary, _LEAST - len(ids), seed + 1)
    tail = _TAIL
    if most is not None and most < len(ids) + tail:
        tail = min(tail, max(most // 8, 1))
        ids = ids[: most - tail]
        if len(ids) < _FEWEST:
            raise PromptlintError(f"the model takes {most} tokens", f"it must take {_FEWEST + 5} for a comparison")
    run = _whole(model, ids, seed, tail)
    if run.noise > max(0.02, 16 * run.limits.epsilon) * scale(run.whole):
        return _unsteady(run)
    held = {cut: model.prefill(ids[:cut])[1] for cut in _cuts(ids)}
    splits, kept = _splits(run, held)
    control = min(_controls(run))
    for one in longer:
        noise, split = _once(run, one)
        run = run._replace(
            noise=max(run.noise, noise), tolerance=max(run.tolerance, run.limits.tolerance(noise, run.whole))
        )
        splits = [*splits, split]
    largest = max(split.logit_diff for split in splits)
    verdict, why = _judge(run, largest, control, kept)
    named = _named(run, splits, {one.name for one in longer}, most) if verdict == "contradicted" else None
    return Equivalence(
        verdict, why, tuple(splits), largest, control, run.noise, run.tolerance, len(ids),
        named and named.suspect, named.why if named else "", _unseen(run) if run.limits.half else "",
    )  # fmt: skip


def _named(run: _Run, splits: Sequence[Split], longer: set[str], most: int | None) -> Named:
    """What kind of bug. One that only longer prompts show is no matter of those short ones that are looked at."""
    clear = run.limits.clear * run.tolerance
    wrong = [split for split in splits if split.logit_diff > clear]
    if wrong and all(split.name in longer for split in wrong):
        return Named("unclear", _from_length(splits, wrong))
    found = suspect(run.model, run.ids, clear, run.limits.half, run.limits.clear * run.allowed(), most)
    return found if found.why else found._replace(why=_from_length(splits, wrong))


def _from_length(splits: Sequence[Split], wrong: Sequence[Split]) -> str:
    """Where short prompts are right: from which length on is it wrong? Parts of many lengths say nothing."""
    single = [split for split in wrong if split.name != "in steps"]
    least = min((split.prefix_tokens for split in single), default=0)
    right = max((s.prefix_tokens for s in splits if s not in wrong and s.prefix_tokens < least), default=0)
    right = max(right, _SHORT if least > _SHORT else 0)
    if right:
        return f"right behind {right:,} tokens, wrong behind {least:,}: it begins at some length"
    return "other prompts do not show it: it depends on their tokens, or on what was computed before"


def _whole(model: Checked, ids: list[int], seed: int, tail: int) -> _Run:
    """Compute the prompt, and twice again with more or fewer tokens: its rows must stay the same but for noise."""
    whole, cache = model.prefill(ids)
    more, longer = model.prefill([*ids, *random_ids(model.vocabulary, tail, seed + 2)])
    less, shorter = model.prefill(ids[:-7])
    noise = max((more[: len(ids)] - whole).abs().max().item(), (less - whole[:-7]).abs().max().item())
    limits = precision(model.dtype)
    kept = model.keys_values(cache)
    others = (longer, shorter) if kept else ()
    between = [shares(kept, len(ids), model.keys_values(held), held.tokens) for held in others]
    worst = [max(pair) for pair in zip(*filter(None, between), strict=True)] if between and all(between) else None
    return _Run(model, ids, whole, kept, noise, limits.tolerance(noise, whole), worst, limits, seed, tail)


def _cuts(ids: list[int]) -> tuple[int, int]:
    """Between two blocks, and inside one."""
    aligned = BLOCK * (len(ids) // (2 * BLOCK))
    return aligned, aligned + 5


def _splits(run: _Run, held: dict[int, Held]) -> tuple[list[Split], float]:
    """Each way to split, and how far what is kept is from the whole: in allowed shares of the spread of its layer."""
    model, ids = run.model, run.ids
    aligned, unaligned = _cuts(ids)
    splits, apart = [], 0.0
    for name, cut in (("aligned", aligned), ("unaligned", unaligned)):
        rows, cache = model.append(held[cut], ids[cut:])
        splits.append(run.split(name, cut, rows))
        apart = max(apart, _kept_apart(run, cache))
    splits.append(run.split("in steps", unaligned, _in_steps(run, held[unaligned], unaligned)))
    splits.append(run.split("last token", len(ids) - 1, _behind(model, ids[:-1], ids[-1:])))
    for number, (name, cut) in enumerate({"other donor": aligned, "second donor": unaligned}.items()):
        splits.append(_donor(run, name, held[cut], run.seed + 10 + number))
    return [*splits, *_near(run, held[unaligned])], apart


def _kept_apart(run: _Run, cache: Held) -> float:
    """How far keys and values behind a cache are from the whole, in what is allowed; 0 where they cannot be read."""
    found = shares(run.kept, len(run.ids), run.model.keys_values(cache), cache.tokens) if run.kept else None
    if found is None or run.kept_noise is None:
        return 0.0
    limits = run.limits
    return max(
        (share / max(limits.kept, limits.factor * noise) for share, noise in zip(found, run.kept_noise, strict=True)),
        default=0.0,
    )


def _behind(model: Checked, prefix: list[int], suffix: list[int]) -> Tensor:
    """Logits of a suffix whose prefix comes from the cache."""
    return model.append(model.prefill(prefix, 1)[1], suffix)[0]


def _once(run: _Run, one: Longer) -> tuple[float, Split]:
    """A longer prompt whole, and behind its prefix: the noise of it, and how far they are apart. The last rows only,
    where all of them would take too much memory."""
    model, ids = run.model, one.ids
    rows = min(len(ids) - one.prefix, max(BLOCK, _KEPT_LOGITS // model.vocabulary))
    seen = min(max(rows, 2 * BLOCK), len(ids))
    whole, _ = model.prefill(ids, seen)
    noise = 0.0
    if one.noise and seen > 7:
        less, _ = model.prefill(ids[:-7], seen - 7)
        noise = (less - whole[:-7]).abs().max().item()
    found, _ = model.append(model.prefill(ids[: one.prefix], 1)[1], ids[one.prefix :], rows)
    split = _compared(one.name, one.prefix, found, whole[len(whole) - rows :], run.tolerance)
    return noise, split._replace(suffix_tokens=len(ids) - one.prefix)


def _in_steps(run: _Run, cache: Held, prefix: int) -> Tensor:
    """The suffix in parts: two single tokens, a block, the rest."""
    rows = []
    cuts = [prefix, prefix + 1, prefix + 2, min(prefix + 2 + BLOCK, len(run.ids)), len(run.ids)]
    for start, end in pairwise(cuts):
        if start < end:
            part, cache = run.model.append(cache, run.ids[start:end])
            rows.append(part)
    return torch.cat(rows)


def _donor(run: _Run, name: str, cache: Held, seed: int) -> Split:
    """Other requests come between, and nothing of them may be left.

    One uses the same cache first and goes on with a tail of its own; its rows are compared as well.
    """
    model, ids, prefix = run.model, run.ids, cache.tokens
    tail = random_ids(model.vocabulary, min(2 * BLOCK + 3, len(ids) + run.tail - prefix), seed)
    uncached = model.prefill([*ids[:prefix], *tail])[0][prefix:]
    donor, _ = model.append(cache, tail)
    model.prefill(random_ids(model.vocabulary, prefix, seed + 2))  # one that shares nothing, and may want its place
    rows, _ = model.append(cache, ids[prefix:])
    split = run.split(name, prefix, rows)
    return split._replace(logit_diff=max(split.logit_diff, (donor - uncached).abs().max().item()))


def _near(run: _Run, cache: Held) -> Iterator[Split]:
    """Requests that differ in one token, in the middle or the first one, and so in all that follows it.

    Most of their tokens are those of the prompt, in the same places: what was kept of it must not be taken for theirs.
    Nor theirs for it: a block of it is computed again, behind `cache`. The prefix is long, for a block that is wrongly
    shared is one behind another block.
    """
    model, ids, prefix = run.model, run.ids, len(run.ids) - BLOCK - 1
    for name, place in (("other middle", _cuts(ids)[0] - 1), ("other beginning", 0)):
        near = [*ids[:place], other(ids[place], model.vocabulary), *ids[place + 1 :]]
        whole, _ = model.prefill(near)
        split = _compared(name, prefix, _behind(model, near[:prefix], near[prefix:]), whole[prefix:], run.tolerance)
        if place == 0:
            again, _ = model.append(cache, ids[cache.tokens : cache.tokens + BLOCK])
            later = run.split(name, cache.tokens, again)
            split = split._replace(logit_diff=max(split.logit_diff, later.logit_diff))
        yield split


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


def _judge(run: _Run, largest: float, control: float, kept: float) -> tuple[Verdict, str]:
    limits = run.limits
    clear = limits.clear * run.tolerance
    figures = f"cached and uncached logits differ by {largest:.2g} at most (tolerance {run.tolerance:.2g})"
    if largest > clear:
        return "contradicted", f"cached and uncached logits differ by {largest:.2g}; noise explains {run.tolerance:.2g}"
    if kept > limits.clear:
        return "contradicted", f"{figures}, but the keys and values kept differ by {kept:.2g} times what noise explains"
    if largest > run.tolerance or kept > 1:
        hidden = f"; {_unseen(run)}" if limits.half else ""
        what = figures if largest > run.tolerance else f"{figures}, the keys and values kept too"
        return "not_shown", f"{what}: more than the noise, but not clearly more{hidden}"
    if control <= clear:
        return "not_shown", f"{figures}, but a cache that is wrong on purpose differs by only {control:.2g}"
    if limits.half and not _reads(run):
        return "not_shown", f"{figures}: nothing larger is wrong; {_unseen(run)}"
    if limits.half:
        return "confirmed", f"{figures}, and keys and values agree; {_unseen(run)}"
    return "confirmed", f"{figures}; caches that are wrong on purpose differ by {control:.2g} or more"


def _reads(run: _Run) -> bool:
    """Whether what is kept was compared."""
    return bool(run.kept) and run.kept_noise is not None


def _unseen(run: _Run) -> str:
    least = run.limits.clear * run.tolerance
    if not _reads(run):
        error = f"an error below {least:.2g} cannot be seen, such as one stale token in one layer"
        return f"in {run.model.dtype} {error}: use float32 to confirm"
    share = f"{run.limits.clear * run.allowed():.0%}".replace("%", " %")
    what = (
        f"an error in reading the cache below {least:.2g}, or in what is kept of less than {share} of a layer's spread"
    )
    return f"in {run.model.dtype} {what}, cannot be seen"


def _unsteady(run: _Run) -> Equivalence:
    """Runs without a cache differ as much as wrong ones would: by chance, or because tokens see what follows them."""
    again = (run.model.prefill(run.ids)[0] - run.whole).abs().max().item()
    nothing: tuple[Split, ...] = ()
    told = (nothing, 0.0, 0.0, run.noise, run.tolerance, len(run.ids))
    if again > run.noise / 100:
        why = f"two equal runs without a cache differ by {again:.2g}: chance has a part in this model (dropout?)"
        return Equivalence("not_shown", why, *told)
    why = f"with no cache in use, tokens added behind a prompt change its own logits by {run.noise:.2g}"
    place = len(run.ids) // 2
    changed = [*run.ids[:place], other(run.ids[place], run.model.vocabulary), *run.ids[place + 1 :]]
    effect = (run.model.prefill(changed)[0] - run.whole)[place + 1 :].abs().max().item()
    if run.noise < _SEEN * effect:
        much = f"{run.noise / effect:.0%}".replace("%", " %")
        coarse = f"{why}, {much} of what another token does: its numbers depend on what is computed with them"
        return Equivalence("not_shown", f"{coarse} (activations in 8 bits?), and hide what reuse does", *told)
    seen = "tokens see what follows them: no causal mask when the prompt is computed whole"
    return Equivalence("contradicted", why, (), run.noise, *told[2:], "mask", seen)
