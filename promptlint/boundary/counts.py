"""Token positions of divergences: only what a question needs is tokenized."""

from bisect import bisect_right
from typing import NamedTuple

from promptlint.boundary.align import common_head
from promptlint.boundary.divergence import shared_chars
from promptlint.prompt import Rendered
from promptlint.tokens import Tokenizer
from promptlint.tokens.difference import TokenDifference, first_difference
from promptlint.tokens.index import TokenIndex

_WHOLE_COMPARISONS = 8  # with a vocabulary without safe cuts, each comparison encodes both prompts


class Encoded(NamedTuple):
    """Encoded data in a prompt: where each piece ends (characters), and the rough tokens up to there."""

    ends: list[int]
    tokens: list[int]

    def before(self, char: int) -> int:
        """Tokens of encoded data in front of a character of the prompt."""
        found = bisect_right(self.ends, char)
        return self.tokens[found - 1] if found else 0


class Counts(NamedTuple):
    """Two prompts and their token counts; parts that both hold are counted once."""

    tokenizer: Tokenizer
    a: Rendered
    b: Rendered
    index_a: TokenIndex
    index_b: TokenIndex
    encoded_a: Encoded
    encoded_b: Encoded

    def in_a(self, char: int) -> int:
        """Tokens of the first `char` characters of prompt A."""
        if self.a.tokens is not None:
            return bisect_right(self.a.tokens.ends, len(self.a.text[:char].encode()))
        return self.index_a.at(char) + self.encoded_a.before(char)

    @property
    def total_a(self) -> int:
        """Tokens of prompt A."""
        return self.in_a(len(self.a.text))

    @property
    def total_b(self) -> int:
        """Tokens of prompt B."""
        if self.b.tokens is not None:
            return len(self.b.tokens.ids)
        return self.index_b.total + self.encoded_b.before(len(self.b.text))


def count(tokenizer: Tokenizer, a: Rendered, b: Rendered, memo: dict[str, int] | None = None) -> Counts:
    """Nothing is tokenized before it is asked for. `memo`: counts of parts that other prompts had, and gets more."""
    memo = {} if memo is None else memo
    joints_a, joints_b = [item.char for item in a.items[1:]], [item.char for item in b.items[1:]]
    index_a = TokenIndex(tokenizer, a.text, joints_a, memo)
    index_b = TokenIndex(tokenizer, b.text, joints_b, memo)
    return Counts(tokenizer, a, b, index_a, index_b, _encoded(a), _encoded(b))


def _encoded(rendered: Rendered) -> Encoded:
    found = Encoded([], [])
    for item in rendered.items:
        end = item.char
        for piece in item.pieces:
            end += len(piece.text) + len(rendered.separator)
            if piece.tokens is not None:
                found.ends.append(end)
                found.tokens.append(piece.tokens + (found.tokens[-1] if found.tokens else 0))
    return found


def token_difference(counts: Counts, a_char: int, b_char: int) -> TokenDifference:
    """The tokens around one divergence, as if it were the only one."""
    return first_difference(counts.tokenizer, counts.a.text, a_char, counts.b.text, b_char)


def shared_tokens(counts: Counts, a_char: int, b_char: int) -> int:
    """Equal tokens before a divergence, as if it were the only one."""
    if counts.a.tokens is not None and counts.b.tokens is not None:
        first = common_head(counts.a.tokens.ids, counts.b.tokens.ids)
        return first if a_char <= shared_chars(counts.a, counts.b) else counts.in_a(a_char)
    here, there = counts.a.text[a_char : a_char + 1], counts.b.text[b_char : b_char + 1]
    if here and here == there:  # values that print alike: no character differs here
        return counts.in_a(a_char)
    found = token_difference(counts, a_char, b_char)
    return counts.in_a(found.cut) + found.equal


def affordable(counts: Counts, comparisons: int) -> bool:
    """Whether one more comparison of tokens is worth its time."""
    return counts.a.tokens is not None or counts.tokenizer.has_cuts or comparisons < _WHOLE_COMPARISONS
