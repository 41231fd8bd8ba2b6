"""The slots against a real llama.cpp server (fixtures/engines/llama_cpp_slots.json)."""

import json
from pathlib import Path
from typing import Any

import pytest

from promptlint.cache.slot import Slots
from promptlint.errors import PromptlintError

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures"
RUNS = json.loads((FIXTURES / "engines" / "llama_cpp_slots.json").read_text(encoding="utf-8"))["runs"]


@pytest.mark.parametrize("run", RUNS, ids=lambda run: "-".join(str(v) for k, v in run.items() if k != "requests"))
def test_every_request_gets_the_slot_and_the_tokens_that_the_server_gave(run: dict[str, Any]) -> None:
    options = {name: run[name] for name in ("similarity", "host_memory", "unified")}
    server = Slots(run["slots"], **options)
    for number, request in enumerate(run["requests"]):
        started = server.start(request["prompt"], slot=request["slot"], cache_prompt=request["cache_prompt"])
        assert started == (request["expect_slot"], request["expect_reused"]), number
        server.finish(request["expect_slot"], request["output"])


def test_a_known_prompt_is_reused_but_for_its_last_token() -> None:
    server = Slots()
    assert server.start(range(16)) == (0, 0)
    server.finish(0)
    assert server.start(range(16)) == (0, 15)


def test_the_last_token_of_an_output_was_never_computed() -> None:
    server = Slots()
    server.start([1, 2, 3])
    server.finish(0, [4, 5])
    assert server.start([1, 2, 3, 4, 5, 6]) == (0, 4)


def test_a_busy_slot_is_not_taken() -> None:
    server = Slots(2, host_memory=False)
    assert server.start([1, 2, 3, 4]) == (1, 0)
    assert server.start([1, 2, 3, 4]) == (0, 0)  # the slot that holds them is busy
    assert server.start([5]) is None
    assert server.start([5], slot=1) is None
    server.finish(1)
    assert server.start([1, 2, 3, 4, 5]) == (1, 4)


@pytest.mark.parametrize("options", [{"count": 0}, {"similarity": 1.5}, {"similarity": -0.1}])
def test_servers_that_cannot_be_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(PromptlintError):
        Slots(**options)


@pytest.mark.parametrize(("prompt", "slot"), [([], None), ([1], 2), ([1], -1)])
def test_requests_that_cannot_be_are_refused(prompt: list[int], slot: int | None) -> None:
    with pytest.raises(PromptlintError) as refused:
        Slots(2).start(prompt, slot=slot)
    assert "slot from 0 to 1" in refused.value.hint


@pytest.mark.parametrize(("shared", "saved"), [(9, True), (10, False)])
def test_a_slot_that_would_lose_more_than_half_is_saved_first(shared: int, saved: bool) -> None:
    server = Slots()
    server.start(range(20))
    server.finish(0)
    assert server.start([*range(shared), 99]) == (0, shared)
    assert server.host == [tuple(range(20))] * saved
