"""Which vocabulary a model uses, and where vocabularies may lie: data/tokenizers.yaml as typed rows."""

import re
from typing import NamedTuple

from promptlint import facts

BUILT_IN = ("o200k_base", "o200k_harmony")  # these need no file


class Family(NamedTuple):
    """The vocabulary of some models."""

    tokenizer: str  # a name that --tokenizer takes, "" where only the files of a model hold its vocabulary
    models: str  # which they are
    get: str  # what gives the vocabulary to a user who lacks it; "" if it is built in
    source: str  # who says so


class Whereabouts(NamedTuple):
    """Where other software keeps a vocabulary."""

    kind: str
    cached: str  # name in tiktoken's cache folder, or ""
    packages: dict[str, str]  # importable package -> file inside it
    get: str
    tokens: int  # 0 where tokens/encodings.py has it, as well as the hash
    sha256: str


_MODEL_FILES = "--tokenizer with the model's folder, tokenizer.json, tekken.json or tokenizer.model"


def family_of(model: str) -> Family | None:
    """The family of a model id such as `gpt-4o-2024-05-13` or `Qwen/Qwen3-8B`; None if no public source names it."""
    rows, name = facts.table("tokenizers")["models"], model.lower()
    near = (row for row in rows if any(word in name for word in row["words"]))  # a pattern costs 0.2 ms to compile
    row = next((row for row in near if re.fullmatch(row["pattern"], name)), None)
    return row and _family(row)


def families() -> list[Family]:
    """All that are known."""
    return [_family(row) for row in facts.table("tokenizers")["models"]]


def _family(row: dict[str, str]) -> Family:
    name = row["tokenizer"]
    known = whereabouts(name)
    get = "" if name in BUILT_IN else known.get if known else _MODEL_FILES
    return Family(name, row["models"], get, row["source"])


def names() -> list[str]:
    """The vocabularies that have a name and are not built in."""
    return list(facts.table("tokenizers")["vocabularies"])


def whereabouts(name: str) -> Whereabouts | None:
    """None for a vocabulary that is built in, or has no such name."""
    row = facts.table("tokenizers")["vocabularies"].get(name)
    return row and Whereabouts(
        kind=row.get("kind", "tiktoken"),
        cached=row.get("cached", ""),
        packages=row["packages"],
        get=row["get"],
        tokens=row.get("tokens", 0),
        sha256=row.get("sha256", ""),
    )


def split_of(pre: str) -> str | None:
    """How llama.cpp splits the texts of a GGUF, from its `tokenizer.ggml.pre`; None if that is not known exactly."""
    names = facts.table("tokenizers")["splits"]["names"]
    return next((split for split, pres in names.items() if pre in pres), None)
