"""Whether a prefix is long enough to be cached: below, near or above the model's minimum."""

from typing import Literal, NamedTuple

Size = Literal["below", "near", "above"]

EITHER_WAY = 0.2  # of a count over our form of a prompt, by a vocabulary that may be another than the model's


class Minimum(NamedTuple):
    """The shortest prefix that is cached, and how to compare a count with it."""

    tokens: int = 0  # 0: none is known
    factor: float = 1.0  # how many times as many tokens the model counts
    exact: bool = False  # counts are the model's own
    firm: bool = True  # False: shorter prefixes were seen to be cached
    known: bool = True  # False: the largest of any model, because that of this one is not known

    def size(self, tokens: int) -> Size:
        """Of a prefix of so many counted tokens. What is below a minimum that is not firm is near it."""
        low, high = (tokens, tokens) if self.exact else self._band(tokens)
        if low >= self.tokens:
            return "above"
        return "below" if high < self.tokens and self.firm else "near"

    def doubt(self, tokens: int) -> str:
        """What is to be said of a prefix that is near: the end of a sentence about it."""
        if not self.known:
            return (
                f"may be too short: this model's minimum is not known, other models have up to {self.tokens:,} tokens"
            )
        if self.unlikely(tokens):
            return f"is unlikely to be cached: it is shorter than the model's listed minimum of {self.tokens:,} tokens"
        return f"may be too short: it is near the model's minimum of {self.tokens:,} tokens"

    def unlikely(self, tokens: int) -> bool:
        """Whether a prefix is shorter than a minimum that is not firm, by more than counts may be off."""
        return self.known and not self.firm and not self.exact and self._band(tokens)[1] < self.tokens

    def _band(self, tokens: int) -> tuple[float, float]:
        middle = tokens * self.factor
        return middle * (1 - EITHER_WAY), middle * (1 + EITHER_WAY)
