"""`promptlint key`: settings, levels, markers, blocks, and where two keys part."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from key_reports import DEMO, FIXTURES, SEQUENCE, VLLM, as_json, ids, saved, table
from promptlint.cli import run
from promptlint.commands.key import EngineOptions, key
from promptlint.commands.single import opened, single
from promptlint.commands.templates import TemplateOptions
from promptlint.facts.own import NONE
from promptlint.report import write
from promptlint.tokens import open_tokenizer


def test_the_demo() -> None:
    report = key(str(DEMO))
    found = as_json(report)
    assert (found["provider"], found["model"], found["cache"]) == ("anthropic", "claude-sonnet-5", "markers")
    assert (found["minimum_tokens"], found["size"], found["exact"]) == (1024, "above", False)
    assert [(run["level"], run["start"], run["end"]) for run in found["levels"]] == [
        ("tools", 0, 296),
        ("system", 296, 1299),
        ("messages", 1299, 1429),
    ]
    assert [(mark["pointer"], mark["line"], mark["tokens"], mark["size"]) for mark in found["markers"]] == [
        ("/system/0/text", 101, 1299, "above"),
        ("/messages/2/content/0", 138, 1429, "above"),
    ]
    assert [mark["ttl"] for mark in found["markers"]] == ["5m", "5m"]
    settings = {each["field"]: each for each in found["settings"]}
    assert settings["model"]["value"] == "claude-sonnet-5"
    assert settings["thinking"]["value"] is None
    assert (settings["thinking"]["level"], settings["thinking"]["certainty"]) == ("messages", "certain")
    assert "max_tokens" not in settings
    assert found["blocks"] == []
    assert found["engine"] is None


def test_settings_that_are_sent(tmp_path: Path) -> None:
    body = json.loads(DEMO.read_text("utf-8"))
    body |= {"thinking": {"type": "enabled", "budget_tokens": 2048}, "tool_choice": {"type": "any"}, "temperature": 1}
    body |= {"new_field": 7}
    image: dict[str, Any] = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aGk="}}
    body["messages"][0]["content"] = [image]
    held = {"headers": {"Anthropic-Beta": "context-1m", "X-Api-Key": "sk-secret"}, "body": body}
    found = as_json(key(saved(tmp_path / "r.json", held)))
    sent = {each["field"]: each for each in found["settings"] if each["value"] is not None}
    assert sent.keys() == {
        *("model", "thinking.type", "thinking.budget_tokens", "tool_choice.type", "new_field", "any images"),
        *("headers.anthropic-beta", "headers.x-api-key"),
    }
    assert (sent["new_field"]["level"], sent["new_field"]["certainty"]) == (None, "unknown")
    assert sent["any images"]["pointer"] == "/body/messages/0/content/0"
    assert sent["headers.x-api-key"]["value"] == "(hidden)"
    assert "sk-secret" not in json.dumps(found)


def test_markers_that_are_too_early_too_many_and_refused(tmp_path: Path) -> None:
    mark = {"cache_control": {"type": "ephemeral"}}
    long = {"cache_control": {"type": "ephemeral", "ttl": "1h"}}
    system = [{"type": "text", "text": "Be brief.", **mark}, {"type": "text", "text": "word " * 2000, **long}]
    body = {
        "model": "claude-sonnet-5",
        "max_tokens": 9,
        "system": system,
        "messages": [{"role": "user", "content": "x"}],
    }
    report = key(saved(tmp_path / "r.json", body))
    found = as_json(report)["markers"]
    assert [(each["size"], each["ttl"]) for each in found] == [("below", "5m"), ("above", "1h")]
    assert found[0]["refused"] is None
    assert "a 1h marker follows a 5m marker" in found[1]["refused"]
    assert [row[-1] for row in table(report, "Entries")] == ["no", "refused"]
    assert any("a 1h marker follows" in note for note in report.notes)


def test_a_provider_that_chooses_the_places_itself(tmp_path: Path) -> None:
    messages = [{"role": "system", "content": "word " * 1500}, {"role": "user", "content": "Hello."}]
    found = as_json(key(saved(tmp_path / "r.json", {"model": "gpt-5.6-sol", "messages": messages})))
    assert (found["cache"], found["minimum_tokens"]) == ("message-ends", 1024)
    assert [(each["explicit"], each["pointer"]) for each in found["markers"]] == [(False, "/messages/1/content")]
    older = as_json(key(saved(tmp_path / "o.json", {"model": "gpt-4o", "messages": messages})))
    assert (older["cache"], older["step"], older["markers"]) == ("steps", 128, [])


def test_the_engines_own_keys_of_given_ids(tmp_path: Path) -> None:
    report = key(ids(tmp_path, lora_name="sql-lora", lora_path="/adapters/sql"), engine=VLLM._replace(hash=None))
    found = as_json(report)
    expected = json.loads((FIXTURES / "vectors" / "vllm_block_hash.json").read_text("utf-8"))
    case = next(case["expected"] for case in expected["cases"] if case["name"] == "lora")
    blocks = found["blocks"]
    assert [block["key"] for block in blocks] == case["block_hashes"]
    assert [block["parent"] for block in blocks] == [case["none_hash"], *case["block_hashes"][:-1]]
    assert [block["event"] for block in blocks] == [str(number) for number in case["external_uint64"]]
    assert [(block["index"], block["start"], block["end"]) for block in blocks] == [
        (0, 0, 16),
        (1, 16, 32),
        (2, 32, 48),
    ]
    assert blocks[2]["extra"] == ["lora sql-lora /adapters/sql"]
    assert (found["provider"], found["exact"]) == ("vllm", True)
    assert found["engine"] == {
        **found["engine"],
        "name": "vllm",
        "version": "0.33.0",
        "hash": "sha256",
        "seed": "0",
        "block_tokens": 16,
    }
    assert table(report, "Beside") == [("0:3", "lora sql-lora /adapters/sql")]


def test_a_bare_list_and_every_spelling_of_extra(tmp_path: Path) -> None:
    bare = as_json(key(saved(tmp_path / "bare.json", SEQUENCE), engine=VLLM))["blocks"]
    none = as_json(key(ids(tmp_path, cache_salt="", lora_name=None, mm=[]), engine=VLLM))["blocks"]
    assert bare == none
    media = [{"identifier": "imgA", "offset": 4, "length": 20}]
    held = as_json(key(ids(tmp_path, mm=media, cache_salt="x"), engine=VLLM))["blocks"]
    assert [block["extra"] for block in held] == [["mm imgA 4", "cache_salt x"], ["mm imgA -12"], []]


def test_a_request_through_its_chat_template(tmp_path: Path) -> None:
    """The keys are those of the ids of the rendered prompt, whatever way it is encoded."""
    template = str(FIXTURES / "templates" / "drops_reasoning.jinja")
    request = str(FIXTURES / "templates" / "turn-2.json")
    report = key(request, engine=VLLM, tokenizer="o200k_base", templates=TemplateOptions(chat_template=template))
    found = as_json(report)
    assert found["exact"] is True
    assert not [note for note in report.notes if "--chat-template" in note or "--tokenizer" in note]
    options = opened("o200k_base", provider="vllm", templates=TemplateOptions(chat_template=template), own=NONE)
    prompt = single(request, options, None, None).prompt
    assert prompt is not None
    whole = open_tokenizer("o200k_base").encode(prompt.text)
    same = as_json(key(saved(tmp_path / "ids.json", list(whole)), engine=VLLM))
    assert found["blocks"] == same["blocks"]
    assert found["prompt_tokens"] == len(whole)
    assert found["levels"][-1]["end"] == len(whole)


def test_keys_of_a_form_say_that_they_are_not_the_servers() -> None:
    report = key(str(DEMO), engine=VLLM)
    assert as_json(report)["exact"] is False
    assert any("promptlint's own form" in note for note in report.notes)
    assert any("--tokenizer" in note for note in report.notes)


def test_keys_end_in_front_of_an_image(tmp_path: Path) -> None:
    text = {"type": "text", "text": "word " * 100}
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,aGk="}}
    messages = [{"role": "user", "content": [text]}, {"role": "user", "content": [image, text]}]
    report = key(saved(tmp_path / "r.json", {"model": "m", "messages": messages}), engine=VLLM)
    found = as_json(report)
    assert len(found["blocks"]) == 6
    assert any("in front of the first image" in note for note in report.notes)
    first = as_json(key(saved(tmp_path / "f.json", {"model": "m", "messages": messages[:1]}), engine=VLLM))
    assert found["blocks"] == first["blocks"]


def test_long_prompts_are_cut_in_the_table_and_whole_elsewhere(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = ids(tmp_path, tokens=list(range(16 * 100 + 5)))
    report = key(path, engine=VLLM)
    blocks = as_json(report)["blocks"]
    assert len(blocks) == 100
    rows = table(report, "Blocks")
    assert len(rows) == 25
    assert rows[16][:2] == ("…", "76 more")
    assert rows[-1][0] == "99"
    assert run(["key", path, "--engine", "vllm", "--hash", "sha256_cbor", "--seed", "0", "--only-hashes"]) == 0
    out, err = capsys.readouterr()
    assert out.split() == [block["key"] for block in blocks]
    assert "keys: " in err
    assert run(["key", path, "--engine", "vllm", "--seed", "0"]) == 0
    assert max(map(len, capsys.readouterr().out.splitlines())) <= 80


def test_a_partial_block_is_said_to_be_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = ids(tmp_path, tokens=list(range(20)))
    report = key(path, engine=EngineOptions("sglang", block_size=16))
    assert [(block["start"], block["end"]) for block in as_json(report)["blocks"]] == [(0, 16), (16, 20)]
    assert [block["full"] for block in as_json(report)["blocks"]] == [True, False]
    assert any("it is stored never" in note for note in report.notes)
    assert run(["key", path, "--engine", "sglang", "--block-size", "16", "--only-hashes"]) == 0
    assert len(capsys.readouterr().out.split()) == 1
    nothing = key(path, engine=EngineOptions("vllm", block_size=32))
    assert as_json(nothing)["blocks"] == []
    assert any("no full block of 32: nothing is stored" in note for note in nothing.notes)


def test_only_fields_of_the_engines_key_are_its_settings(tmp_path: Path) -> None:
    body = {
        "model": "m",
        "messages": [{"role": "user", "content": "x"}],
        "cache_salt": "s",
        "store": True,
        "extra_key": "k",
    }
    path = saved(tmp_path / "r.json", body)

    def sent(engine: str) -> list[str]:
        found = as_json(key(path, engine=EngineOptions(engine)))["settings"]
        return [each["field"] for each in found if each["value"] is not None]

    assert sent("vllm") == ["cache_salt"]
    assert sent("sglang") == ["extra_key", "cache_salt"]
    assert sent("sglang==0.5.19") == []
    assert sent("transformers") == []
    report = key(path, engine=EngineOptions("sglang==0.5.19"))
    assert any("only the names in events depend on the salt" in note for note in report.notes)


def test_secrets_inside_a_setting_are_hidden(tmp_path: Path) -> None:
    body = json.loads(DEMO.read_text("utf-8"))
    server = {"type": "url", "url": "https://user:pw@x.example", "authorization_token": "hunter2"}
    path = saved(tmp_path / "r.json", body | {"mcp_servers": [server]})
    for form in ("text", "json", "markdown"):
        text = write(key(path), form)
        assert "hunter2" not in text
        assert ":pw@" not in text


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--engine", "vlm"], "unknown engine vlm; did you mean vllm?"),
        (["--engine", "vllm==0.34.0"], "what vLLM 0.34.0 does is not known: 0.33.0 is the newest that was checked"),
        (["--engine", "vllm=="], "'' is no version of vLLM; such as "),
        (["--engine", "vllm", "--hash", "sha265"], "vLLM 0.33.0 has no hash sha265; did you mean sha256?"),
        (["--engine", "vllm==0.9.2"], "builtin, the default of this release, is Python's own hash()"),
        (["--engine", "vllm==0.28.0"], "without a seed, vLLM 0.28.0 with sha256 has other keys in every process"),
        (["--engine", "vllm", "--block-size", "0"], "a block of 0 tokens is not possible"),
        (["--engine", "vllm", "--block-size", "-16"], "a block of -16 tokens is not possible"),
        (["--engine", "vllm", "--block-size", "x"], "invalid int value"),
        (["--engine", "vllm==0.32.0", "--lookahead", "1"], "vLLM 0.32.0 is not known to look ahead"),
        (["--engine", "dynamo", "--lookahead", "2"], "Dynamo looks ahead one token at most"),
        (["--engine", "nano-vllm", "--lookahead", "1"], "nano-vllm does not look ahead"),
        (["--engine", "nano-vllm==1.0"], "what nano-vllm does is not known by version"),
        (["--engine", "llama-cpp"], "llama.cpp has no keys"),
        (["--engine", "tensorrt-llm"], "the keys of TensorRT-LLM are not known byte for byte"),
        (["--engine", "vllm", "--provider", "openai"], "--engine vllm serves the request"),
        (["--engine", "sglang", "--seed", "0"], "SGLang 0.5.23 with sha256 has no seed"),
        (["--engine", "lmcache", "--seed", "0"], "LMCache 0.5.6 with blake3 has no seed"),
        (["--engine", "vllm", "--lookahead", "5000"], "a lookahead of 5000 tokens is not possible"),
        (["--seed", "0"], "--hash, --seed, --block-size and --lookahead describe an engine"),
        (["--only-hashes"], "--only-hashes prints the block keys of one request"),
    ],
)
def test_what_cannot_be_keyed_is_one_line(
    arguments: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["key", ids(tmp_path), *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert said in err


@pytest.mark.parametrize(
    ("engine", "extra", "said"),
    [
        ("vllm==0.8.5", {"cache_salt": "x"}, "vLLM 0.8.5 has no cache_salt"),
        ("vllm==0.11.0", {"lora_name": "l"}, "keys an adapter by lora_int_id, which is not given"),
        ("vllm==0.33.0", {"lora_name": "l"}, "keys an adapter by lora_path, which is not given"),
        ("vllm", {"cache_salt": 7}, "/extra/cache_salt is no text"),
        ("vllm", {"lora_name": "l", "lora_int_id": "1"}, "/extra/lora_int_id is no whole number"),
        ("vllm", {"mm": {}}, "/extra/mm is no list"),
        ("vllm", {"mm": [{"identifier": "a", "offset": 0}]}, "/extra/mm/0 is no medium"),
        ("vllm", {"mm": [{"identifier": "a", "offset": 0, "length": -1}]}, "/extra/mm/0/length is no whole number"),
        ("vllm", {"prompt_embeds": "x"}, "keys of prompt_embeds hold the hash of a tensor"),
        ("sglang", {"lora_name": "l"}, "SGLang keys an adapter by an id"),
        ("sglang", {"mm": [{"identifier": "a", "offset": 0, "length": 1}]}, "ids of its own in the place of media"),
        ("lmcache", {"mm": [{"identifier": "a", "offset": 0, "length": 1}]}, "hashes in the place of media"),
        ("dynamo", {"mm": [{"identifier": "photo", "offset": 0, "length": 1}]}, "'photo' is none"),
        ("dynamo", {"mm": [{"identifier": "-1", "offset": 0, "length": 1}]}, "'-1' is none"),
    ],
)
def test_extras_that_an_engine_does_not_take(
    engine: str, extra: dict[str, Any], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["--hash", "sha256", "--seed", "0"] if engine.startswith("vllm") else []
    assert run(["key", ids(tmp_path, **extra), "--engine", engine, *arguments]) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert said in err


@pytest.mark.parametrize(
    ("arguments", "module"),
    [
        (["vllm", "--hash", "xxhash", "--seed", "0"], "xxhash"),
        (["dynamo"], "xxhash"),
        (["nano-vllm"], "xxhash"),
        (["lmcache"], "blake3"),
    ],
)
def test_a_missing_extra_is_one_line(
    arguments: list[str],
    module: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    assert run(["key", ids(tmp_path), "--engine", *arguments]) == 2
    err = capsys.readouterr().err
    assert err == (
        f"promptlint: these keys need {module}, which is not installed; pip install 'promptlint-cache[hash]'\n"
    )


def test_ids_that_do_not_fit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = saved(tmp_path / "wide.json", [1, 4_294_967_296] * 8)
    assert run(["key", path, "--engine", "transformers", "--block-size", "16"]) == 2
    assert "a token id does not fit 32 bits: 4294967296" in capsys.readouterr().err
    assert run(["key", path, "--engine", "sglang", "--block-size", "16"]) == 0


def test_hostile_names_stay_in_their_place(tmp_path: Path) -> None:
    """What a request names may look like the JSON around it."""
    path = ids(tmp_path, lora_name='x", "key": "y', lora_path='blocks of 0"', cache_salt='"blocks": "blocks of 0"')
    found = as_json(key(path, engine=VLLM))
    assert found["blocks"][0]["extra"] == ['lora x", "key": "y blocks of 0"', 'cache_salt "blocks": "blocks of 0"']
    text = write(key(path, engine=VLLM), "text")
    assert "\x1b" not in write(key(ids(tmp_path, cache_salt="\x1b[31m"), engine=VLLM), "text")
    assert "blocks of 0" in text
