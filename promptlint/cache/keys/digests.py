"""Hash functions by name. xxhash and BLAKE3 come with the extra `hash`."""

from collections.abc import Callable
from typing import Any, Protocol

from promptlint.errors import PromptlintError


class Hashed(Protocol):
    """What hashlib and xxhash make of bytes."""

    def digest(self) -> bytes: ...


New = Callable[[bytes], Hashed]


def xxhash() -> Any:
    """The module xxhash. Raises PromptlintError where it is not installed."""
    try:
        import xxhash as module
    except ImportError:
        raise _missing("xxhash") from None
    return module


def blake3() -> Any:
    """The function blake3. Raises PromptlintError where it is not installed."""
    try:
        from blake3 import blake3 as function
    except ImportError:
        raise _missing("blake3") from None
    return function


def _missing(name: str) -> PromptlintError:
    return PromptlintError(f"these keys need {name}, which is not installed", "pip install 'promptlint-cache[hash]'")
