"""Canonical CBOR (RFC 8949, 4.2.1) of what keys are made of: None, whole numbers, bytes, texts and tuples of these."""

from collections.abc import Iterable
from typing import TypeAlias

Value: TypeAlias = "int | str | bytes | tuple[Value, ...] | None"
_NULL = b"\xf6"
_WHOLE, _NEGATIVE, BYTES, _TEXT, ARRAY = range(5)


def wholes(numbers: Iterable[int]) -> dict[int, bytes]:
    """Whole numbers from 0 on as they are written, each worked out once: a long prompt repeats its tokens."""
    return {number: head(_WHOLE, number) for number in set(numbers)}


def head(kind: int, number: int) -> bytes:
    """The kind of a value and its number, in as few bytes as possible."""
    if number < 24:
        return bytes(((kind << 5) | number,))
    for code, size in ((24, 1), (25, 2), (26, 4), (27, 8)):
        if number < 1 << (8 * size):
            return bytes(((kind << 5) | code,)) + number.to_bytes(size, "big")
    return _large(kind, number)


def _large(kind: int, number: int) -> bytes:
    """A number of more than 64 bits: tag 2 or 3, and its bytes."""
    data = number.to_bytes((number.bit_length() + 7) // 8, "big")
    return bytes((0xC2 if kind == _WHOLE else 0xC3,)) + head(BYTES, len(data)) + data


def dumps(value: Value) -> bytes:
    """`value` as canonical CBOR."""
    if value is None:
        return _NULL
    if isinstance(value, int):
        return head(_WHOLE, value) if value >= 0 else head(_NEGATIVE, -1 - value)
    if isinstance(value, bytes):
        return head(BYTES, len(value)) + value
    if isinstance(value, str):
        data = value.encode()
        return head(_TEXT, len(data)) + data
    return head(ARRAY, len(value)) + b"".join(map(dumps, value))
