"""Cached and uncached logits differ: what kind of bug is it?

Each probe asks one question whose answer a correct implementation cannot give. Most need logits alone. A probe that
cannot tell says nothing, and where none can, the suspect is "unclear": a wrong name costs more time than none.
"""

from collections.abc import Callable
from typing import NamedTuple

from torch import Tensor

from promptlint.confirm.implementation import Checked
from promptlint.confirm.kept import Named, explained_by_keys_values
from promptlint.confirm.random_prompts import BLOCK, other, random_ids

_PREFIX = 5 * BLOCK  # tokens of the usual prefix
_SUFFIX = 2 * BLOCK
_ODD = 5  # tokens more, where a prefix is to end inside a block
_SMALL = 0.2  # of the effect of another prefix: what rounding stays below (8 bits: 0.07; a wrong head: 0.5 and more)


class Probes(NamedTuple):
    """A prompt of random tokens, and how far apart equal logits may be."""

    model: Checked
    ids: list[int]
    limit: float

    def differ(self, a: Tensor, b: Tensor) -> bool:
        """Whether two sets of rows differ by more than noise."""
        return largest(a, b) > self.limit

    def cached(self, prefix: list[int], suffix: list[int]) -> Tensor:
        """Logits of the suffix, with the prefix from the cache."""
        return self.model.append(self.model.prefill(prefix)[1], suffix)[0]

    def error(self, prefix: list[int], suffix: list[int]) -> Tensor:
        """For each row of the suffix, the largest difference to computing it whole, [len(suffix)]."""
        true = self.model.prefill([*prefix, *suffix])[0][len(prefix) :]
        return (self.cached(prefix, suffix) - true).abs().amax(-1)

    def changed(self, ids: list[int], *places: int) -> list[int]:
        """The ids with other tokens at some places."""
        return [other(token, self.model.vocabulary) if i in places else token for i, token in enumerate(ids)]


def largest(a: Tensor, b: Tensor) -> float:
    """The largest difference of two sets of logits."""
    return (a - b).abs().max().item()


def suspect(model: Checked, ids: list[int], limit: float, half: bool = False) -> Named:
    """Name the kind of bug of an implementation that was contradicted.

    `ids`: the prompt that showed it; its first tokens are used, continued with random ones. `limit`: logits that differ
    by more do not differ by noise. `half`: in half precision the noise hides effects that are asked for; only what can
    be seen is believed there, not what cannot.
    """
    length = _PREFIX + _ODD + _SUFFIX
    ids = [*ids[:length], *random_ids(model.vocabulary, length - len(ids), 77)]
    probes = Probes(model, ids, limit)
    sure: tuple[_Step, ...] = (_left_by_others, _sees_future, _kept)
    steps = sure if half else (*sure, _in_steps, _blind, _blind_in_chunk, _by_length, _by_position, _rounded)
    found = next((named for step in steps if (named := step(probes))), None) or _unclear(probes)
    if half and found.suspect == "unclear":
        return found._replace(why=f"{found.why}; in {model.dtype} most tests see only noise, float32 would tell more")
    return found


_Step = Callable[[Probes], Named | None]


def _kept(probes: Probes) -> Named | None:
    """Look at keys and values behind a cache, at a split inside a block and at one between two."""
    found = (explained_by_keys_values(probes.model, probes.ids, (cut,)) for cut in (_PREFIX + _ODD, _PREFIX))
    return next((named for named in found if named), None)


def _in_steps(probes: Probes) -> Named | None:
    """If two parts are right, is the third? (If they are not, its error follows from theirs.)"""
    ids, cuts = probes.ids, (_PREFIX + _ODD, _PREFIX)
    if any(probes.error(ids[:cut], ids[cut:]).max() > probes.limit for cut in cuts):
        return None
    found = (explained_by_keys_values(probes.model, ids, (cut, cut + _ODD)) for cut in cuts)
    return next((named for named in found if named), None)


def _sees_future(probes: Probes) -> Named | None:
    """Change one token of the suffix: no row ahead of it may notice."""
    prefix, suffix = probes.ids[:_PREFIX], probes.ids[_PREFIX : _PREFIX + BLOCK]
    _, cache = probes.model.prefill(prefix)
    before, _ = probes.model.append(cache, suffix)
    after, _ = probes.model.append(cache, probes.changed(suffix, BLOCK - 1))
    rows = [i for i in range(BLOCK - 1) if probes.differ(before[i : i + 1], after[i : i + 1])]
    if not rows:
        return None
    return Named("mask", "inside a suffix that is computed at once, tokens see those behind them: no causal mask there")


def _left_by_others(probes: Probes) -> Named | None:
    """Let other requests use the cache in between: nothing of them may be left in it."""
    prefix, suffix = probes.ids[: _PREFIX + _ODD], probes.ids[_PREFIX + _ODD :]
    _, cache = probes.model.prefill(prefix)
    first, _ = probes.model.append(cache, suffix)
    strange = random_ids(probes.model.vocabulary, 3 * BLOCK + 3, 78)
    probes.model.append(cache, strange)
    second, _ = probes.model.append(cache, suffix)
    if probes.differ(first, second):
        return Named("stale-block", "what another request put behind the same prefix is still there for the next one")
    probes.model.append(probes.model.prefill([*strange, *prefix])[1], strange)
    if probes.differ(first, probes.model.append(cache, suffix)[0]):
        return Named("stale-block", "a request that shares nothing with this prefix has overwritten part of its cache")
    return None


def _blind(probes: Probes) -> Named | None:
    """Change tokens at the end of the prefix: from how far back on does the suffix notice?"""
    even, odd = _unseen_end(probes, _PREFIX), _unseen_end(probes, _PREFIX + _ODD)
    if even == _PREFIX:
        return Named("prefix-unseen", "no token of the prefix has any effect on the suffix")
    if even and even == odd and even < BLOCK:
        which = "last token" if even == 1 else f"last {even} tokens"
        return Named("mask", f"the {which} of the prefix cannot be seen from the suffix: mask off by {even}")
    if odd == _ODD and not even:
        why = f"behind {_PREFIX + _ODD} tokens the last {odd} cannot be seen, those of the block that is not full"
        return Named("partial-block", why)
    if even and even % BLOCK == 0:
        return Named("stale-block", f"the last {even} tokens of the prefix have no effect on the suffix")
    return (
        Named("mask", f"the last {even or odd} tokens of the prefix cannot be seen from the suffix") if even else None
    )


def _unseen_end(probes: Probes, prefix: int) -> int:
    """How many tokens at the end of a prefix have no effect, by halving: what an earlier one does can only be more."""
    ids, suffix = probes.ids[:prefix], probes.ids[prefix : prefix + BLOCK]
    before = probes.cached(ids, suffix)

    def seen(count: int) -> bool:
        after = probes.cached(probes.changed(ids, *range(prefix - count, prefix)), suffix)
        return probes.differ(before, after)

    if seen(1):
        return 0
    low, high = 1, prefix  # `low` tokens are unseen
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if seen(middle) else (middle, high)
    return high if not seen(high) else low


def _by_length(probes: Probes) -> Named | None:
    """Which lengths of the prefix go wrong: those that end inside a block, or those that hold a certain place?"""
    lengths = sorted(
        {1, 2, 3, *range(8, _PREFIX + 1, 8), *(n + d for n in range(16, _PREFIX + 1, 16) for d in (-1, 1))}
    )
    wrong = {n for n in lengths if probes.error(probes.ids[:n], probes.ids[n : n + 8]).max() > probes.limit}
    for block in (8, BLOCK, 2 * BLOCK):
        inside = {n for n in lengths if n % block}
        if wrong <= inside and len(wrong) > len(inside) / 2:
            return Named(
                "partial-block", f"wrong where the prefix ends inside a block of {block} tokens, right elsewhere"
            )
    if wrong and min(wrong) > 3 and wrong == {n for n in lengths if n >= min(wrong)}:
        right = max(n for n in lengths if n < min(wrong))
        where = f"token {right + 1}" if min(wrong) == right + 1 else f"tokens {right + 1} to {min(wrong)}"
        return Named("stale-block", f"right for prefixes up to {right} tokens, wrong from {where} on, whatever follows")
    return None


def _blind_in_chunk(probes: Probes) -> Named | None:
    """Inside the suffix: does a token see the one before it, and itself?"""
    prefix, suffix = probes.ids[:_PREFIX], probes.ids[_PREFIX : _PREFIX + 8]
    whole, _ = probes.model.prefill([*prefix, *suffix])
    changed, _ = probes.model.prefill([*prefix, *probes.changed(suffix, 3)])
    effect = largest(whole[_PREFIX + 4], changed[_PREFIX + 4])
    before, after = probes.cached(prefix, suffix), probes.cached(prefix, probes.changed(suffix, 3))
    if effect > 4 * probes.limit and not probes.differ(before[4], after[4]):
        return Named("mask", "inside the suffix a token does not see the one ahead of it: mask off by one")
    # Behind copies of one token all that can be seen is the same thing, unless a token also sees itself.
    one, last = probes.ids[0], [other(probes.ids[0], probes.model.vocabulary)]
    few, many = probes.cached([one], last), probes.cached([one] * BLOCK, last)
    true = [probes.model.prefill([one] * n + last)[0][-1:] for n in (1, BLOCK)]
    if not probes.differ(few, many) and largest(*true) > 4 * probes.limit:
        return Named("mask", "a token behind the cache does not see itself: mask off by one")
    return None


def _by_position(probes: Probes) -> Named | None:
    """In a prompt of one token, repeated, all values are equal, and it makes no difference where a token stands.

    An error that is gone there is one of places, not of what the cache holds. (Not for positions that are added to the
    tokens: then the uncached rows are not equal, and the probe says nothing.)
    """
    token = [probes.ids[0]]
    whole, _ = probes.model.prefill(token * (_PREFIX + BLOCK))
    if largest(whole, whole[:1]) > probes.limit:
        return None
    if probes.error(token * _PREFIX, token * BLOCK).max() > probes.limit:
        return None
    prefix, suffix = probes.ids[:_PREFIX], probes.ids[_PREFIX : _PREFIX + BLOCK]
    _, cache = probes.model.prefill(prefix)
    at_once, _ = probes.model.append(cache, suffix)
    _, cache = probes.model.append(cache, suffix[:5])
    rest, _ = probes.model.append(cache, suffix[5:])
    if probes.differ(at_once[5:], rest):
        return Named("position-restart", "each part starts to count positions anew: its split changes what follows")
    return Named("position-offset", "what is seen is right, but not where it stands: the suffix is a constant off")


def _rounded(probes: Probes) -> Named | None:
    """Small for every prefix, even one of a token or two: the cache holds rounded numbers."""
    shares = []
    for length in (1, 2, BLOCK, 3 * BLOCK):
        prefix, suffix = probes.ids[:length], probes.ids[length : length + BLOCK]
        error = probes.error(prefix, suffix).max().item()
        strange = probes.changed(prefix, *range(length))
        effect = largest(probes.cached(prefix, suffix), probes.cached(strange, suffix))
        shares.append(error / effect if error > probes.limit and effect else 1.0)
    if max(shares) > _SMALL:
        return None
    return Named("precision", f"wrong everywhere, but by no more than {max(shares):.1%} of what another prefix does")


def _unclear(probes: Probes) -> Named:
    errors = probes.error(probes.ids[:_PREFIX], probes.ids[_PREFIX:]).tolist()
    shape = f"off by {errors[0]:.2g} at the first token behind a prefix of {_PREFIX}, by {errors[-1]:.2g} at the last"
    if probes.model.reads_keys_values():
        return Named("unclear", f"{shape}; no pattern that is known")
    return Named("unclear", f"{shape}; what the cache holds is not what it should, keys_values would show more")
