"""`promptlint confirm --model` and `--endpoint` from the command line: both join what is seen to one report."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from confirm_models import PAIRS, tiny
from confirm_servers import chat, serving
from conftest import ROOT
from promptlint.cli import run

CONTRACT = jsonschema.Draft202012Validator(json.loads((ROOT / "promptlint/schemas/report.schema.json").read_text()))
KINDS = ("llama", "qwen3", "gpt2", "gemma3", "mistral")
QUICK = ("--prefix", "32", "--pairs", "1")


@pytest.fixture(scope="module")
def folder_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], str]:
    """Give `folder_of(kind)`: a random model, made once."""
    made: dict[str, str] = {}

    def folder(kind: str) -> str:
        if kind not in made:
            made[kind] = str(tiny(kind, tmp_path_factory.mktemp(kind)))
        return made[kind]

    return folder


def written(folder: Path, a: Any, b: Any) -> tuple[str, str]:
    paths = folder / "a.json", folder / "b.json"
    for path, body in zip(paths, (a, b), strict=True):
        path.write_text(json.dumps(body))
    return str(paths[0]), str(paths[1])


def reported(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> Any:
    assert run(["confirm", *arguments, "--format", "json"]) == code
    value = json.loads(capsys.readouterr().out)
    CONTRACT.validate(value)
    return value


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", PAIRS)
def test_a_models_own_tokens_are_reused_as_predicted(
    kind: str, name: str, folder_of: Callable[[str], str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    value = reported(capsys, *written(tmp_path, *PAIRS[name]), "--model", folder_of(kind), *QUICK)
    facts = value["confirm"]
    assert value["verdict"] == "confirmed", (facts, value["notes"])
    assert facts["predicted_tokens"] == facts["observed_tokens"] is not None
    assert facts["control_diff"] > facts["tolerance"] > facts["logit_diff"]
    assert (facts["backend"], facts["tokenizer"], facts["dtype"]) == (
        "transformers",
        "tokenizer.json",
        "float32",
    )
    assert facts["kv_bytes"] == facts["ramp"][0]["kv_bytes"] > 0


def test_lists_of_ids_need_no_vocabulary(
    folder_of: Callable[[str], str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bare = tmp_path / "bare"
    shutil.copytree(folder_of("llama"), bare)
    for name in ("tokenizer.json", "tokenizer_config.json", "chat_template.jinja"):
        (bare / name).unlink(missing_ok=True)
    ids = [7 * i % 50 for i in range(60)]
    value = reported(capsys, *written(tmp_path, ids, [*ids[:40], 1, 2]), "--model", str(bare), *QUICK)
    facts = value["confirm"]
    assert (value["verdict"], facts["predicted_tokens"], facts["observed_tokens"]) == ("confirmed", 40, 40)
    assert facts["tokenizer"] == "ids as given"
    assert run(["confirm", *written(tmp_path, *PAIRS["appended turn"]), "--model", str(bare), *QUICK]) == 2
    assert "tokenizer" in capsys.readouterr().err


def test_a_model_without_prompts(folder_of: Callable[[str], str], capsys: pytest.CaptureFixture[str]) -> None:
    """Past its window, a model is compared as well."""
    value = reported(capsys, "--model", folder_of("mistral"), *QUICK, "--attention", "eager", "--threads", "1")
    facts = value["confirm"]
    assert (value["verdict"], facts["predicted_tokens"], facts["attention"]) == ("confirmed", None, "eager")
    assert max(split["prefix_tokens"] for split in facts["splits"]) > 33


def test_what_diff_predicts_is_told_beside_it(
    folder_of: Callable[[str], str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    value = reported(capsys, *written(tmp_path, *PAIRS["appended turn"]), "--model", folder_of("llama"), *QUICK)
    assert any(note.startswith("promptlint diff predicts ") for note in value["notes"])


SYSTEM = {"role": "system", "content": "Answer in one word. " + "The shop sells tea and cups. " * 40}
A = {"model": "m", "messages": [SYSTEM, {"role": "user", "content": "Name a colour."}]}
B = {"model": "m", "messages": [SYSTEM, {"role": "user", "content": "Name a river."}]}
PAID = ("--max-usd", "5")  # no price of such a model is known


def test_a_dry_run_sends_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with serving(chat(300, 0)) as server:
        value = reported(capsys, *written(tmp_path, A, B), "--endpoint", server.address, "--dry-run")
        assert server.asked == []
    assert (value["verdict"], value["confirm"]) == (None, None)
    assert value["tables"]


def test_a_server_that_reads_too_little_contradicts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = written(tmp_path, A, B)
    for form in ("json", "text"):
        with serving(chat(300, 0), chat(300, 0), chat(300, 256)) as server:
            assert run(["confirm", *arguments, "--endpoint", server.address, *PAID, "--format", form]) == 1
        printed = capsys.readouterr().out
        if form == "json":
            value = json.loads(printed)
            CONTRACT.validate(value)
            assert value["verdict"] == "contradicted"
            assert (value["confirm"]["seen"][0]["observed_tokens"], value["confirm"]["backend"]) == (0, "openai")
        else:
            assert printed.startswith("contradicted  0 tokens reusable, ")
            assert "observed by the server" in printed


def test_a_log_gives_a_calibration(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    third = {**B, "messages": [*B["messages"], {"role": "assistant", "content": "Elbe."}, A["messages"][1]]}
    log = tmp_path / "log.jsonl"
    log.write_text("".join(json.dumps(one) + "\n" for one in (A, B, third)))
    with serving(chat(280, 0), chat(290, 275), chat(300, 150)) as server:
        assert run(["confirm", str(log), "--endpoint", server.address, *PAID]) in (0, 1)
    text = capsys.readouterr().out
    assert "of 2 pairs as predicted" in text
    assert "calibration" in text


def test_a_server_that_does_not_say_shows_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with serving(chat(300, None)) as server:
        arguments = (*written(tmp_path, A, B), "--endpoint", server.address, *PAID)
        assert reported(capsys, *arguments)["verdict"] == "not_shown"
        assert reported(capsys, *arguments, "--strict", code=1)["verdict"] == "not_shown"
