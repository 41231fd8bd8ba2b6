"""Models on this machine: what is predicted over the model's own ids is where its keys and values part."""

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from confirm_models import PAIRS, TEMPLATE, WINDOW, tiny
from promptlint.commands.confirm.ids import ModelSide, Predicted, model_side, predict, prompt_ids, usable
from promptlint.commands.single import opened
from promptlint.commands.templates import TemplateOptions
from promptlint.confirm.device import OutOfMemory, dtype_named, transformers_or_error
from promptlint.confirm.local import LocalModel, open_local
from promptlint.facts.own import NONE
from promptlint.load import load
from promptlint.prompt import Request
from promptlint.read.sources import read
from real_models import gguf

KINDS = ["llama", "qwen3", "gpt2", "gemma3", "mistral"]


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], tuple[LocalModel, ModelSide]]:
    """Give `models(kind)`: each is made once."""
    made: dict[str, tuple[LocalModel, ModelSide]] = {}

    def model(kind: str) -> tuple[LocalModel, ModelSide]:
        if kind not in made:
            folder = str(tiny(kind, tmp_path_factory.mktemp(kind)))
            made[kind] = open_local(folder), model_side(folder)
        return made[kind]

    return model


@pytest.fixture(scope="module")
def smol(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[LocalModel, ModelSide]]:
    """SmolLM2-135M out of its GGUF, read twice: the second time from what is kept."""
    path, said, kept = str(gguf()), list[str](), tmp_path_factory.mktemp("kept")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PROMPTLINT_CACHE_DIR", str(kept))
        open_local(path, say=said.append)
        model = open_local(path, say=said.append)
        assert len(said) == 1, "it was dequantised twice"
        yield model, model_side(path)
    shutil.rmtree(kept, ignore_errors=True)  # half a gigabyte


def request(folder: Path, name: str, body: dict[str, Any]) -> Request:
    path = folder / f"{name}.json"
    path.write_text(json.dumps(body), "utf-8")
    return load(read(str(path)))


def predicted(pair: str, folder: Path, model: LocalModel, side: ModelSide, block: int | None = None) -> Predicted:
    old, new = (request(folder, name, body) for name, body in zip("ab", PAIRS[pair], strict=True))
    templates = TemplateOptions(chat_template=model.folder)
    how = opened(model.folder, provider=None, templates=templates, own=NONE, block_size=block)
    return predict(old, new, side, how)


def observed(model: LocalModel, said: Predicted) -> int:
    from promptlint.confirm.boundary import kv_boundary

    found = kv_boundary(model.recording(), said.a_ids, said.b_ids)
    assert found.first is not None, found.why
    assert found.first == said.common
    return usable(found.first, len(said.b_ids))


@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize("kind", KINDS)
def test_what_is_predicted_is_observed(
    kind: str, pair: str, tmp_path: Path, models: Callable[[str], tuple[LocalModel, ModelSide]]
) -> None:
    model, side = models(kind)
    said = predicted(pair, tmp_path, model, side)
    assert observed(model, said) == said.of_model
    assert said.through_template
    assert said.diff.boundary.shared_tokens == said.common
    if pair == "identical repeat":
        assert said.of_model == len(said.b_ids) - 1
    if pair == "below one block":
        assert 0 < said.of_model < 16
        assert predicted(pair, tmp_path, model, side, block=16).of_request == 0
    if pair == "appended turn":
        assert said.of_model == len(said.a_ids)


@pytest.mark.model
@pytest.mark.parametrize("pair", PAIRS)
def test_what_is_predicted_is_observed_on_a_real_model(
    pair: str, tmp_path: Path, smol: tuple[LocalModel, ModelSide]
) -> None:
    model, side = smol
    said = predicted(pair, tmp_path, model, side)
    assert observed(model, said) == said.of_model
    assert len(side.tokenizer.encode("2026")) == 4, "digits one by one, as llama.cpp splits them"


@pytest.mark.model
def test_a_real_model_answers(smol: tuple[LocalModel, ModelSide], tmp_path: Path) -> None:
    model, side = smol
    body = {"messages": [{"role": "user", "content": "The capital of France? One word."}]}
    ids = list(prompt_ids(request(tmp_path, "a", body), side).ids)
    logits, cache = model.prefill(ids)
    words = []
    for _ in range(7):
        words.append(int(logits[-1].argmax()))
        logits, cache = model.extend(cache, words[-1:])
    assert b"Paris" in side.tokenizer.decode(words)


def test_the_ids_are_those_that_transformers_makes(
    tmp_path: Path, models: Callable[[str], tuple[LocalModel, ModelSide]]
) -> None:
    model, side = models("llama")
    made: Any = transformers_or_error().PreTrainedTokenizerFast
    theirs = made(tokenizer_file=f"{model.folder}/tokenizer.json", chat_template=TEMPLATE)
    for old, new in PAIRS.values():
        for body in (old, new):
            wanted = theirs.apply_chat_template(
                body["messages"], tools=body.get("tools"), add_generation_prompt=True, return_dict=False
            )
            assert list(prompt_ids(request(tmp_path, "a", body), side).ids) == wanted


@pytest.mark.parametrize("kind", KINDS)
def test_a_cached_prefix_gives_the_same_logits(
    kind: str, models: Callable[[str], tuple[LocalModel, ModelSide]]
) -> None:
    from promptlint.confirm.equivalence import Longer, equivalence

    model, _ = models(kind)
    ids = [n * 37 % 400 for n in range(3 * WINDOW)]
    found = equivalence(model, ids, longer=[Longer("predicted", ids, 2 * WINDOW + 3)])
    assert found.verdict == "confirmed", found.why
    assert found.control_diff > 10 * found.tolerance


@pytest.mark.parametrize("kind", ["llama", "gemma3"])
def test_a_cache_that_is_handed_in_stays_as_it_is(
    kind: str, models: Callable[[str], tuple[LocalModel, ModelSide]]
) -> None:
    model, _ = models(kind)
    _, cache = model.prefill(list(range(50)))
    before = [keys.clone() for keys, _ in model.keys_values(cache)]
    first, _ = model.append(cache, [7, 8, 9])
    again, _ = model.append(cache, [7, 8, 9])
    assert first.equal(again)
    assert all(old.equal(keys) for old, (keys, _) in zip(before, model.keys_values(cache), strict=True))
    last, _ = model.prefill(list(range(50)), keep=1)
    assert last.shape == (1, 512)


def test_a_window_forgets_and_a_recording_does_not(
    models: Callable[[str], tuple[LocalModel, ModelSide]],
) -> None:
    model, _ = models("gemma3")
    assert model.window == WINDOW
    ids = [n * 37 % 400 for n in range(3 * WINDOW)]
    own, cache = model.prefill(ids)
    whole, kept = model.recording().prefill(ids)
    assert [keys.shape[1] for keys, _ in model.keys_values(cache)] == [WINDOW - 1, 3 * WINDOW]
    assert [keys.shape[1] for keys, _ in model.recording().keys_values(kept)] == [3 * WINDOW, 3 * WINDOW]
    assert (own - whole).abs().max() < 1e-4
    llama, _ = models("llama")
    assert llama.recording() is llama


@pytest.mark.parametrize(("dtype", "attention"), [("float64", "eager"), ("bfloat16", "sdpa"), ("float16", None)])
def test_numbers_and_attention_are_those_asked_for(dtype: str, attention: str | None, tmp_path: Path) -> None:
    model = open_local(str(tiny("llama", tmp_path)), dtype=dtype, attention=attention)
    assert (model.dtype, model.attention) == (dtype, attention or "sdpa")
    logits, cache = model.prefill([1, 2, 3])
    assert str(logits.dtype) == ("torch.float64" if dtype == "float64" else "torch.float32")
    assert model.keys_values(cache)[0][0].dtype == dtype_named(dtype)


def test_shards_are_read_as_one(tmp_path: Path) -> None:
    whole = open_local(str(tiny("llama", tmp_path / "whole")))
    parts = tiny("llama", tmp_path / "parts", shard="100KB")
    assert len(list(parts.glob("*.safetensors"))) > 2
    assert open_local(str(parts)).prefill([1, 2, 3])[0].equal(whole.prefill([1, 2, 3])[0])


def test_a_request_that_no_template_takes_is_computed_in_its_documented_form(
    tmp_path: Path, models: Callable[[str], tuple[LocalModel, ModelSide]]
) -> None:
    _, side = models("llama")
    body = {
        "model": "claude-sonnet-4-5",
        "max_tokens": 9,
        "system": "Be kind.",
        "messages": PAIRS["appended turn"][0]["messages"][1:],
    }
    found = prompt_ids(request(tmp_path, "a", body), side)
    assert not found.through_template
    assert "no chat template takes a request of the format anthropic" in " ".join(found.notes)
    assert bytes(side.tokenizer.decode(found.ids)).startswith(b"Be kind.")


def test_memory_that_runs_out_is_told_apart(
    monkeypatch: pytest.MonkeyPatch, models: Callable[[str], tuple[LocalModel, ModelSide]]
) -> None:
    model, _ = models("llama")

    def full(**_: object) -> None:
        raise RuntimeError("[enforce fail at alloc_cpu.cpp:127] . DefaultCPUAllocator: not enough memory: you tried")

    monkeypatch.setattr(model._model, "forward", full)
    with pytest.raises(OutOfMemory, match=r"a prompt of 3 tokens on cpu"):
        model.prefill([1, 2, 3])
    with pytest.raises(MemoryError):  # what else catches it
        model.prefill([1, 2, 3])


def test_usable_is_the_rule_of_the_last_token() -> None:
    assert usable(10, 10) == 9
    assert usable(10, 20) == 10
    assert usable(4, 10) == 4
    assert usable(0, 10) == 0
    assert usable(1, 1) == 0
