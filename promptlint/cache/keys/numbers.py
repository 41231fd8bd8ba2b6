"""Token ids as machine numbers in one run of bytes."""

import sys
from array import array
from collections.abc import Sequence

from promptlint.errors import PromptlintError


def little_endian(code: str, ids: Sequence[int]) -> bytes:
    """`ids` as numbers of the type that the module `array` calls `code`, whatever machine this is.

    Raises PromptlintError for an id that does not fit.
    """
    return _written(code, ids, "little")


def big_endian(code: str, ids: Sequence[int]) -> bytes:
    """The same, the highest byte first."""
    return _written(code, ids, "big")


def _written(code: str, ids: Sequence[int], order: str) -> bytes:
    try:
        numbers = array(code, ids)
    except OverflowError:
        bits = array(code).itemsize * 8
        raise PromptlintError(f"a token id does not fit {bits} bits: {max(ids)}", "check the ids") from None
    if sys.byteorder != order:
        numbers.byteswap()
    return numbers.tobytes()
