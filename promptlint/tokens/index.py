"""Token counts of the beginnings of one text, each part of it counted once."""

import re
from bisect import bisect_right
from collections.abc import Sequence

from promptlint.tokens.interface import Tokenizer

_STEP = 2048  # characters: a longer rest is divided at a safe cut, so that the next question near it costs little
_LONG = 16384  # characters: a longer part is divided by its content, so that two texts share what is equal in it
_DIVIDE = re.compile(r"""[ent]"?[.,:](?= )""")  # every few hundred characters of prose, code and JSON


class TokenIndex:
    """`at(c)` is the number of tokens of text[:c].

    `joints` are positions in rising order where the text may be divided, wherever they are safe cuts. `memo` keeps
    the counts of the parts; two texts that share parts share it. Nothing is counted before it is asked for.
    """

    def __init__(self, tokenizer: Tokenizer, text: str, joints: Sequence[int], memo: dict[str, int]) -> None:
        self._tokenizer = tokenizer
        self._text = text
        self._memo = memo
        self._joints = joints if tokenizer.has_cuts else ()
        self._places = [0]  # positions whose count is known, rising
        self._counts = [0]
        self._goal = 0  # end of what is being counted

    @property
    def total(self) -> int:
        """Tokens of the whole text."""
        return self.at(len(self._text))

    def at(self, c: int) -> int:
        """Tokens of text[:c]; `c` may be any position."""
        self._goal = c
        known = bisect_right(self._places, c) - 1
        place = self._places[known]
        if place == c:
            return self._counts[known]
        for joint in self._joints[bisect_right(self._joints, place) : bisect_right(self._joints, c)]:
            if self._tokenizer.is_cut(self._text, joint):
                known = self._learn(known, joint)
        if c - self._places[known] > _STEP:
            cut = self._cut_before(c)
            if cut > self._places[known]:
                known = self._learn(known, cut)
        place = self._places[known]
        return self._counts[known] + (self._count(place, c) if place < c else 0)

    def _learn(self, known: int, place: int) -> int:
        """Count on from the known entry to the safe cut `place`; the number of its new entry."""
        count = self._counts[known] + self._count(self._places[known], place)
        self._places.insert(known + 1, place)
        self._counts.insert(known + 1, count)
        return known + 1

    def _cut_before(self, c: int) -> int:
        if not self._tokenizer.has_cuts:
            return 0
        return next((cut for cut in range(c - 1, c - _STEP, -1) if self._tokenizer.is_cut(self._text, cut)), 0)

    def _count(self, start: int, end: int) -> int:
        if end - start <= _LONG or not self._tokenizer.has_cuts:
            return self._count_part(start, end)
        ends = (match.end() for match in _DIVIDE.finditer(self._text, start, end))
        bounds = [start, *(c for c in ends if self._tokenizer.is_cut(self._text, c)), end]
        return sum(map(self._count_part, bounds, bounds[1:]))

    def _count_part(self, start: int, end: int) -> int:
        part = self._text[start:end]
        count = self._memo.get(part)
        if count is None:
            count = self._memo[part] = self._tokenizer.count(part, ahead=self._goal - start)
        return count
