"""How to compare two requests."""

from typing import TYPE_CHECKING, NamedTuple

from promptlint.facts.own import NONE, Overrides
from promptlint.tokens import Tokenizer

if TYPE_CHECKING:
    from promptlint.commands.templates import Side


class Options(NamedTuple):
    """How to compare."""

    tokenizer: Tokenizer
    first: bool = False  # stop at the first change, count no tokens
    provider: str | None = None  # instead of the one that the request shows
    block_size: int | None = None  # tokens in a block of a paged engine
    chosen: bool = False  # the user chose the tokenizer
    sides: "tuple[Side, Side] | None" = None  # the chat templates
    decides: bool = False  # the count decides whether anything is lost
    own: Overrides = NONE  # the user's facts

    @property
    def counts(self) -> bool:
        """Whether tokens are counted; with blocks, and near the end of steps, the verdict itself depends on them."""
        return not self.first or self.block_size is not None or self.decides
