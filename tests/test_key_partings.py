"""`promptlint key A B`: the first key of A that is none of B's, and which part of it differs."""

import json
from pathlib import Path
from typing import Any

from key_reports import DEMO, FIXTURES, SEQUENCE, VLLM, as_json, ids, saved, table
from promptlint.commands.key import EngineOptions, key
from promptlint.tokens import open_tokenizer


def parting(a: str, b: str, **how: Any) -> Any:
    return as_json(key(a, b, **how))["parting"]


def test_where_two_chains_part(tmp_path: Path) -> None:
    a = ids(tmp_path)
    tokens = parting(a, ids(tmp_path, "t.json", [*SEQUENCE[:20], 999, *SEQUENCE[21:]]), engine=VLLM)
    assert (tokens["unit"], tokens["index"], tokens["part"]) == ("block", 1, "tokens")
    assert (tokens["start"], tokens["end"]) == (16, 32)
    assert tokens["message"].startswith("token 20 is the first that differs")
    salt = parting(a, ids(tmp_path, "s.json", cache_salt="x"), engine=VLLM)
    assert (salt["index"], salt["part"]) == (0, "salt")
    adapter = parting(a, ids(tmp_path, "l.json", lora_name="l", lora_path="/l"), engine=VLLM)
    assert (adapter["index"], adapter["part"]) == (0, "adapter")
    image = [{"identifier": "A", "offset": 40, "length": 2}]
    media = parting(a, ids(tmp_path, "m.json", mm=image), engine=VLLM)
    assert (media["index"], media["part"]) == (2, "media")
    short = ids(tmp_path, "e.json", SEQUENCE[:40])
    shorter = parting(a, short, engine=VLLM)
    assert (shorter["index"], shorter["part"]) == (2, "length")
    assert parting(short, a, engine=VLLM) is None  # every key of the shorter one is one of the longer one
    namespace = EngineOptions("sglang", block_size=16)
    assert parting(a, ids(tmp_path, "n.json", extra_key="k"), engine=namespace)["part"] == "namespace"
    assert parting(a, a, engine=VLLM) is None


def test_where_the_keys_of_a_provider_part(tmp_path: Path) -> None:
    after = str(FIXTURES / "demo" / "after.json")
    found = parting(str(DEMO), after)
    assert (found["unit"], found["index"], found["part"]) == ("marker", 0, "tools")
    assert found["message"].startswith("key-order: ")
    body = json.loads(DEMO.read_text("utf-8"))
    other = saved(tmp_path / "o.json", body | {"tool_choice": {"type": "any"}})
    setting = parting(str(DEMO), other)
    assert (setting["index"], setting["part"]) == (1, "setting")
    for name in ("claude-opus-5", "claude-opus-4-5", "claude-haiku-4-5"):  # the last two have a larger minimum
        model = parting(str(DEMO), saved(tmp_path / "m.json", body | {"model": name}))
        assert (model["index"], model["part"]) == (0, "model")
    assert parting(str(DEMO), str(DEMO)) is None
    beta = [saved(tmp_path / f"{flag}.json", {"headers": {"anthropic-beta": flag}, "body": body}) for flag in "ab"]
    assert (parting(*beta)["index"], parting(*beta)["part"]) == (1, "setting")
    servers = saved(tmp_path / "s.json", body | {"mcp_servers": [{"type": "url", "url": "https://x.example"}]})
    assert (parting(str(DEMO), servers)["index"], parting(str(DEMO), servers)["part"]) == (0, "setting")


def chat(folder: Path, name: str, question: str, model: str = "gpt-4o") -> str:
    messages = [{"role": "system", "content": "word " * 3000}, {"role": "user", "content": question}]
    return saved(folder / name, {"model": model, "messages": messages})


def test_keys_part_in_the_newest_message_too(tmp_path: Path) -> None:
    a, b = chat(tmp_path, "a.json", "alpha " * 300), chat(tmp_path, "b.json", "beta " * 300)
    found = parting(a, b)
    assert (found["unit"], found["index"], found["part"]) == ("step", 3003 // 128, "messages")
    assert (found["start"], found["end"]) == (2944, 3072)
    short = chat(tmp_path, "e.json", "alpha"), chat(tmp_path, "f.json", "beta")
    assert parting(*short) is None  # what differs fills no step, and is never cached
    unknown = parting(chat(tmp_path, "c.json", "Why?", "m"), chat(tmp_path, "d.json", "How?", "m"))
    assert (unknown["unit"], unknown["start"], unknown["end"]) == ("token", unknown["index"], unknown["index"] + 1)


def test_another_account_is_a_note(tmp_path: Path) -> None:
    body = json.loads(DEMO.read_text("utf-8"))
    a, b = (saved(tmp_path / f"{key}.json", {"headers": {"x-api-key": key}, "body": body}) for key in "ab")
    report = key(a, b)
    assert report.parting is None
    assert any("another key may be another account" in note for note in report.notes)


def test_what_leaves_nothing_says_so(tmp_path: Path) -> None:
    body = {"model": "claude-sonnet-5", "max_tokens": 9, "messages": [{"role": "user", "content": "x"}]}
    a, b = saved(tmp_path / "a.json", body), saved(tmp_path / "b.json", body | {"system": "y"})
    assert any(note.startswith("nothing is cached: ") for note in key(a).notes)
    assert table(key(a, b), "No key")[-1] == ("keys", "a leaves no entry in the cache")


def test_an_empty_salt_is_none_to_vllm_and_one_to_sglang(tmp_path: Path) -> None:
    empty, none = ids(tmp_path, "e.json", cache_salt=""), ids(tmp_path, "n.json")
    assert parting(none, empty, engine=VLLM) is None
    assert parting(none, empty, engine=EngineOptions("sglang", block_size=16))["part"] == "salt"


def test_a_parting_directly_in_front_of_a_marker(tmp_path: Path) -> None:
    """What is added to, or taken from, the end of a marked block is part of that block's entry."""
    text = json.loads(DEMO.read_text("utf-8"))["system"][0]["text"]
    for end in (f"{text}Be brief today.", text.rstrip("\n"), f"{text}\n\n"):
        other = json.loads(DEMO.read_text("utf-8"))
        other["system"][0]["text"] = end
        found = parting(str(DEMO), saved(tmp_path / "o.json", other))
        assert (found["index"], found["part"], found["start"], found["end"]) == (0, "system", 0, 1299)


def test_what_is_added_at_the_end_of_a_level_is_of_that_level(tmp_path: Path) -> None:
    body = json.loads(DEMO.read_text("utf-8"))
    tool = {"name": "extra", "description": "d", "input_schema": {"type": "object"}}
    assert parting(str(DEMO), saved(tmp_path / "t.json", body | {"tools": [*body["tools"], tool]}))["part"] == "tools"
    system = [*body["system"], {"type": "text", "text": "More."}]
    found = parting(str(DEMO), saved(tmp_path / "s.json", body | {"system": system}))
    assert (found["part"], found["index"]) == ("system", 1)


def test_a_request_that_goes_on_behind_the_other(tmp_path: Path) -> None:
    messages = [{"role": "user", "content": "a b c"}, {"role": "assistant", "content": "d"}]
    a = saved(tmp_path / "a.json", {"model": "m", "messages": messages})
    b = saved(tmp_path / "b.json", {"model": "m", "messages": messages[:1]})
    assert parting(a, b)["part"] == "length"
    assert parting(b, a) is None


def test_the_token_is_the_first_that_differs(tmp_path: Path) -> None:
    """Of the whole prompts, not of the text up to the difference alone."""
    for old, new in (("a b c answer yes", "a b c answer no"), ("the telephone", "the telefone")):
        a, b = saved(tmp_path / "a.txt", old), saved(tmp_path / "b.txt", new)
        x, y = (open_tokenizer(None).encode(text) for text in (old, new))
        first = next(i for i, (one, other) in enumerate(zip(x, y, strict=False)) if one != other)
        found = parting(a, b)
        assert (found["unit"], found["start"], found["end"]) == ("token", first, first + 1)
