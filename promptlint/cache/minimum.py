"""Whether a prefix is long enough to be cached: below, near or above the model's minimum."""

from typing import Literal, NamedTuple

Size = Literal["below", "near", "above"]

_EITHER_WAY = 0.2  # of a count over our form of a prompt, by a vocabulary that may be another than the model's


class Minimum(NamedTuple):
    """The shortest prefix that is cached, and how to compare a count with it."""

    tokens: int = 0  # 0: none is known
    factor: float = 1.0  # how many times as many tokens the model counts
    exact: bool = False  # counts are the model's own
    firm: bool = True  # False: shorter prefixes were seen to be cached

    def size(self, tokens: int) -> Size:
        """Of a prefix of so many counted tokens. What is below a minimum that is not firm is near it."""
        low, high = (tokens, tokens) if self.exact else self._band(tokens)
        if low >= self.tokens:
            return "above"
        return "below" if high < self.tokens and self.firm else "near"

    def _band(self, tokens: int) -> tuple[float, float]:
        middle = tokens * self.factor
        return middle * (1 - _EITHER_WAY), middle * (1 + _EITHER_WAY)
