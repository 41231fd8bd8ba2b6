"""How measuring goes about it: what is run in which order, what is kept of it, what happens when memory runs out.

No test looks at how long anything takes: the clock is moved by the model.
"""

import gc
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch

from conftest import ROOT
from promptlint.confirm import machine, measure
from promptlint.confirm.memory import KvShape, kv_bytes, predicted, shape_of_config, watched
from promptlint.confirm.minimal import Minimal
from promptlint.confirm_facts import RampRow, Speed
from promptlint.errors import PromptlintError

WORDS = 50


class Fake:
    """A model that takes a second for each token, and another one for all before; its cache is the list of its ids."""

    vocabulary = WORDS
    device = "cpu"
    positions: int  # the most tokens, where there is a most

    def __init__(self, most: int | None = None, error: Exception | None = None) -> None:
        self.now = 0.0
        self.calls: list[tuple[str, int, int]] = []  # name, tokens in the cache, tokens given
        self.prompts: list[tuple[int, ...]] = []
        self.most = most
        self.error = error or torch.OutOfMemoryError("CUDA out of memory.")
        self.jitter = iter(())  # type: Any

    def prefill(self, ids: list[int]) -> tuple[Any, list[int]]:
        self.prompts.append(tuple(ids))
        return self._run("prefill", [], ids)

    def append(self, cache: list[int], ids: list[int]) -> tuple[Any, list[int]]:
        return self._run("append", cache, ids)

    def fork(self, cache: list[int]) -> list[int]:
        self.calls.append(("fork", len(cache), 0))
        self.now += 1000  # must not be in any time
        return list(cache)

    def keys_values(self, cache: list[int]) -> list[tuple[Any, Any]]:
        return [(torch.zeros(2, len(cache), 4), torch.zeros(2, len(cache), 4))] * 3

    def _run(self, name: str, cache: list[int], ids: list[int]) -> tuple[Any, list[int]]:
        if self.most is not None and len(cache) + len(ids) > self.most:
            raise self.error
        self.calls.append((name, len(cache), len(ids)))
        self.now += len(ids) + next(self.jitter, 0)
        cache += ids  # as a model may do with the copy that it is handed
        logits = torch.zeros(len(ids), WORDS)
        logits[-1, len(cache) % WORDS] = 1
        return logits, cache


def clock_of(fake: Fake, name: str = "fake") -> machine.Clock:
    return machine.Clock(name, lambda: fake.now, lambda start, end: end - start, lambda: fake.now)


def ramp(fake: Fake, *prefixes: int, **options: Any) -> tuple[RampRow, ...]:
    given = {"suffix_tokens": 4, "output_tokens": 3, "pairs": 4, "clock": clock_of(fake), **options}
    return measure.ramp(fake, prefixes, **given)


def starts(fake: Fake) -> list[str]:
    """Which side was run, in order: a prompt whole, or a suffix behind the prefix."""
    sides = {("prefill", 0, 24): "cold", ("append", 20, 4): "warm"}
    return [sides[call] for call in fake.calls if call in sides]


def test_times_are_kept_apart() -> None:
    (row,) = ramp(Fake(), 20)
    speed = row.speed
    assert (row.prefix_tokens, row.suffix_tokens, speed.pairs) == (20, 4, 4)
    assert (speed.ttft_cold, speed.ttft_warm) == (24, 4)
    assert (speed.tpot_cold, speed.tpot_warm) == (1, 1)
    assert (speed.decode_cold, speed.decode_warm) == (2, 2)
    assert (speed.end_to_end_cold, speed.end_to_end_warm) == (26, 6)
    assert speed.spread == 0
    assert (speed.cold_range, speed.warm_range) == ((24, 24), (4, 4))


def test_pairs_alternate_and_nothing_is_copied_inside_a_time() -> None:
    fake = Fake()
    ramp(fake, 20)
    assert starts(fake)[1:] == ["cold", "warm", "warm", "cold", "cold", "warm", "warm", "cold"]
    forks = [at for at, call in enumerate(fake.calls) if call[0] == "fork"]
    assert [fake.calls[at + 1] for at in forks] == [("append", 20, 4)] * 5  # each right before a warm run


def test_no_cold_prompt_is_computed_twice() -> None:
    fake = Fake()
    ramp(fake, 20)
    assert len(set(fake.prompts)) == len(fake.prompts) == 5
    again = Fake()
    ramp(again, 20)
    assert again.prompts == fake.prompts
    other = Fake()
    ramp(other, 20, seed=1)
    assert not set(other.prompts) & set(fake.prompts)


def test_warm_up_is_run_and_not_counted() -> None:
    fake = Fake()
    fake.jitter = iter([0, 0, *[100] * 12])  # watched prefix and suffix; two pairs of 2 * 3 calls
    (row,) = ramp(fake, 20, warmup=3)
    assert (row.speed.ttft_cold, row.speed.ttft_warm, row.speed.pairs) == (24, 4, 4)
    assert starts(fake).count("cold") == 6


def test_the_median_counts_and_one_disturbed_run_does_not() -> None:
    fake = Fake()
    fake.jitter = iter([0, 0, 500, 0, 0, 30])  # the first cold and the first warm run
    (row,) = ramp(fake, 20, pairs=5)
    assert (row.speed.ttft_cold, row.speed.ttft_warm) == (24, 4)
    assert row.speed.cold_range == (24, 24)
    assert row.speed.spread == pytest.approx((524 / 34 - 6) / 6)


def test_one_output_token_has_no_time_per_token() -> None:
    (row,) = ramp(Fake(), 20, output_tokens=1)
    assert row.speed.tpot_cold is None
    assert row.speed.decode_warm is None
    assert row.speed.end_to_end_cold == 24


def test_prefixes_come_in_order_once_and_progress_ends() -> None:
    told: list[tuple[int, int]] = []
    rows = ramp(Fake(), 40, 20, 40, progress=lambda done, of: told.append((done, of)))
    assert [row.prefix_tokens for row in rows] == [20, 40]
    assert told == sorted(told)
    assert told[-1] == (10, 10)
    assert len(told) == 11


def test_garbage_is_not_collected_inside_and_the_process_is_left_as_it_was() -> None:
    seen, before = [], (torch.get_num_threads(), torch.is_grad_enabled())

    class Looking(Fake):
        def prefill(self, ids: list[int]) -> tuple[Any, list[int]]:
            seen.append((gc.isenabled(), torch.get_num_threads(), torch.is_grad_enabled()))
            return super().prefill(ids)

    ramp(Looking(), 20)
    assert set(seen) == {(False, 1, False)}
    assert gc.isenabled()
    with pytest.raises(PromptlintError):
        ramp(Looking(most=8), 20)
    assert gc.isenabled()
    assert (torch.get_num_threads(), torch.is_grad_enabled()) == before


@pytest.mark.parametrize(
    "error",
    [
        torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 20.00 GiB"),
        RuntimeError("[enforce fail at alloc_cpu.cpp:117] DefaultCPUAllocator: can't allocate memory: you tried"),
        RuntimeError("MPS backend out of memory (MPS allocated: 9 GB)"),
        MemoryError(),
    ],
)
def test_out_of_memory_halves_the_prefix_and_says_so(error: Exception) -> None:
    (row,) = ramp(Fake(most=150, error=error), 512)
    assert row.prefix_tokens == 128
    assert row.note == "halved: out of memory at 512; halved: out of memory at 256"


def test_what_did_not_fit_is_not_tried_again() -> None:
    fake = Fake(most=100)
    rows = ramp(fake, 64, 256, 1024)
    assert [row.prefix_tokens for row in rows] == [64]
    assert "out of memory at 256" in rows[0].note
    assert "out of memory at 128" in rows[0].note
    assert max(map(len, fake.prompts)) <= 256
    assert [len(each) for each in fake.prompts].count(256) == 1


def test_nothing_fits() -> None:
    with pytest.raises(PromptlintError, match="does not fit") as raised:
        ramp(Fake(most=8), 4096)
    assert "smaller model" in raised.value.hint


def test_another_error_of_the_model_is_one_line() -> None:
    with pytest.raises(PromptlintError, match="a prompt of 24 tokens failed: IndexError: position") as raised:
        ramp(Fake(most=22, error=IndexError("position\nis too far")), 20)
    assert "\n" not in str(raised.value)


def test_a_model_with_few_positions_is_asked_for_no_more() -> None:
    fake = Fake()
    fake.positions = 100
    rows = ramp(fake, 64, 512)
    assert [(row.prefix_tokens, row.note) for row in rows] == [
        (64, ""),
        (93, "cut from 512: the model takes 100 tokens"),
    ]
    with pytest.raises(PromptlintError, match="too few"):
        ramp(fake, 512, suffix_tokens=100)


@pytest.mark.parametrize("options", [{"pairs": 0}, {"suffix_tokens": 0}, {"output_tokens": 0}, {"threads": 0}])
def test_counts_below_one_are_refused(options: dict[str, int]) -> None:
    with pytest.raises(PromptlintError, match="1 or more"):
        ramp(Fake(), 20, **options)
    with pytest.raises(PromptlintError, match="1 or more"):
        ramp(Fake())


def test_memory_that_a_long_prompt_would_take_is_looked_at_before(monkeypatch: pytest.MonkeyPatch) -> None:
    class Square(Fake):
        def _run(self, name: str, cache: list[int], ids: list[int]) -> tuple[Any, list[int]]:
            scores = torch.zeros(len(ids), len(ids))  # 4 bytes for each pair
            assert len(ids) < 10_000
            return super()._run(name, cache, ids[: len(scores)])

    monkeypatch.setattr(machine, "free_bytes", lambda: 300 << 20)
    (row,) = ramp(Square(), 16_384, pairs=1)
    assert row.prefix_tokens == 8192  # of 256 MiB
    assert row.note == "halved: 16384 takes about 1.0 GiB, 0.3 GiB are free"


def test_memory_that_grows_with_the_length_alone_is_not_taken_for_a_square(monkeypatch: pytest.MonkeyPatch) -> None:
    class Straight(Fake):
        def _run(self, name: str, cache: list[int], ids: list[int]) -> tuple[Any, list[int]]:
            torch.zeros(len(ids), 1000)
            return super()._run(name, cache, ids)

    monkeypatch.setattr(machine, "free_bytes", lambda: 50 << 20)  # 8192 * 4200 bytes fit, a square would not
    (row,) = ramp(Straight(), 8192, pairs=1)
    assert (row.prefix_tokens, row.note) == (8192, "")


def speed(cold: float, warm: float, low: float = 1.0, high: float = 1.0) -> Speed:
    return Speed(cold, warm, 0.01, 0.01, cold, warm, 0.1, 5, (cold * low, cold * high), (warm, warm))


def rows(*speeds: Speed) -> list[RampRow]:
    return [RampRow(256 << number, 32, each, 0, None, None, None, None) for number, each in enumerate(speeds)]


def test_steady_times_are_believed() -> None:
    assert measure.noisy(rows(speed(0.1, 0.01, 0.95, 1.1), speed(0.3, 0.01)), machine.CPU_TIME, 9.0, 2) == ""
    assert measure.noisy(rows(speed(0.1, 0.01), speed(0.1, 0.012)), machine.WALL, 1.5, 2) == ""  # 10x, then 8.3x
    assert measure.noisy([], machine.WALL, None, 2) == ""


def test_equal_runs_that_differ_say_nothing() -> None:
    told = measure.noisy(rows(speed(0.1, 0.01, 0.8, 1.3)), machine.CPU_TIME)
    assert "half of the runs of 256 + 32 tokens lie in 80.0 to 130.0 ms" in told
    assert "--pairs" in told


def test_a_ratio_that_falls_says_nothing() -> None:
    told = measure.noisy(rows(speed(0.1, 0.01), speed(0.1, 0.02)), machine.CPU_TIME)
    assert "reuse of 512 tokens saves less (5.0x) than of 256 (10.0x)" in told


def test_a_loaded_machine_counts_only_for_the_wall_clock() -> None:
    assert "the load average is 5.2 on 2 cores" in measure.noisy(rows(speed(0.1, 0.01)), machine.WALL, 5.2, 2)
    assert measure.noisy(rows(speed(0.1, 0.01)), machine.CPU_TIME, 5.2, 2) == ""


def test_clocks_fit_their_device() -> None:
    assert machine.clock("cpu", 1).name in {machine.CPU_TIME, machine.WALL}
    assert machine.clock("cpu", 2).name == machine.WALL
    assert machine.clock("cpu", 1).seconds(1.0, 3.5) == 2.5


def test_a_cuda_device_is_timed_by_its_own_events(monkeypatch: pytest.MonkeyPatch) -> None:
    class Event:
        def __init__(self, enable_timing: bool) -> None:
            self.at, self.waited = 0.0, False

        def record(self, stream: str) -> None:
            self.at = {"stream of cuda:1": 1500.0}[stream]

        def synchronize(self) -> None:
            self.waited = True

        def elapsed_time(self, other: "Event") -> float:
            assert other.waited
            return other.at - self.at  # milliseconds

    monkeypatch.setattr(torch.cuda, "Event", Event)
    monkeypatch.setattr(torch.cuda, "current_stream", lambda device: f"stream of {device}")
    clock = machine.clock("cuda:1", 1)
    assert clock.name == machine.DEVICE_EVENTS
    assert clock.seconds(Event(True), clock.mark()) == 1.5


def test_free_memory_is_the_less_of_system_and_group(tmp_path: Path) -> None:
    assert machine.free_bytes(tmp_path) is None
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc/meminfo").write_text("MemTotal: 4096 kB\nMemAvailable:    2048 kB\n", "ascii")
    assert machine.free_bytes(tmp_path) == 2048 * 1024
    (tmp_path / "sys/fs/cgroup").mkdir(parents=True)
    for limit, free in (("max\n", 2048 * 1024), ("1000000\n", 400_000), ("500000\n", 0)):
        (tmp_path / "sys/fs/cgroup/memory.max").write_text(limit, "ascii")
        (tmp_path / "sys/fs/cgroup/memory.current").write_text("600000\n", "ascii")
        assert machine.free_bytes(tmp_path) == free


@pytest.mark.parametrize("inference", [False, True])
def test_a_watched_run_shows_what_it_needs(inference: bool) -> None:
    weights, bias, given = torch.zeros(30, 20), torch.zeros(30), torch.zeros(10, 20)

    def run() -> Any:
        first = torch.nn.functional.linear(given, weights, bias)  # 10 x 30
        second = first @ first.T  # 10 x 10
        del first
        return torch.softmax(second, -1)

    with torch.inference_mode(inference):
        made, seen = watched(run)
    assert made.shape == (10, 10)
    assert seen.flops == 2 * 10 * 30 * 20 + 2 * 10 * 10 * 30
    assert seen.read_bytes == 4 * (30 * 20 + 30 + 10 * 20)
    assert seen.peak_bytes == 4 * (10 * 30 + 10 * 10)  # what was freed before the last step counts no more


def test_attention_that_looks_back_only_costs_half() -> None:
    query, key, value = torch.zeros(1, 4, 64, 8), torch.zeros(1, 4, 64, 8), torch.zeros(1, 4, 64, 8)
    attend = torch.nn.functional.scaled_dot_product_attention
    whole = watched(lambda: attend(query, key, value))[1].flops
    back = watched(lambda: attend(query, key, value, is_causal=True))[1].flops
    assert whole == 4 * 64 * 64 * 4 * 8
    assert back == 4 * (64 * 65 // 2) * 4 * 8


def test_cache_bytes_are_counted_and_predicted() -> None:
    model = Minimal()
    _, cache = model.prefill(list(range(50)))
    assert kv_bytes(model, cache) == predicted(model, 50) == KvShape(*model.kv_shape).size(50, 4)
    assert kv_bytes(object(), cache) == predicted(model, 50)  # by every tensor in it
    half = Minimal(dtype=torch.bfloat16)
    assert predicted(half, 50) == kv_bytes(half, half.prefill(list(range(50)))[1]) == kv_bytes(model, cache) // 2
    assert predicted(object(), 50) is None


class Config:
    num_hidden_layers = 32
    num_attention_heads = 32
    num_key_value_heads = 8
    hidden_size = 4096

    def __init__(self, **fields: Any) -> None:
        vars(self).update(fields)


def test_the_arithmetic_of_a_configuration() -> None:
    shape = shape_of_config(Config())
    assert shape is not None
    assert shape.size(1, 2) == 131_072  # Llama-3.1-8B in bf16
    assert shape_of_config(Config(head_dim=64)) == KvShape(32, 8, 64)
    assert shape_of_config(Config(num_key_value_heads=None)) == KvShape(32, 32, 128)
    assert shape_of_config(Config(sliding_window=4096, use_sliding_window=False)) == shape
    assert shape_of_config(Config(layer_types=["full_attention"] * 32, sliding_window=4096)) == shape
    for other in ({"sliding_window": 4096}, {"kv_lora_rank": 512}, {"layer_types": ["sliding_attention"] * 32}):
        assert shape_of_config(Config(**other)) is None
    assert shape_of_config(None) is None


def test_the_minimal_model_is_measured() -> None:
    (row,) = measure.ramp(Minimal(), (96,), pairs=2)
    assert row.kv_bytes == row.kv_bytes_predicted == KvShape(*Minimal.kv_shape).size(96, 4)
    assert row.peak_bytes_cold is not None
    assert row.peak_bytes_warm is not None
    assert row.peak_bytes_cold > row.kv_bytes
    assert row.peak_bytes_warm > row.kv_bytes
    assert row.roofline_s is not None
    assert row.speed.cold_range is not None
    assert 0 < row.roofline_s <= row.speed.cold_range[1]


def test_the_script_for_a_gpu_runs_on_the_processor() -> None:
    script = ROOT / "tests" / "benchmarks" / "confirm_gpu.sh"
    environment = {**os.environ, "PYTHON": sys.executable, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(["bash", script, "--dry-run"], env=environment, capture_output=True, text=True, check=True)
    rows = [line.split(" | ") for line in done.stdout.splitlines() if line.startswith(("| bfloat16", "| float32"))]
    assert [row[1] for row in rows[:4]] == ["32 + 32", "64 + 32"] * 2
    assert all("not as computed" not in row[9] for row in rows[:4])
    assert [row[2:4] for row in rows[4:]] == [["70", "70"]] * 2  # common prefix, and where keys and values part
    assert [row[1] for row in rows[4:]] == ["confirmed"] * 2  # in half precision, keys and values agree too
