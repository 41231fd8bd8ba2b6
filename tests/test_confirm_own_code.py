"""`promptlint confirm --check`: an implementation of the user's own, right, wrong in some way, or no help at all."""

import json
import re
import sys
from pathlib import Path

import pytest

from confirm_runs import DEMO, HEAD, QUICK, confirmed, prompts
from promptlint.cli import run
from promptlint.report.confirmed import points_to

IMPLEMENTATIONS = '''
from promptlint.confirm.minimal import Minimal

import sys
from promptlint.confirm import minimal

def moved(call, shift):
    """Run with other positions."""
    own = minimal.rotated
    minimal.rotated = lambda x, positions: own(x, shift(positions))
    try:
        return call()
    finally:
        minimal.rotated = own

class Restarts(Minimal):
    """Positions of the suffix begin again at 0."""

    def append(self, cache, ids):
        return moved(lambda: super(Restarts, self).append(cache, ids), lambda positions: positions - positions[0])

class Wraps(Minimal):
    """Behind 300 tokens positions are counted by 256."""

    def append(self, cache, ids):
        behind = cache[0].keys.shape[1] >= 300
        return moved(lambda: super(Wraps, self).append(cache, ids), lambda p: p % 256 if behind else p)

class Anew:
    """Keeps no keys and values: everything is computed anew."""

    def __init__(self):
        self.model = Minimal()

    def prefill(self, ids):
        return self.model.prefill(ids)[0], list(ids)

    def append(self, cache, ids):
        return self.model.prefill(cache + ids)[0][len(cache):], cache + ids

    def keys_values(self, cache):
        return self.model.keys_values(self.model.prefill(cache)[1])

class Few(Minimal):
    """Takes 64 tokens."""

    max_tokens = 64

    def append(self, cache, ids):
        assert cache[0].keys.shape[1] + len(ids) <= 64
        return super().append(cache, ids)

class Silent(Minimal):
    """Takes 300 tokens, and does not say so."""

    def append(self, cache, ids):
        self.places[cache[0].keys.shape[1] + len(ids) - 1]
        return super().append(cache, ids)

    places = [0] * 300

class Quits(Minimal):
    calls = 0

    def append(self, cache, ids):
        self.calls += 1
        if self.calls > 6:
            sys.exit(0)
        return super().append(cache, ids)

class Blind(Minimal):
    """Every token is the same to it."""

    keys_values = None

    def append(self, cache, ids):
        return super().append(cache, [7] * len(ids))

class Deaf(Minimal):
    """Does not see whether a letter is large."""

    def append(self, cache, ids):
        return super().append(cache, [each | 32 if each < 256 else each for each in ids])

class Hidden(Minimal):
    """Shows neither keys nor values."""

    keys_values = None

wraps, anew, few, silent, blind, quits_later = Wraps, Anew, Few, Silent, Blind, Quits

def quits():
    sys.exit(0)

def good():
    print("made")
    return Minimal()

def broken():
    return Restarts()

def deaf():
    return Deaf()

def hidden():
    return Hidden()

def raises():
    raise RuntimeError("no such weights")
'''


@pytest.fixture
def implementations(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "own_models.py").write_text(IMPLEMENTATIONS)
    monkeypatch.syspath_prepend(str(tmp_path))
    sys.modules.pop("own_models", None)
    return "own_models"


def test_an_error_is_found_and_named(implementations: str, capsys: pytest.CaptureFixture[str]) -> None:
    value = confirmed(capsys, "--check", f"{implementations}:broken", *DEMO, code=1)
    suspect = value["confirm"]["suspect"]
    assert (value["verdict"], suspect) == ("contradicted", "position-restart")
    assert run(["confirm", "--check", f"{implementations}:broken", *QUICK]) == 1
    text = capsys.readouterr().out
    assert text.startswith("contradicted  ")
    assert points_to(suspect) in " ".join(text.split())


def test_a_model_that_does_not_see_the_change(
    implementations: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sides = prompts(tmp_path, HEAD + "yes, please", HEAD + "YES, then")
    value = confirmed(capsys, "--check", f"{implementations}:deaf", *sides, code=1)
    (seen,) = value["confirm"]["seen"]
    assert (value["verdict"], seen["predicted_tokens"], seen["observed_tokens"]) == (
        "contradicted", len(HEAD), len(HEAD) + 5,
    )  # fmt: skip
    assert "does not see" in seen["gap"]


def test_what_cannot_be_seen_is_not_shown(implementations: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Neither proof nor disproof: exit 0, and 1 with --strict."""
    value = confirmed(capsys, "--check", f"{implementations}:blind", *DEMO)
    assert (value["verdict"], value["confirm"]["observed_tokens"]) == ("not_shown", None)
    confirmed(capsys, "--check", f"{implementations}:blind", *DEMO, "--strict", code=1)


def test_two_functions_are_enough(implementations: str, capsys: pytest.CaptureFixture[str]) -> None:
    value = confirmed(capsys, "--check", f"{implementations}:hidden", *DEMO)
    facts = value["confirm"]
    assert (value["verdict"], facts["observed_tokens"], facts["kv_first_difference"]) == ("confirmed", 629, None)
    assert facts["seen"][0]["source"] == "the first position whose logits differ"
    assert any("is told from their logits" in note for note in value["notes"])


def test_what_reuses_nothing_is_not_shown(
    implementations: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("promptlint.confirm.measure.noisy", lambda *_: "")  # whatever else this machine does
    arguments = ["confirm", "--check", f"{implementations}:anew", *DEMO, "--prefix", "512", "--format", "json"]
    assert run(arguments) == 0
    value = json.loads(capsys.readouterr().out)
    assert value["verdict"] == "not_shown"
    assert any(note.startswith("nothing is saved: reuse was not seen. With 512 tokens") for note in value["notes"])


def test_the_split_at_the_predicted_length_is_computed(
    implementations: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    value = confirmed(capsys, "--check", f"{implementations}:wraps", *DEMO, code=1)
    (row,) = (split for split in value["confirm"]["splits"] if split["name"] == "predicted")
    assert (row["prefix_tokens"], row["suffix_tokens"], value["verdict"]) == (629, 512, "contradicted")
    rows = {split["name"]: split["logit_diff"] for split in value["confirm"]["splits"]}
    assert rows["predicted"] > 0.1 > rows["unaligned"]
    value = confirmed(capsys, "--check", f"{implementations}:wraps", *prompts(tmp_path, HEAD + "a", HEAD + "b"))
    assert value["verdict"] == "confirmed"  # nothing so long was computed
    assert run(["confirm", "--check", f"{implementations}:wraps", "--prefix", "512", "--pairs", "1"]) == 1
    assert "measured" in capsys.readouterr().out


def test_a_model_of_64_tokens_is_confirmed(implementations: str, capsys: pytest.CaptureFixture[str]) -> None:
    value = confirmed(capsys, "--check", f"{implementations}:few", *DEMO)
    assert (value["verdict"], value["confirm"]["observed_tokens"]) == ("confirmed", 629)


def test_how_many_tokens_it_takes_is_found(implementations: str, capsys: pytest.CaptureFixture[str]) -> None:
    for prompt in (DEMO, ()):
        assert (
            run(["confirm", "--check", f"{implementations}:silent", *prompt, "--pairs", "1", "--format", "json"]) == 0
        )
        value = json.loads(capsys.readouterr().out)
        assert value["verdict"] == "confirmed"
        assert value["confirm"]["ramp"][0]["prefix_tokens"] == 260
        assert any(note.startswith("prompts of more than 300 tokens fail (") for note in value["notes"])


@pytest.mark.parametrize("name", ["quits", "quits_later"])
def test_code_that_ends_the_program_is_an_error(
    name: str, implementations: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["confirm", "--check", f"{implementations}:{name}", *DEMO, *QUICK]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert re.fullmatch(r"promptlint: [^\n]*SystemExit: 0\n", printed.err), printed.err


def test_what_a_users_code_prints_is_no_part_of_the_report(
    implementations: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["confirm", "--check", f"{implementations}:good", *QUICK, "--format", "json"]) == 0
    printed = capsys.readouterr()
    assert json.loads(printed.out)["confirm"]["backend"] == "check"
    assert printed.err == "made\n"


def test_faults_of_a_users_code_are_told(implementations: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["confirm", "--check", f"{implementations}:raises"]) == 2
    assert "no such weights" in capsys.readouterr().err
