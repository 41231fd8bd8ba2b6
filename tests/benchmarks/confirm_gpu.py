"""Time, memory, keys, values and logits with and without reuse, on a GPU; `confirm_gpu.sh` runs it.

usage: python tests/benchmarks/confirm_gpu.py [--dry-run]

The model is a Llama with the sizes of a 1B one and random weights: times and memory are those of a trained one, and
nothing has to be fetched. Prefixes that would not end in time are left out, which is said.
"""

import platform
import random
import sys
import time
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from promptlint.confirm_facts import RampRow
from promptlint.errors import PromptlintError
from promptlint.report.confirmed import seconds, size, small, times

LIMIT = 420.0  # seconds for everything; the script that starts this allows 480
GROWTH = 12  # times as long as for the prefix before: one that is 4 times as long takes 4 to 16 times


class Plan(NamedTuple):
    """What is measured."""

    device: str
    sizes: dict[str, int]
    prefixes: tuple[int, ...]
    suffix: int
    output: int
    pairs: int
    shared: int  # tokens at the start of two prompts that part then


REAL = Plan(
    "cuda",
    {
        "hidden_size": 2048,
        "intermediate_size": 8192,
        "num_hidden_layers": 16,
        "num_attention_heads": 32,
        "num_key_value_heads": 8,
        "vocab_size": 128_256,
        "max_position_embeddings": 65_536,
    },
    (512, 2048, 8192, 32_768),
    32,
    17,
    5,
    1500,
)
TINY = REAL._replace(
    device="cpu",
    sizes=REAL.sizes
    | {"hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2, "num_attention_heads": 4}
    | {"num_key_value_heads": 2, "vocab_size": 256},
    prefixes=(32, 64),
    output=3,
    pairs=2,
    shared=70,
)


def main(arguments: Sequence[str]) -> int:
    """Measure in both types of numbers; print Markdown."""
    if set(arguments) - {"--dry-run"}:
        print(__doc__)
        return 2
    plan = TINY if arguments else REAL
    import torch

    if plan.device == "cuda" and not torch.cuda.is_available():
        print("no CUDA device: nothing was measured (--dry-run tries this script on the processor)", file=sys.stderr)
        return 2
    end = time.monotonic() + LIMIT
    speeds: list[list[str]] = []
    proofs: list[list[str]] = []
    left_out: list[str] = []
    for part, dtype in enumerate(("bfloat16", "float32")):
        model = build(plan, dtype)
        proofs.append(proof_row(plan, model))
        now = time.monotonic()
        share = end if part else now + (end - now) / 3  # float32 takes the longer
        for row in rows(plan, model, share, left_out):
            speeds.append(speed_row(dtype, row))
            print(f"{dtype}: {row.prefix_tokens} done", file=sys.stderr)
        del model
    print("\n".join(report(plan, speeds, proofs, left_out)))
    return 0


def build(plan: Plan, dtype: str) -> Any:
    """A model with random weights as an implementation under test."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    from promptlint.confirm.local import LocalModel

    torch.manual_seed(0)
    made: Any = LlamaForCausalLM
    configured: Any = LlamaConfig
    # Larger than the usual 0.02, so that one other token clearly moves keys, values and logits.
    config = configured(**plan.sizes, tie_word_embeddings=True, initializer_range=0.05)
    default = torch.get_default_dtype()
    torch.set_default_dtype(getattr(torch, dtype))
    try:
        with torch.device(plan.device):
            model = made(config).eval()
    finally:
        torch.set_default_dtype(default)
    return LocalModel(model.to(getattr(torch, dtype)), "random-llama")


def rows(plan: Plan, model: Any, end: float, left_out: list[str]) -> Iterator[RampRow]:
    """A row for each prefix for which there is time."""
    from promptlint.confirm.measure import ramp

    took = 0.0
    for prefix in plan.prefixes:
        if took * GROWTH > end - time.monotonic():
            left_out.append(f"{model.dtype}: {prefix:,} tokens, for lack of time")
            continue
        start = time.monotonic()
        try:
            yield from ramp(
                model, (prefix,), suffix_tokens=plan.suffix, output_tokens=plan.output, pairs=plan.pairs, warmup=2
            )
        except PromptlintError as error:
            left_out.append(f"{model.dtype}: {prefix:,} tokens: {error}")
        took = time.monotonic() - start


def speed_row(dtype: str, row: RampRow) -> list[str]:
    """One prefix."""
    speed = row.speed
    whole = (speed.end_to_end_cold or 0.0, speed.end_to_end_warm or 0.0)
    return [
        f"{dtype} {row.note}".strip(),
        f"{row.prefix_tokens:,} + {row.suffix_tokens}",
        seconds(speed.ttft_cold),
        seconds(speed.ttft_warm),
        times(speed.ttft_cold, speed.ttft_warm),
        f"{speed.spread:.0%}",
        seconds(speed.tpot_cold),
        seconds(speed.tpot_warm),
        times(*whole),
        size(row.kv_bytes) + ("" if row.kv_bytes == row.kv_bytes_predicted else " (not as computed)"),
        "" if row.peak_bytes_cold is None else size(row.peak_bytes_cold),
        "" if row.peak_bytes_warm is None else size(row.peak_bytes_warm),
        "" if row.roofline_s is None else seconds(row.roofline_s),
    ]


SPEEDS = (
    "dtype", "tokens", "TTFT cold", "TTFT warm", "ratio", "spread", "TPOT cold", "TPOT warm", "end to end, ratio",
    "KV cache", "peak cold", "peak warm", "cold at the least",
)  # fmt: skip
PROOFS = (
    "dtype", "verdict", "common prefix", "K/V differ from", "ahead of it", "at it", "logits differ", "control",
    "tolerance",
)  # fmt: skip


def proof_row(plan: Plan, model: Any) -> list[str]:
    """Keys, values and logits with reuse against without, and the control that must differ."""
    from promptlint.confirm.boundary import kv_boundary
    from promptlint.confirm.equivalence import equivalence

    source = random.Random(7)
    shared = [source.randrange(model.vocabulary) for _ in range(plan.shared)]
    first, second = ([*shared, token, *shared[:40]] for token in (1, 2))
    parted = kv_boundary(model, first, second)
    equal = equivalence(model, second[:512])
    return [
        model.dtype,
        equal.verdict + (f" ({equal.why})" if equal.verdict != "confirmed" else ""),
        f"{plan.shared:,}",
        parted.why if parted.first is None else f"{parted.first:,}",
        small(parted.noise),
        small(parted.difference),
        small(equal.logit_diff),
        small(equal.control_diff),
        small(equal.tolerance),
    ]


def report(plan: Plan, speeds: list[list[str]], proofs: list[list[str]], left_out: list[str]) -> Iterator[str]:
    """Markdown, with the name of the card."""
    import torch
    import transformers

    card = torch.cuda.get_device_name() if plan.device == "cuda" else f"{platform.machine()} processor, dry run"
    yield f"### {card}"
    yield ""
    layers, width = plan.sizes["num_hidden_layers"], plan.sizes["hidden_size"]
    versions = f"torch {torch.__version__}, transformers {transformers.__version__}"
    yield f"{versions}; a Llama of {layers} layers, {width} wide, with random weights."
    yield f"Medians of {plan.pairs} pairs in turn. Cold: the prompt computed whole; warm: its prefix in the cache."
    yield "Peaks are beyond the weights; the least is what a short product and a short copy reach on this machine."
    yield ""
    yield from table(SPEEDS, speeds)
    yield ""
    yield from table(PROOFS, proofs)
    yield from (f"\nLeft out: {what}" for what in left_out)


def table(head: Sequence[str], body: Sequence[Sequence[str]]) -> Iterator[str]:
    """A table in Markdown."""
    yield f"| {' | '.join(head)} |"
    yield f"|{'---|' * len(head)}"
    yield from (f"| {' | '.join(row)} |" for row in body)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
