"""Implementations that users bring: what is asked of them, and one line for whatever they do wrong."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

from promptlint.confirm.implementation import Checked, checked, load_implementation
from promptlint.confirm.minimal import Minimal
from promptlint.errors import PromptlintError

GOOD = """
from promptlint.confirm.minimal import Minimal
class Mine:
    def __init__(self): self.model = Minimal(4)
    def prefill(self, ids): return self.model.prefill(ids)
    def append(self, cache, ids): return self.model.append(cache, ids)
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    before = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - before:
        del sys.modules[name]


def error(place: str) -> str:
    with pytest.raises(PromptlintError) as caught:
        load_implementation(place)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_module_of_the_current_folder_is_found(folder: Path) -> None:
    (folder / "mine").mkdir()
    (folder / "mine" / "part.py").write_text(f"{GOOD}\nbuild = Mine\n", "utf-8")
    loaded = load_implementation("mine.part:build")
    assert isinstance(loaded, Checked)
    assert (loaded.name, loaded.vocabulary, loaded.dtype, loaded.device) == ("mine.part:build", 260, "float32", "cpu")
    _, cache = loaded.prefill([1, 2])
    assert not loaded.reads_keys_values()
    assert loaded.keys_values(cache) == []
    true = Minimal(4).recompute([1, 2, 3])[2:]
    assert torch.equal(loaded.append(cache, [3])[0], Minimal(4).append(Minimal(4).prefill([1, 2])[1], [3])[0])
    assert (loaded.append(cache, [3])[0] - true).abs().max() < 1e-4


def test_the_current_folder_comes_last_once_the_module_is_there(folder: Path) -> None:
    """A file there may bear the name of a module that torch imports late; others are still found when they are used."""
    (folder / "mine_too.py").write_text(f"{GOOD}\ndef build():\n    import beside_it\n    return Mine()\n", "utf-8")
    (folder / "beside_it.py").write_text("", "utf-8")
    (folder / "wsgiref.py").write_text("raise OSError('it took the place of another')", "utf-8")
    sys.path[:] = [place for place in sys.path if place not in ("", str(folder))]
    before = list(sys.path)
    load_implementation("mine_too:build")
    assert sys.path == [*before, str(folder)]
    import wsgiref

    assert wsgiref.__file__ != str(folder / "wsgiref.py")


@pytest.mark.parametrize(
    ("text", "place", "expected"),
    [
        ("", "nowhere_at_all:build", "no module nowhere_at_all in "),
        ("", "mod.sub:build", "no module mod.sub in "),
        ("", "mod", "names no function"),
        ("", "mod:", "names no function"),
        ("", "../mod:build", "names no function"),
        ("", "mod:build", "module mod has no function build"),
        ("build = 3", "mod:build", "mod:build is a value of type int, no function"),
        ("import not_there_xyz", "mod:build", "module mod needs not_there_xyz, which is not installed"),
        ("def build(:", "mod:build", "module mod cannot be imported: SyntaxError"),
        ("1 / 0", "mod:build", "module mod cannot be imported: ZeroDivisionError: division by zero"),
        ("raise SystemExit(3)", "mod:build", "module mod cannot be imported: SystemExit: 3"),
        ("def build(): raise SystemExit(0)", "mod:build", "mod:build failed: SystemExit: 0"),
        ("def build(): raise OSError('no\\nweights')", "mod:build", "mod:build failed: OSError: no"),
        ("def build(size): return size", "mod:build", "mod:build failed: TypeError"),
        ("def build(): pass", "mod:build", "mod:build gave nothing; it must return an object"),
        ("def build(): return 3", "mod:build", "mod:build has no function prefill"),
        ("class build:\n def prefill(self, ids): pass", "mod:build", "mod:build has no function append"),
    ],
)
def test_what_cannot_be_loaded_is_one_line(folder: Path, text: str, place: str, expected: str) -> None:
    (folder / "mod.py").write_text(text, "utf-8")
    assert expected in error(place)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("return None", "gave nothing; it must give a tuple (logits, cache)"),
        ("return rows(ids)", "gave a value of type Tensor; it must give a tuple"),
        ("return rows(ids), 1, 2", "gave a tuple of 3"),
        ("return rows(ids)[-1:], 0", "gave logits [1, 9] for 3 tokens; logits must be [tokens, vocabulary]"),
        ("return rows(ids)[-1], 0", "gave logits [9] for 3 tokens"),
        ("return rows(ids).long(), 0", "gave logits of type torch.int64"),
        ("return rows(ids) * float('nan'), 0", "gave NaN or infinite logits for 3 tokens behind 0"),
        ("raise SystemExit(0)", "prefill of mod:Mine failed: SystemExit: 0"),
        ("return rows(ids) - float('inf'), 0", "gave NaN or infinite logits for 3 tokens behind 0"),
        ("raise IndexError('index 7 is out of range')", "failed: IndexError: index 7 is out of range"),
        ("return rows(ids), 0", "append of mod:Mine gave logits [2, 8] for 2 tokens"),
    ],
)
def test_answers_that_do_not_fit_are_one_line(folder: Path, body: str, expected: str) -> None:
    text = f"""import torch
def rows(ids): return torch.zeros(len(ids), 9)
class Mine:
    def prefill(self, ids):
        {body}
    def append(self, cache, ids):
        return torch.zeros(len(ids), 8), cache
"""
    (folder / "mod.py").write_text(text, "utf-8")
    assert expected in error("mod:Mine")


class Layers(Minimal):
    def __init__(self, layers: Any) -> None:
        super().__init__()
        self.layers_given = layers

    def keys_values(self, cache: Any) -> Any:
        return self.layers_given


@pytest.mark.parametrize(
    ("layers", "expected"),
    [
        ([torch.zeros(1, 2, 3)], "must give a pair"),
        (None, "must give a pair"),
        ([(torch.zeros(2, 4, 8), torch.zeros(2, 4, 8))], "gave [2, 4, 8] for a cache of 3 tokens"),
        ([(torch.zeros(3, 8), torch.zeros(3, 8))], "gave [3, 8] for a cache of 3 tokens"),
    ],
)
def test_keys_and_values_that_do_not_fit_are_one_line(layers: Any, expected: str) -> None:
    model = checked(Layers(layers))
    with pytest.raises(PromptlintError) as caught:
        model.keys_values(model.prefill([1, 2, 3])[1])
    assert expected in str(caught.value)


def test_a_batch_of_one_and_half_precision_are_accepted() -> None:
    class Batch(Minimal):
        def append(self, cache: Any, ids: Any) -> Any:
            logits, longer = super().append(cache, ids)
            return logits[None], longer

        def keys_values(self, cache: Any) -> Any:
            return [(k[None], v[None]) for k, v in super().keys_values(cache)]

    model = checked(Batch(dtype=torch.bfloat16))
    logits, cache = model.prefill([1, 2, 3])
    assert (logits.shape, logits.dtype, model.dtype) == ((3, 260), torch.float32, "bfloat16")
    assert model.keys_values(cache)[0][0].shape == (2, 3, 32)


def test_a_cache_that_is_written_into_can_be_used_again() -> None:
    class InPlace:
        def __init__(self) -> None:
            self.model = Minimal()

        def prefill(self, ids: list[int]) -> Any:
            logits, cache = self.model.prefill(ids)
            return logits, [cache]

        def append(self, cache: Any, ids: list[int]) -> Any:
            logits, cache[0] = self.model.append(cache[0], ids)
            return logits, cache

    model = checked(InPlace())
    _, cache = model.prefill([1, 2, 3])
    first, _ = model.append(cache, [4, 5])
    model.append(cache, [6])
    assert torch.equal(first, model.append(cache, [4, 5])[0])


def test_a_lack_of_memory_is_left_to_the_caller() -> None:
    class Large(Minimal):
        def prefill(self, ids: Any) -> Any:
            raise torch.OutOfMemoryError("no memory")

    with pytest.raises(torch.OutOfMemoryError):
        checked(Large()).prefill([1])
