"""The vocabulary inside a GGUF: against what llama.cpp made of the same texts, and damaged files."""

import json
import random
import struct
from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import real_models
import token_ggufs
import token_laws
import token_texts
from conftest import ROOT
from promptlint.errors import PromptlintError
from promptlint.read.gguf import metadata
from promptlint.tokens import Tokenizer, open_tokenizer

# tests/benchmarks/llama_cpp.py writes it.
RECORDED: dict[str, Any] = json.loads((ROOT / "fixtures/tokens/llama_cpp.json").read_text("utf-8"))
TOKENS = ("tokenizer.ggml.tokens", "tokenizer.ggml.model")


@cache
def recorded(name: str, folder: Path) -> Tokenizer:
    case = dict(RECORDED["cases"][name]["metadata"])
    values = {**RECORDED["vocabularies"][case.pop("like")], **case}
    return opened(token_ggufs.gguf(values), folder / "model.gguf")


def opened(data: bytes, path: Path) -> Tokenizer:
    path.write_bytes(data)
    return open_tokenizer(str(path))


@pytest.mark.parametrize("name", RECORDED["cases"])
def test_tokens_are_those_of_llama_cpp(name: str, tmp_path: Path) -> None:
    tokenizer = recorded(name, tmp_path)
    for text, ids in zip(RECORDED["texts"], RECORDED["cases"][name]["ids"], strict=True):
        assert list(tokenizer.encode(text)) == ids, text
        assert tokenizer.count(text) == len(ids)


@pytest.mark.parametrize("name", [name for name in RECORDED["cases"] if name != "space prefix True"])
def test_safe_cuts(name: str, tmp_path: Path) -> None:
    tokenizer = recorded(name, tmp_path)
    assert tokenizer.has_cuts
    assert token_laws.fuzz(tokenizer, tokenizer.encode, 300, seed=59) > 300


def test_a_space_before_each_text_leaves_no_cut(tmp_path: Path) -> None:
    tokenizer = recorded("space prefix True", tmp_path)
    assert not tokenizer.has_cuts
    assert token_laws.fuzz(tokenizer, tokenizer.encode, 100, seed=61) == 0


@pytest.mark.parametrize("name", ["space prefix True", "space prefix False"])
def test_a_token_starts_at_its_byte(name: str, tmp_path: Path) -> None:
    tokenizer = recorded(name, tmp_path)
    for text in (*RECORDED["texts"], "a \u2581b", "<|im_start|> x<|im_start|>"):
        ids = tokenizer.encode(text)
        starts = [tokenizer.start(text, index) for index in range(len(ids) + 1)]
        assert starts == sorted(starts)
        assert (starts[0], starts[-1]) == (0, len(text.encode()))
        for index, start in enumerate(starts):
            head = tokenizer.decode(ids[:index])  # a special token makes the next text begin with a space again
            own = text.encode()[:start].replace("\u2581".encode(), b" ")
            assert head.replace(b" ", b"").startswith(own.replace(b" ", b""))


def test_the_joining_of_scored_pieces() -> None:
    """Against the rule in its plainest form: the best joint of all, the leftmost of equals, again and again."""
    from promptlint.tokens.scored import _join

    rng = random.Random(67)
    for _ in range(2000):
        pieces = {"".join(rng.choices("ab\u2581", k=rng.randint(2, 4))): float(rng.randint(0, 3)) for _ in range(12)}
        text = "".join(rng.choices("ab\u2581c", k=rng.randint(0, 14)))
        assert _join(text, pieces) == plainly_joined(list(text), pieces), (text, pieces)


def plainly_joined(parts: list[str], ranks: dict[str, float]) -> list[str]:
    while True:
        joints = [(ranks[a + b], i) for i, (a, b) in enumerate(pairwise(parts)) if a + b in ranks]
        if not joints:
            return parts
        i = min(joints)[1]
        parts[i : i + 2] = [parts[i] + parts[i + 1]]


def test_smollm2() -> None:
    path = str(real_models.gguf())
    tokenizer = open_tokenizer(path)
    assert tokenizer.encode("hello world") == [28120, 905]
    assert tokenizer.encode("<|im_start|>user\n123<|im_end|>") == [1, 4093, 198, 33, 34, 35, 2]
    assert tokenizer.size == 49152
    template = metadata(path, ["tokenizer.chat_template", "no.such.key"])
    assert list(template) == ["tokenizer.chat_template"]
    assert "<|im_start|>" in template["tokenizer.chat_template"]


VALUES: dict[str, Any] = {
    "a": "text",
    "flag": True,
    "n": 7,
    "x": 0.5,
    "s": ["p", "", "\u00e9"],
    "i": [-1, 2],
    "f": [0.25],
}


def test_every_kind_of_value(tmp_path: Path) -> None:
    path = tmp_path / "x.gguf"
    path.write_bytes(token_ggufs.gguf(VALUES))
    assert metadata(str(path), VALUES) == VALUES
    for name, value in VALUES.items():
        assert metadata(str(path), [name]) == {name: value}


def head(*values: bytes, count: int = 1) -> bytes:
    return b"GGUF" + struct.pack("<IQQ", 3, 0, count) + b"".join(values)


def key(name: str, kind: int) -> bytes:
    return token_ggufs.string(name) + struct.pack("<I", kind)


FAULTS = {
    "empty": (b"", "empty"),
    "other": (b"\x89PNG\r\n\x1a\n", "not a GGUF file"),
    "short": (b"GGUF\x03", "ends too early"),
    "version 1": (b"GGUF" + struct.pack("<III", 1, 0, 0), "GGUF version 1"),
    "big-endian": (b"GGUF" + struct.pack(">IQQ", 3, 0, 0), "big-endian"),
    "too many values": (head(count=2**63), "ends too early"),
    "long name": (head(struct.pack("<Q", 2**62)), "ends too early"),
    "long text": (head(key("a", 8) + struct.pack("<Q", 2**64 - 1)), "ends too early"),
    "no UTF-8": (head(key("a", 8) + struct.pack("<Q", 2) + b"\xff\xfe"), "not UTF-8"),
    "unknown kind": (head(key("a", 99)), "kind 99"),
    "nested arrays": (head(key("a", 9) + struct.pack("<IQ", 9, 1)), "kind 9"),
    "long array": (head(key("a", 9) + struct.pack("<IQ", 4, 2**61)), "ends too early"),
    "long array of texts": (head(key("a", 9) + struct.pack("<IQ", 8, 2**61)), "ends too early"),
    "texts that end": (head(key("a", 9) + struct.pack("<IQQ", 8, 2, 0)), "ends too early"),
    "long text in an array": (head(key("a", 9) + struct.pack("<IQQ", 8, 1, 2**63)), "ends too early"),
    "no UTF-8 in an array": (head(key("a", 9) + struct.pack("<IQQ", 8, 1, 1) + b"\xff"), "not UTF-8"),
}


@pytest.mark.parametrize("wanted", ["a", "b"])
@pytest.mark.parametrize("name", FAULTS)
def test_a_damaged_file_is_one_line(name: str, wanted: str, tmp_path: Path) -> None:
    data, reason = FAULTS[name]
    path = tmp_path / "x.gguf"
    path.write_bytes(data)
    if wanted == "b" and name.startswith("no UTF-8"):  # what is skipped is not looked at
        assert metadata(str(path), [wanted]) == {}
        return
    with pytest.raises(PromptlintError, match=reason) as caught:
        metadata(str(path), [wanted])
    assert "\n" not in str(caught.value)


def test_cut_short_anywhere(tmp_path: Path) -> None:
    whole = token_ggufs.gguf(VALUES).rstrip(b"\0")
    for size in range(0, len(whole) - 8, 3):
        path = tmp_path / "x.gguf"
        path.write_bytes(whole[:size])
        with pytest.raises(PromptlintError):
            metadata(str(path), (*VALUES, "more"))


def test_a_file_that_is_not_there() -> None:
    with pytest.raises(PromptlintError, match="No such file"):
        metadata("missing.gguf", ["a"])


def pairs(**other: Any) -> dict[str, Any]:
    return token_ggufs.ggml(**{"model": "gpt2", "pre": "gpt-2", "tokens": ["a", "b", "ab"], "merges": ["a b"], **other})


def pieces(tokens: Sequence[str] = ("a",), **other: Any) -> dict[str, Any]:
    bytes_ = [f"<0x{byte:02X}>" for byte in range(256)]
    return token_ggufs.ggml(**{"model": "llama", "tokens": [*tokens, *bytes_], **other})


REFUSED = {
    "no vocabulary": ({"general.name": "x"}, "without a vocabulary"),
    "t5": (token_ggufs.ggml(model="t5"), "of the kind 't5', which is not supported"),
    "gemma4": (token_ggufs.ggml(model="gemma4"), "'gemma4'"),
    "unknown split": (pairs(pre="viking"), "splits texts as 'viking', which is not supported"),
    "no split": (token_ggufs.ggml(model="gpt2", tokens=["a"]), "does not say how it splits texts"),
    "no tokens": (token_ggufs.ggml(model="gpt2", pre="gpt-2"), "it has no tokens"),
    "twice": (pairs(tokens=["a", "b", "b"]), "not unique"),
    "merges": (pairs(merges=["a c"]), "tokenizers cannot read it"),
    "half a merge": (pairs(merges=["ab"]), "tokenizers cannot read it"),
    "tokens as numbers": (pairs(tokens=[1, 2]), "not a list of the right kind"),
    "kinds as one number": (pairs(token_type=3), "not a list of the right kind"),
    "few kinds": (pairs(token_type=[1]), "fewer scores or kinds"),
    "few scores": (pieces(scores=[1.0]), "fewer scores or kinds"),
    "no bytes": (token_ggufs.ggml(model="llama", tokens=["a"]), "no token '<0x00>'"),
    "phi": ({**pieces(), "general.name": "Phi-3 mini"}, "Phi 3"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_supported_is_refused(name: str, tmp_path: Path) -> None:
    values, reason = REFUSED[name]
    with pytest.raises(PromptlintError, match=reason) as caught:
        opened(token_ggufs.gguf(values), tmp_path / "x.gguf")
    assert "\n" not in str(caught.value)
    assert caught.value.hint


def test_what_a_vocabulary_may_leave_out(tmp_path: Path) -> None:
    assert list(opened(token_ggufs.gguf(pairs()), tmp_path / "a.gguf").encode("ab a")) == [2, 0]
    tokenizer = opened(token_ggufs.gguf(pieces(["a", "b", "ab"])), tmp_path / "b.gguf")
    assert list(tokenizer.encode("ab")) == [3 + 0xE2, 3 + 0x96, 3 + 0x81, 2]


@pytest.mark.parametrize("kind", [2, 3, 4])
def test_special_tokens_by_their_kind(kind: int, tmp_path: Path) -> None:
    special = opened(token_ggufs.gguf(pairs(token_type=[1, 1, kind])), tmp_path / "a.gguf")
    assert special.added_tokens == {"ab"}
    ends = opened(token_ggufs.gguf(pairs(tokens=["a", "b", "</s>"], merges=[])), tmp_path / "b.gguf")
    assert list(ends.encode("a</s>b")) == [0, 2, 1]


def test_fuzzed_vocabularies_open_or_are_refused(tmp_path: Path) -> None:
    rng = random.Random(71)
    good = token_ggufs.gguf(pieces(["a", "b", "ab"], scores=[0.0] * 259, token_type=[1] * 259))
    refused = 0
    for _ in range(300):
        data = bytearray(good)
        for _ in range(rng.randint(1, 3)):
            place = rng.randrange(4, 400)
            data[place : place + rng.randint(0, 4)] = rng.randbytes(rng.randint(0, 4))
        refused += "\n" not in refusal(bytes(data), tmp_path / "x.gguf", token_texts.text(rng)[:20])
    assert refused > 100


def refusal(data: bytes, path: Path, text: str) -> str:
    try:
        opened(data, path).encode(text)
    except PromptlintError as error:
        return str(error)
    return "\n"
