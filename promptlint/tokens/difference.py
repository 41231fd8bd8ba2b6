"""The first token in which two texts differ, found in a window around the place where their characters differ."""

from collections.abc import Sequence
from typing import NamedTuple

from promptlint.tokens.interface import Tokenizer

_WINDOW = 256  # characters behind the place, at first; at least the two that a cut looks back on


class TokenDifference(NamedTuple):
    """Where the token sequences of two texts part. All positions are those of the first text, `a`."""

    cut: int  # character of the safe cut before the place: all tokens before it are equal
    equal: int  # equal tokens after that cut
    token_char: int  # character at which the first differing token begins, or in which if it begins inside one
    back: int  # bytes from the begin of that token to the first differing character; negative inside that character
    id_a: int | None  # that token; None where the text has ended
    id_b: int | None


def first_difference(tokenizer: Tokenizer, a: str, char_a: int, b: str, char_b: int) -> TokenDifference:
    """Compare the tokens of `a` and of `a[:char_a] + b[char_b:]`.

    Both ids are None if there is no difference. Without safe cuts both texts are encoded whole.
    """
    cut = _last_cut(tokenizer, a, char_a)
    head = a[cut:char_a]
    size = _WINDOW
    while True:
        end_a = _window_end(tokenizer, a, char_a, size)
        end_b = _window_end(tokenizer, b, char_b, size)
        window = head + a[char_a:end_a]
        ids_a = tokenizer.encode(window)
        ids_b = tokenizer.encode(head + b[char_b:end_b])
        equal = _common(ids_a, ids_b)
        known_a = equal < len(ids_a) or end_a == len(a)
        known_b = equal < len(ids_b) or end_b == len(b)
        if known_a and known_b:
            break
        size *= 4
    start = tokenizer.start(window, equal)
    return TokenDifference(
        cut=cut,
        equal=equal,
        token_char=cut + len(window.encode()[:start].decode(errors="ignore")),
        back=len(head.encode()) - start,
        id_a=ids_a[equal] if equal < len(ids_a) else None,
        id_b=ids_b[equal] if equal < len(ids_b) else None,
    )


def _last_cut(tokenizer: Tokenizer, text: str, place: int) -> int:
    """The last safe cut before `place` whose own character is before it as well; 0 if there is none."""
    if not tokenizer.has_cuts:
        return 0
    return next((c for c in range(place - 1, 0, -1) if tokenizer.is_cut(text, c)), 0)


def _window_end(tokenizer: Tokenizer, text: str, place: int, size: int) -> int:
    """The first safe cut at least `size` characters behind `place`, or the end.

    A cut looks at two characters before it; these must be the text's own, not what stands before `place`.
    """
    if not tokenizer.has_cuts:
        return len(text)
    ends = range(place + size, len(text))
    return next((c for c in ends if tokenizer.is_cut(text, c)), len(text))


def _common(ids_a: Sequence[int], ids_b: Sequence[int]) -> int:
    pairs = enumerate(zip(ids_a, ids_b, strict=False))
    return next((i for i, (x, y) in pairs if x != y), min(len(ids_a), len(ids_b)))
