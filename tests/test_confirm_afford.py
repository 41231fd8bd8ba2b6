"""What a machine can afford is told before it is tried: memory, and minutes."""

from pathlib import Path
from typing import Any

import pytest

from confirm_runs import DEMO
from promptlint.cli import run
from promptlint.commands.confirm import afford
from promptlint.confirm import machine
from promptlint.confirm.implementation import checked
from promptlint.confirm.minimal import Minimal
from promptlint.errors import PromptlintError


def timed(monkeypatch: pytest.MonkeyPatch, each: float, square: float) -> None:
    monkeypatch.setattr(afford, "_timed", lambda model, tokens, vocabulary: each * tokens + square * tokens**2)


@pytest.mark.parametrize(
    ("asked", "kept"),
    [
        ((2048,), (2048,)),
        ((4096, 1024), (4096, 1024)),
        ((3_000_000,), (5859,)),
        ((1024, 3_000_000), (1024, 5859)),
        ((1024, 3_000_000, 4_000_000), (1024, 5859)),
    ],
)
def test_prefixes_that_take_minutes_are_cut(
    asked: tuple[int, ...], kept: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    timed(monkeypatch, 1e-4, 3e-7)
    found, notes = afford.in_time(checked(Minimal()), asked, 5, None)
    assert found == kept
    assert bool(notes) == (asked != kept)
    assert all("minutes here; with --pairs they are measured all the same" in note for note in notes)


def test_what_the_model_does_not_take_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    timed(monkeypatch, 1e-4, 3e-7)
    assert afford.in_time(checked(Minimal()), (3_000_000,), 5, 4096) == ((3_000_000,), [])  # it is cut to 4096 later


def test_a_long_prefix_is_cut_and_pairs_are_taken_at_their_word(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    timed(monkeypatch, 1.0, 0.0)
    assert run(["confirm", "--prefix", "2560"]) == 0
    assert "note: prefixes cut to 512 tokens" in capsys.readouterr().out
    assert run(["confirm", "--prefix", "2560", "--pairs", "1"]) == 0
    assert "cut to" not in capsys.readouterr().out


def test_short_prompts_are_really_timed() -> None:
    assert 0 < afford._timed(Minimal(), 64, 260) < 60


@pytest.mark.parametrize("arguments", [DEMO])
def test_prompts_that_do_not_fit_are_refused_in_one_line(
    arguments: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(machine, "free_bytes", lambda: 1 << 20)
    assert run(["confirm", *arguments]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("promptlint: prompts of 1,141 tokens take 10 MiB at least, and 1 MiB are free")
    assert printed.err.count("\n") == 1


def test_a_model_that_gives_few_logits_needs_less() -> None:
    class Few(Minimal):
        def prefill(self, ids: Any, keep: int = 0) -> Any:
            return super().prefill(ids)

    whole, few = (afford.need_bytes(checked(model), 2560, 256, 1536) for model in (Minimal(), Few()))
    assert whole - few == 3 * 4 * 260 * (2560 - 256)
    afford.refuse_too_large(checked(Few()), 2560, 256)


def test_weights_that_do_not_fit_are_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from confirm_models import tiny
    from promptlint.confirm.local import open_local

    folder = str(tiny("llama", tmp_path))
    monkeypatch.setattr(machine, "free_bytes", lambda: 300_000)
    with pytest.raises(PromptlintError, match=r"the weights of .* take 0 MiB, and 0 MiB are free"):
        open_local(folder)
    monkeypatch.setattr(machine, "free_bytes", lambda: None)
    open_local(folder)
