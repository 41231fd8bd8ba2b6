"""A file of ranks in the form of tiktoken: it holds no pattern, so it must be one that is known."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from promptlint.errors import PromptlintError
from promptlint.tokens.blank import has_long_blank, too_blank
from promptlint.tokens.cuts import is_boundary
from promptlint.tokens.encodings import ENCODINGS, Encoding
from promptlint.tokens.interface import WRONG_IDS, Tokenizer
from promptlint.tokens.special import WithSpecial

if TYPE_CHECKING:
    import tiktoken


def open_ranks(name: str, data: bytes, encoding: Encoding | None = None) -> Tokenizer:
    """`data`: the bytes of the file; `encoding`: which it is, if that is known. PromptlintError if no known one."""
    from hashlib import sha256

    digest = sha256(data).hexdigest()
    ranks = _ranks(name, data)
    known = encoding or _by_digest(digest) or _recognise(name, ranks)
    tokenizer = TiktokenFile(name, digest, known, ranks)
    if not known.recognised:
        return tokenizer
    return WithSpecial(tokenizer, name, known.special, size=known.size, nfc=known.nfc)


class TiktokenFile:
    """Special tokens spelled out in a text are ordinary text."""

    added_tokens: frozenset[str] = frozenset()
    has_cuts = True

    def __init__(self, name: str, digest: str, known: Encoding, ranks: dict[bytes, int]) -> None:
        self.name = name
        self.digest = digest
        self.size = known.size
        self.notes = (_QWEN_NOTE.format(name),) if known.name == "qwen3" and name != "qwen3" else ()
        self._rule = known.rule
        self._encoding = _build(known, ranks)

    def encode(self, text: str) -> Sequence[int]:
        if has_long_blank(text):
            raise too_blank(self.name)
        return self._encoding.encode_ordinary(text)

    def count(self, text: str, *, ahead: int = 0) -> int:
        return len(self.encode(text))

    def is_cut(self, text: str, c: int) -> bool:
        return is_boundary(text, c, self._rule)

    def decode(self, ids: Sequence[int]) -> bytes:
        try:
            return self._encoding.decode_bytes(ids)
        except (KeyError, OverflowError) as error:
            raise PromptlintError(f"{self.name}: {error}", WRONG_IDS) from None

    def start(self, text: str, index: int) -> int:
        return len(self.decode(self.encode(text)[:index]))


def _ranks(name: str, data: bytes) -> dict[bytes, int]:
    from binascii import a2b_base64

    try:
        return {a2b_base64(token): int(rank) for token, rank in map(bytes.split, data.splitlines())}
    except ValueError as error:
        raise PromptlintError(f"{name}: not a .tiktoken file: {error}", _HINT) from None


def _by_digest(digest: str) -> Encoding | None:
    return next((encoding for encoding in ENCODINGS.values() if encoding.sha256 == digest), None)


def _recognise(name: str, ranks: dict[bytes, int]) -> Encoding:
    """By the SHA-256 of the ranks in their official form, so that line ends and order do not matter."""
    from base64 import b64encode
    from hashlib import sha256

    in_order = sorted(ranks.items(), key=lambda item: item[1])
    official = b"".join(b"%s %d\n" % (b64encode(token), rank) for token, rank in in_order)
    found = _by_digest(sha256(official).hexdigest())
    if found is None:
        known = ", ".join(ENCODINGS)
        raise PromptlintError(f"{name}: not one of {known}, and a .tiktoken file does not hold its own pattern", _HINT)
    return found


def _build(known: Encoding, ranks: dict[bytes, int]) -> "tiktoken.Encoding":
    from tiktoken import Encoding as TiktokenEncoding

    return TiktokenEncoding(known.name, pat_str=known.pattern, mergeable_ranks=ranks, special_tokens=known.special)


_HINT = "give the tokenizer.json of the same model"
_QWEN_NOTE = (
    "{}: special tokens are those of Qwen 3, whose ranks Qwen 1 to 2.5 share; for Qwen 2.5 take --tokenizer qwen2.5"
)
