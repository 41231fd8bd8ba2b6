"""A prompt of random tokens that is computed in two parts and whole, to ask a model what kind of error it makes."""

from torch import Tensor

from promptlint.confirm.implementation import Checked, Held
from promptlint.confirm.random_prompts import BLOCK, other, random_ids

PREFIX = 5 * BLOCK  # tokens of the usual prefix
ODD = 5  # tokens more, where a prefix is to end inside a block


class Probes:
    """A prompt of random tokens, and how far apart equal logits may be. What was computed once is kept."""

    def __init__(self, model: Checked, ids: list[int], limit: float, kept_limit: float | None = None) -> None:
        self.model = model
        self.ids = ids
        self.limit = limit
        self.kept_limit = kept_limit
        self._held: dict[tuple[int, ...], Held] = {}
        self._whole: Tensor | None = None

    def differ(self, a: Tensor, b: Tensor) -> bool:
        """Whether two sets of rows differ by more than noise."""
        return largest(a, b) > self.limit

    def held(self, prefix: list[int]) -> Held:
        """A cache behind a prefix; the same one again for the same prefix."""
        key = tuple(prefix)
        if key not in self._held:
            self._held[key] = self.model.prefill(prefix)[1]
        return self._held[key]

    def cached(self, prefix: list[int], suffix: list[int]) -> Tensor:
        """Logits of the suffix, with the prefix from the cache."""
        return self.model.append(self.held(prefix), suffix)[0]

    def true(self, prefix: list[int], suffix: list[int]) -> Tensor:
        """Logits of the suffix, computed with all that is ahead of it. No row depends on what follows."""
        both = [*prefix, *suffix]
        if both != self.ids[: len(both)]:
            return self.model.prefill(both)[0][len(prefix) :]
        if self._whole is None:
            self._whole = self.model.prefill(self.ids)[0]
        return self._whole[len(prefix) : len(both)]

    def error(self, prefix: list[int], suffix: list[int]) -> Tensor:
        """For each row of the suffix, the largest difference to computing it whole, [len(suffix)]."""
        return (self.cached(prefix, suffix) - self.true(prefix, suffix)).abs().amax(-1)

    def wrong(self, prefix: int, suffix: int) -> bool:
        """Whether so many tokens of the prompt behind so many others are computed wrongly."""
        return self.error(self.ids[:prefix], self.ids[prefix : prefix + suffix]).max().item() > self.limit

    def alike(self, prefix: int) -> float | None:
        """The error where the whole prompt is one token, repeated; None if its rows are not equal even without a cache.

        There all values are equal, and it makes no difference where a token stands or how strongly it is looked at:
        an error that is there is one of what the cache holds. (Positions that are added to tokens make rows differ.)
        """
        token = [self.ids[0]]
        whole = self.true(token * 0, token * (PREFIX + ODD + BLOCK))
        if largest(whole, whole[:1]) > self.limit:
            return None
        return self.error(token * prefix, token * BLOCK).max().item()

    def continued(self, tokens: int) -> list[int]:
        """So many tokens: those of the prompt, and random ones behind them."""
        return [*self.ids[:tokens], *random_ids(self.model.vocabulary, tokens - len(self.ids), 76)]

    def changed(self, ids: list[int], *places: int) -> list[int]:
        """The ids with other tokens at some places."""
        return [other(token, self.model.vocabulary) if i in places else token for i, token in enumerate(ids)]


def largest(a: Tensor, b: Tensor) -> float:
    """The largest difference of two sets of logits."""
    return (a - b).abs().max().item()
