"""Requests a second through the caches of engines, on lists of block keys, in CPU time.

usage: python tests/benchmarks/engines.py [REQUESTS] [TRACE]    (100,000)

TRACE: Mooncake's conversation_trace.jsonl (kvcache-ai/Mooncake, FAST25-release/traces); its hits are compared with
those of vLLM's own pool (fixtures/vectors/mooncake_vllm_lru_oracle.json).
"""

import json
import random
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from promptlint.cache.paged import PagedCache, block_keys, reused_without_limit
from promptlint.cache.radix import RadixCache

VECTORS = Path(__file__).parents[2] / "fixtures" / "vectors"
BLOCK = 16
TRACE_BLOCK = 512


class Request(NamedTuple):
    keys: Sequence[int]  # of its full blocks
    tokens: int


def sessions(count: int) -> list[Request]:
    """Sessions that grow, of 20 system prompts; about 16 blocks a request."""
    rng = random.Random(2)
    made: list[Request] = []
    live: list[list[int]] = []
    fresh = 0
    roots: list[list[int]] = [[-100 * number - block for block in range(1, 7)] for number in range(20)]
    for _ in range(count):
        grows = rng.random() < 0.75 and bool(live)
        place = rng.randrange(max(0, len(live) - 4000), len(live)) if grows else len(live)
        base = live[place] if grows else rng.choice(roots)
        more = 1 + int(rng.expovariate(1 / 3))
        keys: list[int] = [*base, *range(fresh, fresh + more)][:64]
        fresh += more
        made.append(Request(keys, len(keys) * BLOCK + 1))
        live[place : place + 1] = [keys]
    return made


def pooled(requests: Sequence[Request], size: int, blocks: int) -> int:
    """Tokens reused if each request is done before the next starts."""
    cache, hits = PagedCache(blocks, size), 0
    for keys, tokens in requests:
        admitted = cache.start("", keys, tokens)
        if admitted is not None:
            hits += admitted.reused_tokens
            cache.free("")
    return hits


def radix(requests: Sequence[Request], capacity: int) -> int:
    """Block keys stand for tokens."""
    cache, hits = RadixCache(capacity), 0
    for keys, _ in requests:
        served = cache.serve(keys)
        hits += served.reused_tokens if served else 0
    return hits


def show(name: str, requests: Sequence[Request], replay: Callable[[], int]) -> int:
    begun = time.process_time()
    hits = replay()
    spent = time.process_time() - begun
    blocks = sum(len(request.keys) for request in requests)
    print(f"{name:34} {len(requests) / spent:11,.0f} requests/s {blocks / spent / 1e6:6.2f} M blocks/s  hits {hits:,}")
    return hits


def compare(trace: Path) -> None:
    rows = [json.loads(line) for line in trace.read_text(encoding="utf-8").splitlines()]
    requests = [Request(row["hash_ids"][: row["input_length"] // TRACE_BLOCK], row["input_length"]) for row in rows]
    oracle = json.loads((VECTORS / "mooncake_vllm_lru_oracle.json").read_text(encoding="utf-8"))
    for expected in oracle["results"]["mooncake_conversation_trace"]:
        blocks = expected["num_gpu_blocks"]
        hits = show(f"trace, {blocks:,} blocks", requests, lambda blocks=blocks: pooled(requests, TRACE_BLOCK, blocks))  # type: ignore[misc]
        print(f"{'':34} {'equal to' if hits == expected['hit_tokens'] else 'NOT'} the hits of vLLM's pool")


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    requests = sessions(count)
    show("no limit", requests, lambda: sum(reused_without_limit(requests, BLOCK)))
    show("paged, no eviction", requests, lambda: pooled(requests, BLOCK, 8 * count))
    show("paged, 50,000 blocks", requests, lambda: pooled(requests, BLOCK, 50_000))
    show("radix, 50,000 pages", requests, lambda: radix(requests, 50_000))
    tokens = [random.Random(3).randrange(200_000) for _ in range(400_000)]
    begun = time.process_time()
    block_keys(tokens, BLOCK)
    print(f"keys of blocks of {BLOCK} tokens: {len(tokens) / (time.process_time() - begun) / 1e6:.1f} M tokens/s")
    if len(sys.argv) > 2:
        compare(Path(sys.argv[2]))


if __name__ == "__main__":
    main()
