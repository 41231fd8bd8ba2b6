"""Vocabularies that the user gives: tokenizer.json and *.tiktoken files, good and bad."""

import json
import random
from pathlib import Path

import pytest
from tokenizers import Tokenizer as Reference

import token_texts
import token_vocabularies as vocabularies
from promptlint.errors import PromptlintError
from promptlint.tokens import open_tokenizer
from promptlint.tokens.raw_bytes import RawBytes
from promptlint.tokens.tokenizer_json import TokenizerJson

SHA256_CL100K = "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7"


def texts(count: int) -> list[str]:
    rng = random.Random(17)
    return [token_texts.text(rng) for _ in range(count)]


def test_a_tokenizer_json_is_what_the_library_says() -> None:
    path = vocabularies.deepseek_path()
    tokenizer, reference = open_tokenizer(str(path)), Reference.from_file(str(path))
    for text in texts(400):
        encoding = reference.encode(text, add_special_tokens=False)
        assert list(tokenizer.encode(text)) == encoding.ids
        assert tokenizer.count(text) == len(encoding.ids)
        assert tokenizer.decode(encoding.ids) == reference.decode(encoding.ids, skip_special_tokens=False).encode()
    assert tokenizer.encode("hello world") == [33310, 2058]
    assert tokenizer.notes == ()


def test_no_markers_truncation_or_padding() -> None:
    template = {
        "type": "TemplateProcessing",
        "single": [{"SpecialToken": {"id": "<unk>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
        "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
        "special_tokens": {"<unk>": {"id": "<unk>", "ids": [0], "tokens": ["<unk>"]}},
    }
    limits = {
        "truncation": {"direction": "Right", "max_length": 3, "strategy": "LongestFirst", "stride": 0},
        "padding": {"strategy": {"Fixed": 9}, "direction": "Right", "pad_to_multiple_of": None, "pad_id": 0}
        | {"pad_type_id": 0, "pad_token": "<unk>"},
    }
    plain = vocabularies.trained("byte_level")
    data = vocabularies.with_declarations(plain, post_processor=template, **limits)
    assert len(Reference.from_buffer(data).encode("one two three four five six").ids) != 0
    for text in ("", "a", "one two three four five six seven"):
        expected = Reference.from_buffer(plain).encode(text, add_special_tokens=False).ids
        assert TokenizerJson("x", data).encode(text) == expected


def test_a_token_starts_at_its_byte() -> None:
    tokenizer = open_tokenizer(str(vocabularies.deepseek_path()))
    text = "héllo  wörld 中文"
    ids = tokenizer.encode(text)
    starts = [tokenizer.start(text, index) for index in range(len(ids) + 1)]
    assert starts == [len(tokenizer.decode(ids[:index])) for index in range(len(ids) + 1)]
    assert starts[-1] == len(text.encode())


@pytest.mark.parametrize("form", ["official", "windows", "shuffled"])
def test_a_tiktoken_file_is_recognised_by_its_ranks(form: str, tmp_path: Path) -> None:
    data = vocabularies.official_ranks("cl100k_base")
    lines = data.splitlines()
    random.Random(1).shuffle(lines)
    path = tmp_path / "vocabulary.tiktoken"
    path.write_bytes({"official": data, "windows": data.replace(b"\n", b"\r\n"), "shuffled": b"\n".join(lines)}[form])
    tokenizer, reference = open_tokenizer(str(path)), vocabularies.reference("cl100k_base")
    assert tokenizer.encode("hello world") == [15339, 1917]
    for text in texts(200):
        ids = tokenizer.encode(text)
        assert ids == reference.encode_ordinary(text)
        assert tokenizer.decode(ids) == text.encode()
    assert (tokenizer.digest == SHA256_CL100K) is (form == "official")


def test_the_official_o200k_file_is_the_embedded_vocabulary(tmp_path: Path) -> None:
    path = tmp_path / "o200k_base.tiktoken"
    path.write_bytes(vocabularies.official_ranks("o200k_base"))
    given, embedded = open_tokenizer(str(path)), open_tokenizer(None)
    assert given.digest == embedded.digest
    for text in texts(100):
        assert list(given.encode(text)) == list(embedded.encode(text))


@pytest.mark.parametrize("unknown", [-1, 2**20, 2**40])
@pytest.mark.parametrize("name", ["o200k", "cl100k", "deepseek", "bytes"])
def test_an_unknown_id_is_one_line(name: str, unknown: int) -> None:
    tokenizer = RawBytes() if name == "bytes" else vocabularies.pair(name)[0]
    with pytest.raises(PromptlintError) as caught:
        tokenizer.decode([5, unknown])
    assert "--tokenizer" in caught.value.hint
    assert "\n" not in str(caught.value)


BAD = {
    "empty.json": (b"", "no vocabulary that promptlint knows"),
    "truncated.json": (b'{"model": {"type": "BPE", "vocab": {"a": 0', "not JSON"),
    "deep.json": (b"[" * 100_000, "not JSON"),
    "binary.json": (b"\x89PNG\r\n\x1a\n\x00\xff", "no vocabulary that promptlint knows"),
    "list.json": (b"[1, 2]", "no tokenizer.json"),
    "config.json": (b'{"model_type": "llama"}', "no tokenizer.json"),
    "number.json": (b'{"model": 5}', "no tokenizer.json"),
    "hollow.json": (b'{"model": {}}', "tokenizers cannot read it"),
    "merges.json": (b'{"model": {"type": "BPE", "vocab": {"a": 0}, "merges": [["a", "b"]]}}', "tokenizers cannot read"),
    "dropout.json": (b'{"model": {"type": "BPE", "dropout": 0.1, "vocab": {}, "merges": []}}', "drawn by chance"),
    "empty.tiktoken": (b"", "no vocabulary that promptlint knows"),
    "words.tiktoken": (b"hello world\n", "no vocabulary that promptlint knows"),
    "unknown.tiktoken": (b"IQ== 0\nIg== 1\n", "not one of o200k_base, o200k_harmony, cl100k_base, p50k_base"),
    "truncated.tiktoken": (b"IQ== 0\nIg==", "not a .tiktoken file"),
    "negative.tiktoken": (b"IQ== 0\nIg== -1\n", "not one of"),
    "words-later.tiktoken": (b"IQ== 0\nhello world again\n", "not a .tiktoken file"),
    "safetensors": (b"\x10\x00\x00\x00\x00\x00\x00\x00{}", "no vocabulary that promptlint knows"),
    "gguf-name.gguf": (b'{"model": {}}', "tokenizers cannot read it"),
}
HINTS = {
    '{"tokenizer_class": "LlamaTokenizer"}': "this is a tokenizer_config.json: give the tokenizer.json beside it",
    '{"chat_template": "{{ messages }}"}': "this is a tokenizer_config.json: give the tokenizer.json beside it",
    '{"architectures": ["LlamaForCausalLM"], "model_type": "llama"}': "this is a model's config.json",
    '{"hello": 0, "world": 1}': "this is a vocab.json, without the merges",
    '{"messages": []}': "give a tokenizer.json, a .tiktoken file",
    "[]": "give a tokenizer.json, a .tiktoken file",
}


@pytest.mark.parametrize("text", HINTS)
def test_another_file_of_the_model_is_named(text: str, tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_text(text)
    with pytest.raises(PromptlintError) as caught:
        open_tokenizer(str(path))
    assert HINTS[text] in caught.value.hint


@pytest.mark.parametrize("name", BAD)
def test_a_bad_file_is_one_line(name: str, tmp_path: Path) -> None:
    data, reason = BAD[name]
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(PromptlintError, match=reason) as caught:
        open_tokenizer(str(path))
    assert "\n" not in str(caught.value)
    assert str(path) in caught.value.message
    assert caught.value.hint


@pytest.mark.parametrize("spec", ["missing.json", "cl100k", "", "a\x00b"])
def test_no_such_file(spec: str) -> None:
    with pytest.raises(PromptlintError, match="neither a known tokenizer nor a file"):
        open_tokenizer(spec)


def test_the_vocabulary_of_a_folder(tmp_path: Path) -> None:
    with pytest.raises(PromptlintError, match="no vocabulary in this folder"):
        open_tokenizer(str(tmp_path))
    (tmp_path / "config.json").write_text("{}")
    (tmp_path / "old.tiktoken").write_bytes(vocabularies.official_ranks("cl100k_base"))
    assert open_tokenizer(str(tmp_path)).name == str(tmp_path / "old.tiktoken")
    (tmp_path / "tokenizer.json").write_bytes(vocabularies.trained("byte_level"))
    assert open_tokenizer(str(tmp_path)).name == str(tmp_path / "tokenizer.json")


def test_a_folder_with_several_of_a_kind(tmp_path: Path) -> None:
    for name in ("a.tiktoken", "b.tiktoken"):
        (tmp_path / name).write_bytes(b"")
    with pytest.raises(PromptlintError, match=r"2 vocabularies, such as a.tiktoken; give one by its path"):
        open_tokenizer(str(tmp_path))


def test_the_content_decides_not_the_name(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.model"
    path.write_bytes(vocabularies.official_ranks("cl100k_base"))
    assert open_tokenizer(str(path)).encode("hello world") == [15339, 1917]
    path.write_bytes(b"\n " + vocabularies.trained("byte_level"))
    assert open_tokenizer(str(path)).encode("a") == vocabularies.by_library(vocabularies.trained("byte_level"))("a")


def test_a_file_that_is_no_file() -> None:
    with pytest.raises(PromptlintError, match="neither a regular file nor a folder"):
        open_tokenizer("/dev/null")


def test_a_tokenizer_json_broken_anywhere_is_one_line() -> None:
    """Seeded damage to a good file: it opens, or it is refused with one line."""
    rng = random.Random(19)
    good = vocabularies.trained("byte_level")
    damaged = [_damage(rng, good) for _ in range(150)]
    for key, member in json.loads(good).items():
        for value in (None, [], {}, 0, "x", [member], {"type": "Sequence"}):
            damaged.append(vocabularies.with_declarations(good, **{key: value}))
    refusals = [refusal for data in damaged if (refusal := _refusal(data))]
    assert len(refusals) > 150
    assert not any("\n" in refusal for refusal in refusals)


def _damage(rng: random.Random, good: bytes) -> bytes:
    data = bytearray(good)
    for _ in range(rng.randint(1, 4)):
        place = rng.randrange(3000)
        data[place : place + rng.randint(0, 9)] = rng.choice((b"", b"null", b'"', b"{}", b"[]", b"-1", b"\xff"))
    return bytes(data)


def _refusal(data: bytes) -> str:
    try:
        TokenizerJson("damaged.json", data).is_cut("a b", 1)
    except PromptlintError as error:
        return str(error)
    return ""
