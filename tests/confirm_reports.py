"""Reports as `promptlint confirm` makes them, small enough to read; one of hostile texts; and any, for laws."""

from typing import Any

from hypothesis import strategies as st

from lint_reports import counts, texts
from promptlint.confirm_facts import ConfirmFacts, Generated, RampRow, Seen, Speed, Split
from promptlint.finding import Report, Table

SPEED = Speed(
    ttft_cold=0.0992,
    ttft_warm=0.00312,
    tpot_cold=0.000822,
    tpot_warm=0.000814,
    end_to_end_cold=0.1017,
    end_to_end_warm=0.0056,
    spread=0.113,
    pairs=5,
    cold_range=(0.0981, 0.1034),
    warm_range=(0.0031, 0.0033),
    decode_cold=0.002466,
    decode_warm=0.002442,
)
PAIR = Seen(
    "before.json", "after.json", 629, 629, 5751, "the first position whose keys or values differ", ""
)  # fmt: skip
SPLITS = (
    Split("aligned", 128, 128, 0.0, 1.0),
    Split("unaligned", 133, 123, 2.4e-6, 1.0),
    Split("last token", 255, 1, 2.6e-6, 1.0),
)


def row(prefix: int = 2048, **other: Any) -> RampRow:
    """A measured length; twice the prefix takes twice as long."""
    part = prefix / 2048
    speed = SPEED._replace(ttft_cold=SPEED.ttft_cold * part, end_to_end_cold=SPEED.ttft_cold * part + 0.0025)
    size = 1536 * prefix
    return RampRow(prefix, 32, speed, size, size, 7 * size, 3 * size, SPEED.ttft_cold * part / 2)._replace(**other)


def facts(**other: Any) -> ConfirmFacts:
    """The built-in model, which agrees."""
    found = ConfirmFacts(
        backend="minimal",
        model="minimal (seeded, 0.9M parameters)",
        device="cpu",
        dtype="float32",
        attention="explicit",
        tokenizer="bytes",
        predicted_tokens=629,
        observed_tokens=629,
        kv_first_difference=629,
        kv_noise=0.0,
        kv_difference=3.94935,
        logit_diff=2.6e-6,
        control_diff=0.5217,
        noise=1.9e-6,
        tolerance=1.065e-4,
        splits=SPLITS,
        speed=SPEED,
        kv_bytes=3 << 20,
        ramp=(row(),),
        seen=(PAIR,),
        clock="CPU time, one thread",
    )
    return found._replace(**other)


def confirmed() -> Report:
    note = "only the first 1,141 tokens were computed: no later one can change what stands ahead of it"
    return Report("confirm", "confirmed", notes=(note,), confirm=facts())


def contradicted() -> Report:
    """A suffix whose positions are one too high; the keys of the prompts part too early."""
    gap = "the tokens part at 629, keys and values at 612: something in front of it has a part in them"
    wrong = tuple(split._replace(logit_diff=1.1, top1_agree=0.68) for split in SPLITS)
    body = facts(
        backend="check",
        model="paged",
        attention="",
        observed_tokens=612,
        kv_first_difference=612,
        logit_diff=1.1,
        splits=wrong,
        suspect="position-offset",
        suspect_why="the keys of the suffix stand +1 from where they should",
        seen=(PAIR._replace(observed_tokens=612, gap=gap),),
    )
    return Report("confirm", "contradicted", confirm=body)


def not_shown() -> Report:
    """Half precision, no control that failed, a machine that is too busy."""
    why = "the times say nothing, this machine is too busy: equal runs of 2,048 + 32 tokens took 80 to 300 ms"
    body = facts(
        backend="transformers",
        model="SmolLM2-135M",
        dtype="bfloat16",
        attention="sdpa",
        tokenizer="tokenizer.json",
        observed_tokens=None,
        kv_first_difference=None,
        kv_difference=None,
        kv_noise=0.031,
        control_diff=0.05,
        logit_diff=0.053,
        tolerance=0.21,
        noise=0.053,
        seen=(PAIR._replace(observed_tokens=None, source=""),),
        generated=Generated(64, 17, 23),
        noisy=why,
    )
    return Report("confirm", "not_shown", notes=("in bfloat16 an error below 0.63 cannot be seen",), confirm=body)


def ramp() -> Report:
    """No prompts: a model as it is, and three lengths."""
    rows = (row(512), row(2048), row(4096, note="halved: out of memory at 8192", kv_bytes_predicted=None))
    body = facts(
        tokenizer="",
        predicted_tokens=None,
        observed_tokens=None,
        kv_first_difference=None,
        kv_noise=None,
        kv_difference=None,
        seen=(),
        ramp=rows,
        speed=rows[-1].speed,
        kv_bytes=rows[-1].kv_bytes,
    )
    return Report("confirm", "confirmed", confirm=body)


def of_server(**other: Any) -> ConfirmFacts:
    """What is known of a server."""
    unknown = dict.fromkeys(
        ("kv_first_difference", "kv_noise", "kv_difference", "logit_diff", "control_diff", "noise", "tolerance")
    )
    fields: dict[str, Any] = {
        "backend": "openai",
        "model": "qwen3-8b",
        "device": "",
        "dtype": "",
        "attention": "",
        "tokenizer": "o200k_base",
        "splits": (),
        "speed": None,
        "kv_bytes": None,
        "ramp": (),
        "clock": "",
        "calibration": 1.0,
        "calibration_error": 0.0,
        **unknown,
    }
    return facts(**{**fields, **other})


SOURCE = "usage.prompt_tokens_details.cached_tokens"


def server() -> Report:
    seen = (
        Seen("before.json", "after.json", 624, 624, 1210, SOURCE, "", "", 624),
        Seen("before.json", "after.json", 0, 0, 1210, SOURCE, "", is_control=True),
    )
    speed = SPEED._replace(ttft_cold=1.42, ttft_warm=0.31, spread=0.0, pairs=1)
    body = of_server(predicted_tokens=624, observed_tokens=624, seen=seen, speed=speed)
    bill = Table(
        "what asking may cost", ("request", "prompt_tokens", "output_tokens", "usd"), (("all", 2420, 16, "0"),)
    )
    return Report("confirm", "confirmed", tables=(bill,), notes=("vLLM with blocks of 16",), confirm=body)


def log() -> Report:
    gap = "the server's blocks are larger than was thought"
    seen = tuple(
        Seen("agent.jsonl#0", f"agent.jsonl#{number}", 900 * number, 900 * number - miss, 1000 * number, SOURCE, told)
        for number, miss, told in ((1, 0, ""), (2, 0, ""), (3, 28, gap))
    )
    seen = (*seen[:2], seen[2]._replace(miss_reason="cache_miss: tools_changed", server_predicted_tokens=2690))
    body = of_server(
        predicted_tokens=None, observed_tokens=None, seen=seen, calibration=2 / 3, calibration_error=28 / 3
    )
    return Report("confirm", "contradicted", confirm=body)


def dry_run() -> Report:
    bill = Table(
        "what asking may cost", ("request", "prompt_tokens", "output_tokens", "usd"), (("all", 9, 16, "0.01"),)
    )
    return Report("confirm", None, tables=(bill,), notes=("nothing was sent; it may cost about $0.01",))


SAMPLES = {
    each.__name__: each for each in (confirmed, contradicted, not_shown, ramp, server, log, dry_run)
}  # fmt: skip


def hostile(text: str, *, on_server: bool = False) -> Report:
    """Wherever text of a user, a model or a server can stand."""
    seen = Seen(text, text, 1, 2, 3, text, text, text, 4)
    split = Split(text, 1, 1, 0.5, 0.5)
    body = facts(
        backend=text,
        model=text,
        device="" if on_server else text,
        dtype=text,
        attention=text,
        tokenizer=text,
        clock=text,
        noisy=text,
        suspect="unclear",
        suspect_why=text,
        splits=(split,),
        ramp=(row(note=text), row(4096, note=text)),
        seen=(seen, seen._replace(is_control=True)) if on_server else (seen,),
    )
    bill = Table(text, ("request", "usd"), ((text, 1),))
    return Report("confirm", "contradicted", tables=(bill,), notes=(text,), confirm=body)


_figures = st.none() | st.just(float("inf")) | st.floats(0, 1e6)
_seconds = st.floats(0, 1e3)
_maybe = st.none() | _seconds
_ranges = st.none() | st.tuples(_seconds, _seconds)
_speeds = st.builds(
    Speed, _seconds, _seconds, _maybe, _maybe, _maybe, _maybe, st.floats(0, 9), st.integers(1, 99), _ranges, _ranges,
    decode_cold=_maybe, decode_warm=_maybe,
)  # fmt: skip
_sizes = st.integers(0, 1 << 40)
_rows = st.builds(
    RampRow, st.integers(1, 10**6), st.integers(1, 99), _speeds, _sizes, st.none() | _sizes, st.none() | _sizes,
    st.none() | _sizes, _maybe, texts,
)  # fmt: skip
_seen = st.builds(
    Seen, texts, texts, counts, counts, counts, texts, texts, texts, counts, st.booleans()
)  # fmt: skip
_splits = st.builds(
    Split, texts, st.integers(0, 9999), st.integers(1, 9999), st.just(float("inf")) | st.floats(0, 99), st.floats(0, 1)
)
_suspects = st.sampled_from(["mask", "stale-block", "precision", "unclear"])
_facts = st.builds(
    ConfirmFacts,
    backend=st.sampled_from(["minimal", "check", "transformers", "openai"]),
    model=texts, device=texts, dtype=texts, attention=texts, tokenizer=texts,
    predicted_tokens=counts, observed_tokens=counts, kv_first_difference=counts,
    kv_noise=_figures, kv_difference=_figures, logit_diff=_figures, control_diff=_figures, noise=_figures,
    tolerance=_figures,
    splits=st.lists(_splits, max_size=3).map(tuple),
    speed=st.none() | _speeds,
    kv_bytes=st.none() | _sizes,
    ramp=st.lists(_rows, max_size=3).map(tuple),
    suspect=st.none() | _suspects,
    suspect_why=texts,
    generated=st.none() | st.builds(Generated, st.integers(1, 999), st.none() | st.integers(1, 999), counts),
    seen=st.lists(_seen, max_size=3).map(tuple),
    calibration=st.none() | st.floats(0, 1),
    calibration_error=st.none() | st.floats(-1e6, 1e6),
    noisy=texts,
    clock=texts,
)  # fmt: skip


def reports() -> st.SearchStrategy[Report]:
    """Any."""
    return st.builds(
        lambda verdict, notes, body: Report("confirm", verdict, notes=tuple(notes), confirm=body),
        st.sampled_from(["confirmed", "contradicted", "not_shown"]),
        st.lists(texts, max_size=2),
        _facts,
    )
