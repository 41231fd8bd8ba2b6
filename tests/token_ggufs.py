"""GGUF files made in memory, with a vocabulary and, for llama.cpp to accept them, a model of zeros."""

import json
import math
import struct
from collections.abc import Mapping, Sequence
from typing import Any

import token_vocabularies as vocabularies

WIDTH = 32  # of the model
MODEL: dict[str, Any] = {
    "general.architecture": "llama",
    "llama.block_count": 1,
    "llama.context_length": 512,
    "llama.embedding_length": WIDTH,
    "llama.feed_forward_length": WIDTH,
    "llama.attention.head_count": 2,
    "llama.rope.dimension_count": 16,
    "llama.attention.layer_norm_rms_epsilon": 1e-5,
}
_KINDS = {bool: (7, "?"), int: (4, "I"), float: (6, "f")}


def gguf(values: Mapping[str, Any], tensors: Mapping[str, Sequence[int]] | None = None, version: int = 3) -> bytes:
    """A file with these metadata, and float tensors of these shapes, all zeros."""
    tensors = tensors or {}
    head = b"GGUF" + struct.pack("<IQQ", version, len(tensors), len(values))
    head += b"".join(string(name) + _value(value) for name, value in values.items())
    size = 0
    for name, shape in tensors.items():
        head += string(name) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, 0, size)
        size += math.ceil(4 * math.prod(shape) / 32) * 32
    return head + bytes(-len(head) % 32) + bytes(size)


def string(text: str) -> bytes:
    data = text.encode()
    return struct.pack("<Q", len(data)) + data


def _value(value: Any) -> bytes:
    if isinstance(value, str):
        return struct.pack("<I", 8) + string(value)
    if not isinstance(value, list):
        kind, form = _KINDS[type(value)]
        return struct.pack("<I" + form, kind, value)
    if value and isinstance(value[0], str):
        return struct.pack("<IIQ", 9, 8, len(value)) + b"".join(map(string, value))
    kind, form = (6, "f") if value and isinstance(value[0], float) else (5, "i")
    return struct.pack(f"<IIQ{len(value)}{form}", 9, kind, len(value), *value)


def byte_pairs(pre: str, **other: Any) -> dict[str, Any]:
    """The metadata of a small vocabulary of byte pairs."""
    config = json.loads(vocabularies.trained("byte_level"))
    tokens = sorted(config["model"]["vocab"], key=config["model"]["vocab"].__getitem__)
    special = {token["content"] for token in config["added_tokens"]}
    return ggml(
        model="gpt2",
        pre=pre,
        tokens=tokens,
        token_type=[3 if token in special else 1 for token in tokens],
        merges=[" ".join(merge) for merge in config["model"]["merges"]],
        **other,
    )


def scored(**other: Any) -> dict[str, Any]:
    """The metadata of a small SentencePiece vocabulary: what is longer and rarer scores less."""
    vocab: dict[str, int] = json.loads(vocabularies.trained("metaspace"))["model"]["vocab"]
    tokens = sorted(vocab, key=vocab.__getitem__)
    kinds = [2 if token == "<unk>" else 6 if token.startswith("<0x") else 3 if "|" in token and len(token) > 1 else 1
             for token in tokens]  # fmt: skip
    return ggml(
        model="llama",
        pre="default",
        tokens=tokens,
        token_type=kinds,
        scores=[-float(rank // 3) for rank in range(len(tokens))],  # every score three times, so that ties decide
        **other,
    )


def ggml(**values: Any) -> dict[str, Any]:
    return {f"tokenizer.ggml.{name}": value for name, value in values.items()}


def loadable(metadata: Mapping[str, Any]) -> bytes:
    """The same with a model that llama.cpp accepts."""
    size = len(metadata["tokenizer.ggml.tokens"])
    square, row = (WIDTH, WIDTH), (WIDTH,)
    names = ("attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down")
    tensors = {
        "token_embd.weight": (WIDTH, size),
        "output_norm.weight": row,
        "blk.0.attn_norm.weight": row,
        "blk.0.ffn_norm.weight": row,
        **{f"blk.0.{name}.weight": square for name in names},
    }
    return gguf({**MODEL, **metadata, "tokenizer.ggml.bos_token_id": 0, "tokenizer.ggml.eos_token_id": 1}, tensors)
