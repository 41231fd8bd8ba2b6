"""A SentencePiece vocabulary inside a GGUF, as llama.cpp uses it: the neighbours whose joint piece scores best are
joined first, and what is no piece in the end becomes bytes.
"""

from collections.abc import Iterator, Sequence
from functools import cached_property
from heapq import heapify, heappop, heappush
from itertools import pairwise

from promptlint.errors import PromptlintError
from promptlint.tokens.interface import WRONG_IDS

_SPACE = "\u2581"


class Scored:
    """Exact. Special tokens spelled out in a text are ordinary text, which `WithSpecial` changes.

    No joining goes across a place if no piece holds the two characters that meet there. Such a place is a safe cut,
    unless the vocabulary puts a space before each text.
    """

    added_tokens: frozenset[str] = frozenset()
    notes: tuple[str, ...] = ()

    def __init__(self, name: str, digest: str, tokens: list[str], scores: Sequence[float], *, space: bool) -> None:
        """`space`: one is put before each text. PromptlintError if a byte has no token."""
        self.name = name
        self.digest = digest
        self.size = len(tokens)
        self.has_cuts = not space
        self._prefix = _SPACE if space else ""
        self._tokens = tokens
        self._ids = {token: number for number, token in enumerate(tokens)}
        self._ranks = {token: -score for token, score in zip(tokens, scores, strict=True)}
        try:
            self._bytes = [self._ids[f"<0x{byte:02X}>"] for byte in range(256)]
        except KeyError as error:
            raise PromptlintError(f"{name}: it has no token {error}", "give the tokenizer.json of the model") from None
        self._memo: dict[str, list[str]] = {}

    def encode(self, text: str) -> Sequence[int]:
        ids: list[int] = []
        for piece in self._pieces(text):
            number = self._ids.get(piece)
            ids += [self._bytes[byte] for byte in piece.encode()] if number is None else (number,)
        return ids

    def count(self, text: str, *, ahead: int = 0) -> int:
        return len(self.encode(text))

    def is_cut(self, text: str, c: int) -> bool:
        return self.has_cuts and 0 < c < len(text) and text[c - 1 : c + 1].replace(" ", _SPACE) not in self._joined

    def decode(self, ids: Sequence[int]) -> bytes:
        """As declared; a space that was put before the text is kept, so that parts can be joined."""
        return b"".join(map(self._token, ids))

    def start(self, text: str, index: int) -> int:
        """As declared; a token that begins inside a character counts from the begin of that character."""
        place = -len(self._prefix)
        for piece in self._pieces(text):
            size = 1 if piece in self._ids else len(piece.encode())
            if index < size:
                break
            index -= size
            place += len(piece)
        return len(text[: max(place, 0)].encode())

    def _token(self, number: int) -> bytes:
        if not 0 <= number < len(self._tokens):
            raise PromptlintError(f"{self.name}: no token has the id {number}", WRONG_IDS)
        byte = self._byte_of.get(number)
        return self._tokens[number].replace(_SPACE, " ").encode() if byte is None else byte

    def _pieces(self, text: str) -> Iterator[str]:
        """What the text is made of: pieces, and single characters that are none."""
        if not text:
            return
        for part in self._parts(self._prefix + text.replace(" ", _SPACE)):
            pieces = self._memo.get(part)
            if pieces is None:
                pieces = self._memo[part] = _join(part, self._ranks)
            yield from pieces

    def _parts(self, text: str) -> Iterator[str]:
        start, joined = 0, self._joined
        for place in range(1, len(text)):
            if text[place - 1 : place + 1] not in joined:
                yield text[start:place]
                start = place
        yield text[start:]

    @cached_property
    def _joined(self) -> frozenset[str]:
        """Every two characters that stand side by side in a piece."""
        return frozenset(a + b for token in self._tokens for a, b in pairwise(token))

    @cached_property
    def _byte_of(self) -> dict[int, bytes]:
        return {number: bytes([byte]) for byte, number in enumerate(self._bytes)}


def _join(text: str, ranks: dict[str, float]) -> list[str]:
    """Join the neighbours whose joint piece has the lowest rank, the leftmost of equals, until no joint is a piece."""
    pieces = list(text)
    before, behind = list(range(-1, len(pieces) - 1)), [*range(1, len(pieces)), -1]
    queue = [
        (rank, left, left + 1, 2)
        for left in range(len(pieces) - 1)
        if (rank := ranks.get(text[left : left + 2])) is not None
    ]
    heapify(queue)
    while queue:
        _, left, right, size = heappop(queue)
        if not pieces[left] or not pieces[right] or len(pieces[left]) + len(pieces[right]) != size:
            continue  # one of them has been joined with another since
        pieces[left] += pieces[right]
        pieces[right] = ""
        behind[left] = behind[right]
        if behind[right] >= 0:
            before[behind[right]] = left
        for first, second in ((before[left], left), (left, behind[left])):
            if first >= 0 and second >= 0:
                joint = pieces[first] + pieces[second]
                rank = ranks.get(joint)
                if rank is not None:
                    heappush(queue, (rank, first, second, len(joint)))
    return [piece for piece in pieces if piece]
