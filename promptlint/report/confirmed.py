"""The words and figures that the text and Markdown reports of `promptlint confirm` share. All of it visible text."""

import math
from typing import NamedTuple

from promptlint.confirm_facts import ConfirmFacts, Generated, RampRow, Seen, Split, Suspect
from promptlint.finding import Report
from promptlint.report.escape import line
from promptlint.report.phrases import number, plural

_TIMES = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"))
_SIZES = ((1 << 30, "GB"), (1 << 20, "MB"), (1 << 10, "kB"))

_POINTS_TO: dict[Suspect, str] = {
    "mask": "to the causal mask of the suffix, not to the cache",
    "position-offset": "to positions that are counted off by some behind the prefix, not to the cache",
    "position-restart": "to positions that start again behind the prefix, not to the cache",
    "layers-swapped": "to the order of the layers, whose keys and values are swapped, not to the cache",
    "keys-values-swapped": "to keys and values that are taken for one another, not to the cache",
    "heads-permuted": "to the order of the heads, not to the cache",
    "stale-block": "to a block of another prompt that was left in place, not to the reuse of a prefix",
    "partial-block": "to the end of the last block, which is only partly filled, not to the reuse of a prefix",
    "prefix-unseen": "to an attention that does not see the prefix, not to the cache",
    "precision": "to numbers that are too coarse, not to the cache",
    "unclear": "to mask, positions or the order of layers rather than to the cache; its shape fits none of them",
}


_HALF = ("float16", "bfloat16")


def points_to(suspect: Suspect) -> str:
    """The sentence that a reader of a mismatch needs first."""
    return f"a mismatch points {_POINTS_TO[suspect]}"


def totals(report: Report) -> str:
    """What the verdict rests on, in one line."""
    facts = report.confirm
    if facts is None:
        return "nothing was sent"
    told = [_agreement(facts), _equality(facts), _faster(facts) if report.verdict == "confirmed" else ""]
    return "; ".join(filter(None, told)) or "nothing was shown"


def _agreement(facts: ConfirmFacts) -> str:
    pairs = [seen for seen in facts.seen if not seen.is_control]
    if facts.calibration is not None and len(pairs) > 1:
        return f"{round(facts.calibration * len(pairs)):,} of {plural(len(pairs), 'pair')} as predicted"
    predicted, observed = facts.predicted_tokens, facts.observed_tokens
    if predicted is None or observed is None:
        return "" if predicted is None else f"{plural(predicted, 'token')} predicted, what is reused was not seen"
    if predicted == observed:
        return f"{plural(observed, 'token')} reusable, as predicted"
    return f"{number(observed)} tokens reusable, {number(predicted)} predicted"


def _equality(facts: ConfirmFacts) -> str:
    if facts.logit_diff is None or facts.tolerance is None:
        return "no logits can be compared" if facts.noise is not None else ""
    if facts.logit_diff > facts.tolerance:
        return "with reuse the logits are other ones"
    if facts.suspect is not None:  # what is kept was compared too
        return "keys and values kept are other ones, by too little to show in the logits"
    doubt = ", but no control failed" if facts.control_diff is None or facts.control_diff <= facts.tolerance else ""
    limit = f", as far as {facts.dtype} shows it" if facts.dtype in _HALF else ""
    return f"logits are equal with reuse{limit}{doubt}"


def _faster(facts: ConfirmFacts) -> str:
    speed = facts.speed
    if speed is None or facts.noisy:
        return ""
    row = ramp_row(facts)
    behind = f" behind {number(row.prefix_tokens)}" if row is not None else ""
    if speed.ttft_warm >= speed.ttft_cold:
        return f"the first token comes no sooner{behind}"
    return f"first token {times(speed.ttft_cold, speed.ttft_warm)} sooner{behind}"


_BACKENDS = {"minimal": "", "transformers": "", "check": " (--check)", "": ""}


def about_model(facts: ConfirmFacts) -> str:
    """Which model on what."""
    told = [line(facts.dtype), f"on {line(facts.device)}" if facts.device else ""]
    told.append(f"{line(facts.attention)} attention" if facts.attention else "")
    inner = ", ".join(filter(None, (" ".join(filter(None, told[:2])), told[2])))
    name = line(facts.model) or "not named"
    backend = _BACKENDS.get(facts.backend, f" ({line(facts.backend)} interface)")
    return f"{name}{backend}{f', {inner}' if inner else ''}"


def pair_of(facts: ConfirmFacts) -> Seen | None:
    """The pair of a run on this machine; None where a server was asked, or where there is no pair."""
    on_server = not facts.device
    return facts.seen[0] if len(facts.seen) == 1 and not on_server else None


def reuse_rows(facts: ConfirmFacts) -> list[tuple[str, str]]:
    """What was predicted and what was seen."""
    pair = pair_of(facts)
    if pair is None and facts.predicted_tokens is None and facts.observed_tokens is None:
        return []
    of = f" of {number(pair.prompt_tokens)} tokens of b" if pair is not None and pair.prompt_tokens is not None else ""
    rows = [
        ("predicted", "unknown" if facts.predicted_tokens is None else number(facts.predicted_tokens) + of),
        ("observed", "unknown" if facts.observed_tokens is None else number(facts.observed_tokens)),
    ]
    if facts.kv_first_difference is not None:
        rows.append(("keys, values", first_difference(facts)))
    if pair is not None and pair.gap:
        rows.append(("gap", line(pair.gap)))
    return rows


def first_difference(facts: ConfirmFacts) -> str:
    """Where keys and values part, beside what they differ by ahead of it."""
    if facts.kv_difference is None:
        told = f"equal to the end of the shorter prompt ({number(facts.kv_first_difference)} tokens)"
    else:
        told = f"differ from token {number(facts.kv_first_difference)} on, by {small(facts.kv_difference)}"
    if facts.kv_noise is None:
        return told
    if facts.kv_difference is not None:
        return f"{told}; ahead of it by {small(facts.kv_noise)}"
    return f"{told}, but for {small(facts.kv_noise)}"


def equal_rows(facts: ConfirmFacts) -> list[tuple[str, str]]:
    """Cached against uncached, with the control."""
    if facts.logit_diff is None:
        return []
    limits = [f"noise {small(facts.noise)}"] if facts.noise is not None else []
    limits += [f"tolerance {small(facts.tolerance)}"] if facts.tolerance is not None else []
    more = f" ({', '.join(limits)})" if limits else ""
    rows = [("logits", f"differ by {small(facts.logit_diff)} at most{more}")]
    return [*rows, ("control", _control(facts))]


def _control(facts: ConfirmFacts) -> str:
    if facts.control_diff is None:
        return "none: nothing shows that an error would be seen"
    told = f"wrong prefixes differ by {small(facts.control_diff)} or more"
    if facts.tolerance is not None and facts.control_diff <= facts.tolerance:
        return f"{told}, which is no more than the tolerance: an error would not be seen"
    if facts.dtype in _HALF:
        return f"{told}: an error of that size would be seen"
    return f"{told}: an error would be seen"


def split_cells(split: Split) -> tuple[str, str, str, str]:
    """Name, how it is split, difference, agreement."""
    parts = f"{number(split.prefix_tokens)} + {number(split.suffix_tokens)}"
    return line(split.name), parts, small(split.logit_diff), f"{split.top1_agree:.0%}".replace("%", " %")


SPLIT_HEAD = ("split", "tokens", "logits differ by", "same choice")


class SpeedRow(NamedTuple):
    """One quantity of a measurement: without reuse, with it, and the ratio."""

    name: str
    cold: str
    warm: str
    ratio: str


SPEED_HEAD = ("", "without reuse", "with reuse", "ratio")


def speed_rows(facts: ConfirmFacts) -> list[SpeedRow]:
    """TTFT and TPOT apart, and what both together hide."""
    speed = facts.speed
    if speed is None:
        return []
    pairs = (
        ("TTFT", speed.ttft_cold, speed.ttft_warm),
        ("TPOT", speed.tpot_cold, speed.tpot_warm),
        ("end to end", speed.end_to_end_cold, speed.end_to_end_warm),
    )
    return [
        SpeedRow(name, seconds(cold), seconds(warm), times(cold, warm))
        for name, cold, warm in pairs
        if cold is not None and warm is not None
    ]


def speed_title(facts: ConfirmFacts) -> str:
    """What the times are of."""
    speed, row = facts.speed, ramp_row(facts)
    assert speed is not None
    what = f"{number(row.prefix_tokens)} + {number(row.suffix_tokens)} random tokens" if row is not None else ""
    told = [what, f"median of {speed.pairs:,} pairs" if speed.pairs > 1 else "one pair", line(facts.clock)]
    return ", ".join(filter(None, told))


def speed_remarks(facts: ConfirmFacts) -> list[tuple[str, str]]:
    """How far the times can be trusted, and what the cache takes."""
    speed = facts.speed
    if speed is None:
        return []
    rows = [("spread", f"of the TTFT ratio {speed.spread:.0%}".replace("%", " %"))] if speed.pairs > 1 else []
    if facts.kv_bytes is not None:
        row = ramp_row(facts)
        predicted = None if row is None else row.kv_bytes_predicted
        as_told = (
            ""
            if predicted is None
            else ", as predicted"
            if predicted == facts.kv_bytes
            else (f", {size(predicted)} predicted")
        )
        rows.append(("KV cache", f"{size(facts.kv_bytes)} of keys and values{as_told}"))
    return rows


def ramp_row(facts: ConfirmFacts) -> RampRow | None:
    """The row whose figures stand for the whole: that of the longest prefix."""
    return facts.ramp[-1] if facts.ramp else None


DEFINED = "TTFT: time to the first token. TPOT: (latency - TTFT) / (output tokens - 1)."


def generated_row(found: Generated) -> str:
    """The continuation, beside its noise."""
    same = found.first_difference is None
    told = (
        f"{plural(found.tokens, 'token')}, all equal with and without reuse"
        if same
        else f"token {number(found.first_difference)} of {number(found.tokens)} is the first that differs with reuse"
    )
    noise = found.noise_first_difference
    beside = (
        "no token differs" if noise is None else f"token {number(noise)} is the first that differs"
    )  # of two runs that are equal but for their rounding
    return (
        f"{told}; of two runs without reuse that are split otherwise, {beside}. Equal text is no proof, other text no "
        "disproof: look at the logits"
    )


SEEN_HEAD = ("pair", "predicted", "observed", "prompt")


def seen_cells(seen: Seen) -> tuple[str, str, str, str]:
    """A pair sent to a server."""
    name = f"{line(seen.a)} -> {line(seen.b)}"
    counts = (seen.predicted_tokens, seen.observed_tokens, seen.prompt_tokens)
    predicted, observed, prompt = ("unknown" if count is None else number(count) for count in counts)
    return f"{name} (control)" if seen.is_control else name, predicted, observed, prompt


def seen_remarks(seen: Seen) -> list[tuple[str, str]]:
    """What else is said of a pair."""
    own = seen.server_predicted_tokens
    told = number(own) if own is not None and own != seen.predicted_tokens else ""
    return [
        ("gap", line(seen.gap)),
        ("miss", line(seen.miss_reason)),
        ("by ids", f"{told} predicted from the server's own token ids" if told else ""),
    ]


def sources(facts: ConfirmFacts) -> str:
    """Which fields or metrics say what was observed."""
    return ", ".join(dict.fromkeys(line(seen.source) for seen in facts.seen if seen.source))


def calibration(facts: ConfirmFacts) -> str:
    """How well predictions hold over many pairs."""
    if facts.calibration is None or sum(not seen.is_control for seen in facts.seen) < 2:
        return ""
    told = f"{facts.calibration:.1%} of the pairs as predicted".replace("%", " %")
    if facts.calibration_error is None:
        return told
    return f"{told}; predicted minus observed is {facts.calibration_error:+.3g} tokens on average"


def small(value: float | None) -> str:
    """A difference, to two digits."""
    if value is None:
        return "unknown"
    if value == 0:
        return "0"
    if not math.isfinite(value):
        return "more than any number"
    if 0.001 <= abs(value) < 99.5:
        return f"{value:.2g}"
    digits, _, exponent = f"{value:.1e}".partition("e")
    return f"{digits}e{int(exponent)}"


def seconds(value: float | None) -> str:
    """A time, to three digits, in a unit that fits."""
    if value is None:
        return "unknown"
    unit, name = next(((unit, name) for unit, name in _TIMES if value >= unit * 0.9995), _TIMES[-1])
    return f"{three(value / unit)} {name}"


def size(value: int) -> str:
    """Bytes, to three digits, in a unit that fits."""
    unit, name = next(((unit, name) for unit, name in _SIZES if value >= unit), (1, "bytes"))
    return f"{three(value / unit) if unit > 1 else value} {name}"


def times(cold: float, warm: float) -> str:
    """A ratio: "13x"."""
    return f"{three(cold / warm, 2)}x" if warm > 0 else "-"


def three(value: float, digits: int = 3) -> str:
    """So many digits, and never an exponent."""
    if value >= 10 ** (digits - 1):
        return f"{value:,.0f}"
    left = len(f"{value:.0f}") if value >= 1 else 1
    return f"{value:.{max(digits - left, 0)}f}"
