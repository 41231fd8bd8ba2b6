"""The radix cache against logs of SGLang's own RadixCache (fixtures/vectors, fixtures/engines)."""

import json
from pathlib import Path
from typing import Any

import pytest

from promptlint.cache.radix import POLICIES, Node, RadixCache
from promptlint.errors import PromptlintError

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures"
SCENARIOS = json.loads((FIXTURES / "vectors" / "sglang_radix_oracle.json").read_text(encoding="utf-8"))["scenarios"]
RUNS = json.loads((FIXTURES / "engines" / "sglang_policies.json").read_text(encoding="utf-8"))["runs"]


def tree(cache: RadixCache) -> list[list[Any]]:
    return sorted([depth, list(node.tokens), node.locks, node.hits, node.priority] for depth, node in cache.nodes())


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda s: f"{s['policy']}-{s['page_size']}")
def test_every_request_does_what_the_engine_did(scenario: dict[str, Any]) -> None:
    cache = RadixCache(scenario["capacity_tokens"], scenario["page_size"], scenario["policy"])
    for number, entry in enumerate(scenario["log"]):
        before = cache.total
        served = cache.serve(entry["token_ids"], priority=entry["priority"])
        assert served is not None
        seen = {
            "hit_tokens": served.reused_tokens,
            "evicted": served.evicted_tokens,
            "insert_prefix_len": served.known_tokens,
            "total": cache.total,
            "evictable": cache.evictable,
            "tree": tree(cache),
        }
        expected = {name: value for name, value in entry.items() if name in seen}
        assert {name: seen[name] for name in expected} == expected, number
        pages = len(entry["token_ids"]) // scenario["page_size"] * scenario["page_size"]
        assert max(before + pages - entry["hit_tokens"] - scenario["capacity_tokens"], 0) == entry["need_evict"]


@pytest.mark.parametrize("run", RUNS, ids=lambda run: f"{run['policy']}-{run['page_size']}")
def test_concurrent_requests_do_what_the_engine_did(run: dict[str, Any]) -> None:
    cache = RadixCache(None, run["page_size"], run["policy"])
    locked: dict[int, Node] = {}
    for number, request in enumerate(run["requests"]):
        tokens, namespace = request["tokens"], request["namespace"]
        reused, locked[number] = cache.match(tokens[:-1], namespace)
        cache.lock(locked[number])
        evicted = cache.evict(request["evict"])
        known = cache.insert(tokens, namespace, request["priority"])
        for done in request["unlock"]:
            cache.unlock(locked.pop(done))
        assert (reused, evicted, known) == (request["reused"], request["evicted"], request["known"]), number
        assert (cache.evictable, cache.total) == (request["evictable"], request["total"]), number
    assert tree(cache) == run["tree"]


def test_every_policy_was_compared() -> None:
    assert {run["policy"] for run in RUNS} == set(POLICIES)


def test_what_cannot_fit_is_not_admitted() -> None:
    cache = RadixCache(8)
    assert cache.serve(range(9)) is None
    assert cache.total == 0
    _, node = cache.match([1])
    cache.insert(range(6))
    reused, node = cache.match(range(6))
    assert reused == 6
    cache.lock(node)
    assert cache.serve([7, 7, 7]) is None  # what is in use cannot be evicted
    cache.unlock(node)
    assert cache.serve([7, 7, 7]) == (0, 6, 0)


@pytest.mark.parametrize(("options", "hint"), [({"policy": "lur"}, "lru"), ({"policy": "x" * 9}, "take one of"),
                                               ({"page_size": 0}, "take 1")])  # fmt: skip
def test_unknown_policies_and_pages_are_refused(options: dict[str, Any], hint: str) -> None:
    with pytest.raises(PromptlintError) as refused:
        RadixCache(**options)
    assert hint in refused.value.hint
