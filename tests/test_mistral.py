"""Mistral against mistral-common: ids, spellings, safe cuts, and what a bad file gives."""

import base64
import importlib.resources
import io
import json
import random
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import sentencepiece
from mistral_common.tokens.tokenizers.base import SpecialTokenPolicy
from mistral_common.tokens.tokenizers.mistral import MistralTokenizer
from mistral_common.tokens.tokenizers.tekken import Tekkenizer

import token_laws
import token_texts
from promptlint.errors import PromptlintError
from promptlint.tokens.interface import Tokenizer
from promptlint.tokens.mistral import open_mistral
from promptlint.tokens.patterns import SPLIT_PATTERNS
from promptlint.tokens.tekken import Tekken

DATA = Path(str(importlib.resources.files("mistral_common") / "data"))
SENTENCE_PIECE = (
    "tokenizer.model.v1",
    "mistral_instruct_tokenizer_240216.model.v2",
    "mistral_instruct_tokenizer_240323.model.v3",
    "mistral_instruct_tokenizer_241114.model.v7",
)
TEKKEN = ("tekken_240718.json", "tekken_240911.json")


@cache
def opened(path: str) -> Any:
    return MistralTokenizer.from_file(path)


@cache
def both(name: str) -> tuple[Tokenizer, Any]:
    """Ours, and mistral-common's text tokenizer."""
    path = DATA / name
    reference = opened(str(path)).instruct_tokenizer.tokenizer
    return open_mistral(str(path), path.read_bytes()), reference


def texts(count: int, seed: int = 17) -> list[str]:
    rng = random.Random(seed)
    look_alikes = [
        "",
        " ",
        "  two",
        "<s>[INST] a [/INST]</s>",
        "[TOOL_CALLS]",
        "<unk>",
        "\u2581a \u2581",
        "\x00",
        "\ufeffa",
    ]
    return look_alikes + [token_texts.text(rng) for _ in range(count - len(look_alikes))]


@pytest.mark.parametrize("name", [*SENTENCE_PIECE, *TEKKEN])
def test_ids_are_those_of_mistral_common(name: str) -> None:
    ours, reference = both(name)
    for text in texts(400):
        expected = reference.encode(text, bos=False, eos=False)
        assert list(ours.encode(text)) == expected
        assert ours.count(text) == len(expected)


def test_known_ids() -> None:
    assert both("tokenizer.model.v1")[0].encode("hello world") == [6312, 28709, 1526]
    assert both("tekken_240911.json")[0].encode("hello world") == [29706, 4304]


@pytest.mark.parametrize("name", SENTENCE_PIECE)
def test_a_sentence_piece_token_stands_for_its_bytes(name: str) -> None:
    ours, reference = both(name)
    for text in texts(100):
        ids = ours.encode(text)
        assert ours.decode(ids) == (" " + text if text else "").replace("\u2581", " ").encode()
        assert ours.decode(ids)[1:].decode() == reference.decode(ids)
    assert ours.decode([1, *ours.encode("a"), 2]) == b"<s> a</s>"


@pytest.mark.parametrize("name", SENTENCE_PIECE)
def test_a_sentence_piece_token_starts_at_its_byte(name: str) -> None:
    ours, _ = both(name)
    text = "héllo  wörld 中文 😀\ue000!"
    ids = ours.encode(text)
    starts = [ours.start(text, index) for index in range(len(ids) + 1)]
    assert starts == sorted(starts)
    assert (starts[0], starts[-1]) == (0, len(text.encode()))
    for index, start in enumerate(starts):
        before = ours.decode(ids[:index])[1:]
        assert before.startswith(text.encode()[:start])
        assert len(before) - start < 4, "no further back than the begin of the character"


@pytest.mark.parametrize("name", TEKKEN)
def test_a_tekken_token_stands_for_its_bytes(name: str) -> None:
    ours, reference = both(name)
    for text in texts(100):
        ids = ours.encode(text)
        assert ours.decode(ids) == text.encode()
        assert ours.start(text, len(ids)) == len(text.encode())
    keep = SpecialTokenPolicy.KEEP
    for number in [*range(1000), 1000, 1255, 5000, 131071]:
        assert ours.decode([number]) == reference.id_to_byte_piece(number, special_token_policy=keep)


@pytest.mark.parametrize("name", TEKKEN)
def test_safe_cuts_of_tekken(name: str) -> None:
    ours, reference = both(name)
    assert ours.has_cuts
    assert token_laws.fuzz(ours, lambda text: reference.encode(text, bos=False, eos=False), 2000, seed=23) > 500


def test_sentence_piece_has_no_safe_cuts() -> None:
    """Even behind white space: the parts each get a space of their own."""
    ours, _ = both(SENTENCE_PIECE[0])
    assert not ours.has_cuts
    assert not any(ours.is_cut("one two", c) for c in range(8))
    assert [*ours.encode("one"), *ours.encode(" two")] != ours.encode("one two")
    assert "whole texts" in ours.notes[0]
    assert ours.added_tokens == frozenset()


def tekken(**changes: Any) -> bytes:
    """A small tekken.json with some of its members replaced."""
    tokens = [bytes([byte]) for byte in range(256)] + [b"he", b"ll", b" w", b"hell"]
    vocab = [{"rank": i, "token_bytes": base64.b64encode(t).decode(), "token_str": None} for i, t in enumerate(tokens)]
    config = {"pattern": list(SPLIT_PATTERNS)[1], "num_vocab_tokens": len(vocab), "default_vocab_size": len(vocab) + 20}
    config |= {"default_num_special_tokens": 20, "version": "v3"} | changes.pop("config", {})
    return json.dumps({"config": config, "vocab": vocab} | changes).encode()


def test_listed_control_tokens(tmp_path: Path) -> None:
    """As mistral-common spells them: those of the file, then numbered ones."""
    listed = [
        {"rank": i, "token_str": name, "is_control": True} for i, name in enumerate(("<unk>", "<s>", "</s>", "[X]"))
    ]
    path = tmp_path / "tekken.json"
    for special in (listed, None):
        path.write_bytes(tekken(special_tokens=special))
        ours, reference = open_mistral(str(path), path.read_bytes()), Tekkenizer.from_file(path)
        for number in range(20):
            spelled = reference.id_to_byte_piece(number, special_token_policy=SpecialTokenPolicy.KEEP)
            assert ours.decode([number]) == spelled
        assert list(ours.encode("hello world")) == reference.encode("hello world", bos=False, eos=False)
        assert open_mistral("no name says it", tekken()).encode("he") == [276]


BAD: dict[str, tuple[bytes, str]] = {
    "empty.model": (b"", "no SentencePiece model"),
    "text.model": (b"hello world\n", "sentencepiece cannot read it"),
    "cut.model.v3": ((DATA / SENTENCE_PIECE[2]).read_bytes()[:-200_000], "sentencepiece cannot read it"),
    "no_pieces.model": (b"\x1a\x0a\x0a\x08identity", "sentencepiece cannot read it"),
    "empty.json": (b"", "not a tekken.json"),
    "cut.json": (tekken()[:-2000], "not a tekken.json"),
    "deep.json": (b'{"vocab": ' + b"[" * 100_000, "not a tekken.json"),
    "other.json": (b'{"model": {"type": "BPE"}}', "it has no 'config'"),
    "list.json": (b"[1, 2]", "not a tekken.json"),
    "no_vocab.json": (tekken(vocab=5), "not a tekken.json"),
    "short.json": (tekken(vocab=[]), "do not make"),
    "one_token.json": (
        tekken(vocab=[{"rank": 0, "token_bytes": "AA=="}], config={"default_vocab_size": 21}),
        "256 bytes",
    ),
    "no_base64.json": (tekken(vocab=[{"rank": 0, "token_bytes": "\u00e9"}] * 260), "not a tekken.json"),
    "same.json": (tekken(vocab=[{"rank": 0, "token_bytes": "AA=="}] * 260), "not unique"),
    "many_control.json": (
        tekken(config={"default_num_special_tokens": 10**9, "default_vocab_size": 10**9}),
        "do not make",
    ),
    "float.json": (tekken(config={"default_vocab_size": float("inf")}), "not a tekken.json"),
    "outside.json": (tekken(special_tokens=[{"rank": 99, "token_str": "<s>"}]), "outside their range"),
    "surrogate.json": (tekken(special_tokens=[{"rank": 0, "token_str": "\ud800"}]), "not a tekken.json"),
    "nameless.json": (tekken(special_tokens=[{"rank": 0}]), "it has no 'token_str'"),
    "pattern.json": (tekken(config={"pattern": "(?:(?=a)a+)+$"}), "an unknown pattern"),
    "no_pattern.json": (tekken(config={"pattern": None}), "an unknown pattern"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_file_is_one_line(name: str) -> None:
    data, reason = BAD[name]
    with pytest.raises(PromptlintError, match=reason) as caught:
        open_mistral(name, data)
    assert caught.value.message.startswith(f"{name}: ")
    assert caught.value.hint
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["x.json", "x.model"])
def test_a_huge_file_is_not_read(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("promptlint.tokens.mistral.LARGEST", 1000)
    with pytest.raises(PromptlintError, match="1,001 bytes, more than any vocabulary"):
        open_mistral(name, b"{" * 1001)


def test_a_file_broken_anywhere_is_one_line() -> None:
    """Seeded damage: it opens and can be used, or it is refused with one line."""
    rng = random.Random(29)
    model = (DATA / SENTENCE_PIECE[2]).read_bytes()
    refusals = [_refusal(open_mistral, "damaged.model", _damage(rng, model)) for _ in range(60)]
    refusals += [_refusal(open_mistral, "damaged.json", _damage(rng, tekken())) for _ in range(200)]
    assert sum(map(bool, refusals)) > 100
    assert not any("\n" in refusal for refusal in refusals)


def _damage(rng: random.Random, good: bytes) -> bytes:
    data = bytearray(good)
    for _ in range(rng.randint(1, 4)):
        place = rng.randrange(len(data))
        data[place : place + rng.randint(0, 9)] = rng.choice((b"", b"null", b'"', b"{}", b"-1", b"\xff", b"\x00\x01"))
    return bytes(data)


def _refusal(opened: Callable[[str, bytes], Tokenizer], name: str, data: bytes) -> str:
    try:
        tokenizer = opened(name, data)
    except PromptlintError as error:
        return str(error)
    tokenizer.decode(tokenizer.encode("one two"))
    return ""


@pytest.mark.parametrize("unknown", [-1, 2**20, 2**40, 2**70])
@pytest.mark.parametrize("name", [SENTENCE_PIECE[0], TEKKEN[0]])
def test_an_unknown_id_is_one_line(name: str, unknown: int) -> None:
    with pytest.raises(PromptlintError, match=f"no token has the id {unknown}") as caught:
        both(name)[0].decode([5, unknown])
    assert "--tokenizer" in caught.value.hint


def test_a_run_of_white_space_that_the_library_cannot_take() -> None:
    for use in (both(TEKKEN[0])[0].encode, both(TEKKEN[0])[0].count):
        with pytest.raises(PromptlintError, match="white-space"):
            use("a" + " " * 500_001)


def test_without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """tekken needs none of it; a SentencePiece model says which."""
    monkeypatch.setitem(sys.modules, "sentencepiece", None)
    monkeypatch.setitem(sys.modules, "mistral_common", None)
    assert isinstance(open_mistral("tekken.json", tekken()), Tekken)
    with pytest.raises(PromptlintError) as caught:
        open_mistral("tokenizer.model", b"\n")
    assert caught.value.hint == "pip install 'promptlint-cache[mistral]'"


def test_a_model_that_normalizes() -> None:
    """Not Mistral's: NFKC, no space before the text, unknown characters. `start` counts in the text as it was given."""
    rng, model = random.Random(31), io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter([token_texts.natural(rng, 200) for _ in range(200)]),
        model_writer=model,
        vocab_size=300,
        add_dummy_prefix=False,
        user_defined_symbols=["<mine>", "two\u2581words"],
        minloglevel=2,
    )
    ours = open_mistral("tokenizer.model", model.getvalue())
    reference = sentencepiece.SentencePieceProcessor(model_proto=model.getvalue())
    for text in texts(50):
        assert list(ours.encode(text)) == reference.encode(text)
    assert ours.added_tokens == {"<mine>", "two words"}
    assert all(len(ours.encode(token)) == 1 for token in ours.added_tokens)
    ids = ours.encode("\u2460 one \U000f0000")
    assert ours.decode(ids) == b"1 one <unk>"
    starts = [ours.start("\u2460 one \U000f0000", index) for index in range(len(ids) + 1)]
    assert starts[:2] == [0, 3]
    assert starts[-2:] == [8, 12]
