"""How long the first token and the ones behind it take, with and without the prefix in the cache.

TTFT: from handing over the prompt until the first token is chosen. TPOT: (latency - TTFT) / (output tokens - 1).
"""

import gc
import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from copy import deepcopy
from functools import partial
from itertools import pairwise
from statistics import median, quantiles
from typing import Any, NamedTuple

import torch

from promptlint.confirm import machine
from promptlint.confirm.device import first_line, is_out_of_memory, release
from promptlint.confirm.machine import Clock
from promptlint.confirm.memory import Watched, kv_bytes, predicted, watched
from promptlint.confirm_facts import RampRow, Speed
from promptlint.errors import PromptlintError

PREFIX, SUFFIX, OUTPUT, PAIRS = 2048, 32, 8, 5  # tokens, tokens, tokens, pairs: a second on a small CPU
_SMALLEST = 16  # tokens of a prefix that is halved no further
_UNASKED = 4096  # tokens of a prompt that is tried without asking whether it fits
_PROBES = (256, 512)  # tokens at which memory is looked at before a long prompt is tried
_STEADY = 0.3  # middle half of equal runs / their median, above which they say nothing
_FALLS = 0.75  # a longer prefix saves a larger part, so a ratio that falls below this part of the last is noise

Progress = Callable[[int, int], None]
"""Pairs that are done, and of how many."""


class Bench(NamedTuple):
    """An implementation as it is measured."""

    implementation: Any
    device: str
    clock: Clock
    suffix_tokens: int
    output_tokens: int
    pairs: int
    warmup: int
    vocabulary: int
    seed: int

    def advance(self, cache: Any, ids: list[int]) -> tuple[Any, Any]:
        """Logits of the last id at least, and the cache behind it. No cache: a prompt from its start.

        May write into the cache that it is handed.
        """
        own = getattr(self.implementation, "advance", None)
        if own is not None:
            given = own(cache, ids)
        else:
            given = self.implementation.prefill(ids) if cache is None else self.implementation.append(cache, ids)
        logits, longer = given
        return (logits[0] if logits.dim() == 3 else logits), longer

    def fork(self, cache: Any) -> Any:
        """A copy of a cache, to write into."""
        own = getattr(self.implementation, "fork", None)
        return own(cache) if own is not None else deepcopy(cache)

    def draw(self, *key: int, tokens: int) -> list[int]:
        """Random ids: other ones for every key, the same ones for the same key."""
        source = random.Random(repr((self.seed, key)))
        return source.choices(range(self.vocabulary), k=tokens)


class Timed(NamedTuple):
    """Seconds of one answer."""

    ttft: float
    decode: float
    end_to_end: float


def ramp(
    implementation: Any,
    prefixes: Sequence[int] = (PREFIX,),
    *,
    suffix_tokens: int = SUFFIX,
    output_tokens: int = OUTPUT,
    pairs: int = PAIRS,
    warmup: int = 1,
    progress: Progress | None = None,
    threads: int = 1,
    seed: int = 0,
    clock: Clock | None = None,
) -> tuple[RampRow, ...]:
    """One row for each length of prefix, the shortest first; see `Implementation` for what is asked of a model.

    Each pair runs a prompt whole and with its prefix in the cache, in an order that changes from pair to pair. Before
    them come `warmup` unmeasured pairs; the first of them, which there always is, is watched for its memory. Prompts
    are random ids, and no cold one is repeated. Of a `Checked` implementation the object inside is measured. Raises
    PromptlintError where not even a short prefix fits, or where the implementation fails.
    """
    if not prefixes or min(*prefixes, suffix_tokens, output_tokens, pairs, threads) < 1:
        raise PromptlintError("a prefix, a suffix, an answer, pairs and threads are 1 or more", "--prefix 512,2048")
    implementation = getattr(implementation, "wrapped", implementation)
    with _undisturbed(threads):
        device, size = _device(implementation), _vocabulary(implementation)
        timer = clock or machine.clock(device, threads)
        bench = Bench(implementation, device, timer, suffix_tokens, output_tokens, pairs, max(warmup, 1), size, seed)
        return _rows(bench, sorted(set(prefixes)), progress or (lambda done, of: None))


@contextmanager
def _undisturbed(threads: int) -> Iterator[None]:
    collects = gc.isenabled()
    gc.disable()
    try:
        with machine.threads_of(threads), torch.inference_mode():
            yield
    finally:
        if collects:
            gc.enable()


def _device(implementation: Any) -> str:
    """As stated, else where the logits are."""
    return str(getattr(implementation, "device", None) or implementation.prefill([0])[0].device)


def _vocabulary(implementation: Any) -> int:
    return int(getattr(implementation, "vocabulary", None) or implementation.prefill([0])[0].shape[-1])


def _rows(bench: Bench, prefixes: list[int], progress: Progress) -> tuple[RampRow, ...]:
    """A row keeps the notes of all lengths that were asked for and ended as it."""
    rows: dict[int, RampRow] = {}
    full = 0  # the shortest prefix that did not fit
    each = bench.pairs + bench.warmup
    for number, asked in enumerate(prefixes):
        prefix, notes = _cut(bench, asked)
        while prefix not in rows:
            why = f"out of memory at {full}" if full and prefix >= full else _too_large(bench, prefix)
            row = None if why else _tried(bench, prefix, _Steps(progress, number * each, len(prefixes) * each))
            if row is not None:
                rows[prefix] = row
                continue
            full = min(full or prefix, prefix)
            notes.append(f"halved: {why or f'out of memory at {prefix}'}")
            prefix = _half(prefix, notes[-1])
        said = dict.fromkeys(note for note in (rows[prefix].note, *notes) if note)
        rows[prefix] = rows[prefix]._replace(note="; ".join(said))
    progress(each * len(prefixes), each * len(prefixes))
    return tuple(rows[prefix] for prefix in sorted(rows))


class _Steps(NamedTuple):
    """The part of the whole that one row is."""

    progress: Progress
    before: int
    of: int

    def done(self, pairs: int) -> None:
        self.progress(self.before + pairs, self.of)


def _cut(bench: Bench, prefix: int) -> tuple[int, list[str]]:
    """A length that the model takes, and a note if it is another one than was asked for."""
    stated = (getattr(bench.implementation, name, None) for name in ("positions", "max_tokens"))
    most = next((each for each in stated if each is not None), None)
    if not isinstance(most, int) or prefix + bench.suffix_tokens + bench.output_tokens <= most:
        return prefix, []
    left = most - bench.suffix_tokens - bench.output_tokens
    if left < 1:
        raise PromptlintError(f"the model takes {most} tokens, too few for this suffix and answer")
    return left, [f"cut from {prefix}: the model takes {most} tokens"]


def _half(prefix: int, why: str) -> int:
    if prefix < 2 * _SMALLEST:
        raise PromptlintError(
            f"a prefix of {prefix} tokens does not fit ({why})", "take a smaller model or another device"
        )
    return prefix // 2


def _too_large(bench: Bench, prefix: int) -> str:
    """Why a prompt had better not be tried; "" if it may be. Only of the CPU, which runs out of memory without a word.

    Memory is looked at in two short prompts and taken to grow as a * n + b * n * n.
    """
    free = None if bench.device != "cpu" or prefix <= _UNASKED else machine.free_bytes()
    if free is None:
        return ""
    first = _peak(bench, _PROBES[0])
    if first * (prefix / _PROBES[0]) ** 2 < free:
        return ""
    second = _peak(bench, _PROBES[1])
    square = max(0.0, (second / _PROBES[1] - first / _PROBES[0]) / (_PROBES[1] - _PROBES[0]))
    need = prefix * max(0.0, first / _PROBES[0] - square * _PROBES[0]) + square * prefix**2
    return f"{prefix} takes about {_gib(need)}, {_gib(free)} are free" if need > free else ""


def _peak(bench: Bench, tokens: int) -> int:
    ids = bench.draw(tokens, tokens=tokens)
    return watched(lambda: bench.advance(None, ids))[1].peak_bytes


def _gib(size: float) -> str:
    return f"{size / 2**30:.1f} GiB"


def _tried(bench: Bench, prefix: int, steps: _Steps) -> RampRow | None:
    """The row; None if memory ran out. Nothing of the try is kept then, not even by its exception."""
    try:
        return _row(bench, prefix, steps)
    except Exception as error:  # of code that is not ours: anything
        if not is_out_of_memory(error):
            if isinstance(error, PromptlintError):
                raise
            told = (
                f"a prompt of {prefix + bench.suffix_tokens} tokens failed: {type(error).__name__}: {first_line(error)}"
            )
            raise PromptlintError(told, "try a shorter --prefix") from error
    release()
    return None


def _row(bench: Bench, prefix: int, steps: _Steps) -> RampRow:
    prompt = bench.draw(prefix, 0, tokens=prefix + bench.suffix_tokens)
    (_, stored), cold, cold_peak = _looked_at(bench, lambda: bench.advance(None, prompt[:prefix]))
    kept = kv_bytes(bench.implementation, stored)
    warm, warm_peak = _looked_at(bench, partial(bench.advance, bench.fork(stored), prompt[prefix:]))[1:]
    steps.done(1)
    speed = _speed(_pairs(bench, prefix, stored, steps), bench.output_tokens)
    return RampRow(
        prefix_tokens=prefix,
        suffix_tokens=bench.suffix_tokens,
        speed=speed,
        kv_bytes=kept,
        kv_bytes_predicted=predicted(bench.implementation, prefix),
        peak_bytes_cold=cold_peak,
        peak_bytes_warm=None if warm_peak is None else warm_peak + kept,
        roofline_s=_roofline(bench, cold.flops + warm.flops, cold.read_bytes + kept, speed),
    )


def _looked_at(bench: Bench, run: Callable[[], Any]) -> tuple[Any, Watched, int | None]:
    """What a run gives and needs, and the most memory that it took: as the device counts, else as its tensors show."""
    (made, seen), peak = machine.peak_of(bench.device, lambda: watched(run))
    return made, seen, seen.peak_bytes if peak is None and bench.device == "cpu" else peak


def _roofline(bench: Bench, flops: int, moved: int, speed: Speed) -> float | None:
    """The least seconds for the products and the bytes of a cold prompt, at what short tries reach on this machine.

    A run that is quicker has shown more of the machine than those tries did; then it is the least. None where there is
    no room for the tries, or where no such products can be computed.
    """
    if not flops or speed.cold_range is None:
        return None
    try:
        best = machine.limits(bench.device, str(getattr(bench.implementation, "dtype", "")), moved, bench.clock)
    except (RuntimeError, MemoryError):
        return None
    return min(max(flops / best.flops, moved / best.bandwidth), speed.cold_range[0])


def _pairs(bench: Bench, prefix: int, stored: Any, steps: _Steps) -> list[tuple[Timed, Timed]]:
    """(cold, warm) of each measured pair; the pair number says which of them runs first."""
    runs = []
    for number in range(1, bench.pairs + bench.warmup):
        suffix = bench.draw(prefix, number, 1, tokens=bench.suffix_tokens)
        prompt = bench.draw(prefix, number, tokens=prefix) + suffix
        found = {}
        for kind in ("cold", "warm") if number % 2 else ("warm", "cold"):
            if kind == "cold":
                found[kind] = _timed(bench, None, prompt)
            else:
                found[kind] = _timed(bench, bench.fork(stored), suffix)
        if number >= bench.warmup:
            runs.append((found["cold"], found["warm"]))
        steps.done(number + 1)
    return runs


def _timed(bench: Bench, cache: Any, ids: list[int]) -> Timed:
    """One answer: the prompt, then token by token the most likely one."""
    clock = bench.clock
    host, start = clock.host(), clock.mark()
    logits, cache = bench.advance(cache, ids)
    token = logits[-1].argmax()
    first = clock.mark()
    token = int(token)
    begun = clock.mark()
    for _ in range(bench.output_tokens - 1):
        logits, cache = bench.advance(cache, [token])
        token = int(logits[-1].argmax())
    end = clock.mark()
    decode = clock.seconds(begun, end)
    return Timed(clock.seconds(start, first), decode, clock.host() - host)


def _speed(runs: list[tuple[Timed, Timed]], output_tokens: int) -> Speed:
    cold, warm = ([pair[side] for pair in runs] for side in (0, 1))
    ratios = [one.ttft / max(other.ttft, 1e-9) for one, other in runs]
    behind = output_tokens - 1
    decode = [median(each.decode for each in side) if behind else None for side in (cold, warm)]
    per_token = [None if seconds is None else seconds / behind for seconds in decode]
    return Speed(
        ttft_cold=median(each.ttft for each in cold),
        ttft_warm=median(each.ttft for each in warm),
        tpot_cold=per_token[0],
        tpot_warm=per_token[1],
        end_to_end_cold=median(each.end_to_end for each in cold),
        end_to_end_warm=median(each.end_to_end for each in warm),
        spread=(max(ratios) - min(ratios)) / max(median(ratios), 1e-9),
        pairs=len(runs),
        cold_range=_quartiles([each.ttft for each in cold]),
        warm_range=_quartiles([each.ttft for each in warm]),
        decode_cold=decode[0],
        decode_warm=decode[1],
    )


def _quartiles(times: list[float]) -> tuple[float, float]:
    """One run in four is faster, one slower: a single run that was disturbed moves neither."""
    if len(times) < 2:
        return times[0], times[0]
    low, _, high = quantiles(times, n=4, method="inclusive")
    return low, high


def noisy(rows: Sequence[RampRow], clock: str, load: float | None = None, cores: int = 1) -> str:
    """Why these times say nothing, as a sentence; "" if they do say something.

    `clock`: name of the clock; the load of the machine counts only where it is the wall clock.
    """
    reasons = []
    for row in rows:
        low, high = row.speed.cold_range or (0.0, 0.0)
        if high - low > _STEADY * row.speed.ttft_cold:
            times = f"{low * 1000:,.1f} to {high * 1000:,.1f} ms"
            reasons.append(f"half of the runs of {row.prefix_tokens:,} + {row.suffix_tokens} tokens lie in {times}")
    for shorter, longer in pairwise(rows):
        before, after = (each.speed.ttft_cold / max(each.speed.ttft_warm, 1e-9) for each in (shorter, longer))
        if after < _FALLS * before:
            reasons.append(
                f"reuse of {longer.prefix_tokens:,} tokens saves less ({after:.1f}x) than of {shorter.prefix_tokens:,} "
                f"({before:.1f}x)"
            )
    if clock == machine.WALL and load is not None and load > cores + 1:
        reasons.append(f"the load average is {load:.1f} on {cores} cores")
    if not reasons:
        return ""
    return f"the times say nothing, this machine is too busy: {'; '.join(reasons)}. Try again, or with more --pairs"
