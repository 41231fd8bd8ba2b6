"""Ranks that other software has left on this machine. Nothing is downloaded, written or removed, and none of that
software is asked: tiktoken deletes a cached file that it does not like before it tries the network.
"""

import os
from collections.abc import Iterator
from typing import NamedTuple

from promptlint.errors import PromptlintError
from promptlint.facts.tokenizers import whereabouts


class Found(NamedTuple):
    """A file that should hold the ranks of a vocabulary; its hash has not been looked at."""

    path: str
    keeper: str  # what put it there


def find(name: str) -> Found | None:
    """The first place that has a file for the vocabulary `name`."""
    return next((found for found in _places(name) if os.path.isfile(found.path)), None)


def read(path: str) -> bytes:
    """The bytes of a file of ranks, unpacked. PromptlintError if it cannot be read."""
    try:
        with open(path, "rb") as file:
            data = file.read()
        if not path.endswith(".gz"):
            return data
        from gzip import decompress

        return decompress(data)
    except (OSError, EOFError) as error:
        raise PromptlintError(f"{path}: {error}", "replace it, or give another file with --tokenizer") from None


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
