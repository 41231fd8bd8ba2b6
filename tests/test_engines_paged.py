"""The paged cache against logs of vLLM's own KVCacheManager (fixtures/vectors/vllm_pool_oracle*.json)."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from promptlint.cache.blocks import Cleared, Event, Key, Removed, Stored, usage
from promptlint.cache.paged import Group, PagedCache, block_keys

VECTORS = Path(__file__).resolve().parent.parent / "fixtures" / "vectors"
GROUPS = {"sliding_window": [Group(8)], "sliding_window_8": [Group(8)], "hybrid_full_swa": [Group(), Group(8)]}


def scenarios() -> Iterator[Any]:
    for file, unhashed_first in (("vllm_pool_oracle.json", True), ("vllm_pool_oracle_upto_0.23.json", False)):
        for scenario in json.loads((VECTORS / file).read_text(encoding="utf-8"))["scenarios"]:
            yield pytest.param(scenario, unhashed_first, id=f"{scenario['name']}-{Path(file).stem[17:] or 'now'}")


class Driven:
    """A cache that runs the operations of a log."""

    def __init__(self, scenario: dict[str, Any], unhashed_first: bool) -> None:
        groups = GROUPS.get(scenario.get("kind", scenario["name"]), [Group()])
        retention = scenario.get("prefix_cache_retention_interval")
        self.cache = PagedCache(
            scenario["num_blocks"], scenario["block_size"], groups, retention=retention, unhashed_first=unhashed_first
        )
        self.cache.pool.events = []
        self.prompts: dict[str, tuple[list[int], Any]] = {}
        self.hashes: dict[Key, int] = {}  # our key -> the engine's hash
        self.queries = self.hits = 0

    def run(self, op: dict[str, Any]) -> dict[str, Any]:
        assert self.cache.pool.events is not None
        self.cache.pool.events.clear()
        seen: dict[str, Any] = getattr(self, op["op"])(op)
        pool = self.cache.pool
        return seen | {
            "free_blocks": len(pool.free),
            "free_queue_order": list(pool.free),
            "usage": round(usage(pool), 6),
            "cum_queries": self.queries,
            "cum_hits": self.hits,
            "events": list(self.cache.pool.events),
        }

    def start(self, op: dict[str, Any]) -> dict[str, Any]:
        prompt, salt = list(op["prompt"]), op["salt"]
        self.prompts[op["id"]] = (prompt, salt)
        keys = block_keys(prompt, self.cache.block_size, salt)
        found = self.cache.lookup(keys, len(prompt))[1]
        admitted = self.cache.start(op["id"], keys, len(prompt))
        if admitted is not None:  # 0.27.0 and later count a lookup when its request is admitted
            self.queries += len(prompt)
            self.hits += admitted.reused_tokens
        return {
            "admitted": admitted is not None,
            "num_cached_tokens": found if admitted is None else admitted.reused_tokens,
            "shared_prefix_boundary": 0 if admitted is None else admitted.junction,
            "block_ids": None if admitted is None else self.cache.tables(op["id"]),
        }

    def decode(self, op: dict[str, Any]) -> dict[str, Any]:
        prompt, salt = self.prompts[op["id"]]
        known = len(prompt) // self.cache.block_size
        prompt += op["tokens"]
        keys = block_keys(prompt, self.cache.block_size, salt)[known:]
        ok = self.cache.append(op["id"], len(op["tokens"]), keys)
        return {"ok": ok, "block_ids": self.cache.tables(op["id"])}

    def free(self, op: dict[str, Any]) -> dict[str, Any]:
        self.cache.free(op["id"])
        return {}

    def reset_prefix_cache(self, op: dict[str, Any]) -> dict[str, Any]:
        return {"ok": self.cache.pool.reset()}

    def same_hashes(self, keys: tuple[Key, ...], hashes: list[int]) -> bool:
        """Whether our keys stand for the engine's hashes, one for one, here and before."""
        if len(keys) != len(hashes):
            return False
        known = dict(self.hashes)
        self.hashes.update(zip(keys, hashes, strict=True))
        return all(self.hashes[key] == value for key, value in known.items()) and len(set(self.hashes.values())) == len(
            self.hashes
        )

    def same_event(self, ours: Event, theirs: Any) -> bool:
        if isinstance(theirs, list):  # the older file states the kind and the number of hashes
            kind, count = theirs
            match ours:
                case Stored():
                    return bool(kind == "BlockStored" and count == len(ours.keys))
                case Removed():
                    return bool(kind == "BlockRemoved" and count == 1)
            return bool(kind == "AllBlocksCleared")
        match ours:
            case Stored():
                parent = None if ours.parent is None else self.hashes[ours.parent]
                stated = (theirs["type"], theirs["parent"], theirs["num_tokens"], theirs["group_idx"])
                assert self.same_hashes(ours.keys, theirs["block_hashes"])
                return bool(stated == ("BlockStored", parent, ours.tokens, ours.group))
            case Removed():
                hashes = [self.hashes[ours.key]]
                return bool(theirs == {"type": "BlockRemoved", "block_hashes": hashes, "group_idx": ours.group})
            case Cleared():
                return bool(theirs == {"type": "AllBlocksCleared"})


@pytest.mark.parametrize(("scenario", "unhashed_first"), [*scenarios()])
def test_every_operation_does_what_the_engine_did(scenario: dict[str, Any], unhashed_first: bool) -> None:
    driven = Driven(scenario, unhashed_first)
    for number, op in enumerate(scenario["ops"]):
        seen = driven.run(op)
        for name, expected in op["expect"].items():
            if name == "events":
                assert len(seen["events"]) == len(expected), (number, op, seen["events"])
                pairs = zip(seen["events"], expected, strict=True)
                assert all(driven.same_event(ours, theirs) for ours, theirs in pairs), (number, op, seen["events"])
            else:
                assert seen[name] == expected, (number, op["op"], name)
