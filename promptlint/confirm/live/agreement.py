"""Forecast against observed: do they agree, and if not, what explains the gap as far as that can be told?"""

from collections.abc import Sequence
from typing import NamedTuple

from promptlint.boundary.align import common_head
from promptlint.cache.steps import whole_units

BAND = 0.1  # of a prediction that was counted with another vocabulary and brought to the server's own count


class Forecast(NamedTuple):
    """What the rules say that a server reads of one prompt for the next."""

    tokens: int | None
    shared_tokens: int | None = None  # equal at the start, before any rounding
    prompt_tokens: int | None = None  # of the second prompt, counted as `tokens`
    exact: bool = False  # template and vocabulary are the model's own
    unit: int = 1  # what is read is a multiple of it
    minimum: int = 0
    why: str = ""  # one sentence
    lifetime: str = ""  # how long entries live, in words
    lost_tokens: int | None = None  # of what the first prompt leaves to be read, counted as `tokens`
    by_entries: bool = False  # only entries are read, each of which ends where it was written


class Observed(NamedTuple):
    """What one pair showed."""

    cold: int | None  # cached tokens of the first request
    warm: int | None  # of the second
    prompt_tokens: int | None  # of the second, as the server counts
    again: int | None = None  # of the request that was sent once more
    again_is_first: bool = True  # that was the first one; else the second
    control: int | None = None  # of the second, told to reuse nothing
    is_sum: bool = False
    first_tokens: int | None = None  # of the first prompt, as the server counts
    wrong: str = ""  # a figure of one of them that cannot be right, in words
    left: int | None = None  # tokens that the first request read or wrote: its entries end there


class Judged(NamedTuple):
    """What follows."""

    agrees: bool | None  # None: nothing can be said
    expected: int | None  # the prediction in the server's own tokens
    gap: str  # "" where they agree


def by_ids(a: Sequence[int], answer: Sequence[int], b: Sequence[int], unit: int) -> int:
    """What `b` reads of a prompt and its answer, whose last token was never computed on."""
    return whole_units(common_head((*a, *answer[:-1]), b), len(b), unit)


def judged(forecast: Forecast, own: int | None, seen: Observed) -> Judged:
    """`own`: the prediction from the server's own ids, which counts where there is one."""
    expected, exact = (own, True) if own is not None else in_its_tokens(forecast, seen)
    if seen.wrong:
        return Judged(None, expected, f"the figure cannot be right: {seen.wrong}")
    if seen.warm is None:
        return Judged(None, expected, _SILENT)
    if seen.is_sum:
        return Judged(None, expected, "tools of the vendor ran inside the call: its counters are sums over passes")
    if expected is None:
        return Judged(None, None, forecast.why or "nothing is predicted")
    if own is not None and forecast.exact and forecast.tokens not in (None, own) and own == seen.warm:
        return Judged(
            False, forecast.tokens, "the template or vocabulary given is not the server's: by its own ids it is right"
        )
    if not _near(seen.warm, expected, forecast, exact):
        return _parted(forecast, expected, seen, exact)
    return Judged(*_shown(expected, seen))


_SILENT = (
    "the server does not say how much it read (vLLM: --enable-prompt-tokens-details, SGLang: --enable-cache-report)"
)


def in_its_tokens(forecast: Forecast, seen: Observed) -> tuple[int | None, bool]:
    """The prediction in the server's tokens, where ours are of another vocabulary; and whether it is to the token.

    A part of the first prompt is the same part of what the server counts for it, hidden text in front and all. An entry
    is read exactly as it was written: 12 of 12 calls of Claude, 3 of 3 of GPT-5.6, in public
    recordings of 2025 and 2026.
    """
    usable, lost = forecast.tokens, forecast.lost_tokens
    if forecast.exact or not usable:
        return usable, forecast.exact
    whole = seen.left if forecast.by_entries else seen.first_tokens
    if lost is not None and whole:
        tokens = round(whole * usable / (usable + lost))
        exact = forecast.by_entries and not lost
        return (tokens if forecast.by_entries else tokens // forecast.unit * forecast.unit), exact
    if not forecast.prompt_tokens or not seen.prompt_tokens:
        return usable, False
    return round(usable * seen.prompt_tokens / forecast.prompt_tokens), False


def _near(warm: int, expected: int, forecast: Forecast, exact: bool) -> bool:
    """Whether what was read is what was predicted: to the token, or within a step or a part of the prediction.

    Never of the prompt: of a long one with a short shared start, that part would be more than is shared.
    """
    if exact:
        return warm == expected
    if (warm == 0) != (expected == 0):
        return False
    return abs(warm - expected) <= max(forecast.unit, round(BAND * expected))


def _shown(expected: int, seen: Observed) -> tuple[bool | None, int, str]:
    """Whether an agreement proves anything: it needs a control."""
    if seen.control:
        return (
            None,
            expected,
            f"told to reuse nothing, it still reports {seen.control:,} tokens: its figure says nothing",
        )
    if seen.warm == 0 and not seen.again:
        return None, expected, "it never reports a read, not even of the very same prompt: 0 proves nothing"
    if seen.control is None and seen.cold is None:
        return None, expected, "what the first request read is not reported, so there is no control"
    if seen.control is None and expected and 2 * (seen.cold or 0) > expected:
        return None, expected, "the first request was in the cache already, from earlier traffic: run it again later"
    return True, expected, ""


def _parted(forecast: Forecast, expected: int, seen: Observed, exact: bool) -> Judged:
    warm = seen.warm or 0
    if warm < expected:
        why, sure = _fewer(forecast, expected, warm, seen)
    else:
        why, sure = _more(forecast, expected, warm, seen, exact)
    return Judged(False if sure else None, expected, why)


def _fewer(forecast: Forecast, expected: int, warm: int, seen: Observed) -> tuple[str, bool]:
    """Why less was read than was predicted, and whether that contradicts."""
    if warm and expected - warm == 1 and seen.prompt_tokens == expected:
        return "the last token of a prompt is always computed", True
    if warm and 0 < expected - warm < max(_block(warm), 2):
        return f"it reads whole blocks, perhaps of {_block(warm)} tokens: give yours with --block-size", True
    if warm:
        return "another template or vocabulary than assumed, or part of it was evicted", True
    if forecast.minimum and expected < forecast.minimum * 1.25:
        return f"near the minimum of {forecast.minimum:,} tokens, below which nothing is cached", False
    if seen.again is not None and seen.again_is_first:
        if seen.again == 0:
            return "it keeps nothing: the first request, sent once more, reads nothing either", False
        life = f" ({forecast.lifetime})" if forecast.lifetime else ""
        return (
            f"the first request, sent once more, reads {seen.again:,} tokens, so the cache holds it{life}: "
            "the second one does not find it, or another replica served it"
        ), True
    if seen.again:
        return f"a second try reads {seen.again:,} tokens: another replica served the first, or it was evicted", False
    return "nothing is read: cache off, another replica, or evicted", False


def _more(forecast: Forecast, expected: int, warm: int, seen: Observed, exact: bool) -> tuple[str, bool]:
    """Why more was read than was predicted, and whether that contradicts."""
    if seen.control is None and (seen.cold or 0) > 0:
        return f"earlier traffic: the first request already read {seen.cold:,} tokens", False
    if expected == 0 and forecast.minimum and warm < forecast.minimum:
        return f"it reads less than the minimum of {forecast.minimum:,} tokens that is known", True
    if forecast.shared_tokens is not None and expected < warm <= forecast.shared_tokens:
        return "it rounds in smaller steps than is known", True
    if seen.prompt_tokens is not None and warm >= seen.prompt_tokens - 1 and expected < warm:
        return "it held the whole second prompt from earlier traffic", False
    if not exact:
        return "a hidden prefix that every request shares, or another template than assumed", True
    return "it shares more than was predicted: another template, or a prompt of earlier traffic", True


def _block(tokens: int) -> int:
    """The largest usual block that divides a count."""
    return next((size for size in (256, 128, 64, 32, 16) if tokens % size == 0), 1)


def joined(tries: Sequence[Judged], reads: Sequence[int | None]) -> Judged:
    """What follows from several tries; `reads`: the cached tokens of each. Tries that differ show nothing."""
    last = tries[-1]
    if len(set(reads)) == 1:
        return last
    none = sum(read == 0 for read in reads)
    if none:
        return last._replace(
            agrees=None, gap=f"{none} of {len(reads)} tries read nothing: another replica, or evicted in between"
        )
    told = " and ".join("an unknown number of" if read is None else f"{read:,}" for read in reads)
    return last._replace(agrees=None, gap=f"the tries differ: they read {told} tokens")
