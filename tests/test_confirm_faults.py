"""What is no whole model, or does not run here, is refused: one line each, and nothing in a folder is run."""

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from confirm_models import edit, tiny
from promptlint.confirm.gguf import alone
from promptlint.confirm.local import open_local
from promptlint.errors import PromptlintError


def _index(folder: Path) -> dict[str, Any]:
    held: dict[str, Any] = json.loads((folder / "model.safetensors.index.json").read_text("utf-8"))
    return held


def _placed(folder: Path, where: str) -> None:
    places = _index(folder)["weight_map"]
    edit(folder / "model.safetensors.index.json", weight_map={**places, next(iter(places)): where})


def _pickled(folder: Path, name: str) -> None:
    (folder / "model.safetensors").rename(folder / name)


def _adapted(folder: Path) -> None:
    _pickled(folder, "adapter_model.safetensors")
    (folder / "adapter_config.json").write_text("{}", "utf-8")


BAD: dict[str, tuple[Callable[[Path], Any], str]] = {
    "pickle": (lambda f: _pickled(f, "pytorch_model.bin"), "pytorch_model.bin, a pickle, which may run code"),
    "other pickle": (lambda f: _pickled(f, "consolidated.00.pth"), "consolidated.00.pth, a pickle"),
    "no weights": (lambda f: (f / "model.safetensors").unlink(), "holds no weights"),
    "other name": (lambda f: _pickled(f, "part-1.safetensors"), "neither model.safetensors nor"),
    "no config": (lambda f: (f / "config.json").unlink(), "has weights and no config.json"),
    "config no JSON": (lambda f: (f / "config.json").write_text("{"), "config.json"),
    "config a list": (lambda f: (f / "config.json").write_text("[]"), "is no JSON object"),
    "no kind": (lambda f: edit(f / "config.json", model_type=None), "names no model_type"),
    "unknown kind": (lambda f: edit(f / "config.json", model_type="nova"), "nova, which transformers does not have"),
    "own code": (
        lambda f: edit(f / "config.json", model_type="nova", auto_map={"AutoModel": "evil.Model"}),
        "code that stands in a folder is never run",
    ),
    "no language model": (lambda f: edit(f / "config.json", architectures=["BertForMaskedLM"]), "BertForMaskedLM"),
    "encoder-decoder": (lambda f: edit(f / "config.json", is_encoder_decoder=True), "encoder-decoder"),
    "other weights": (lambda f: edit(f / "config.json", transformers_weights="../x.bin"), "a file of its own"),
    "more layers": (lambda f: edit(f / "config.json", num_hidden_layers=3), "lacks 9 of the model's weights"),
    "fewer layers": (lambda f: edit(f / "config.json", num_hidden_layers=1), "has weights of layer 1"),
    "other size": (lambda f: edit(f / "config.json", intermediate_size=128), "and config.json asks for 64 x 128"),
    "far too large": (lambda f: edit(f / "config.json", hidden_size=10**6), "and holds no more than"),
    "endless": (lambda f: edit(f / "config.json", num_hidden_layers=10**9), "10,000 at most"),
    "bad value": (lambda f: edit(f / "config.json", hidden_act="none at all"), "cannot be loaded"),
    "quantised": (
        lambda f: edit(f / "config.json", quantization_config={"quant_method": "gptq", "bits": 4}),
        "holds quantised weights (gptq), which are not taken",
    ),
    "damaged": (lambda f: (f / "model.safetensors").write_bytes(b"\xff" * 100), "is damaged"),
    "empty": (lambda f: (f / "model.safetensors").write_bytes(b""), "is damaged"),
    "adapter": (_adapted, "holds an adapter"),
}  # fmt: skip

BAD_SHARDS: dict[str, tuple[Callable[[Path], Any], str]] = {
    "outside": (lambda f: _placed(f, "../model.safetensors"), "points to ../model.safetensors"),
    "absolute": (lambda f: _placed(f, "/etc/model.safetensors"), "points to /etc/model.safetensors"),
    "pickle": (lambda f: _placed(f, "pytorch_model.bin"), "points to pytorch_model.bin"),
    "not there": (lambda f: _placed(f, "model-9.safetensors"), "is not there"),
    "elsewhere": (lambda f: _placed(f, sorted(_index(f)["weight_map"].values())[-1]), "which the index puts there"),
    "no map": (lambda f: edit(f / "model.safetensors.index.json", weight_map=None), "has no weight_map"),
}


def refused(path: object, words: str, **how: Any) -> None:
    with pytest.raises(PromptlintError) as caught:
        open_local(str(path), **how)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("good")
    return {"whole": tiny("llama", folder / "whole"), "parts": tiny("llama", folder / "parts", shard="100KB")}


@pytest.mark.parametrize("fault", BAD)
def test_a_folder_that_is_no_whole_model_is_refused(fault: str, tmp_path: Path, good: dict[str, Path]) -> None:
    folder = Path(shutil.copytree(good["whole"], tmp_path / "model"))
    harm, words = BAD[fault]
    harm(folder)
    refused(folder, words)


@pytest.mark.parametrize("fault", BAD_SHARDS)
def test_shards_that_are_not_there_are_refused(fault: str, tmp_path: Path, good: dict[str, Path]) -> None:
    folder = Path(shutil.copytree(good["parts"], tmp_path / "model"))
    harm, words = BAD_SHARDS[fault]
    harm(folder)
    refused(folder, words)


@pytest.mark.parametrize("kind", ["mamba", "qwen3_next"])
def test_models_without_keys_and_values_are_refused_by_name(kind: str, tmp_path: Path) -> None:
    refused(tiny(kind, tmp_path), "a prefix cannot be cut out of it")


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"device": "cuda"}, "CUDA"),
        ({"device": "cuda:7"}, "CUDA"),
        ({"device": "gpu"}, "one of cpu, cuda, cuda:N, mps"),
        ({"device": "cpu:1"}, "unknown device cpu:1"),
        ({"device": "mps"}, "no mps device"),
        ({"dtype": "float31"}, "nearest: float32"),
        ({"attention": "some/kernel"}, "unknown --attention"),
        ({"attention": "flash_attention_2"}, "needs a CUDA device"),
    ],
)
def test_what_this_machine_has_not_is_said(how: dict[str, str], words: str, good: dict[str, Path]) -> None:
    import torch

    if "cuda" in how.get("device", "") and torch.cuda.is_available():
        pytest.skip("this machine has such a device")
    if how.get("device") == "mps" and torch.backends.mps.is_available():
        pytest.skip("this machine has such a device")
    refused(good["whole"], words, **how)


def test_a_name_is_downloaded_only_when_told(tmp_path: Path) -> None:
    refused("someone/some-model", "only with --allow-download")
    refused(tmp_path / "nothing", "no such folder or file")
    (tmp_path / "text.txt").write_text("a text")
    refused(tmp_path / "text.txt", "no folder of a model, and no GGUF")
    refused(tmp_path, "holds no weights")


def test_what_is_downloaded_is_configuration_vocabulary_and_safetensors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, good: dict[str, Path]
) -> None:
    import transformers.utils.hub as hub

    asked: list[str] = []
    (hidden := Path(shutil.copytree(good["parts"], tmp_path / "hub"))).joinpath("pytorch_model.bin").write_bytes(b"x")

    def cached_file(name: str, file: str, **_: object) -> str | None:
        asked.append(file)
        return str(hidden / file) if (hidden / file).exists() else None

    monkeypatch.setattr(hub, "cached_file", cached_file)
    model = open_local("someone/some-model", allow_download=True)
    assert model.folder == str(hidden)
    assert {name.rpartition(".")[2] for name in asked} == {"json", "jinja", "model", "safetensors"}
    assert len(asked) < 20


def test_a_hub_that_is_not_there_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    import transformers.utils.hub as hub

    def cached_file(name: str, file: str, **_: object) -> None:
        raise OSError("We couldn't connect to the hub.\nCheck your connection.")

    monkeypatch.setattr(hub, "cached_file", cached_file)
    refused("someone/some-model", "cannot be downloaded: We couldn't connect to the hub", allow_download=True)


@pytest.mark.parametrize(
    ("kind", "parts", "words"),
    [("nova", None, "cannot be read"), ("llama", 3, "one of 3 parts"), ("llama", None, "holds no more than")],
)
def test_a_gguf_that_transformers_does_not_read_is_refused(
    kind: str, parts: int | None, words: str, tmp_path: Path
) -> None:
    from gguf import GGUFWriter

    path = tmp_path / "model.gguf"
    writer: Any = GGUFWriter(str(path), kind)
    if parts is not None:
        writer.add_uint16("split.count", parts)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    refused(path, words)


@pytest.mark.parametrize("data", [b"", b"GGUF", b"GGUF\x03\x00\x00\x00" + b"\xff" * 16, b"pickle"])
def test_a_damaged_gguf_is_refused(data: bytes, tmp_path: Path) -> None:
    (tmp_path / "model.gguf").write_bytes(data)
    refused(tmp_path / "model.gguf", "model.gguf")
    refused(tmp_path, "model.gguf")


def test_prompts_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    model = open_local(str(tiny("gpt2", tmp_path)))
    for ids, words in (
        ([], "no tokens"),
        ([512], "the vocabulary is not the model's"),
        ([-1], "the vocabulary is not the model's"),
        ([1] * 1025, "takes 1,024"),
    ):
        with pytest.raises(PromptlintError, match=words):
            model.prefill(ids)


def test_what_a_configuration_says_of_code_is_not_followed(tmp_path: Path) -> None:
    folder = tiny("llama", tmp_path)
    edit(folder / "config.json", auto_map={"AutoModelForCausalLM": "evil.Model"}, _attn_implementation="some/kernel")
    (folder / "evil.py").write_text("raise SystemExit('it was run')")
    edit(folder / "generation_config.json", cache_implementation="static")
    model = open_local(str(folder))
    assert model.attention == "sdpa"
    assert any("code of its own" in note for note in model.notes)
    assert any("a static cache" in note for note in model.notes)


def test_no_setting_of_the_user_opens_the_network(monkeypatch: pytest.MonkeyPatch, good: dict[str, Path]) -> None:
    for name in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"):
        monkeypatch.setenv(name, "0")
    open_local(str(good["whole"]))
    assert (os.environ["HF_HUB_OFFLINE"], os.environ["TRANSFORMERS_OFFLINE"]) == ("1", "1")


def test_nothing_beside_a_gguf_is_read(tmp_path: Path) -> None:
    (tmp_path / "adapter_config.json").write_text("{}")
    (tmp_path / "odd name.gguf").write_bytes(b"GGUF")
    with alone(str(tmp_path / "odd name.gguf")) as (folder, name):
        assert os.listdir(folder) == [name]
        assert (Path(folder) / name).read_bytes() == b"GGUF"
    assert not os.path.exists(folder)
    assert (tmp_path / "odd name.gguf").exists()
