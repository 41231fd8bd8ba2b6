"""What a machine can afford: prompts that fit into its memory, prefixes that are measured in a couple of minutes.

Only of the processor: it ends a program that takes too much without a word, and it is slow enough to be waited for.
"""

import time
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from promptlint.errors import PromptlintError

if TYPE_CHECKING:
    from promptlint.confirm.implementation import Checked

SECONDS = 120.0  # of measuring that nobody has asked for
_SURE = 4096  # tokens of a prefix that a small model measures in seconds
_PROBES = (128, 512)  # tokens of the prompts that are timed
_LEAST = 16  # tokens that any model takes
_RUNS = 2  # cold prompts beside the pairs: one to look at memory, one whose logits are compared
_CACHES = 4  # of a prompt at the same time
_COPIES = 3  # of its logits


def need_bytes(model: "Checked", tokens: int, rows: int, kv_bytes: int) -> int:
    """Least memory of comparing prompts: their caches, and logits of `rows` tokens. `kv_bytes`: of one token."""
    logits = 4 * model.vocabulary * (rows if model.keeps_few() else max(rows, tokens))
    return _CACHES * kv_bytes * tokens + _COPIES * logits


def refuse_too_large(model: "Checked", tokens: int, rows: int) -> None:
    """Raise PromptlintError for prompts that need more memory than is free. An unknown amount refuses nothing."""
    from promptlint.confirm.machine import free_bytes
    from promptlint.confirm.memory import kv_bytes

    free = free_bytes() if (model.device or "cpu") == "cpu" else None
    if free is None:
        return
    held = kv_bytes(model.wrapped, model.prefill([0, 0])[1].cache) // 2 if model.reads_keys_values() else 0
    need = need_bytes(model, tokens, rows, held)
    if need > free:
        raise PromptlintError(
            f"prompts of {tokens:,} tokens take {_mib(need)} at least, and {_mib(free)} are free",
            "shorter requests, or a smaller model",
        )


def _mib(size: float) -> str:
    return f"{size / 2**20:,.0f} MiB"


def in_time(
    model: "Checked", prefixes: Sequence[int], pairs: int, most: int | None, seconds: float = SECONDS
) -> tuple[tuple[int, ...], list[str]]:
    """The prefixes that are measured in so many seconds, and a note on those that were cut. `most`: tokens it takes.

    Two short prompts are timed; a prompt of n tokens is taken to need a * n + b * n * n.
    """
    lengths = sorted({prefix if most is None else min(prefix, most) for prefix in prefixes})
    if (model.device or "cpu") != "cpu":
        return tuple(prefixes), []
    probes = [n for n in _PROBES if most is None or n <= most]
    if len(probes) < len(_PROBES):
        return tuple(prefixes), []
    first, second = (_timed(model.wrapped, n, model.vocabulary) / n for n in probes)
    square = max((second - first) / (probes[1] - probes[0]), 0.0)
    each = max(second - square * probes[1], 0.0)

    def whole(prefix: int) -> float:
        return (pairs + _RUNS) * prefix * (each + square * prefix)

    if sum(map(whole, lengths)) <= seconds or lengths[-1] <= _PROBES[1]:
        return tuple(prefixes), []
    least = _PROBES[1]
    kept = [n for n, total in zip(lengths, _sums(list(map(whole, lengths))), strict=True) if total <= seconds]
    left = seconds - sum(map(whole, kept))
    longest = next(n for n in lengths if n not in kept)
    while whole(longest) > left and longest > least:
        longest = max(longest // 2, least)
    if longest > max(kept, default=0):
        kept.append(longest)
    about = f"{sum(map(whole, lengths)) / 60:,.0f} minutes"
    note = (
        f"prefixes cut to {', '.join(f'{n:,}' for n in kept)} tokens: all of them would take about {about} here; "
        "with --pairs they are measured all the same"
    )
    return tuple(kept), [note]


def longest(model: "Checked", tokens: int) -> int | None:
    """The longest prompt, of at most `tokens`, that a model takes without failing; None: one of `tokens` does not fail,
    or a short one does."""
    from promptlint.confirm.random_prompts import random_ids

    ids = random_ids(model.vocabulary, tokens, 1)

    def fails(count: int) -> bool:
        try:
            model.prefill(ids[:count], 1)
        except PromptlintError:
            return True
        return False

    low, high = _LEAST, tokens
    if not fails(high) or fails(low):
        return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if fails(middle) else (middle, high)
    return low


def _sums(values: list[float]) -> list[float]:
    found = [0.0]
    for value in values:
        found.append(found[-1] + value)
    return found[1:]


def _timed(implementation: Any, tokens: int, vocabulary: int) -> float:
    """Seconds of a prompt; of two runs the shorter one, for the first may load what is used."""
    import torch

    from promptlint.confirm.random_prompts import random_ids

    advance = getattr(implementation, "advance", None)
    marks = [time.process_time()]
    ids = random_ids(vocabulary, tokens, tokens)
    with torch.inference_mode():
        for _ in range(2):
            if advance is not None:
                advance(None, ids)
            else:
                implementation.prefill(ids)
            marks.append(time.process_time())
    return max(min(after - before for before, after in pairwise(marks)), 1e-6)
