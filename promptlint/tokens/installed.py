"""Vocabularies that other software has left on this machine.

Nothing is downloaded, written or removed, and none of that software is asked: tiktoken deletes a cached file that it
does not like before it tries the network.
"""

import os
import zlib
from collections.abc import Iterator

from promptlint.errors import PromptlintError
from promptlint.facts.tokenizers import whereabouts
from promptlint.tokens.recognise import LARGEST

_HINT = "replace it, or give a file with --tokenizer"


def find(name: str) -> str | None:
    """The path of the first file that should hold the vocabulary `name`; its hash has not been looked at."""
    return next(filter(os.path.isfile, _places(name)), None)


def read_checked(name: str, path: str) -> bytes:
    """The vocabulary `name`, unpacked. PromptlintError if the file cannot be read, or is not the official one."""
    from hashlib import sha256

    data = _read(path)
    if sha256(data).hexdigest() != digest_of(name):
        raise PromptlintError(f"{path}: not the official file of {name}: damaged, or another", _HINT)
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


def _places(name: str) -> Iterator[str]:
    known = whereabouts(name)
    if known is None:
        return
    if known.cached:
        folder = os.environ.get("TIKTOKEN_ENCODINGS_BASE")
        if folder:
            yield os.path.join(folder, f"{name}.tiktoken")
        cache = _cache()
        if cache:
            yield os.path.join(cache, known.cached)
    for package, file in known.packages.items():
        yield from (os.path.join(root, file) for root in _package(package))


def _cache() -> str:
    """The folder in which tiktoken keeps what it has downloaded. An empty setting turns its cache off."""
    for variable in ("TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR"):
        if variable in os.environ:
            return os.environ[variable]
    from tempfile import gettempdir

    return os.path.join(gettempdir(), "data-gym-cache")


def _package(name: str) -> list[str]:
    """The folder of an installed package, which is not imported."""
    from importlib.util import find_spec

    try:
        spec = find_spec(name)
    except (ImportError, ValueError):
        return []
    return list(spec.submodule_search_locations or ()) if spec else []
