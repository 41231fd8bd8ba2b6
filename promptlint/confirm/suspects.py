"""Cached and uncached logits differ: what kind of bug is it?

Each probe asks one question whose answer a correct implementation cannot give. Most need logits alone. A probe that
cannot tell says nothing, and where none can, the suspect is "unclear": a wrong name costs more time than none.
"""

from collections.abc import Callable

from torch import Tensor

from promptlint.confirm.implementation import Checked, Held
from promptlint.confirm.kept import Named, explained_by_keys_values
from promptlint.confirm.random_prompts import BLOCK, other, random_ids

_PREFIX = 5 * BLOCK  # tokens of the usual prefix
_SUFFIX = 2 * BLOCK
_ODD = 5  # tokens more, where a prefix is to end inside a block
_SMALL = 0.2  # of the effect of another prefix: what rounding stays below (8 bits: 0.07; a wrong head: 0.5 and more)

_NEAR = 4  # rows ahead of a token that a mask of one token too many lets see it, through as many layers
_LEAK = 0.3  # of what a token does to those behind it: no mask lets through 0.7 and more, rounding to 8 bits 0.17


class Probes:
    """A prompt of random tokens, and how far apart equal logits may be. What was computed once is kept."""

    def __init__(self, model: Checked, ids: list[int], limit: float, kept_limit: float | None = None) -> None:
        self.model = model
        self.ids = ids
        self.limit = limit
        self.kept_limit = kept_limit
        self._held: dict[tuple[int, ...], Held] = {}
        self._whole: Tensor | None = None

    def differ(self, a: Tensor, b: Tensor) -> bool:
        """Whether two sets of rows differ by more than noise."""
        return largest(a, b) > self.limit

    def held(self, prefix: list[int]) -> Held:
        """A cache behind a prefix; the same one again for the same prefix."""
        key = tuple(prefix)
        if key not in self._held:
            self._held[key] = self.model.prefill(prefix)[1]
        return self._held[key]

    def cached(self, prefix: list[int], suffix: list[int]) -> Tensor:
        """Logits of the suffix, with the prefix from the cache."""
        return self.model.append(self.held(prefix), suffix)[0]

    def true(self, prefix: list[int], suffix: list[int]) -> Tensor:
        """Logits of the suffix, computed with all that is ahead of it. No row depends on what follows."""
        both = [*prefix, *suffix]
        if both != self.ids[: len(both)]:
            return self.model.prefill(both)[0][len(prefix) :]
        if self._whole is None:
            self._whole = self.model.prefill(self.ids)[0]
        return self._whole[len(prefix) : len(both)]

    def error(self, prefix: list[int], suffix: list[int]) -> Tensor:
        """For each row of the suffix, the largest difference to computing it whole, [len(suffix)]."""
        return (self.cached(prefix, suffix) - self.true(prefix, suffix)).abs().amax(-1)

    def wrong(self, prefix: int, suffix: int) -> bool:
        """Whether so many tokens of the prompt behind so many others are computed wrongly."""
        return self.error(self.ids[:prefix], self.ids[prefix : prefix + suffix]).max().item() > self.limit

    def alike(self, prefix: int) -> float | None:
        """The error where the whole prompt is one token, repeated; None if its rows are not equal even without a cache.

        There all values are equal, and it makes no difference where a token stands or how strongly it is looked at:
        an error that is there is one of what the cache holds. (Positions that are added to tokens make rows differ.)
        """
        token = [self.ids[0]]
        whole = self.true(token * 0, token * (_PREFIX + _ODD + BLOCK))
        if largest(whole, whole[:1]) > self.limit:
            return None
        return self.error(token * prefix, token * BLOCK).max().item()

    def changed(self, ids: list[int], *places: int) -> list[int]:
        """The ids with other tokens at some places."""
        return [other(token, self.model.vocabulary) if i in places else token for i, token in enumerate(ids)]


def largest(a: Tensor, b: Tensor) -> float:
    """The largest difference of two sets of logits."""
    return (a - b).abs().max().item()


def suspect(
    model: Checked,
    ids: list[int],
    limit: float,
    half: bool = False,
    kept_limit: float | None = None,
    most: int | None = None,
) -> Named:
    """Name the kind of bug of an implementation that was contradicted.

    `ids`: the prompt that showed it; its first tokens are used, continued with random ones. `limit`: logits that differ
    by more do not differ by noise; `kept_limit`: the same of keys and values, as a share of the spread of a layer.
    `half`: in half precision the noise hides effects that are asked for; only what can be seen is believed there, not
    what cannot. `most`: tokens that the model takes; where they are few, nothing is tried.
    """
    length = _PREFIX + _ODD + _SUFFIX
    if most is not None and most < length + 3 * BLOCK:
        return Named("unclear", f"the model takes {most:,} tokens, too few to try what it could be")
    ids = [*ids[:length], *random_ids(model.vocabulary, length - len(ids), 77)]
    probes = Probes(model, ids, limit, kept_limit)
    sure: tuple[_Step, ...] = (_left_by_others, _sees_future, _kept)
    more: tuple[_Step, ...] = (_in_steps, _blind, _blind_in_chunk, _by_length, _restarts, _rounded)
    steps = sure if half else (*sure, *more)
    found = next((named for step in steps if (named := step(probes))), None) or _unclear(probes)
    if half and found.suspect == "unclear":
        return found._replace(why=f"{found.why}; in {model.dtype} most tests see only noise, float32 would tell more")
    return found


_Step = Callable[[Probes], Named | None]


def _kept(probes: Probes) -> Named | None:
    """Look at keys and values behind a cache, at a split inside a block and at one between two."""
    found = (
        explained_by_keys_values(probes.model, probes.ids, (cut,), probes.kept_limit)
        for cut in (_PREFIX + _ODD, _PREFIX)
    )
    return next((named for named in found if named), None)


def _in_steps(probes: Probes) -> Named | None:
    """If two parts are right, is the third? (If they are not, its error follows from theirs.)"""
    ids, cuts = probes.ids, (_PREFIX + _ODD, _PREFIX)
    if any(probes.wrong(cut, len(ids) - cut) for cut in cuts):
        return None
    found = (explained_by_keys_values(probes.model, ids, (cut, cut + _ODD), probes.kept_limit) for cut in cuts)
    return next((named for named in found if named), None)


def _sees_future(probes: Probes) -> Named | None:
    """Change one token of the suffix: no row ahead of it may notice.

    Where all rows do, but by little beside those behind it, its numbers depend on what is computed together with them.
    """
    prefix, suffix = probes.ids[:_PREFIX], probes.ids[_PREFIX : _PREFIX + BLOCK]
    before = probes.cached(prefix, suffix)
    ahead = far = behind = 0.0
    for place in (BLOCK // 4, BLOCK // 2, BLOCK - 1):
        moved = (probes.cached(prefix, probes.changed(suffix, place)) - before).abs().amax(-1).tolist()
        ahead = max(ahead, *moved[:place])
        far = max(far, *moved[: max(place - _NEAR, 1)]) if place > _NEAR else far
        behind = max(behind, *moved[place + 1 :], 0.0)
    if ahead <= probes.limit:
        return None
    if far > probes.limit and ahead < _LEAK * behind:
        return Named("unclear", "a token changes all those ahead of it a little: numbers depend on their company")
    return Named("mask", "inside a suffix that is computed at once, tokens see those behind them: no causal mask there")


def _left_by_others(probes: Probes) -> Named | None:
    """Let other requests use the cache in between: nothing of them may be left in it."""
    prefix, suffix = probes.ids[: _PREFIX + _ODD], probes.ids[_PREFIX + _ODD :]
    cache = probes.held(prefix)
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
    wrong = {n for n in lengths if probes.wrong(n, 8)}
    for block in (8, BLOCK, 2 * BLOCK):
        inside = {n for n in lengths if n % block}
        if wrong <= inside and len(wrong) > len(inside) / 2:
            # Positions that are counted in blocks look the same, but for a prompt in which places do not matter.
            if (probes.alike(_PREFIX + _ODD) or 0.0) <= probes.limit:
                return None
            return Named(
                "partial-block", f"wrong where the prefix ends inside a block of {block} tokens, right elsewhere"
            )
    if wrong and min(wrong) > 3 and wrong == {n for n in lengths if n >= min(wrong)}:
        return _from_some_length(probes, max(n for n in lengths if n < min(wrong)), min(wrong))
    return None


def _from_some_length(probes: Probes, right: int, wrong: int) -> Named | None:
    """Prefixes are right up to some length. Does that hold with a longer suffix, which a window would not allow?"""
    longest = len(probes.ids)
    ends = [_first_wrong(probes, n, longest - n) for n in (right, right // 2)]
    if None not in ends and ends[0] == ends[1]:
        return Named("mask", f"behind the cache a token sees the last {ends[0]} tokens at most, itself among them")
    if ends != [None, None] or _parts_matter(probes):  # positions, or what is computed at once, have a part in it
        return None
    where = f"token {right + 1}" if wrong == right + 1 else f"tokens {right + 1} to {wrong}"
    return Named("stale-block", f"right for prefixes up to {right} tokens, wrong from {where} on, whatever follows")


def _first_wrong(probes: Probes, prefix: int, suffix: int) -> int | None:
    """The position, in the whole prompt, of the first row that is wrong; None if none is."""
    over = probes.error(probes.ids[:prefix], probes.ids[prefix : prefix + suffix]) > probes.limit
    return prefix + int(over.int().argmax()) if bool(over.any()) else None


def _parts_matter(probes: Probes) -> bool:
    """Whether a suffix comes out otherwise when it is computed in two parts."""
    prefix, suffix = probes.ids[:_PREFIX], probes.ids[_PREFIX : _PREFIX + BLOCK]
    cache = probes.held(prefix)
    at_once, _ = probes.model.append(cache, suffix)
    rest, _ = probes.model.append(probes.model.append(cache, suffix[:_ODD])[1], suffix[_ODD:])
    return probes.differ(at_once[_ODD:], rest)


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


def _restarts(probes: Probes) -> Named | None:
    """Do positions begin anew with every part? Then every prefix goes wrong, and each part changes what follows.

    Keys that can be read, and are right, exclude it. A constant offset cannot be told from another sharpness of
    attention by logits alone: it gets no name here.
    """
    if probes.model.reads_keys_values():
        return None
    if (probes.alike(_PREFIX) is None) or (probes.alike(_PREFIX) or 0.0) > probes.limit:
        return None
    if not all(probes.wrong(n, BLOCK) for n in (1, 3, BLOCK, 2 * BLOCK, _PREFIX)) or not _parts_matter(probes):
        return None
    prefix, suffix = probes.ids[:_PREFIX], probes.ids[_PREFIX : _PREFIX + BLOCK]
    strange = probes.changed(prefix, *range(_PREFIX))
    effect = largest(probes.cached(prefix, suffix), probes.cached(strange, suffix))
    if probes.error(prefix, suffix).max().item() < _SMALL * effect:
        return None
    return Named("position-restart", "each part starts to count positions anew: its split changes what follows")


def _rounded(probes: Probes) -> Named | None:
    """Small for every prefix, even one of a token or two: the cache holds rounded numbers.

    Rounded values show in a prompt of one token as well; attention that is a little too sharp does not.
    """
    alike = probes.alike(_PREFIX)
    if alike is not None and alike <= probes.limit:
        return None
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
    cut = _PREFIX if probes.wrong(_PREFIX, len(probes.ids) - _PREFIX) else _PREFIX + _ODD
    errors = probes.error(probes.ids[:cut], probes.ids[cut:]).tolist()
    shape = f"off by {errors[0]:.2g} at the first token behind a prefix of {cut}, by {errors[-1]:.2g} at the last"
    alike = probes.alike(_PREFIX)
    if alike is not None and alike <= probes.limit < max(errors):
        shape += "; right in a prompt of one token repeated: where tokens stand, or how sharply they are looked at"
    if probes.model.reads_keys_values():
        return Named("unclear", f"{shape}; no pattern that is known")
    return Named("unclear", f"{shape}; keys_values would show more")
