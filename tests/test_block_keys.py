"""Block keys against those that the engines themselves made (fixtures/vectors)."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from conftest import ROOT
from promptlint.cache.keys import Chain, Extra, chain, spelled, wanted
from promptlint.cache.paged import Medium
from promptlint.facts.block_keys import key_rule

NONE = Extra()


def vectors(name: str) -> Any:
    return json.loads((ROOT / "fixtures" / "vectors" / f"{name}.json").read_text(encoding="utf-8"))


def made(engine: str, ids: list[int], extra: Extra = NONE, **how: Any) -> Chain:
    name, _, version = engine.partition("==")
    return chain(ids, extra, wanted(key_rule(name, version or None), **how))


def shown(keys: Any) -> list[str]:
    return [spelled(key) for key in keys]


def extra(case: dict[str, Any]) -> Extra:
    """What a vector says beside the tokens, in any of their spellings."""
    lora = case.get("lora") or {}
    return Extra(
        lora_name=lora.get("name", case.get("lora_name")),
        lora_path=lora.get("path", case.get("lora_path")),
        lora_int_id=lora.get("int_id", case.get("lora_int_id")),
        cache_salt=case.get("cache_salt"),
        extra_key=case.get("extra_key"),
        media=tuple(Medium(each["offset"], each["length"], each["identifier"]) for each in case.get("mm") or ()),
    )


@pytest.mark.parametrize("case", vectors("vllm_block_hash")["cases"], ids=lambda case: case["name"])
def test_vllm(case: dict[str, Any]) -> None:
    expected = case["expected"]
    how = {
        "hash_name": case["algo"],
        "block_tokens": case["block_size"],
        "seed": case["PYTHONHASHSEED"],
        "lookahead": case["num_hash_lookahead_tokens"],
    }
    found = made("vllm==0.33.0", case["token_ids"], extra(case), **how)
    assert shown(found.keys) == expected["block_hashes"]
    assert found.events
    assert found.events() == expected["external_uint64"]
    assert found.root is not None
    assert spelled(found.root) == expected["none_hash"]
    held = [found.extras.get(index) for index in range(len(found.keys))]
    said = expected["extra_keys"][: len(held)]
    assert held == [parts and tuple(" ".join(map(str, part)) for part in parts) for parts in said]
    assert not found.partial


def of_media() -> list[dict[str, Any]]:
    path = ROOT / "fixtures" / "engines" / "vllm_media_keys.json"
    found: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["cases"]
    return found


@pytest.mark.parametrize("case", of_media(), ids=lambda case: len(case["block_hashes"]))
def test_vllm_with_several_media(case: dict[str, Any]) -> None:
    """Media that overlap, that end with a block, that lie in a lookahead: the engine finds them in a way of its own."""
    how = {
        "hash_name": case["algo"],
        "block_tokens": case["block_size"],
        "seed": case["PYTHONHASHSEED"],
        "lookahead": case["num_hash_lookahead_tokens"],
    }
    assert shown(made("vllm==0.33.0", case["token_ids"], extra(case), **how).keys) == case["block_hashes"]


def by_version() -> Iterator[Any]:
    for case in vectors("vllm_block_hash_by_version")["cases"]:
        for version in case["versions_checked"]:
            yield pytest.param(case, version, id=f"{version}-{case['algo']}-{case['case']}")


@pytest.mark.parametrize(("case", "version"), list(by_version()))
def test_vllm_by_version(case: dict[str, Any], version: str) -> None:
    how = {"hash_name": case["algo"], "block_tokens": case["block_size"], "seed": case["PYTHONHASHSEED"]}
    found = made(f"vllm=={version}", case["token_ids"], extra(case["inputs"]), **how)
    assert shown(found.keys) == [str(key) for key in case["expected"]["block_hashes"]]
    assert found.root is not None
    assert spelled(found.root) == str(case["expected"]["none_hash"])
    assert found.events
    assert found.events() == case["expected"]["external_uint64"]


def test_pickle_sees_objects_as_an_engine_does() -> None:
    cases = {(case["algo"], case["case"]): case["hash"] for case in vectors("vllm_pickle_identity")["cases"]}
    two = (Medium(0, 4, "imgA"), Medium(8, 4, "imgA"))
    inputs = {
        "two mm keys, equal identifiers, DISTINCT string objects, shared tag object (what an engine process sees)": two,
        "two mm keys, different identifiers, shared tag object (engine)": (two[0], Medium(8, 4, "imgB")),
    }
    for algorithm in ("sha256", "sha256_cbor"):
        how: dict[str, Any] = {"hash_name": algorithm, "seed": "0"}
        for name, media in inputs.items():
            found = made("vllm==0.33.0", list(range(16)), Extra(media=media), **how)
            assert shown(found.keys) == [cases[algorithm, name]]
        named = Extra(lora_name="lora", lora_path="/p")
        found = made("vllm==0.33.0", list(range(16)), named, **how)
        assert shown(found.keys) == [cases[algorithm, 'lora named "lora", distinct object (engine)']]


def stored(events: Any) -> Iterator[tuple[list[Any], Any]]:
    """The names of the blocks that events store, and of their parent: arrays, or from 0.24 on maps."""
    for event in events:
        if isinstance(event, dict) and event["type"] == "BlockStored":
            yield event["block_hashes"], event["parent_block_hash"]
        elif isinstance(event, list) and event[0] == "BlockStored":
            yield event[1], event[2]


@pytest.mark.parametrize(
    "case", [case for case in vectors("vllm_kv_events")["cases"] if "decoded" in case], ids=lambda case: case["version"]
)
def test_what_events_call_a_block(case: dict[str, Any]) -> None:
    found = made("vllm", list(range(1, 49)), seed="0")
    (first, none), (last, parent) = stored(case["decoded"][1])
    assert found.events
    assert [*first, *last] == found.events()
    assert (none, parent) == (None, first[-1])


@pytest.mark.parametrize("case", vectors("sglang_hash_events")["hash_cases"], ids=lambda case: case["name"])
def test_sglang(case: dict[str, Any]) -> None:
    how = {"block_tokens": case["page_size"], "lookahead": int(case["is_bigram"])}
    found = made("sglang==0.5.23", case["token_ids"], extra(case), **how)
    assert shown(found.keys) == case["storage_hashes"]
    assert found.events
    assert found.events() == case["event_int64"]
    assert (found.root.hex() if isinstance(found.root, bytes) else None) == case["namespace_seed_hex"]


def test_sglang_events_of_a_tree() -> None:
    seen = 0
    for step in vectors("sglang_hash_events")["event_log_page16"]:
        for event in step.get("events", ()):
            if step["op"] == "insert" and event["type"] == "BlockStored":
                found = made("sglang==0.5.23", step["token_ids"], extra(step), block_tokens=16)
                assert found.events is not None
                assert set(event["block_hashes"]) <= set(found.events())
                seen += 1
    assert seen == 4


@pytest.mark.parametrize("case", vectors("lmcache_chunk_hash")["cases"], ids=lambda case: case["algo"])
def test_lmcache(case: dict[str, Any]) -> None:
    ids = vectors("lmcache_chunk_hash")["token_ids"]
    how = {"hash_name": case["algo"], "seed": case.get("PYTHONHASHSEED"), "block_tokens": case["chunk_size"]}
    found = made("lmcache==0.5.6", ids, **how)
    expected = case.get("chunk_hashes") or case["chunk_hashes_uint64"]
    assert shown(found.keys) == [str(key) for key in expected]
    assert found.root is not None
    assert spelled(found.root) == str(case.get("none_hash") or case["none_hash_uint64"])
    assert found.partial == ("chunk_hashes_uint64" in case)


@pytest.mark.parametrize(
    "case",
    [case for case in vectors("dynamo_router")["cases"] if "token_ids" in case],
    ids=lambda case: case["name"],
)
def test_dynamo(case: dict[str, Any]) -> None:
    given = case.get("kwargs", {})
    media = tuple(Medium(0, 16, str(number)) for number in case.get("mm_hashes", ()))
    added = Extra(lora_name=given.get("lora_name"), cache_salt=given.get("cache_namespace"), media=media)
    how = {"block_tokens": case["block_size"], "lookahead": int(given.get("is_eagle", False))}
    found = made("dynamo==1.6.1", case["token_ids"], added, **how)
    assert list(found.keys) == case["local_block_hashes"]
    assert found.sequence == case.get("sequence_hashes_derived", found.sequence)


@pytest.mark.parametrize("case", vectors("transformers_cb")["cases"], ids=lambda case: case["page_size"])
def test_transformers(case: dict[str, Any]) -> None:
    found = made("transformers==5.24.0", case["token_ids"], block_tokens=case["page_size"])
    assert list(found.keys) == case["hashes_uint64"]


@pytest.mark.parametrize("case", vectors("nano_vllm")["cases"], ids=lambda case: case["block_size"])
def test_nano_vllm(case: dict[str, Any]) -> None:
    found = made("nano-vllm", case["token_ids"], block_tokens=case["block_size"])
    assert list(found.keys) == case["hashes"]


def test_dynamo_puts_the_engines_hash_of_a_medium_into_the_tokens() -> None:
    """Expected: compute_block_hash_for_seq of ai-dynamo-runtime 1.6.1 on the tokens with pad values."""
    found = made("dynamo", list(range(1, 49)), Extra(media=(Medium(4, 20, "a" * 64),)))
    assert list(found.keys) == [8776674513527434144, 16178305558022258678, 12129935312930971799]
    assert found.extras == {0: ("mm " + "a" * 64,), 1: ("mm " + "a" * 64,)}
