"""The common prefix of bytes, against a loop."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptlint.read.raw import common_prefix


@given(st.binary(), st.binary(), st.binary())
def test_equals_a_loop(shared: bytes, a: bytes, b: bytes) -> None:
    expected = next(
        (i for i, (x, y) in enumerate(zip(shared + a, shared + b, strict=False)) if x != y),
        len(shared + min(a, b, key=len)),
    )
    assert common_prefix(shared + a, shared + b) == expected
    assert common_prefix(shared + b, shared + a) == expected


@pytest.mark.parametrize("place", [0, 1, 4095, 4096, 4097, 12287, 12288, 262143, 999_998, 999_999])
def test_one_byte_differs(place: int) -> None:
    a = bytes(range(256)) * 3907
    b = a[:place] + bytes([a[place] ^ 1]) + a[place + 1 :]
    assert common_prefix(a, b) == common_prefix(b, a) == place
    assert common_prefix(a, a[:place]) == common_prefix(a[:place], a) == place
    assert common_prefix(a, bytes(a)) == len(a)
