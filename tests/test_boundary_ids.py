"""Two lists of token ids: what the changes are called and how they are told."""

from collections.abc import Sequence

import pytest

from promptlint.boundary.ids import id_differences

LISTS = {
    "one leading token": ([1, 5, 6, 7], [5, 6, 7], ("bos-mismatch", "1 leading token on one side only")),
    "two leading tokens": ([5, 6, 7], [1, 2, 5, 6, 7], ("bos-mismatch", "2 leading tokens on one side only")),
    "one more": ([5, 6], [5, 6, 7], ("turn-appended", "1 token appended")),
    "two more": ([5, 6], [5, 6, 7, 8], ("turn-appended", "2 tokens appended")),
    "one less": ([5, 6, 7], [5, 6], ("turn-appended", "the second list is the first without its last 1 token")),
    "one for two": ([5, 6, 7, 8], [5, 9, 8], ("text-edited", "2 tokens became 1")),
    "two for one": ([5, 6, 8], [5, 9, 7, 8], ("text-edited", "1 token became 2")),
}


@pytest.mark.parametrize(("a", "b", "expected"), LISTS.values(), ids=LISTS)
def test_a_change(a: list[int], b: list[int], expected: tuple[str, str]) -> None:
    (found,) = id_differences(a, b, ("a",), ("b",), None)
    assert (found.cause, found.message) == expected


def test_the_same_text_in_other_tokens() -> None:
    words = {5: b"a", 6: b"b", 7: b"c", 9: b"bc"}

    def decode(ids: Sequence[int]) -> bytes:
        return b"".join(words[i] for i in ids)

    (found,) = id_differences([5, 6, 7, 5], [5, 9, 5], ("a",), ("b",), decode)
    assert found.cause == "retokenised"
