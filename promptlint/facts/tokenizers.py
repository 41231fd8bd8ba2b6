"""Which vocabulary a model uses, and where vocabularies may lie: data/tokenizers.yaml as typed rows."""

import re
from typing import NamedTuple

from promptlint import facts


class Family(NamedTuple):
    """The vocabulary of some models."""

    tokenizer: str  # a name that --tokenizer takes, "" where only the files of a model hold its vocabulary
    get: str  # what gives the vocabulary to a user who lacks it
    source: str  # who says so


class Whereabouts(NamedTuple):
    """Where other software keeps the ranks of a vocabulary."""

    cached: str  # name in tiktoken's cache folder, or ""
    packages: dict[str, str]  # importable package -> file inside it
    get: str


_MODEL_FILES = "--tokenizer with the folder of the model (its tokenizer.json, tekken.json or tokenizer.model)"


def family_of(model: str) -> Family | None:
    """The family of a model id such as `gpt-4o-2024-05-13` or `Qwen/Qwen3-8B`; None if no public source names it."""
    for row in facts.table("tokenizers")["models"]:
        if re.fullmatch(row["pattern"], model.lower()):
            name = row["tokenizer"]
            known = whereabouts(name)
            return Family(name, known.get if known else "" if name else _MODEL_FILES, row["source"])
    return None


def whereabouts(name: str) -> Whereabouts | None:
    """None for a vocabulary that is built in, or that nobody else keeps under this name."""
    row = facts.table("tokenizers")["vocabularies"].get(name)
    return row and Whereabouts(row.get("cached", ""), row["packages"], row["get"])


def models_of(name: str) -> tuple[str, ...]:
    """The patterns of the models that use a vocabulary."""
    return tuple(row["pattern"] for row in facts.table("tokenizers")["models"] if row["tokenizer"] == name)


def split_of(pre: str) -> str | None:
    """How llama.cpp splits the texts of a GGUF, from its `tokenizer.ggml.pre`; None if that is not known exactly."""
    names = facts.table("tokenizers")["splits"]["names"]
    return next((split for split, pres in names.items() if pre in pres), None)
