"""The machine that a model runs on: a clock that fits it, how fast it can be, what memory is left, who else uses it."""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import torch

_TRIES = 5  # of a short product or copy; the fastest counts, for nothing makes one too fast
_SIDES = {"cpu": 512, "cuda": 8192, "mps": 2048}  # of the square matrices that are multiplied
_COPIED = (1 << 23, 1 << 28)  # bytes: least and most that are copied
CPU_TIME = "CPU time, one thread"
DEVICE_EVENTS = "device events"
WALL = "wall clock"


class Clock(NamedTuple):
    """A way to time what a device does."""

    name: str
    mark: Callable[[], Any]  # a point in time, behind all work given so far
    seconds: Callable[[Any, Any], float]  # between two marks
    host: Callable[[], float]  # seconds as the caller of the model sees them


def clock(device: str, threads: int) -> Clock:
    """The steadiest clock for a device.

    CUDA has its own events. One thread on the CPU is timed by the CPU time of the process: other programs on the
    machine then hardly count. Everything else by the wall clock, behind what the device still has to do.
    """
    kind = device.partition(":")[0]
    if kind == "cuda":
        return Clock(DEVICE_EVENTS, lambda: _event(device), _between_events, time.perf_counter)
    if kind == "cpu" and threads == 1 and time.get_clock_info("process_time").resolution < 1e-4:  # Windows: 1/64 s
        return Clock(CPU_TIME, time.process_time, _between, time.process_time)
    wait = torch.mps.synchronize if kind == "mps" else lambda: None

    def mark() -> float:
        wait()
        return time.perf_counter()

    return Clock(WALL, mark, _between, time.perf_counter)


def _between(start: float, end: float) -> float:
    return end - start


def _event(device: str) -> torch.cuda.Event:
    event: torch.cuda.Event = torch.cuda.Event(enable_timing=True)  # type: ignore[no-untyped-call]
    event.record(torch.cuda.current_stream(torch.device(device)))
    return event


def _between_events(start: torch.cuda.Event, end: torch.cuda.Event) -> float:
    end.synchronize()
    return float(start.elapsed_time(end)) / 1000


@contextmanager
def threads_of(count: int) -> Iterator[None]:
    """Inside, torch computes on the CPU with so many threads."""
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)


class Limits(NamedTuple):
    """The best that short tries have shown."""

    flops: float  # a second, of a square matrix product
    bandwidth: float  # bytes a second, read and written, of a copy


def limits(device: str, dtype: str, copied_bytes: int, timer: Clock) -> Limits:
    """What the machine reaches for this type of number, and for copies of about as many bytes as the model reads."""
    side = _SIDES.get(device.partition(":")[0], 1024)
    kind = getattr(torch, dtype.rpartition(".")[2], None)
    kind = kind if isinstance(kind, torch.dtype) and kind.is_floating_point else torch.float32
    left, right = (torch.randn(side, side, device=device).to(kind) for _ in range(2))
    product = _fastest(lambda: left @ right, timer)
    least, most = _COPIED
    source = torch.zeros(min(max(copied_bytes, least), most), dtype=torch.uint8, device=device)
    target = torch.empty_like(source)
    copy = _fastest(lambda: target.copy_(source), timer)
    return Limits(2 * side**3 / product, 2 * source.numel() / copy)


def _fastest(run: Callable[[], Any], timer: Clock) -> float:
    times = []
    for _ in range(_TRIES):
        start = timer.mark()
        run()
        times.append(timer.seconds(start, timer.mark()))
    return max(min(times), 1e-9)  # a coarse clock may see nothing


def peak_of(device: str, run: Callable[[], Any]) -> tuple[Any, int | None]:
    """What `run` returns and the most bytes that the allocator of a CUDA device held above those before; None: it is
    another device."""
    if not device.startswith("cuda"):
        return run(), None
    torch.cuda.synchronize(device)
    torch.cuda.reset_peak_memory_stats(device)
    before = torch.cuda.memory_allocated(device)
    made = run()
    torch.cuda.synchronize(device)
    return made, torch.cuda.max_memory_allocated(device) - before


def free_bytes(root: Path = Path("/")) -> int | None:
    """Bytes of main memory that are left to this process, by the system and by its control group; None: unknown.

    Linux lets a process take more than there is and then ends it, so this has to be asked ahead.
    """
    found = []
    for text in (_read(root / "proc/meminfo") or "").splitlines():
        if text.startswith("MemAvailable:"):
            found.append(int(text.split()[1]) * 1024)
    group = root / "sys/fs/cgroup"
    most, used = _read(group / "memory.max"), _read(group / "memory.current")
    if most and used and most.strip().isdecimal():
        found.append(max(0, int(most) - int(used)))
    return min(found, default=None)


def _read(path: Path) -> str | None:
    try:
        return path.read_text("ascii")
    except (OSError, UnicodeDecodeError):
        return None


def load() -> float | None:
    """Programs that wanted to run during the last minute; None where the system does not say."""
    return os.getloadavg()[0] if hasattr(os, "getloadavg") else None


def cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
