"""The paged cache against logs of vLLM's own KVCacheManager (fixtures/vectors, fixtures/engines)."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from promptlint.cache.blocks import BlockPool, Cleared, Event, Key, Removed, Stored, usage
from promptlint.cache.paged import Group, Medium, PagedCache, block_keys, reused_without_limit
from promptlint.errors import PromptlintError

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures"
VECTORS = FIXTURES / "vectors"
WINDOWS = json.loads((FIXTURES / "engines" / "vllm_windows.json").read_text(encoding="utf-8"))["runs"]
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


@pytest.mark.parametrize("run", WINDOWS, ids=lambda run: f"{run['windows']}-{run['retention']}")
def test_windows_retention_and_growth_do_what_the_engine_did(run: dict[str, Any]) -> None:
    size = run["block_size"]
    cache = PagedCache(run["blocks"], size, [Group(window) for window in run["windows"]], retention=run["retention"])
    prompts: dict[str, tuple[list[int], Any]] = {}
    for number, op in enumerate(run["ops"]):
        name = str(op["id"])
        if op["op"] == "start":
            prompts[name] = (list(op["tokens"]), op["salt"])
            keys, length = block_keys(op["tokens"], size, op["salt"]), len(op["tokens"])
            assert cache.lookup(keys, length)[1] == op["reused"], number
            admitted = cache.start(name, keys, length)
            assert (admitted is not None) == op["admitted"], number
            assert admitted is None or admitted == (op["reused"], op["junction"]), number
        elif op["op"] == "append":
            tokens, salt = prompts[name]
            full = len(tokens) // size
            tokens += op["tokens"]
            assert cache.append(name, len(op["tokens"]), block_keys(tokens, size, salt)[full:]) == op["ok"], number
        else:
            cache.free(name)
        assert "tables" not in op or cache.tables(name) == op["tables"], number
        assert "free" not in op or list(cache.pool.free) == op["free"], number


def test_keys_are_equal_exactly_for_equal_prefixes_in_one_namespace() -> None:
    tokens = list(range(12))
    keys = block_keys(tokens, 4)
    assert len(set(keys)) == 3
    assert block_keys([*tokens[:8], 99, *tokens[9:], 1, 2, 3], 4)[:2] == keys[:2]
    assert block_keys([*tokens[:8], 99, *tokens[9:]], 4)[2] != keys[2]
    assert not set(block_keys([7, *tokens[1:]], 4)) & set(keys)  # a later block stands for all in front of it
    assert not set(block_keys(tokens, 4, "salt")) & set(keys)
    assert block_keys(tokens[:3], 4) == []


def test_a_medium_keys_the_blocks_that_it_overlaps_and_those_behind() -> None:
    tokens = [0] * 16
    plain, cat = block_keys(tokens, 4), block_keys(tokens, 4, media=[Medium(5, 4, "cat")])
    dog = block_keys(tokens, 4, media=[Medium(5, 4, "dog")])
    moved = block_keys(tokens, 4, media=[Medium(6, 3, "cat")])
    assert plain[0] == cat[0] == dog[0] == moved[0]
    assert all(len({*keys}) == 4 for keys in list(zip(plain, cat, dog, moved, strict=True))[1:])


@pytest.mark.parametrize(
    ("arguments", "options"),
    [((1, 4), {}), ((9, 0), {}), ((9, 4, []), {}), ((9, 4, [Group(0)]), {}), ((9, 4), {"retention": 8}),
     ((9, 4, [Group(8)]), {"retention": 6}), ((9, 4, [Group(8)]), {"retention": -4})],
)  # fmt: skip
def test_sizes_that_an_engine_refuses_are_refused(arguments: tuple[Any, ...], options: dict[str, Any]) -> None:
    with pytest.raises(PromptlintError) as refused:
        PagedCache(*arguments, **options)
    assert refused.value.hint
    assert "\n" not in str(refused.value)


def test_calls_that_cannot_be_are_refused_and_change_nothing() -> None:
    cache = PagedCache(9, 4)
    assert cache.start("a", block_keys(range(6), 4), 6)
    before = list(cache.pool.free)
    for call in (
        lambda: cache.start("a", block_keys(range(6), 4), 6),
        lambda: cache.start("b", [], 6),
        lambda: cache.start("b", [], 0),
        lambda: cache.append("a", 3),
        lambda: cache.append("b", 1),
        lambda: cache.free("b"),
        lambda: cache.tables("b"),
    ):
        with pytest.raises(PromptlintError):
            call()
    assert list(cache.pool.free) == before
    assert cache.append("a", 2, block_keys(range(8), 4)[1:])


def test_a_prompt_larger_than_the_pool_is_not_admitted_and_keeps_what_is_cached() -> None:
    cache = PagedCache(5, 4)
    assert cache.start("a", block_keys(range(8), 4), 8)
    cache.free("a")
    assert cache.start("b", block_keys(range(40), 4), 40) is None
    assert cache.lookup(block_keys(range(8), 4), 8)[1] == 4


def test_without_limits_a_prompt_reuses_all_full_blocks_but_that_of_its_last_token() -> None:
    prompts = [range(16), range(16), range(17), [*range(9), 0, 0, 0], range(3), range(1)]
    requests = [(block_keys(prompt, 4), len(prompt)) for prompt in prompts]
    assert list(reused_without_limit(requests, 4)) == [0, 12, 16, 8, 0, 0]


def test_of_blocks_with_one_key_the_oldest_is_found() -> None:
    pool = BlockPool(4)
    for block in pool.take(3):
        pool.register(block, "key", 0)
    for oldest in (1, 2, 3):
        assert pool.find_one("key", 0) == oldest
        pool.release([oldest])
        assert pool.take(1) == [oldest]  # handed out again, it is found no more
    assert pool.find_one("key", 0) is None


def test_known_blocks_that_nobody_holds_are_no_room_for_new_ones() -> None:
    cache = PagedCache(5, 4)
    assert cache.start("a", block_keys(range(8), 4), 8)
    cache.free("a")
    keys = block_keys(range(20), 4)
    assert cache.lookup(keys, 20)[1] == 8
    assert cache.start("b", keys, 20) is None  # 2 known blocks and 3 new ones do not fit into 4
    assert len(cache.pool.free) == 4
