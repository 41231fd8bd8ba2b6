"""What `promptlint confirm` has seen: predictions beside what a model or a server did, each with its control."""

from typing import Literal, NamedTuple

Suspect = Literal[
    "mask", "position-offset", "position-restart", "layers-swapped", "keys-values-swapped", "heads-permuted",
    "stale-block", "partial-block", "prefix-unseen", "precision", "unclear",
]  # fmt: skip
"""What kind of bug the shape of an error points to."""


class Split(NamedTuple):
    """One way to compute a prompt in two parts, against computing it whole."""

    name: str  # "aligned", "unaligned", "last token", "other donor"
    prefix_tokens: int
    suffix_tokens: int
    logit_diff: float  # largest absolute difference over all positions of the suffix
    top1_agree: float  # share of positions, of those whose best two logits are further apart than the noise


class Speed(NamedTuple):
    """Seconds, medians of pairs that were measured in turn."""

    ttft_cold: float  # until the first token, prompt computed whole
    ttft_warm: float  # with the prefix in the cache
    tpot_cold: float | None  # for each token behind the first: (latency - TTFT) / (output tokens - 1)
    tpot_warm: float | None
    end_to_end_cold: float | None  # both together: what it hides
    end_to_end_warm: float | None
    spread: float  # of the ratio ttft_cold / ttft_warm over the pairs: (largest - smallest) / median
    pairs: int
    cold_range: tuple[float, float] | None = None  # quartiles of TTFT over the pairs
    warm_range: tuple[float, float] | None = None
    decode_cold: float | None = None  # all tokens behind the first
    decode_warm: float | None = None


class RampRow(NamedTuple):
    """One length of prefix."""

    prefix_tokens: int
    suffix_tokens: int
    speed: Speed
    kv_bytes: int  # keys and values of the prefix, counted on the tensors
    kv_bytes_predicted: int | None  # by the arithmetic of confirm/memory.py
    peak_bytes_cold: int | None  # beyond the weights: while the prefix is computed
    peak_bytes_warm: int | None  # while the suffix is computed behind it, with the cache in it
    roofline_s: float | None  # the least time that a cold prefill could take on this machine, as far as that is known
    note: str = ""  # "halved: out of memory at 32768"


class Seen(NamedTuple):
    """One pair sent to a server: what was predicted, and what the server itself reports."""

    a: str  # as the user named it
    b: str
    predicted_tokens: int | None
    observed_tokens: int | None  # cached tokens of the second request; None: it does not say
    prompt_tokens: int | None  # of the second, as the server counts it
    source: str  # the field or metric that says so: "usage.prompt_tokens_details.cached_tokens"
    gap: str  # why they differ, as far as that can be told; "" if they do not
    miss_reason: str = ""  # the vendor's own diagnostics
    server_predicted_tokens: int | None = None  # the same from token ids that the server itself gives
    is_control: bool = False  # a request that must read nothing


class Generated(NamedTuple):
    """A greedy continuation with and without reuse: equal text is no proof, other text no disproof."""

    tokens: int
    first_difference: int | None  # number of the first token that differs
    noise_first_difference: int | None  # of two runs without reuse, split otherwise


class ConfirmFacts(NamedTuple):
    """The body of a confirmation. None: not measured, or there is no such thing."""

    backend: str  # minimal, check, transformers, openai, anthropic, llama-server, gemini
    model: str  # name, or "seeded, 0.9M parameters"
    device: str
    dtype: str
    attention: str  # "explicit", "sdpa", "eager", "" for servers
    tokenizer: str
    predicted_tokens: int | None
    observed_tokens: int | None
    kv_first_difference: int | None  # first position whose keys or values differ: the length of the common prefix
    kv_noise: float | None  # largest difference ahead of it
    kv_difference: float | None  # difference at it
    logit_diff: float | None  # largest, cached against uncached
    control_diff: float | None  # smallest difference of the controls that must fail
    noise: float | None  # of two uncached runs
    tolerance: float | None
    splits: tuple[Split, ...] = ()
    speed: Speed | None = None
    kv_bytes: int | None = None
    ramp: tuple[RampRow, ...] = ()
    suspect: Suspect | None = None
    suspect_why: str = ""
    generated: Generated | None = None
    seen: tuple[Seen, ...] = ()  # of servers
    calibration: float | None = None  # share of pairs in which prediction and observation agree
    calibration_error: float | None = None  # mean of predicted minus observed tokens of these pairs
    noisy: str = ""  # why the times say nothing, if they do not
    clock: str = ""  # what the times are: "CPU time, one thread", "device events", "wall clock"
