"""What `promptlint confirm` saw, as JSON: every field is written out by hand (schemas/report.schema.json)."""

import math
from typing import Any

from promptlint.confirm_facts import ConfirmFacts, Generated, RampRow, Seen, Speed, Split
from promptlint.report.secrets import mask

Object = dict[str, Any]
_DIGITS = 6  # of a figure: none is measured to more


def confirm(found: ConfirmFacts) -> Object:
    """The body. What is not known is null; the times are those of the longest prefix."""
    speed = found.speed
    return {
        "backend": mask(found.backend),
        "model": mask(found.model),
        "device": mask(found.device),
        "dtype": mask(found.dtype),
        "attention": mask(found.attention),
        "tokenizer": mask(found.tokenizer),
        "predicted_tokens": found.predicted_tokens,
        "observed_tokens": found.observed_tokens,
        "kv_first_difference": found.kv_first_difference,
        "kv_noise": _figure(found.kv_noise),
        "kv_difference": _figure(found.kv_difference),
        "logit_diff": _figure(found.logit_diff),
        "control_diff": _figure(found.control_diff),
        "noise": _figure(found.noise),
        "tolerance": _figure(found.tolerance),
        "splits": [_split(split) for split in found.splits],
        **_times(speed),
        "spread": None if speed is None else _figure(speed.spread),
        "pairs": None if speed is None else speed.pairs,
        "clock": mask(found.clock),
        "kv_bytes": found.kv_bytes,
        "ramp": [_row(row) for row in found.ramp],
        "suspect": found.suspect,
        "suspect_why": mask(found.suspect_why),
        "generated": None if found.generated is None else _generated(found.generated),
        "seen": [_seen(seen) for seen in found.seen],
        "calibration": _figure(found.calibration),
        "calibration_error": _figure(found.calibration_error),
        "noisy": mask(found.noisy),
    }


def _times(speed: Speed | None) -> Object:
    return {
        "ttft_s": _both(None if speed is None else (speed.ttft_cold, speed.ttft_warm)),
        "tpot_s": _both(None if speed is None else (speed.tpot_cold, speed.tpot_warm)),
        "end_to_end_s": _both(None if speed is None else (speed.end_to_end_cold, speed.end_to_end_warm)),
    }


def _both(pair: tuple[float | None, float | None] | None) -> Object:
    cold, warm = pair or (None, None)
    return {"cold": _figure(cold), "warm": _figure(warm)}


def _split(split: Split) -> Object:
    return {
        "name": mask(split.name),
        "prefix_tokens": split.prefix_tokens,
        "suffix_tokens": split.suffix_tokens,
        "logit_diff": _figure(split.logit_diff),
        "top1_agree": _figure(split.top1_agree),
    }


def _row(row: RampRow) -> Object:
    speed = row.speed
    ranges = {"cold": _range(speed.cold_range), "warm": _range(speed.warm_range)}
    times = _times(speed)
    return {
        "prefix_tokens": row.prefix_tokens,
        "suffix_tokens": row.suffix_tokens,
        "ttft_s": times["ttft_s"],
        "ttft_range_s": ranges,
        "tpot_s": times["tpot_s"],
        "end_to_end_s": times["end_to_end_s"],
        "decode_s": _both((speed.decode_cold, speed.decode_warm)),
        "spread": _figure(speed.spread),
        "pairs": speed.pairs,
        "kv_bytes": row.kv_bytes,
        "kv_bytes_predicted": row.kv_bytes_predicted,
        "peak_bytes": {"cold": row.peak_bytes_cold, "warm": row.peak_bytes_warm},
        "roofline_s": _figure(row.roofline_s),
        "note": mask(row.note),
    }


def _range(found: tuple[float, float] | None) -> list[float | None] | None:
    return None if found is None else [_figure(each) for each in found]


def _generated(found: Generated) -> Object:
    return {
        "tokens": found.tokens,
        "first_difference": found.first_difference,
        "noise_first_difference": found.noise_first_difference,
    }


def _seen(seen: Seen) -> Object:
    return {
        "a": mask(seen.a),
        "b": mask(seen.b),
        "predicted_tokens": seen.predicted_tokens,
        "observed_tokens": seen.observed_tokens,
        "prompt_tokens": seen.prompt_tokens,
        "server_predicted_tokens": seen.server_predicted_tokens,
        "source": mask(seen.source),
        "gap": mask(seen.gap),
        "miss_reason": mask(seen.miss_reason),
        "is_control": seen.is_control,
    }


def _figure(value: float | None) -> float | None:
    """To six digits; what is no number at all is null, for JSON has no infinity."""
    if value is None or not math.isfinite(value):
        return None
    return float(f"{value:.{_DIGITS}g}")
