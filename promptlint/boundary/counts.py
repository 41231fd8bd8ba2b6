"""Token positions of divergences: only what a question needs is tokenized."""

from typing import NamedTuple

from promptlint.prompt import Rendered
from promptlint.tokens import Tokenizer
from promptlint.tokens.difference import TokenDifference, first_difference
from promptlint.tokens.index import TokenIndex

_WHOLE_COMPARISONS = 8  # with a vocabulary without safe cuts, each comparison encodes both prompts


class Counts(NamedTuple):
    """Two prompts and their token counts; parts that both hold are counted once."""

    tokenizer: Tokenizer
    a: Rendered
    b: Rendered
    index_a: TokenIndex
    index_b: TokenIndex


def count(tokenizer: Tokenizer, a: Rendered, b: Rendered) -> Counts:
    """Nothing is tokenized before it is asked for."""
    memo: dict[str, int] = {}
    joints_a, joints_b = [item.char for item in a.items[1:]], [item.char for item in b.items[1:]]
    index_a = TokenIndex(tokenizer, a.text, joints_a, memo)
    return Counts(tokenizer, a, b, index_a, TokenIndex(tokenizer, b.text, joints_b, memo))


def token_difference(counts: Counts, a_char: int, b_char: int) -> TokenDifference:
    """The tokens around one divergence, as if it were the only one."""
    return first_difference(counts.tokenizer, counts.a.text, a_char, counts.b.text, b_char)


def shared_tokens(counts: Counts, found: TokenDifference) -> int:
    """Equal tokens before a divergence, as if it were the only one."""
    return counts.index_a.at(found.cut) + found.equal


def affordable(tokenizer: Tokenizer, comparisons: int) -> bool:
    """Whether one more comparison of tokens is worth its time."""
    return tokenizer.has_cuts or comparisons < _WHOLE_COMPARISONS
