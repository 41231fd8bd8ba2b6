"""What must hold for every tokenizer, checked against whole texts tokenized by the reference library."""

import random
from collections.abc import Callable, Sequence

import token_texts
from promptlint.tokens import Tokenizer
from promptlint.tokens.difference import TokenDifference, first_difference
from promptlint.tokens.index import TokenIndex

Encode = Callable[[str], Sequence[object]]


def check_difference(tokenizer: Tokenizer, reference: Encode, a: str, b: str) -> TokenDifference:
    """first_difference(a, b) is what comparing both whole token lists gives."""
    place = token_texts.shared(a, b)
    found = first_difference(tokenizer, a, place, b, place)
    ids_a, ids_b = list(reference(a)), list(reference(b))
    first = token_texts.shared(ids_a, ids_b)
    assert len(reference(a[: found.cut])) + found.equal == first, (a, b, found)
    assert found.id_a == (ids_a[first] if first < len(ids_a) else None), (a, b, found)
    assert found.id_b == (ids_b[first] if first < len(ids_b) else None), (a, b, found)
    assert found.cut < place or place == found.cut == 0
    return found


def check_cuts(tokenizer: Tokenizer, reference: Encode, text: str) -> int:
    """Every safe cut of `text` divides its tokens; how many there are."""
    whole = list(reference(text))
    cuts = [c for c in range(len(text) + 1) if tokenizer.is_cut(text, c)]
    for c in cuts:
        assert [*reference(text[:c]), *reference(text[c:])] == whole, (text, c, text[c - 2 : c + 2])
    return len(cuts)


def check_index(tokenizer: Tokenizer, reference: Encode, text: str, rng: random.Random) -> None:
    """TokenIndex counts what encoding each beginning of `text` gives, whatever the joints and the questions."""
    places = range(len(text) + 1)
    joints = sorted(rng.sample(places, min(len(places), 8)))
    memo: dict[str, int] = {}
    index = TokenIndex(tokenizer, text, joints, memo)
    for c in rng.sample(places, min(len(places), 4)):
        assert index.at(c) == len(reference(text[:c])), (text, joints, c)
    assert index.total == len(reference(text))
    assert TokenIndex(tokenizer, text, joints, memo).total == index.total


def fuzz(tokenizer: Tokenizer, reference: Encode, edits: int, seed: int) -> int:
    """The laws on `edits` seeded pairs; how many safe cuts were seen."""
    rng = random.Random(seed)
    cuts = 0
    for number in range(edits):
        a = token_texts.text(rng)
        b = token_texts.edit(rng, a)
        check_difference(tokenizer, reference, a, b)
        if number % 10 == 0:
            assert list(tokenizer.encode(b)) == list(reference(b))
            assert tokenizer.count(b) == len(reference(b))
            cuts += check_cuts(tokenizer, reference, a)
            check_index(tokenizer, reference, b, rng)
    return cuts
