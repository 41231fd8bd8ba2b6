"""Cached and uncached logits differ: what kind of bug is it?

Each probe asks one question whose answer a correct implementation cannot give. Most need logits alone. A probe that
cannot tell says nothing, and where none can, the suspect is "unclear": a wrong name costs more time than none.
"""

from collections.abc import Callable

from promptlint.confirm.implementation import Checked
from promptlint.confirm.kept import Named, explained_by_keys_values
from promptlint.confirm.probes import ODD, PREFIX, Probes, largest
from promptlint.confirm.random_prompts import BLOCK, full_blocks, other, random_ids

_SUFFIX = 2 * BLOCK
_SURELY = 4  # times what is no noise: what another request has left is that far off, and more
_SMALL = 0.2  # of the effect of another prefix: what rounding stays below (8 bits: 0.07; a wrong head: 0.5 and more)

_NEAR = 4  # rows ahead of a token that a mask of one token too many lets see it, through as many layers
_LEAK = 0.3  # of what a token does to those behind it: no mask lets through 0.7 and more, rounding to 8 bits 0.17


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
    length = PREFIX + ODD + _SUFFIX
    if most is not None and most < length + 3 * BLOCK:
        return Named("unclear", f"the model takes {most:,} tokens, too few to try what it could be")
    ids = [*ids[:length], *random_ids(model.vocabulary, length - len(ids), 77)]
    probes = Probes(model, ids, limit, kept_limit)
    sure: tuple[_Step, ...] = (_by_chance, _left_by_others, _of_another, _sees_future, _kept)
    more: tuple[_Step, ...] = (_alone, _in_steps, _blind, _blind_in_chunk, _by_length, _restarts, _rounded)
    steps = sure if half else (*sure, *more)
    found = next((named for step in steps if (named := step(probes))), None) or _unclear(probes)
    if half and found.suspect == "unclear":
        return found._replace(why=f"{found.why}; in {model.dtype} most tests see only noise, float32 would tell more")
    return found


_Step = Callable[[Probes], Named | None]


def _kept(probes: Probes) -> Named | None:
    """Look at keys and values behind a cache, at a split inside a block and at one between two."""
    found = (
        explained_by_keys_values(probes.model, probes.ids, (cut,), probes.kept_limit) for cut in (PREFIX + ODD, PREFIX)
    )
    return next((named for named in found if named), None)


def _alone(probes: Probes) -> Named | None:
    """Many tokens at once are right; is a single one wrong?"""
    ids, cuts = probes.ids, (PREFIX + ODD, PREFIX)
    if any(probes.wrong(cut, len(ids) - cut) for cut in cuts) or not all(probes.wrong(cut, 1) for cut in cuts):
        return None
    found = (explained_by_keys_values(probes.model, ids[: cut + 1], (cut,), probes.kept_limit) for cut in cuts)
    named = next((named for named in found if named), None) or Named("unclear", "")
    alone = "many tokens behind a cache are right when they are computed at once, and a single one is wrong"
    return named._replace(why=f"{alone}: {named.why}".removesuffix(": "))


def _in_steps(probes: Probes) -> Named | None:
    """If two parts are right, is the third? (If they are not, its error follows from theirs.)"""
    ids, cuts = probes.ids, (PREFIX + ODD, PREFIX)
    if any(probes.wrong(cut, len(ids) - cut) for cut in cuts):
        return None
    found = (explained_by_keys_values(probes.model, ids, (cut, cut + ODD), probes.kept_limit) for cut in cuts)
    return next((named for named in found if named), None)


def _sees_future(probes: Probes) -> Named | None:
    """Change one token of the suffix: no row ahead of it may notice.

    Where all rows do, but by little beside those behind it, its numbers depend on what is computed together with them.
    """
    prefix, suffix = probes.ids[:PREFIX], probes.ids[PREFIX : PREFIX + BLOCK]
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


def _by_chance(probes: Probes) -> Named | None:
    """Compute the same twice behind the same prefix: both must be equal. Three times, for a bug that only the first
    one shows is no chance."""
    prefix, suffix = probes.ids[:PREFIX], probes.ids[PREFIX : PREFIX + BLOCK]
    a, b, c = (probes.model.append(probes.model.prefill(prefix)[1], suffix)[0] for _ in range(3))
    apart = min(largest(a, b), largest(a, c), largest(b, c))
    if apart <= probes.limit / 4:
        return None
    why = (
        f"the same tokens behind the same prefix, three times, differ by {apart:.2g} each time: it is not deterministic"
    )
    return Named("unclear", why)


def _of_another(probes: Probes) -> Named | None:
    """Does a request get what was computed for another one, which has the same blocks behind another beginning?

    A prompt is seen that nobody has seen before, and is right; then one that differs in a single token.
    """
    cut = full_blocks(4 * BLOCK)
    ids = random_ids(probes.model.vocabulary, cut + BLOCK, 80)
    if probes.error(ids[:cut], ids[cut:]).max().item() > probes.limit:
        return None
    for place, why in ((0, _BEGINNING), (PREFIX - 1, _MIDDLE)):
        near = probes.changed(ids, place)
        if probes.error(near[:cut], near[cut:]).max().item() > _SURELY * probes.limit:
            return Named("stale-block", why)
        if probes.error(ids[:cut], ids[cut:]).max().item() > _SURELY * probes.limit:
            return Named("stale-block", f"{why} (the later one overwrites the earlier)")
    return None


_BEGINNING = (
    "a block is reused behind another beginning: of two requests that differ in their first token only, one gets the "
    "keys and values of the other's later blocks; a block must be known by all that is ahead of it, too"
)
_MIDDLE = (
    "of two requests that begin alike and differ in one later token of the prefix, one gets the keys and values of the "
    "other: a prefix must be known by all of its tokens"
)


def _left_by_others(probes: Probes) -> Named | None:
    """Let other requests use the cache in between: nothing of them may be left in it."""
    prefix, suffix = probes.ids[: PREFIX + ODD], probes.ids[PREFIX + ODD :]
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
    even, odd = _unseen_end(probes, PREFIX), _unseen_end(probes, PREFIX + ODD)
    if even == PREFIX:
        return Named("prefix-unseen", "no token of the prefix has any effect on the suffix")
    if even and even == odd and even < BLOCK:
        which = "last token" if even == 1 else f"last {even} tokens"
        return Named("mask", f"the {which} of the prefix cannot be seen from the suffix: mask off by {even}")
    if odd == ODD and not even:
        why = f"behind {PREFIX + ODD} tokens the last {odd} cannot be seen, those of the block that is not full"
        return Named("partial-block", why)
    if even and odd == even + ODD and (size := _size_of_block(probes, PREFIX - even)):
        why = f"the last {even} of {PREFIX} tokens cannot be seen, those of a block of {size} that is not full"
        return Named("partial-block", why)
    if even and even % BLOCK == 0:
        return Named("stale-block", f"the last {even} tokens of the prefix have no effect on the suffix")
    if even:
        return Named("mask", f"the last {even or odd} tokens of the prefix cannot be seen from the suffix")
    return _first_unseen(probes)


def _size_of_block(probes: Probes, start: int) -> int:
    """The size of blocks of which one begins at `start`, and can be seen where it is full; 0 if there is none."""
    sizes = (size for size in (2 * BLOCK, 4 * BLOCK) if start % size == 0)
    return next((size for size in sizes if not _unseen_end(probes, full_blocks(size))), 0)


def _first_unseen(probes: Probes) -> Named | None:
    """Is the first token of every prefix left out?"""
    if _unseen_end(probes, 1) == 0 or _unseen_end(probes, 2) or not probes.wrong(PREFIX, BLOCK):
        return None
    one, suffix = probes.ids[:1], probes.ids[1 : 1 + BLOCK]
    effect = largest(probes.true(one, suffix), probes.true(probes.changed(one, 0), suffix))
    if effect <= 4 * probes.limit:
        return None
    return Named("mask", "the first token of a prefix cannot be seen from the suffix, and the one behind it can")


def _unseen_end(probes: Probes, prefix: int) -> int:
    """How many tokens at the end of a prefix have no effect, by halving: what an earlier one does can only be more."""
    whole = probes.continued(prefix + BLOCK)
    ids, suffix = whole[:prefix], whole[prefix:]
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
    lengths = sorted({1, 2, 3, *range(8, PREFIX + 1, 8), *(n + d for n in range(16, PREFIX + 1, 16) for d in (-1, 1))})
    wrong = {n for n in lengths if probes.wrong(n, 8)}
    for block in (8, BLOCK, 2 * BLOCK):
        inside = {n for n in lengths if n % block}
        if wrong <= inside and len(wrong) > len(inside) / 2:
            # Positions that are counted in blocks look the same, but for a prompt in which places do not matter.
            if (probes.alike(PREFIX + ODD) or 0.0) <= probes.limit:
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
    prefix, suffix = probes.ids[:PREFIX], probes.ids[PREFIX : PREFIX + BLOCK]
    cache = probes.held(prefix)
    at_once, _ = probes.model.append(cache, suffix)
    rest, _ = probes.model.append(probes.model.append(cache, suffix[:ODD])[1], suffix[ODD:])
    return probes.differ(at_once[ODD:], rest)


def _blind_in_chunk(probes: Probes) -> Named | None:
    """Inside the suffix: does a token see the one before it, and itself?"""
    prefix, suffix = probes.ids[:PREFIX], probes.ids[PREFIX : PREFIX + 8]
    whole, _ = probes.model.prefill([*prefix, *suffix])
    changed, _ = probes.model.prefill([*prefix, *probes.changed(suffix, 3)])
    effect = largest(whole[PREFIX + 4], changed[PREFIX + 4])
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
    if (probes.alike(PREFIX) is None) or (probes.alike(PREFIX) or 0.0) > probes.limit:
        return None
    if not all(probes.wrong(n, BLOCK) for n in (1, 3, BLOCK, 2 * BLOCK, PREFIX)) or not _parts_matter(probes):
        return None
    prefix, suffix = probes.ids[:PREFIX], probes.ids[PREFIX : PREFIX + BLOCK]
    strange = probes.changed(prefix, *range(PREFIX))
    effect = largest(probes.cached(prefix, suffix), probes.cached(strange, suffix))
    if probes.error(prefix, suffix).max().item() < _SMALL * effect:
        return None
    return Named("position-restart", "each part starts to count positions anew: its split changes what follows")


def _rounded(probes: Probes) -> Named | None:
    """Small for every prefix, even one of a token or two: the cache holds rounded numbers.

    Rounded values show in a prompt of one token as well; attention that is a little too sharp does not.
    """
    alike = probes.alike(PREFIX)
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
    """How large the error is. Nothing is said where these prompts do not show it."""
    cut = PREFIX if probes.wrong(PREFIX, len(probes.ids) - PREFIX) else PREFIX + ODD
    errors = probes.error(probes.ids[:cut], probes.ids[cut:]).tolist()
    if max(errors) <= probes.limit:
        return Named("unclear", _in_parts(probes))
    shape = f"off by {errors[0]:.2g} at the first token behind a prefix of {cut}, by {errors[-1]:.2g} at the last"
    alike = probes.alike(PREFIX)
    if alike is not None and alike <= probes.limit:
        shape += (
            "; right in a prompt of one token repeated, where it makes no difference which is looked at: which tokens "
            "are seen, where they stand, or how they are weighed"
        )
    if probes.model.reads_keys_values():
        return Named("unclear", f"{shape}; no pattern that is known")
    return Named("unclear", f"{shape}; keys_values would show more")


def _in_parts(probes: Probes) -> str:
    """Two parts are right; from which one on is it wrong? "" if none is, or if it is the length of what is ahead."""
    ids, start = probes.ids, PREFIX + ODD
    cache = probes.held(ids[:start])
    for number, end in enumerate((start + 1, start + 2, start + 2 + BLOCK, len(ids)), 2):
        rows, cache = probes.model.append(cache, ids[start:end])
        if probes.differ(rows, probes.true(ids[:start], ids[start:end])):
            return (
                "" if probes.wrong(start, end - start) else f"right in {number - 1} parts, wrong from part {number} on"
            )
        start = end
    return ""
