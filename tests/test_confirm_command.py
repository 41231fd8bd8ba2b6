"""`promptlint confirm` as a user sees it: a model that is run, what is printed, exit codes, one line for each fault."""

import importlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from confirm_runs import DEMO, HEAD, QUICK, confirmed, prompts
from conftest import ROOT
from promptlint.cli import run
from promptlint.commands.confirm.pair import Pair, renumbered, window
from promptlint.commands.confirm.wanted import ConfirmOptions, lengths, refuse_misfits
from promptlint.errors import PromptlintError

CASES = {
    "a turn appended": (HEAD + "Hello.", HEAD + "Hello. And again?", len(HEAD) + 6),
    "a date in front": ("2026-11-29\n" + HEAD, "2026-11-30\n" + HEAD, 8),
    "the same again": (HEAD, HEAD, len(HEAD) - 1),
    "B is a start of A": (HEAD + "Hello.", HEAD, len(HEAD) - 1),
    "nothing in common": ("No. " + HEAD, HEAD, 0),
    "one character": ("Hello", "H", 0),
    "in the middle of a letter": (HEAD + "é", HEAD + "è", len(HEAD) + 1),
}


@pytest.mark.parametrize("name", CASES)
def test_as_much_is_reused_as_predicted(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    a, b, expected = CASES[name]
    value = confirmed(capsys, *prompts(tmp_path, a, b))
    facts = value["confirm"]
    assert (value["verdict"], facts["predicted_tokens"], facts["observed_tokens"]) == ("confirmed", expected, expected)
    assert facts["logit_diff"] <= facts["tolerance"] < facts["control_diff"]
    assert (facts["backend"], facts["tokenizer"], facts["device"]) == ("minimal", "bytes", "cpu")
    assert facts["suspect"] is None
    assert facts["seen"][0]["prompt_tokens"] == len(b.encode())


def test_a_request_is_read_as_diff_reads_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["diff", *DEMO, "--tokenizer", "bytes", "--format", "json"]) == 0
    shared = json.loads(capsys.readouterr().out)["diff"]["boundary"]["shared_tokens"]
    facts = confirmed(capsys, *DEMO)["confirm"]
    assert facts["observed_tokens"] == facts["kv_first_difference"] == shared


def test_another_vocabulary_and_token_ids(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """More ids than the model has: they are numbered anew."""
    a, b = prompts(tmp_path, HEAD + "Hello.", HEAD + "Good day.")
    value = confirmed(capsys, a, b, "--tokenizer", "o200k_base")
    assert value["confirm"]["observed_tokens"] < 30
    assert any("numbered anew" in note for note in value["notes"])
    for name, ids in (("a", [7, 70000, 9, 260]), ("b", [7, 70000, 9, 520, 4])):
        (tmp_path / f"{name}.json").write_text(json.dumps({"prompt_token_ids": ids}))
    facts = confirmed(capsys, *(str(tmp_path / f"{name}.json") for name in "ab"))["confirm"]
    assert (facts["predicted_tokens"], facts["observed_tokens"], facts["tokenizer"]) == (3, 3, "ids as given")


def test_a_long_prompt_is_cut_around_the_place(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    head = "".join(f"Rule {number}: be brief.\n" for number in range(400))
    value = confirmed(capsys, *prompts(tmp_path, head + "Hello." + "x" * 900, head + "Good day." + "y" * 900))
    assert value["confirm"]["observed_tokens"] == len(head)
    (note,) = value["notes"]
    assert note.startswith(f"only tokens {len(head) - 2048:,} to {len(head) + 512:,} were computed")


def test_half_precision_is_confirmed_as_far_as_it_shows(capsys: pytest.CaptureFixture[str]) -> None:
    half = confirmed(capsys, "--dtype", "bfloat16")
    assert (half["verdict"], half["confirm"]["dtype"]) == ("confirmed", "bfloat16")
    assert any("in bfloat16 an error" in note and "cannot be seen" in note for note in half["notes"])
    assert run(["confirm", "--dtype", "bfloat16", *QUICK]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "an error of that size would be seen" in text
    assert "an error would be seen" not in text


def test_a_missing_prompt_is_told_before_a_model_is_loaded(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)  # it would be imported first
    assert run(["confirm", "no-such-file", DEMO[1], "--model", "some-folder"]) == 2
    assert "no-such-file" in capsys.readouterr().err


def test_a_continuation_is_no_proof(capsys: pytest.CaptureFixture[str]) -> None:
    value = confirmed(capsys, *DEMO, "--generate", "5")
    assert value["confirm"]["generated"] == {"tokens": 5, "first_difference": None, "noise_first_difference": None}
    assert run(["confirm", *DEMO, *QUICK, "--generate", "5"]) == 0
    assert "Equal text is no proof, other text no disproof" in " ".join(capsys.readouterr().out.split())


def test_files_are_written_and_inputs_are_not(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    a, b = prompts(tmp_path, HEAD, HEAD)
    forms = ("csv", "svg", "json", "markdown")
    outputs = [f"--output={form}={tmp_path / f'out.{form}'}" for form in forms]
    assert run(["confirm", a, b, "--prefix", "32,64", "--pairs", "2", *outputs]) == 0
    assert (tmp_path / "out.csv").read_text().count("\n") == 3
    assert (tmp_path / "out.svg").read_text().startswith("<svg")
    assert "### promptlint confirm: **confirmed**" in (tmp_path / "out.markdown").read_text()
    text = capsys.readouterr().out
    assert "ramp of prefixes" in text
    assert run(["confirm", a, b, *QUICK, "--output", f"json={a}"]) == 2
    assert Path(a).read_text() == HEAD
    assert run(["confirm", *QUICK, "--format", "csv"]) == 0
    assert capsys.readouterr().out.startswith("prefix_tokens,")


FAULTS: dict[str, tuple[str, ...]] = {
    "there is nothing to confirm": (),
    "one prompt instead of two": (DEMO[0],),
    "3 prompts instead of two": (*DEMO, DEMO[0]),
    "both inputs are standard input": ("-", "-"),
    "--check names one implementation, and --model another": ("--check", "a:b", "--model", "c"),
    "--attention is about a model's files": (*DEMO, "--attention", "eager"),
    "--allow-download is about a model's files": (*DEMO, "--allow-download"),
    "your own code chooses what --device says": ("--check", "a:b", "--device", "cpu"),
    "--generate continues the second prompt": ("--prefix", "64", "--generate", "3"),
    "--tokenizer is about prompts": ("--prefix", "64", "--tokenizer", "bytes"),
    "--prefix 12,x: not lengths": ("--prefix", "12,x"),
    "--prefix 0: not lengths": ("--prefix", "0"),
    "--pairs is more than 0": (*DEMO, "--pairs", "0"),
    "--max-usd is about a server": (*DEMO, "--max-usd", "1"),
    "--dry-run is about a server": (*DEMO, "--dry-run"),
    "--timeout is about a server": (*DEMO, "--timeout", "3"),
    "--prefix is about a model that is run here": (*DEMO, "--endpoint", "http://localhost:1", "--prefix", "64"),
    "give 1 to ": (*DEMO, "--threads", "100000"),
    "--seed -1: not a seed": (*DEMO, "--seed", "-1"),
    "--seed 9223372036854775808: not a seed": (*DEMO, "--seed", str(2**63)),
    "--seed is about a model that is run here": (*DEMO, "--endpoint", "http://localhost:1", "--seed", "0"),
    "a server is asked for two prompts": ("--endpoint", "http://localhost:1"),
    "csv holds measured prefixes": (*DEMO, "--endpoint", "http://localhost:1", "--format", "csv"),
    "svg holds measured prefixes": (*DEMO, "--endpoint", "http://localhost:1", "--output", "svg=x.svg"),
    "--max-usd much: not an amount": (*DEMO, "--endpoint", "http://localhost:1", "--max-usd", "much"),
    "--output sarif=x: not FORMAT=FILE": (*DEMO, "--output", "sarif=x"),
    "no-such-file": ("no-such-file", DEMO[1]),
    "unknown device": (*DEMO, "--device", "abacus"),
    "unknown --dtype": (*DEMO, "--dtype", "float23"),
    "no_such_module": ("--check", "no_such_module:build"),
    "no-such-folder": (*DEMO, "--model", "no-such-folder"),
}  # fmt: skip


@pytest.mark.parametrize("told", FAULTS)
def test_each_fault_is_one_line(told: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    assert run(["confirm", *FAULTS[told]]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert told in printed.err
    assert re.fullmatch(r"promptlint: [^\n]+\n", printed.err), printed.err


def test_an_empty_prompt_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["confirm", *prompts(tmp_path, HEAD, "")]) == 2
    assert capsys.readouterr().err.startswith("promptlint: ")


@pytest.mark.parametrize("more", [(), ("--model", "some-folder")])
def test_without_torch_one_line_says_how_to_get_it(
    more: tuple[str, ...], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    assert run(["confirm", *DEMO, *more]) == 2
    told = capsys.readouterr().err
    assert "torch, which is not installed" in told
    assert "pip install 'promptlint-cache[model]'" in told
    assert ("pip install torch is enough" in told) == (not more)
    assert told.count("\n") == 1


def test_too_little_memory_for_torch_is_one_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    faults = (MemoryError(), ImportError("libtorch_cpu.so: failed to map segment from shared object"))
    own = importlib.import_module
    for fault in faults:

        def refuse(name: str, package: str | None = None, fault: Exception = fault) -> Any:
            if name == "torch":
                raise fault
            return own(name, package)

        monkeypatch.setattr("importlib.import_module", refuse)
        assert run(["confirm", *DEMO]) == 2
        told = capsys.readouterr().err
        assert told == "promptlint: not enough memory to load torch; it takes some hundred MiB\n"


def test_without_numpy_nothing_is_said_of_it() -> None:
    program = "import sys; sys.modules['numpy'] = None; from promptlint.cli import run; sys.exit(run(sys.argv[1:]))"
    arguments = ("confirm", "--prefix", "32", "--pairs", "1")
    ran = subprocess.run([sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=True)
    assert (ran.stderr, "confirmed" in ran.stdout) == ("", True)


def test_progress_is_told_on_a_terminal_only(tmp_path: Path) -> None:
    """What is said is wiped again, and a pipe gets none of it."""
    command = [sys.executable, "-m", "promptlint", "confirm", *QUICK]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    pty = pytest.importorskip("pty")
    master, slave = pty.openpty()
    subprocess.run(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=slave, check=True)
    os.close(slave)
    told = os.read(master, 1 << 16).decode()
    os.close(master)
    assert "importing torch" in told
    assert "measuring: 1 of" in told
    assert told.endswith("\r\x1b[K")


ids = st.lists(st.integers(0, 200_000), min_size=1, max_size=40)


@given(ids, ids, ids, st.integers(2, 300))
def test_numbering_anew_keeps_what_is_equal(head: list[int], a: list[int], b: list[int], vocabulary: int) -> None:
    one, two = head + a, head + b
    new_one, new_two = renumbered(one, two, vocabulary)
    assert (len(new_one), len(new_two)) == (len(one), len(two))
    assert all(0 <= each < vocabulary for each in new_one + new_two)
    assert [x == y for x, y in zip(one, two, strict=False)] == [x == y for x, y in zip(new_one, new_two, strict=False)]


@given(st.integers(0, 5000), st.integers(0, 900), st.integers(0, 900), st.none() | st.integers(2, 4000))
def test_a_window_holds_the_place_and_fits_the_model(head: int, a: int, b: int, most: int | None) -> None:
    pair = Pair([1] * head + [2] * a or [2], [1] * head + [3] * b or [3], "", ())
    part = window(pair, 8, most)
    assert part.start <= pair.common
    assert most is None or max(len(part.a), len(part.b)) <= most
    assert len(part.a) <= 2048 + 512
    assert min(len(part.a), len(part.b)) >= min(pair.common - part.start, 1)
    if pair.common < min(len(pair.a), len(pair.b)):  # the tokens that differ are among those that are computed
        assert part.a[pair.common - part.start] != part.b[pair.common - part.start]
    assert bool(part.note) == (max(len(pair.a), len(pair.b)) != max(len(part.a), len(part.b)) or part.start > 0)


def test_what_is_predicted_leaves_the_last_token() -> None:
    told = {(a, b): Pair(a, b, "", ()).predicted for a, b in (((1, 2), (1, 2, 3)), ((1, 2), (1, 2)), ((1,), (2,)))}
    assert list(told.values()) == [2, 1, 0]


def test_lengths_are_read_once_each() -> None:
    assert lengths(" 512, 2048,512") == (512, 2048)
    for wrong in ("", ",", "1,,2", "-1", "1e3", "9999999999", "٣"):
        with pytest.raises(PromptlintError, match="not lengths"):
            lengths(wrong)


def test_options_that_fit_are_taken() -> None:
    for wanted in (
        ConfirmOptions(("a", "b")),
        ConfirmOptions(("a", "b"), model="m", attention="eager", allow_download=True, generate=3),
        ConfirmOptions(check="a:b"),
        ConfirmOptions(("log",), endpoint="http://localhost:1", dry_run=True, max_usd="1"),
        ConfirmOptions(("a", "b"), endpoint="http://localhost:1", model="m", cassette="c"),
    ):
        refuse_misfits(wanted)
