"""Vocabularies that other software has left on this machine.

Nothing is downloaded, written or removed, and none of that software is asked: tiktoken deletes a cached file that it
does not like before it tries the network.
"""

import os
import zlib
from collections.abc import Iterator
from typing import NamedTuple

from promptlint.errors import PromptlintError
from promptlint.facts.tokenizers import whereabouts
from promptlint.tokens.recognise import LARGEST


class Found(NamedTuple):
    """A file that should hold a vocabulary; its hash has not been looked at."""

    path: str
    keeper: str  # what put it there


_HINT = "replace it, or give a file with --tokenizer"


def find(name: str) -> Found | None:
    """The first place that has a file for the vocabulary `name`."""
    return next((found for found in _places(name) if os.path.isfile(found.path)), None)


def read_checked(name: str, found: Found) -> bytes:
    """The vocabulary `name`, unpacked. PromptlintError if the file cannot be read, or is not the official one."""
    from hashlib import sha256

    data = _read(found.path)
    if sha256(data).hexdigest() != digest_of(name):
        raise PromptlintError(f"{found.path}: not the official file of {name}: damaged, or another", _HINT)
    return data


def digest_of(name: str) -> str:
    """The SHA-256 that the vocabulary `name` must have."""
    from promptlint.tokens.encodings import ENCODINGS

    known = whereabouts(name)
    return ENCODINGS[name].sha256 if name in ENCODINGS else known.sha256 if known else ""


def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            data = file.read(LARGEST)
        if not path.endswith(".gz"):
            return data
        return zlib.decompressobj(wbits=31).decompress(data, LARGEST)
    except (OSError, zlib.error) as error:
        raise PromptlintError(f"{path}: {error}", _HINT) from None


def _places(name: str) -> Iterator[Found]:
    known = whereabouts(name)
    if known is None:
        return
    if known.cached:
        folder = os.environ.get("TIKTOKEN_ENCODINGS_BASE")
        if folder:
            yield Found(os.path.join(folder, f"{name}.tiktoken"), "TIKTOKEN_ENCODINGS_BASE")
        yield from (Found(os.path.join(cache, known.cached), keeper) for cache, keeper in _cache())
    for package, file in known.packages.items():
        yield from (Found(os.path.join(root, file), package) for root in _package(package))


def _cache() -> Iterator[tuple[str, str]]:
    """The folder in which tiktoken keeps what it has downloaded. An empty setting turns its cache off."""
    for variable in ("TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR"):
        if variable in os.environ:
            if os.environ[variable]:
                yield os.environ[variable], variable
            return
    from tempfile import gettempdir

    yield os.path.join(gettempdir(), "data-gym-cache"), "tiktoken's cache"


def _package(name: str) -> list[str]:
    """The folder of an installed package, which is not imported."""
    from importlib.util import find_spec

    try:
        spec = find_spec(name)
    except (ImportError, ValueError):
        return []
    return list(spec.submodule_search_locations or ()) if spec else []
