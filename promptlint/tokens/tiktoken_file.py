"""A *.tiktoken file that the user has: ranks without a pattern, so it must be one that is known."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from promptlint.errors import PromptlintError
from promptlint.tokens.blank import has_long_blank, too_blank
from promptlint.tokens.cuts import is_boundary
from promptlint.tokens.interface import WRONG_IDS
from promptlint.tokens.patterns import ENCODINGS, Encoding

if TYPE_CHECKING:
    import tiktoken


class TiktokenFile:
    """Special tokens spelled out in a text are ordinary text."""

    notes: tuple[str, ...] = ()
    has_cuts = True

    def __init__(self, name: str, data: bytes) -> None:
        """`data`: the bytes of the file. PromptlintError if it is no known vocabulary."""
        from hashlib import sha256

        self.name = name
        self.digest = sha256(data).hexdigest()
        ranks = _ranks(name, data)
        self._known = _recognise(name, ranks)
        self._encoding = _build(self._known, ranks)

    def encode(self, text: str) -> Sequence[int]:
        if has_long_blank(text):
            raise too_blank(self.name)
        return self._encoding.encode_ordinary(text)

    def count(self, text: str, *, ahead: int = 0) -> int:
        return len(self.encode(text))

    def is_cut(self, text: str, c: int) -> bool:
        return is_boundary(text, c, self._known.rule)

    def decode(self, ids: Sequence[int]) -> bytes:
        try:
            return self._encoding.decode_bytes(ids)
        except (KeyError, OverflowError) as error:
            raise PromptlintError(f"{self.name}: {error}", WRONG_IDS) from None

    def start(self, text: str, index: int) -> int:
        return len(self.decode(self.encode(text)[:index]))


def _ranks(name: str, data: bytes) -> dict[bytes, int]:
    from base64 import b64decode

    try:
        return {b64decode(token): int(rank) for token, rank in map(bytes.split, data.splitlines())}
    except ValueError as error:
        raise PromptlintError(f"{name}: not a .tiktoken file: {error}", _HINT) from None


def _recognise(name: str, ranks: dict[bytes, int]) -> Encoding:
    """By the SHA-256 of the ranks in their official form, so that line ends and order do not matter."""
    from base64 import b64encode
    from hashlib import sha256

    in_order = sorted(ranks.items(), key=lambda item: item[1])
    official = b"".join(b"%s %d\n" % (b64encode(token), rank) for token, rank in in_order)
    digest = sha256(official).hexdigest()
    for encoding in ENCODINGS:
        if encoding.sha256 == digest:
            return encoding
    known = ", ".join(encoding.name for encoding in ENCODINGS)
    raise PromptlintError(f"{name}: not one of {known}, and a .tiktoken file does not hold its own pattern", _HINT)


def _build(known: Encoding, ranks: dict[bytes, int]) -> "tiktoken.Encoding":
    from tiktoken import Encoding as TiktokenEncoding

    return TiktokenEncoding(known.name, pat_str=known.pattern, mergeable_ranks=ranks, special_tokens=known.special)


_HINT = "give the tokenizer.json of the same model"
