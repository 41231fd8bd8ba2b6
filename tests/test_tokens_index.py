"""Counts of beginnings: exact at any position, and each part counted once."""

import random
from collections.abc import Sequence

import pytest

import token_laws
import token_texts
import token_vocabularies as vocabularies
from promptlint.tokens import index
from promptlint.tokens.index import TokenIndex
from promptlint.tokens.o200k import O200k
from promptlint.tokens.tokenizer_json import TokenizerJson


class Counting(O200k):
    """Remembers what it was asked to count."""

    def __init__(self) -> None:
        super().__init__(fast=False)
        self.asked: list[str] = []

    def count(self, text: str, *, ahead: int = 0) -> int:
        self.asked.append(text)
        return super().count(text, ahead=ahead)


def items(count: int, seed: int) -> tuple[str, list[int]]:
    """A prompt of items, each ended by a line feed, and where they end."""
    rng = random.Random(seed)
    parts = [token_texts.natural(rng, 200).strip() + "\n" for _ in range(count)]
    ends = [sum(map(len, parts[: number + 1])) for number in range(count)]
    return "".join(parts), ends


@pytest.mark.parametrize("name", ["o200k", "cl100k", "plain"])
def test_long_texts_divided_by_their_content(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index, "_LONG", 300)
    monkeypatch.setattr(index, "_STEP", 100)
    tokenizer, reference = vocabularies.pair(name)
    rng = random.Random(23)
    for _ in range(40):
        token_laws.check_index(tokenizer, reference, token_texts.natural(rng, 3000), rng)


def test_without_safe_cuts_beginnings_are_counted_whole() -> None:
    data = vocabularies.with_declarations(vocabularies.trained("byte_level"), normalizer={"type": "Lowercase"})
    rng = random.Random(29)
    for _ in range(30):
        token_laws.check_index(TokenizerJson("x", data), vocabularies.by_library(data), token_texts.text(rng), rng)


def test_each_item_is_counted_once() -> None:
    text, ends = items(40, seed=31)
    tokenizer = Counting()
    asked = TokenIndex(tokenizer, text, ends, {})
    for end in ends:
        asked.at(end)
    assert asked.total == asked.at(ends[-1])
    assert "".join(tokenizer.asked) == text
    assert len(tokenizer.asked) == len(ends)


def test_two_texts_share_what_is_equal() -> None:
    text, ends = items(40, seed=37)
    place = ends[20] + 10
    other, inserted = text[:place] + "EDITED" + text[place:], 6
    tokenizer, memo = Counting(), dict[str, int]()
    first = TokenIndex(tokenizer, text, ends, memo).total
    tokenizer.asked.clear()
    moved = [end + inserted * (end > place) for end in ends]
    assert TokenIndex(tokenizer, other, moved, memo).total == tokenizer_total(other)
    assert first == tokenizer_total(text)
    assert len(tokenizer.asked) == 1


def test_one_long_text_shares_what_is_equal() -> None:
    text, _ = items(400, seed=41)
    other = text[:40_000] + "EDITED" + text[40_000:]
    tokenizer, memo = Counting(), dict[str, int]()
    assert TokenIndex(tokenizer, text, (), memo).total == tokenizer_total(text)
    tokenizer.asked.clear()
    assert TokenIndex(tokenizer, other, (), memo).total == tokenizer_total(other)
    assert sum(map(len, tokenizer.asked)) < len(text) / 10


def test_nothing_is_counted_before_it_is_asked_for() -> None:
    text, ends = items(10, seed=43)
    tokenizer = Counting()
    asked = TokenIndex(tokenizer, text, ends, {})
    assert tokenizer.asked == []
    assert asked.at(0) == 0
    asked.at(ends[2])
    assert "".join(tokenizer.asked) == text[: ends[2]]


def tokenizer_total(text: str) -> int:
    ids: Sequence[int] = vocabularies.reference("o200k_base").encode_ordinary(text)
    return len(ids)
